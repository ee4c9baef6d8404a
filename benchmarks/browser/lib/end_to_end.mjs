import { play, window } from "./daemon.mjs";
import { statistics } from "./statistics.mjs";

const MAX_SKIPPED = 100;
const FORMATS = ["json", "protobuf", "columns+zstd-stream"];

/**
 * Frames from the daemon to the page by WebSocket, in JSON, protobuf and columns, as fast as they go and at the game's rate.
 * @returns {Promise<object>} `FORMAT-unlimited` and `FORMAT-22.4`, see README.md
 */
export async function endToEnd(runner, options, played, progress, isCancelled) {
  const found = {};
  const frames = Math.min(options.endToEndFrames, played);
  for (const format of FORMATS) {
    for (const rate of ["unlimited", "22.4"]) {
      if (isCancelled()) return found;
      progress(`end to end: ${format}, ${rate === "unlimited" ? "as fast as it goes" : `${rate} Hz`}`);
      const name = `${format}-${rate}`;
      try {
        found[name] = await one(runner, options, format, rate, frames);
      } catch (error) {
        if (!isCancelled()) found[name] = { error: String(error.message ?? error).split("\n")[0] };
      }
    }
  }
  return found;
}

async function one(runner, options, format, rate, frames) {
  // The daemon's and the page's code get warm in frames that do not count.
  const skip = Math.min(MAX_SKIPPED, Math.floor(frames / 4));
  const part = [...window({ ...options, playbackDuration: undefined }), "--playback-duration", String((frames - 0.5) / 22.4)];
  const speed = rate === "unlimited" ? ["--rate", "unlimited"] : ["--tick-hz", rate];
  const daemon = await play(options, ...speed, ...part, "--allow-origin", runner.origin);
  try {
    const given = { url: daemon.url, format, skip };
    return summarize(await runner.inPage((page) => page.evaluate((each) => harness.endToEnd(each), given)), skip);
  } finally {
    await daemon.stop();
  }
}

function summarize({ published, received, decoded, touched, bytes, timeOrigin, offset, checksum }, skip) {
  const ns = (from, to) => from.map((each, i) => (to[i] - each) * 1e6);
  const unix = (times) => times.map((each) => each + timeOrigin + offset);
  const busy = ns(received, touched);
  const count = received.length;
  return {
    frames: count,
    skipped: skip,
    bytes_mean: bytes / count,
    checksum,
    clock_offset_ns: offset * 1e6,
    frames_per_second: ((count - 1) * 1e3) / (touched[count - 1] - touched[0]),
    frames_per_second_without_server: (count * 1e9) / busy.reduce((sum, each) => sum + each, 0),
    published_to_received_ns: statistics([ns(published, unix(received))]),
    received_to_decoded_ns: statistics([ns(received, decoded)]),
    decoded_to_touched_ns: statistics([ns(decoded, touched)]),
    received_to_touched_ns: statistics([busy]),
    published_to_touched_ns: statistics([ns(published, unix(touched))]),
  };
}
