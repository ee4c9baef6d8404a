// Which part of the map is shown as a whole. Pure: tested in Node.

import { NEUTRAL } from "../match/world.js";
import { cell, isWhole } from "./grids.js";

const MARGIN = 2;
/** An area in use grows in steps of so many cells: the picture does not move with every step of a scout. */
const STEP = 8;

/** The playable area; else what is in use of the map; undefined if nothing is known. Areas are { x0, y0, x1, y1 }. */
export function areaOf({ match, rest, units, decoder }, before) {
  const startRaw = match?.gameInfo?.startRaw;
  const playable = playableOf(startRaw);
  if (playable) return playable;
  if (startRaw?.mapSize?.x > 0 && startRaw.mapSize.y > 0) return { x0: 0, y0: 0, x1: startRaw.mapSize.x, y1: startRaw.mapSize.y };
  const visibility = { ...rest.observation?.raw?.mapState?.visibility, data: decoder.visibility };
  const size = isWhole(visibility) ? visibility.size : undefined;
  const used = union(union(before, size && explored(visibility)), populated(units));
  return used ? stepped(used, size) : size && { x0: 0, y0: 0, x1: size.x, y1: size.y };
}

/** The edges of a map of which more is there than the area in use; undefined where the area is all. */
export function edgesOf({ match, rest }) {
  const size = match?.gameInfo?.startRaw ? undefined : rest.observation?.raw?.mapState?.visibility?.size;
  return size?.x > 0 && size.y > 0 ? { x0: 0, y0: 0, x1: size.x, y1: size.y } : undefined;
}

function playableOf({ playable: { p0, p1 } = {} } = {}) {
  if (!p0 || !p1 || !(p1.x > (p0.x ?? 0)) || !(p1.y > (p0.y ?? 0))) return undefined;
  return { x0: (p0.x ?? 0) - MARGIN, y0: (p0.y ?? 0) - MARGIN, x1: p1.x + MARGIN, y1: p1.y + MARGIN };
}

/** The cells that have ever been seen: levels of the game are 0 hidden, 1 fogged, 2 visible. */
export function explored(grid) {
  let area;
  for (let y = 0, i = 0; y < grid.size.y; y++) {
    for (let x = 0; x < grid.size.x; x++, i++) {
      const level = cell(grid, i);
      if (level !== 1 && level !== 2) continue;
      area = union(area, { x0: x, y0: y, x1: x + 1, y1: y + 1 });
      // The last one of the line from here on is found from its end.
      let last = grid.size.x - 1;
      while (last > x && cell(grid, i - x + last) !== 1 && cell(grid, i - x + last) !== 2) last--;
      area.x1 = Math.max(area.x1, last + 1);
      i += grid.size.x - x;
      break;
    }
  }
  return area;
}

/** Around all units of players. */
function populated(units) {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let row = 0; row < units.rows; row++) {
    if (!units.used[row] || units.alliance[row] === NEUTRAL) continue;
    [x0, y0, x1, y1] = [Math.min(x0, units.x[row]), Math.min(y0, units.y[row]), Math.max(x1, units.x[row]), Math.max(y1, units.y[row])];
  }
  return x1 >= x0 ? { x0: x0 - MARGIN, y0: y0 - MARGIN, x1: x1 + MARGIN, y1: y1 + MARGIN } : undefined;
}

function union(one, other) {
  if (!one || !other) return one ?? other;
  return {
    x0: Math.min(one.x0, other.x0), y0: Math.min(one.y0, other.y0), x1: Math.max(one.x1, other.x1), y1: Math.max(one.y1, other.y1),
  };
}

/** The area in whole steps, inside the grid if there is one. */
function stepped({ x0, y0, x1, y1 }, size) {
  const [most, up] = [size ?? { x: Infinity, y: Infinity }, (value) => Math.ceil(value / STEP) * STEP];
  const down = (value) => Math.floor(value / STEP) * STEP;
  return {
    x0: Math.max(down(x0), size ? 0 : -Infinity), y0: Math.max(down(y0), size ? 0 : -Infinity), x1: Math.min(up(x1), most.x),
    y1: Math.min(up(y1), most.y),
  };
}
