import read, { materialize, plainShape } from "./capnp-read.js";

export default {
  label: "Cap'n Proto (capnp-es), full materialisation",
  packages: read.packages,
  footnotes: [
    "capnp-es has no objects of its own: every accessor is read into plain objects. Unpacked messages. " +
      "Accessors check pointers; there is no other verifier.",
  ],
  cannotCarry: read.cannotCarry,
  shape: plainShape,
  encode: read.encode,
  decode: (bytes) => materialize(read.decode(bytes)),
};
