// What the observing player has: minerals, vespene, supply.

import { grouped } from "../common/format.js";
import { setPairs } from "../common/page.js";

export function showResources(list, { observation } = {}) {
  const player = observation?.player;
  if (!player) {
    setPairs(list, [["No player in this observation", ""]]);
    return;
  }
  const of = (name) => player[name] ?? 0;
  const pairs = [
    ["Minerals", grouped(of("minerals"))],
    ["Vespene", grouped(of("vespene"))],
    ["Supply", `${of("supplyUsed")} / ${of("supplyCap")}`],
    ["Army supply", of("supplyArmy")],
    ["Worker supply", of("supplyWorkers")],
    ["Idle workers", of("idleWorkers")],
  ];
  if (observation.score?.score !== undefined) pairs.push(["Score", grouped(observation.score.score)]);
  if (player.larva) pairs.push(["Larvae", player.larva]);
  setPairs(list, pairs);
}
