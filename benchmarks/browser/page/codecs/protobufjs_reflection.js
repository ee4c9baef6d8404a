import root from "#build/protobufjs_root.json";
import Long from "long";
import { fromPlain } from "../plain.js";

const shape = { names: "camel", uint64: "long", own: true };

/** A codec of a version of protobufjs, by types that it makes at run time. */
export function reflection(protobuf, label, packages, footnotes, cannotCarry) {
  protobuf.util.Long = Long;
  protobuf.configure();
  const ResponseObservation = protobuf.Root.fromJSON(root).lookupType("SC2APIProtocol.ResponseObservation");
  return {
    label,
    packages: [...packages, "protobufjs-cli", "long"],
    footnotes: ["Types from a JSON descriptor at run time; the library compiles its own code from them (needs eval).", ...footnotes],
    cannotCarry,
    shape,
    wrap: (frame) => frame,
    prepare: (plain) => ResponseObservation.fromObject(fromPlain(plain, { names: "camel", uint64: "string" })),
    encode: (message) => ResponseObservation.encode(message).finish(),
    decode: (bytes) => ResponseObservation.decode(bytes),
  };
}

const STRINGS = "Compare with protobufjs-reflection and the others of these rows. Observations have next to no strings.";

/** A version from before or after its strings were decoded faster. */
export const earlier = (protobuf, version, what) =>
  reflection(protobuf, `protobufjs ${version}, reflection`, [`protobufjs-${version}`], [what, STRINGS], ["unknown fields of a newer game"]);
