// A JSON Schema of the messages, and Ajv's check of it: what JSON, MessagePack and CBOR, which have no schema, are verified by.
import Ajv, { _ } from "ajv";
import { enums, messages } from "./model.g.js";
import { ROOT, nameOf } from "./shape.js";

const INTEGERS = {
  int32: { type: "integer", minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  uint32: { type: "integer", minimum: 0, maximum: 2 ** 32 - 1 },
};
const BIGINT = { isBigInt: true };
const SAFE = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

function value(field, shape) {
  switch (field.kind) {
    case "message":
      return { $ref: `#/$defs/${field.message}` };
    case "uint64":
      return { string: { type: "string", pattern: "^[0-9]{1,20}$" }, bigint: BIGINT, mixed: { anyOf: [SAFE, BIGINT] } }[shape.uint64];
    case "enum":
      // A newer game has values that this schema does not know: ProtoJSON has their numbers.
      return shape.enums === "name" ? { anyOf: [{ enum: Object.keys(enums[field.enum]) }, INTEGERS.int32] } : INTEGERS.int32;
    case "bytes":
      return shape.bytes === "base64" ? { type: "string", pattern: "^[A-Za-z0-9+/]*={0,2}$" } : { isBytes: true };
    case "float":
      return shape.floats === "json" ? { anyOf: [{ type: "number" }, { enum: ["NaN", "Infinity", "-Infinity"] }] } : { type: "number" };
    case "bool":
      return { type: "boolean" };
    case "string":
      return { type: "string" };
    default:
      return INTEGERS[field.kind];
  }
}

/** A function that throws where an object is no observation in this shape. Fields that the schema does not know may be there. */
export function verifier(shape) {
  // strictNumbers is off: NaN and infinities are values of the protocol.
  const ajv = new Ajv({ strict: false, strictNumbers: false });
  ajv.addKeyword({ keyword: "isBigInt", code: (context) => context.fail(_`typeof ${context.data} !== "bigint"`) });
  ajv.addKeyword({ keyword: "isBytes", code: (context) => context.fail(_`!(${context.data} instanceof Uint8Array)`) });
  const $defs = Object.fromEntries(
    Object.entries(messages).map(([message, fields]) => [message, { type: "object", properties: properties(fields, message, shape) }]),
  );
  const validate = ajv.compile({ $defs, $ref: `#/$defs/${ROOT}` });
  return (object) => {
    if (!validate(object)) throw new TypeError(ajv.errorsText(validate.errors));
    return object;
  };
}

function properties(fields, message, shape) {
  return Object.fromEntries(fields.map((field) => {
    const one = value(field, shape);
    return [nameOf(shape, field, message), field.repeated ? { type: "array", items: one } : one];
  }));
}
