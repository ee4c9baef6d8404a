// What is being made and researched, and the armies: compact bars, each with its figures as text.

import { clock, grouped, LOOPS_PER_SECOND } from "../common/format.js";
import { byId, element, setText } from "../common/page.js";
import { ENEMY, SELF } from "../match/world.js";
import { army, production } from "./production.js";

export class ProductionPanel {
  names;
  #world;
  #making = new Bars(byId("making"), "Nothing is being made.");
  #enemyMaking = new Bars(byId("enemy-making"), "Nothing is seen.");
  #armies = [[SELF, new Bars(byId("own-army"), "No army.")], [ENEMY, new Bars(byId("enemy-army"), "None is seen.")]];

  constructor(world, names) {
    [this.#world, this.names] = [world, names];
  }

  /** Updates it from the newest frame. */
  update() {
    const nameOf = (type) => this.names.unit(type);
    const { facts } = this.names;
    this.#making.show(production(this.#world, facts, SELF, nameOf).map(madeLine));
    this.#enemyMaking.show(production(this.#world, facts, ENEMY, nameOf).map(madeLine));
    const armies = this.#armies.map(([alliance]) => army(this.#world, facts, alliance));
    const most = Math.max(1, ...armies.flat().map(({ value }) => value));
    this.#armies.forEach(([, bars], at) => bars.show(armies[at].map(({ id, count, value }) => ({
      key: String(id), name: nameOf(id), part: value / most, figures: `${count} · ${grouped(value)}`,
      told: `${count} ${nameOf(id)}, worth ${value} minerals and vespene`,
    }))));
  }
}

function madeLine({ kind, id, name, count, queued, progress, seconds }) {
  const percent = Math.floor(100 * progress);
  const left = seconds === undefined ? "" : ` · ${clock(seconds * LOOPS_PER_SECOND)}`;
  const queue = queued > 0 ? ` +${queued}` : "";
  return {
    key: `${kind} ${id}`, name, part: progress, figures: `${count > 0 ? `×${count}` : ""}${queue} · ${percent} %${left}`,
    told: `${name}: ${count} under way, ${queued} queued, ${percent} %${seconds === undefined ? "" : `, ${Math.ceil(seconds)} s left`}`,
  };
}

/** A list of bars. Lines keep their elements while their keys stay. */
class Bars {
  #list;
  #none;
  #lines = new Map();

  constructor(list, none) {
    this.#list = list;
    this.#none = element("li", { className: "quiet" }, none);
    list.append(this.#none);
  }

  /** @param lines { key, name, part (0 to 1), figures, told (all of it in words) }[] */
  show(lines) {
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
      line = element(
        "li", {}, element("span", { className: "name" }), element("span", { className: "figures" }),
        element("span", { className: "track", "aria-hidden": "true" }, element("span")));
      this.#lines.set(key, line);
    }
    if (this.#list.children[at] !== line) this.#list.insertBefore(line, this.#list.children[at]);
    const [title, text, track] = line.children;
    setText(title, name);
    setText(text, figures);
    track.firstElementChild.style.width = `${Math.min(100 * part, 100)}%`;
    if (line.title !== told) line.title = told;
    line.dataset.key = key;
  }
}
