// Time on a horizontal scale, for graphs and the scrubber. Pure: tested in Node.

import { LOOPS_PER_SECOND } from "../common/format.js";

const STEPS_SECONDS = [5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600];

export class TimeScale {
  /** @param first @param last game loops @param width pixels */
  constructor(first, last, width) {
    [this.first, this.last, this.width] = [first, Math.max(last, first + 1), Math.max(width, 1)];
  }

  /** Pixels from the left. */
  x(gameLoop) {
    return (this.width * (gameLoop - this.first)) / (this.last - this.first);
  }

  /** The game loop there, within the scale. */
  gameLoop(x) {
    const share = Math.min(Math.max(x / this.width, 0), 1);
    return Math.round(this.first + share * (this.last - this.first));
  }

  /** Game loops of round times, at least so many pixels apart. */
  ticks(apart = 60) {
    const seconds = (this.last - this.first) / LOOPS_PER_SECOND;
    const step = STEPS_SECONDS.find((each) => (each / seconds) * this.width >= apart) ?? STEPS_SECONDS.at(-1);
    const found = [];
    for (let at = Math.ceil(this.first / LOOPS_PER_SECOND / step) * step; at * LOOPS_PER_SECOND <= this.last; at += step)
      found.push(Math.ceil(at * LOOPS_PER_SECOND));
    return found;
  }
}
