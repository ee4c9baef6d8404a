// What run.mjs calls in the page. Each codec runs in a page of its own.
import { clock } from "./measure.js";
import { openSingle } from "./single.js";
import { openStream } from "./stream.js";

let open;

async function load(name) {
  const codec = (await import(`/codecs/${name}.js`)).default;
  if (codec.init) await codec.init();
  open = codec.stream ? await openStream(codec, name) : await openSingle(codec);
  const { label, footnotes = [], packages = [] } = codec;
  return { label, footnotes, packages, bytes: open.bytes, keyframes: open.keyframes ?? null, isStream: codec.stream === true };
}

globalThis.harness = {
  load,
  check: () => open.check(),
  cannotCarry: () => open.cannotCarry(),
  send: (numbers) => open.send(numbers),
  fetch: (numbers) => open.fetch(numbers),
  time: (options) => open.time(options),
  clock,
  endToEnd: async (options) => (await import("/end_to_end.js")).endToEnd(options),
  http: async (numbers) => (await import("/http.js")).exchanges(numbers),
  state: () => ({ isolated: crossOriginIsolated, userAgent: navigator.userAgent, gc: typeof gc === "function" }),
};
