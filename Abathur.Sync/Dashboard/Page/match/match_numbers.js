// Asks the daemon for the numbers of the match, and for what agents plot, again and again.

import { Refusal } from "../daemon/refusal.js";
import { Plots, Timeline } from "./timeline.js";

const EVERY_MS = 1000;

export class MatchNumbers {
  timeline = new Timeline();
  plots = new Plots();
  #connection;
  #busy = false;
  #due = 0;
  #isWhole = false;
  #of = 0;

  constructor(connection) {
    this.#connection = connection;
  }

  /** Another match begins: nothing of the last one stays. */
  begin() {
    this.#of++;
    this.timeline.clear();
    this.plots.clear();
    [this.#isWhole, this.#due] = [false, 0];
  }

  /** The layers that the marks of drawings name. */
  get drawnLayers() {
    const names = new Set(this.timeline.marks.filter(({ kind }) => kind === "drawing").map(({ name = "" }) => name));
    return [...names].map((name) => ({ name, recorded: this.#isWhole }));
  }

  /** Asks if it is time to. @param isRecorded whether the whole match is there at once @param runId of a match that may be over */
  async look(isRecorded, runId, now = performance.now()) {
    if (this.#busy || now < this.#due) return;
    this.#busy = true;
    this.#due = now + EVERY_MS;
    const of = this.#of;
    try {
      if (!this.#isWhole) {
        const timeline = await this.#connection.timeline(this.timeline.last, runId);
        if (of !== this.#of) return;
        this.timeline.add(timeline);
        this.#isWhole = isRecorded;
      }
      const after = this.plots.last;
      const plots = await this.#connection.plots(after, runId);
      if (of === this.#of) this.plots.add(plots, after);
    } catch (error) {
      // Lost with the connection, or not there: the next time.
      if (!(error instanceof Refusal)) throw error;
    } finally {
      this.#busy = false;
    }
  }
}
