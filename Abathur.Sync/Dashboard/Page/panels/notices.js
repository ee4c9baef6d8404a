// What the page says in words: a passing message, what an empty map means, the last line.

import { inSeconds, three } from "../common/format.js";
import { byId, setText } from "../common/page.js";
import { authorization } from "../daemon/token.js";

const MESSAGE_MS = 8000;
let messageTimer;

/** Shows a message for some seconds. */
export function tell(text) {
  const message = byId("message");
  setText(message, text);
  message.hidden = false;
  clearTimeout(messageTimer);
  messageTimer = setTimeout(() => (message.hidden = true), MESSAGE_MS);
}

/** Says why there is nothing on the map. @param everOpen whether there was a connection before @param hasFrame whether a frame is shown */
export function showEmpty(state, everOpen, hasFrame) {
  const texts = {
    connecting: everOpen ? "" : "Connecting…",
    waiting: "No match yet. It appears here as soon as it begins.",
    open: hasFrame ? "" : "The match has begun; its first frame has not arrived yet.",
    over: "The recording has been played to its end. The page connects again when it is played again.",
    lost: everOpen ? "" : "The daemon does not answer. The page keeps trying.",
  };
  setText(byId("empty"), texts[state]);
  byId("empty").hidden = texts[state] === "";
}

/** The daemon, and its recording. */
export function showFooter({ process, recording: file }) {
  const uptime = inSeconds(process?.uptime);
  const kept = file ? ` · recording to ${file.path}: ${file.error || `${file.frames ?? 0} frames, ${file.framesMissed ?? 0} missing`}` : "";
  setText(byId("footer"), `abathur-sync ${process?.version ?? ""} · up ${Math.round(uptime)} s${load(process, uptime)}${kept}`);
}

/** What the daemon does not tell to those who see the match later. */
function load(process, uptime) {
  if (process?.cpuTime === undefined) return "";
  const busy = (100 * inSeconds(process.cpuTime)) / Math.max(uptime, 1);
  return ` · CPU ${three(busy)} % · memory ${Math.round((process.workingSetBytes ?? 0) / 1e6)} MB`;
}

/** A browser does not say why a WebSocket was refused; the same path without one does. */
export async function tellWhyRefused(path, name) {
  try {
    const answer = await fetch(path, { cache: "no-store", headers: authorization() });
    if (answer.status !== 426) tell(`${name} cannot be opened: ${(await answer.text()).trim()}`);
  } catch {
    // The header shows that the daemon does not answer.
  }
}
