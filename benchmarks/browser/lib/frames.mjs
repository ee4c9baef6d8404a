import { stat } from "node:fs/promises";
import path from "node:path";
import protobuf from "protobufjs";
import WebSocket from "ws";
import { play, window } from "./daemon.mjs";
import { Refusal } from "./errors.mjs";

// The daemon's messages as far as they are needed; an observation stays the bytes that it is.
const { root } = protobuf.parse(`syntax = "proto3";
  message Match { bool simulated = 9; uint64 frame_count = 12; }
  message Frame { uint32 game_loop = 3; bytes observation = 14; }
  message Error { string message = 3; }
  message ServerMessage { Match match = 1; Frame frame = 2; Error error = 4; }`);
const ServerMessage = root.lookupType("ServerMessage");
// SubscribeRequest { policy: every, encoding: proto }, without and with field_mask { paths: "observation.game_loop" }
const WHOLE = [0x08, 1, 0x10, 1];
const MASK = [...Buffer.from("observation.game_loop")];
const LOOPS = [...WHOLE, 0x22, MASK.length + 2, 0x0a, MASK.length, ...MASK];

/**
 * Evenly spaced frames of a recording, through the daemon.
 * @returns {Promise<{frames: {number: number, bytes: Uint8Array}[], recording: object, played: number}>} played: frames of the chosen part
 */
export async function read(options, isCancelled) {
  const bytes = await stat(options.file).then((found) => found.size, () => undefined);
  if (bytes === undefined) throw new Refusal(3, `there is no recording ${options.file}`);
  const part = window(options);
  let match, played = 0;
  const noteMatch = (found) => (match = found);
  // Of a part of a recording nobody has said how many frames it has.
  if (part.length > 0) await stream(options, part, LOOPS, noteMatch, () => void played++, isCancelled);
  let wanted;
  const choose = (count) => (wanted = new Set(evenlySpaced(count, options.frames)));
  if (part.length > 0) choose(played);
  const frames = [];
  let number = 0;
  const note = (found) => {
    noteMatch(found);
    if (wanted === undefined) choose((played = Number(found.frameCount)));
  };
  await stream(options, part, WHOLE, note, (frame) => {
    if (wanted.has(number)) frames.push({ number, bytes: frame.observation.slice() });
    number++;
  }, isCancelled);
  if (frames.length === 0 && !isCancelled()) throw new Refusal(3, `${options.file} has no observations in this part`);
  const recording = { file: path.basename(options.file), frames: Number(match?.frameCount ?? 0), bytes, simulated: match?.simulated ?? false };
  return { frames, recording, played };
}

/** Evenly spaced numbers, the first and the last among them: the choice of the C# and Python runners. */
export function evenlySpaced(count, wanted) {
  if (wanted >= count) return [...Array(count).keys()];
  if (wanted === 1) return [0];
  return Array.from({ length: wanted }, (_, i) => Math.floor((i * (count - 1)) / (wanted - 1)));
}

async function stream(options, part, subscribe, onMatch, onFrame, isCancelled) {
  const daemon = await play(options, "--rate", "unlimited", ...part);
  try {
    await new Promise((resolve, reject) => {
      const socket = new WebSocket(daemon.url, { perMessageDeflate: false, maxPayload: 256 << 20 });
      socket.on("open", () => socket.send(Uint8Array.from([0x12, subscribe.length, ...subscribe])));
      socket.on("message", (data) => {
        if (isCancelled()) return socket.close();
        const { match, frame, error } = ServerMessage.decode(data);
        if (error) reject(new Refusal(1, `the daemon: ${error.message}`));
        if (match) onMatch(match);
        if (frame) onFrame(frame);
        return undefined;
      });
      socket.on("error", reject);
      socket.on("close", resolve);
    });
  } finally {
    await daemon.stop();
  }
}
