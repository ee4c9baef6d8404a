// Whether a recording shows its whole match, or ends at the moment that is shown: graphs, events, result. Remembered, and in links.

import { byId } from "../common/page.js";

const KEY = "abathur-whole-match";

export class WholeMatch {
  /** Called after each change. */
  onChange = () => {};
  #box = byId("whole-match");

  /** @param isOfLink whether the address asks for it; undefined: it does not say */
  constructor(isOfLink) {
    this.#box.checked = isOfLink ?? stored();
    this.#box.addEventListener("change", () => this.#change());
  }

  get isOn() {
    return this.#box.checked;
  }

  /** Whether it makes a difference: not of a match that runs. */
  set isOffered(isOffered) {
    this.#box.parentElement.hidden = !isOffered;
  }

  toggle() {
    this.#box.checked = !this.#box.checked;
    this.#change();
  }

  #change() {
    try {
      localStorage.setItem(KEY, this.isOn ? "yes" : "no");
    } catch {
      // Storage may be forbidden: the choice is kept for this visit.
    }
    this.onChange();
  }
}

function stored() {
  try {
    return localStorage.getItem(KEY) === "yes";
  } catch {
    return false;
  }
}
