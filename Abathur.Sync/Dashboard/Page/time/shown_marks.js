// Which events are shown: kinds of them, and layers of agents, can be switched off. Pure: tested in Node.

export class ShownMarks {
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
    return `${this.#timeline.version} ${this.#layers.version} ${[...this.#off]}`;
  }

  /** Those that are shown, oldest first. */
  get marks() {
    if (this.#of !== this.version) {
      this.#of = this.version;
      this.#marks = this.#timeline.marks.filter(
        ({ kind, name = "" }) => this.isOn(kind) && !(kind === "drawing" && this.#layers.hides(name)));
    }
    return this.#marks;
  }

  /** Whether a kind of them is on. */
  isOn(kind) {
    return !this.#off.has(kind);
  }

  toggle(kind) {
    if (!this.#off.delete(kind)) this.#off.add(kind);
  }
}
