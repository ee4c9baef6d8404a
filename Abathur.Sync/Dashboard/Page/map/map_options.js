// What the map shows: whose units, which layers. Kept for the visit. Pure: tested in Node.

import { ALLY, ENEMY, NEUTRAL, SELF } from "../match/world.js";

const KEY = "abathur-map";

/** Name, text, and whether it is shown at first. */
export const LAYERS = [
  ["heights", "Heights", true],
  ["pathing", "No walking", false],
  ["placement", "Building ground", false],
  ["creep", "Creep", true],
  ["fog", "Fog", true],
  ["grid", "Grid", false],
  ["trails", "Trails", true],
  ["fights", "Fights", true],
  ["labels", "Names and health", true],
];
const ALLIANCES = new Map([["own", SELF], ["enemy", ENEMY], ["ally", ALLY], ["neutral", NEUTRAL]]);
const DEFAULTS = { own: true, enemy: true, ally: true, neutral: true, ranges: false };
for (const [name, , isOn] of LAYERS) DEFAULTS[name] = isOn;

export class MapOptions {
  /** Called after each change with the name of the option. */
  onChange = () => {};
  #on = { ...DEFAULTS };
  /** What was chosen, and is kept. */
  #chosen = {};
  #storage;
  #shown = new Uint8Array(5).fill(1);

  /** @param storage a Storage (of the visit); undefined: nothing is kept */
  constructor(storage) {
    this.#storage = storage;
    const kept = parsed(read(storage));
    for (const name of Object.keys(DEFAULTS)) if (typeof kept[name] === "boolean") this.#chosen[name] = kept[name];
    Object.assign(this.#on, this.#chosen);
    this.#index();
  }

  isOn(name) {
    return this.#on[name];
  }

  /** Whether units of an alliance, by its number, are shown. */
  shows(alliance) {
    return this.#shown[alliance] === 1;
  }

  set(name, isOn) {
    this.#chosen[name] = isOn;
    try {
      this.#storage?.setItem(KEY, JSON.stringify(this.#chosen));
    } catch {
      // Storage may be forbidden or full: the choice is kept until the page is closed.
    }
    this.#change(name, isOn);
  }

  /** Sets what was not chosen. */
  suggest(name, isOn) {
    if (!(name in this.#chosen)) this.#change(name, isOn);
  }

  toggle(name) {
    this.set(name, !this.#on[name]);
  }

  #change(name, isOn) {
    if (this.#on[name] === isOn) return;
    this.#on[name] = isOn;
    this.#index();
    this.onChange(name);
  }

  #index() {
    for (const [name, alliance] of ALLIANCES) this.#shown[alliance] = this.#on[name] ? 1 : 0;
  }
}

function read(storage) {
  try {
    return storage?.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

function parsed(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}
