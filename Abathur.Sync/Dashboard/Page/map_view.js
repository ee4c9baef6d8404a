// The map: terrain, creep, fog, units, drawings, camera. Drawn when something has changed or moves, at most once a frame of the screen.

import { drawLayers } from "./drawing_marks.js";
import { newCreep, newFog, paintTerrain } from "./grids.js";
import { paletteOf } from "./palette.js";
import { DrawTimes } from "./draw_times.js";
import { UnitMarks } from "./unit_marks.js";
import { Viewport } from "./viewport.js";

/** The approximate view of the game's camera, in cells. */
const [CAMERA_WIDTH, CAMERA_HEIGHT] = [24, 14];
const MARGIN = 2;
const REACH = { mouse: 6, touch: 16 };

export class MapView {
  view = new Viewport();
  times = new DrawTimes();
  /** Tag of the unit that is marked. */
  selected = undefined;
  labelOf = () => "";
  onFollows = () => {};
  #follows = false;
  #canvas;
  #context;
  #world;
  #marks;
  #palette = paletteOf("dark");
  #terrain;
  #fog = newFog();
  #creep = newCreep();
  #area = "";
  #asked = false;

  constructor(canvas, world, isStill) {
    [this.#canvas, this.#world] = [canvas, world];
    this.#context = canvas.getContext("2d", { alpha: false });
    this.#marks = new UnitMarks(isStill);
    new ResizeObserver(() => this.#resize()).observe(canvas);
    this.#resize();
  }

  /** Colours for "light" or "dark". */
  set theme(theme) {
    this.#palette = paletteOf(theme);
    this.#paintTerrain();
    this.invalidate();
  }

  set isStill(isStill) {
    this.#marks.isStill = isStill;
    this.invalidate();
  }

  /** Whether the map follows the marked unit. */
  get follows() {
    return this.#follows;
  }

  set follows(follows) {
    if (follows === this.#follows) return;
    this.#follows = follows;
    this.onFollows(follows);
    this.invalidate();
  }

  /** A match has begun: another map. */
  begin() {
    this.#paintTerrain();
    this.#area = "";
    this.#showArea();
    this.invalidate();
  }

  /** A frame was received. */
  update() {
    const { decoder, rest } = this.#world;
    const state = rest.observation?.raw?.mapState;
    this.#fog.update(decoder.visibility, state?.visibility, this.#palette.fog);
    this.#creep.update(decoder.creep, state?.creep, this.#palette.creep);
    if (this.#area === "") this.#showArea();
    this.invalidate();
  }

  /** Draws with the next frame of the screen. */
  invalidate() {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame((now) => this.#draw(now));
  }

  /** Row of the unit at a point of the canvas, in CSS pixels. */
  unitAt(x, y, pointer = "mouse") {
    return this.#marks.at(this.#world.units, this.view, x, y, REACH[pointer] ?? REACH.mouse);
  }

  /** Where a unit is drawn now: CSS pixels of the canvas. */
  placeOf(row) {
    return [this.view.screenX(this.#marks.x[row]), this.view.screenY(this.#marks.y[row])];
  }

  #draw(now) {
    this.#asked = false;
    const start = performance.now();
    const { view, selected } = this;
    const world = this.#world;
    const context = this.#context;
    const row = selected === undefined ? undefined : world.rowOf(selected);
    const walking = this.#marks.place(world, now);
    if (this.follows && row !== undefined) view.center(this.#marks.x[row], this.#marks.y[row]);
    const ratio = this.#canvas.width / view.width;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.#palette.ground;
    context.fillRect(0, 0, this.#canvas.width, this.#canvas.height);
    this.#grids(context, ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#effects(context);
    const pulsing = this.#marks.draw(context, world, view, this.#palette, now);
    this.#camera(context);
    drawLayers(context, world.drawings, world.gameLoop ?? 0, view, this.#palette);
    if (row !== undefined) this.#marks.select(context, row, world.units, view, this.#palette, this.labelOf(row));
    this.times.add(now, performance.now() - start);
    if (walking || pulsing) this.invalidate();
  }

  #grids(context, ratio) {
    const { view } = this;
    const scale = view.scale * ratio;
    // One pixel of a picture is one cell, and its first row the lowest of the map.
    context.setTransform(scale, 0, 0, -scale, view.screenX(0) * ratio, view.screenY(0) * ratio);
    context.imageSmoothingEnabled = true;
    for (const picture of [this.#terrain, this.#creep.canvas, this.#fog.canvas]) if (picture) context.drawImage(picture, 0, 0);
  }

  #effects(context) {
    const effects = this.#world.rest.observation?.raw?.effects ?? [];
    if (effects.length === 0) return;
    context.lineWidth = 1.5;
    context.strokeStyle = this.#palette.effect;
    context.setLineDash([3, 3]);
    for (const { at, radius } of effects) {
      for (const place of at) {
        context.beginPath();
        context.arc(
          this.view.screenX(place.x ?? 0), this.view.screenY(place.y ?? 0), Math.max((radius || 1) * this.view.scale, 2), 0, 2 * Math.PI);
        context.stroke();
      }
    }
    context.setLineDash([]);
  }

  #camera(context) {
    const camera = this.#world.rest.observation?.raw?.player?.camera;
    if (!camera) return;
    const { view } = this;
    const [width, height] = [CAMERA_WIDTH * view.scale, CAMERA_HEIGHT * view.scale];
    context.lineWidth = 1;
    context.globalAlpha = 0.75;
    context.strokeStyle = this.#palette.camera;
    context.strokeRect(view.screenX(camera.x ?? 0) - width / 2, view.screenY(camera.y ?? 0) - height / 2, width, height);
    context.globalAlpha = 1;
  }

  #paintTerrain() {
    this.#terrain = paintTerrain(this.#world.match?.gameInfo?.startRaw, this.#palette);
    this.update();
  }

  /** The area of interest: the playable area, else the whole map, else the area of the grids or the units. */
  #showArea() {
    const area = this.#playable() ?? this.#whole() ?? this.#populated();
    const key = JSON.stringify(area);
    if (!area || key === this.#area) return;
    this.#area = key;
    this.view.show(area);
  }

  #playable() {
    const { p0, p1 } = this.#world.match?.gameInfo?.startRaw?.playable ?? {};
    if (!p0 || !p1 || !(p1.x > (p0.x ?? 0)) || !(p1.y > (p0.y ?? 0))) return undefined;
    return { x0: (p0.x ?? 0) - MARGIN, y0: (p0.y ?? 0) - MARGIN, x1: p1.x + MARGIN, y1: p1.y + MARGIN };
  }

  #whole() {
    const { match, rest } = this.#world;
    const size = match?.gameInfo?.startRaw?.mapSize ?? rest.observation?.raw?.mapState?.visibility?.size;
    return size?.x > 0 && size.y > 0 ? { x0: 0, y0: 0, x1: size.x, y1: size.y } : undefined;
  }

  #populated() {
    const { units } = this.#world;
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let row = 0; row < units.rows; row++) {
      if (!units.used[row]) continue;
      [x0, y0, x1, y1] = [Math.min(x0, units.x[row]), Math.min(y0, units.y[row]), Math.max(x1, units.x[row]), Math.max(y1, units.y[row])];
    }
    return x1 > x0 ? { x0: x0 - MARGIN, y0: y0 - MARGIN, x1: x1 + MARGIN, y1: y1 + MARGIN } : undefined;
  }

  #resize() {
    const { clientWidth, clientHeight } = this.#canvas;
    const ratio = globalThis.devicePixelRatio || 1;
    [this.#canvas.width, this.#canvas.height] =
    [
      Math.max(Math.round(clientWidth * ratio), 1),
      Math.max(Math.round(clientHeight * ratio), 1),
    ];
    this.view.resize(clientWidth, clientHeight);
    this.invalidate();
  }
}
