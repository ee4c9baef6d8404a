// The ground of the map: terrain, where it is known, else the cells of the grids; layers over it, and lines of a light grid.

import { newCreep, newFog, paintMarks, paintTerrain } from "./grids.js";

const LINE_STEPS = [2, 4, 8, 16, 32, 64];
const LEAST_LINES_PX = 44;

export class Ground {
  #fog = newFog();
  #creep = newCreep();
  #pictures = {};
  #startRaw;
  #palette;
  #size;

  /** Another map, or other colours. */
  begin(startRaw, palette) {
    [this.#startRaw, this.#palette, this.#pictures] = [startRaw, palette, {}];
  }

  /** Whether the terrain is known. */
  get isKnown() {
    return this.#picture("heights") !== undefined;
  }

  /** The newest grids. */
  update({ decoder, rest }) {
    const state = rest.observation?.raw?.mapState;
    this.#fog.update(decoder.visibility, state?.visibility, this.#palette.fog);
    this.#creep.update(decoder.creep, state?.creep, this.#palette.creep);
    this.#size = this.#startRaw?.mapSize ?? state?.visibility?.size ?? state?.creep?.size;
  }

  /** Draws it in device pixels. */
  draw(context, view, ratio, options) {
    const scale = view.scale * ratio;
    // One pixel of a picture is one cell, and its first row the lowest of the map.
    context.setTransform(scale, 0, 0, -scale, view.screenX(0) * ratio, view.screenY(0) * ratio);
    context.imageSmoothingEnabled = true;
    const terrain = this.#picture(options.isOn("heights") ? "heights" : "flat");
    if (terrain) context.drawImage(terrain, 0, 0);
    else if (this.#size?.x > 0) {
      context.fillStyle = this.#palette.floor;
      context.fillRect(0, 0, this.#size.x, this.#size.y);
    }
    if (options.isOn("creep") && this.#creep.canvas) context.drawImage(this.#creep.canvas, 0, 0);
    if (options.isOn("fog") && this.#fog.canvas) context.drawImage(this.#fog.canvas, 0, 0);
    context.imageSmoothingEnabled = false;
    for (const layer of ["placement", "pathing"]) {
      const picture = options.isOn(layer) ? this.#picture(layer) : undefined;
      if (picture) context.drawImage(picture, 0, 0);
    }
    if (options.isOn("grid")) this.#lines(context, view, ratio);
  }

  #picture(name) {
    if (!(name in this.#pictures)) this.#pictures[name] = this.#paint(name);
    return this.#pictures[name];
  }

  #paint(name) {
    const [startRaw, palette] = [this.#startRaw, this.#palette];
    if (name === "heights") return paintTerrain(startRaw, palette);
    if (name === "flat") return paintTerrain(startRaw, palette, false);
    if (name === "pathing") return paintMarks(startRaw?.pathing, 0, palette.noWalking, (x, y) => ((x + y) % 2 === 0 ? 150 : 50));
    return paintMarks(startRaw?.placement, 1, palette.building, (x, y) => (y % 2 === 0 ? 90 : 20));
  }

  /** Lines every 2, 4, 8, ... cells. */
  #lines(context, view, ratio) {
    const size = this.#size;
    if (!(size?.x > 0 && size.y > 0)) return;
    const step = LINE_STEPS.find((each) => each * view.scale >= LEAST_LINES_PX);
    if (step === undefined) return;
    const first = (edge) => Math.max(Math.floor(edge / step) * step, 0);
    const [lastX, lastY] = [Math.min(size.x, view.mapX(view.width)), Math.min(size.y, view.mapY(0))];
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.beginPath();
    const [left, right] = [Math.max(view.screenX(0), 0) * ratio, Math.min(view.screenX(size.x), view.width) * ratio];
    const [top, bottom] = [Math.max(view.screenY(size.y), 0) * ratio, Math.min(view.screenY(0), view.height) * ratio];
    for (let x = first(view.mapX(0)); x <= lastX; x += step) {
      const at = Math.round(view.screenX(x) * ratio) + 0.5;
      if (at < left - 1 || at > right + 1) continue;
      context.moveTo(at, top);
      context.lineTo(at, bottom);
    }
    for (let y = first(view.mapY(view.height)); y <= lastY; y += step) {
      const at = Math.round(view.screenY(y) * ratio) + 0.5;
      if (at < top - 1 || at > bottom + 1) continue;
      context.moveTo(left, at);
      context.lineTo(right, at);
    }
    context.lineWidth = 1;
    context.strokeStyle = this.#palette.lines;
    context.stroke();
  }
}
