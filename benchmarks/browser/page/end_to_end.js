// Frames of the daemon by WebSocket, in this page: received, decoded, touched.
import { ColumnsDecoder } from "#columns";
import { jsonShape } from "./codecs/json_shape.js";
import { ServerMessage, messageShape } from "./codecs/protobufjs_shape.js";
import { touch as touchColumns } from "./columns_shape.js";
import { zstdStream } from "./decompress.js";
import { toucher } from "./shape.js";

/** By format: what is sent first, and a reader of messages, which returns their frame and the observation in it. */
const FORMATS = {
  json: {
    subscribe: JSON.stringify({ subscribe: { policy: "every", encoding: "json", name: "browser benchmark" } }),
    published: (frame) => Number(BigInt(frame.publishedUnixNs) / 1000n) / 1e3,
    touch: toucher(jsonShape),
    reader: () => (data) => {
      const { frame } = JSON.parse(data);
      return { frame, observation: frame?.observation };
    },
  },
  protobuf: {
    // ClientMessage { subscribe: SubscribeRequest { policy: every, encoding: proto } }
    subscribe: new Uint8Array([0x12, 4, 0x08, 1, 0x10, 1]),
    published: publishedMs,
    touch: toucher(messageShape),
    reader: () => (data) => {
      const { frame } = ServerMessage.decode(new Uint8Array(data));
      return { frame, observation: frame?.observation };
    },
  },
  "columns+zstd-stream": {
    // ... encoding: columns, compression: zstd_stream
    subscribe: new Uint8Array([0x12, 6, 0x08, 1, 0x10, 3, 0x18, 4]),
    published: publishedMs,
    touch: touchColumns,
    reader() {
      const [expand, decoder] = [zstdStream(), new ColumnsDecoder()];
      return (data) => {
        const { frame } = ServerMessage.decode(new Uint8Array(data));
        return { frame, observation: frame ? decoder.decode(expand(frame.data, frame)) : undefined };
      };
    },
  },
};

function publishedMs(frame) {
  return frame.publishedUnixNs.toNumber() / 1e6;
}

/**
 * Takes frames until the stream ends.
 * @param {{url: string, format: string, skip: number}} options skip: frames at the start that warm up and do not count
 * @returns {Promise<object>} per frame in ms: published (Unix), received, decoded, touched (performance.now()), and what relates the clocks
 */
export function endToEnd({ url, format, skip }) {
  const { subscribe, published, touch, reader } = FORMATS[format];
  const read = reader();
  const offset = unixOffset();
  const result =
    { published: [], received: [], decoded: [], touched: [], bytes: 0, checksum: 0, timeOrigin: performance.timeOrigin, offset };
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    let count = 0;
    socket.onopen = () => socket.send(subscribe);
    socket.onerror = () => reject(new Error(`no connection to ${url}`));
    socket.onclose = ({ code, reason }) => (code === 1000 ? resolve(result) : reject(new Error(`closed with ${code} ${reason}`)));
    socket.onmessage = ({ data }) => {
      const received = performance.now();
      const { frame, observation } = read(data);
      const decoded = performance.now();
      if (!frame) return;
      result.checksum ^= touch(observation);
      const touched = performance.now();
      if (++count <= skip) return;
      result.published.push(published(frame));
      result.received.push(received);
      result.decoded.push(decoded);
      result.touched.push(touched);
      result.bytes += data.byteLength ?? data.length;
    };
  });
}

/**
 * Unix time minus (timeOrigin + now()), ms. Date.now() is cut to whole ms, so the largest difference seen is that of a ms that has just
 * begun.
 */
function unixOffset() {
  let largest = -Infinity;
  for (const start = performance.now(); performance.now() - start < 20; ) {
    largest = Math.max(largest, Date.now() - (performance.timeOrigin + performance.now()));
  }
  return largest;
}
