// Units on the map: own ones are filled circles, enemies diamonds, allies rings, neutral ones squares. Units of hidden alliances are not
// drawn.

import { progress } from "../match/interpolation.js";
import { ALLY, ENEMY, NEUTRAL, SELF } from "../match/world.js";
import { LABEL_SCALE } from "./labels.js";
import { allianceColors, DIAMOND } from "./palette.js";

const LEAST_RADIUS = 2.2;
/** Rings of more chosen units than these are thin: thick ones would cover the units. */
const MANY = 20;
const DETAIL_SCALE = 9;
const HIT_MS = 700;
const SNAPSHOT = 2;
const SQUARE = 0.85;
const ORDER = [NEUTRAL, ALLY, ENEMY, SELF];

/** Draws the units of a world. Keeps its arrays from one draw to the next: a draw allocates nothing that grows with the units. */
export class UnitMarks {
  /** Where each row was drawn last: map cells. */
  x = new Float64Array(0);
  y = new Float64Array(0);
  /** Whether units of an alliance are shown. */
  shows = () => true;
  #still;

  /** @param {boolean} still without decorative animation */
  constructor(still) {
    this.#still = still;
  }

  /** CSS pixels of a mark. */
  radiusOf(units, row, view) {
    return radiusOf(units, row, view) * (units.alliance[row] === ENEMY ? DIAMOND : 1);
  }

  set isStill(still) {
    this.#still = still;
  }

  /** Calculates where units are now; returns whether they still move. */
  place(world, now) {
    const part = this.#still ? 1 : progress(now, world.arrived, world.interval);
    this.#place(world, part);
    return part < 1;
  }

  /** Draws in CSS pixels where units have been placed, those of a group as one mark; returns whether anything else still moves. */
  draw(context, world, view, palette, now, spread) {
    const { units } = world;
    const colors = allianceColors(palette);
    context.lineWidth = 1;
    for (const alliance of ORDER) {
      if (!this.shows(alliance)) continue;
      this.#ofAlliance(context, units, view, alliance, false, colors[alliance], palette, spread.groupOf);
      this.#ofAlliance(context, units, view, alliance, true, colors[alliance], palette, spread.groupOf);
    }
    this.#groups(context, spread.groups, view, colors, palette);
    this.#fights(context, world, view, palette);
    if (view.scale >= DETAIL_SCALE) this.#details(context, units, view, palette, spread.groupOf);
    return this.#hits(context, world, view, palette, now);
  }

  /** A ring around each of these units; with a name, if there is one. */
  select(context, rows, units, view, palette, label) {
    context.lineWidth = rows.length > MANY ? 1 : 2;
    context.strokeStyle = palette.select;
    context.beginPath();
    for (const row of rows) {
      const [x, y, radius] = [view.screenX(this.x[row]), view.screenY(this.y[row]), ringOf(units, row, view)];
      if (x + radius < 0 || y + radius < 0 || x - radius > view.width || y - radius > view.height) continue;
      context.moveTo(x + radius, y);
      context.arc(x, y, radius, 0, 2 * Math.PI);
    }
    context.stroke();
    for (const row of label === "" ? [] : rows)
      write(context, label, view.screenX(this.x[row]) + ringOf(units, row, view) + 4, view.screenY(this.y[row]), palette);
  }

  /** The row of the unit at a point of the screen, or undefined. */
  at(units, view, screenX, screenY, reach) {
    let [best, found] = [Infinity, undefined];
    for (let row = 0; row < units.rows; row++) {
      if (!units.used[row] || !this.shows(units.alliance[row])) continue;
      const distance = Math.hypot(view.screenX(this.x[row]) - screenX, view.screenY(this.y[row]) - screenY);
      const over = distance - radiusOf(units, row, view);
      // Among overlapping units, choose the one whose center is nearest, own and enemy units before neutral ones.
      const rank = distance + (units.alliance[row] === NEUTRAL ? reach : 0);
      if (over <= reach && rank < best) [best, found] = [rank, row];
    }
    return found;
  }

  /** Rows of the units whose middles are in an area of the screen. */
  inside(units, view, x0, y0, x1, y1) {
    const rows = [];
    for (let row = 0; row < units.rows; row++) {
      if (!units.used[row] || !this.shows(units.alliance[row])) continue;
      const [x, y] = [view.screenX(this.x[row]), view.screenY(this.y[row])];
      if (x >= Math.min(x0, x1) && x <= Math.max(x0, x1) && y >= Math.min(y0, y1) && y <= Math.max(y0, y1)) rows.push(row);
    }
    return rows;
  }

  #place({ units, before, moved }, part) {
    if (this.x.length < units.rows) [this.x, this.y] = [new Float64Array(2 * units.rows), new Float64Array(2 * units.rows)];
    for (let row = 0; row < units.rows; row++) {
      const back = moved[row] ? 1 - part : 0;
      this.x[row] = units.x[row] - (back > 0 ? back * (units.x[row] - before.x[row]) : 0);
      this.y[row] = units.y[row] - (back > 0 ? back * (units.y[row] - before.y[row]) : 0);
    }
  }

  /** Marks of several units, with their number. */
  #groups(context, groups, view, colors, palette) {
    if (groups.length === 0) return;
    context.textAlign = "center";
    for (const { x, y, radius, alliance, rows } of groups) {
      const [screenX, screenY] = [view.screenX(x), view.screenY(y)];
      context.beginPath();
      outline(context, alliance, screenX, screenY, radius);
      context.fillStyle = colors[alliance];
      context.fill();
      context.lineWidth = 1.5;
      context.strokeStyle = palette.outline;
      context.stroke();
      write(context, String(rows.length), screenX, screenY, palette);
    }
    context.textAlign = "start";
  }

  #ofAlliance(context, units, view, alliance, snapshots, color, palette, groupOf) {
    context.beginPath();
    let count = 0;
    for (let row = 0; row < units.rows; row++) {
      if (!units.used[row] || units.alliance[row] !== alliance || (units.display_type[row] === SNAPSHOT) !== snapshots) continue;
      if (groupOf[row] > 0) continue;
      const [x, y, r] = [view.screenX(this.x[row]), view.screenY(this.y[row]), radiusOf(units, row, view)];
      if (x + r < 0 || y + r < 0 || x - r > view.width || y - r > view.height) continue;
      outline(context, alliance, x, y, r);
      count++;
    }
    if (count === 0) return;
    context.globalAlpha = snapshots ? 0.5 : 1;
    if (alliance === ALLY) {
      context.lineWidth = 2;
      context.strokeStyle = color;
      context.stroke();
    } else {
      context.fillStyle = color;
      context.fill();
      context.lineWidth = 1;
      context.strokeStyle = palette.outline;
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  /** A line from each unit whose weapon has just fired to what it aims at. */
  #fights(context, { units }, view, palette) {
    context.beginPath();
    for (let row = 0; row < units.rows; row++) {
      const target = units.engaged_target_tag[row];
      if (!units.used[row] || target === 0n || !(units.weapon_cooldown[row] > 0)) continue;
      const other = units.rowOf.get(target);
      if (other === undefined || !this.shows(units.alliance[row]) || !this.shows(units.alliance[other])) continue;
      context.moveTo(view.screenX(this.x[row]), view.screenY(this.y[row]));
      context.lineTo(view.screenX(this.x[other]), view.screenY(this.y[other]));
    }
    context.lineWidth = 1;
    context.globalAlpha = 0.7;
    context.strokeStyle = palette.hit;
    context.stroke();
    context.globalAlpha = 1;
  }

  /** Facing of units, and health of those that are hurt, for a magnified map. */
  #details(context, units, view, palette, groupOf) {
    context.lineWidth = 1.5;
    context.strokeStyle = palette.outline;
    context.beginPath();
    for (let row = 0; row < units.rows; row++) {
      if (!units.used[row] || units.alliance[row] === NEUTRAL || !this.shows(units.alliance[row]) || groupOf[row] > 0) continue;
      const [x, y, r] = [view.screenX(this.x[row]), view.screenY(this.y[row]), radiusOf(units, row, view)];
      context.moveTo(x, y);
      context.lineTo(x + Math.cos(units.facing[row]) * r, y - Math.sin(units.facing[row]) * r);
    }
    context.stroke();
    if (view.scale >= LABEL_SCALE) return;
    for (let row = 0; row < units.rows; row++) {
      const most = units.health_max[row];
      if (!units.used[row] || !(most > 0) || units.health[row] >= most || !this.shows(units.alliance[row]) || groupOf[row] > 0) continue;
      const [x, y, r] = [view.screenX(this.x[row]), view.screenY(this.y[row]), radiusOf(units, row, view)];
      context.fillStyle = palette.outline;
      context.fillRect(x - r, y - r - 6, 2 * r, 4);
      context.fillStyle = palette.hit;
      context.fillRect(x - r + 1, y - r - 5, (2 * r - 2) * Math.max(units.health[row] / most, 0), 2);
    }
  }

  #hits(context, world, view, palette, now) {
    let active = false;
    context.lineWidth = 1.5;
    context.strokeStyle = palette.hit;
    for (const hit of world.hits) {
      const age = (now - hit.at) / HIT_MS;
      if (age < 0 || age >= 1) continue;
      active = true;
      context.globalAlpha = this.#still ? 0.8 : 1 - age;
      context.beginPath();
      context.arc(view.screenX(hit.x), view.screenY(hit.y), this.#still ? 8 : 4 + 12 * age, 0, 2 * Math.PI);
      context.stroke();
    }
    context.globalAlpha = 1;
    return active;
  }
}

/** Writes text with an outline, so that it can be read on any ground. */
export function write(context, text, x, y, palette, color = palette.text) {
  context.font = "600 12px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.strokeStyle = palette.outline;
  context.strokeText(text, x, y);
  context.fillStyle = color;
  context.fillText(text, x, y);
}

function radiusOf(units, row, view) {
  return Math.max(units.radius[row] * view.scale, LEAST_RADIUS);
}

function ringOf(units, row, view) {
  return radiusOf(units, row, view) * DIAMOND + 4;
}

/** Adds the shape of an alliance to the path. */
export function outline(context, alliance, x, y, r) {
  if (alliance === ENEMY) {
    const d = r * DIAMOND;
    context.moveTo(x, y - d);
    context.lineTo(x + d, y);
    context.lineTo(x, y + d);
    context.lineTo(x - d, y);
    context.closePath();
  } else if (alliance === SELF || alliance === ALLY) {
    context.moveTo(x + r, y);
    context.arc(x, y, r, 0, 2 * Math.PI);
  } else {
    const s = r * SQUARE;
    context.rect(x - s, y - s, 2 * s, 2 * s);
  }
}
