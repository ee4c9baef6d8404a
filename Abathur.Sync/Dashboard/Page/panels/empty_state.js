// What the map says while it is empty: why, what is missing for a match, and what to do about it.

import { byId, element, setText } from "../common/page.js";
import { stepsOf } from "../match/waiting.js";

/** Recordings that are named; the list at the end of the page has all. */
const MOST_RECORDINGS = 5;

export class EmptyState {
  /** What the daemon waits for; undefined: it does not say. */
  waiting = undefined;
  /** How the last match ended, where nothing of it can be shown. */
  before = "";
  /** Why the match that was asked for is not shown. */
  note = "";
  #root = byId("empty");
  #text = element("p");
  #steps = element("ul", { className: "steps" });
  #commands = element("div", { className: "commands" });
  #recordings = element("div", { className: "links" });
  #listed = "";
  #names;
  #shown = "";
  #tell;

  /** @param tell(text) shows a passing message @param names() of recordings that can be played */
  constructor(tell, names) {
    [this.#tell, this.#names] = [tell, names];
    this.#root.replaceChildren(element("div", { className: "card" }, this.#text, this.#steps, this.#commands, this.#recordings));
  }

  /** @param state of the connection @param everOpen whether there was one before @param hasFrame whether a frame is shown */
  show(state, everOpen, hasFrame) {
    const texts = {
      connecting: everOpen ? "" : "Connecting…",
      waiting: `${this.before} No match yet. It appears here as soon as it begins.`.trim(),
      open: hasFrame ? "" : "The match has begun; its first frame has not arrived yet.",
      over: "The recording has been played to its end. The page connects again when it is played again.",
      lost: everOpen ? "" : "The daemon does not answer. The page keeps trying.",
    };
    const text = hasFrame && state !== "over" ? "" : this.note || texts[state];
    setText(this.#text, text);
    this.#root.hidden = text === "";
    document.body.toggleAttribute("data-empty", !hasFrame);
    this.#showRecordings(!hasFrame && state !== "connecting" ? this.#names() : []);
    this.#showWaiting(state === "waiting" && text !== "" ? this.waiting : undefined);
  }

  #showWaiting(waiting) {
    const shown = JSON.stringify(waiting) ?? "";
    if (shown === this.#shown) return;
    this.#shown = shown;
    const { steps, commands } = stepsOf(waiting);
    this.#steps.replaceChildren(...steps.map(({ name, state, text }) =>
      element("li", { "data-state": state }, element("strong", {}, name), text && ": ", element("span", {}, text))));
    this.#commands.replaceChildren(...commands.map((each) => this.#command(each)));
  }

  /** The first of the recordings, to watch meanwhile. */
  #showRecordings(names) {
    const shown = JSON.stringify(names);
    if (shown === this.#listed) return;
    this.#listed = shown;
    const links = names.slice(0, MOST_RECORDINGS)
      .map((name) => element("a", { href: `?${new URLSearchParams({ recording: name })}` }, name));
    const title = element("p", { className: "quiet" }, "Recordings to watch:");
    this.#recordings.replaceChildren(...(links.length === 0 ? [] : [title, ...links]));
  }

  #command({ label, text }) {
    const button = element("button", { type: "button" }, "Copy");
    button.addEventListener("click", async () => this.#tell(await copyText(text)));
    return element("div", {}, element("p", { className: "quiet" }, label), element("pre", {}, text), button);
  }
}

/** Copies a text; resolves to what to tell. */
export async function copyText(text, what = "It") {
  try {
    await navigator.clipboard.writeText(text);
    return `${what} is copied.`;
  } catch {
    return "This browser does not let the page copy it: choose the text and copy it by hand.";
  }
}
