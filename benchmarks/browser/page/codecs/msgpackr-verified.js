import { verifier } from "../verify.js";
import msgpackr from "./msgpackr.js";

const verify = verifier(msgpackr.shape);

export default {
  ...msgpackr,
  label: `${msgpackr.label}, with Ajv`,
  packages: [...(msgpackr.packages ?? []), "ajv"],
  footnotes: ["msgpackr, and a JSON Schema of the protocol checked by Ajv after decoding. Encoding is not checked."],
  verify,
  decode: (bytes) => verify(msgpackr.decode(bytes)),
};
