import Long from "long";
import { SC2APIProtocol, abathur } from "#build/protobufjs.js";
import protobuf from "protobufjs/minimal.js";

// With Long configured, 64-bit values are exact: what its docs advise.
protobuf.util.Long = Long;
protobuf.configure();

export const ResponseObservation = SC2APIProtocol.ResponseObservation;
export const ServerMessage = abathur.sync.v1.ServerMessage;
export const messageShape = { names: "camel", uint64: "long", own: true };
