// Goes to the moment that the address names, as soon as there is a match that can.

import { parseMoment } from "./links.js";

export class OpenedMoment {
  #moment;

  /** @param {string} hash of the address */
  constructor(hash) {
    this.#moment = parseMoment(hash);
  }

  /** Does what can be done now, each part once. Called again and again. */
  go({ world, map, playback, choose }) {
    const { loop, x, y, zoom, unit } = this.#moment;
    if (loop !== undefined) {
      if (playback.state === undefined) return;
      if (!playback.isPaused) playback.toggle();
      playback.jumpTo(loop);
      this.#moment.loop = undefined;
    }
    if (world.gameLoop === undefined || [x, y, zoom, unit].every((each) => each === undefined)) return;
    if (zoom !== undefined) map.view.scale = Math.max(zoom, map.view.scale);
    if (x !== undefined && y !== undefined) map.view.center(x, y);
    map.invalidate();
    const isThere = unit !== undefined && world.rowOf(unit) !== undefined;
    if (isThere) choose(unit);
    this.#moment = unit === undefined || isThere ? {} : { unit };
  }
}
