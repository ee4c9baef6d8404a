// Announces a match that runs while another one is on the map.

import { byId, setText } from "../common/page.js";

export class NextMatch {
  #shown;

  /** @param watch shows the match that runs */
  constructor(watch) {
    byId("watch-next").addEventListener("click", watch);
  }

  /** @param match the one that runs; undefined: that one is on the map, or no match runs */
  show(match) {
    if (match?.runId === this.#shown) return;
    this.#shown = match?.runId;
    byId("next-match").hidden = match === undefined;
    if (match) setText(byId("next-map"), match.mapName || "an unknown map");
  }
}
