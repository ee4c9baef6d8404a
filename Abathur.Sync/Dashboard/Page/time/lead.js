// Who is ahead, and since when. Pure: tested in Node.

import { clock, grouped } from "../common/format.js";

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
 * Who is ahead at a row, by marks that are known there: { side: "own" | "enemy" | "", by, since: game loop, fight: the mark that turned it,
 * largest: the mark of the fight since then that brought the most }; a mark may be undefined. A lead lasts until the other side has one.
 */
export function leadAt(timeline, row, lead = leads(timeline), marks = timeline.marks) {
  const found = { side: "", by: 0, since: timeline.gameLoops[0] ?? 0, fight: undefined };
  for (let each = 0; each <= row; each++) {
    const side = lead[each] >= LEAST_LEAD ? "own" : lead[each] <= -LEAST_LEAD ? "enemy" : "";
    if (side === "" || side === found.side) continue;
    found.side = side;
    found.since = timeline.gameLoops[each];
  }
  found.by = Math.abs(lead[row] ?? 0);
  found.largest = largestFight(marks, found, timeline.gameLoops[row] ?? 0);
  found.fight = marks.findLast(
    ({ kind, gameLoop = 0, lastGameLoop = 0 }) =>
      kind === "fight" && gameLoop <= found.since && lastGameLoop >= found.since - FIGHT_BEFORE);
  return found;
}

/** The same as a sentence. */
export function leadText({ side, by, since, fight, largest }) {
  if (side === "") return "Fights: nobody is ahead yet.";
  const after = fight === undefined ? "" : ` (the fight at ${fightText(fight)})`;
  const now = by < LEAST_LEAD ? "even now" : `now by ${grouped(Math.round(by))} resources`;
  const most = largest === undefined || largest === fight ? "" : ` Most of it in the fight at ${fightText(largest)}.`;
  return `Fights: ${side === "own" ? "own side" : "enemy"} ahead since ${clock(since)}${after}, ${now}.${most}`;
}

function fightText({ gameLoop = 0, ownLost = 0, enemyLost = 0, goesOn = false }) {
  if (goesOn) return `${clock(gameLoop)}, which goes on`;
  return `${clock(gameLoop)}: own losses ${grouped(Math.round(ownLost))}, enemy ${grouped(Math.round(enemyLost))}`;
}

/** The fight that brought the most to who is ahead, of those since then; undefined if none did. */
function largestFight(marks, { side, since }, until) {
  const gain = ({ ownLost = 0, enemyLost = 0 }) => (side === "own" ? enemyLost - ownLost : ownLost - enemyLost);
  return marks
    .filter(({ kind, gameLoop = 0, lastGameLoop = 0 }) => kind === "fight" && gameLoop <= until && lastGameLoop >= since - FIGHT_BEFORE)
    .filter((mark) => gain(mark) > 0)
    .sort((one, other) => gain(other) - gain(one))[0];
}
