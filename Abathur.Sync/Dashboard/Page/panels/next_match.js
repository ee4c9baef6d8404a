// Announces a match that runs while another one is on the map.

import { byId, setText } from "../common/page.js";

export class NextMatch {
  #match;

  /** @param watch(runId) shows that match */
  constructor(watch) {
    byId("watch-next").addEventListener("click", () => watch(this.#match?.runId));
  }

  /** @param match the one that runs; undefined: that one is on the map, or no match runs */
  show(match) {
    if (match?.runId === this.#match?.runId) return;
    this.#match = match;
    byId("next-match").hidden = match === undefined;
    if (match) setText(byId("next-map"), match.mapName || "an unknown map");
  }
}
