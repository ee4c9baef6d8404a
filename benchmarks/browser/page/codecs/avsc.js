import schema from "#build/observation.avsc.json";
import { Buffer } from "buffer";
import avro from "avsc/etc/browser/avsc-types.js";
import { fromPlain } from "../plain.js";

export const type = avro.Type.forSchema(schema);
export const buffer = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const shape = { names: "snake", uint64: "number", absent: null, makeBytes: (bytes) => Buffer.from(bytes) };

export default {
  label: "avsc (Avro)",
  packages: ["avsc", "buffer"],
  footnotes: ["64-bit values as numbers, which is its default.", "The reader's schema is the writer's."],
  cannotCarry: ["unknown fields of a newer game"],
  shape,
  prepare: (plain) => fromPlain(plain, shape),
  encode: (object) => type.toBuffer(object),
  decode: (bytes) => type.fromBuffer(buffer(bytes)),
};
