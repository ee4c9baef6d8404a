import { FLOAT32_OPTIONS, Packr } from "msgpackr";
import msgpackr from "./msgpackr.js";

const packr = new Packr({ useFloat32: FLOAT32_OPTIONS.ALWAYS });

export default {
  ...msgpackr,
  label: "MessagePack (msgpackr), records",
  footnotes: ["Its record extension, what its docs advise between two sides that both use msgpackr. Each frame stands for itself."],
  encode: (object) => packr.pack(object),
  decode: (bytes) => packr.unpack(bytes),
};
