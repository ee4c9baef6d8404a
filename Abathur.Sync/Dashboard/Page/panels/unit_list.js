// How many units of each type there are: a list for the keyboard, too. Enter on a type chooses one of its units, and again the next; A, or
// Shift with Enter or a click, chooses all of them.

import { element, press, setText } from "../common/page.js";
import { ENEMY, SELF } from "../match/world.js";

const ALLIANCES = ["", "own", "ally", "neutral", "enemy"];
const ORDER = [SELF, ENEMY, 2, 3];

export class UnitList {
  names;
  #root;
  #world;
  #buttons = new Map();
  #choose;

  /** @param choose called with the tags of the units that are chosen */
  constructor(root, world, names, choose) {
    [this.#root, this.#world, this.names, this.#choose] = [root, world, names, choose];
    root.addEventListener("keydown", (event) => this.#walk(event));
    root.addEventListener("click", ({ target, shiftKey }) => this.#press(target.closest("button"), shiftKey));
  }

  /** Updates the list from the newest frame; the types of the chosen units are marked. */
  update(selected) {
    const { units } = this.#world;
    const counts = new Map();
    for (let row = 0; row < units.rows; row++) {
      if (!units.used[row]) continue;
      const key = units.alliance[row] * 1e6 + units.unit_type[row];
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const rows = [...selected].map((tag) => this.#world.rowOf(tag)).filter((row) => row !== undefined);
    this.#show(counts, new Set(rows.map((row) => units.alliance[row] * 1e6 + units.unit_type[row])));
  }

  #show(counts, marked) {
    for (const [key, button] of this.#buttons) {
      if (counts.has(key)) continue;
      // Keep the keyboard focus in the list.
      if (button === document.activeElement) (button.nextElementSibling ?? button.previousElementSibling)?.focus();
      button.remove();
      this.#buttons.delete(key);
    }
    for (const [key, count] of counts) {
      if (!this.#buttons.has(key)) this.#add(key);
      const button = this.#buttons.get(key);
      const [name, number] = button.children;
      setText(name, this.names.unit(key % 1e6));
      button.title = this.names.internalUnit(key % 1e6);
      const label = `${ALLIANCES[button.dataset.alliance] ?? ""} ${name.textContent}, ${count}`;
      if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
      setText(number, String(count));
      press(button, marked.has(key));
    }
    this.#sort();
    setText(this.#empty(), counts.size === 0 ? "No units in this frame." : "");
  }

  #empty() {
    if (this.#root.lastElementChild?.tagName !== "P") this.#root.append(element("p", { className: "quiet" }));
    return this.#root.lastElementChild;
  }

  #add(key) {
    const button = element(
      "button", { type: "button", "data-alliance": String(Math.floor(key / 1e6)), "data-key": String(key) }, element("span"),
      element("span"));
    this.#buttons.set(key, button);
    this.#root.insertBefore(button, this.#empty());
  }

  /** Brings them into their order: by side, the army first, buildings last. Those that are in it stay, with their focus. */
  #sort() {
    const ranks = new Map([...this.#buttons].map(([key, button]) => [button, this.#rankOf(key)]));
    const sorted = [...ranks.keys()].sort((one, other) => compare(ranks.get(one), ranks.get(other)));
    sorted.forEach((button, at) => {
      if (this.#root.children[at] !== button) this.#root.insertBefore(button, this.#root.children[at]);
    });
  }

  #rankOf(key) {
    const type = key % 1e6;
    return [ORDER.indexOf(Math.floor(key / 1e6)), this.names.facts.rank(type), -this.names.facts.value(type), this.names.unit(type), type];
  }

  #press(button, isAll) {
    if (!button) return;
    const { units } = this.#world;
    const key = Number(button.dataset.key);
    const rows = [];
    for (let row = 0; row < units.rows; row++)
      if (units.used[row] && units.alliance[row] * 1e6 + units.unit_type[row] === key) rows.push(row);
    if (rows.length === 0) return;
    if (isAll) {
      this.#choose(rows.map((row) => units.tag[row]));
      return;
    }
    const last = rows.indexOf(Number(button.dataset.row ?? -1));
    const row = rows[(last + 1) % rows.length];
    button.dataset.row = String(row);
    this.#choose([units.tag[row]]);
  }

  #walk(event) {
    const buttons = [...this.#root.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    const isAll = event.key.toLowerCase() === "a" || (event.key === "Enter" && event.shiftKey);
    if (isAll && at >= 0 && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      event.stopPropagation();
      this.#press(buttons[at], true);
      return;
    }
    const step = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
    if (step === undefined || at < 0) return;
    event.preventDefault();
    event.stopPropagation();
    buttons[Math.min(Math.max(step, 0), buttons.length - 1)].focus();
  }
}

function compare(one, other) {
  const at = one.findIndex((each, i) => each !== other[i]);
  return at < 0 ? 0 : one[at] < other[at] ? -1 : 1;
}
