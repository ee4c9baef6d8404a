// What drawing costs: the time of each draw and how many there are a second, of the last few hundred.

const KEPT = 512;

export class DrawTimes {
  #costs = new Float64Array(KEPT);
  #at = new Float64Array(KEPT);
  #count = 0;

  /** Draws since the page was opened. */
  get count() {
    return this.#count;
  }

  add(now, ms) {
    this.#costs[this.#count % KEPT] = ms;
    this.#at[this.#count % KEPT] = now;
    this.#count++;
  }

  /** { fps, p50, p99 } of the last `seconds`, costs in ms; fps is 0 if nothing was drawn. */
  over(now, seconds) {
    const costs = [];
    for (let i = 0; i < Math.min(this.#count, KEPT); i++) if (this.#at[i] > now - seconds * 1000) costs.push(this.#costs[i]);
    costs.sort((a, b) => a - b);
    const part = (share) => costs[Math.min(Math.floor(share * costs.length), costs.length - 1)] ?? 0;
    return { fps: costs.length / seconds, p50: part(0.5), p99: part(0.99) };
  }
}
