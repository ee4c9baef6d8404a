import zlib from "node:zlib";
import { compress as zstdWasm, init } from "@bokuweb/zstd-wasm";
import { statistics } from "./statistics.mjs";

// The daemon's default levels.
export const LEVELS = { gzip: 4, br: 5, zstd: 3 };
const BR = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: LEVELS.br } };


let ready;

/** The compressors; zstd is Node's from 22.15 on, else WebAssembly. */
async function compressors() {
  if (!zlib.zstdCompressSync) await (ready ??= init());
  return {
    gzip: (bytes) => zlib.gzipSync(bytes, { level: LEVELS.gzip }),
    br: (bytes) => zlib.brotliCompressSync(bytes, BR),
    zstd: zlib.zstdCompressSync
      ? (bytes) => zlib.zstdCompressSync(bytes, { params: { [zlib.constants.ZSTD_c_compressionLevel]: LEVELS.zstd } })
      : (bytes) => zstdWasm(bytes, LEVELS.zstd),
  };
}

/**
 * What compression makes of frames, each for itself, at the daemon's default levels, in Node.
 * @returns {Promise<{bytes: Record<string, number>, ns: Record<string, object>}>} mean sizes, and statistics of the times
 */
export async function compressed(frames) {
  const found = { bytes: {}, ns: {} };
  for (const [name, compress] of Object.entries(await compressors())) {
    let size = 0;
    const times = frames.map((frame) => {
      const start = process.hrtime.bigint();
      size += compress(frame).length;
      return Number(process.hrtime.bigint() - start);
    });
    found.bytes[name] = size / frames.length;
    found.ns[name] = statistics([times]);
  }
  return found;
}
