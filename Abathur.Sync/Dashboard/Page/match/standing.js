// How both players stand at a moment: what the bar over the map shows. Pure: tested in Node.

/**
 * What a player has: { name, supply, cap, workers, army, lost, bases, minerals, vespene, mineralIncome, vespeneIncome, isSeen }. What is
 * not known is undefined. `isSeen`: supply, workers, army and bases are of units that were seen and are not known to be dead.
 */
const UNKNOWN = {
  name: "", supply: undefined, cap: undefined, workers: undefined, army: undefined, lost: undefined, bases: undefined,
  minerals: undefined, vespene: undefined, mineralIncome: undefined, vespeneIncome: undefined, isSeen: false,
};

/**
 * The player whose observations these are.
 * @param timeline the numbers of the match @param gameLoop of the moment @param player of the newest frame, newer than the timeline
 */
export function ownStanding(name, timeline, gameLoop, player) {
  const at = valuesAt(timeline, gameLoop);
  return {
    ...UNKNOWN, name,
    supply: player?.supplyUsed ?? at("food_used"), cap: player?.supplyCap ?? at("food_cap"),
    workers: player?.supplyWorkers ?? at("food_workers"),
    army: at("army_minerals", "army_vespene"), lost: at("lost_minerals", "lost_vespene"), bases: at("base_count"),
    minerals: player?.minerals ?? at("minerals"), vespene: player?.vespene ?? at("vespene"),
    mineralIncome: at("collection_rate_minerals"), vespeneIncome: at("collection_rate_vespene"),
  };
}

/** The enemy, as far as these observations tell: what it has lost is exact, the rest was seen. */
export function seenStanding(name, timeline, gameLoop) {
  const at = valuesAt(timeline, gameLoop);
  const [army, workers] = [at("enemy_food_army"), at("enemy_worker_count")];
  return {
    ...UNKNOWN, name, isSeen: true,
    supply: army === undefined ? undefined : army + workers, workers, army: at("enemy_army_value"),
    lost: at("killed_value_units", "killed_value_structures"), bases: at("enemy_base_count"),
  };
}

/** Reads sums of columns at a moment; undefined before the first row. */
function valuesAt(timeline, gameLoop) {
  const row = timeline.rowAt(gameLoop);
  return (...names) => (row < 0 ? undefined : names.reduce((sum, name) => sum + (timeline.column(name)[row] ?? 0), 0));
}
