// One codec end to end: the frame is requested, its body read and decoded, and made into the plain object that all codecs end at.
import { store } from "./site.js";

const WARM_UP = 20;

/**
 * @param {object} codec with decode, and plain: from what it decodes to the plain object
 * @param {(string | Uint8Array)[]} encoded frames
 * @returns {Promise<Record<string, Record<string, number[]>>>} by content encoding: bytes on the wire, and ns of each part
 */
export async function fetched(codec, encoded) {
  const isText = typeof encoded[0] === "string";
  await store("codec", encoded);
  const found = {};
  for (const encoding of ["identity", "gzip"]) {
    const query = encoding === "gzip" ? "?gzip" : "";
    for (let i = 0; i < WARM_UP; i++) await one(codec, `/stored/codec/${i % encoded.length}${query}`, isText);
    const parts = { bytes: [], total: [], server: [], body: [], decode: [], plain: [] };
    for (let i = 0; i < encoded.length; i++) {
      for (const [name, value] of Object.entries(await one(codec, `/stored/codec/${i}${query}`, isText))) parts[name].push(value);
    }
    found[encoding] = parts;
  }
  return found;
}

async function one(codec, url, isText) {
  const start = performance.now();
  const response = await fetch(url);
  const answered = performance.now();
  const body = isText ? await response.text() : new Uint8Array(await response.arrayBuffer());
  const read = performance.now();
  const decoded = codec.decode(body);
  const done = performance.now();
  globalThis.kept.object = codec.plain(decoded);
  const plain = performance.now();
  const header = (name) => Number(response.headers.get(name));
  return {
    bytes: header("X-Wire-Bytes"),
    server: header("X-Server-Ns"),
    total: (plain - start) * 1e6,
    body: (read - answered) * 1e6,
    decode: (done - read) * 1e6,
    plain: (plain - done) * 1e6,
  };
}
