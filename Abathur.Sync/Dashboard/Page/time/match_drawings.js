// What agents draw in a match: what of it is shown follows the layers that are on.

export class MatchDrawings {
  #layers;
  #world;
  #map;
  #all = [];

  /** @param layers DrawingLayers, of all matches of the page @param world of the match @param map that shows it */
  constructor(layers, world, map) {
    [this.#layers, this.#world, this.#map] = [layers, world, map];
    layers.follow(() => this.show());
  }

  /** Shows its layers that are on. */
  show(all = this.#all) {
    this.#all = all;
    this.#world.drawings = this.#layers.on(all);
    this.#layers.show(all);
    this.#map.invalidate();
  }
}
