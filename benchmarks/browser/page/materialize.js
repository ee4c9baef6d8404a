// Copies of decoded messages in other forms, by code that is written as text from the message table, as in shape.js.
import { enums } from "./model.g.js";
import { materializer } from "./shape.js";

const numbers = (field) => `enums[${JSON.stringify(field.enum)}]`;
const namesOfEnums = Object.fromEntries(
  Object.entries(enums).map(([name, values]) => [name, Object.fromEntries(Object.entries(values).map(([text, number]) => [number, text]))]),
);

/** How a value of a shape becomes that of the plain object, as text of an expression of `v`. */
function plainValue(field, shape) {
  switch (field.kind) {
    case "message":
      return `${field.message}(v)`;
    case "uint64":
      if (shape.uint64 === "long") return "(BigInt(v.high >>> 0) << 32n) | BigInt(v.low >>> 0)";
      return shape.uint64 === "bigint" ? "v" : "BigInt(v)";
    case "enum":
      return shape.enums === "name" ? `(typeof v === "string" ? ${numbers(field)}[v] : v)` : "v";
    case "bytes":
      return shape.bytes === "base64" ? "Uint8Array.fromBase64(v)" : "(v instanceof Uint8Array ? v : Uint8Array.from(v))";
    case "float":
      return shape.floats === "json" ? "Math.fround(v)" : "v";
    default:
      return "v";
  }
}

/** A function that makes the plain object of page/plain.js, the same for all codecs, of what a codec decodes. */
export const plainer = (shape) => materializer(shape, "snake", (field) => plainValue(field, shape), enums);

/** A function that makes what a program holds of a decoded ProtoJSON object: raw bytes, 64-bit values as BigInt, enums as numbers. */
export const unwrapped = (shape) =>
  materializer(shape, "camel", (field) => (field.kind === "float" ? "Number(v)" : plainValue(field, shape)), enums);

/** The opposite: ProtoJSON's strings for bytes (base64), 64-bit values and enums. */
export const wrapped = () => materializer({ names: "camel" }, "camel", protoJsonValue, namesOfEnums);

function protoJsonValue(field) {
  switch (field.kind) {
    case "message":
      return `${field.message}(v)`;
    case "uint64":
      return "v.toString()";
    case "enum":
      return `(${numbers(field)}[v] ?? v)`;
    case "bytes":
      return "v.toBase64()";
    case "float":
      return "(Number.isFinite(v) ? v : String(v))";
    default:
      return "v";
  }
}
