import { Builder, ByteBuffer } from "flatbuffers";
import * as generated from "#build/flat.ts";
import runtime from "flatbuffers/package.json";
import { messages } from "../model.g.js";
import { camel } from "../shape.js";

const { ResponseObservation } = generated;
const builder = new Builder(1 << 18);

/** The library's own objects: pack() is a method of theirs. */
function object(plain, message = "ResponseObservation") {
  const to = new generated[`${message}T`]();
  for (const { name, kind, repeated, message: type } of messages[message]) {
    if (!(name in plain)) continue;
    const value = plain[name];
    const convert = (each) => (kind === "message" ? object(each, type) : kind === "bytes" ? Array.from(each) : each);
    to[camel(name)] = repeated ? value.map(convert) : convert(value);
  }
  return to;
}

export default {
  label: "FlatBuffers, object API (full materialisation)",
  packages: ["flatbuffers"],
  footnotes: [
    `Code by flatc ${generated.flatc} --ts --gen-object-api, as it is; npm's runtime is older: ${runtime.version}.`,
    "The JavaScript library has no verifier: there is no verified row.",
    "Its object API holds bytes as an array of numbers.",
  ],
  cannotCarry: ["unknown fields of a newer game"],
  shape: { names: "camel", uint64: "bigint" },
  prepare: object,
  encode(observation) {
    builder.clear();
    builder.finish(observation.pack(builder));
    // The builder is used again: what it holds has to be copied to be kept.
    return builder.asUint8Array().slice();
  },
  decode: (bytes) => ResponseObservation.getRootAsResponseObservation(new ByteBuffer(bytes)).unpack(),
};
