// How a library shows a decoded message, and the code that reads it. The code is written as text from the message table and compiled for
// each codec by itself: straight-line reads as a program of one library has them, and no call site that has seen another library's objects.
import { enums, messages } from "./model.g.js";

export const ROOT = "ResponseObservation";

/**
 * @typedef {object} Shape
 * @property {"camel" | "snake" | ((field: object, message: string) => string)} names names of the fields
 * @property {"bigint" | "number" | "long" | "string" | "mixed"} [uint64] what a 64-bit value is; "mixed": number where it fits, else bigint
 * @property {"number" | "name"} [enums] enums as numbers or as their names
 * @property {"bytes" | "base64" | "data"} [bytes] Uint8Array or array of numbers, base64 text, or Cap'n Proto's Data
 * @property {"object" | "flatbuffers" | "capnp"} [access] properties, methods with an index, or lists with get()
 * @property {boolean} [oneofs] members of a oneof are { case, value } under the name of the oneof
 * @property {boolean} [own] absent fields read as defaults of the prototype
 * @property {boolean} [presence] false: an absent scalar cannot be told from its default
 * @property {null} [absent] null: absent fields have to be written out, as null or an empty list
 */

export const camel = (name) => name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
export const nameOf = (shape, field, message) =>
  typeof shape.names === "function" ? shape.names(field, message) : shape.names === "camel" ? camel(field.name) : field.name;
const upper = (name) => name[0].toUpperCase() + name.slice(1);

/** What a shape's access looks like as text; `m` is the message. */
function access(shape, field, message) {
  const name = nameOf(shape, field, message);
  const style = shape.access ?? "object";
  const isList = field.repeated || field.kind === "bytes";
  if (style === "flatbuffers") {
    if (field.kind === "bytes") return { value: `m.${name}Array()` };
    return isList ? { list: "m", length: `m.${name}Length()`, item: `m.${name}(i)` } : { value: `m.${name}()` };
  }
  if (style === "capnp") {
    const has = `m._has${upper(name)}()`;
    if (field.kind === "bytes") return { value: `(${has} ? m.${name}.toUint8Array() : undefined)` };
    if (isList) return { list: `(${has} ? m.${name} : undefined)`, length: "l.length", item: "l.get(i)" };
    if (field.kind === "string") return { value: `(m.${name} || undefined)` };
    return { value: field.kind === "message" ? `(${has} ? m.${name} : undefined)` : `m.${name}` };
  }
  if (shape.oneofs && field.oneof) return { value: `(m.${field.oneof}.case === "${name}" ? m.${field.oneof}.value : undefined)` };
  return field.repeated ? { list: `m.${name}`, length: "l.length", item: "l[i]" } : { value: `m.${name}` };
}

/** Adds `v` to the checksum `h`: what is 0 or the default adds nothing, so that a format without presence has the same checksum. */
function add(shape, field) {
  const mix = (value) => `h = Math.imul(h, 31) + (${value}) | 0;`;
  const pair = `${mix("i64[0]")} ${mix("i64[1]")}`;
  const halves = `${mix("v | 0")} ${mix("v / 4294967296 | 0")}`;
  switch (field.kind) {
    case "message":
      return `if (v != null) h = ${field.message}(v, h);`;
    case "float":
      return `if (v != null && v !== 0) { f32[0] = v; ${mix("i32[0]")} }`;
    case "bool":
      return `if (v) ${mix("1")}`;
    case "string":
      return `if (v) { ${mix("v.length")} for (let j = 0; j < v.length; j++) ${mix("v.charCodeAt(j)")} }`;
    case "bytes":
      return `if (v != null && v.length > 0) { ${shape.bytes === "base64" ? "v = Uint8Array.fromBase64(v);" : ""}
        let x = v.length; for (let j = 0; j < v.length; j++) x ^= v[j] << ((j & 3) << 3); ${mix("x")} }`;
    case "uint64":
      if (shape.uint64 === "number") return `if (v) { ${halves} }`;
      if (shape.uint64 === "long") return `if (v != null && (v.low | v.high)) { ${mix("v.low")} ${mix("v.high")} }`;
      if (shape.uint64 === "string") return `if (v) { u64[0] = BigInt(v); ${pair} }`;
      if (shape.uint64 === "mixed") {
        return `if (v) { if (typeof v === "bigint") { u64[0] = v; ${pair} } else { ${halves} } }`;
      }
      return `if (v) { u64[0] = v; ${pair} }`;
    case "enum":
      return `${shape.enums === "name" ? `if (typeof v === "string") v = enums[${JSON.stringify(field.enum)}][v];` : ""}
        if (v && v !== ${field.default ?? 0}) ${mix("v")}`;
    default:
      return `if (v) ${mix("v")}`;
  }
}

/** A function that reads every field of a decoded message and gives a checksum of 32 bits. */
export function toucher(shape) {
  const functions = Object.entries(messages).map(([message, fields]) => {
    const lines = fields.map((field) => {
      const at = access(shape, field, message);
      if (!field.repeated) return `v = ${at.value}; ${add(shape, field)}`;
      return `l = ${at.list}; if (l != null) { const n = ${at.length}; for (let i = 0; i < n; i++) { v = ${at.item}; `
        + `${add(shape, field)} } }`;
    });
    return `function ${message}(m, h) { let v, l; ${lines.join("\n")} return h; }`;
  });
  const buffers =
    "const f32 = new Float32Array(1), i32 = new Int32Array(f32.buffer), u64 = new BigUint64Array(1), i64 = new Int32Array(u64.buffer);";
  return new Function("enums", `"use strict"; ${buffers} ${functions.join("\n")} return (m) => ${ROOT}(m, 17);`)(enums);
}

/** A function that reads one property of a decoded message: the sum of `x` of `pos` of all units. */
export function scanner(shape) {
  const name = (message, field) => access(shape, messages[message].find((each) => each.name === field), message);
  const units = name("ObservationRaw", "units");
  const value = (message, field) => name(message, field).value.replaceAll("m.", "o.");
  return new Function(`"use strict"; return (root) => {
    let o = root; o = ${value(ROOT, "observation")}; o = ${value("Observation", "raw_data")};
    const m = o, l = ${units.list}, n = ${units.length};
    let sum = 0;
    for (let i = 0; i < n; i++) { o = ${units.item}; o = ${value("Unit", "pos")}; if (o != null) sum += ${value("Point", "x")}; }
    return sum;
  }`)();
}

/**
 * A function that makes an object of `names` of a decoded message: full materialisation where it is read in place.
 * @param {(field: object) => string} [convert] what becomes of a value, as text of an expression of `v`; it may name `enums`
 * @param {object} [enums] what that is
 */
export function materializer(shape, names, convert = copied, enums = {}) {
  const functions = Object.entries(messages).map(([message, fields]) => {
    const lines = fields.map((field) => {
      const at = access(shape, field, message);
      const to = `o.${nameOf({ names }, field, message)}`;
      const item = convert(field);
      const inherits = shape.own && !(shape.oneofs && field.oneof);
      const value = inherits ? `Object.hasOwn(m, ${JSON.stringify(nameOf(shape, field, message))}) ? ${at.value} : undefined` : at.value;
      if (!field.repeated) return `v = ${value}; if (v != null) ${to} = ${item};`;
      return `l = ${at.list}; if (l != null) { const n = ${at.length};
        if (n > 0) { const a = new Array(n); for (let i = 0; i < n; i++) { v = ${at.item}; a[i] = ${item}; } ${to} = a; } }`;
    });
    return `function ${message}(m) { let v, l; const o = {}; ${lines.join("\n")} return o; }`;
  });
  return new Function("enums", `"use strict"; ${functions.join("\n")} return ${ROOT};`)(enums);
}

const copied = (field) => (field.kind === "message" ? `${field.message}(v)` : field.kind === "bytes" ? "v.slice()" : "v");
