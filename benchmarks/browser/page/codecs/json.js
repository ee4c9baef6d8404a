import { unwrapped, wrapped } from "../materialize.js";
import { fromPlain } from "../plain.js";
import { jsonShape } from "./json_shape.js";

const unwrap = unwrapped(jsonShape);
const wrap = wrapped();

export const toText = (source) => JSON.stringify(wrap(source));

export default {
  label: "JSON.parse, ProtoJSON text",
  footnotes: [
    "ProtoJSON as the daemon writes it: names in camelCase, enums by name, 64-bit values and bytes (base64) as strings.",
    "decode leaves those strings; decode + touch turns them into numbers and bytes, as a program that uses them must.",
    "encode starts from an object with raw bytes, 64-bit values as BigInt and enums as numbers, and makes base64 and the other strings.",
    "Decodes from a string, which is what a WebSocket text message gives; json-bytes starts from UTF-8 bytes.",
  ],
  shape: jsonShape,
  prepare: (plain) => fromPlain(plain, { names: "camel", floats: "json" }),
  source: unwrap,
  encode: toText,
  decode: (text) => JSON.parse(text),
};
