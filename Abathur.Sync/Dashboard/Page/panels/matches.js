// The list of the daemon's matches: the newest first, each opened by a click.

import { clock } from "../common/format.js";
import { byId, element, setText } from "../common/page.js";
import { Refusal } from "../daemon/refusal.js";
import { KnownPlayers } from "../match/players.js";
import { resultOf } from "../match/result.js";

const REFRESH_MS = 2000;
const DEFAULT_PLAYER = 1;

export class Matches {
  players = new KnownPlayers();
  #list;
  #shown;
  #recordings;
  #dialog = byId("matches");
  #body = byId("match-rows");
  #rows = new Map();
  #timer;

  /**
   * @param list MatchList @param shown() the run_id of the match on the map @param recordings() names that the daemon can play
   */
  constructor(list, shown, recordings) {
    [this.#list, this.#shown, this.#recordings] = [list, shown, recordings];
    byId("show-matches").addEventListener("click", () => this.open());
    byId("find-match").addEventListener("input", () => this.#filter());
    this.#dialog.addEventListener("close", () => clearInterval(this.#timer));
  }

  open() {
    if (this.#dialog.open) return;
    this.#dialog.showModal();
    this.#refresh();
    this.#timer = setInterval(() => this.#refresh(), REFRESH_MS);
  }

  async #refresh() {
    let problem = "";
    try {
      await this.#list.refresh();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problem = `The list cannot be read: ${error.message}`;
    }
    this.#show(problem);
  }

  #show(problem) {
    const { matches } = this.#list;
    setText(byId("matches-note"), problem || (matches.length === 0 ? "No match has begun yet." : countOf(matches)));
    const recordings = new Set(this.#recordings());
    const rows = new Map();
    for (const summary of matches.toReversed()) {
      const row = this.#rowOf(summary, recordings);
      if (this.#body.children[rows.size] !== row) this.#body.insertBefore(row, this.#body.children[rows.size] ?? null);
      rows.set(summary.runId, row);
    }
    while (this.#body.children.length > rows.size) this.#body.lastElementChild.remove();
    this.#rows = rows;
    this.#filter();
  }

  /** A row that has not changed stays, with its focus. */
  #rowOf(summary, recordings) {
    const texts = {
      map: summary.mapName || "unknown map",
      players: this.players.of(summary),
      length: summary.lastGameLoop === undefined ? "–" : clock(summary.lastGameLoop),
      result: summary.isRunning ? "running" : resultOf(summary, summary.playerId || DEFAULT_PLAYER) || "over",
      began: summary.beganMs > 0 ? new Date(summary.beganMs).toLocaleString() : "",
      recording: summary.recording,
      isKept: summary.isRunning || summary.isKept,
      isShown: summary.runId === this.#shown(),
    };
    const name = summary.recording.split(/[\\/]/).at(-1);
    texts.plays = recordings.has(name) ? name : "";
    const key = JSON.stringify(texts);
    const before = this.#rows.get(summary.runId);
    if (before?.dataset.key === key) return before;
    const row = rowOf(summary, texts, name, key);
    before?.replaceWith(row);
    return row;
  }

  #filter() {
    const wanted = byId("find-match").value.trim().toLowerCase();
    for (const row of this.#body.children) row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
  }
}

function rowOf(summary, { map, players, length, result, began, isKept, isShown, plays, recording }, name, key) {
  const link = element("a", { href: `?${new URLSearchParams({ run: summary.runId })}` }, map);
  if (isShown) link.setAttribute("aria-current", "true");
  const file = plays ? element("a", { href: `?${new URLSearchParams({ recording: plays })}`, title: recording }, `Play ${plays}`)
    : element("span", { title: recording }, name);
  const about = isKept ? [] : [element("span", { className: "quiet" }, " · not kept")];
  const row = element(
    "tr", { "data-state": summary.isRunning ? "running" : result },
    element("th", { scope: "row" }, link, ...about),
    element("td", {}, players), element("td", { className: "number" }, length), element("td", { className: "result" }, result),
    element("td", {}, began), element("td", {}, file));
  row.dataset.key = key;
  return row;
}

function countOf(matches) {
  const running = matches.filter(({ isRunning }) => isRunning).length;
  return `${matches.length} ${matches.length === 1 ? "match" : "matches"}${running > 0 ? `, ${running} running` : ""}, the newest first.`;
}
