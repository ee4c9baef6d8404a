import { promisify } from "node:util";
import zlib from "node:zlib";
import { compress as zstdWasm, init } from "@bokuweb/zstd-wasm";

const gzip = promisify(zlib.gzip);
const br = promisify(zlib.brotliCompress);
// The daemon's default levels.
export const LEVELS = { gzip: 4, br: 5, zstd: 3 };
const BR = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: LEVELS.br } };

let ready;
async function zstd(bytes) {
  if (zlib.zstdCompressSync) return zlib.zstdCompressSync(bytes, { params: { [zlib.constants.ZSTD_c_compressionLevel]: LEVELS.zstd } });
  // Node has it from 22.15 on.
  await (ready ??= init());
  return zstdWasm(bytes, LEVELS.zstd);
}

/** Mean compressed sizes of frames in bytes, each frame for itself, at the daemon's default levels. */
export async function compressedSizes(frames) {
  const sums = { gzip: 0, br: 0, zstd: 0 };
  for (const frame of frames) {
    sums.gzip += (await gzip(frame, { level: LEVELS.gzip })).length;
    sums.br += (await br(frame, BR)).length;
    sums.zstd += (await zstd(frame)).length;
  }
  return Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, sum / frames.length]));
}
