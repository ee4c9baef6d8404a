// A codec whose frames stand for themselves: check, sizes, times.
import { fetched } from "./fetched.js";
import { plainer } from "./materialize.js";
import { measure } from "./measure.js";
import { decodePlain, difference, fromPlain, toPlain } from "./plain.js";
import { probe } from "./probe.js";
import { asBytes, get, split, store } from "./site.js";
import { nameOf, scanner, toucher } from "./shape.js";

/** What run.mjs asks of a codec, over the evenly spaced frames. */
export async function openSingle(given) {
  const codec = complete(given);
  const frames = split(await get("/frames"));
  const encoded = frames.map((frame) => codec.wrap?.(frame) ?? codec.encode(codec.prepare(decodePlain(frame))));
  return {
    bytes: encoded.map(sizeOf),
    check: () => check(codec, frames, encoded),
    cannotCarry: () => [...(codec.cannotCarry ?? []), ...probe(codec)],
    send: (numbers) => store("codec", numbers.map((i) => encoded[i])),
    fetch: (numbers) => fetched(codec, numbers.map((i) => encoded[i])),
    time: ({ resolutionNs, warmUpMs }) => measure(codec, encoded, resolutionNs, warmUpMs),
  };
}

/** What a codec leaves out follows from its shape. */
function complete(given) {
  const codec = { ...given };
  codec.prepare ??= (plain) => fromPlain(plain, given.shape);
  // What is encoded: what was decoded, unless a program holds something else.
  codec.source ??= (decoded) => decoded;
  codec.touch ??= toucher(given.shape);
  const scan = scanner(given.shape);
  codec.scan ??= (bytes) => scan(codec.decode(bytes));
  codec.toPlain ??= (decoded) => toPlain(decoded, given.shape);
  codec.plain ??= plainer(given.shape);
  return codec;
}

const sizeOf = (each) => asBytes(each).length;

/** The first problem of any frame, or null. */
function check(codec, frames, encoded) {
  const touch = toucher({ names: "snake" });
  const presence = codec.shape.presence !== false;
  for (const [i, frame] of frames.entries()) {
    const plain = decodePlain(frame);
    try {
      const decoded = codec.decode(encoded[i]);
      const first = difference(codec.toPlain(decoded), plain, presence);
      if (first !== undefined) return `frame ${i}: ${first}`;
      if (codec.encode && !codec.readsOnly) {
        const again = difference(codec.toPlain(codec.decode(codec.encode(codec.source(codec.decode(encoded[i]))))), plain, presence);
        if (again !== undefined) return `frame ${i}, encoded again: ${again}`;
      }
      if (codec.touch(decoded) !== touch(plain)) return `frame ${i}: the checksum of its fields is another`;
      const materialized = difference(codec.plain(codec.decode(encoded[i])), plain, presence);
      if (materialized !== undefined) return `frame ${i}, as a plain object: ${materialized}`;
      const problem = differentScan(codec.scan(encoded[i]), plain);
      if (problem !== undefined) return `frame ${i}: ${problem}`;
    } catch (error) {
      return `frame ${i}: ${error}`;
    }
  }
  return codec.verify ? refusesWrongTypes(codec, encoded[0]) : null;
}

/** A verifier has to refuse what is no observation. */
function refusesWrongTypes({ verify, decode, shape }, first) {
  const camel = (name) => nameOf(shape, { name }, "");
  const decoded = decode(first);
  decoded[camel("observation")][camel("game_loop")] = "ten";
  try {
    verify(decoded);
  } catch {
    return null;
  }
  return "a game loop that is no number is not refused";
}

/** What is wrong with the sum of all x that was found. */
export function differentScan(found, plain) {
  const x = (plain.observation?.raw_data?.units ?? []).reduce((sum, unit) => sum + (unit.pos?.x ?? 0), 0);
  return Math.abs(found - x) <= 1e-6 * Math.abs(x) ? undefined : "the sum of all x is another";
}
