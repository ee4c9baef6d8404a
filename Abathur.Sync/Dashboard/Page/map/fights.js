// Where units are hit and die: clusters of the last seconds. Pure: tested in Node.

import { LOOPS_PER_SECOND } from "../common/format.js";
import { NEUTRAL } from "../match/world.js";

/** Game loops after which a hit counts no more. */
export const FIGHT_LOOPS = Math.round(5 * LOOPS_PER_SECOND);
export const MAX_EVENTS = 512;
/** Cells from the middle of a fight to a hit that belongs to it. */
const REACH = 10;
const LEAST_RADIUS = 2.5;
/** So many hits are a fight, also without a death. */
const LEAST_HITS = 3;
const JUMP_LOOPS = 64;

export class Fights {
  /**
   * Fights of the last seconds, those that began last first: { x, y, radius, hits, deaths, value, first, last } (game loops). `value` is
   * what the units cost that were hit or died.
   */
  list = [];
  #events = [];
  #last = -Infinity;

  clear() {
    this.#events = [];
    this.list = [];
    this.#last = -Infinity;
  }

  /** Adds the hits and deaths of the newest frame. @param valueOf (unit type) what it costs */
  add(world, valueOf = () => 0) {
    const { gameLoop } = world;
    if (gameLoop < this.#last || gameLoop - this.#last > JUMP_LOOPS) this.clear();
    const isNew = gameLoop !== this.#last;
    this.#last = gameLoop;
    if (isNew) {
      for (const { x, y, at, tag, type } of world.hits)
        if (at === world.arrived) this.#events.push({ x, y, gameLoop, isDeath: false, tag, value: valueOf(type) });
      for (const { type, ...death } of deathsOf(world)) this.#events.push({ ...death, gameLoop, isDeath: true, value: valueOf(type) });
    }
    this.#events = this.#events.filter((each) => gameLoop - each.gameLoop <= FIGHT_LOOPS).slice(-MAX_EVENTS);
    this.list = clusters(this.#events);
  }
}

/** Units that died in the newest frame, where, and whether they had been hurt: { x, y, tag, type, wasHurt }[]. */
function deathsOf({ rest, before }) {
  const places = [];
  for (const tag of rest.observation?.raw?.event?.deadUnits ?? []) {
    const row = before.rowOf.get(tag);
    if (row === undefined || before.alliance[row] === NEUTRAL) continue;
    const wasHurt = before.health[row] < before.health_max[row] || before.shield[row] < before.shield_max[row];
    places.push({ x: before.x[row], y: before.y[row], tag, type: before.unit_type[row], wasHurt });
  }
  return places;
}

/**
 * Groups of hits and deaths ({ x, y, gameLoop, isDeath, wasHurt }, oldest first) that are near each other. Deaths of unhurt units without
 * a hit nearby are no fight: a drone that becomes a building dies, too.
 */
export function clusters(events) {
  const found = [];
  for (const event of events) {
    let fight = found.find((each) => Math.hypot(each.x - event.x, each.y - event.y) <= REACH);
    if (fight === undefined) found.push(fight = { x: event.x, y: event.y, events: [], hits: 0, deaths: 0, hurt: 0, first: event.gameLoop });
    fight.events.push(event);
    const share = 1 / fight.events.length;
    fight.x += (event.x - fight.x) * share;
    fight.y += (event.y - fight.y) * share;
    fight.last = event.gameLoop;
    if (event.isDeath) fight.deaths++;
    else fight.hits++;
    if (event.wasHurt) fight.hurt++;
  }
  return found
    .filter(({ hits, deaths, hurt }) => hits >= LEAST_HITS || (deaths > 0 && hits + hurt > 0))
    .map(({ events: all, hurt, ...fight }) => ({
      ...fight, value: valueOfAll(all), radius: Math.max(LEAST_RADIUS, ...all.map(({ x, y }) => Math.hypot(x - fight.x, y - fight.y) + 1)),
    }))
    .sort((a, b) => b.first - a.first);
}

/** Each unit counts once. */
function valueOfAll(events) {
  const values = new Map(events.map(({ tag, value = 0 }) => [tag, value]));
  return [...values.values()].reduce((sum, value) => sum + value, 0);
}

/** Where on the edge of a view a place beyond it is pointed at: [x, y, angle] of the screen; undefined if it is in the view. */
export function edgeOf(view, x, y, inset) {
  const [screenX, screenY] = [view.screenX(x), view.screenY(y)];
  if (screenX >= 0 && screenY >= 0 && screenX <= view.width && screenY <= view.height) return undefined;
  const [middleX, middleY] = [view.width / 2, view.height / 2];
  const [dx, dy] = [screenX - middleX, screenY - middleY];
  const part = Math.min((middleX - inset) / Math.abs(dx), (middleY - inset) / Math.abs(dy));
  return [middleX + dx * part, middleY + dy * part, Math.atan2(dy, dx)];
}
