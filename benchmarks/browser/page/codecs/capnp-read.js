import { Message } from "capnp-es";
import { ResponseObservation } from "#build/capnp/observation.js";
import { messages } from "../model.g.js";
import { fromPlain, toPlain } from "../plain.js";
import { camel, materializer, scanner, toucher } from "../shape.js";

const shape = { names: "camel", uint64: "bigint", access: "capnp", presence: false };
export const plainShape = { names: "camel", uint64: "bigint", presence: false };
export const materialize = materializer(shape, "camel");
const scan = scanner(shape);
const upper = (name) => name[0].toUpperCase() + name.slice(1);

/** Writes a plain object through the accessors. */
function fill(to, from, message) {
  for (const { name, kind, repeated, message: type } of messages[message]) {
    const key = camel(name);
    const value = from[key];
    if (value === undefined) continue;
    if (repeated) {
      const list = to[`_init${upper(key)}`](value.length);
      for (let i = 0; i < value.length; i++) {
        if (kind === "message") fill(list.get(i), value[i], type);
        else list.set(i, value[i]);
      }
    } else if (kind === "message") fill(to[`_init${upper(key)}`](), value, type);
    else if (kind === "bytes") to[`_init${upper(key)}`](value.length).copyBuffer(value);
    else to[key] = value;
  }
}

const root = (bytes) => new Message(bytes, false).getRoot(ResponseObservation);

export default {
  label: "Cap'n Proto (capnp-es), read in place",
  packages: ["capnp-es"],
  footnotes: ["decode only finds the root; what is read is read, and its pointers checked, at each access. Unpacked messages."],
  cannotCarry: ["unknown fields of a newer game"],
  readsOnly: true,
  shape,
  prepare: (plain) => fromPlain(plain, plainShape),
  encode(object) {
    const message = new Message();
    fill(message.initRoot(ResponseObservation), object, "ResponseObservation");
    return new Uint8Array(message.toArrayBuffer());
  },
  decode: root,
  touch: toucher(shape),
  scan: (bytes) => scan(root(bytes)),
  toPlain: (decoded) => toPlain(materialize(decoded), plainShape),
};
