import { evenlySpaced } from "./frames.mjs";
import { statistics } from "./statistics.mjs";

/** Most frames that are exchanged in each way. */
export const MAX_FRAMES = 50;

const mean = (values) => values.reduce((sum, each) => sum + each, 0) / values.length;

/**
 * Frames requested and posted by HTTP, in protobuf and JSON, gzip or not.
 * @param {number} frames that there are
 * @returns {Promise<object>} `get-protobuf`, `get-protobuf-gzip`, `post-json`, ..., see README.md
 */
export async function http(runner, options, frames, progress, isCancelled) {
  const numbers = evenlySpaced(frames, MAX_FRAMES);
  const rounds = [];
  for (let round = 1; round <= options.rounds && !isCancelled(); round++) {
    progress(`round ${round} of ${options.rounds}: HTTP`);
    try {
      rounds.push(await runner.inPage((page) => page.evaluate((each) => harness.http(each), numbers)));
    } catch (error) {
      if (!isCancelled()) return { error: String(error.message ?? error).split("\n")[0] };
    }
  }
  const kinds = Object.keys(rounds[0] ?? {});
  return Object.fromEntries(kinds.map((kind) => [kind, summarize(rounds.map((round) => round[kind]))]));
}

function summarize(rounds) {
  return {
    frames: rounds[0].bytes.length,
    bytes: mean(rounds[0].bytes),
    total_ns: statistics(rounds.map(({ total }) => total)),
    server_ns: statistics(rounds.map(({ server }) => server)),
  };
}

/** A codec's frames from the request to the plain object; rounds as page/fetched.js gives them. Null where there are none. */
export function summarizeFetched(rounds) {
  if (rounds.length === 0) return null;
  const one = (encoding) => {
    const each = rounds.map((round) => round[encoding]);
    const timed = (pick) => statistics(each.map(pick));
    return {
      ...summarize(each),
      client_ns: timed(({ total, server }) => total.map((ns, i) => ns - server[i])),
      body_ns: timed(({ body }) => body),
      decode_ns: timed(({ decode }) => decode),
      plain_ns: timed(({ plain }) => plain),
    };
  };
  return Object.fromEntries(Object.keys(rounds[0]).map((encoding) => [encoding, one(encoding)]));
}
