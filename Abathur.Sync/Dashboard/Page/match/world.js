// What the page knows of the match: the newest frame and the one before it, read from the columns encoding.

import { ColumnsDecoder } from "../common/columns.js";
import { Rest } from "../daemon/messages.js";
import { read } from "../daemon/wire.js";
import { interval, walks } from "./interpolation.js";
import { Orders } from "./orders.js";

const MAX_HITS = 256;
const HIT_LEAST = 0.5;
const KEYFRAMES_KEPT = 512;
export const [SELF, ALLY, NEUTRAL, ENEMY] = [1, 2, 3, 4];
const FLOATS = [
  "x", "y", "radius", "health", "shield", "energy", "health_max", "shield_max", "energy_max", "facing", "weapon_cooldown",
  "build_progress"];
const NUMBERS = ["alliance", "unit_type", "display_type", "owner"];
const TAGS = ["tag", "engaged_target_tag"];

/** The units of one frame as arrays, one place a row of the table; `used` says which rows are units. */
class Units {
  rows = 0;
  used = new Uint8Array(0);
  rowOf = new Map();

  fill(decoder) {
    const table = decoder.units;
    this.rows = table.rows;
    this.used = decoder.used.slice();
    for (const name of [...FLOATS, ...NUMBERS, ...TAGS]) this[name] = table.column(name);
    this.rowOf.clear();
    for (let row = 0; row < this.rows; row++) if (this.used[row]) this.rowOf.set(this.tag[row], row);
  }
}

/** A place where a unit has been hit: drawn as a pulse. */
class Hit {
  x = 0;
  y = 0;
  at = -Infinity;
  alliance = 0;
  type = 0;
  tag = 0n;
}

export class World {
  match = undefined;
  gameLoop = undefined;
  /** Everything in the newest frame except units and grids. */
  rest = {};
  units = new Units();
  before = new Units();
  /** When the newest frame arrived, and how long the movement to it is drawn, in ms of performance.now(). */
  arrived = 0;
  interval = 0;
  /** 1 for rows whose unit moved since the previous frame. */
  moved = new Uint8Array(0);
  /** A ring of the latest hits. */
  hits = Array.from({ length: MAX_HITS }, () => new Hit());
  drawings = [];
  /** Game loops of keyframes, oldest first. */
  keyframes = [];
  /** Game loops from one frame to the next, usually. */
  loopsPerFrame = 1;
  decoder = new ColumnsDecoder();
  #nextHit = 0;
  #orders;

  /** Called when a match, or a connection to it, begins. */
  begin(match) {
    // Of another source nothing stays; after a lost connection the last frame does.
    if (match.runId !== this.match?.runId) this.#forget();
    this.match = match;
    this.decoder = new ColumnsDecoder();
    this.#orders = undefined;
    this.keyframes = [];
    this.drawings = [];
  }

  #forget() {
    this.gameLoop = undefined;
    this.rest = {};
    [this.units, this.before] = [new Units(), new Units()];
    this.moved = new Uint8Array(0);
    for (const hit of this.hits) hit.at = -Infinity;
    this.loopsPerFrame = 1;
  }

  /** Adds a frame; throws ColumnsError if it cannot be read. */
  apply(frame, rate, now) {
    for (const payload of frame.earlier) this.decoder.decode(payload);
    this.decoder.decode(frame.data);
    this.#orders = undefined;
    this.rest = read(Rest, this.decoder.rest ?? new Uint8Array(0));
    [this.before, this.units] = [this.units, this.before];
    this.units.fill(this.decoder);
    const gameLoop = frame.gameLoop ?? 0;
    const loops = gameLoop - (this.gameLoop ?? gameLoop);
    if (loops > 0 && loops <= 64 && !frame.dropped) this.loopsPerFrame = loops;
    this.gameLoop = gameLoop;
    this.arrived = now;
    this.interval = interval(loops, this.match?.tickHz ?? 0, rate);
    this.#compare(loops, now);
    if (frame.keyframe) {
      this.keyframes.push(gameLoop);
      if (this.keyframes.length > KEYFRAMES_KEPT) this.keyframes.shift();
    }
  }

  /** The orders of the units of the newest frame. */
  get orders() {
    return (this.#orders ??= new Orders(this.decoder));
  }

  /** Row of a unit in the newest frame; undefined when it is not there. */
  rowOf(tag) {
    return this.units.rowOf.get(tag);
  }

  #compare(loops, now) {
    const { units, before } = this;
    if (this.moved.length !== units.rows) this.moved = new Uint8Array(units.rows);
    for (let row = 0; row < units.rows; row++) {
      // A unit keeps its row while it lives.
      const isSame = units.used[row] && before.used[row] && units.tag[row] === before.tag[row];
      const isClose = isSame && this.interval > 0 && walks(units.x[row] - before.x[row], units.y[row] - before.y[row], loops);
      this.moved[row] = isClose ? 1 : 0;
      if (!isSame || loops <= 0 || loops > 22) continue;
      const lost = before.health[row] + before.shield[row] - units.health[row] - units.shield[row];
      if (lost >= HIT_LEAST && units.alliance[row] !== NEUTRAL) this.#hit(row, now);
    }
  }

  #hit(row, now) {
    const hit = this.hits[this.#nextHit++ % MAX_HITS];
    hit.x = this.units.x[row];
    hit.y = this.units.y[row];
    hit.alliance = this.units.alliance[row];
    hit.type = this.units.unit_type[row];
    hit.tag = this.units.tag[row];
    hit.at = now;
  }
}
