// What the tables of the columns encoding (docs/columns.md) hold: as a plain object, and as a checksum over every cell.
import { TABLES } from "#columns";
import { ResponseObservation, messageShape } from "./codecs/protobufjs_shape.js";
import { messages } from "./model.g.js";
import { decodePlain } from "./plain.js";
import { toucher } from "./shape.js";

const PLACE = ["x", "y", "z"];
// By table: the message that x, y and z are of, the bit of `has` that says whether it is there, and the field of the unit.
const LISTS = [
  { place: "pos", bit: 2 },
  { place: "target_world_space_pos", bit: 8, field: "orders" },
  { field: "buff_ids" },
  { field: "passengers" },
  { place: "point", bit: 6, field: "rally_targets" },
];
const [UNITS, BUFFS] = [0, 2];
// A column whose field is not there holds its default.
const DEFAULTS = { display_type: 1, alliance: 1 };
const BOOLS = new Set(messages.Unit.filter(({ kind }) => kind === "bool").map(({ name }) => name));
const touchRest = toucher(messageShape);
const touchPlain = toucher({ names: "snake" });
const grids = ["visibility", "creep"];

/** Sum of `x` of `pos` of all units. Rows that are no unit, or have no place, hold 0. */
export const scan = (decoder) => decoder.units.column("x").reduce((sum, x) => sum + x, 0);

/** Reads every cell of every column in its own type, the grids, and every field of the message that holds the rest. */
export function touch(decoder) {
  let sum = 0;
  for (const table of decoder.tables) {
    for (const name of table.schema.columns) {
      if (name === "") continue;
      const values = table.column(name);
      if (values instanceof Float32Array) sum = add(sum, new Int32Array(values.buffer));
      else if (values instanceof BigUint64Array) sum = add(sum, new Int32Array(values.buffer));
      else sum = add(sum, values);
    }
  }
  for (const grid of grids) sum = addGrid(sum, decoder[grid]);
  return decoder.rest ? (sum + touchRest(ResponseObservation.decode(decoder.rest))) | 0 : sum;
}

/** The checksum that touch() gives for what this plain object holds. Takes its units and grids out of it. */
export function expectedTouch(plain) {
  let sum = 0;
  const raw = plain.observation?.raw_data;
  for (const unit of raw?.units ?? []) {
    sum = addRow(sum, unit, UNITS);
    for (const [at, { field }] of LISTS.entries()) for (const item of unit[field] ?? []) sum = addRow(sum, item, at);
  }
  for (const grid of grids) sum = addGrid(sum, raw?.map_state?.[grid]?.data);
  return (sum + touchPlain(withoutTables(plain))) | 0;
}

function add(sum, values) {
  for (let i = 0; i < values.length; i++) sum = (sum + values[i]) | 0;
  return sum;
}

const addGrid = (sum, data) => (data ? add((sum + data.length) | 0, data) : sum);

const f32 = new Float32Array(1);
const f32Bits = new Int32Array(f32.buffer);
const u64 = new BigUint64Array(1);
const u64Bits = new Int32Array(u64.buffer);

function addRow(sum, item, at) {
  const { columns, floats, tags } = TABLES[at];
  for (const [column, name] of columns.entries()) {
    if (name === "") continue;
    const value = at === BUFFS ? item : PLACE.includes(name) ? item[LISTS[at].place]?.[name] : item[name];
    if (tags.includes(column)) {
      u64[0] = value ?? 0n;
      sum = add(sum, u64Bits);
    } else if (floats.includes(column)) {
      f32[0] = value ?? 0;
      sum = add(sum, f32Bits);
    } else sum = (sum + Number(value ?? DEFAULTS[name] ?? 0)) | 0;
  }
  return sum;
}

/** A copy of the path to the units and grids, without them. */
function withoutTables(plain) {
  const raw = plain.observation?.raw_data;
  if (raw === undefined) return plain;
  const { units: _, ...others } = raw;
  if (others.map_state) {
    others.map_state = { ...others.map_state };
    for (const grid of grids) {
      if (!others.map_state[grid]) continue;
      const { data: _data, ...image } = others.map_state[grid];
      others.map_state[grid] = image;
    }
  }
  return { ...plain, observation: { ...plain.observation, raw_data: others } };
}

/** The observation as a plain object, its units in the order of their tags. */
export function toPlain(decoder) {
  const plain = decoder.rest ? decodePlain(decoder.rest) : {};
  const raw = () => ((plain.observation ??= {}).raw_data ??= {});
  const [units, ...lists] = decoder.tables.map((table, at) => rows(table, at));
  const starts = lists.map(() => 0);
  const found = [];
  for (const [row, unit] of units.entries()) {
    for (const [list, { field }] of LISTS.slice(1).entries()) {
      const count = decoder.units.cells[TABLES[list + 1].count][row];
      if (count > 0) unit[field] = lists[list].slice(starts[list], starts[list] + count);
      starts[list] += count;
    }
    if (decoder.used[row]) found.push(unit);
  }
  if (found.length > 0) raw().units = [...(raw().units ?? []), ...found];
  for (const grid of grids) if (decoder[grid]) ((raw().map_state ??= {})[grid] ??= {}).data = decoder[grid];
  return inOrder(plain);
}

/** A plain object whose units are in the order of their tags: columns keep no other. */
export function inOrder(plain) {
  plain.observation?.raw_data?.units?.sort((one, other) => (one.tag < other.tag ? -1 : one.tag > other.tag ? 1 : 0));
  return plain;
}

function rows(table, at) {
  const columns = table.schema.columns.map((name) => (name === "" ? undefined : { name, values: table.column(name) }));
  if (at === BUFFS) return [...columns[0].values];
  const { place, bit } = LISTS[at];
  const bits = table.cells[table.schema.has];
  const has = (row, column) => Math.floor(bits[row] / 2 ** column) % 2 === 1;
  return Array.from({ length: table.rows }, (_, row) => {
    const item = place && has(row, bit) ? { [place]: {} } : {};
    columns.forEach((column, number) => {
      if (column === undefined || !has(row, number)) return;
      const value = BOOLS.has(column.name) ? column.values[row] !== 0 : column.values[row];
      if (place && PLACE.includes(column.name)) item[place][column.name] = value;
      else item[column.name] = value;
    });
    return item;
  });
}
