// Names of units, abilities, upgrades and buffs: from the game data of the match or, if it has none, from the daemon's tables.

import { GameData } from "../daemon/messages.js";
import { read } from "../daemon/wire.js";
import { Facts } from "./facts.js";

let ofDaemon;

/** The names in the daemon's tables, read once. Rejected if they cannot be read. */
export function namesOfDaemon() {
  ofDaemon ??= fetch("game_data.binpb").then(async (answer) => {
    if (!answer.ok) throw new Error(`game_data.binpb: ${answer.status}`);
    return new Names(read(GameData, new Uint8Array(await answer.arrayBuffer())));
  });
  return ofDaemon;
}

/** Looks names up by id; returns the id if the name is unknown. */
export class Names {
  /** What else is known of them. */
  facts;
  #units;
  #abilities;
  #buffs;
  #upgrades;

  constructor(gameData) {
    this.facts = new Facts(gameData);
    this.#units = byId(gameData?.units, (each) => each.name);
    this.#abilities = byId(gameData?.abilities, (each) => each.friendlyName || each.linkName);
    this.#buffs = byId(gameData?.buffs, (each) => each.name);
    this.#upgrades = byId(gameData?.upgrades, (each) => each.name);
  }

  unit(id) {
    return this.#units.get(id) ?? `unit type ${id}`;
  }

  ability(id) {
    return this.#abilities.get(id) ?? `ability ${id}`;
  }

  upgrade(id) {
    return this.#upgrades.get(id) ?? `upgrade ${id}`;
  }

  buff(id) {
    return this.#buffs.get(id) ?? `buff ${id}`;
  }
}

function byId(entries, nameOf) {
  return new Map((entries ?? []).filter(nameOf).map((each) => [each.id ?? 0, nameOf(each)]));
}
