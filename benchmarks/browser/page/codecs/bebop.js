import { ResponseObservation } from "#build/bebop.ts";
import { camel } from "../shape.js";

const reserved = new Set(["map", "message"]);
const clashes = (field, message) => reserved.has(field.name) || field.name.replaceAll("_", "") === message.toLowerCase();

export default {
  label: "Bebop",
  packages: ["bebop", "bebop-tools"],
  footnotes: ["Code by bebopc: a `message` per message, which has optional fields and takes new ones. There is no verifier."],
  cannotCarry: ["unknown fields of a newer game"],
  shape: { names: (field, message) => camel(clashes(field, message) ? `the_${field.name}` : field.name), uint64: "bigint" },
  encode: (object) => ResponseObservation.encode(object),
  decode: (bytes) => ResponseObservation.decode(bytes),
};
