// Names as the game shows them, from those of its data: by rules, and a table of what they do not give. Pure: tested in Node. The same is
// in gamedata/make_names.py, which writes the table.

import { KINDS, RULES, SHOWN } from "./name_table.js";

const LEVEL = /^(.+)Level(\d)$/;

/** "SiegeTankSieged" is "Siege Tank (sieged)". */
export function shownUnit(name) {
  return shown(name, SHOWN.units);
}

/** "ZergGroundArmorsLevel1" is "Carapace Level 1". */
export function shownUpgrade(name) {
  return shown(name, SHOWN.upgrades);
}

/** "CarryMineralFieldMinerals" is "Carries minerals". */
export function shownBuff(name) {
  return shown(name, SHOWN.buffs);
}

/** "Effect Stim Marine" is "Stimpack": a kind, and mostly what it makes or does and who does it. */
export function shownAbility(name) {
  const [kind, thing] = name.split(" ");
  if (thing === undefined || Object.hasOwn(SHOWN.abilities, name)) return shown(name, SHOWN.abilities);
  const text = Object.hasOwn(KINDS, kind) ? KINDS[kind] : `${shown(kind)} *`;
  return text.replace("*", () => shown(thing, SHOWN.abilities, SHOWN.units, SHOWN.upgrades));
}

function shown(name, ...tables) {
  for (const table of tables) if (Object.hasOwn(table, name)) return table[name];
  const level = LEVEL.exec(name);
  if (level) return `${shown(level[1], ...tables)} Level ${level[2]}`;
  const text = RULES.reduce((before, [pattern, by]) => before.replace(pattern, by), name);
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
