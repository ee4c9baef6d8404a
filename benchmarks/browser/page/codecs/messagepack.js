import { Decoder, Encoder } from "@msgpack/msgpack";

// One of each, used again: what its docs advise.
const options = { useBigInt64: true, forceFloat32: true };
const encoder = new Encoder(options);
const decoder = new Decoder(options);

export default {
  label: "MessagePack (@msgpack/msgpack)",
  packages: ["@msgpack/msgpack"],
  footnotes: ["Maps with names as in the .proto files. 64-bit values as BigInt, floats in 32 bits, by its options."],
  shape: { names: "snake", uint64: "bigint" },
  encode: (object) => encoder.encode(object),
  decode: (bytes) => decoder.decode(bytes),
};
