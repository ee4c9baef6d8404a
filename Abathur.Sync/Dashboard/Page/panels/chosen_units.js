// What is chosen, on the map and in the panels: one unit, several, none; and whether the map follows it.

export class ChosenUnits {
  #map;
  #panel;
  #list;

  /** @param map MapView @param panel UnitPanel @param list UnitList */
  constructor(map, panel, list) {
    [this.#map, this.#panel, this.#list] = [map, panel, list];
    map.selection.onChange = () => this.#show();
    map.onFollows = (isOn) => (panel.follows = isOn);
  }

  /** Chooses one unit; undefined: none. */
  choose(tag) {
    this.#map.selection.set(tag === undefined ? [] : [tag]);
  }

  /** Lets the map follow the chosen unit, or not. */
  follow(isOn = !this.#map.follows) {
    this.#map.follows = isOn && this.#panel.tag !== undefined;
    if (this.#map.follows && this.#map.view.isWhole) this.#map.view.zoom(3);
  }

  #show() {
    const { single, tags } = this.#map.selection;
    if (single === undefined) this.#map.follows = false;
    if (tags.size > 1) this.#panel.chooseMany(tags);
    else this.#panel.choose(single);
    this.#panel.follows = this.#map.follows;
    this.#list.update(tags);
    this.#map.invalidate();
  }
}
