import { ByteBuffer } from "flatbuffers";
import { ResponseObservation } from "#build/flat.ts";
import { materializer, scanner, toucher } from "../shape.js";
import { toPlain } from "../plain.js";
import flatbuffers from "./flatbuffers.js";

const shape = { names: "camel", uint64: "bigint", access: "flatbuffers" };
const root = (bytes) => ResponseObservation.getRootAsResponseObservation(new ByteBuffer(bytes));
const materialize = materializer(shape, "camel");
const scan = scanner(shape);

export default {
  ...flatbuffers,
  label: "FlatBuffers, read in place",
  footnotes: ["decode only finds the root; what is read is read at each access. The JavaScript library has no verifier."],
  readsOnly: true,
  shape,
  decode: root,
  touch: toucher(shape),
  scan: (bytes) => scan(root(bytes)),
  toPlain: (decoded) => toPlain(materialize(decoded), flatbuffers.shape),
};
