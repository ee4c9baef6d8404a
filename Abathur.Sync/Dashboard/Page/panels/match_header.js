// Which match this is, where it stands, and how the connection is.

import { clock, rate as rateText, three } from "../common/format.js";
import { byId, element, setText } from "../common/page.js";
import { RACES, SOURCES } from "../daemon/messages.js";

export function showMatch(match, recording) {
  const map = match.gameInfo?.mapName || match.mapName || "unknown map";
  setText(byId("title"), map);
  document.title = `${map} – Abathur.Sync`;
  const players = (match.gameInfo?.players ?? []).filter(({ type }) => type !== 3);
  byId("players").replaceChildren(...players.flatMap((player, at) => [at > 0 ? " vs " : "", playerOf(player, match.playerId)]));
  const source = recording === undefined ? SOURCES[match.source ?? 0] : `recording ${recording}`;
  const version = match.gameVersion ? ` · ${match.gameVersion}` : "";
  byId("players").append(`${players.length > 0 ? " · " : ""}${source}${match.simulated ? ", simulated" : ""}${version}`);
}

/** Where the match stands now. */
export function showPlace(gameLoop) {
  setText(byId("clock"), gameLoop === undefined ? "–:––" : clock(gameLoop));
  setText(byId("loop"), gameLoop === undefined ? "" : `loop ${gameLoop}`);
}

export function showRate(framesPerSecond, playback) {
  setText(byId("rate"), `${three(framesPerSecond ?? 0)} frames/s${playback ? ` · ${rateText(playback.rate ?? 0)}` : ""}`);
}

/** @param state as stateOf returns it @param why the reason of the daemon, or empty */
export function showState({ name, text }, why = "") {
  byId("state").dataset.state = name;
  setText(byId("state"), why && name !== "ended" ? `${text} (${why})` : text);
}

function playerOf(player, own) {
  const isOwn = player.playerId === own;
  const race = RACES[player.race || player.raceRequested || 0] ?? "";
  const name = player.name || (player.type === 2 ? "computer" : `player ${player.playerId}`);
  return element("span", { className: isOwn ? "own" : "enemy" }, `${name}${race ? ` (${race})` : ""}${isOwn ? "\u00a0●" : "\u00a0◆"}`);
}
