// The names of units and abilities: those of the match, else the daemon's own tables.

import { Names, namesOfDaemon } from "../match/names.js";

export class ShownNames {
  /** The ones that are shown. */
  names = new Names();
  #show;

  /** @param show(names) */
  constructor(show) {
    this.#show = show;
  }

  /** A match has begun. */
  async begin(match) {
    const own = new Names(match.gameData);
    this.#take(own);
    if (match.gameData !== undefined) return;
    try {
      const known = await namesOfDaemon();
      // Unless another match has come meanwhile.
      if (this.names === own) this.#take(known);
    } catch {
      // The page shows the numbers.
    }
  }

  #take(names) {
    this.names = names;
    this.#show(names);
  }
}
