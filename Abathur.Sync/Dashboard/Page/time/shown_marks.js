// Which events are shown: kinds of them, and layers of agents, can be switched off; and none after a moment. Pure: tested in Node.

import { marksUntil } from "../match/timeline.js";

export class ShownMarks {
  /** The game loop after which none is shown. */
  until = Infinity;
  #timeline;
  #layers;
  #off = new Set();
  #marks = [];
  #of = "";

  /** @param timeline the marks of a match @param layers tells with hides(name) which layers of drawings are off */
  constructor(timeline, layers) {
    [this.#timeline, this.#layers] = [timeline, layers];
  }

  /** Changes with what is shown. */
  get version() {
    return `${this.#timeline.version} ${this.#layers.version} ${[...this.#off]} ${this.#known}`;
  }

  /** Those that are shown, oldest first. */
  get marks() {
    if (this.#of !== this.version) {
      this.#of = this.version;
      this.#marks = this.#on(marksUntil(this.#timeline.marks, this.until));
    }
    return this.#marks;
  }

  /** Those that would be shown, also after the moment. */
  get all() {
    return this.#on(this.#timeline.marks);
  }

  #on(marks) {
    return marks.filter(({ kind, name = "" }) => this.isOn(kind) && !(kind === "drawing" && this.#layers.hides(name)));
  }

  /** How many have begun, and how many fights are over by the moment: changes with the marks that are shown. */
  get #known() {
    if (this.until === Infinity) return "";
    let [begun, over] = [0, 0];
    for (const { gameLoop = 0, lastGameLoop = 0 } of this.#timeline.marks) {
      if (gameLoop <= this.until) begun++;
      if (lastGameLoop <= this.until) over++;
    }
    return `${begun} ${over}`;
  }

  /** Whether a kind of them is on. */
  isOn(kind) {
    return !this.#off.has(kind);
  }

  toggle(kind) {
    if (!this.#off.delete(kind)) this.#off.add(kind);
  }
}
