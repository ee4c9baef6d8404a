import { Encoder, FLOAT32_OPTIONS } from "cbor-x";
import cbor from "./cbor.js";

const encoder = new Encoder({ useFloat32: FLOAT32_OPTIONS.ALWAYS, tagUint8Array: false });

export default {
  ...cbor,
  label: "CBOR (cbor-x), records",
  footnotes: ["Its record extension, what its docs advise between two sides that both use cbor-x. Each frame stands for itself."],
  encode: (object) => encoder.encode(object),
  decode: (bytes) => encoder.decode(bytes),
};
