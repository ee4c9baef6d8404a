// The matches of the daemon: those that run, and those that are over.

import { getJson } from "./http.js";

const RESULTS = { Victory: 1, Defeat: 2, Tie: 3, Undecided: 4 };
const RACES = { Terran: 1, Zerg: 2, Protoss: 3, Random: 4 };
const TYPES = { Participant: 1, Computer: 2, Observer: 3 };
const NS_IN_MS = 1_000_000;

export class MatchList {
  /** In the order in which they began. */
  matches = [];
  #reading;

  /** Reads the list; calls during a reading share it. @throws {Refusal} the daemon does not answer */
  refresh() {
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** A match by its run_id. */
  find(runId) {
    return this.matches.find((each) => each.runId === runId);
  }

  /** The newest match that is over and of which something is kept. */
  get lastKept() {
    return this.matches.findLast((each) => !each.isRunning && each.isKept);
  }

  /** The match of the other player of the same game, if it can be shown; the one that runs, if there are several. */
  partnerOf(runId) {
    const groupId = this.find(runId)?.groupId;
    if (!groupId) return undefined;
    const others = this.matches.filter((each) => each.groupId === groupId && each.runId !== runId && (each.isRunning || each.isKept));
    return others.findLast((each) => each.isRunning) ?? others.at(-1);
  }

  async #read() {
    this.matches = summariesOf(await getJson("v1/matches"));
  }
}

/** The summaries of a MatchList in ProtoJSON. Pure: tested in Node. */
export function summariesOf({ matches = [] }) {
  return matches.map(({ match = {}, state, endedUnixNs, lastGameLoop, results = [], recording, history, reason = "" }) => ({
    runId: match.runId ?? "",
    groupId: match.groupId ?? "",
    mapName: match.mapName ?? "",
    playerId: match.playerId ?? 0,
    players: (match.gameInfo?.playerInfo ?? []).map(playerOf),
    beganMs: Number(match.beganUnixNs ?? 0) / NS_IN_MS,
    endedMs: Number(endedUnixNs ?? 0) / NS_IN_MS,
    isRunning: state === undefined || state === "match_running",
    lost: state === "match_lost",
    reason,
    lastGameLoop,
    results: results.map(({ playerId = 0, result }) => ({ playerId, result: RESULTS[result] ?? 0 })),
    recording: recording?.path ?? "",
    isKept: history?.firstGameLoop !== undefined,
    firstKept: history?.firstGameLoop,
    lastKept: history?.lastGameLoop,
  }));
}

function playerOf({ playerId = 0, playerName = "", raceActual, raceRequested, type }) {
  return { playerId, name: playerName, race: RACES[raceActual] ?? 0, raceRequested: RACES[raceRequested] ?? 0, type: TYPES[type] ?? 0 };
}
