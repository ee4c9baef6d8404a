// The keyboard, anywhere on the page.

import { byId, element } from "./common/page.js";

const HELP = [
  ["Space", "pause, resume"],
  ["← →", "one frame back, forward"],
  ["Shift ← →", "ten seconds"],
  ["Home End", "start, end"],
  ["[ ]", "slower, faster"],
  ["L", "back to live; of a recording: loop"],
  [", .", "event before, after"],
  ["C", "copy the link to this moment"],
  ["P", "save the map as a picture"],
  ["T", "copy a test of this moment"],
  ["M", "the list of matches"],
  ["B", "both players of the game side by side; again: one"],
  ["F", "follow the chosen unit"],
  ["R", "ranges of the chosen units"],
  ["J", "to the fight of most value; again: back"],
  ["H", "graphs, events and result: up to this moment, or of the whole match"],
  ["V", "choose all units of players in view"],
  ["O", "the raw message of this moment; again: close it"],
  ["Esc", "clear the selection"],
  ["+ − 0", "on the map: magnify, whole map"],
  ["↑ ↓ W A S D", "on the map: move it"],
  ["↑ ↓ Enter", "in the list of units: choose one, again the next"],
  ["A, Shift Enter", "in the list of units: choose all of the type"],
  ["Shift drag, click", "on the map: choose an area; add or remove one"],
  ["?", "this list"],
];

/** The button that was clicked last, while it has the focus: Space is not meant for it. */
let clicked;
const BUTTONS = "input[type=checkbox], button, summary";

/** @param more other keys, by name, and what they do */
export function listenForKeys(playback, { follow, clear, mark, moment, matches, both, whole }, more = {}) {
  const help = byId("help");
  byId("keys").append(...HELP.flatMap(([keys, text]) => [element("dt", {}, element("kbd", {}, keys)), element("dd", {}, text)]));
  byId("show-help").addEventListener("click", () => help.showModal());
  const actions = {
    " ": () => playback.toggle(),
    ArrowRight: ({ shiftKey }) => (shiftKey ? playback.jumpSeconds(10) : playback.step(1)),
    ArrowLeft: ({ shiftKey }) => (shiftKey ? playback.jumpSeconds(-10) : playback.step(-1)),
    Home: () => playback.toStart(),
    End: () => playback.toEnd(),
    "[": () => playback.changeRate(-1),
    "]": () => playback.changeRate(1),
    l: () => playback.toLiveOrLoop(),
    ",": () => mark(-1),
    ".": () => mark(1),
    c: () => moment.copy(),
    p: () => moment.picture(),
    t: () => moment.copyTest(),
    m: () => matches.open(),
    b: () => both.toggle(),
    h: () => whole.toggle(),
    f: follow,
    Escape: clear,
    "?": () => help.showModal(),
    ...more,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || isTaken(event)) return;
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
  // Some browsers press a button when the key goes up.
  document.addEventListener("keyup", (event) => {
    if (event.key === " " && event.target === clicked) event.preventDefault();
  });
  document.addEventListener("click", ({ target, detail }) => {
    // By a key, it is a click without a number.
    clicked = detail > 0 ? target.closest(BUTTONS) : undefined;
  });
  document.addEventListener("focusin", ({ target }) => {
    if (target !== clicked) clicked = undefined;
  });
}

/** Whether the focused element handles the key itself. */
function isTaken({ target, key }) {
  if (target.matches?.("input[type=range]")) return false;
  if (target.matches?.(BUTTONS)) return (key === " " && target !== clicked) || key === "Enter";
  return target.matches?.("input, select, textarea") ?? false;
}
