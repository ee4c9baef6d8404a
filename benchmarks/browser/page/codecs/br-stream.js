import { brotliStream, init } from "../decompress.js";
import { BROTLI, messages } from "./stream_parts.js";

export default messages("Abathur.Sync br-stream level 5", ["brotli-dec-wasm"], [BROTLI], brotliStream, init);
