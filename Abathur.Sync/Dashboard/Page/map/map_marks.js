// Marks on the map that are no units: trails, orders, ranges, fights, the chosen area. Each is a path or two: cheap to draw.

import { arrowHead } from "../match/orders.js";
import { ENEMY, SELF } from "../match/world.js";
import { edgeOf } from "./fights.js";
import { allianceColors } from "./palette.js";
import { write } from "./unit_marks.js";

const ARROW_PX = 8;
const LEAST_ARROW_PX = 12;
const LABELLED_RANGES = 6;
/** More lines than these have neither edges nor dashes: they cost more than all units. */
const MANY = 60;
const SWORDS_PX = 7;
const EDGE_PX = 20;

/** Strokes the current path, of few lines with an edge, so that it is seen on any ground. */
function stroke(context, palette, color, width, lines = 1) {
  if (lines <= MANY) {
    context.lineWidth = width + 2;
    context.strokeStyle = palette.outline;
    context.stroke();
  }
  context.lineWidth = width;
  context.strokeStyle = color;
  context.stroke();
}

/** Whether nothing of a circle is in the view. */
function isBeyond(view, x, y, radius) {
  return x + radius < 0 || y + radius < 0 || x - radius > view.width || y - radius > view.height;
}

/** Faint lines of where units were; `placeOf(tag)` is where a unit is now. */
export function drawTrails(context, trails, gameLoop, view, palette, shows, placeOf) {
  const colors = allianceColors(palette);
  context.lineWidth = 1.5;
  context.lineJoin = "round";
  context.globalAlpha = 0.45;
  for (const alliance of [ENEMY, SELF]) {
    if (!shows(alliance)) continue;
    context.beginPath();
    trails.each(gameLoop, (tag, trail, places) => {
      if (trail.alliance !== alliance) return;
      const here = placeOf(tag);
      if (here) context.moveTo(view.screenX(here[0]), view.screenY(here[1]));
      else context.moveTo(view.screenX(trail.x(0)), view.screenY(trail.y(0)));
      for (let back = 0; back < places; back++) context.lineTo(view.screenX(trail.x(back)), view.screenY(trail.y(back)));
    });
    context.strokeStyle = colors[alliance];
    context.stroke();
  }
  context.globalAlpha = 1;
}

/** Lines to the targets of orders: dashed where they are queued. */
export function drawOrders(context, lines, view, palette) {
  if (lines.length === 0) return;
  for (const isQueued of [true, false]) {
    context.beginPath();
    context.setLineDash(isQueued && lines.length <= MANY ? [6, 5] : []);
    for (const line of lines) {
      if (line.isQueued !== isQueued) continue;
      context.moveTo(view.screenX(line.x0), view.screenY(line.y0));
      context.lineTo(view.screenX(line.x1), view.screenY(line.y1));
    }
    stroke(context, palette, palette.order, 1.5, lines.length);
  }
  context.setLineDash([]);
  context.beginPath();
  for (const { x0, y0, x1, y1 } of lines) {
    const [fromX, fromY, toX, toY] = [view.screenX(x0), view.screenY(y0), view.screenX(x1), view.screenY(y1)];
    if (Math.hypot(toX - fromX, toY - fromY) < LEAST_ARROW_PX) continue;
    const [left, right] = arrowHead(fromX, fromY, toX, toY, ARROW_PX);
    context.moveTo(...left);
    context.lineTo(toX, toY);
    context.lineTo(...right);
  }
  stroke(context, palette, palette.order, 1.5, lines.length);
}

/**
 * Circles of how far units shoot and see: weapons solid, sight dashed. Of many units it is the area that they reach together: so many
 * circles could not be told apart, and cost more than all units.
 * @param ranges { x, y, radius, sight, weapons, text }[] in cells
 */
export function drawRanges(context, ranges, view, palette) {
  const circles = (dash, color, radiiOf) => {
    context.beginPath();
    for (const each of ranges) {
      const [x, y] = [view.screenX(each.x), view.screenY(each.y)];
      for (const radius of radiiOf(each)) {
        if (isBeyond(view, x, y, radius * view.scale)) continue;
        context.moveTo(x + radius * view.scale, y);
        context.arc(x, y, radius * view.scale, 0, 2 * Math.PI);
      }
    }
    if (ranges.length > MANY) {
      context.globalAlpha = 0.2;
      context.fillStyle = color;
      context.fill();
      context.globalAlpha = 1;
    } else {
      context.setLineDash(dash);
      stroke(context, palette, color, 1.25);
    }
  };
  circles([2, 5], palette.sight, ({ sight }) => (sight > 0 ? [sight] : []));
  circles([], palette.weapon, ({ weapons }) => weapons);
  context.setLineDash([]);
  if (ranges.length > LABELLED_RANGES) return;
  for (const { x, y, radius, text } of ranges)
    write(context, text, view.screenX(x) + radius * view.scale + 8, view.screenY(y) + 16, palette);
}

/** A ring with crossed swords round each fight; those beyond the view are pointed at from its edge. */
export function drawFights(context, fights, view, palette) {
  for (const { x, y, radius } of fights) {
    const edge = edgeOf(view, x, y, EDGE_PX);
    if (edge) {
      pointer(context, edge, palette);
      continue;
    }
    const size = Math.max((radius + 1) * view.scale, 14);
    const [screenX, screenY] = [view.screenX(x), view.screenY(y)];
    context.beginPath();
    context.setLineDash([10, 6]);
    context.arc(screenX, screenY, size, 0, 2 * Math.PI);
    stroke(context, palette, palette.fight, 2);
    context.setLineDash([]);
    swords(context, screenX, Math.max(screenY - size, SWORDS_PX + 6), palette);
  }
}

function swords(context, x, y, palette) {
  context.beginPath();
  context.arc(x, y, SWORDS_PX + 4, 0, 2 * Math.PI);
  context.fillStyle = palette.outline;
  context.fill();
  context.beginPath();
  for (const side of [-1, 1]) {
    context.moveTo(x - side * SWORDS_PX, y + SWORDS_PX);
    context.lineTo(x + side * SWORDS_PX, y - SWORDS_PX);
    // The hilt.
    context.moveTo(x - side * (SWORDS_PX + 0.5), y + SWORDS_PX - 5);
    context.lineTo(x - side * (SWORDS_PX - 5), y + SWORDS_PX + 0.5);
  }
  context.lineWidth = 2;
  context.lineCap = "round";
  context.strokeStyle = palette.fight;
  context.stroke();
  context.lineCap = "butt";
}

function pointer(context, [x, y, angle], palette) {
  swords(context, x, y, palette);
  context.beginPath();
  const tip = [x + 18 * Math.cos(angle), y + 18 * Math.sin(angle)];
  const [left, right] = arrowHead(x, y, ...tip, 9);
  context.moveTo(...left);
  context.lineTo(...tip);
  context.lineTo(...right);
  context.closePath();
  context.fillStyle = palette.fight;
  context.fill();
}

/** The area that is being chosen: { x0, y0, x1, y1 } on the screen. */
export function drawBox(context, { x0, y0, x1, y1 }, palette) {
  context.beginPath();
  context.rect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0));
  context.globalAlpha = 0.12;
  context.fillStyle = palette.select;
  context.fill();
  context.globalAlpha = 1;
  context.setLineDash([5, 4]);
  stroke(context, palette, palette.select, 1);
  context.setLineDash([]);
}
