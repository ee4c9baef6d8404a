// Reads the columns encoding (docs/columns.md) in a browser or in Node: `new ColumnsDecoder().decode(bytes)`, frame after frame.
// Cells are doubles, which hold every value but the 64-bit tags; those are BigInt.

const VERSION = 1;
const SECTIONS = 10;
const LONG_COUNT = 255;
const MAX_ROWS = 262_144;
const [GRID, ANGLE, BITS] = [0, 1, 2];
const BASE = 4.71238898038469;
const [SPEED, FACING, KINDS] = [2, 10, 44];
const MAX_ANGLE = 32_767;
const MAX_SPEED = 1 << 20;

/** The tables: names of the columns ("" where one is no field), how many are predicted, which are floats and which tags. */
export const TABLES = [
  {
    columns: [
      "x", "y", "", "z", "buff_duration_remain", "build_progress", "health", "shield", "energy", "weapon_cooldown", "facing",
      "radius", "detect_range", "radar_range", "health_max", "shield_max", "energy_max", "display_type", "alliance", "unit_type",
      "owner", "cloak", "is_selected", "is_on_screen", "is_blip", "is_powered", "is_active", "attack_upgrade_level",
      "armor_upgrade_level", "shield_upgrade_level", "mineral_contents", "vespene_contents", "is_flying", "is_burrowed",
      "is_hallucination", "cargo_space_taken", "cargo_space_max", "assigned_harvesters", "ideal_harvesters",
      "buff_duration_max", "tag", "add_on_tag", "engaged_target_tag", "", "", "", "", "", "",
    ],
    predicted: 10, kinds: KINDS, has: 43, floats: [0, 1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16], tags: [40, 41, 42],
  },
  { columns: ["progress", "x", "y", "z", "ability_id", "target_unit_tag", "", ""], predicted: 1, kinds: 7, has: 6, floats: [0, 1, 2, 3],
    tags: [5], count: 45 },
  { columns: ["buff_id"], predicted: 0, floats: [], tags: [], count: 46 },
  {
    columns: ["health", "health_max", "shield", "shield_max", "energy", "energy_max", "unit_type", "tag", "", ""],
    predicted: 0, kinds: 9, has: 8, floats: [0, 1, 2, 3, 4, 5], tags: [7], count: 47,
  },
  { columns: ["x", "y", "z", "tag", "", ""], predicted: 0, kinds: 5, has: 4, floats: [0, 1, 2], tags: [3], count: 48 },
];

/** A payload that cannot be read; the message says why. */
export class ColumnsError extends Error {}

/** One table: an array of cells a column (Float64Array, BigInt64Array for tags), and what predicted cells change by. */
class Table {
  constructor(schema, rows) {
    this.schema = schema;
    this.rows = rows;
    this.cells = schema.columns.map((_, column) => (schema.tags.includes(column) ? new BigInt64Array(rows) : new Float64Array(rows)));
    this.velocity = Array.from({ length: schema.predicted }, () => new Float64Array(rows));
  }

  /** A column by its name: Float32Array of floats, BigUint64Array of tags, else the cells. A new array each time. */
  column(name) {
    const at = this.schema.columns.indexOf(name);
    if (at < 0 || name === "") throw new RangeError(`no column ${name}; there are ${this.schema.columns.filter(Boolean).join(", ")}`);
    if (this.schema.tags.includes(at)) return new BigUint64Array(this.cells[at].buffer.slice(0));
    return this.schema.floats.includes(at) ? this.#floats(at) : this.cells[at].slice();
  }

  /** Which rows have a field: Uint8Array of 0 and 1. */
  has(name) {
    const at = this.schema.columns.indexOf(name);
    const has = this.cells[this.schema.has];
    return Uint8Array.from({ length: this.rows }, (_, row) => bits(has[row], at, 1));
  }

  #floats(at) {
    const values = new Float32Array(this.rows);
    const raw = new Int32Array(values.buffer);
    const cells = this.cells[at];
    const kinds = this.cells[this.schema.kinds];
    for (let row = 0; row < this.rows; row++) {
      const kind = bits(kinds[row], 2 * at, 2);
      if (kind & BITS) raw[row] = cells[row];
      else values[row] = kind === ANGLE ? BASE + cells[row] / 4096 : cells[row] / 4096;
    }
    return values;
  }
}

/** Reads the frames of one stream, in order. */
export class ColumnsDecoder {
  #ready = false;
  #heads = new Uint8Array(0);

  constructor() {
    this.#reset();
  }

  /** Applies a payload (Uint8Array); returns this decoder, whose fields are the observation until the next call. */
  decode(payload) {
    const reader = new Reader(payload);
    const version = reader.uint(1);
    if (version !== VERSION) throw new ColumnsError(`version ${version} is not known here; ${VERSION} is`);
    const flags = reader.uint(1);
    if (flags > 1) throw new ColumnsError(`flags ${flags} are not known here`);
    const isKeyframe = flags === 1;
    if (!isKeyframe && !this.#ready) throw new ColumnsError("a frame that needs the one before it, which is not there");
    this.#ready = false;
    if (isKeyframe) this.#reset();
    const sections = reader.uint(2);
    if (sections >> SECTIONS) throw new ColumnsError(`sections ${sections} are not known here`);
    const before = TABLES.map((schema) => (schema.count === undefined ? undefined : this.units.cells[schema.count].slice()));
    const stays = this.#applyUnits(reader, sections);
    for (let at = 1; at < TABLES.length; at++) {
      this.tables[at] = this.#applyList(sections & (2 << at) ? reader : undefined, this.tables[at], before[at], stays);
    }
    ["visibility", "creep", "rest", "extras"].forEach((name, at) => {
      if (sections & (1 << (6 + at))) this[name] = applyBlob(reader, this[name]);
    });
    if (reader.left > 0) throw new ColumnsError(`${reader.left} bytes follow the last section`);
    this.#ready = true;
    return this;
  }

  /** The units' table. Rows that are no unit have 0 in `used`. */
  get units() {
    return this.tables[0];
  }

  #reset() {
    this.tables = TABLES.map((schema) => new Table(schema, 0));
    this.used = new Uint8Array(0);
    this.#heads = new Uint8Array(0);
    this.visibility = this.creep = this.rest = this.extras = undefined;
  }

  #applyUnits(reader, sections) {
    let added = [];
    let columns = [];
    let values;
    const schema = TABLES[0];
    if (sections & 1) {
      const [rows, free, size] = [reader.uint(2), reader.count(), reader.count()];
      if (free > this.used.length || size > rows) throw new ColumnsError("impossible numbers of units");
      const gone = reader.gaps(free, this.used.length);
      added = reader.gaps(size, rows);
      if (size) {
        columns = reader.columns(schema.columns.length);
        values = reader.planes(columns, columns.map(() => size));
      }
      this.#resize(rows, gone);
    }
    const { units } = this;
    const stays = this.used.slice();
    const velocity = units.velocity;
    const before = units.cells.slice(0, schema.predicted).map((cells) => cells.slice());
    predict(units);
    if (sections & 2) reader.changes(units);
    this.#walk(before, velocity);
    added.forEach((row, at) => {
      this.used[row] = this.#heads[row] = 1;
      for (const each of units.velocity) each[row] = 0;
      for (const cells of units.cells) cells[row] = cells instanceof BigInt64Array ? 0n : 0;
      columns.forEach(({ column }, i) => {
        const cells = units.cells[column];
        const value = i * added.length + at;
        cells[row] = cells instanceof BigInt64Array ? values.tag(value) : values.number(value);
      });
    });
    return stays;
  }

  #resize(rows, gone) {
    if (rows !== this.used.length) {
      const old = this.units;
      const table = new Table(TABLES[0], rows);
      const kept = Math.min(rows, old.rows);
      table.cells.forEach((cells, column) => cells.set(old.cells[column].subarray(0, kept)));
      table.velocity.forEach((each, column) => each.set(old.velocity[column].subarray(0, kept)));
      this.tables[0] = table;
      this.used = resized(this.used, rows);
      this.#heads = resized(this.#heads, rows);
    }
    for (const row of gone) {
      if (row >= rows) continue;
      this.used[row] = this.#heads[row] = 0;
      for (const cells of this.units.cells) cells[row] = cells instanceof BigInt64Array ? 0n : 0;
      for (const each of this.units.velocity) each[row] = 0;
    }
  }

  /** Corrects the places of units that walk where they face, and sets speeds and velocities. */
  #walk(before, velocity) {
    const { cells, rows } = this.units;
    const [x, y, speed] = cells;
    const next = velocity.map((_, column) => new Float64Array(rows));
    for (let row = 0; row < rows; row++) {
      if (this.#heads[row] && (speed[row] || velocity[0][row] || velocity[1][row])) {
        const step = this.#step(row, speed[row]);
        if (step) {
          x[row] += step[0] - velocity[0][row];
          y[row] += step[1] - velocity[1][row];
        }
      }
      const dx = x[row] - before[0][row];
      const dy = y[row] - before[1][row];
      speed[row] = 0;
      if (dx || dy) {
        speed[row] = Math.min(Math.floor(Math.sqrt(dx * dx + dy * dy) + 0.5), MAX_SPEED);
        const step = this.#step(row, speed[row]);
        this.#heads[row] = step && Math.abs(dx - step[0]) <= 1 && Math.abs(dy - step[1]) <= 1 ? 1 : 0;
      }
      next.forEach((each, column) => (each[row] = cells[column][row] - before[column][row]));
    }
    this.units.velocity = next;
  }

  #step(row, speed) {
    const facing = this.units.cells[FACING][row];
    const kind = bits(this.units.cells[KINDS][row], 2 * FACING, 2);
    if (kind > ANGLE || Math.abs(facing) > MAX_ANGLE || speed < 0 || speed >= MAX_SPEED) return undefined;
    const { cosine, sine } = directions();
    const at = Math.abs(facing);
    const [c, s] = [cosine[at], facing < 0 ? -sine[at] : sine[at]];
    return [scaled(speed, kind === GRID ? c : s), scaled(speed, kind === GRID ? s : -c)];
  }

  #applyList(reader, table, before, stays) {
    const { schema } = table;
    const counts = this.units.cells[schema.count];
    let carried;
    if (before.length !== counts.length || counts.some((each, row) => each !== before[row] || stays[row] !== this.used[row])) {
      [table, carried] = rearranged(table, before, counts, stays);
    }
    const old = table.cells.slice(0, schema.predicted).map((cells) => cells.slice());
    predict(table);
    if (reader) reader.changes(table);
    table.velocity = old.map((cells, column) => cells.map((each, row) => (carried && !carried[row] ? 0 : table.cells[column][row] - each)));
    return table;
  }
}

function resized(flags, rows) {
  const made = new Uint8Array(rows);
  made.set(flags.subarray(0, rows));
  return made;
}

function predict(table) {
  table.velocity.forEach((each, column) => {
    const cells = table.cells[column];
    for (let row = 0; row < table.rows; row++) cells[row] += each[row];
  });
}

function rearranged(table, before, counts, stays) {
  let rows = 0;
  for (const each of counts) {
    if (!(each >= 0 && (rows += each) <= MAX_ROWS)) throw new ColumnsError("a unit has an impossible number of entries");
  }
  const made = new Table(table.schema, rows);
  const carried = new Uint8Array(rows);
  const starts = new Float64Array(before.length + 1);
  before.forEach((each, row) => (starts[row + 1] = starts[row] + each));
  let at = 0;
  counts.forEach((each, row) => {
    const kept = stays[row] ? Math.min(each, before[row] ?? 0) : 0;
    for (let place = 0; place < each; place++, at++) {
      if (place >= kept) continue;
      carried[at] = 1;
      const from = starts[row] + place;
      made.cells.forEach((cells, column) => (cells[at] = table.cells[column][from]));
      made.velocity.forEach((velocity, column) => (velocity[at] = table.velocity[column][from]));
    }
  });
  return [made, carried];
}

function applyBlob(reader, last) {
  const mode = reader.uint(1);
  if (mode === 0) return undefined;
  if (mode === 1) return reader.take(reader.uint(4)).slice();
  if (mode !== 2) throw new ColumnsError(`a blob of kind ${mode}`);
  const size = reader.count();
  const patched = last ? last.slice() : new Uint8Array(0);
  if (size > reader.left) throw new ColumnsError("cut off");
  const where = reader.gaps(size, patched.length);
  const values = reader.take(size);
  where.forEach((position, at) => (patched[position] ^= values[at]));
  return patched;
}

/** Bits of a number that may have more than 32. */
function bits(number, shift, width) {
  return Math.floor(number / 2 ** shift) % 2 ** width;
}

function scaled(speed, direction) {
  return Math.floor((speed * direction + 2 ** 19) / 2 ** 20);
}

let trigonometry;

function directions() {
  if (trigonometry) return trigonometry;
  const [cosine, sine] = [new Float64Array(MAX_ANGLE + 1), new Float64Array(MAX_ANGLE + 1)];
  for (let k = 0; k <= MAX_ANGLE; k++) {
    const t = k / 4096;
    const u = -(t * t);
    let [c, cTerm, s, sTerm] = [1, 1, t, t];
    for (let n = 1; n <= 24; n++) {
      cTerm = (cTerm * u) / ((2 * n - 1) * (2 * n));
      c = c + cTerm;
      sTerm = (sTerm * u) / (2 * n * (2 * n + 1));
      s = s + sTerm;
    }
    cosine[k] = Math.floor(2 ** 20 * c + 0.5);
    sine[k] = Math.floor(2 ** 20 * s + 0.5);
  }
  return (trigonometry = { cosine, sine });
}

/** Zigzag values of up to 64 bits, in two halves. */
class Values {
  constructor(size) {
    this.low = new Uint32Array(size);
    this.high = new Uint32Array(size);
  }

  number(at) {
    const value = this.high[at] * 2 ** 32 + this.low[at];
    return this.low[at] & 1 ? -(value + 1) / 2 : value / 2;
  }

  tag(at) {
    const value = (BigInt(this.high[at]) << 32n) | BigInt(this.low[at]);
    return value & 1n ? -((value + 1n) / 2n) : value / 2n;
  }
}

class Reader {
  #bytes;
  #position = 0;

  constructor(bytes) {
    this.#bytes = bytes;
  }

  get left() {
    return this.#bytes.length - this.#position;
  }

  take(size) {
    if (size > this.left) throw new ColumnsError(`cut off (${size - this.left} bytes are missing)`);
    this.#position += size;
    return this.#bytes.subarray(this.#position - size, this.#position);
  }

  uint(size) {
    return this.take(size).reduceRight((value, byte) => value * 256 + byte, 0);
  }

  /** A number of things. */
  count() {
    const count = this.uint(1);
    return count === LONG_COUNT ? this.uint(4) : count;
  }

  /** Which columns follow, of so many, and the width of their values. */
  columns(most) {
    const columns = Array.from(this.take(this.uint(1)), (byte) => ({ column: byte & 63, width: 1 << (byte >> 6) }));
    if (columns.some(({ column }, at) => column >= most || column <= columns[at - 1]?.column)) throw new ColumnsError("no such columns");
    return columns;
  }

  /** The values of columns of which each has a number of values. */
  planes(columns, counts) {
    const size = counts.reduce((sum, each) => sum + each, 0);
    if (size > this.left) throw new ColumnsError("cut off");
    const values = new Values(size);
    for (let plane = 0; plane < 8; plane++) {
      const half = plane < 4 ? values.low : values.high;
      let start = 0;
      columns.forEach(({ width }, column) => {
        if (width > plane) this.take(counts[column]).forEach((byte, i) => (half[start + i] |= byte << (8 * (plane % 4))));
        start += counts[column];
      });
    }
    return values;
  }

  /** Ascending numbers below a limit. */
  gaps(size, limit) {
    const width = this.uint(1);
    if (width > 8) throw new ColumnsError("values of more than 8 bytes");
    if (width * size > this.left) throw new ColumnsError("cut off");
    const places = this.take(width * size);
    const numbers = new Array(size);
    let number = 0;
    for (let i = 0; i < size; i++) {
      for (let plane = width - 1, gap = 0; plane >= 0; plane--) {
        gap = gap * 256 + places[plane * size + i];
        if (plane === 0) number += gap;
      }
      if (number >= limit) throw new ColumnsError("a place that is not there");
      numbers[i] = number;
    }
    return numbers;
  }

  /** Adds changes to the cells of a table. */
  changes(table) {
    const size = this.count();
    if (size > table.rows) throw new ColumnsError("more rows change than there are");
    const changed = this.gaps(size, table.rows);
    const columns = this.columns(table.cells.length);
    const mask = this.take(Math.ceil((columns.length * size) / 8));
    const rows = columns.map((_, column) =>
      changed.filter((_, at) => (mask[(column * size + at) >> 3] >> ((column * size + at) & 7)) & 1),
    );
    const values = this.planes(columns, rows.map((each) => each.length));
    let at = 0;
    columns.forEach(({ column }, i) => {
      const cells = table.cells[column];
      const isTag = cells instanceof BigInt64Array;
      for (const row of rows[i]) {
        cells[row] += isTag ? values.tag(at) : values.number(at);
        at++;
      }
    });
  }
}
