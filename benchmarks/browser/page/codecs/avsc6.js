import schema from "#build/observation.avsc.json";
import avro from "avsc6/etc/browser/avsc-types.js";
import avsc from "./avsc.js";

export const type = avro.Type.forSchema(schema);

export default {
  ...avsc,
  label: "avsc 6 alpha (Avro)",
  packages: ["avsc6"],
  footnotes: [
    "6.0.0-alpha.15, as there is no release of 6: it reads Uint8Array itself, where row avsc needs a polyfill of Node's Buffer.",
    ...avsc.footnotes,
  ],
  shape: { ...avsc.shape, makeBytes: undefined },
  prepare: undefined,
  encode: (object) => type.toBuffer(object),
  decode: (bytes) => type.fromBuffer(bytes),
};
