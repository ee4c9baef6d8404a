// Which units are chosen. Pure: tested in Node.

export class Selection {
  /** Called after each change. */
  onChange = () => {};
  #tags = new Set();

  /** Tags of the units. */
  get tags() {
    return this.#tags;
  }

  /** The tag of the only one; undefined if there are none or several. */
  get single() {
    return this.#tags.size === 1 ? [...this.#tags][0] : undefined;
  }

  /** Chooses these and no others. */
  set(tags) {
    this.#tags = new Set(tags);
    this.onChange();
  }

  /** Adds one, or takes it away. */
  toggle(tag) {
    if (!this.#tags.delete(tag)) this.#tags.add(tag);
    this.onChange();
  }
}
