// What is being made and researched, and the armies: compact bars, each with its figures as text.

import { clock, grouped, LOOPS_PER_SECOND } from "../common/format.js";
import { byId, element, setText } from "../common/page.js";
import { ENEMY, SELF } from "../match/world.js";
import { army, production } from "./production.js";

export class ProductionPanel {
  names;
  #world;
  #making;
  #otherMaking;
  #army;
  #otherArmy;

  /** @param choose called with the tags of the units of a row that was pressed */
  constructor(world, names, choose) {
    [this.#world, this.names] = [world, names];
    this.#making = new Bars(byId("making"), "Nothing is being made.", choose);
    this.#otherMaking = new Bars(byId("enemy-making"), "Nothing is seen.", choose);
    this.#army = new Bars(byId("own-army"), "No army.", choose);
    this.#otherArmy = new Bars(byId("enemy-army"), "None is seen.", choose);
  }

  /**
   * Updates it from the newest frame.
   * @param other the world of the other player, or of another match, with all of its own; undefined: what is seen of enemies
   * @param title of it
   */
  update(other, title) {
    const nameOf = (type) => this.names.unit(type);
    const { facts } = this.names;
    const [world, alliance] = other === undefined ? [this.#world, ENEMY] : [other, SELF];
    setText(byId("enemy-army-title"), `${title} army${other === undefined ? " in sight" : ""}: units · cost`);
    setText(byId("enemy-making-title"), `${title}, being made: done · left`);
    this.#making.show(production(this.#world, facts, SELF, nameOf).map(madeLine));
    this.#otherMaking.show(production(world, facts, alliance, nameOf).map(madeLine), other !== undefined);
    const armies = [army(this.#world, facts, SELF), army(world, facts, alliance)];
    const most = Math.max(1, ...armies.flat().map(({ value }) => value));
    [this.#army, this.#otherArmy].forEach((bars, at) => bars.show(armies[at].map(({ id, count, value, tags }) => ({
      key: String(id), name: nameOf(id), part: value / most, figures: `${count} · ${grouped(value)}`,
      told: `${count} ${nameOf(id)}, worth ${value} minerals and vespene`, tags,
    })), at === 1 && other !== undefined));
  }
}

function madeLine({ kind, id, name, count, queued, progress, seconds, tags }) {
  const percent = Math.floor(100 * progress);
  const left = seconds === undefined ? "" : ` · ${clock(seconds * LOOPS_PER_SECOND)}`;
  const queue = queued > 0 ? ` +${queued}` : "";
  return {
    key: `${kind} ${id}`, name, part: progress, figures: `${count > 0 ? `×${count}` : ""}${queue} · ${percent} %${left}`,
    tags,
    told: `${name}: ${count} under way, ${queued} queued, ${percent} %${seconds === undefined ? "" : `, ${Math.ceil(seconds)} s left`}`,
  };
}

/** A list of bars, each a button that chooses its units. Lines keep their elements, and the focus, while their keys stay. */
class Bars {
  #list;
  #none;
  #lines = new Map();
  #tags = new Map();

  constructor(list, none, choose) {
    this.#list = list;
    this.#none = element("li", { className: "quiet" }, none);
    list.append(this.#none);
    list.addEventListener("click", ({ target }) => {
      const tags = this.#tags.get(target.closest("li")?.dataset.key);
      if (tags !== undefined && target.closest("button")) choose(tags);
    });
  }

  /**
   * @param lines { key, name, part (0 to 1), figures, told (all of it in words), tags }[]
   * @param isElsewhere whether the units are not those of the map: they cannot be chosen
   */
  show(lines, isElsewhere = false) {
    this.#tags = new Map(isElsewhere ? [] : lines.map(({ key, tags }) => [key, tags]));
    const keys = new Set(lines.map(({ key }) => key));
    for (const [key, line] of this.#lines) {
      if (keys.has(key)) continue;
      line.remove();
      this.#lines.delete(key);
    }
    lines.forEach((each, at) => this.#fill(each, at));
    this.#none.hidden = lines.length > 0;
  }

  #fill({ key, name, part, figures, told }, at) {
    let line = this.#lines.get(key);
    if (line === undefined) {
      const button = element(
        "button", { type: "button" }, element("span", { className: "name" }), element("span", { className: "figures" }),
        element("span", { className: "track", "aria-hidden": "true" }, element("span")));
      line = element("li", {}, button);
      this.#lines.set(key, line);
    }
    if (this.#list.children[at] !== line) this.#list.insertBefore(line, this.#list.children[at]);
    const [title, text, track] = line.firstElementChild.children;
    line.firstElementChild.disabled = !this.#tags.has(key);
    setText(title, name);
    setText(text, figures);
    track.firstElementChild.style.width = `${Math.min(100 * part, 100)}%`;
    if (line.title !== told) line.title = told;
    line.dataset.key = key;
  }
}
