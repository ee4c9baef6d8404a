// What agents have drawn over the map.

import { write } from "./unit_marks.js";

const WHITE = 0xffffff;
const POINT_RADIUS = 4;

/** Draws the layers of a game loop; returns the number of shapes. */
export function drawLayers(context, layers, gameLoop, view, palette) {
  let count = 0;
  for (const { shapes } of layers) {
    for (const { shape, until } of shapes) {
      if (shape === undefined || (until !== undefined && gameLoop >= until)) continue;
      drawShape(context, shape, view, palette);
      count++;
    }
  }
  return count;
}

function drawShape(context, { point, circle, line, text, color }, view, palette) {
  const ink = `#${((color ?? WHITE) & WHITE).toString(16).padStart(6, "0")}`;
  if (text) {
    write(context, text.text ?? "", view.screenX(text.at?.x ?? 0), view.screenY(text.at?.y ?? 0), palette, ink);
    return;
  }
  context.beginPath();
  if (point) context.arc(view.screenX(point.at?.x ?? 0), view.screenY(point.at?.y ?? 0), POINT_RADIUS, 0, 2 * Math.PI);
  if (circle)
    context.arc(
      view.screenX(circle.at?.x ?? 0), view.screenY(circle.at?.y ?? 0), Math.max(circle.radius * view.scale, 1) || 1, 0, 2 * Math.PI);
  if (line) {
    context.moveTo(view.screenX(line.from?.x ?? 0), view.screenY(line.from?.y ?? 0));
    context.lineTo(view.screenX(line.to?.x ?? 0), view.screenY(line.to?.y ?? 0));
  }
  if (point) {
    context.fillStyle = ink;
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = palette.outline;
    context.stroke();
    return;
  }
  // A dark edge: any colour is visible on the ground.
  context.lineWidth = 4;
  context.strokeStyle = palette.outline;
  context.stroke();
  context.lineWidth = 2;
  context.strokeStyle = ink;
  context.stroke();
}
