// A figure of the last minute as a small line chart, with its newest value, median and 99th percentile as text.

import { element, setText, styleColor } from "../common/page.js";
import { scaleTop, Series, WINDOW_MS } from "./series.js";

export class Chart {
  series = new Series();
  #format;
  #title;
  #canvas;
  #value = element("strong");
  #figures = element("div", { className: "figures" });
  #bars;

  /** @param {{title: string, format: (value: number) => string, bars?: boolean}} options bars: a line down from each value */
  constructor(parent, { title, format, bars = false }) {
    [this.#title, this.#format, this.#bars] = [title, format, bars];
    this.#canvas = element("canvas", { role: "img", className: "plot" });
    const caption = element("figcaption", {}, element("span", {}, title), this.#value);
    parent.append(element("figure", { className: "chart" }, caption, this.#canvas, this.#figures));
  }

  add(now, value) {
    this.series.add(now, value);
  }

  /** Redraws it, and updates its text. */
  draw(now) {
    this.series.trim(now);
    this.#describe();
    const ratio = globalThis.devicePixelRatio || 1;
    const [width, height] = [this.#canvas.clientWidth, this.#canvas.clientHeight];
    if (width === 0) return;
    if (this.#canvas.width !== Math.round(width * ratio))
      [this.#canvas.width, this.#canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const context = this.#canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const top = scaleTop(this.series.largest);
    this.#grid(context, width, height, top);
    this.#line(context, now, width, height, top);
  }

  #describe() {
    const [p50, p99] = this.series.quantiles([0.5, 0.99]);
    const [newest, median, most] = [this.series.newest, p50, p99].map((value) => (Number.isNaN(value) ? "–" : this.#format(value)));
    setText(this.#value, newest);
    setText(this.#figures, `p50 ${median} · p99 ${most}`);
    this.#canvas.setAttribute("aria-label", `${this.#title}, last minute: now ${newest}, median ${median}, 99th percentile ${most}`);
  }

  #grid(context, width, height, top) {
    context.fillStyle = styleColor("--quiet");
    context.strokeStyle = styleColor("--line");
    context.lineWidth = 1;
    context.beginPath();
    for (const y of [0.5, height - 0.5]) {
      context.moveTo(0, y);
      context.lineTo(width, y);
    }
    context.stroke();
    context.font = "10px system-ui, sans-serif";
    context.textBaseline = "top";
    context.fillText(this.#format(top), 2, 3);
  }

  #line(context, now, width, height, top) {
    const { series } = this;
    context.strokeStyle = styleColor("--bar");
    context.lineWidth = 1.5;
    context.lineJoin = "round";
    context.beginPath();
    for (let i = 0; i < series.size; i++) {
      const x = width * (1 - (now - series.time(i)) / WINDOW_MS);
      const y = (height - 1) * (1 - Math.min(series.value(i) / top, 1));
      if (this.#bars) context.moveTo(x, height - 1);
      if (i === 0) context.moveTo(x, y);
      else context.lineTo(x, y);
    }
    context.stroke();
  }
}
