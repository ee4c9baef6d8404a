import protobuf from "protobufjs-8.2.1/light.js";
import { earlier } from "./protobufjs_reflection.js";

export default earlier(protobuf, "8.2.1", "The first one with the faster decoding of ASCII strings (pull requests 2062, 2242).");
