// Rewinds a running match: answers the commands of a playback with the frames that the daemon keeps.

import { LOOPS_PER_SECOND } from "../common/format.js";

const FRAME_MS = 1000 / LOOPS_PER_SECOND;

export class Rewind {
  /** Whether the page stays at its frame. */
  isPaused = false;
  /** The run_id of the match on the map. */
  run = undefined;
  /** Whether that is over: then nothing in it is live. */
  isOver = false;
  #begin;
  #acknowledge;
  #history;
  #held;
  #isLive = true;
  #awaitsFirst = false;
  #due = 0;

  /**
   * @param begin ({ run, start, isOver }) subscribes again: to a match, from a kept frame on; undefined: live
   * @param acknowledge (sequence) requests the next frame
   */
  constructor(begin, acknowledge) {
    [this.#begin, this.#acknowledge] = [begin, acknowledge];
  }

  /** The state as that of a playback; undefined if the daemon keeps nothing. */
  take(history) {
    this.#history = history?.firstGameLoop === undefined ? undefined : history;
    return this.#state();
  }

  /** Handles a command of a playback; returns the new state. */
  async control({ pause, resume, step, seek }) {
    if (pause) this.isPaused = true;
    if (resume) {
      this.isPaused = false;
      this.#release();
    }
    if (seek) this.#seek(seek.gameLoop);
    // A playback steps after a seek; one that leads back to what is live goes on.
    if (step && !(this.#isLive && this.#awaitsFirst)) {
      this.isPaused = true;
      // The first frame after a seek comes without being requested.
      if (!this.#awaitsFirst) this.#release();
    }
    return this.#state();
  }

  /** Requests the next frame when it is due: at once if this one is live, at the pace of the game in the past. */
  shown(sequence, gameLoop) {
    this.#awaitsFirst = false;
    this.#held = sequence;
    if (gameLoop >= (this.#history?.lastGameLoop ?? 0)) {
      this.#isLive = true;
      // The status is older than the frame.
      if (this.#history) this.#history.lastGameLoop = gameLoop;
    }
    if (this.isPaused) return;
    const now = performance.now();
    this.#due = this.#isLive ? now : Math.max(this.#due + FRAME_MS, now);
    if (this.#due <= now) this.#release();
    else setTimeout(() => !this.isPaused && this.#held === sequence && this.#release(), this.#due - now);
  }

  /** Whether the page stays in the past. */
  get isAway() {
    return this.isPaused || !this.#isLive;
  }

  /** To what is live in a match. @param run its run_id; undefined: the match that runs, or comes next */
  leave(run) {
    [this.isOver, this.isPaused, this.#isLive, this.#held, this.#awaitsFirst] = [false, false, true, undefined, true];
    this.#begin({ run });
  }

  /** Subscribes to the match that is over by now, from the frame that is shown on. */
  again(gameLoop) {
    this.#held = undefined;
    this.#awaitsFirst = true;
    this.#begin({ run: this.run, start: gameLoop, isOver: true });
  }

  #seek(gameLoop) {
    if (this.#history === undefined) return;
    this.#isLive = !this.isOver && gameLoop >= this.#history.lastGameLoop;
    if (this.#isLive) this.isPaused = false;
    this.#held = undefined;
    this.#awaitsFirst = true;
    this.#due = performance.now();
    this.#begin({ run: this.run, start: this.#isLive ? undefined : gameLoop, isOver: this.isOver });
  }

  #release() {
    if (this.#held !== undefined) this.#acknowledge(this.#held);
    this.#held = undefined;
  }

  #state() {
    if (this.#history === undefined) return undefined;
    return {
      paused: this.isPaused,
      rate: 1,
      firstGameLoop: this.#history.firstGameLoop,
      lastGameLoop: this.#history.lastGameLoop,
      isRewind: true,
      isOver: this.isOver,
    };
  }
}
