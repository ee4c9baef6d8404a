import { brotliStream, init } from "../decompress.js";
import { BROTLI, columns } from "./stream_parts.js";

export default columns("Abathur.Sync columns+br-stream level 5", ["brotli-dec-wasm"], [BROTLI], brotliStream, init);
