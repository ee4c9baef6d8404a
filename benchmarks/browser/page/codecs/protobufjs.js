import { fromPlain } from "../plain.js";
import { ResponseObservation, messageShape } from "./protobufjs_shape.js";

export default {
  label: "protobufjs, static code, decode to Message",
  packages: ["protobufjs", "protobufjs-cli", "long"],
  footnotes: ["Code by pbjs -t static-module. 64-bit values as Long. Unknown fields are dropped, which is its default."],
  cannotCarry: ["unknown fields of a newer game (kept on request: reader.discardUnknown = false)"],
  shape: messageShape,
  wrap: (frame) => frame,
  prepare: (plain) => ResponseObservation.fromObject(fromPlain(plain, { names: "camel", uint64: "string" })),
  encode: (message) => ResponseObservation.encode(message).finish(),
  decode: (bytes) => ResponseObservation.decode(bytes),
};
