// How a playback follows another match. Pure: tested in Node.

/** Further away than this it jumps: 2 s of a game. */
const JUMP_LOOPS = 45;
/** Closer than this it is together with it. */
const NEAR_LOOPS = 3;

/**
 * What a playback has to do to be where the leader is: { pauses, seeks, rate }.
 * @param leader { gameLoop, paused, rate } @param gameLoop where the playback is; undefined: nowhere yet @param goal where it should be
 */
export function rateFor(leader, gameLoop, goal) {
  // At its own start or end it waits for the leader.
  const pauses = (leader.paused ?? false) || goal !== leader.gameLoop;
  const ahead = gameLoop === undefined ? Infinity : gameLoop - goal;
  const seeks = pauses ? ahead !== 0 : Math.abs(ahead) > JUMP_LOOPS;
  const rate = leader.rate || 1;
  if (pauses || seeks || Math.abs(ahead) <= NEAR_LOOPS) return { pauses, seeks, rate };
  return { pauses, seeks, rate: Number((rate * (ahead > 0 ? 0.8 : 1.25)).toFixed(3)) };
}
