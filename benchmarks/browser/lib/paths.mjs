import path from "node:path";
import { fileURLToPath } from "node:url";

/** The checkout. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..", "..");
/** This harness in it. */
export const HERE = path.join(ROOT, "benchmarks", "browser");
