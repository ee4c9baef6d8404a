import { Encoder, FLOAT32_OPTIONS } from "cbor-x";

const encoder = new Encoder(
  { useRecords: false, useFloat32: FLOAT32_OPTIONS.ALWAYS, mapsAsObjects: true, useTag259ForMaps: false, tagUint8Array: false });

export default {
  label: "CBOR (cbor-x), maps",
  packages: ["cbor-x"],
  footnotes: ["Maps that any CBOR library reads; floats in 32 bits, by its option."],
  shape: { names: "snake", uint64: "mixed" },
  encode: (object) => encoder.encode(object),
  decode: (bytes) => encoder.decode(bytes),
};
