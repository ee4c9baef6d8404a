// The whole map in a corner while a part of it is magnified: who is where, and which part is seen. A press or a drag goes there.

import { NEUTRAL } from "../match/world.js";
import { allianceColors } from "./palette.js";
import { Viewport } from "./viewport.js";

/** Of the smaller side of the map's canvas, with bounds in CSS pixels. */
const [SHARE, LEAST_PX, MOST_PX] = [0.26, 90, 420];
const INSET_PX = 10;
const DOT_PX = 2.4;

/** The whole map at a place of the canvas. */
class CornerView extends Viewport {
  left = 0;
  top = 0;

  screenX(x) {
    return super.screenX(x) + this.left;
  }

  screenY(y) {
    return super.screenY(y) + this.top;
  }

  mapX(screenX) {
    return super.mapX(screenX - this.left);
  }

  mapY(screenY) {
    return super.mapY(screenY - this.top);
  }
}

export class Minimap {
  /** Whether it is drawn: while a part of the map is magnified. */
  isShown = false;
  #view = new CornerView();

  /** Another map, or part of it in use. */
  show(area) {
    this.#view.show(area);
  }

  /** Whether a point of the canvas, in CSS pixels, is in it. */
  contains(x, y) {
    const { left, top, width, height } = this.#view;
    return this.isShown && x >= left && y >= top && x <= left + width && y <= top + height;
  }

  /** The point of the map under a point of the canvas. */
  placeOf(x, y) {
    return [this.#view.mapX(x), this.#view.mapY(y)];
  }

  /** Draws it into a corner of the canvas. @param ground that is drawn by draw(context, view, ratio, options) */
  draw(context, ground, units, marks, view, palette, ratio, options) {
    this.isShown = view.scale > 1.3 * view.fitScale;
    if (!this.isShown) return;
    const corner = this.#view;
    this.#fit(view);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.save();
    context.beginPath();
    context.rect(corner.left, corner.top, corner.width, corner.height);
    context.fillStyle = palette.ground;
    context.fill();
    context.clip();
    ground.draw(context, corner, ratio, options);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#dots(context, units, marks, palette);
    context.lineWidth = 1.5;
    context.strokeStyle = palette.camera;
    const [x0, y0] = [corner.screenX(view.mapX(0)), corner.screenY(view.mapY(0))];
    context.strokeRect(x0, y0, corner.screenX(view.mapX(view.width)) - x0, corner.screenY(view.mapY(view.height)) - y0);
    context.restore();
    context.lineWidth = 1;
    context.strokeStyle = palette.neutral;
    context.strokeRect(corner.left, corner.top, corner.width, corner.height);
  }

  #fit(view) {
    const side = Math.min(Math.max(SHARE * Math.min(view.width, view.height), LEAST_PX), MOST_PX);
    this.#view.resize(side, side);
    [this.#view.left, this.#view.top] = [INSET_PX, view.height - side - INSET_PX];
  }

  #dots(context, units, marks, palette) {
    const colors = allianceColors(palette);
    for (let alliance = 1; alliance < colors.length; alliance++) {
      if (alliance === NEUTRAL || !marks.shows(alliance)) continue;
      context.beginPath();
      for (let row = 0; row < units.rows; row++) {
        if (!units.used[row] || units.alliance[row] !== alliance) continue;
        const size = Math.max(DOT_PX, units.radius[row] * this.#view.scale);
        context.rect(this.#view.screenX(marks.x[row]) - size / 2, this.#view.screenY(marks.y[row]) - size / 2, size, size);
      }
      context.fillStyle = colors[alliance];
      context.fill();
    }
  }
}
