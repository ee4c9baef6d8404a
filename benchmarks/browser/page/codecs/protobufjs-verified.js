import protobufjs from "./protobufjs.js";
import { ResponseObservation } from "./protobufjs_shape.js";

function verified(message) {
  const problem = ResponseObservation.verify(message);
  if (problem !== null) throw new TypeError(problem);
  return message;
}

export default {
  ...protobufjs,
  label: "protobufjs, static code, with verify",
  footnotes: ["protobufjs with verify() after decoding and before encoding. decode alone checks lengths and wire types."],
  verify: verified,
  encode: (message) => ResponseObservation.encode(verified(message)).finish(),
  decode: (bytes) => verified(ResponseObservation.decode(bytes)),
};
