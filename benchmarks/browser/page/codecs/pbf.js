import { PbfReader, PbfWriter } from "pbf";
import { readResponseObservation, writeResponseObservation } from "#build/pbf.js";

export default {
  label: "pbf, compiled code",
  packages: ["pbf"],
  footnotes: [
    "Code by its compiler, from a .proto with the same messages in one file and enums as int32: it does not resolve packages.",
    "64-bit values as numbers, which is its default.",
  ],
  cannotCarry: ["unknown fields of a newer game"],
  shape: { names: "snake", uint64: "number", presence: false },
  wrap: (frame) => frame,
  encode(object) {
    const writer = new PbfWriter();
    writeResponseObservation(object, writer);
    return writer.finish();
  },
  decode: (bytes) => readResponseObservation(new PbfReader(bytes)),
};
