// Who takes frames, and how well they keep up.

import { bytes, grouped, inSeconds, three } from "../common/format.js";
import { element, setText } from "../common/page.js";
import { COMPRESSIONS, ENCODINGS, POLICIES } from "../daemon/messages.js";

const COLUMNS = ["Name", "Transport", "Encoding", "Compression", "Policy", "Mbit/s", "Lag (loops)", "Dropped", "Waiting", "Sent"];
const NUMBERS_FROM = 5;

export class Subscribers {
  #body = element("tbody");
  #own;
  #last = new Map();

  /** @param {string} own the name by which this page subscribes */
  constructor(table, own) {
    this.#own = own;
    const heads = COLUMNS.map((name, at) => element("th", { scope: "col", className: at >= NUMBERS_FROM ? "number" : "" }, name));
    table.append(element("thead", {}, element("tr", {}, ...heads)), this.#body);
    this.#showNone("Not connected.");
  }

  update(status) {
    const uptime = inSeconds(status.process?.uptime);
    if (status.subscribers.length === 0) this.#showNone("No subscribers.");
    else this.#show(status.subscribers, uptime);
    this.#last = new Map(status.subscribers.map(
      (each) => [each.id, { sent: each.bytesSent ?? 0, uptime, rate: this.#rates.get(each.id) }]));
  }

  #rates = new Map();

  #show(subscribers, uptime) {
    const rows = this.#body.children;
    if (rows[0]?.dataset.none) this.#body.replaceChildren();
    while (rows.length > subscribers.length) this.#body.lastElementChild.remove();
    while (rows.length < subscribers.length) this.#body.append(this.#newRow());
    subscribers.forEach((each, at) => this.#fill(rows[at], each, uptime));
  }

  #fill(row, each, uptime) {
    const isOwn = each.name === this.#own;
    row.className = isOwn ? "own" : "";
    const last = this.#last.get(each.id);
    const rate = this.#rate(each, last, uptime);
    const name = isOwn ? "this page" : each.name || each.peer || "–";
    const cells = [
      name, each.transport ?? "", ENCODINGS[each.encoding ?? 0] ?? "?", COMPRESSIONS[each.compression ?? 0] ?? "?",
      POLICIES[each.policy ?? 0] ?? "?",
      rate === undefined ? "–" : three(rate), each.lagGameLoops ?? 0, grouped(each.framesDropped ?? 0), each.framesWaiting ?? 0,
      bytes(each.bytesSent ?? 0),
    ];
    cells.forEach((text, at) => setText(row.children[at], String(text)));
    row.children[0].title = each.peer ?? "";
  }

  #rate(each, last, uptime) {
    // The status has not changed since the last request.
    if (last === undefined || uptime - last.uptime < 0.05) return last?.rate;
    const rate = (((each.bytesSent ?? 0) - last.sent) * 8) / 1e6 / (uptime - last.uptime);
    this.#rates.set(each.id, rate);
    return rate;
  }

  #newRow() {
    return element(
      "tr", {}, ...COLUMNS.map((name, at) => element("td", { className: at >= NUMBERS_FROM ? "number" : "", "data-label": name })));
  }

  #showNone(text) {
    this.#body.replaceChildren(element("tr", { "data-none": "yes" }, element("td", { colSpan: COLUMNS.length }, text)));
  }
}
