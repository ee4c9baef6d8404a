// A graph over the whole match: lines, the time that is shown, marks; a click or a drag seeks, the pointer shows values.

import { clock, grouped, three } from "../common/format.js";
import { element, setText, styleColor } from "../common/page.js";
import { indexAfter } from "../match/timeline.js";
import { scaleTop } from "./series.js";
import { TimeScale } from "./time_scale.js";

const KEY_STEP = 224;

/** A value for people: whole numbers grouped, others with three digits. */
export const shown = (value) => (Number.isInteger(value) || Math.abs(value) >= 1000 ? grouped(Math.round(value)) : three(value));

export class Graph {
  #canvas = element("canvas", { tabIndex: 0, role: "slider" });
  #cursor = element("div", { className: "cursor", hidden: true });
  #hover = element("div", { className: "cursor hover", hidden: true });
  #values = element("figcaption");
  #signed;
  #lines = [];
  #marks = [];
  #scale = new TimeScale(0, 1, 1);
  #until = Infinity;
  #em = 10;
  #drawn = "";
  #hovered;
  #at = 0;
  #seek;

  /** @param {{title: string, about?: string, signed?: boolean}} options @param seek (gameLoop) */
  constructor(parent, { title, about = "", signed = false }, seek) {
    [this.#signed, this.#seek] = [signed, seek];
    const stage = element("div", { className: "graph-stage" }, this.#canvas, this.#cursor, this.#hover);
    this.root = element("figure", { className: "graph" }, element("h3", { title: about }, title), this.#values, stage);
    parent.append(this.root);
    this.#canvas.setAttribute("aria-label", title);
    this.#listen();
  }

  /**
   * Shows lines { name, color, dashed, gameLoops, values } and marks between two game loops; nothing after the game loop `until`. The area
   * between the two lines in `between` is filled. `key` changes when lines, marks or colours do.
   */
  show({ lines, marks, first, last, until = Infinity, between, key }) {
    const ratio = globalThis.devicePixelRatio || 1;
    const [width, height] = [this.#canvas.clientWidth, this.#canvas.clientHeight];
    [this.#lines, this.#marks, this.#until] = [lines, marks, until];
    const rows = until === Infinity ? "" : lines.map(({ gameLoops }) => indexAfter(gameLoops, until)).join(" ");
    const drawn = `${key} ${first} ${last} ${width} ${height} ${ratio} ${rows}`;
    if (width === 0 || drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#scale = new TimeScale(first, last, width);
    [this.#canvas.width, this.#canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const context = this.#canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#em = parseFloat(getComputedStyle(this.#canvas).fontSize);
    this.#draw(context, width, height, between);
    this.#canvas.setAttribute("aria-valuemin", String(this.#scale.first));
    this.#canvas.setAttribute("aria-valuemax", String(this.#scale.last));
    this.showPlace(this.#at);
  }

  /** Shows where the match stands. */
  showPlace(gameLoop) {
    this.#at = gameLoop;
    const isIn = gameLoop >= this.#scale.first && gameLoop <= this.#scale.last;
    this.#cursor.hidden = !isIn;
    this.#cursor.style.left = `${this.#scale.x(gameLoop)}px`;
    this.#describe();
  }

  #draw(context, width, height, between) {
    context.clearRect(0, 0, width, height);
    const [above, below] = [this.#em + 4, this.#em + 4];
    const values = this.#lines.flatMap((line) => line.values.slice(0, this.#end(line))).filter(Number.isFinite);
    const top = scaleTop(Math.max(...values.map(Math.abs), 0));
    const low = this.#signed || values.some((value) => value < 0) ? -top : 0;
    const y = (value) => above + (height - above - below) * (1 - (value - low) / (top - low));
    if (between) this.#fillBetween(context, between, y);
    for (const line of this.#lines) {
      if (this.#signed && !between) this.#fill(context, line, y, above);
      else this.#line(context, line, y);
    }
    this.#drawMarks(context);
    this.#axes(context, width, y, low, top);
  }

  /** Axes come last: nothing covers what they say. */
  #axes(context, width, y, low, top) {
    context.font = `${this.#em}px system-ui, sans-serif`;
    context.lineWidth = 1;
    context.strokeStyle = styleColor("--line");
    context.textBaseline = "alphabetic";
    context.beginPath();
    for (const value of new Set([low, 0, top])) {
      context.moveTo(0, Math.round(y(value)) + 0.5);
      context.lineTo(width, Math.round(y(value)) + 0.5);
    }
    for (const tick of this.#scale.ticks(6 * this.#em)) {
      const x = this.#scale.x(tick);
      context.moveTo(Math.round(x) + 0.5, y(low));
      context.lineTo(Math.round(x) + 0.5, y(low) + 3);
    }
    context.stroke();
    for (const value of new Set([low, top]))
      if (value !== 0) this.#say(context, shown(value), 2, value > 0 ? y(value) + this.#em : y(value) - 3);
    context.textAlign = "center";
    for (const tick of this.#scale.ticks(6 * this.#em)) {
      const x = this.#scale.x(tick);
      if (x > 1.4 * this.#em && x < width - 1.4 * this.#em) this.#say(context, clock(tick), x, y(low) + this.#em + 3);
    }
    context.textAlign = "start";
  }

  /** Text with an edge of the panel's colour, which sets it off from lines. */
  #say(context, text, x, y) {
    context.lineWidth = 3;
    context.lineJoin = "round";
    context.strokeStyle = styleColor("--panel");
    context.strokeText(text, x, y);
    context.fillStyle = styleColor("--quiet");
    context.fillText(text, x, y);
  }

  /** Rows of a line that are shown end here. */
  #end({ gameLoops }) {
    return indexAfter(gameLoops, Math.min(this.#scale.last, this.#until));
  }

  #trace(context, line, y) {
    const { gameLoops, values } = line;
    const first = Math.max(indexAfter(gameLoops, this.#scale.first) - 1, 0);
    const end = this.#end(line);
    context.beginPath();
    for (let i = first; i < end; i++) context.lineTo(this.#scale.x(gameLoops[i]), y(values[i] ?? 0));
    return [first, end];
  }

  #line(context, line, y) {
    context.strokeStyle = styleColor(line.color);
    context.lineWidth = 0.175 * this.#em;
    context.lineJoin = "round";
    context.setLineDash(line.dashed ? [5, 3] : []);
    this.#trace(context, line, y);
    context.stroke();
    context.setLineDash([]);
  }

  /** The area above zero in the colour of the own side, below it in that of the enemy. */
  #fill(context, line, y, above) {
    const zero = y(0);
    for (const [color, edge] of [["--own", above], ["--enemy", context.canvas.clientHeight]]) {
      context.save();
      context.beginPath();
      context.rect(0, Math.min(zero, edge), this.#scale.width, Math.abs(edge - zero));
      context.clip();
      const [first, end] = this.#trace(context, line, y);
      if (end > first) {
        context.lineTo(this.#scale.x(line.gameLoops[end - 1]), zero);
        context.lineTo(this.#scale.x(line.gameLoops[first]), zero);
      }
      context.closePath();
      context.fillStyle = styleColor(color);
      context.globalAlpha = 0.75;
      context.fill();
      context.restore();
    }
  }

  /** The area between two lines: in the colour of the first where that is above, else in that of the second. */
  #fillBetween(context, [one, other], y) {
    const valueAt = ({ gameLoops, values }, at) => values[Math.max(indexAfter(gameLoops, at) - 1, 0)] ?? 0;
    const end = Math.min(this.#end(one), indexAfter(one.gameLoops, other.gameLoops.at(-1) ?? 0));
    for (const isAbove of [true, false]) {
      context.beginPath();
      for (let row = Math.max(indexAfter(one.gameLoops, this.#scale.first) - 1, 0); row + 1 < end; row++) {
        const [from, to] = [one.gameLoops[row], one.gameLoops[row + 1]];
        const [a, b] = [one.values[row] ?? 0, valueAt(other, from)];
        if (a > b !== isAbove || a === b) continue;
        context.rect(this.#scale.x(from), y(Math.max(a, b)), this.#scale.x(to) - this.#scale.x(from) + 0.5, Math.abs(y(a) - y(b)));
      }
      context.fillStyle = styleColor(isAbove ? one.color : other.color);
      context.globalAlpha = 0.35;
      context.fill();
    }
    context.globalAlpha = 1;
  }

  #drawMarks(context) {
    for (const { gameLoop = 0, kind } of this.#marks) {
      if (kind !== "fight" || gameLoop < this.#scale.first || gameLoop > this.#scale.last) continue;
      const [x, size] = [this.#scale.x(gameLoop), 0.6 * this.#em];
      context.strokeStyle = styleColor("--hit");
      context.lineWidth = 0.15 * this.#em;
      context.beginPath();
      for (const side of [-1, 1]) {
        context.moveTo(x - (side * size) / 2, 3);
        context.lineTo(x + (side * size) / 2, 3 + size);
      }
      context.stroke();
    }
  }

  /** The values where the pointer is, or where the match stands. */
  #describe() {
    const at = this.#hovered ?? this.#at;
    const parts = this.#lines.map(({ name, gameLoops, values }) => {
      const row = at > this.#until ? -1 : indexAfter(gameLoops, at) - 1;
      return `${name} ${row < 0 ? "–" : shown(values[row] ?? 0)}`;
    });
    const text = `${clock(at)}: ${parts.join(", ")}`;
    this.#showValues(parts, at);
    this.#canvas.setAttribute("aria-valuenow", String(at));
    this.#canvas.setAttribute("aria-valuetext", text);
  }

  #showValues(parts, at) {
    const wanted = this.#lines.length + 1;
    while (this.#values.children.length > wanted) this.#values.lastElementChild.remove();
    while (this.#values.children.length < wanted) this.#values.append(element("span"));
    setText(this.#values.children[0], clock(at));
    this.#lines.forEach(({ color, dashed }, i) => {
      const span = this.#values.children[i + 1];
      setText(span, parts[i]);
      if (this.#signed && this.#lines.length === 1) return;
      span.className = dashed ? "line dashed" : "line";
      span.style.setProperty("--of", `var(${color})`);
    });
  }

  #listen() {
    const canvas = this.#canvas;
    const loopAt = (event) => this.#scale.gameLoop(event.offsetX);
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      this.#seek(loopAt(event));
    });
    canvas.addEventListener("pointermove", (event) => {
      if (canvas.hasPointerCapture(event.pointerId)) this.#seek(loopAt(event));
      this.#showHover(loopAt(event));
    });
    canvas.addEventListener("pointerleave", () => this.#showHover(undefined));
    canvas.addEventListener("blur", () => this.#showHover(undefined));
    canvas.addEventListener("keydown", (event) => this.#press(event));
  }

  /** The arrow keys move along the graph, Enter goes there. */
  #press(event) {
    const from = this.#hovered ?? this.#at;
    const step = event.shiftKey ? 6 * KEY_STEP : KEY_STEP;
    if (event.key === "ArrowLeft") this.#showHover(Math.max(from - step, this.#scale.first));
    else if (event.key === "ArrowRight") this.#showHover(Math.min(from + step, this.#scale.last));
    else if (event.key === "Enter" && this.#hovered !== undefined) this.#seek(this.#hovered);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #showHover(gameLoop) {
    this.#hovered = gameLoop;
    this.#hover.hidden = gameLoop === undefined;
    if (gameLoop !== undefined) this.#hover.style.left = `${this.#scale.x(gameLoop)}px`;
    this.#describe();
  }
}
