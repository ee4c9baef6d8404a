// The panel of the raw message is loaded when it is first opened.

import { byId } from "../common/page.js";

export class RawOpener {
  /** Keys anywhere on the page. */
  keys = { o: () => this.#toggle(true) };
  #from;
  #panel;

  /** @param from as RawMessage takes it */
  constructor(from) {
    this.#from = from;
    byId("raw-toggle").addEventListener("click", () => this.#toggle(false));
  }

  async #toggle(goesThere) {
    if (document.body.dataset.view === "stream") return;
    try {
      const { RawMessage } = await import("./raw_message.js");
      this.#panel ??= new RawMessage(this.#from);
    } catch {
      this.#from.tell("The daemon does not answer.");
      return;
    }
    this.#panel.toggle(goesThere);
  }
}
