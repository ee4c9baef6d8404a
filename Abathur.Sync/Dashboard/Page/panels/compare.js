// How large the newest frame is in each encoding: by itself, and as streams carry it. The daemon measures it only while this is open.

import { bytes } from "../common/format.js";
import { byId, element, setText } from "../common/page.js";
import { authorization } from "../daemon/token.js";

const EVERY_MS = 1000;
const RETRY_MS = 600;
/** Where the scale begins, in bytes. */
const LEAST = 10;

export class Compare {
  #root = byId("compare");
  #toggle = byId("compare-toggle");
  #timer;
  #note = element("p", { className: "quiet" });
  #body = element("tbody");
  #table = element("table", { className: "bars" }, newHead(), this.#body);
  #path = "v1/compare";

  constructor() {
    this.#root.append(this.#table, this.#note);
    this.#toggle.addEventListener("click", () => this.#open(this.#root.hidden));
  }

  /** The run of a recording that plays only for this page; undefined: the daemon's own match is measured. */
  set run(run) {
    this.#path = run === undefined ? "v1/compare" : `v1/compare?${new URLSearchParams({ run })}`;
  }

  #open(isOpen) {
    this.#root.hidden = !isOpen;
    this.#toggle.setAttribute("aria-expanded", String(isOpen));
    setText(this.#toggle, isOpen ? "Stop measuring" : "Measure");
    clearTimeout(this.#timer);
    if (isOpen) this.#look();
  }

  async #look() {
    let wait = EVERY_MS;
    try {
      const answer = await fetch(this.#path, { cache: "no-store", headers: authorization() });
      if (answer.ok) this.#show(await answer.json());
      else if (answer.status === 429) wait = RETRY_MS;
      else setText(this.#note, (await answer.text()).trim());
    } catch {
      setText(this.#note, "The daemon does not answer.");
    }
    if (!this.#root.hidden) this.#timer = setTimeout(() => this.#look(), wait);
  }

  #show({ gameLoop, formats, streamFrames }) {
    const largest = Math.max(...formats.map(({ alone, mean }) => Math.max(alone ?? 0, mean ?? 0)), LEAST);
    while (this.#body.rows.length > formats.length) this.#body.deleteRow(-1);
    while (this.#body.rows.length < formats.length) this.#body.append(newRow());
    formats.forEach((format, at) => fill(this.#body.rows[at], format, largest));
    const frames = Math.min(streamFrames, 224);
    setText(
      this.#note,
      `Game loop ${gameLoop}; over the wire: ${frames === 1 ? "the one frame so far" : `mean of the last ${frames} frames`} of a `
        + "stream, where frames depend on those before. Sizes are of the payload, without the frame's envelope (about 70 bytes). "
        + `Bars are on a logarithmic scale from ${LEAST} B.`);
  }
}

/** Per cent of the largest on a logarithmic scale: the smallest are a thousandth of it. */
function share(value, largest) {
  return (100 * Math.log(Math.max(value, LEAST) / LEAST)) / Math.log(largest / LEAST) || 0;
}

function keyOf(name, text) {
  return element("span", {}, element("span", { className: `key ${name}`, "aria-hidden": "true" }), text);
}

function newHead() {
  const heads = ["Encoding", "", keyOf("", "this frame alone"), keyOf("two", "over the wire, mean")];
  return element(
    "thead", {}, element("tr", {}, ...heads.map((head, at) => element("th", { scope: "col", className: at > 1 ? "number" : "" }, head))));
}

function newRow() {
  const bars = element("td", { className: "bar", "aria-hidden": "true" }, element("div"), element("div"));
  return element(
    "tr", {}, element("th", { scope: "row" }), bars, element("td", { className: "number" }), element("td", { className: "number" }));
}

function fill(row, { encoding, compression, alone, mean, problem }, largest) {
  const [name, bars, first, second] = row.cells;
  setText(name, compression === "none" ? encoding : `${encoding} + ${compression}`);
  [alone, mean].forEach((value, at) => {
    bars.children[at].style.width = `${share(value ?? 0, largest)}%`;
    bars.children[at].hidden = value === undefined || value === null;
  });
  setText(first, problem ?? bytes(alone));
  first.title = problem ? "" : `${alone} bytes`;
  first.dataset.bytes = alone ?? "";
  setText(second, typeof mean === "number" ? bytes(mean) : "");
  second.dataset.bytes = mean ?? "";
}
