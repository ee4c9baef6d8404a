import { stat } from "node:fs/promises";
import path from "node:path";
import { window } from "./daemon.mjs";
import { Refusal } from "./errors.mjs";
import { ENCODING, subscribe } from "./subscription.mjs";

/**
 * Frames of a recording, through the daemon.
 * @param {(count: number) => number[]} choose the numbers of the frames to take, of so many
 * @returns {Promise<{frames: Map<number, Uint8Array>, recording: object, played: number}>} by number; played: frames of the chosen part
 */
export async function read(options, choose, isCancelled) {
  const bytes = await stat(options.file).then((found) => found.size, () => undefined);
  if (bytes === undefined) throw new Refusal(3, `there is no recording ${options.file}`);
  const part = window(options);
  let match, wanted, played = 0;
  if (part.length > 0) {
    // Of a part of a recording nobody has said how many frames it has.
    const loops = { encoding: ENCODING.proto, fieldMask: { paths: ["observation.game_loop"] } };
    await subscribe(options, part, loops, () => {}, () => void played++, isCancelled);
    wanted = new Set(choose(played));
  }
  const frames = new Map();
  const note = (found) => {
    match = found;
    wanted ??= new Set(choose((played = Number(found.frameCount))));
  };
  let number = 0;
  await subscribe(options, part, { encoding: ENCODING.proto }, note, ({ observation }) => {
    if (wanted.has(number)) frames.set(number, observation.slice());
    number++;
    return frames.size < wanted.size;
  }, isCancelled);
  if (frames.size === 0 && !isCancelled()) throw new Refusal(3, `${options.file} has no observations in this part`);
  const recording = { file: path.basename(options.file), frames: Number(match?.frameCount ?? 0), bytes, simulated: match?.simulated ?? false };
  return { frames, recording, played };
}

/** Evenly spaced numbers, the first and the last among them: the choice of the C# and Python runners. */
export function evenlySpaced(count, wanted) {
  if (wanted >= count) return [...Array(count).keys()];
  if (wanted === 1) return [0];
  return Array.from({ length: wanted }, (_, i) => Math.floor((i * (count - 1)) / (wanted - 1)));
}
