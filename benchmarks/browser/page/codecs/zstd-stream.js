import { zstdStream } from "../decompress.js";
import { FZSTD, messages } from "./stream_parts.js";

export default messages("Abathur.Sync zstd-stream level 7", ["fzstd"], [FZSTD], zstdStream);
