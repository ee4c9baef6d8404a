// Where units have been in the last seconds. Bounded: so many units, and so many places of each. Pure: tested in Node.

import { LOOPS_PER_SECOND } from "../common/format.js";
import { ENEMY, SELF } from "../match/world.js";

/** Game loops that a trail is long, and from one of its places to the next. */
export const TRAIL_LOOPS = Math.round(5 * LOOPS_PER_SECOND);
const STEP_LOOPS = 8;
const PLACES = Math.ceil(TRAIL_LOOPS / STEP_LOOPS) + 1;
export const MAX_TRAILS = 600;
const LEAST_STEP = 0.05;
/** A seek, or so many dropped frames that there is no telling which way a unit took. */
const JUMP_LOOPS = 64;

class Trail {
  alliance = 0;
  size = 0;
  #x = new Float32Array(PLACES);
  #y = new Float32Array(PLACES);
  #loop = new Int32Array(PLACES);
  #next = 0;

  add(x, y, gameLoop) {
    this.#x[this.#next] = x;
    this.#y[this.#next] = y;
    this.#loop[this.#next] = gameLoop;
    this.#next = (this.#next + 1) % PLACES;
    this.size = Math.min(this.size + 1, PLACES);
  }

  /** The place at a number from the newest, 0, on: [x, y, game loop]. */
  x(back) {
    return this.#x[this.#at(back)];
  }

  y(back) {
    return this.#y[this.#at(back)];
  }

  loop(back) {
    return this.#loop[this.#at(back)];
  }

  /** A unit that has not moved is still at its newest place. */
  stays(gameLoop) {
    this.#loop[this.#at(0)] = gameLoop;
  }

  #at(back) {
    return (this.#next - 1 - back + 2 * PLACES) % PLACES;
  }
}

export class Trails {
  #trails = new Map();
  #last = -Infinity;

  /** How many units have one. */
  get size() {
    return this.#trails.size;
  }

  /** Places of a unit, newest first: [x, y, game loop][]. */
  of(tag) {
    const trail = this.#trails.get(tag);
    return Array.from({ length: trail?.size ?? 0 }, (_, back) => [trail.x(back), trail.y(back), trail.loop(back)]);
  }

  clear() {
    this.#trails.clear();
    this.#last = -Infinity;
  }

  /** Adds the newest frame; workers and neutral units leave no trails. */
  add({ units, gameLoop }, facts) {
    if (gameLoop < this.#last || gameLoop - this.#last > JUMP_LOOPS) this.clear();
    if (gameLoop - this.#last < STEP_LOOPS) return;
    this.#last = gameLoop;
    for (let row = 0; row < units.rows; row++) {
      const alliance = units.alliance[row];
      if (!units.used[row] || (alliance !== SELF && alliance !== ENEMY) || facts.isWorker(units.unit_type[row])) continue;
      this.#step(units.tag[row], alliance, units.x[row], units.y[row], gameLoop);
    }
    for (const [tag, trail] of this.#trails) if (gameLoop - trail.loop(0) > TRAIL_LOOPS) this.#trails.delete(tag);
  }

  #step(tag, alliance, x, y, gameLoop) {
    let trail = this.#trails.get(tag);
    if (trail === undefined) {
      if (this.#trails.size >= MAX_TRAILS) return;
      trail = new Trail();
      trail.alliance = alliance;
      this.#trails.set(tag, trail);
    } else if (Math.abs(trail.x(0) - x) < LEAST_STEP && Math.abs(trail.y(0) - y) < LEAST_STEP) {
      if (trail.size === 1) trail.stays(gameLoop);
      return;
    }
    trail.add(x, y, gameLoop);
  }

  /** Calls visit(tag, trail, places) for each trail with places of the last seconds: so many. */
  each(gameLoop, visit) {
    for (const [tag, trail] of this.#trails) {
      let places = 0;
      while (places < trail.size && gameLoop - trail.loop(places) <= TRAIL_LOOPS) places++;
      if (places > 0) visit(tag, trail, places);
    }
  }
}
