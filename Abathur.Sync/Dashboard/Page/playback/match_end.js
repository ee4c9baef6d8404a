// The match on the map is over: it stays there, is rewound in what the daemon keeps of it, and the next one is announced.

import { Refusal } from "../daemon/connection.js";
import { resultText } from "../match/result.js";

export class MatchEnd {
  /** How it ended, in words; "" while it runs. */
  text = "";
  #page;

  /** @param page { world, connection, rewind, nextMatch, changed }: the last is called when the text has changed */
  constructor(page) {
    this.#page = page;
  }

  /** Another match is on the map. */
  begin() {
    this.text = "";
    this.#page.rewind.over = undefined;
    this.#page.nextMatch.show(undefined);
  }

  /** @param ended the message matchEnded; undefined: it is known only that the match is over */
  take(ended) {
    const { world, rewind, changed } = this.#page;
    if (ended !== undefined && ended.runId !== world.match?.runId) return;
    this.text = resultText(ended, world.match.gameInfo?.players);
    rewind.over = world.match.runId;
    changed();
  }

  /** What is kept of the match on the map, which need not be the one that runs. */
  async kept(status) {
    const { world, rewind, nextMatch, connection } = this.#page;
    const shown = world.match?.runId;
    if (shown === undefined || status.match?.runId === shown) return status.history;
    if (status.match !== undefined && rewind.isAway) {
      if (rewind.over === undefined) this.take(undefined);
      nextMatch.show(status.match);
    }
    try {
      return (await connection.status(shown)).history;
    } catch (error) {
      // It has given way to later matches.
      if (!(error instanceof Refusal)) throw error;
      return undefined;
    }
  }
}
