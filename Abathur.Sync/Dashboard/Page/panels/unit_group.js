// Several chosen units: how many of each type, their health, what they do. The calculation is pure: tested in Node.

import { element, setPairs, setText } from "../common/page.js";

const MOST_ORDERS = 12;

/**
 * Of the units in rows: { types: [type, count][], health, healthMax, shield, shieldMax, orders: [key, count][] }, most first.
 * @param {(row: number) => string} orderOf what a unit does first, as text; "" if nothing
 */
export function summary(units, rows, orderOf) {
  const [types, orders] = [new Map(), new Map()];
  const sum = { health: 0, healthMax: 0, shield: 0, shieldMax: 0 };
  for (const row of rows) {
    add(types, units.unit_type[row]);
    add(orders, orderOf(row));
    sum.health += units.health[row];
    sum.healthMax += units.health_max[row];
    sum.shield += units.shield[row];
    sum.shieldMax += units.shield_max[row];
  }
  return { types: mostFirst(types), orders: mostFirst(orders), ...sum };
}

function add(counts, key) {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function mostFirst(counts) {
  return [...counts].sort((a, b) => b[1] - a[1]);
}

export class UnitGroup {
  #world;
  #tags;
  #parts;

  /** @param on { clear() } what the button does */
  constructor(root, world, tags, on) {
    [this.#world, this.#tags] = [world, [...tags]];
    const clear = element("button", { type: "button" }, "Close");
    clear.addEventListener("click", () => on.clear());
    this.#parts = {
      name: element("strong"), bar: element("span"), types: element("dl", { className: "fields" }),
      sums: element("dl", { className: "fields" }), orders: element("dl", { className: "fields" }),
    };
    const { name, bar, types, sums, orders } = this.#parts;
    root.replaceChildren(
      element("div", { className: "unit-head" }, name), element("div", { className: "health", "aria-hidden": "true" }, bar),
      element("div", { className: "unit-tools" }, clear), types, element("h3", {}, "Together"), sums, element("h3", {}, "Orders"), orders);
  }

  /** Updates it from the newest frame. */
  update(names) {
    const world = this.#world;
    const rows = this.#tags.map((tag) => world.rowOf(tag)).filter((row) => row !== undefined);
    const { types, orders, health, healthMax, shield, shieldMax } =
      summary(world.units, rows, (row) => orderText(world, names, world.orders.of(row)[0]));
    const gone = this.#tags.length - rows.length;
    setText(this.#parts.name, `${rows.length} units${gone > 0 ? `, ${gone} gone` : ""}`);
    this.#parts.bar.style.width = `${healthMax > 0 ? Math.min((100 * health) / healthMax, 100) : 0}%`;
    setPairs(this.#parts.types, types.map(([type, count]) => [names.unit(type), count]));
    const sums = [["Health", `${Math.round(health)} / ${Math.round(healthMax)}`]];
    if (shieldMax > 0) sums.push(["Shield", `${Math.round(shield)} / ${Math.round(shieldMax)}`]);
    setPairs(this.#parts.sums, sums);
    const shown = orders.slice(0, MOST_ORDERS).map(([text, count]) => [text || "none", count]);
    const others = orders.slice(MOST_ORDERS).reduce((sum, [, count]) => sum + count, 0);
    setPairs(this.#parts.orders, others > 0 ? [...shown, ["others", others]] : shown);
  }
}

/** An order with what it aims at, as text; "" for undefined. All places have one text: units that go together go beside each other. */
export function orderText(world, names, order) {
  if (order === undefined) return "";
  const { ability, target, x, y } = order;
  const row = target ? world.rowOf(target) : undefined;
  const name = names.ability(ability);
  if (row !== undefined) return `${name} → ${names.unit(world.units.unit_type[row])}`;
  return x || y ? `${name} → place` : name;
}
