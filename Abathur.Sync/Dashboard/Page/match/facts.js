// What game data says of unit types, and of what abilities make: costs, times, ranges. Pure: tested in Node.

import { shownUnit, shownUpgrade } from "./name_rules.js";

/** An attribute of unit types in the game's protocol. */
const STRUCTURE = 8;
/** SCV, probe, drone, burrowed drone. */
const WORKERS = new Set([45, 84, 104, 116]);
/** Command center, nexus, hatchery, and what they become. */
const BASES = new Set([18, 36, 59, 86, 100, 101, 130, 132, 134]);

export class Facts {
  #units;
  #products = new Map();

  /** @param gameData a GameData message; undefined: nothing is known */
  constructor(gameData) {
    this.#units = new Map((gameData?.units ?? []).map((each) => [each.id ?? 0, each]));
    for (const unit of this.#units.values()) this.#makes(unit.abilityId, costOf(unit, "unit", unit.buildLoops, shownUnit));
    for (const each of gameData?.upgrades ?? [])
      this.#makes(each.abilityId, costOf(each, "upgrade", each.researchLoops, shownUpgrade));
    // An order may name the general ability of several: then it makes what the first of them makes.
    for (const { id, remapsTo } of gameData?.abilities ?? []) if (remapsTo) this.#makes(remapsTo, this.#products.get(id));
  }

  /** Whether anything is known of a unit type. */
  knows(type) {
    return this.#units.has(type);
  }

  isStructure(type) {
    return this.#units.get(type)?.attributes.includes(STRUCTURE) ?? false;
  }

  isWorker(type) {
    return WORKERS.has(type);
  }

  isBase(type) {
    return BASES.has(type);
  }

  /** Whether units of the type stay where they are. */
  isStill(type) {
    return this.#units.has(type) && !(this.#units.get(type).speed > 0);
  }

  /** Whether it is a unit that costs something and needs supply, and no worker: the army, and queens. */
  isArmy(type) {
    const unit = this.#units.get(type);
    return unit !== undefined && !this.isWorker(type) && !this.isStructure(type) && unit.supply > 0 && this.value(type) > 0;
  }

  /** Where units of the type come in lists: 0 army, 1 workers, 2 others that move, 3 bases, 4 other structures, 5 the rest. */
  rank(type) {
    if (this.isArmy(type)) return 0;
    if (this.isWorker(type)) return 1;
    if (this.isBase(type)) return 3;
    if (this.isStructure(type)) return 4;
    return this.knows(type) && !this.isStill(type) ? 2 : 5;
  }

  /** Minerals and vespene of one unit. */
  value(type) {
    const { minerals = 0, vespene = 0 } = this.#units.get(type) ?? {};
    return minerals + vespene;
  }

  /** Game loops in which it is made; 0 if unknown. */
  loops(type) {
    return this.#units.get(type)?.buildLoops ?? 0;
  }

  /** { sight, weapons: { type, range }[] }: type 1 ground, 2 air, 3 both. Undefined if the type is unknown. */
  ranges(type) {
    const unit = this.#units.get(type);
    return unit && { sight: unit.sight ?? 0, weapons: unit.weapons.map((each) => ({ type: each.type ?? 3, range: each.range ?? 0 })) };
  }

  /**
   * What an ability makes when units of a type use it: { kind: "unit" or "upgrade", id, name (as the game shows it), value, loops }.
   * Undefined if it makes nothing, or only turns the unit into another form of the same (siege mode, burrowing).
   */
  product(ability, actor) {
    const product = this.#products.get(ability);
    return product?.kind === "unit" && this.#isSame(product.id, actor) ? undefined : product;
  }

  #isSame(product, actor) {
    const form = (type) => this.#units.get(type)?.alias || type;
    return form(product) === form(actor);
  }

  #makes(ability, product) {
    if (ability && product && !this.#products.has(ability)) this.#products.set(ability, product);
  }
}

function costOf({ id, name, minerals, vespene }, kind, loops, shown) {
  return { kind, id: id ?? 0, name: shown(name ?? ""), value: (minerals ?? 0) + (vespene ?? 0), loops: loops ?? 0 };
}
