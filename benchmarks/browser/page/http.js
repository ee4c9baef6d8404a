// Frames by HTTP: requested and posted, in protobuf and JSON, gzip or not. What a page does with fetch().
import json from "./codecs/json.js";
import protobufjs from "./codecs/protobufjs.js";
import { decodePlain } from "./plain.js";
import { get, split, store } from "./site.js";

const WARM_UP = 20;
const text = new TextEncoder();

const FORMATS = {
  protobuf: { encode: protobufjs.encode, read: async (response) => protobufjs.decode(new Uint8Array(await response.arrayBuffer())) },
  json: { encode: (source) => text.encode(json.encode(source)), read: (response) => response.json() },
};

/**
 * Does every kind of exchange for each of these frames.
 * @param {number[]} numbers
 * @returns {Promise<Record<string, {bytes: number[], total: number[], server: number[]}>>} by kind; bytes on the wire, times in ns
 */
export async function exchanges(numbers) {
  const recorded = split(await get("/frames"));
  const frames = numbers.map((i) => decodePlain(recorded[i]));
  const sources = { protobuf: frames.map(protobufjs.prepare), json: frames.map(json.prepare) };
  const kinds = Object.keys(FORMATS).flatMap((format) => [false, true].flatMap((isCompressed) => [
    { name: `get-${format}${isCompressed ? "-gzip" : ""}`, run: (i) => request(format, i, isCompressed) },
    { name: `post-${format}${isCompressed ? "-gzip" : ""}`, run: (i) => post(format, sources[format][i], isCompressed) },
  ]));
  for (const [format, { encode }] of Object.entries(FORMATS)) await store(format, sources[format].map(encode));
  for (const { run } of kinds) for (let i = 0; i < WARM_UP; i++) await run(i % frames.length);
  const found = Object.fromEntries(kinds.map(({ name }) => [name, { bytes: [], total: [], server: [] }]));
  for (const [i, frame] of frames.entries()) {
    for (const { name, run } of kinds) {
      const { total, response, gameLoop } = await run(i);
      if (gameLoop !== frame.observation.game_loop) throw new Error(`${name}: game loop ${gameLoop}`);
      found[name].bytes.push(Number(response.headers.get("X-Wire-Bytes")));
      found[name].server.push(Number(response.headers.get("X-Server-Ns")));
      found[name].total.push(total);
    }
  }
  return found;
}

/** From the request to the decoded message. */
async function request(format, i, isCompressed) {
  const start = performance.now();
  const response = await fetch(`/stored/${format}/${i}${isCompressed ? "?gzip" : ""}`);
  const { observation } = await FORMATS[format].read(response);
  return { total: (performance.now() - start) * 1e6, response, gameLoop: observation.gameLoop };
}

/** From the message to the server's answer that it has decoded it. */
async function post(format, source, isCompressed) {
  const start = performance.now();
  const bytes = FORMATS[format].encode(source);
  const body = isCompressed ? await compressed(bytes) : bytes;
  const headers = isCompressed ? { "Content-Encoding": "gzip" } : {};
  const response = await fetch(`/posted/${format}`, { method: "POST", body, headers });
  const total = (performance.now() - start) * 1e6;
  return { total, response, gameLoop: Number(response.headers.get("X-Game-Loop")) };
}

const compressed = (bytes) => new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
