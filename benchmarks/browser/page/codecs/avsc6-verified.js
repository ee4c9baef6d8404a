import avsc, { type } from "./avsc6.js";

function verified(object) {
  if (!type.isValid(object)) throw new TypeError("not an observation");
  return object;
}

export default {
  ...avsc,
  label: "avsc 6 alpha (Avro), with isValid",
  footnotes: ["avsc6 with Type.isValid() after decoding and before encoding."],
  verify: verified,
  encode: (object) => type.toBuffer(verified(object)),
  decode: (bytes) => verified(avsc.decode(bytes)),
};
