// What the page says in words: a passing message, the last line, why a recording is refused.

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

/** The daemon, and its recording. */
export function showFooter({ process, recording: file }) {
  const uptime = inSeconds(process?.uptime);
  const frames = `${file?.frames ?? 0} frames, ${file?.framesDropped ?? 0} dropped`;
  const kept = file ? ` · recording to ${file.path}: ${file.error || frames}` : "";
  setText(byId("footer"), `abathur-sync ${process?.version ?? ""} · up ${Math.round(uptime)} s${load(process, uptime)}${kept}`);
}

/** What the daemon does not tell to those who see the match later. */
function load(process, uptime) {
  if (process?.cpuTime === undefined) return "";
  const busy = (100 * inSeconds(process.cpuTime)) / Math.max(uptime, 1);
  return ` · CPU ${three(busy)} % · memory ${Math.round((process.workingSetBytes ?? 0) / 1e6)} MB`;
}

/** Why a recording cannot be opened, "" if it is not known: a browser does not say it of a WebSocket, the same path without one does. */
export async function whyRefused(path, name) {
  try {
    const answer = await fetch(path, { cache: "no-store", headers: authorization() });
    return answer.status === 426 ? "" : `${name} cannot be opened: ${(await answer.text()).trim()}`;
  } catch {
    // The header shows that the daemon does not answer.
    return "";
  }
}
