// Keeps marks of units apart that stand in one place: they are moved a little, or, where they are too many, drawn as one mark with a
// number. Pure: tested in Node.

import { NEUTRAL } from "../match/world.js";

/** More units of one side than these are one mark, where there is no room for each. */
export const GROUP_ABOVE = 12;
/** Passes in which neighbours are pushed apart, and after how many of them it is found out again which marks are neighbours. */
const [PASSES, SEARCH_EVERY] = [24, 8];
/** Of the radius of the largest mark: as far from touching, marks are neighbours. */
const NEIGHBOUR = 0.5;
/** A mark is moved this far at most: in cells, and at least in pixels. */
const [MOST_CELLS, LEAST_SHIFT_PX] = [3, 7];
/** Marks of one group overlap by this much of their radii. */
const TOUCH = 0.9;
/** How much of an area circles fill at best, pushed as they are. */
const PACKED = 0.7;
/** Units in one place are pushed in directions that differ by this: the golden angle. */
const TURN = 2.399963;
const SNAPSHOT = 2;
/** Keys of cells: one row of the grid to the next. */
const ROW = 65536;

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
  #pairs = new Int32Array(0);
  #pairCount = 0;
  #parent = new Int32Array(0);
  #sizes = new Int32Array(0);
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
    this.#search(count);
    this.#group(units, count, most);
    for (let pass = 0; pass < PASSES && this.#push(most); pass++) if ((pass + 1) % SEARCH_EVERY === 0) this.#search(count);
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
    this.#cell = (2 + NEIGHBOUR) * largest;
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
    [this.#parent, this.#sizes] = [new Int32Array(length), new Int32Array(length)];
    [this.#x, this.#y, this.#radius] = [new Float64Array(length), new Float64Array(length), new Float64Array(length)];
    [this.#homeX, this.#homeY] = [new Float64Array(length), new Float64Array(length)];
  }

  /** Finds the pairs of marks that are neighbours: sorted into cells of a grid, only marks in cells beside each other are compared. */
  #search(count) {
    this.#heads.clear();
    this.#pairCount = 0;
    const reach = (NEIGHBOUR / (2 + NEIGHBOUR)) * this.#cell;
    const keyOf = (i) => Math.floor(this.#x[i] / this.#cell) * ROW + Math.floor(this.#y[i] / this.#cell);
    for (let i = 0; i < count; i++) {
      const key = keyOf(i);
      for (let dx = -ROW; dx <= ROW; dx += ROW)
        for (let dy = -1; dy <= 1; dy++)
          for (let j = this.#heads.get(key + dx + dy) ?? -1; j >= 0; j = this.#next[j]) this.#addIfNear(i, j, reach);
      this.#next[i] = this.#heads.get(key) ?? -1;
      this.#heads.set(key, i);
    }
  }

  #isWithin(i, j, distance) {
    const dx = this.#x[i] - this.#x[j];
    const dy = this.#y[i] - this.#y[j];
    return dx * dx + dy * dy < distance * distance;
  }

  #addIfNear(i, j, reach) {
    if (!this.#isWithin(i, j, this.#radius[i] + this.#radius[j] + reach)) return;
    if (2 * this.#pairCount === this.#pairs.length) {
      const before = this.#pairs;
      this.#pairs = new Int32Array(Math.max(2 * before.length, 256));
      this.#pairs.set(before);
    }
    this.#pairs[2 * this.#pairCount] = i;
    this.#pairs[2 * this.#pairCount++ + 1] = j;
  }

  /** Marks of one side that overlap become one where they are many and cannot be moved apart. */
  #group(units, count, most) {
    const [parent, sizes] = [this.#parent, this.#sizes];
    for (let i = 0; i < count; i++) [parent[i], sizes[i]] = [i, 1];
    const rootOf = (i) => {
      while (parent[i] !== i) i = parent[i] = parent[parent[i]];
      return i;
    };
    let largest = 1;
    for (let pair = 0; pair < this.#pairCount; pair++) {
      const [i, j] = [this.#pairs[2 * pair], this.#pairs[2 * pair + 1]];
      if (units.alliance[this.#rows[i]] !== units.alliance[this.#rows[j]]) continue;
      if (!this.#isWithin(i, j, TOUCH * (this.#radius[i] + this.#radius[j]))) continue;
      const [one, other] = [rootOf(i), rootOf(j)];
      if (one === other) continue;
      parent[one] = other;
      sizes[other] += sizes[one];
      largest = Math.max(largest, sizes[other]);
    }
    if (largest <= GROUP_ABOVE) return;
    const members = new Map();
    for (let i = 0; i < count; i++) {
      const root = rootOf(i);
      if (sizes[root] <= GROUP_ABOVE) continue;
      if (members.has(root)) members.get(root).push(i);
      else members.set(root, [i]);
    }
    for (const each of members.values()) if (!this.#hasRoom(each, most)) this.#join(units, each);
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
  #push(most) {
    let moved = false;
    const [x, y, radius, pairs] = [this.#x, this.#y, this.#radius, this.#pairs];
    for (let at = 0; at < 2 * this.#pairCount; at += 2) {
      const i = pairs[at];
      const j = pairs[at + 1];
      const least = radius[i] + radius[j];
      if (radius[i] === 0 || radius[j] === 0 || !this.#isWithin(i, j, least - 0.1)) continue;
      let dx = x[i] - x[j];
      let dy = y[i] - y[j];
      let distance = Math.sqrt(dx * dx + dy * dy);
      if (distance < 0.01) {
        dx = Math.cos(i * TURN);
        dy = Math.sin(i * TURN);
        distance = 1;
      }
      const push = (0.52 * (least - Math.min(distance, least))) / distance;
      this.#move(i, dx * push, dy * push, most);
      this.#move(j, -dx * push, -dy * push, most);
      moved = true;
    }
    return moved;
  }

  /** Moves a mark, no further than allowed from where its unit is. */
  #move(i, dx, dy, most) {
    const x = this.#x[i] + dx - this.#homeX[i];
    const y = this.#y[i] + dy - this.#homeY[i];
    const far = x * x + y * y;
    const part = far > most * most ? most / Math.sqrt(far) : 1;
    this.#x[i] = this.#homeX[i] + x * part;
    this.#y[i] = this.#homeY[i] + y * part;
  }
}
