// Names and health at units: of all when the map is magnified, and of the one under the pointer.

import { ENEMY, NEUTRAL } from "../match/world.js";
import { allianceColors, DIAMOND } from "./palette.js";

/** CSS pixels a cell from which units have names. */
export const LABEL_SCALE = 14;
const FONT = "600 11px system-ui, sans-serif";
const SPRITE_HEIGHT = 16;
const MAX_SPRITES = 400;
const [SLOT_WIDTH, SLOT_HEIGHT] = [8, 8];
const BAR_HEIGHT = 4;
const LEAST_BAR_PX = 14;
/** Types of units that are named at the mark of several. */
const GROUP_NAMES = 3;

export class Labels {
  #sprites = new Map();
  #made = "";
  #taken = new Uint8Array(0);
  #columns = 0;

  /**
   * Names of units, where they cover neither each other nor marks and bars of units that move; names of the chosen ones come first. Returns
   * how many were drawn.
   */
  names(context, units, marks, spread, view, palette, ratio, nameOf, shows, isChosen) {
    this.#begin(view, palette, ratio);
    spread.each((row, x, y, radius) => this.#cover(x, y, radius));
    let drawn = 0;
    for (const { x, y, radius, alliance, rows } of spread.groups) {
      const text = namesOf(rows, units, nameOf);
      const bottom = view.screenY(y) + (alliance === ENEMY ? DIAMOND : 1) * radius;
      if (this.#draw(context, this.#sprite(text, palette, ratio), view.screenX(x), bottom, ratio)) drawn++;
    }
    for (const wanted of [true, false]) {
      for (let row = 0; row < units.rows; row++) {
        const alliance = units.alliance[row];
        if (!units.used[row] || alliance === NEUTRAL || !shows(alliance) || spread.groupOf[row] > 0) continue;
        if (isChosen(units.tag[row]) !== wanted) continue;
        const [x, y] = [view.screenX(marks.x[row]), view.screenY(marks.y[row])];
        if (x < 0 || y < 0 || x > view.width || y > view.height) continue;
        const sprite = this.#sprite(nameOf(units.unit_type[row]), palette, ratio);
        if (this.#draw(context, sprite, x, y + units.radius[row] * view.scale, ratio)) drawn++;
      }
    }
    return drawn;
  }

  /** Draws a text below a mark, if nothing is there; returns whether it did. */
  #draw(context, sprite, x, bottom, ratio) {
    const [width, height] = [sprite.width / ratio, sprite.height / ratio];
    const [left, top] = [x - width / 2, bottom + 2];
    if (!this.#take(left, top, width)) return false;
    context.drawImage(sprite, left, top, width, height);
    return true;
  }

  #begin(view, palette, ratio) {
    const key = `${palette.text} ${palette.ground} ${ratio}`;
    if (key !== this.#made || this.#sprites.size > MAX_SPRITES) this.#sprites.clear();
    this.#made = key;
    this.#columns = Math.ceil(view.width / SLOT_WIDTH) + 1;
    const slots = this.#columns * (Math.ceil(view.height / SLOT_HEIGHT) + 1);
    if (this.#taken.length === slots) this.#taken.fill(0);
    else this.#taken = new Uint8Array(slots);
  }

  /** Marks the slots of a mark and its bar, which lies over it. */
  #cover(x, y, radius) {
    const slot = (value, size, most) => Math.min(Math.max(Math.floor(value / size), 0), most);
    const [right, bottom] = [this.#columns - 1, Math.ceil(this.#taken.length / this.#columns) - 1];
    const [from, to] = [slot(x - radius, SLOT_WIDTH, right), slot(x + radius, SLOT_WIDTH, right)];
    const [first, end] = [slot(y - radius - 2 * BAR_HEIGHT, SLOT_HEIGHT, bottom), slot(y + radius - 4, SLOT_HEIGHT, bottom)];
    for (let line = first; line <= end; line++) this.#taken.fill(1, line * this.#columns + from, line * this.#columns + to + 1);
  }

  /** Marks the slots that a text covers; false if one of them is taken. */
  #take(left, top, width) {
    const [from, to] = [Math.max(Math.floor(left / SLOT_WIDTH), 0), Math.min(Math.floor((left + width) / SLOT_WIDTH), this.#columns - 1)];
    const first = Math.max(Math.floor((top + 2) / SLOT_HEIGHT), 0);
    for (let line = first; line < first + 2; line++)
      for (let slot = from; slot <= to; slot++) if (this.#taken[line * this.#columns + slot]) return false;
    for (let line = first; line < first + 2; line++) this.#taken.fill(1, line * this.#columns + from, line * this.#columns + to + 1);
    return true;
  }

  /** A picture of a text: drawn once. */
  #sprite(text, palette, ratio) {
    let sprite = this.#sprites.get(text);
    if (sprite !== undefined) return sprite;
    sprite = document.createElement("canvas");
    const context = sprite.getContext("2d");
    context.font = FONT;
    sprite.width = Math.ceil((context.measureText(text).width + 6) * ratio);
    sprite.height = Math.ceil(SPRITE_HEIGHT * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = FONT;
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 3;
    context.strokeStyle = palette.outline;
    context.strokeText(text, 3, SPRITE_HEIGHT / 2);
    context.fillStyle = palette.text;
    context.fillText(text, 3, SPRITE_HEIGHT / 2);
    this.#sprites.set(text, sprite);
    return sprite;
  }
}

/** What a group is made of: its types with their numbers, most first. Pure: tested in Node. */
export function namesOf(rows, units, nameOf) {
  const counts = new Map();
  for (const row of rows) counts.set(units.unit_type[row], (counts.get(units.unit_type[row]) ?? 0) + 1);
  const most = [...counts].sort((a, b) => b[1] - a[1]);
  const named = most.slice(0, GROUP_NAMES).map(([type, count]) => `${count} ${nameOf(type)}`);
  return most.length > GROUP_NAMES ? `${named.join(", ")}, …` : named.join(", ");
}

/** Bars of health, and above them of shields, over units: a path for each colour. */
export function drawHealth(context, units, marks, { groupOf }, view, palette, shows) {
  const bars = (color, draw) => {
    context.beginPath();
    context.fillStyle = color;
    for (let row = 0; row < units.rows; row++) {
      if (!units.used[row] || !(units.health_max[row] > 0) || units.alliance[row] === NEUTRAL || !shows(units.alliance[row])) continue;
      if (groupOf[row] > 0) continue;
      const [x, y] = [view.screenX(marks.x[row]), view.screenY(marks.y[row])];
      if (x < 0 || y < 0 || x > view.width || y > view.height) continue;
      const width = Math.max(2 * units.radius[row] * view.scale, LEAST_BAR_PX);
      draw(x - width / 2, y - units.radius[row] * view.scale - BAR_HEIGHT - 4, width, row);
    }
    context.fill();
  };
  const part = (value, most) => Math.min(Math.max(value / most, 0), 1);
  bars(palette.outline, (left, top, width, row) => {
    const hasShield = units.shield_max[row] > 0;
    context.rect(left - 1, top - (hasShield ? BAR_HEIGHT : 1), width + 2, BAR_HEIGHT + (hasShield ? BAR_HEIGHT + 1 : 2));
  });
  bars(palette.health, (left, top, width, row) =>
    context.rect(left, top, width * part(units.health[row], units.health_max[row]), BAR_HEIGHT));
  bars(palette.shield, (left, top, width, row) => {
    if (units.shield_max[row] > 0)
      context.rect(left, top - BAR_HEIGHT + 1, width * part(units.shield[row], units.shield_max[row]), BAR_HEIGHT - 2);
  });
}

/** What is said of the unit under the pointer: its name, and lines of figures. Pure: tested in Node. */
export function hoverText(units, row, name) {
  const whole = (value) => String(Math.ceil(value));
  const lines = [];
  if (units.health_max[row] > 0) lines.push(`health ${whole(units.health[row])} / ${whole(units.health_max[row])}`);
  if (units.shield_max[row] > 0) lines.push(`shield ${whole(units.shield[row])} / ${whole(units.shield_max[row])}`);
  if (units.energy_max[row] > 0) lines.push(`energy ${Math.floor(units.energy[row])} / ${whole(units.energy_max[row])}`);
  if (units.build_progress[row] < 1) lines.push(`${Math.floor(100 * units.build_progress[row])} % built`);
  if (units.display_type[row] === 2) lines.push("not visible now");
  return { name, lines };
}

/** The label of the unit under the pointer: beside it, inside the view; its shape and colour say whose it is. */
export function drawHover(context, { name, lines }, alliance, x, y, radius, view, palette, shape) {
  const color = allianceColors(palette)[alliance] ?? palette.neutral;
  context.font = FONT;
  const width = Math.max(context.measureText(name).width + 18, ...lines.map((line) => context.measureText(line).width)) + 14;
  const height = 16 * (lines.length + 1) + 6;
  const right = x + radius + 8;
  const left = right + width + 2 <= view.width ? right : Math.max(x - radius - 8 - width, 2);
  const top = Math.min(Math.max(y - height - 4, 2), view.height - height - 2);
  context.beginPath();
  context.roundRect(left, top, width, height, 5);
  context.fillStyle = palette.outline;
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = color;
  context.stroke();
  context.beginPath();
  shape(context, alliance, left + 12, top + 11, 4.5);
  context.fillStyle = color;
  context.fill();
  context.textBaseline = "middle";
  context.fillStyle = palette.text;
  context.fillText(name, left + 22, top + 11.5);
  context.font = FONT.replace("600", "400");
  lines.forEach((line, at) => context.fillText(line, left + 7, top + 27.5 + 16 * at));
}
