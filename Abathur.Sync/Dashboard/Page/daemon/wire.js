// A small protobuf reader and writer that goes by tables (messages.js): what a table does not name is skipped.

const [VARINT, FIXED64, BYTES, FIXED32] = [0, 1, 2, 5];
const WIRE_TYPES = { uint: VARINT, int: VARINT, tag: VARINT, bool: VARINT, double: FIXED64, float: FIXED32, string: BYTES, bytes: BYTES };
/** Repeated numbers in one field, and what each of them is. */
const PACKED = { uints: "uint", floats: "float", doubles: "double" };
const text = new TextDecoder();

/** Bytes that are not a valid message; the error message says why. */
export class WireError extends Error {}

/**
 * Reads a message. Absent fields are not set, absent repeated fields are empty; of several occurrences of a field the last counts, those of
 * a message are merged.
 *
 * A table has for each number [name, type]: uint and int (a Number, which is exact to 2^53), tag (a BigInt of 64 bits), bool, float,
 * double, string, bytes (a view, not a copy), uints, floats and doubles (repeated numbers, packed), or another table. A name that ends in
 * [] is repeated.
 */
export function read(table, bytes) {
  return new Reader(bytes).message(table, bytes.length);
}

/** Writes a message of the fields that are set, by the same tables. */
export function write(table, fields) {
  const out = [];
  writeFields(out, table, fields);
  return Uint8Array.from(out);
}

class Reader {
  #bytes;
  #view;
  #at = 0;
  #low = 0;
  #high = 0;

  constructor(bytes) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  message(table, end, found = {}) {
    for (const [name] of repeatedOf(table)) found[name] ??= [];
    while (this.#at < end) {
      this.#varint(end);
      const [number, wireType] = [this.#low >>> 3, this.#low & 7];
      const field = table[number];
      if (field === undefined || wireType !== wireTypeOf(field[1])) {
        this.#skip(wireType, end);
        continue;
      }
      const value = this.#value(field[1], end, found[field[0]]);
      if (field[0].endsWith("[]")) found[field[0].slice(0, -2)].push(value);
      else found[field[0]] = value;
    }
    return found;
  }

  #value(type, end, before) {
    switch (type) {
      case "uint":
        this.#varint(end);
        return this.#high * 2 ** 32 + this.#low;
      case "int":
        this.#varint(end);
        return (this.#high | 0) * 2 ** 32 + this.#low;
      case "tag":
        this.#varint(end);
        return (BigInt(this.#high) << 32n) | BigInt(this.#low);
      case "bool":
        this.#varint(end);
        return this.#low !== 0 || this.#high !== 0;
      case "float":
        return this.#view.getFloat32(this.#take(4, end), true);
      case "double":
        return this.#view.getFloat64(this.#take(8, end), true);
      default: {
        const size = this.#length(end);
        const from = this.#take(size, end);
        if (type === "string") return text.decode(this.#bytes.subarray(from, from + size));
        if (type === "bytes") return this.#bytes.subarray(from, from + size);
        this.#at = from;
        if (PACKED[type] !== undefined) return this.#packed(PACKED[type], from + size, before ?? []);
        return this.message(type, from + size, before);
      }
    }
  }

  #packed(type, end, found) {
    while (this.#at < end) found.push(this.#value(type, end));
    return found;
  }

  #length(end) {
    this.#varint(end);
    return this.#high * 2 ** 32 + this.#low;
  }

  #take(size, end) {
    if (size > end - this.#at) throw new WireError(`cut off (${size - (end - this.#at)} bytes are missing)`);
    this.#at += size;
    return this.#at - size;
  }

  /** Into #low and #high: numbers have 53 bits here, and varints 64. */
  #varint(end) {
    let [low, high] = [0, 0];
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes[this.#take(1, end)];
      const bits = byte & 127;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) [low, high] = [low | (bits << 28), bits >>> 4];
      else if (shift < 63) high |= bits << (shift - 32);
      else high |= (bits & 1) << 31;
      if (byte < 128) {
        this.#low = low >>> 0;
        this.#high = high >>> 0;
        return;
      }
    }
    throw new WireError("a number of more than ten bytes");
  }

  #skip(wireType, end) {
    if (wireType === VARINT) this.#varint(end);
    else if (wireType === FIXED64) this.#take(8, end);
    else if (wireType === FIXED32) this.#take(4, end);
    else if (wireType === BYTES) this.#take(this.#length(end), end);
    else throw new WireError(`wire type ${wireType} is not known here`);
  }
}

const repeated = new WeakMap();

function repeatedOf(table) {
  let names = repeated.get(table);
  if (names === undefined) {
    names = Object.values(table).filter(([name]) => name.endsWith("[]")).map(([name]) => [name.slice(0, -2)]);
    repeated.set(table, names);
  }
  return names;
}

function wireTypeOf(type) {
  return typeof type === "string" ? WIRE_TYPES[type] ?? BYTES : BYTES;
}

function writeFields(out, table, fields) {
  for (const [number, [name, type]] of Object.entries(table)) {
    const value = fields[name];
    if (value === undefined) continue;
    writeVarint(out, number * 8 + wireTypeOf(type));
    writeValue(out, type, value);
  }
}

function writeValue(out, type, value) {
  if (type === "bool") writeVarint(out, value ? 1 : 0);
  else if (wireTypeOf(type) === VARINT) writeVarint(out, value);
  else if (type === "double") out.push(...new Uint8Array(new Float64Array([value]).buffer));
  else {
    const inner = type === "string" ? new TextEncoder().encode(value) : write(type, value);
    writeVarint(out, inner.length);
    out.push(...inner);
  }
}

function writeVarint(out, value) {
  let left = BigInt(value);
  for (; left > 127n; left >>= 7n) out.push(Number(left & 127n) | 128);
  out.push(Number(left));
}
