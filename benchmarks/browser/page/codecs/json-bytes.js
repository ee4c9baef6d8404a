import json, { toText } from "./json.js";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export default {
  ...json,
  label: "TextDecoder and JSON.parse, ProtoJSON bytes",
  footnotes: ["As json, but from and to UTF-8 bytes, as fetch() or a binary WebSocket message give them."],
  encode: (source) => encoder.encode(toText(source)),
  decode: (bytes) => JSON.parse(decoder.decode(bytes)),
};
