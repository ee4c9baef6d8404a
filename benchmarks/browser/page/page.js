// What run.mjs calls in the page. Each codec runs in a page of its own.
import { clock, measure } from "./measure.js";
import { decodePlain, difference, fromPlain, toPlain } from "./plain.js";
import { probe } from "./probe.js";
import { scanner, toucher } from "./shape.js";

let frames, codec, encoded;

async function load(name) {
  const bytes = new Uint8Array(await (await fetch("/frames")).arrayBuffer());
  const view = new DataView(bytes.buffer);
  frames = [];
  for (let at = 0; at < bytes.length; ) {
    const length = view.getUint32(at, true);
    frames.push(bytes.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  codec = complete((await import(`/codecs/${name}.js`)).default);
  if (codec.init) await codec.init();
  encoded = frames.map((frame) => codec.wrap?.(frame) ?? codec.encode(codec.prepare(decodePlain(frame))));
  return { label: codec.label, footnotes: codec.footnotes ?? [], packages: codec.packages ?? [], bytes: encoded.map(sizeOf) };
}

/** What a codec leaves out follows from its shape. */
function complete(given) {
  const read = { ...given };
  read.prepare ??= (plain) => fromPlain(plain, given.shape);
  read.touch ??= toucher(given.shape);
  const scan = scanner(given.shape);
  read.scan ??= (bytes) => scan(read.decode(bytes));
  read.toPlain ??= (decoded) => toPlain(decoded, given.shape);
  return read;
}

const sizeOf = (each) => (typeof each === "string" ? new TextEncoder().encode(each).length : each.length);

/** The first problem of any frame, or null. */
function check() {
  const touch = toucher({ names: "snake" });
  const presence = codec.shape.presence !== false;
  for (const [i, frame] of frames.entries()) {
    const plain = decodePlain(frame);
    try {
      const decoded = codec.decode(encoded[i]);
      const first = difference(codec.toPlain(decoded), plain, presence);
      if (first !== undefined) return `frame ${i}: ${first}`;
      if (codec.encode && !codec.readsOnly) {
        const again = difference(codec.toPlain(codec.decode(codec.encode(codec.decode(encoded[i])))), plain, presence);
        if (again !== undefined) return `frame ${i}, encoded again: ${again}`;
      }
      if (codec.touch(decoded) !== touch(plain)) return `frame ${i}: the checksum of its fields is another`;
      const x = (plain.observation?.raw_data?.units ?? []).reduce((sum, unit) => sum + (unit.pos?.x ?? 0), 0);
      if (!(Math.abs(codec.scan(encoded[i]) - x) <= 1e-6 * Math.abs(x))) return `frame ${i}: the sum of all x is another`;
    } catch (error) {
      return `frame ${i}: ${error}`;
    }
  }
  return null;
}

/** Encoded frames of these numbers, sent to the server to be compressed. */
async function send(numbers) {
  const parts = [];
  for (const i of numbers) {
    const bytes = typeof encoded[i] === "string" ? new TextEncoder().encode(encoded[i]) : encoded[i];
    parts.push(new Uint32Array([bytes.length]), bytes);
  }
  await fetch("/encoded", { method: "POST", body: new Blob(parts) });
}

globalThis.harness = {
  load,
  check,
  send,
  clock,
  endToEnd: async (options) => (await import("/end_to_end.js")).endToEnd(options),
  cannotCarry: () => [...(codec.cannotCarry ?? []), ...probe(codec)],
  time: ({ resolutionNs, warmUpMs }) => measure(codec, encoded, resolutionNs, warmUpMs),
  state: () => ({ isolated: crossOriginIsolated, userAgent: navigator.userAgent, gc: typeof gc === "function" }),
};
