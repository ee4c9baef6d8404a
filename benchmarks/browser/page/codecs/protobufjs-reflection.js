import root from "#build/protobufjs_root.json";
import Long from "long";
import protobuf from "protobufjs/light.js";
import { fromPlain } from "../plain.js";
import { messageShape } from "./protobufjs_shape.js";

protobuf.util.Long = Long;
protobuf.configure();
const ResponseObservation = protobuf.Root.fromJSON(root).lookupType("SC2APIProtocol.ResponseObservation");

export default {
  label: "protobufjs, reflection",
  packages: ["protobufjs", "protobufjs-cli", "long"],
  footnotes: ["Types from a JSON descriptor at run time; the library compiles its own code from them (needs eval)."],
  cannotCarry: ["unknown fields of a newer game (kept on request: reader.discardUnknown = false)"],
  shape: messageShape,
  wrap: (frame) => frame,
  prepare: (plain) => ResponseObservation.fromObject(fromPlain(plain, { names: "camel", uint64: "string" })),
  encode: (message) => ResponseObservation.encode(message).finish(),
  decode: (bytes) => ResponseObservation.decode(bytes),
};
