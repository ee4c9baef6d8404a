// The match on the map is over: it stays there, is rewound in what the daemon keeps of it, and the next one is announced.

import { Refusal } from "../daemon/refusal.js";
import { resultText } from "../match/result.js";

/** How often the list of matches is read to learn whether a match that is not shown live is over. */
const LOOK_MS = 1500;

export class MatchEnd {
  /** How it ended, in words; "" while it runs. */
  text = "";
  /** Whether it was over when the page began to show it: what happened in it was not seen here. */
  wasOver = false;
  /** Whether the match was chosen, and no other follows it by itself. */
  isChosen = false;
  #page;
  #looked = -Infinity;
  #lookedOf;
  #noneRan = false;

  /** @param page { world, connection, rewind, list, nextMatch, changed }: the last is called when the text has changed */
  constructor(page) {
    this.#page = page;
  }

  /** A match is on the map that was not there before. */
  begin() {
    const { world, rewind, nextMatch, list, connection } = this.#page;
    this.text = "";
    this.wasOver = connection.isOver;
    this.#noneRan = false;
    rewind.run = world.match?.runId;
    rewind.isOver = false;
    nextMatch.show(undefined);
    this.isChosen &&= connection.isOver;
    const summary = list.find(rewind.run);
    if (connection.isOver && summary) this.take(summary);
  }

  /** @param ended the message matchEnded, or a summary of the list */
  take(ended) {
    const { world, rewind, connection, changed } = this.#page;
    if (ended.runId !== world.match?.runId) return;
    this.text = resultText(ended, world.match.gameInfo?.players);
    const isNew = !rewind.isOver;
    rewind.isOver = true;
    // Else it would go on with the next match when it has been read to its end.
    if (isNew && rewind.isAway && !connection.isOver) rewind.again(world.gameLoop);
    changed();
  }

  /** The status of the match on the map, which need not be the one that began last; undefined: nothing of it is kept. */
  async statusOf(status) {
    const { world, rewind, nextMatch, connection } = this.#page;
    const shown = world.match?.runId;
    if (shown === undefined || status.match?.runId === shown) {
      nextMatch.show(undefined);
      return status;
    }
    await this.#learn(shown, status.match?.runId);
    const announced = this.#announced(status.match, shown);
    // At its end, what begins next is shown, as if it was live; not what has run before.
    const goesOn = this.#noneRan && !this.isChosen && connection.isOver && !rewind.isAway;
    this.#noneRan = status.match === undefined;
    if (announced !== undefined && goesOn) rewind.leave(announced.runId);
    else nextMatch.show(announced);
    try {
      return await connection.status(shown);
    } catch (error) {
      // It has given way to later matches.
      if (!(error instanceof Refusal)) throw error;
      return undefined;
    }
  }

  /** Reads in the list whether it is over: the message matchEnded comes behind all frames only. */
  async #learn(shown, current, now = performance.now()) {
    if (this.text !== "" && current === this.#lookedOf) return;
    const { list, world, rewind } = this.#page;
    if (current === this.#lookedOf && (!rewind.isAway || now - this.#looked < LOOK_MS)) return;
    [this.#looked, this.#lookedOf] = [now, current];
    try {
      await list.refresh();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return;
    }
    const summary = list.find(shown);
    if (this.text === "" && summary?.isRunning === false && world.match?.runId === shown) this.take(summary);
  }

  /** The match that runs, unless it comes by itself or is the same game. */
  #announced(current, shown) {
    const { list, rewind, connection, world } = this.#page;
    if (current === undefined) return undefined;
    if (current.groupId && current.groupId === (world.match.groupId || list.find(shown)?.groupId)) return undefined;
    const follows = this.text !== "" && !connection.isOver && !rewind.isAway;
    return follows ? undefined : current;
  }
}
