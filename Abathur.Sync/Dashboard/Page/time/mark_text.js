// What marks of the timeline say. Pure: tested in Node.

import { clock, grouped } from "../common/format.js";

/** Shapes of marks on the scrubber, with what the legend says of them. */
export const KINDS = {
  fight: { label: "fight", color: "--hit" },
  base: { label: "own base", color: "--own" },
  enemy_base: { label: "enemy base", color: "--enemy" },
  base_lost: { label: "own base lost", color: "--own" },
  enemy_base_lost: { label: "enemy base lost", color: "--enemy" },
  upgrade: { label: "upgrade", color: "--ally" },
  drawing: { label: "drawing", color: "--creep" },
  chat: { label: "chat", color: "--neutral" },
};

/** One line: "6:38 fight: own losses 450, enemy 1,900". */
export function markText({ kind, gameLoop = 0, id = 0, ownLost = 0, enemyLost = 0, goesOn = false, name = "" }, names) {
  const what = {
    fight: () => `fight: ${goesOn ? "it goes on" : `own losses ${grouped(Math.round(ownLost))}, enemy ${grouped(Math.round(enemyLost))}`}`,
    base: () => `own base: ${names.unit(id)}`,
    enemy_base: () => `enemy base: ${names.unit(id)}`,
    base_lost: () => `own base lost: ${names.unit(id)}`,
    enemy_base_lost: () => `enemy base lost: ${names.unit(id)}`,
    drawing: () => `drawing: ${name || "without a name"}`,
    chat: () => `player ${id}: ${name}`,
    upgrade: () => `upgrade: ${names.upgrade(id)}`,
  }[kind];
  return `${clock(gameLoop)} ${what?.() ?? kind}`;
}

/** The mark after a game loop, or before it with direction -1. */
export function nextMark(marks, gameLoop, direction) {
  const known = marks.filter(({ kind }) => kind in KINDS);
  return direction > 0
    ? known.find((mark) => (mark.gameLoop ?? 0) > gameLoop)
    : known.findLast((mark) => (mark.gameLoop ?? 0) < gameLoop);
}
