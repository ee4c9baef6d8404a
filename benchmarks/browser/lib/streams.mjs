import { window } from "./daemon.mjs";
import { evenlySpaced } from "./frames.mjs";
import { COMPRESSION, ENCODING, subscribe } from "./subscription.mjs";

/** Codecs of which a payload depends on those before it: what is asked of the daemon. */
export const STREAMS = {
  columns: { encoding: ENCODING.columns },
  "zstd-stream": { encoding: ENCODING.proto, compression: COMPRESSION["zstd-stream"] },
  "br-stream": { encoding: ENCODING.proto, compression: COMPRESSION["br-stream"] },
  "columns+zstd-stream": { encoding: ENCODING.columns, compression: COMPRESSION["zstd-stream"] },
  "columns+br-stream": { encoding: ENCODING.columns, compression: COMPRESSION["br-stream"] },
};

/** Frames from one keyframe to the next: the daemon's default, 10 s of a match. */
const KEYFRAME_INTERVAL = 224;

/** The frames that a stream's codec takes: whole intervals from a keyframe to the next, evenly spaced. The choice of the C# runner. */
export function alongKeyframes(count, wanted, interval = KEYFRAME_INTERVAL) {
  if (wanted >= count) return [...Array(count).keys()];
  const keyframes = Math.ceil(count / interval);
  const chosen = wanted < 2 * interval ? [(keyframes - 1) >> 1] : evenlySpaced(keyframes, Math.floor(wanted / interval));
  return chosen.flatMap((i) => Array.from({ length: Math.min(interval, count - i * interval) }, (_, k) => i * interval + k));
}

/**
 * Payloads of a stream as the daemon sends them.
 * @param {number[]} numbers of the frames, rising; the stream is taken from its start, as their bytes depend on it
 * @returns {Promise<{keyframe: boolean, plainBytes: number, bytes: Uint8Array}[]>} plainBytes: 0 where nothing is compressed
 */
export async function payloads(options, name, numbers, isCancelled) {
  const found = [];
  let number = 0;
  await subscribe(options, window(options), STREAMS[name], () => {}, ({ keyframe, plainBytes, data }) => {
    if (number++ === numbers[found.length]) found.push({ keyframe, plainBytes, bytes: data.slice() });
    return found.length < numbers.length;
  }, isCancelled);
  return found;
}
