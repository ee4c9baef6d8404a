// Names of units, abilities and buffs, from the game data of the match, if it has them.

/** Looks names up by id; returns the id if the name is unknown. */
export class Names {
  #units;
  #abilities;
  #buffs;

  constructor(gameData) {
    this.#units = byId(gameData?.units, (each) => each.name);
    this.#abilities = byId(gameData?.abilities, (each) => each.friendlyName || each.linkName);
    this.#buffs = byId(gameData?.buffs, (each) => each.name);
  }

  unit(id) {
    return this.#units.get(id) ?? `unit type ${id}`;
  }

  ability(id) {
    return this.#abilities.get(id) ?? `ability ${id}`;
  }

  buff(id) {
    return this.#buffs.get(id) ?? `buff ${id}`;
  }
}

function byId(entries, nameOf) {
  return new Map((entries ?? []).filter(nameOf).map((each) => [each.id ?? 0, nameOf(each)]));
}
