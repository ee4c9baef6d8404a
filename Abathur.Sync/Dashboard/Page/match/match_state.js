// What the page shows, as one word or two. Pure: tested in Node.

import { clock, LOOPS_PER_SECOND } from "../common/format.js";

/** A match counts as live until it is this far behind: a second. */
const LIVE_LOOPS = Math.ceil(LOOPS_PER_SECOND);

/**
 * The state as { name, text }: connecting, waiting, playback, live, behind, paused, ended, reconnecting.
 * @param {string} connection connecting, waiting, open, over or lost
 * @param playback the state of the playback, or of the rewind of a running match; undefined: neither
 * @param gameLoop the frame that is shown
 * @param delay seconds by which the daemon shows a live match later
 */
export function stateOf(connection, playback, gameLoop, delay = 0) {
  if (connection === "over") return { name: "ended", text: "ended" };
  if (connection === "lost") return { name: "reconnecting", text: "reconnecting" };
  if (connection === "connecting") return { name: "connecting", text: "connecting" };
  if (connection === "waiting") return { name: "waiting", text: "no match yet" };
  const late = delay > 0 ? `, delayed by ${Number(delay.toFixed(1))} s` : "";
  if (playback === undefined) return { name: "live", text: `live${late}` };
  const behind = (playback.lastGameLoop ?? 0) - (gameLoop ?? playback.lastGameLoop ?? 0);
  if (playback.isRewind) {
    if (behind <= LIVE_LOOPS && !playback.paused) return { name: "live", text: `live${late}` };
    const far = `behind live by ${clock(Math.max(behind, 0))}${late}`;
    return { name: playback.paused ? "paused" : "behind", text: playback.paused ? `paused, ${far}` : far };
  }
  if (playback.ended && playback.paused) return { name: "ended", text: "ended" };
  return playback.paused ? { name: "paused", text: "paused" } : { name: "playback", text: "playback" };
}
