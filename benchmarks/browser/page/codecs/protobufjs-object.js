import protobufjs from "./protobufjs.js";
import { ResponseObservation } from "./protobufjs_shape.js";

const options = { longs: BigInt };

export default {
  ...protobufjs,
  label: "protobufjs, decode and toObject",
  footnotes: ["decode, then toObject({ longs: BigInt }): what its docs name for plain objects. Encodes through fromObject."],
  shape: { names: "camel", uint64: "bigint" },
  prepare: (plain) => ResponseObservation.toObject(protobufjs.prepare(plain), options),
  encode: (object) => ResponseObservation.encode(ResponseObservation.fromObject(object)).finish(),
  decode: (bytes) => ResponseObservation.toObject(ResponseObservation.decode(bytes), options),
};
