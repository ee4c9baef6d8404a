import protobuf from "protobufjs";
import WebSocket from "ws";
import { play } from "./daemon.mjs";
import { Refusal } from "./errors.mjs";

// The daemon's messages as far as they are needed; an observation stays the bytes that it is.
const { root } = protobuf.parse(`syntax = "proto3";
  message Match { bool simulated = 9; uint64 frame_count = 12; }
  message Frame { bool keyframe = 8; bytes observation = 14; bytes data = 15; uint32 plain_bytes = 17; }
  message Error { string message = 3; }
  message ServerMessage { Match match = 1; Frame frame = 2; Error error = 4; }
  message FieldMask { repeated string paths = 1; }
  message SubscribeRequest { int32 policy = 1; int32 encoding = 2; int32 compression = 3; FieldMask field_mask = 4; }
  message ClientMessage { SubscribeRequest subscribe = 2; }`);
const ClientMessage = root.lookupType("ClientMessage");
const ServerMessage = root.lookupType("ServerMessage");
const EVERY = 1;

/** Numbers of the protocol's Encoding and Compression. */
export const ENCODING = { proto: 1, columns: 3 };
export const COMPRESSION = { none: 0, "zstd-stream": 4, "br-stream": 5 };

/** The first message of a binary connection that gets every frame. */
export const subscription = (request) => ClientMessage.encode({ subscribe: { policy: EVERY, ...request } }).finish();

/**
 * Plays a part of the recording as fast as it goes.
 * @param {object} options the command line's
 * @param {string[]} part the part, as the daemon's options
 * @param {object} request encoding, compression, fieldMask
 * @param {(match: object) => void} onMatch
 * @param {(frame: object) => boolean | void} onFrame false: no more frames are needed
 * @param {() => boolean} isCancelled
 */
export async function subscribe(options, part, request, onMatch, onFrame, isCancelled) {
  const daemon = await play(options, "--rate", "unlimited", ...part);
  try {
    await new Promise((resolve, reject) => {
      const socket = new WebSocket(daemon.url, { perMessageDeflate: false, maxPayload: 256 << 20 });
      let isDone = false;
      socket.on("open", () => socket.send(subscription(request)));
      socket.on("message", (data) => {
        if (isDone) return;
        const { match, frame, error } = ServerMessage.decode(data);
        if (error) reject(new Refusal(1, `the daemon: ${error.message}`));
        if (match) onMatch(match);
        isDone = isCancelled() || (frame && onFrame(frame) === false);
        if (isDone) socket.close();
      });
      socket.on("error", reject);
      socket.on("close", resolve);
    });
  } finally {
    await daemon.stop();
  }
}
