import { zstdStream } from "../decompress.js";
import { FZSTD, columns } from "./stream_parts.js";

export default columns("Abathur.Sync columns+zstd-stream level 7", ["fzstd"], [FZSTD], zstdStream);
