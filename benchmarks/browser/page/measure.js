// Times one codec over the frames: each operation once and by itself, or in batches where one is near the clock's resolution.
const WARM_UP_OPERATIONS = 64;
const RESOLUTIONS_PER_SAMPLE = 20;
const MAX_BATCH = 4096;
const YIELD_MS = 50;

// What was computed goes here, so that none of it can be left out.
export const kept = { object: undefined, checksum: 0 };
globalThis.kept = kept;

/** Smallest step of the clock, and mean cost of reading it, in ns. */
export function clock() {
  let smallest = Infinity;
  for (let i = 0, last = performance.now(); i < 2000; ) {
    const now = performance.now();
    if (now === last) continue;
    smallest = Math.min(smallest, now - last);
    last = now;
    i++;
  }
  const reads = 200_000;
  const start = performance.now();
  for (let i = 0; i < reads; i++) kept.checksum ^= performance.now();
  return { resolution_ns: Math.round(smallest * 1e6), read_ns: ((performance.now() - start) * 1e6) / reads };
}

/** The operations of a codec by name, each on the frame of a number. Sources of encoding are decoded before it, which is not timed. */
function operations(codec, encoded) {
  const found = {
    decode: { run: (i) => void (kept.object = codec.decode(encoded[i])) },
    decode_touch: { run: (i) => void (kept.checksum ^= codec.touch(codec.decode(encoded[i]))) },
    scan: { run: (i) => void (kept.checksum ^= codec.scan(encoded[i])) },
  };
  if (codec.encode && !codec.readsOnly) {
    let sources = [];
    found.encode = {
      prepare: (numbers) => void (sources = numbers.map((i) => codec.source(codec.decode(encoded[i])))),
      run: (i, at) => void (kept.object = codec.encode(sources[at])),
    };
  }
  return found;
}

function sample(operation, numbers) {
  operation.prepare?.(numbers);
  const start = performance.now();
  for (let at = 0; at < numbers.length; at++) operation.run(numbers[at], at);
  return ((performance.now() - start) * 1e6) / numbers.length;
}

export const breathe = () => new Promise((resolve) => setTimeout(resolve));

/**
 * @returns {Promise<{samples: Record<string, number[]>, batch: Record<string, number>}>} ns per operation, one sample per frame or batch
 * of frames
 */
export async function measure(codec, encoded, resolutionNs, warmUpMs) {
  const all = operations(codec, encoded);
  const names = Object.keys(all);
  const frames = [...encoded.keys()];
  await warmUp(all, frames, warmUpMs);
  const batch = Object.fromEntries(names.map((name) => [name, batchOf(() => sample(all[name], frames.slice(0, 32)), resolutionNs)]));
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  collectGarbage();
  await breathe();
  // One frame that does not count fills the caches with this codec's code.
  for (const name of names) sample(all[name], [0]);
  let breathed = performance.now();
  for (const frame of frames) {
    for (const name of names) {
      if (frame % batch[name] !== 0 && batch[name] <= frames.length) continue;
      samples[name].push(sample(all[name], Array.from({ length: batch[name] }, (_, k) => (frame + k) % frames.length)));
    }
    if (performance.now() - breathed > YIELD_MS) {
      await breathe();
      breathed = performance.now();
    }
  }
  return { samples, batch };
}

async function warmUp(all, frames, warmUpMs) {
  for (const operation of Object.values(all)) {
    const start = performance.now();
    for (let i = 0; !isWarm(i, performance.now() - start, warmUpMs); i++) {
      sample(operation, [frames[(i * 7) % frames.length]]);
      if (i % 16 === 15) await breathe();
    }
  }
}

/** Whether an operation has run often and long enough before it is timed. */
export function isWarm(times, spentMs, warmUpMs) {
  return times > 0 && spentMs > warmUpMs && (times >= WARM_UP_OPERATIONS || spentMs > 5 * warmUpMs);
}

/** Where the browser lets a page do it: Chromium by an option. */
export const collectGarbage = () => globalThis.gc?.();

/** How many operations a sample has, by what it takes to do some of them: ns each. */
export function batchOf(sampleSome, resolutionNs) {
  // The second time counts: the first makes what the optimizer had not seen.
  sampleSome();
  const wanted = Math.ceil((RESOLUTIONS_PER_SAMPLE * resolutionNs) / Math.max(sampleSome(), 1));
  return Math.min(Math.max(wanted, 1), MAX_BATCH);
}
