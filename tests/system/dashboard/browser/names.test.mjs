// Names as the game shows them, in Node: `node --test`, with the folder of the modules in MODULES.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(`${process.env.MODULES}/${name}`));
const { shownAbility, shownBuff, shownUnit, shownUpgrade } = await load("match/name_rules.js");
const { Facts } = await load("match/facts.js");
const { Names } = await load("match/names.js");

/** Asserts that a function gives the second of each pair for the first. */
function gives(show, pairs) {
  assert.deepEqual(pairs.map(([name]) => show(name)), pairs.map(([, shown]) => shown));
}

test("names of units: words, forms in brackets, and those that the game has another name for", () => {
  gives(shownUnit, [
    ["SpawningPool", "Spawning Pool"], ["SCV", "SCV"], ["BarracksTechLab", "Barracks Tech Lab"], ["MineralField750", "Mineral Field 750"],
    ["DestructibleRockEx12x4Vertical", "Destructible Rock Ex 12x4 Vertical"], ["ZerglingBurrowed", "Zergling (burrowed)"],
    ["CommandCenterFlying", "Command Center (flying)"], ["SupplyDepotLowered", "Supply Depot (lowered)"], ["LurkerMP", "Lurker"],
    ["SwarmHostBurrowedMP", "Swarm Host (burrowed)"], ["LurkerDenMP", "Lurker Den"], ["VikingFighter", "Viking"],
    ["HellionTank", "Hellbat"], ["SiegeTankSieged", "Siege Tank (sieged)"], ["BanelingCocoon", "Baneling Cocoon"],
    ["XelNaga_Caverns_DoorE", "Xel Naga Caverns Door E"], ["", ""], ["constructor", "Constructor"],
  ]);
});

test("names of upgrades and buffs: levels, and those that the game has another name for", () => {
  gives(shownUpgrade, [
    ["ZergGroundArmorsLevel1", "Carapace Level 1"], ["ZergMissileWeaponsLevel3", "Missile Attacks Level 3"],
    ["TerranVehicleAndShipArmorsLevel2", "Vehicle and Ship Plating Level 2"], ["ProtossShieldsLevel1", "Shields Level 1"],
    ["zerglingmovementspeed", "Metabolic Boost"], ["GlialReconstitution", "Glial Reconstitution"],
    ["EvolveGroovedSpines", "Grooved Spines"], ["BotsOwnLevel2", "Bots Own Level 2"],
  ]);
  gives(shownBuff, [["CarryMineralFieldMinerals", "Carries minerals"], ["250mmStrikeCannons", "250mm Strike Cannons"]]);
});

test("names of abilities: a kind, what it makes or does, and not who does it", () => {
  gives(shownAbility, [
    ["Attack Attack", "Attack"], ["Stop Stop", "Stop"], ["Move Battlecruiser", "Move"], ["Smart", "Smart"], ["BurrowDown Roach", "Burrow"],
    ["Build Hatchery", "Build Hatchery"], ["Build TechLab Barracks", "Build Tech Lab"], ["Build CreepTumor Queen", "Build Creep Tumor"],
    ["Train VikingFighter", "Train Viking"], ["TrainWarp Zealot", "Warp In Zealot"], ["Effect Stim Marine", "Stimpack"],
    ["Research ZergMissileWeaponsLevel1", "Research Missile Attacks Level 1"], ["Research ResearchLurkerRange", "Research Seismic Spines"],
    ["Harvest Gather Drone", "Gather"], ["Morph SiegeMode", "Siege Mode"], ["Morph Lair", "Morph Lair"], ["Effect Blink Stalker", "Blink"],
    ["BarracksTechLabResearch_3", "Barracks Tech Lab Research 3"], ["toString Thing", "To String Thing"],
  ]);
});

test("names of a match: its own, through the rules; else the number", () => {
  const names = new Names({
    units: [{ id: 32, name: "SiegeTankSieged" }, { id: 9001, name: "GiantCrab_Burrowed" }, { id: 7, name: "" }],
    abilities: [{ id: 3, friendlyName: "Effect GiantClaw Crab" }, { id: 4, linkName: "crabWalk" }], buffs: [{ id: 5, name: "Stimpack" }],
    upgrades: [{ id: 6, name: "overlordspeed" }],
  });
  assert.deepEqual([32, 9001, 7, 123].map((id) => names.unit(id)), ["Siege Tank (sieged)", "Giant Crab (burrowed)", "unit type 7", "unit type 123"]);
  assert.deepEqual([32, 123].map((id) => names.internalUnit(id)), ["SiegeTankSieged (32)", "unit type (123)"]);
  assert.deepEqual([3, 4, 5].map((id) => names.ability(id)), ["Giant Claw", "Crab Walk", "ability 5"]);
  assert.deepEqual([names.buff(5), names.buff(6), names.upgrade(6), names.upgrade(5)], ["Stimpack", "buff 6", "Pneumatized Carapace", "upgrade 5"]);
  assert.equal(new Names().unit(48), "unit type 48");
  const facts = new Facts({ upgrades: [{ id: 66, name: "zerglingmovementspeed", abilityId: 1253 }] });
  assert.equal(facts.product(1253, 89).name, "Metabolic Boost");
});
