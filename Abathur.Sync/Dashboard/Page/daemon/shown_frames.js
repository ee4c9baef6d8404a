// When the next frame is requested: as soon as this one is visible. A page gets no more frames than it shows, and does not lag.

const HIDDEN_MS = 1000;

export class ShownFrames {
  #waits = false;
  #subscriptions = 0;

  /** Another subscription begins: a frame of an earlier one has no answer in it. */
  restart() {
    this.#subscriptions++;
    this.#waits = false;
  }

  /** Calls answer() once the frame that has just come is visible; of a hidden page, once a second. */
  take(answer) {
    if (this.#waits) return;
    this.#waits = true;
    const of = this.#subscriptions;
    const call = () => {
      if (of !== this.#subscriptions) return;
      this.#waits = false;
      answer();
    };
    if (document.hidden) setTimeout(call, HIDDEN_MS);
    else requestAnimationFrame(call);
  }
}
