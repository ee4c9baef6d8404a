import { jsonShape } from "./json_shape.js";

export default {
  label: "JSON.parse, ProtoJSON text",
  footnotes: [
    "ProtoJSON as the daemon writes it: names in camelCase, enums by name, 64-bit values and bytes (base64) as strings.",
    "decode leaves those strings; decode + touch turns them into numbers and bytes, as whoever uses them must.",
    "Decodes from a string, which is what a WebSocket text message gives; json-bytes starts from UTF-8 bytes.",
  ],
  shape: jsonShape,
  encode: (source) => JSON.stringify(source),
  decode: (text) => JSON.parse(text),
};
