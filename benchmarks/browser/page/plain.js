// Observations as plain objects: the form that every codec is checked against. Names as in the .proto files, 64-bit values as BigInt, enums
// as numbers, bytes as Uint8Array; absent fields and empty lists are left out. Read from the wire by code that no codec under test has a
// part in.
import { enums, messages } from "./model.g.js";
import { ROOT, nameOf } from "./shape.js";

const byNumber = Object.fromEntries(
  Object.entries(messages).map(([name, fields]) => [name, new Map(fields.map((field) => [field.number, field]))]),
);
const namesOfEnums = Object.fromEntries(
  Object.entries(enums).map(([name, values]) => [name, new Map(Object.entries(values).map(([text, number]) => [number, text]))]),
);

class Wire {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }

  varint() {
    // Nearly all have up to four bytes, and BigInt is slow.
    let small = 0;
    for (let i = 0; i < 4; i++) {
      const byte = this.bytes[this.at + i];
      small |= (byte & 127) << (7 * i);
      if (byte < 128) {
        this.at += i + 1;
        return small;
      }
    }
    return this.long();
  }

  long() {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new RangeError("the message is cut off");
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
  }

  slice() {
    const length = Number(this.varint());
    this.at += length;
    if (this.at > this.bytes.length) throw new RangeError("the message is cut off");
    return this.bytes.subarray(this.at - length, this.at);
  }

  skip(type) {
    if (type === 0) this.varint();
    else if (type === 1) this.at += 8;
    else if (type === 2) this.slice();
    else if (type === 5) this.at += 4;
    else throw new RangeError(`wire type ${type}`);
  }
}

function value(wire, field) {
  switch (field.kind) {
    case "message":
      return decodePlain(wire.slice(), field.message);
    case "float":
      wire.at += 4;
      return wire.view.getFloat32(wire.at - 4, true);
    case "string":
      return new TextDecoder().decode(wire.slice());
    case "bytes":
      return wire.slice().slice();
    case "bool":
      return Number(wire.varint()) !== 0;
    case "uint64":
      return BigInt(wire.varint());
    case "uint32":
      return Number(BigInt.asUintN(32, BigInt(wire.varint())));
    default:
      return Number(BigInt.asIntN(32, BigInt(wire.varint())));
  }
}

/** Protobuf bytes as a plain object. */
export function decodePlain(bytes, message = ROOT) {
  const wire = new Wire(bytes);
  const plain = {};
  while (wire.at < bytes.length) {
    const tag = Number(wire.varint());
    const field = byNumber[message].get(tag >>> 3);
    if (field === undefined) wire.skip(tag & 7);
    else if (!field.repeated) plain[field.name] = value(wire, field);
    else if ((tag & 7) === 2 && !["message", "string", "bytes"].includes(field.kind)) {
      const packed = new Wire(wire.slice());
      while (packed.at < packed.bytes.length) (plain[field.name] ??= []).push(value(packed, field));
    } else (plain[field.name] ??= []).push(value(wire, field));
  }
  return plain;
}

/** The shortest decimal of a float32, as the double nearest to it: what ProtoJSON writes. */
function shortest(float) {
  if (Number.isInteger(float) || !Number.isFinite(float)) return float;
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(float.toPrecision(digits));
    if (Math.fround(short) === float) return short;
  }
  return Number(float.toPrecision(9));
}

/** A plain object in the shape of a library. */
export function fromPlain(plain, shape, message = ROOT) {
  const to = {};
  for (const field of messages[message]) {
    const from = plain[field.name];
    const name = nameOf(shape, field, message);
    if (from !== undefined && shape.oneofs && field.oneof) to[field.oneof] = { case: name, value: convert(from, field, shape) };
    else if (from !== undefined) to[name] = field.repeated ? from.map((each) => convert(each, field, shape)) : convert(from, field, shape);
    else if (shape.absent === null) to[name] = field.repeated ? [] : null;
  }
  return to;
}

function convert(from, field, shape) {
  switch (field.kind) {
    case "message":
      return fromPlain(from, shape, field.message);
    case "uint64":
      if (shape.uint64 === "string") return String(from);
      return shape.uint64 === "number" || (shape.uint64 === "mixed" && from <= Number.MAX_SAFE_INTEGER) ? Number(from) : from;
    case "enum":
      return shape.enums === "name" ? (namesOfEnums[field.enum].get(from) ?? from) : from;
    case "bytes":
      return shape.bytes === "base64" ? from.toBase64() : (shape.makeBytes?.(from) ?? from);
    case "float":
      return shape.floats === "json" ? (Number.isFinite(from) ? shortest(from) : String(from)) : from;
    default:
      return from;
  }
}

/** What a library decoded, as a plain object. */
export function toPlain(from, shape, message = ROOT) {
  const plain = {};
  for (const field of messages[message]) {
    const name = nameOf(shape, field, message);
    const value = read(from, name, field, shape);
    if (value == null || ((field.repeated || field.kind === "bytes") && value.length === 0 && shape.presence === false)) continue;
    if (field.repeated && value.length === 0) continue;
    plain[field.name] = field.repeated ? Array.from(value, (each) => revert(each, field, shape)) : revert(value, field, shape);
  }
  return plain;
}

function read(from, name, field, shape) {
  if (shape.oneofs && field.oneof) return from[field.oneof].case === name ? from[field.oneof].value : undefined;
  return shape.own && !Object.hasOwn(from, name) ? undefined : from[name];
}

function revert(value, field, shape) {
  switch (field.kind) {
    case "message":
      return toPlain(value, shape, field.message);
    case "uint64":
      return BigInt.asUintN(64, BigInt(typeof value === "object" ? value.toString() : value));
    case "enum":
      return typeof value === "string" ? enums[field.enum][value] : value;
    case "bytes":
      return typeof value === "string" ? Uint8Array.fromBase64(value) : Uint8Array.from(value);
    case "float":
      return Math.fround(value);
    default:
      return value;
  }
}

/** Where two plain objects differ first, as a path; undefined if they are equal. NaN equals NaN; 0 is not -0. */
export function difference(a, b, presence = true, message = ROOT, path = "") {
  for (const field of messages[message]) {
    const at = `${path}.${field.name}`;
    let [x, y] = [a[field.name], b[field.name]];
    if (!presence) [x, y] = [orDefault(x, field), orDefault(y, field)];
    if (x === undefined && y === undefined) continue;
    if (x === undefined || y === undefined) return `${at}: ${show(x)}, not ${show(y)}`;
    if (!field.repeated) [x, y] = [[x], [y]];
    if (x.length !== y.length) return `${at}: ${x.length} items, not ${y.length}`;
    for (let i = 0; i < x.length; i++) {
      const where = field.repeated ? `${at}[${i}]` : at;
      const found = field.kind === "message" ? difference(x[i], y[i], presence, field.message, where) : same(x[i], y[i], field, where);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function orDefault(value, field) {
  if (field.repeated || field.kind === "message" || value === undefined) return value;
  const zero = { bool: false, uint64: 0n, string: "" }[field.kind] ?? field.default ?? 0;
  return Object.is(value, zero) || Object.is(value, 0) || (field.kind === "bytes" && value.length === 0) ? undefined : value;
}

function same(x, y, field, path) {
  const equal = field.kind === "bytes" ? x.length === y.length && x.every((byte, i) => byte === y[i]) : Object.is(x, y);
  return equal ? undefined : `${path}: ${show(x)}, not ${show(y)}`;
}

const show = (value) => (Object.is(value, -0) ? "-0" : String(value).slice(0, 60));
