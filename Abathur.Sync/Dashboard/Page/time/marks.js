// What happened when: shapes above the scrubber with a legend, in which kinds of them are switched, and a list.

import { TimeScale } from "../charts/time_scale.js";
import { byId, element, press, setText, styleColor } from "../common/page.js";
import { KINDS, markText, nextMark } from "./mark_text.js";

const REACH_PX = 8;
const THUMB_PX = 8;
const SIZE_PX = 5;
const LISTED = 200;
/** Marks close to each other lie in lanes over each other, this far apart. */
const LANES = 2;
const APART_PX = 2 * SIZE_PX + 1;

export class Marks {
  #canvas = byId("marks");
  #list = byId("events");
  #shown;
  #names;
  #seek;
  #scale = new TimeScale(0, 1, 1);
  #places = [];
  #drawn = "";
  #listed = "";

  /** @param shown ShownMarks @param names() the names of units and upgrades @param seek (gameLoop) */
  constructor(shown, names, seek) {
    [this.#shown, this.#names, this.#seek] = [shown, names, seek];
    byId("marks-legend").append(...Object.keys(KINDS).map((kind) => element("li", {}, this.#newSwitch(kind))));
    this.#canvas.addEventListener("pointermove", (event) => {
      const mark = this.#markAt(event.offsetX, event.offsetY);
      this.#canvas.title = mark === undefined ? "" : markText(mark, this.#names());
      this.#canvas.style.cursor = mark === undefined ? "" : "pointer";
    });
    this.#canvas.addEventListener("click", (event) => {
      const mark = this.#markAt(event.offsetX, event.offsetY);
      if (mark !== undefined) this.#seek(mark.gameLoop ?? 0);
    });
  }

  /** Shows the marks between two game loops. @param colors changes when the colours do */
  show(first, last, colors) {
    this.#showList();
    const ratio = globalThis.devicePixelRatio || 1;
    const [width, height] = [this.#canvas.clientWidth, this.#canvas.clientHeight];
    const drawn = `${this.#shown.version} ${first} ${last} ${width} ${ratio} ${colors}`;
    if (width === 0 || drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#scale = new TimeScale(first, last, width - 2 * THUMB_PX);
    [this.#canvas.width, this.#canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const context = this.#canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#places = placed(this.#shown.marks, (gameLoop) => THUMB_PX + this.#scale.x(gameLoop), first, last);
    for (const { mark, x, lane } of this.#places) drawSign(context, mark.kind, x, ((lane + 0.5) * height) / LANES);
    for (const sign of document.querySelectorAll("#marks-legend canvas")) {
      const signContext = sign.getContext("2d");
      signContext.setTransform(2, 0, 0, 2, 0, 0);
      signContext.clearRect(0, 0, 14, 14);
      drawSign(signContext, sign.dataset.kind, 7, 7);
    }
  }

  /** Goes to the mark after this place, which need not be shown yet, or before it. */
  jump(gameLoop, direction) {
    const mark = nextMark(this.#shown.all, gameLoop, direction);
    if (mark !== undefined) this.#seek(mark.gameLoop ?? 0);
  }

  /** The mark under a point of the canvas. */
  #markAt(x, y) {
    const lane = Math.floor((y / this.#canvas.clientHeight) * LANES);
    const distance = (place) => Math.abs(place.x - x) + (place.lane === lane ? 0 : REACH_PX / 2);
    return this.#places.filter((place) => distance(place) <= REACH_PX).sort((a, b) => distance(a) - distance(b))[0]?.mark;
  }

  #showList() {
    if (this.#listed === this.#shown.version) return;
    this.#listed = this.#shown.version;
    // The newest first: what happened last is what is looked for in a running match.
    const marks = this.#shown.marks.filter(({ kind }) => kind in KINDS).slice(-LISTED).reverse();
    byId("events-none").hidden = marks.length > 0;
    while (this.#list.children.length > marks.length) this.#list.lastElementChild.remove();
    while (this.#list.children.length < marks.length) this.#list.append(element("li", {}, this.#newButton()));
    marks.forEach((mark, at) => {
      const button = this.#list.children[at].firstElementChild;
      setText(button, markText(mark, this.#names()));
      button.dataset.gameLoop = String(mark.gameLoop ?? 0);
    });
  }

  #newSwitch(kind) {
    const sign = element("canvas", { width: 28, height: 28, className: "sign", "data-kind": kind, "aria-hidden": "true" });
    const button = element("button", { type: "button", "aria-pressed": "true" }, sign, KINDS[kind].label);
    button.addEventListener("click", () => {
      this.#shown.toggle(kind);
      press(button, this.#shown.isOn(kind));
    });
    return button;
  }

  #newButton() {
    const button = element("button", { type: "button" });
    button.addEventListener("click", () => this.#seek(Number(button.dataset.gameLoop)));
    return button;
  }
}

/**
 * Where marks are drawn, { mark, x, lane }: those that would cover each other in different lanes, and where these are full, beside each
 * other. Pure: tested in Node. @param xOf (game loop) in pixels
 */
export function placed(marks, xOf, first, last) {
  const ends = new Array(LANES).fill(-Infinity);
  const places = [];
  for (const mark of marks) {
    const { kind, gameLoop = 0 } = mark;
    if (!(kind in KINDS) || gameLoop < first || gameLoop > last) continue;
    const free = ends.findIndex((end) => xOf(gameLoop) >= end);
    const lane = free >= 0 ? free : ends.indexOf(Math.min(...ends));
    const x = Math.max(xOf(gameLoop), ends[lane]);
    ends[lane] = x + APART_PX;
    places.push({ mark, x, lane });
  }
  return places;
}

/** A cross, a square, a diamond, a triangle, a disc, a bubble: the shapes of the map, as far as it has them. */
function drawSign(context, kind, x, y) {
  const known = KINDS[kind];
  if (known === undefined) return;
  context.fillStyle = context.strokeStyle = styleColor(known.color);
  context.lineWidth = kind === "fight" ? 2 : 1.5;
  context.beginPath();
  const size = SIZE_PX - 1;
  if (kind === "fight") {
    context.moveTo(x - size, y - size);
    context.lineTo(x + size, y + size);
    context.moveTo(x + size, y - size);
    context.lineTo(x - size, y + size);
    context.stroke();
    return;
  }
  if (kind.startsWith("base")) context.rect(x - size, y - size, 2 * size, 2 * size);
  if (kind === "drawing") context.arc(x, y, size, 0, 2 * Math.PI);
  if (kind.startsWith("enemy_base")) {
    context.moveTo(x, y - SIZE_PX);
    for (const [dx, dy] of [[SIZE_PX, 0], [0, SIZE_PX], [-SIZE_PX, 0]]) context.lineTo(x + dx, y + dy);
    context.closePath();
  }
  if (kind === "chat") {
    context.rect(x - SIZE_PX, y - size, 2 * SIZE_PX, size + 1);
    context.moveTo(x - size, y);
    context.lineTo(x - size, y + SIZE_PX);
    context.lineTo(x + 1, y);
  }
  if (kind === "upgrade") {
    context.moveTo(x, y - SIZE_PX);
    context.lineTo(x + SIZE_PX, y + size);
    context.lineTo(x - SIZE_PX, y + size);
  }
  // What is lost is an outline.
  if (kind.endsWith("lost")) context.stroke();
  else context.fill();
}
