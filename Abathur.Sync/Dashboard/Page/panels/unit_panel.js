// Everything about the chosen unit, as long as it lives; of several chosen ones the sums.

import { element, press, setPairs, setText } from "../common/page.js";
import { number, unitFields } from "./unit_fields.js";
import { UnitGroup } from "./unit_group.js";

const HIDDEN_NAMES = ["unit_type"];

export class UnitPanel {
  names;
  #root;
  #world;
  #tag;
  #wasThere = false;
  #goneSince;
  #parts;
  #group;
  #on;

  /** @param on { follow(isOn), clear(), show() } what the buttons do */
  constructor(root, world, names, on) {
    [this.#root, this.#world, this.names, this.#on] = [root, world, names, on];
    this.#showNothing();
  }

  get tag() {
    return this.#tag;
  }

  /** Shows another unit; undefined: none. */
  choose(tag) {
    this.#tag = tag;
    this.#group = undefined;
    [this.#wasThere, this.#goneSince] = [false, undefined];
    if (tag === undefined) this.#showNothing();
    else {
      this.#build();
      this.update();
    }
  }

  /** Shows several units. */
  chooseMany(tags) {
    this.#tag = undefined;
    this.#parts = undefined;
    this.#group = new UnitGroup(this.#root, this.#world, tags, this.#on);
    this.update();
  }

  /** Shows whether the map follows the unit. */
  set follows(isOn) {
    if (this.#parts) press(this.#parts.follow, isOn);
    if (this.#parts) setText(this.#parts.follow, isOn ? "Following" : "Follow");
  }

  /** Updates the panel from the newest frame. */
  update() {
    this.#group?.update(this.names);
    if (this.#tag === undefined) return;
    const row = this.#world.rowOf(this.#tag);
    const { gone, name, place, bar, fields, lists, follow } = this.#parts;
    gone.hidden = row !== undefined;
    follow.disabled = row === undefined;
    if (row === undefined) {
      if (this.#wasThere) this.#goneSince = this.#world.gameLoop;
      this.#wasThere = false;
      setText(gone, this.#goneSince <= this.#world.gameLoop ? `Gone since game loop ${this.#goneSince}` : "Not in this frame");
      return;
    }
    this.#wasThere = true;
    const { units } = this.#world;
    setText(name, this.names.unit(units.unit_type[row]));
    setText(place, `${number(units.x[row])}, ${number(units.y[row])}`);
    bar.style.width = `${units.health_max[row] > 0 ? Math.min((100 * units.health[row]) / units.health_max[row], 100) : 0}%`;
    const found = unitFields(this.#world.decoder, row);
    setPairs(
      fields,
      [
        ["unit_type", `${this.names.unit(units.unit_type[row])} · ${this.names.internalUnit(units.unit_type[row])}`],
        ...found.fields.filter(([each]) => !HIDDEN_NAMES.includes(each)),
      ]);
    this.#showList(lists.orders, found.orders.map((each) => this.#order(each)));
    this.#showList(lists.buffs, found.buffs.map((each) => this.names.buff(each.buff_id)));
    this.#showList(
      lists.passengers,
      found.passengers.map((each) => `${this.names.unit(each.unit_type)}, health ${number(each.health)} of ${number(each.health_max)}`));
    this.#showList(
      lists.rally, found.rally_targets.map((each) => `${number(each.x)}, ${number(each.y)}${each.tag ? ` (${each.tag})` : ""}`));
  }

  #order({ ability_id, target_unit_tag, x, y, progress }) {
    const row = target_unit_tag ? this.#world.rowOf(target_unit_tag) : undefined;
    let target = "";
    if (row !== undefined) target = ` → ${this.names.unit(this.#world.units.unit_type[row])}`;
    else if (target_unit_tag) target = ` → ${target_unit_tag}`;
    else if (x || y) target = ` → ${number(x)}, ${number(y)}`;
    return `${this.names.ability(ability_id)}${target}${progress > 0 ? `, ${Math.round(progress * 100)} %` : ""}`;
  }

  #showList(part, lines) {
    part.hidden = lines.length === 0;
    const [title, list] = part.children;
    setText(title, `${part.dataset.title} (${lines.length})`);
    while (list.children.length > lines.length) list.lastElementChild.remove();
    while (list.children.length < lines.length) list.append(element("li"));
    lines.forEach((line, at) => setText(list.children[at], line));
  }

  #showNothing() {
    this.#parts = undefined;
    this.#root.replaceChildren(element("p", { className: "quiet" }, "Click a unit on the map, or choose one from the list."));
  }

  #build() {
    const part = (title) => element("section", { hidden: true, "data-title": title }, element("h3"), element("ul", { className: "files" }));
    const follow = element("button", { type: "button", "aria-pressed": "false" }, "Follow");
    const clear = element("button", { type: "button" }, "Close");
    follow.addEventListener("click", () => this.#on.follow(follow.getAttribute("aria-pressed") !== "true"));
    clear.addEventListener("click", () => this.#on.clear());
    this.#parts = {
      name: element("strong"), place: element("span", { className: "quiet" }), bar: element("span"),
      fields: element("dl", { className: "fields" }), follow,
      gone: element("p", { className: "gone", role: "status", hidden: true }),
      lists: { orders: part("Orders"), buffs: part("Buffs"), passengers: part("Passengers"), rally: part("Rally targets") },
    };
    const { name, place, bar, fields, gone, lists } = this.#parts;
    this.#root.replaceChildren(
      element("div", { className: "unit-head" }, name, place), element("div", { className: "health", "aria-hidden": "true" }, bar), gone,
      element("div", { className: "unit-tools" }, follow, clear), lists.orders, lists.buffs, lists.passengers, lists.rally, fields,
    );
  }
}
