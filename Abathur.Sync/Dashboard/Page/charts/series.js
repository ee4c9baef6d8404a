// The last minute of a figure. Pure: tested in Node.

export const WINDOW_MS = 60_000;
const CAPACITY = 4096;

/** A ring of (time, value), bounded: if more arrive in a minute than it holds, the oldest are removed earlier. */
export class Series {
  #times = new Float64Array(CAPACITY);
  #values = new Float64Array(CAPACITY);
  #first = 0;
  #size = 0;

  add(time, value) {
    const at = (this.#first + this.#size) % CAPACITY;
    this.#times[at] = time;
    this.#values[at] = value;
    if (this.#size < CAPACITY) this.#size++;
    else this.#first = (this.#first + 1) % CAPACITY;
  }

  clear() {
    this.#first = this.#size = 0;
  }

  /** Removes values older than a minute; returns how many are left. */
  trim(now) {
    while (this.#size > 0 && this.#times[this.#first] < now - WINDOW_MS) {
      this.#first = (this.#first + 1) % CAPACITY;
      this.#size--;
    }
    return this.#size;
  }

  get size() {
    return this.#size;
  }

  time(i) {
    return this.#times[(this.#first + i) % CAPACITY];
  }

  value(i) {
    return this.#values[(this.#first + i) % CAPACITY];
  }

  get newest() {
    return this.#size > 0 ? this.value(this.#size - 1) : NaN;
  }

  /** Quantiles for these shares, e.g. [0.5, 0.99]; NaN without values. */
  quantiles(parts) {
    const sorted = Float64Array.from({ length: this.#size }, (_, i) => this.value(i)).sort();
    return parts.map((part) => (sorted.length ? sorted[Math.min(Math.ceil(part * sorted.length), sorted.length) - 1] ?? sorted[0] : NaN));
  }

  get largest() {
    let largest = 0;
    for (let i = 0; i < this.#size; i++) largest = Math.max(largest, this.value(i));
    return largest;
  }
}

/** The top of a scale that holds a value: 1, 2 or 5 times a power of ten. */
export function scaleTop(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((each) => each * power).find((top) => top >= value * 0.9999);
}
