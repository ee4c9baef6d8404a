import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ResponseObservationSchema } from "#build/es/s2clientprotocol/sc2api_pb.js";
import { fromPlain } from "../plain.js";

const shape = { names: "camel", uint64: "bigint", own: true, oneofs: true };

export default {
  label: "protobuf-es v2",
  packages: ["@bufbuild/protobuf", "@bufbuild/protoc-gen-es"],
  footnotes: ["Schemas by protoc-gen-es. 64-bit values as BigInt, and unknown fields kept, which are its defaults."],
  shape,
  wrap: (frame) => frame,
  prepare: (plain) => create(ResponseObservationSchema, fromPlain(plain, shape)),
  encode: (message) => toBinary(ResponseObservationSchema, message),
  decode: (bytes) => fromBinary(ResponseObservationSchema, bytes),
};
