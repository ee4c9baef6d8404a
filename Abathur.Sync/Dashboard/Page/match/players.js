// Who played: as text, and kept for the visit, because lists of matches do not have it. Pure but for the storage: tested in Node.

import { RACES } from "../daemon/messages.js";

const KEY = "abathur-players";
const MAX_KEPT = 1000;
const [COMPUTER, OBSERVER] = [2, 3];

/** "Anna (Zerg)", "computer (Terran)", "player 2". */
export function playerText({ playerId, name, race, raceRequested, type }) {
  const known = RACES[race || raceRequested || 0] ?? "";
  return `${name || (type === COMPUTER ? "computer" : `player ${playerId}`)}${known ? ` (${known})` : ""}`;
}

/** The player whose observations a match has; undefined if the game does not say. */
export function ownPlayer({ gameInfo, playerId }) {
  return gameInfo?.players.find((each) => each.playerId === playerId);
}

/** All who played; "" where it is not known. @param players of game_info */
export function playersText(players = []) {
  return players.filter(({ type }) => type !== OBSERVER).map(playerText).join(" vs ");
}

/** What the page has seen of the players of matches, by run_id. */
export class KnownPlayers {
  #known = new Map(stored());

  /** @param match with its game_info */
  add({ runId, gameInfo }) {
    const text = playersText(gameInfo?.players);
    if (!runId || text === "" || this.#known.get(runId) === text) return;
    this.#known.set(runId, text);
    if (this.#known.size > MAX_KEPT) this.#known.delete(this.#known.keys().next().value);
    try {
      sessionStorage.setItem(KEY, JSON.stringify([...this.#known]));
    } catch {
      // Then it is known until the page is left.
    }
  }

  /** @param summary of the list */
  of({ runId, players, playerId }) {
    return playersText(players) || this.#known.get(runId) || (playerId ? `player ${playerId}` : "unknown");
  }
}

function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY)) ?? [];
  } catch {
    return [];
  }
}
