// What the codecs of streams have in common.
import { ColumnsDecoder } from "#columns";
import { expectedTouch, inOrder, scan, toPlain, touch } from "../columns_shape.js";
import { ResponseObservation, messageShape } from "./protobufjs_shape.js";

const IN_ORDER =
  "Payloads as the daemon sends them, which encodes them. They are decoded in order from the start, because a payload depends on those " +
  "since the last keyframe; every 224 frames (10 s) there is one.";
export const FZSTD = "Decompressed by fzstd, JavaScript, as it is pushed; the payload is flushed, so all that it adds is there.";
export const BROTLI = "Decompressed by the stream of brotli-dec-wasm, WebAssembly; the payload is flushed, so all that it adds is there.";

/** A codec that ends at arrays; `decompress` makes a function of (bytes, payload). */
export const columns = (label, packages, notes, decompress, init) => ({
  label,
  packages,
  stream: true,
  footnotes: [
    IN_ORDER,
    ...notes,
    "decode ends at arrays: the cells of every column of all units, as columns.js keeps them. decode + touch reads every column in its " +
      "own type, the grids, and every field of the message that holds the rest (protobufjs).",
  ],
  cannotCarry: ["the order of the units"],
  init,
  decoder() {
    const [expand, decoder] = [decompress(), new ColumnsDecoder()];
    return (bytes, payload) => decoder.decode(expand(bytes, payload));
  },
  touch,
  scan,
  toPlain,
  expected: inOrder,
  expectedTouch,
});

/** A codec that ends at messages. */
export const messages = (label, packages, notes, decompress, init) => ({
  label,
  packages: ["protobufjs", "protobufjs-cli", "long", ...packages],
  stream: true,
  footnotes: [IN_ORDER, ...notes, "decode ends at protobufjs's Message, as in row protobufjs."],
  cannotCarry: ["unknown fields of a newer game (kept on request: reader.discardUnknown = false)"],
  init,
  shape: messageShape,
  decoder() {
    const expand = decompress();
    return (bytes, payload) => ResponseObservation.decode(expand(bytes, payload));
  },
});
