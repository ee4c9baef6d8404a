import protobuf from "protobufjs-8.2.0/light.js";
import { earlier } from "./protobufjs_reflection.js";

export default earlier(protobuf, "8.2.0", "The last one without the faster decoding of ASCII strings (pull requests 2062, 2242).");
