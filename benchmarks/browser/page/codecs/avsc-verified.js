import avsc, { type } from "./avsc.js";

function verified(object) {
  if (!type.isValid(object)) throw new TypeError("not an observation");
  return object;
}

export default {
  ...avsc,
  label: "avsc (Avro), with isValid",
  footnotes: ["avsc with Type.isValid() after decoding and before encoding. fromBuffer alone refuses what is cut off or too long."],
  verify: verified,
  encode: (object) => type.toBuffer(verified(object)),
  decode: (bytes) => verified(avsc.decode(bytes)),
};
