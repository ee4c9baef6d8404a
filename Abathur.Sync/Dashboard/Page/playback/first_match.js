// What the page shows first: the match that its address names; between two matches, the last one.

import { getWaiting } from "../daemon/http.js";
import { Refusal } from "../daemon/refusal.js";
import { resultText } from "../match/result.js";

const UNKNOWN = "The daemon does not know this match (any more). Matches has those that it knows.";

export class FirstMatch {
  #page;
  #isDone;

  /** @param page { world, connection, list, empty, matchEnd } @param run the run_id of the address; undefined: it names no match */
  constructor(page, run) {
    this.#page = page;
    this.#isDone = run !== undefined;
    if (run !== undefined) this.#show(run);
  }

  /** While the connection waits for a match. */
  async wait() {
    const { world, list, empty } = this.#page;
    try {
      empty.waiting = await getWaiting();
      if (this.#isDone || world.match !== undefined) return;
      this.#isDone = true;
      await list.refresh();
      if (list.matches.some(({ isRunning }) => isRunning)) return;
      if (list.lastKept) this.#begin(list.lastKept);
      else if (list.matches.length > 0) empty.before = textOf(list.matches.at(-1));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  async #show(run) {
    const { list, empty, connection, matchEnd } = this.#page;
    try {
      await list.refresh();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      // As soon as the daemon answers, it says what is wrong.
      connection.begin({ run });
      return;
    }
    const summary = list.find(run);
    if (summary === undefined) empty.note = UNKNOWN;
    else if (summary.isRunning) connection.begin({ run });
    else if (!summary.isKept) empty.note = `${textOf(summary)} Nothing of it is kept any more.`;
    else {
      matchEnd.isChosen = true;
      this.#begin(summary);
    }
  }

  #begin({ runId, lastKept }) {
    this.#page.connection.begin({ run: runId, start: lastKept, isOver: true });
  }
}

/** "On Map LE, the match is over: player 1 won." */
function textOf(summary) {
  return `On ${summary.mapName || "an unknown map"}, ${resultText(summary, summary.players)}.`;
}
