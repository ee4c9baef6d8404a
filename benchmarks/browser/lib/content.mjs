import { evenlySpaced, read } from "./frames.mjs";
import { STREAMS, alongKeyframes, payloads } from "./streams.mjs";

/**
 * Everything of the recording that the page works on.
 * @returns {Promise<object>} frames (evenly spaced) and streamFrames (whole intervals), each { number, bytes }; payloads of each stream
 * codec; failures: why a stream codec has none; recording; played: frames of the chosen part
 */
export async function collect(options, isCancelled, progress) {
  const streams = options.codecs.filter((name) => name in STREAMS);
  let numbers, streamNumbers;
  const choose = (count) => {
    numbers = evenlySpaced(count, options.frames);
    streamNumbers = streams.length > 0 ? alongKeyframes(count, options.frames) : [];
    return [...numbers, ...streamNumbers];
  };
  const { frames, recording, played } = await read(options, choose, isCancelled);
  const pick = (chosen) => chosen.filter((number) => frames.has(number)).map((number) => ({ number, bytes: frames.get(number) }));
  const found = { frames: pick(numbers), streamFrames: pick(streamNumbers), payloads: {}, failures: {}, recording, played };
  for (const name of streams) {
    if (isCancelled()) break;
    progress(`reading ${name}`);
    try {
      found.payloads[name] = await payloads(options, name, streamNumbers, isCancelled);
    } catch (error) {
      // The system may lack the library of a compression.
      found.failures[name] = error.message;
    }
  }
  return found;
}
