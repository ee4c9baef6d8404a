// The layers of agents' drawings: each can be switched off.

import { byId, element } from "./page.js";

export class DrawingLayers {
  #root = byId("layers");
  #off = new Set();
  #changed;

  /** @param changed() is called when one is switched */
  constructor(changed) {
    this.#changed = changed;
  }

  /** Those of some layers that are on. */
  on(layers) {
    return layers.filter((layer) => !this.#off.has(keyOf(layer)));
  }

  /** Lists the layers. */
  show(layers) {
    byId("layers-none").hidden = layers.length > 0;
    const keys = layers.map(keyOf);
    const known = [...this.#root.children].map((each) => each.dataset.key);
    if (keys.length === known.length && keys.every((key, at) => key === known[at])) return;
    this.#root.replaceChildren(...layers.map((layer) => this.#row(layer)));
  }

  #row(layer) {
    const key = keyOf(layer);
    const box = element("input", { type: "checkbox", checked: !this.#off.has(key) });
    box.addEventListener("change", () => {
      if (box.checked) this.#off.delete(key);
      else this.#off.add(key);
      this.#changed();
    });
    const name = `${layer.name || "without a name"}${layer.recorded ? " (recorded)" : ""}`;
    return element("li", { "data-key": key }, element("label", { className: "check" }, box, name));
  }
}

function keyOf({ name = "", recorded = false }) {
  return `${recorded ? "recorded" : "live"} ${name}`;
}
