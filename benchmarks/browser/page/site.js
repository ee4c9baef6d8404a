// Frames from and to the server of run.mjs.

/** The body at this path. */
export async function get(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** What a body holds: each with its length before it. */
export function split(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = [];
  for (let at = 0; at < bytes.length; ) {
    const length = view.getUint32(at, true);
    found.push(bytes.slice(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return found;
}

/** Has the server keep encoded frames under a name. */
export async function store(name, encoded) {
  const parts = encoded.map(asBytes).flatMap((bytes) => [new Uint32Array([bytes.length]), bytes]);
  const response = await fetch(`/stored/${name}`, { method: "POST", body: new Blob(parts) });
  if (!response.ok) throw new Error(`/stored/${name}: ${response.status}`);
}

/** An encoded frame as it is sent: text is UTF-8. */
export const asBytes = (each) => (typeof each === "string" ? new TextEncoder().encode(each) : each);
