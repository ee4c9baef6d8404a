// The map: terrain, creep, fog, units, drawings, camera. Drawn when something has changed or moves, at most once a frame of the screen.

import { Names } from "../match/names.js";
import { wayOf } from "../match/orders.js";
import { areaOf, edgesOf } from "./area.js";
import { DrawTimes } from "./draw_times.js";
import { drawLayers } from "./drawing_marks.js";
import { Fights } from "./fights.js";
import { Ground } from "./ground.js";
import { drawHealth, drawHover, hoverText, Labels, LABEL_SCALE } from "./labels.js";
import { drawBox, drawFights, drawOrders, drawRanges, drawTrails } from "./map_marks.js";
import { MapOptions } from "./map_options.js";
import { Minimap } from "./minimap.js";
import { paletteOf } from "./palette.js";
import { rangesOf } from "./ranges.js";
import { Selection } from "./selection.js";
import { Spread } from "./spread.js";
import { Trails } from "./trails.js";
import { outline, UnitMarks } from "./unit_marks.js";
import { Viewport } from "./viewport.js";

/** The approximate view of the game's camera, in cells. */
const [CAMERA_WIDTH, CAMERA_HEIGHT] = [24, 14];
/** Pixels that stay free round marks of units, and where those have bars and names. */
const [GAP_PX, NAMED_GAP_PX] = [0.5, 5];
const REACH = { mouse: 6, touch: 16 };

export class MapView {
  view = new Viewport();
  times = new DrawTimes();
  selection = new Selection();
  options = new MapOptions();
  trails = new Trails();
  fights = new Fights();
  minimap = new Minimap();
  /** Where the pointer is, and the area that is being chosen: CSS pixels of the canvas. */
  pointer = undefined;
  box = undefined;
  /** What has been drawn last: { tag, name, lines } at the pointer, lines of orders, ranges, and how many names. */
  hover = undefined;
  orderLines = [];
  ranges = [];
  namesDrawn = 0;
  /** Whether units were drawn on the way between two frames. */
  walks = false;
  onFollows = () => {};
  #names = new Names();
  #follows = false;
  #canvas;
  #context;
  #world;
  #marks;
  #palette = paletteOf("dark");
  #ground = new Ground();
  #labels = new Labels();
  #spread = new Spread();
  #area;
  #run;
  #asked = false;

  constructor(canvas, world, isStill) {
    [this.#canvas, this.#world] = [canvas, world];
    this.#context = canvas.getContext("2d", { alpha: false });
    this.#marks = new UnitMarks(isStill);
    this.#marks.shows = (alliance) => this.options.shows(alliance);
    this.#ground.begin(undefined, this.#palette);
    new ResizeObserver(() => this.#resize()).observe(canvas);
    this.#resize();
  }

  /** Colours for "light" or "dark", which the system may force. */
  setTheme(theme, areForced) {
    this.#palette = paletteOf(theme, areForced);
    this.#ground.begin(this.#world.match?.gameInfo?.startRaw, this.#palette);
    this.update();
  }

  set isStill(isStill) {
    this.#marks.isStill = isStill;
    this.invalidate();
  }

  /** Names of units and what else is known of them. */
  set names(names) {
    this.#names = names;
    this.invalidate();
  }

  /** Whether the map follows the chosen unit. */
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
    const { match } = this.#world;
    const startRaw = match?.gameInfo?.startRaw;
    this.#ground.begin(startRaw, this.#palette);
    this.options.suggest("grid", !this.#ground.isKnown);
    this.trails.clear();
    this.fights.clear();
    // After a lost connection, or another place in the same match, the picture stays where it is.
    if (match?.runId !== this.#run) this.#area = undefined;
    this.#run = match?.runId;
    if (startRaw) this.#showArea();
    this.invalidate();
  }

  /** A frame was received. */
  update() {
    const world = this.#world;
    this.#ground.update(world);
    this.#showArea();
    if (world.gameLoop !== undefined) {
      this.trails.add(world, this.#names.facts);
      this.fights.add(world, (type) => this.#names.facts.value(type));
    }
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

  /** Tags of the units that are shown in an area of the canvas, of alliances that count. */
  tagsIn({ x0, y0, x1, y1 }, counts = () => true) {
    const { units } = this.#world;
    return this.#marks.inside(units, this.view, x0, y0, x1, y1).filter((row) => counts(units.alliance[row])).map((row) => units.tag[row]);
  }

  /** Where a unit is drawn now: CSS pixels of the canvas. */
  placeOf(row) {
    return [this.view.screenX(this.#marks.x[row]), this.view.screenY(this.#marks.y[row])];
  }

  /** Tags of the units that are drawn as one mark with that of a row; none if it has its own. */
  groupOf(row) {
    return (this.#spread.groups[this.#spread.groupOf[row] - 1]?.rows ?? []).map((each) => this.#world.units.tag[each]);
  }

  #draw(now) {
    this.#asked = false;
    const start = performance.now();
    const { view, options } = this;
    const [world, marks, context, palette] = [this.#world, this.#marks, this.#context, this.#palette];
    const walking = marks.place(world, now);
    const chosen = this.#chosen();
    if (this.follows && chosen.length > 0) view.center(marks.x[chosen[0]], marks.y[chosen[0]]);
    const { facts } = this.#names;
    const gap = this.#areNamed() ? NAMED_GAP_PX : GAP_PX;
    const isStill = (type) => !facts.knows(type) || facts.isStill(type);
    this.#spread.place(world.units, marks, view, isStill, (row) => marks.radiusOf(world.units, row, view), gap);
    const ratio = this.#canvas.width / view.width;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = palette.ground;
    context.fillRect(0, 0, this.#canvas.width, this.#canvas.height);
    this.#ground.draw(context, view, ratio, options);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#effects(context);
    if (options.isOn("trails"))
      drawTrails(context, this.trails, world.gameLoop ?? 0, view, palette, marks.shows, (tag) => this.#cellOf(tag));
    this.#drawRanges(chosen);
    const pulsing = marks.draw(context, world, view, palette, now, this.#spread);
    this.#camera(context);
    drawLayers(context, world.drawings, world.gameLoop ?? 0, view, palette);
    if (options.isOn("fights")) drawFights(context, this.fights.list, view, palette);
    this.#drawChosen(chosen);
    this.#drawLabels(ratio);
    this.minimap.draw(context, this.#ground, world.units, marks, view, palette, ratio, options);
    this.#drawHover();
    if (this.box) drawBox(context, this.box, palette);
    this.times.add(now, performance.now() - start);
    this.walks = walking;
    if (walking || pulsing) this.invalidate();
  }

  /** Rows of the chosen units that are in the frame and shown. */
  #chosen() {
    const rows = [];
    for (const tag of this.selection.tags) {
      const row = this.#world.rowOf(tag);
      if (row !== undefined && this.#marks.shows(this.#world.units.alliance[row])) rows.push(row);
    }
    return rows;
  }

  #cellOf(tag) {
    const row = this.#world.rowOf(tag);
    return row === undefined ? undefined : [this.#marks.x[row], this.#marks.y[row]];
  }

  #drawRanges(chosen) {
    const { units } = this.#world;
    const { x, y } = this.#marks;
    const rows = this.options.isOn("ranges") ? chosen : [];
    this.ranges = rows.map((row) => rangesOf(units, row, x[row], y[row], this.#names.facts));
    if (rows.length > 0) drawRanges(this.#context, this.ranges, this.view, this.#palette);
  }

  #drawChosen(chosen) {
    this.orderLines = [];
    if (chosen.length === 0) return;
    const { orders, units } = this.#world;
    const { x, y } = this.#marks;
    this.orderLines = chosen.flatMap((row) => wayOf(orders.of(row), x[row], y[row], (tag) => this.#cellOf(tag)));
    drawOrders(this.#context, this.orderLines, this.view, this.#palette);
    const label = chosen.length === 1 && !this.#areNamed() ? this.#names.unit(units.unit_type[chosen[0]]) : "";
    this.#marks.select(this.#context, chosen, units, this.view, this.#palette, label);
  }

  /** Whether units have their names on the map. */
  #areNamed() {
    return this.view.scale >= LABEL_SCALE && this.options.isOn("labels");
  }

  #drawLabels(ratio) {
    this.namesDrawn = 0;
    if (!this.#areNamed()) return;
    const [context, marks, { units }] = [this.#context, this.#marks, this.#world];
    drawHealth(context, units, marks, this.#spread, this.view, this.#palette, marks.shows);
    this.namesDrawn = this.#labels.names(
      context, units, marks, this.#spread, this.view, this.#palette, ratio, (type) => this.#names.unit(type), marks.shows,
      (tag) => this.selection.tags.has(tag));
  }

  #drawHover() {
    const { units } = this.#world;
    const row = this.pointer && !this.box ? this.unitAt(...this.pointer) : undefined;
    this.hover = undefined;
    if (row === undefined) return;
    this.hover = { tag: units.tag[row], ...hoverText(units, row, this.#names.unit(units.unit_type[row])) };
    const [x, y] = this.placeOf(row);
    drawHover(this.#context, this.hover, units.alliance[row], x, y, units.radius[row] * this.view.scale, this.view, this.#palette, outline);
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

  #showArea() {
    const before = this.#area;
    const area = areaOf(this.#world, before);
    if (!area || (before && Object.keys(area).every((each) => area[each] === before[each]))) return;
    this.#area = area;
    const edges = edgesOf(this.#world);
    this.minimap.show(area);
    if (before) this.view.widen(area, edges);
    else this.view.show(area, edges);
  }

  #resize() {
    const { clientWidth, clientHeight } = this.#canvas;
    const ratio = globalThis.devicePixelRatio || 1;
    [this.#canvas.width, this.#canvas.height] = [clientWidth, clientHeight].map((each) => Math.max(Math.round(each * ratio), 1));
    this.view.resize(clientWidth, clientHeight);
    this.invalidate();
  }
}
