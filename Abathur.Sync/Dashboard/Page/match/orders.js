// The orders of units, and the way through their targets. Pure: tested in Node.

const COUNT = 45;

/** The orders of one frame; the decoder's table is read once. */
export class Orders {
  #starts;
  #columns;

  constructor(decoder) {
    const counts = decoder.units.cells[COUNT];
    this.#starts = new Uint32Array(counts.length + 1);
    for (let row = 0; row < counts.length; row++) this.#starts[row + 1] = this.#starts[row] + counts[row];
    const table = decoder.tables[1];
    this.#columns = ["ability_id", "target_unit_tag", "x", "y", "progress"].map((name) => table.column(name));
  }

  /** The orders of the unit in a row, in their order: { ability, target (a tag, or 0n), x, y, progress }. */
  of(row) {
    const [ability, target, x, y, progress] = this.#columns;
    const found = [];
    for (let at = this.#starts[row]; at < this.#starts[row + 1]; at++)
      found.push({ ability: ability[at], target: target[at], x: x[at], y: y[at], progress: progress[at] });
    return found;
  }
}

/**
 * The way of a unit at x, y: a line to each target, { x0, y0, x1, y1, isQueued }. Orders without a place have no line.
 * @param {(tag: bigint) => number[] | undefined} placeOf where a unit is
 */
export function wayOf(orders, x, y, placeOf) {
  const lines = [];
  let here = [x, y];
  orders.forEach((order, at) => {
    const next = order.target ? placeOf(order.target) : order.x || order.y ? [order.x, order.y] : undefined;
    if (next === undefined) return;
    lines.push({ x0: here[0], y0: here[1], x1: next[0], y1: next[1], isQueued: at > 0 });
    here = next;
  });
  return lines;
}

/** Points of an arrow head at x1, y1 of a line that comes from x0, y0: its two ends. */
export function arrowHead(x0, y0, x1, y1, size) {
  const angle = Math.atan2(y1 - y0, x1 - x0);
  return [angle + 2.6, angle - 2.6].map((each) => [x1 + size * Math.cos(each), y1 + size * Math.sin(each)]);
}
