// The layers of agents' drawings: each can be switched off, with its events.

import { byId, element } from "../common/page.js";

/** With more layers, the oldest ones are forgotten. */
const MAX_KNOWN = 200;

export class DrawingLayers {
  /** Changes with what is off. */
  version = 0;
  #root = byId("layers");
  #known = new Map();
  #off = new Set();
  #followers = [];

  /** @param changed() is called when one is switched, and when all are to be listed again */
  follow(changed) {
    this.#followers.push(changed);
  }

  /** Another match begins: its layers are others. What is off stays off. */
  begin() {
    this.#known.clear();
    this.#show();
    this.#changed();
  }

  /** Those of some layers that are on. */
  on(layers) {
    return layers.filter((layer) => !this.#off.has(keyOf(layer)));
  }

  /** Whether the layers of a name are off. */
  hides(name) {
    const keys = [true, false].map((recorded) => keyOf({ name, recorded })).filter((key) => this.#known.has(key));
    return keys.length > 0 && keys.every((key) => this.#off.has(key));
  }

  /** Lists layers beside those that are known: one that is cleared can be switched before it is drawn again. */
  show(layers) {
    const before = this.#known.size;
    for (const { name, recorded } of layers) this.#known.set(keyOf({ name, recorded }), { name, recorded });
    if (this.#known.size === before) return;
    for (const key of this.#known.keys()) if (this.#known.size > MAX_KNOWN) this.#known.delete(key);
    this.version++;
    this.#show();
  }

  #changed() {
    for (const changed of this.#followers) changed();
  }

  #show() {
    byId("layers-none").hidden = this.#known.size > 0;
    const layers = [...this.#known.values()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    const rows = new Map([...this.#root.children].map((row) => [row.dataset.key, row]));
    this.#root.replaceChildren(...layers.map((layer) => rows.get(keyOf(layer)) ?? this.#row(layer)));
  }

  #row(layer) {
    const key = keyOf(layer);
    const box = element("input", { type: "checkbox", checked: !this.#off.has(key) });
    box.addEventListener("change", () => {
      if (box.checked) this.#off.delete(key);
      else this.#off.add(key);
      this.version++;
      this.#changed();
    });
    const name = `${layer.name || "without a name"}${layer.recorded ? " (recorded)" : ""}`;
    return element("li", { "data-key": key }, element("label", { className: "check" }, box, name));
  }
}

/** By name first. */
function keyOf({ name = "", recorded = false }) {
  return `${name} ${recorded ? "recorded" : "live"}`;
}
