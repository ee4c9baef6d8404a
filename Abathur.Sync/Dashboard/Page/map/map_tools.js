// The controls of the map: whose units and which layers are shown, ranges, fights, what is chosen; and their keys.

import { clock } from "../common/format.js";
import { byId, element, press, setText } from "../common/page.js";
import { NEUTRAL } from "../match/world.js";
import { listenOnMap } from "./map_input.js";
import { LAYERS, MapOptions } from "./map_options.js";

const SHOWN = ["own", "enemy", "ally", "neutral"];
/** CSS pixels a cell at which a fight is looked at: names are shown, and 40 units find room. */
const [FIGHT_SCALE, MOST_FIGHT_SCALE] = [18, 40];
/** Cells round it. */
const FIGHT_MARGIN = 5;

export class MapTools {
  /** Keys anywhere on the page. */
  keys = { r: () => this.#map.options.toggle("ranges"), j: () => this.goToFight(), v: () => this.chooseInView() };
  #map;
  #world;
  #areas = byId("map-areas");
  #goTo = byId("map-fight");
  /** Where the map was moved to, and from where; undefined: it was not. */
  #fight;

  constructor(map, world) {
    [this.#map, this.#world] = [map, world];
    map.options = new MapOptions(ofVisit());
    map.options.onChange = () => this.#update();
    for (const name of SHOWN) byId(`show-${name}`).addEventListener("click", () => map.options.toggle(name));
    byId("map-ranges").addEventListener("click", () => map.options.toggle("ranges"));
    this.#areas.addEventListener("click", () => press(this.#areas, !isPressed(this.#areas)));
    this.#goTo.addEventListener("click", () => this.goToFight());
    byId("zoom-in").addEventListener("click", () => this.#zoom(1.5));
    byId("zoom-out").addEventListener("click", () => this.#zoom(1 / 1.5));
    byId("zoom-fit").addEventListener("click", () => this.#zoom(0));
    this.#addLayers(byId("map-layers"));
    listenOnMap(byId("map"), map, {
      choose: (row, adds) => this.#choose(row, adds),
      chooseIn: (area) => map.selection.set(map.tagsIn(area)),
      choosesAreas: () => isPressed(this.#areas),
    });
    this.#update();
    this.showFights();
  }

  /** Chooses all units of players in the view, without minerals and plates: the keyboard's way to choose those of an area. */
  chooseInView() {
    const { width, height } = this.#map.view;
    this.#map.selection.set(this.#map.tagsIn({ x0: 0, y0: 0, x1: width, y1: height }, (alliance) => alliance !== NEUTRAL));
  }

  /** To the fight of most value; again: back to where the map was. */
  goToFight() {
    const { fights, view } = this.#map;
    const isThere = this.#fight && this.#fight.x === view.x && this.#fight.y === view.y;
    if (isThere) {
      view.zoom(this.#fight.back.scale / view.scale);
      view.center(this.#fight.back.x, this.#fight.back.y);
      this.#fight = undefined;
    } else if (fights.list.length > 0) {
      const back = { x: view.x, y: view.y, scale: view.scale };
      const { x, y, radius } = fights.list.reduce((most, each) => (each.value > most.value ? each : most));
      this.#map.follows = false;
      view.zoomTo(x, y, radius + FIGHT_MARGIN, FIGHT_SCALE, MOST_FIGHT_SCALE);
      this.#fight = { x: view.x, y: view.y, back };
    }
    this.#map.invalidate();
  }

  #zoom(factor) {
    this.#map.follows = false;
    if (factor === 0) this.#map.view.fit();
    else this.#map.view.zoom(factor);
    this.#map.invalidate();
  }

  /** Updates how many fights there are. */
  showFights() {
    const { list } = this.#map.fights;
    this.#goTo.disabled = list.length === 0;
    setText(this.#goTo, list.length === 0 ? "No fight" : `Fights: ${list.length}`);
    const told = list
      .map(({ first, hits, deaths, value }) => `since ${clock(first)}: ${hits} hits, ${deaths} deaths, units worth ${value}`).join("; ");
    if (this.#goTo.title !== told) this.#goTo.title = told;
  }

  #choose(row, adds) {
    const { selection } = this.#map;
    const group = row === undefined ? [] : this.#map.groupOf(row);
    const tag = row === undefined ? undefined : this.#world.units.tag[row];
    if (group.length > 0) selection.set(adds ? [...selection.tags, ...group] : group);
    else if (adds && tag !== undefined) selection.toggle(tag);
    else if (!adds) selection.set(tag === undefined ? [] : [tag]);
  }

  #addLayers(details) {
    const { options } = this.#map;
    const boxes = LAYERS.map(([name, text]) => {
      const box = element("input", { type: "checkbox", id: `layer-${name}` });
      box.addEventListener("change", () => options.set(name, box.checked));
      return element("label", { className: "check" }, box, ` ${text}`);
    });
    details.append(element("div", { role: "group", "aria-label": "Layers of the map" }, ...boxes));
  }

  #update() {
    const { options } = this.#map;
    for (const name of SHOWN) press(byId(`show-${name}`), options.isOn(name));
    press(byId("map-ranges"), options.isOn("ranges"));
    for (const [name] of LAYERS) byId(`layer-${name}`).checked = options.isOn(name);
    this.#map.invalidate();
  }
}

function isPressed(button) {
  return button.getAttribute("aria-pressed") === "true";
}

function ofVisit() {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}
