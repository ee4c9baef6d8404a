// Decompressors of a stream that is flushed after each payload and never ended (docs/protocol.md).
import { Decompress } from "fzstd";
import initBrotli, { DecompressStream } from "brotli-dec-wasm/web";
import wasm from "brotli-dec-wasm/web/bg.wasm";

const NEEDS_MORE_OUTPUT = 3;

/** What a payload adds, of zstd: (bytes, { keyframe, plainBytes }) => Uint8Array. */
export function zstdStream() {
  let stream;
  let parts = [];
  return (bytes, { keyframe, plainBytes }) => {
    if (keyframe) stream = new Decompress((part) => void parts.push(part));
    parts = [];
    stream.push(bytes);
    return joined(parts, plainBytes);
  };
}

/** The same of Brotli, which has to be initialized first. */
export function brotliStream() {
  let stream;
  return (bytes, { keyframe, plainBytes }) => {
    if (keyframe) {
      stream?.free();
      stream = new DecompressStream();
    }
    const parts = [];
    for (let at = 0; ; ) {
      const result = stream.decompress(bytes.subarray(at), Math.max(plainBytes, 1));
      const { buf, code, input_offset: read } = result;
      result.free();
      parts.push(buf);
      at += read;
      if (code !== NEEDS_MORE_OUTPUT) break;
    }
    return joined(parts, plainBytes);
  };
}

/** Compiles the decompressor of Brotli. */
export const init = () => initBrotli({ module_or_path: wasm });

function joined(parts, size) {
  const whole = parts.length === 1 ? parts[0] : new Uint8Array(size);
  if (parts.length !== 1) {
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
  }
  if (whole.length !== size) throw new RangeError(`the payload adds ${whole.length} bytes, not ${size}`);
  return whole;
}
