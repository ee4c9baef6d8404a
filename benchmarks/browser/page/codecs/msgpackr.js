import { FLOAT32_OPTIONS, Packr } from "msgpackr";

const packr = new Packr({ useRecords: false, useFloat32: FLOAT32_OPTIONS.ALWAYS });

export default {
  label: "MessagePack (msgpackr), maps",
  packages: ["msgpackr"],
  footnotes: ["Maps that any MessagePack library reads; floats in 32 bits, by its option."],
  shape: { names: "snake", uint64: "bigint" },
  encode: (object) => packr.pack(object),
  decode: (bytes) => packr.unpack(bytes),
};
