// Keeps marks of units apart that stand in one place: they are moved a little, or, where they are too many, drawn as one mark with a
// number. Pure: tested in Node.

import { NEUTRAL } from "../match/world.js";

/** More units of one side than these are one mark, where there is no room for each. */
export const GROUP_ABOVE = 12;
/** Passes in which neighbours are pushed apart. */
const PASSES = 24;
/** A mark is moved this far at most: in cells, and at least in pixels. */
const [MOST_CELLS, LEAST_SHIFT_PX] = [3, 7];
/** Marks of one group overlap by this much of their radii. */
const TOUCH = 0.9;
/** How much of an area circles fill at best, pushed as they are. */
const PACKED = 0.7;
/** Units in one place are pushed in directions that differ by this: the golden angle. */
const TURN = 2.399963;
const SNAPSHOT = 2;

export class Spread {
  /** Marks of several units: { x, y (cells), radius (pixels), alliance, rows }. */
  groups = [];
  /** For each row 1 + the index of its group; 0: its mark is its own. */
  groupOf = new Uint16Array(0);
  #rows = new Int32Array(0);
  #x = new Float64Array(0);
  #y = new Float64Array(0);
  #radius = new Float64Array(0);
  #homeX = new Float64Array(0);
  #homeY = new Float64Array(0);
  #next = new Int32Array(0);
  #heads = new Map();
  #cell = 1;
  #count = 0;
  #gap = 0;

  /**
   * Moves places (cells, by row) of units that are in the view, and finds the groups.
   * @param marks { x, y, shows(alliance) }
   * @param isStill (unit type) whether it stands where it is, or nothing is known of it: it is not moved
   * @param radiusOf (row) of a mark, in pixels @param gap pixels round a mark that stay free
   */
  place(units, marks, view, isStill, radiusOf, gap) {
    const count = this.#collect(units, marks, view, isStill, radiusOf, gap);
    this.groups = [];
    if (count === 0) return;
    const most = Math.max(MOST_CELLS * view.scale, LEAST_SHIFT_PX);
    this.#group(units, count, most);
    for (let pass = 0; pass < PASSES && this.#push(count, most); pass++);
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i];
      if (this.groupOf[row] > 0) continue;
      if (this.#x[i] !== this.#homeX[i]) marks.x[row] = view.mapX(this.#x[i]);
      if (this.#y[i] !== this.#homeY[i]) marks.y[row] = view.mapY(this.#y[i]);
    }
    for (const group of this.groups) {
      [group.x, group.y] = [view.mapX(this.#x[group.first]), view.mapY(this.#y[group.first])];
      for (const row of group.rows) [marks.x[row], marks.y[row]] = [group.x, group.y];
    }
  }

  #collect(units, marks, view, isStill, radiusOf, gap) {
    if (this.groupOf.length < units.rows) this.#grow(2 * units.rows);
    else this.groupOf.fill(0);
    let [count, largest] = [0, 1];
    for (let row = 0; row < units.rows; row++) {
      const alliance = units.alliance[row];
      if (!units.used[row] || alliance === NEUTRAL || units.display_type[row] === SNAPSHOT || !marks.shows(alliance)) continue;
      const [x, y] = [view.screenX(marks.x[row]), view.screenY(marks.y[row])];
      if (x < 0 || y < 0 || x > view.width || y > view.height || isStill(units.unit_type[row])) continue;
      this.#rows[count] = row;
      this.#x[count] = this.#homeX[count] = x;
      this.#y[count] = this.#homeY[count] = y;
      this.#radius[count] = radiusOf(row) + gap;
      largest = Math.max(largest, this.#radius[count]);
      count++;
    }
    this.#cell = 2 * largest;
    [this.#count, this.#gap] = [count, gap];
    return count;
  }

  /** Calls call(row, x, y, radius) with the place and radius, in pixels, of each mark that can be moved and is its own. */
  each(call) {
    for (let i = 0; i < this.#count; i++)
      if (this.groupOf[this.#rows[i]] === 0) call(this.#rows[i], this.#x[i], this.#y[i], this.#radius[i] - this.#gap);
  }

  #grow(length) {
    this.groupOf = new Uint16Array(length);
    [this.#rows, this.#next] = [new Int32Array(length), new Int32Array(length)];
    [this.#x, this.#y, this.#radius] = [new Float64Array(length), new Float64Array(length), new Float64Array(length)];
    [this.#homeX, this.#homeY] = [new Float64Array(length), new Float64Array(length)];
  }

  /** Sorts the marks into cells of a grid: only neighbours are compared. */
  #index(count) {
    this.#heads.clear();
    for (let i = 0; i < count; i++) {
      const key = this.#keyOf(this.#x[i], this.#y[i]);
      this.#next[i] = this.#heads.get(key) ?? -1;
      this.#heads.set(key, i);
    }
  }

  #keyOf(x, y) {
    return Math.floor(x / this.#cell) * 65536 + Math.floor(y / this.#cell);
  }

  /** Calls each(i, j) for pairs of marks that are neighbours, each pair once. */
  #pairs(count, each) {
    this.#index(count);
    for (let i = 0; i < count; i++) {
      const key = this.#keyOf(this.#x[i], this.#y[i]);
      for (let dx = -65536; dx <= 65536; dx += 65536)
        for (let dy = -1; dy <= 1; dy++)
          for (let j = this.#heads.get(key + dx + dy) ?? -1; j >= 0; j = this.#next[j]) if (j < i) each(i, j);
    }
  }

  /** Marks of one side that overlap become one where they are many and cannot be moved apart. */
  #group(units, count, most) {
    const parent = Int32Array.from({ length: count }, (_, i) => i);
    const rootOf = (i) => {
      while (parent[i] !== i) i = parent[i] = parent[parent[i]];
      return i;
    };
    this.#pairs(count, (i, j) => {
      if (units.alliance[this.#rows[i]] !== units.alliance[this.#rows[j]]) return;
      if (Math.hypot(this.#x[i] - this.#x[j], this.#y[i] - this.#y[j]) < TOUCH * (this.#radius[i] + this.#radius[j]))
        parent[rootOf(i)] = rootOf(j);
    });
    const members = new Map();
    for (let i = 0; i < count; i++) {
      const root = rootOf(i);
      if (members.has(root)) members.get(root).push(i);
      else members.set(root, [i]);
    }
    for (const each of members.values()) if (each.length > GROUP_ABOVE && !this.#hasRoom(each, most)) this.#join(units, each);
  }

  /** Whether marks find room round where they are. */
  #hasRoom(members, most) {
    let [left, right, top, bottom, needed] = [Infinity, -Infinity, Infinity, -Infinity, 0];
    for (const i of members) {
      [left, right] = [Math.min(left, this.#x[i]), Math.max(right, this.#x[i])];
      [top, bottom] = [Math.min(top, this.#y[i]), Math.max(bottom, this.#y[i])];
      needed += Math.PI * this.#radius[i] ** 2;
    }
    return needed <= PACKED * (right - left + 1.4 * most) * (bottom - top + 1.4 * most);
  }

  #join(units, members) {
    const rows = members.map((i) => this.#rows[i]);
    const mean = (values) => members.reduce((sum, i) => sum + values[i], 0) / members.length;
    const largest = Math.max(...members.map((i) => this.#radius[i]));
    const radius = Math.max(Math.min(Math.sqrt(members.length) * 2.2 + 4, 18), Math.min(1.5 * largest, 40));
    const [first, x, y] = [members[0], mean(this.#x), mean(this.#y)];
    this.groups.push({ first, x: 0, y: 0, radius, alliance: units.alliance[rows[0]], rows });
    for (const row of rows) this.groupOf[row] = this.groups.length;
    // Others make room for its mark, which is that of the first, not for each of its members.
    for (const i of members) this.#radius[i] = 0;
    this.#radius[first] = radius + this.#gap;
    [this.#x[first], this.#homeX[first], this.#y[first], this.#homeY[first]] = [x, x, y, y];
  }

  /** Pushes neighbours that overlap apart; returns whether there were any. */
  #push(count, most) {
    let moved = false;
    this.#pairs(count, (i, j) => {
      const least = this.#radius[i] + this.#radius[j];
      if (this.#radius[i] === 0 || this.#radius[j] === 0) return;
      let [dx, dy] = [this.#x[i] - this.#x[j], this.#y[i] - this.#y[j]];
      let distance = Math.hypot(dx, dy);
      if (distance >= least - 0.1) return;
      if (distance < 0.01) [dx, dy, distance] = [Math.cos(i * TURN), Math.sin(i * TURN), 1];
      const push = (0.52 * (least - Math.min(distance, least))) / distance;
      this.#move(i, dx * push, dy * push, most);
      this.#move(j, -dx * push, -dy * push, most);
      moved = true;
    });
    return moved;
  }

  /** Moves a mark, no further than allowed from where its unit is. */
  #move(i, dx, dy, most) {
    let [x, y] = [this.#x[i] + dx - this.#homeX[i], this.#y[i] + dy - this.#homeY[i]];
    const far = Math.hypot(x, y);
    if (far > most) [x, y] = [(x * most) / far, (y * most) / far];
    this.#x[i] = this.#homeX[i] + x;
    this.#y[i] = this.#homeY[i] + y;
  }
}
