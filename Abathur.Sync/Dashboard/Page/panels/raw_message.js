// The raw message of a moment: one frame, requested as JSON when the panel is opened, as a tree. It does not follow the match.

import { bytes, grouped } from "../common/format.js";
import { byId, element, setText } from "../common/page.js";
import { oneFrame } from "../daemon/one_frame.js";
import { Refusal } from "../daemon/refusal.js";
import { copyText } from "./empty_state.js";
import { search, TreeNode } from "./raw_tree.js";
import { RawTreeView } from "./raw_tree_view.js";

export class RawMessage {
  #from;
  #body = byId("raw");
  #toggle = byId("raw-toggle");
  #note = element("p", { className: "quiet", role: "status" });
  #find = element("input", { type: "text", autocomplete: "off", spellcheck: false });
  #hitsText = element("span", { className: "quiet", role: "status" });
  #path = element("code");
  #view = new RawTreeView((node) => setText(this.#path, node.path));
  #content;
  #tree;
  #reading;
  #hits = [];
  #hitsAt = -1;
  #countText = "";

  /**
   * @param from { world, path, plays, name, tell }: what is on the map; the path of the page's connection; whether that is a playback of
   * its own; the name of the page; tell(text) shows a passing message
   */
  constructor(from) {
    this.#from = from;
    const button = (text, action) => {
      const made = element("button", { type: "button" }, text);
      made.addEventListener("click", action);
      return made;
    };
    this.#content = element(
      "div", { hidden: true },
      element(
        "div", { className: "raw-tools" },
        element("label", {}, "Find ", this.#find),
        button("Previous", () => this.#goTo(-1)), button("Next", () => this.#goTo(1)), this.#hitsText,
        button("Copy message", () => this.#copy(this.#tree.json, "The message")),
        button("Copy branch", () => this.#copy(this.#view.chosen.json, "The branch"))),
      this.#view.root,
      element("p", { className: "raw-path" }, this.#path, button("Copy path", () => this.#copy(this.#view.chosen.path, "The path"))));
    this.#body.append(element("div", { className: "raw-tools" }, button("This moment", () => this.#read()), this.#note), this.#content);
    this.#find.addEventListener("input", () => this.#search());
    this.#find.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      this.#goTo(event.shiftKey ? -1 : 1);
    });
  }

  /** Opens it, or closes it. @param goesThere whether the page scrolls to it */
  async toggle(goesThere) {
    const isOpen = this.#body.hidden;
    this.#body.hidden = !isOpen;
    this.#toggle.setAttribute("aria-expanded", String(isOpen));
    setText(this.#toggle, isOpen ? "Hide" : "Show");
    this.#reading?.abort();
    if (!isOpen) return;
    if (goesThere) this.#toggle.focus({ preventScroll: true });
    await this.#read();
    // At its full height.
    if (goesThere) byId("raw-title").scrollIntoView({ block: "start" });
  }

  async #read() {
    const { world, path, plays, name } = this.#from;
    const { gameLoop, match } = world;
    this.#reading?.abort();
    if (gameLoop === undefined) {
      setText(this.#note, "There is no frame yet.");
      return;
    }
    this.#reading = new AbortController();
    const { signal } = this.#reading;
    setText(this.#note, `Reading game loop ${gameLoop} …`);
    try {
      const frame = await oneFrame({ path, gameLoop, run: match.runId, plays, name: `${name} raw` }, signal);
      if (!signal.aborted) this.#show(frame, gameLoop);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const kept = this.#tree === undefined ? "" : " The message below is the one that was read before.";
      if (!signal.aborted) setText(this.#note, `The message of game loop ${gameLoop} could not be read: ${error.message}.${kept}`);
    }
  }

  #show({ gameLoop, observation }, wanted) {
    const [before, chosen] = [this.#tree, this.#view.chosen];
    this.#tree = new TreeNode(observation, "response");
    if (before === undefined) this.#tree.at(["observation"])?.reveal();
    else this.#tree.openAs(before);
    const size = bytes(new TextEncoder().encode(JSON.stringify(observation)).length);
    setText(
      this.#note,
      `Game loop ${gameLoop}${gameLoop === wanted ? "" : `, the map shows ${wanted}`}; ${size} as JSON. It does not follow the match.`);
    this.#content.hidden = false;
    this.#view.show(this.#tree, chosen && this.#tree.at(chosen.keys));
    this.#search();
  }

  #search() {
    const { hits, isWhole } = search(this.#tree.value, this.#find.value.trim());
    [this.#hits, this.#hitsAt] = [hits, -1];
    this.#countText = `${grouped(hits.length)}${isWhole ? "" : "+"}`;
    this.#showHits();
  }

  #showHits() {
    const count = `${this.#countText} hit${this.#hits.length === 1 ? "" : "s"}`;
    const text = this.#hitsAt < 0 ? count : `${this.#hitsAt + 1} of ${count}`;
    setText(this.#hitsText, this.#find.value.trim() === "" ? "" : text);
  }

  /** To the next hit or the one before, from the last to the first. */
  #goTo(way) {
    if (this.#hits.length === 0) return;
    const count = this.#hits.length;
    this.#hitsAt = this.#hitsAt < 0 ? (way > 0 ? 0 : count - 1) : (this.#hitsAt + way + count) % count;
    this.#view.choose(this.#tree.at(this.#hits[this.#hitsAt]));
    this.#view.root.scrollIntoView({ block: "nearest" });
    this.#showHits();
  }

  async #copy(text, what) {
    this.#from.tell(await copyText(text, what));
  }
}
