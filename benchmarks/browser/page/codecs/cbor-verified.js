import { verifier } from "../verify.js";
import cbor from "./cbor.js";

const verify = verifier(cbor.shape);

export default {
  ...cbor,
  label: `${cbor.label}, with Ajv`,
  packages: [...(cbor.packages ?? []), "ajv"],
  footnotes: ["cbor, and a JSON Schema of the protocol checked by Ajv after decoding. Encoding is not checked."],
  verify,
  decode: (bytes) => verify(cbor.decode(bytes)),
};
