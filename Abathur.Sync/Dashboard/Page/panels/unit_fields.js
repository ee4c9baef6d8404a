// All that a frame says of one unit, in the order in which people look for it.

import { TABLES } from "../common/columns.js";

const ALLIANCES = ["", "own", "ally", "neutral", "enemy"];
const DISPLAYS = ["", "visible", "snapshot", "hidden", "placeholder"];
const CLOAKS = ["unknown", "cloaked", "cloaked, detected", "not cloaked", "cloaked ally"];
const COUNTS = { orders: 45, buffs: 46, passengers: 47, rally_targets: 48 };
const LISTS = Object.keys(COUNTS);
const FLAGS = new Set(
  ["is_selected", "is_on_screen", "is_blip", "is_powered", "is_active", "is_flying", "is_burrowed", "is_hallucination"]);

/**
 * Fields of the unit in a row, as { fields: [name, text][], orders, buffs, passengers, rally_targets: {column: value}[] }: only what it
 * has. Names are those of the protocol; the position is x, y and z.
 */
export function unitFields(decoder, row) {
  const table = decoder.units;
  const fields = [];
  for (const name of TABLES[0].columns.filter(Boolean)) {
    if (!table.has(name)[row]) continue;
    fields.push([name, describe(name, table.column(name)[row])]);
  }
  const found = { fields };
  LISTS.forEach((list, at) => (found[list] = entries(decoder, decoder.tables[at + 1], COUNTS[list], row)));
  return found;
}

function entries(decoder, table, count, row) {
  const counts = decoder.units.cells[count];
  let first = 0;
  for (let each = 0; each < row; each++) first += counts[each];
  const names = table.schema.columns.filter(Boolean);
  const columns = names.map((name) => table.column(name));
  return Array.from({ length: counts[row] }, (_, at) => Object.fromEntries(names.map((name, i) => [name, columns[i][first + at]])));
}

function describe(name, value) {
  if (name === "alliance") return ALLIANCES[value] ?? String(value);
  if (name === "display_type") return DISPLAYS[value] ?? String(value);
  if (name === "cloak") return CLOAKS[value] ?? String(value);
  if (FLAGS.has(name)) return value ? "yes" : "no";
  return number(value);
}

/** Whole numbers as they are, others to three decimals. */
export function number(value) {
  return Number.isInteger(value) || typeof value === "bigint" ? String(value) : String(Number(value.toFixed(3)));
}
