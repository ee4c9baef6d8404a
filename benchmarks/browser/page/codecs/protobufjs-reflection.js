import protobuf from "protobufjs/light.js";
import { reflection } from "./protobufjs_reflection.js";

const lost = "unknown fields of a newer game (kept on request: reader.discardUnknown = false)";

export default reflection(protobuf, "protobufjs, reflection", ["protobufjs"], [], [lost]);
