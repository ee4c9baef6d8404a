// The server's side of HTTP: frames that the page has sent are given back, compressed or not, and frames that it posts are decoded.
import path from "node:path";
import { pathToFileURL } from "node:url";
import zlib from "node:zlib";
import { LEVELS } from "./sizes.mjs";

/** Decoders of what is posted: protobufjs's static code, and JSON.parse. Each gives the game loop that it found. */
async function decoders(generated) {
  const { SC2APIProtocol } = await import(pathToFileURL(path.join(generated, "protobufjs.js")));
  return {
    protobuf: (body) => SC2APIProtocol.ResponseObservation.decode(body).observation.gameLoop,
    json: (body) => JSON.parse(body.toString("utf8")).observation.gameLoop,
  };
}

/**
 * A handler of the paths below; times are in header X-Server-Ns, sizes on the wire in X-Wire-Bytes.
 * - POST /stored/NAME: frames, each with its length before it
 * - GET /stored/NAME/INDEX?gzip: one of them
 * - POST /posted/protobuf or /posted/json: a frame, gzip or not (Content-Encoding); X-Game-Loop is what was found in it
 * @param {string} generated folder of the compilers' output
 * @returns {Promise<{handle: (request, response, url: URL, headers: object) => boolean, stored: Record<string, Buffer[]>}>}
 */
export async function exchange(generated) {
  const decode = await decoders(generated);
  const stored = {};

  function handle(request, response, url, headers) {
    const [, kind, name, index] = url.pathname.split("/");
    if (kind === "stored" && request.method === "POST") {
      receive(request, (body) => {
        stored[decodeURIComponent(name)] = split(body);
        response.writeHead(204, headers).end();
      });
    } else if (kind === "stored") {
      give(response, stored[decodeURIComponent(name)]?.[Number(index)], url.searchParams.has("gzip"), headers);
    } else if (kind === "posted") {
      receive(request, (body) => take(response, body, decode[name], request.headers["content-encoding"] === "gzip", headers));
    } else return false;
    return true;
  }

  return { handle, stored };
}

function give(response, frame, isCompressed, headers) {
  if (frame === undefined) {
    response.writeHead(404, headers).end();
    return;
  }
  const start = process.hrtime.bigint();
  const body = isCompressed ? zlib.gzipSync(frame, { level: LEVELS.gzip }) : frame;
  response.writeHead(200, {
    ...headers,
    ...(isCompressed && { "Content-Encoding": "gzip" }),
    "Content-Type": "application/octet-stream",
    "Content-Length": body.length,
    "X-Wire-Bytes": body.length,
    "X-Server-Ns": String(process.hrtime.bigint() - start),
  });
  response.end(body);
}

function take(response, body, decode, isCompressed, headers) {
  const start = process.hrtime.bigint();
  const gameLoop = decode(isCompressed ? zlib.gunzipSync(body) : body);
  const spent = process.hrtime.bigint() - start;
  response.writeHead(204, { ...headers, "X-Wire-Bytes": body.length, "X-Server-Ns": String(spent), "X-Game-Loop": gameLoop }).end();
}

function receive(request, done) {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => done(Buffer.concat(parts)));
}

function split(bytes) {
  const frames = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    frames.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return frames;
}
