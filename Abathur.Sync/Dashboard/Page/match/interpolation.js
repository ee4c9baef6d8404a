// Where units are between two frames. All pure: tested in Node.

/** Frames further apart than this are a jump, not a movement. */
const MAX_LOOPS = 64;
/** No unit is this fast (cells a game loop): a faster one was placed there. */
const MAX_SPEED = 1.2;
const MAX_INTERVAL_MS = 400;

/**
 * Milliseconds that the movement from one game loop to another takes on the screen: as long as in the game. 0: no movement.
 * @param {number} loops the newer less the older game loop
 * @param {number} tickHz game loops a second at rate 1
 * @param {number} rate multiple of it; 0: as fast as it goes
 */
export function interval(loops, tickHz, rate) {
  if (loops <= 0 || loops > MAX_LOOPS || rate === 0 || !(tickHz > 0)) return 0;
  return Math.min((loops / (tickHz * rate)) * 1000, MAX_INTERVAL_MS);
}

/** How much of an interval has passed, 0 to 1. */
export function progress(now, since, intervalMs) {
  if (intervalMs <= 0) return 1;
  return Math.min(Math.max((now - since) / intervalMs, 0), 1);
}

/** Whether a unit walked from here to there within so many game loops. */
export function walks(dx, dy, loops) {
  const most = MAX_SPEED * loops;
  return dx * dx + dy * dy <= most * most;
}
