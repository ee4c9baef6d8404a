import protobuf from "protobufjs-7.4.0/light.js";
import { earlier } from "./protobufjs_reflection.js";

export default earlier(protobuf, "7.4.0", "The version that the post of 2025 started from.");
