// A codec whose payloads depend on those before them: check, sizes, times. Everything goes in order from the start.
import { batchOf, breathe, collectGarbage, isWarm, kept } from "./measure.js";
import { decodePlain, difference, toPlain } from "./plain.js";
import { differentScan } from "./single.js";
import { get, split } from "./site.js";
import { scanner, toucher } from "./shape.js";

const KEYFRAME_BYTES = 5;
const YIELD_MS = 50;

/** What run.mjs asks of such a codec, over whole intervals from a keyframe to the next. */
export async function openStream(given, name) {
  const codec = complete(given);
  const payloads = split(await get(`/payloads/${encodeURIComponent(name)}`)).map(payload);
  if (!payloads[0]?.keyframe) throw new Error("the stream does not begin with a keyframe");
  const keyframes = payloads.filter(({ keyframe }) => keyframe).map(({ bytes }) => bytes.length);
  return {
    bytes: payloads.map(({ bytes }) => bytes.length),
    keyframes: { frames: keyframes.length, bytes: keyframes.reduce((sum, each) => sum + each, 0) / keyframes.length },
    check: async () => check(codec, split(await get("/stream-frames")), payloads),
    cannotCarry: () => codec.cannotCarry,
    send: null,
    fetch: null,
    time: ({ resolutionNs, warmUpMs }) => measureStream(codec, payloads, resolutionNs, warmUpMs),
  };
}

/** As the server writes it: whether it is a keyframe, its size when it is decompressed, and the payload. */
function payload(record) {
  const view = new DataView(record.buffer);
  return { keyframe: view.getUint8(0) === 1, plainBytes: view.getUint32(1, true), bytes: record.subarray(KEYFRAME_BYTES) };
}

function complete(given) {
  const codec = { ...given };
  codec.touch ??= toucher(given.shape);
  codec.scan ??= scanner(given.shape);
  codec.toPlain ??= (decoded) => toPlain(decoded, given.shape);
  codec.expected ??= (plain) => plain;
  codec.expectedTouch ??= toucher({ names: "snake" });
  return codec;
}

/** The first problem of any frame, or null. */
function check(codec, frames, payloads) {
  const decode = codec.decoder();
  for (const [i, each] of payloads.entries()) {
    try {
      const decoded = decode(each.bytes, each);
      const plain = codec.expected(decodePlain(frames[i]));
      const first = difference(codec.toPlain(decoded), plain);
      if (first !== undefined) return `frame ${i}: ${first}`;
      if (codec.touch(decoded) !== codec.expectedTouch(plain)) return `frame ${i}: the checksum of its fields is another`;
      const problem = differentScan(codec.scan(decoded), plain);
      if (problem !== undefined) return `frame ${i}: ${problem}`;
    } catch (error) {
      return `frame ${i}: ${error}`;
    }
  }
  return null;
}

/** What is done with a decoded payload, besides decoding it. */
const operations = (codec) => ({
  decode: (decoded) => void (kept.object = decoded),
  decode_touch: (decoded) => void (kept.checksum ^= codec.touch(decoded)),
  scan: (decoded) => void (kept.checksum ^= codec.scan(decoded)),
});

function sample(decode, use, payloads) {
  const start = performance.now();
  for (const each of payloads) use(decode(each.bytes, each));
  return ((performance.now() - start) * 1e6) / payloads.length;
}

/**
 * Each operation has a decoder of its own, which gets each payload once. They take turns by interval.
 * @returns {Promise<{samples: Record<string, number[]>, batch: Record<string, number>}>} as measure() of measure.js
 */
async function measureStream(codec, payloads, resolutionNs, warmUpMs) {
  const uses = Object.entries(operations(codec));
  for (const [, use] of uses) await warmUp(codec, use, payloads, warmUpMs);
  const [batch, samples, decoders] = [{}, {}, {}];
  for (const [name, use] of uses) {
    const decode = codec.decoder();
    const some = payloads.slice(0, 32);
    batch[name] = batchOf(() => sample(decode, use, some), resolutionNs);
    [samples[name], decoders[name]] = [[], codec.decoder()];
  }
  collectGarbage();
  await breathe();
  let breathed = performance.now();
  for (const interval of intervals(payloads)) {
    for (const [name, use] of uses) {
      for (let at = 0; at < interval.length; at += batch[name]) {
        const some = interval.slice(at, at + batch[name]);
        samples[name].push(sample(decoders[name], use, some));
        if (performance.now() - breathed > YIELD_MS) {
          await breathe();
          breathed = performance.now();
        }
      }
    }
  }
  return { samples, batch };
}

function intervals(payloads) {
  const found = [];
  for (const each of payloads) {
    if (each.keyframe) found.push([]);
    found.at(-1).push(each);
  }
  return found;
}

async function warmUp(codec, use, payloads, warmUpMs) {
  const decode = codec.decoder();
  const start = performance.now();
  for (let i = 0; !isWarm(i, performance.now() - start, warmUpMs); i++) {
    sample(decode, use, [payloads[i % payloads.length]]);
    if (i % 16 === 15) await breathe();
  }
}
