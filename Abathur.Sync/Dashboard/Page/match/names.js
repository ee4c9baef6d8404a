// Names of units, abilities, upgrades and buffs, as the game shows them: from the game data of the match or, if it has none, from the
// daemon's tables.

import { GameData } from "../daemon/messages.js";
import { read } from "../daemon/wire.js";
import { Facts } from "./facts.js";
import { shownAbility, shownBuff, shownUnit, shownUpgrade } from "./name_rules.js";

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
    this.#units = new Table(gameData?.units, (each) => each.name, shownUnit);
    this.#abilities = new Table(gameData?.abilities, (each) => each.friendlyName || each.linkName, shownAbility);
    this.#buffs = new Table(gameData?.buffs, (each) => each.name, shownBuff);
    this.#upgrades = new Table(gameData?.upgrades, (each) => each.name, shownUpgrade);
  }

  unit(id) {
    return this.#units.shown(id) ?? `unit type ${id}`;
  }

  /** The name of a unit type in the game's data, and its number: "SiegeTankSieged (32)". */
  internalUnit(id) {
    return `${this.#units.names.get(id) ?? "unit type"} (${id})`;
  }

  ability(id) {
    return this.#abilities.shown(id) ?? `ability ${id}`;
  }

  upgrade(id) {
    return this.#upgrades.shown(id) ?? `upgrade ${id}`;
  }

  buff(id) {
    return this.#buffs.shown(id) ?? `buff ${id}`;
  }
}

/** Names of one kind by id, and what is shown for those that were looked up. */
class Table {
  names;
  #shown = new Map();
  #show;

  constructor(entries, nameOf, show) {
    this.names = new Map((entries ?? []).filter(nameOf).map((each) => [each.id ?? 0, nameOf(each)]));
    this.#show = show;
  }

  shown(id) {
    if (!this.#shown.has(id) && this.names.has(id)) this.#shown.set(id, this.#show(this.names.get(id)));
    return this.#shown.get(id);
  }
}
