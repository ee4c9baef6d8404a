// What is being made, and what armies are made of, from one frame. Pure: tested in Node.

import { LOOPS_PER_SECOND } from "../common/format.js";
import { SELF } from "../match/world.js";

const KINDS = ["unit", "upgrade", "structure"];
/** Where a structure is to be built: it is not there yet. */
const PLACEHOLDER = 4;

/**
 * What a player's units make: { kind, id, name, count, queued, progress, seconds, tags }[], a line for each thing. `count` is how many are
 * under way, `tags` are of the units that make it or are built, `progress` (0 to 1) and `seconds` of game time left (undefined if unknown)
 * are of the one that is ready first.
 * @param {number} alliance of others only what stands there and is not finished: their orders are not seen
 */
export function production(world, facts, alliance, nameOf) {
  const { units } = world;
  const lines = new Map();
  for (let row = 0; row < units.rows; row++) {
    if (!units.used[row] || units.alliance[row] !== alliance || units.display_type[row] === PLACEHOLDER) continue;
    const type = units.unit_type[row];
    if (units.build_progress[row] < 1) {
      const kind = facts.isStructure(type) || !facts.knows(type) ? "structure" : "unit";
      add(lines, { kind, id: type, name: nameOf(type), loops: facts.loops(type) }, units.tag[row], units.build_progress[row], false);
    } else if (alliance === SELF) addOrders(lines, world, facts, row, nameOf);
  }
  return [...lines.values()].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || a.name.localeCompare(b.name));
}

function addOrders(lines, world, facts, row, nameOf) {
  const type = world.units.unit_type[row];
  const isStill = facts.isStill(type);
  world.orders.of(row).forEach(({ ability, progress }, at) => {
    const product = facts.product(ability, type);
    if (product === undefined) return;
    const isStructure = product.kind === "unit" && facts.isStructure(product.id);
    // Who can walk is on the way to where it builds; the structure there, or the add-on, is a unit of its own.
    if (!isStill && (progress === 0 || isStructure)) return;
    if (isStructure && isAddOn(world, row)) return;
    const kind = isStructure ? "structure" : product.kind;
    const name = product.kind === "upgrade" ? product.name : nameOf(product.id);
    add(lines, { kind, id: product.id, name, loops: product.loops }, world.units.tag[row], progress, at > 0 && progress === 0);
  });
}

/** Whether the add-on of the structure in a row is there and not finished: it is counted as what it is. */
function isAddOn({ units, decoder }, row) {
  const tag = decoder?.units.column("add_on_tag")[row];
  const other = tag ? units.rowOf.get(tag) : undefined;
  return other !== undefined && units.build_progress[other] < 1;
}

function add(lines, { kind, id, name, loops }, tag, progress, isQueued) {
  const key = `${kind} ${id}`;
  if (!lines.has(key)) lines.set(key, { kind, id, name, count: 0, queued: 0, progress: 0, seconds: undefined, tags: [] });
  const line = lines.get(key);
  if (!line.tags.includes(tag)) line.tags.push(tag);
  if (isQueued) {
    line.queued++;
    return;
  }
  line.count++;
  line.progress = Math.max(line.progress, progress);
  if (loops > 0) line.seconds = ((1 - line.progress) * loops) / LOOPS_PER_SECOND;
}

/** The army of a player in this frame: { id, count, value, tags }[] by type, most valuable first; `value` is what all of them cost. */
export function army({ units }, facts, alliance) {
  const tags = new Map();
  for (let row = 0; row < units.rows; row++) {
    const type = units.unit_type[row];
    if (!units.used[row] || units.alliance[row] !== alliance || units.build_progress[row] < 1 || !facts.isArmy(type)) continue;
    if (tags.has(type)) tags.get(type).push(units.tag[row]);
    else tags.set(type, [units.tag[row]]);
  }
  return [...tags]
    .map(([id, of]) => ({ id, count: of.length, value: of.length * facts.value(id), tags: of }))
    .sort((a, b) => b.value - a.value || a.id - b.id);
}
