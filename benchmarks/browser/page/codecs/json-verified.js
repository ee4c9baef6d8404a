import { verifier } from "../verify.js";
import jsonBytes from "./json-bytes.js";

const verify = verifier(jsonBytes.shape);

export default {
  ...jsonBytes,
  label: `${jsonBytes.label}, with Ajv`,
  packages: [...(jsonBytes.packages ?? []), "ajv"],
  footnotes: ["json-bytes, and a JSON Schema of the protocol checked by Ajv after decoding. Encoding is not checked."],
  verify,
  decode: (bytes) => verify(jsonBytes.decode(bytes)),
};
