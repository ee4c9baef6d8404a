// Who is ahead, and since when. Pure: tested in Node.

import { clock, grouped } from "./format.js";

/** A lead counts from this much on, in resources: less is a draw. */
export const LEAST_LEAD = 150;
/** A fight this long before a turn is what turned it, in game loops: 30 s. */
const FIGHT_BEFORE = 672;

/** What the enemy has lost less what was lost, in resources, by row: the game counts both exactly, also of what is not seen. */
export function leads(timeline) {
  const lost = timeline.sum("lost_minerals", "lost_vespene");
  return timeline.sum("killed_value_units", "killed_value_structures").map((killed, row) => killed - lost[row]);
}

/**
 * Who is ahead at a row: { side: "own" | "enemy" | "", by, since: game loop, fight: the mark that turned it, or undefined }. A lead lasts
 * until the other side has one.
 */
export function leadAt(timeline, row, lead = leads(timeline)) {
  const found = { side: "", by: 0, since: timeline.gameLoops[0] ?? 0, fight: undefined };
  for (let each = 0; each <= row; each++) {
    const side = lead[each] >= LEAST_LEAD ? "own" : lead[each] <= -LEAST_LEAD ? "enemy" : "";
    if (side === "" || side === found.side) continue;
    found.side = side;
    found.since = timeline.gameLoops[each];
  }
  found.by = Math.abs(lead[row] ?? 0);
  found.fight = timeline.marks.findLast(
    ({ kind, gameLoop = 0, lastGameLoop = 0 }) =>
      kind === "fight" && gameLoop <= found.since && lastGameLoop >= found.since - FIGHT_BEFORE);
  return found;
}

/** The same as a sentence. */
export function leadText({ side, by, since, fight }, names = { own: "own", enemy: "enemy" }) {
  if (side === "") return "Nobody is ahead yet.";
  const fought = fight === undefined
    ? ""
    : `, after the fight at ${clock(fight.gameLoop ?? 0)} (own losses ${grouped(Math.round(fight.ownLost ?? 0))}, `
      + `enemy ${grouped(Math.round(fight.enemyLost ?? 0))})`;
  const now = by < LEAST_LEAD ? "even now" : `by ${grouped(Math.round(by))} resources now`;
  return `Ahead since ${clock(since)}: ${names[side]}${fought}; ${now}.`;
}
