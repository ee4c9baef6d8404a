import { verifier } from "../verify.js";
import messagepack from "./messagepack.js";

const verify = verifier(messagepack.shape);

export default {
  ...messagepack,
  label: `${messagepack.label}, with Ajv`,
  packages: [...(messagepack.packages ?? []), "ajv"],
  footnotes: ["messagepack, and a JSON Schema of the protocol checked by Ajv after decoding. Encoding is not checked."],
  verify,
  decode: (bytes) => verify(messagepack.decode(bytes)),
};
