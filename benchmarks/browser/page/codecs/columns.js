import { columns } from "./stream_parts.js";

export default columns("Abathur.Sync columns", [], [], () => (bytes) => bytes);
