// What a codec cannot carry, found out with values that matches seldom have.
import { difference } from "./plain.js";

const unit = (fields) => ({ observation: { raw_data: { units: [fields] } } });

const PROBES = [
  ["NaN and infinities", unit({ health: NaN, shield: Infinity, energy: -Infinity })],
  ["-0 apart from 0", unit({ facing: -0 })],
  ["64-bit values from 2^53 on", unit({ tag: 9007199254740993n })],
  ["64-bit values from 2^63 on", unit({ tag: 18446744073709551615n })],
  ["enum values of a newer game", unit({ display_type: 77 })],
];
const ZEROS = ["a zero apart from an absent field", unit({ health: 0, is_flying: false, assigned_harvesters: 0 })];

/** One line for each kind of value that does not come back. */
export function probe(codec) {
  const lost = [];
  for (const [what, plain] of [...PROBES, ZEROS]) {
    // What has no presence is not to lose every probe for it.
    const presence = what === ZEROS[0] || codec.shape.presence !== false;
    try {
      if (difference(codec.toPlain(codec.decode(codec.encode(codec.prepare(plain)))), plain, presence) !== undefined) lost.push(what);
    } catch (error) {
      lost.push(`${what} (${String(error).slice(0, 100)})`);
    }
  }
  return lost;
}
