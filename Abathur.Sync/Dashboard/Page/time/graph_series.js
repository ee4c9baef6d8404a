// Which graphs there are of a match, and what is in each. Pure: tested in Node.

import { leads } from "./lead.js";

const column = (name) => (timeline) => timeline.column(name);
const sum = (...names) => (timeline) => timeline.sum(...names);

/**
 * Both sides; what is dashed is also told apart without colours. Where the other player's match is known, the enemy's line is the own one
 * of that: exact.
 */
const sides = (own, enemy, enemyName = "enemy, seen") => [
  { name: "own", color: "--own", of: own },
  { name: enemyName, color: "--enemy", of: enemy, exact: own, dashed: true },
];

const resources = (minerals, vespene) => [
  { name: "minerals", color: "--own", of: column(minerals) },
  { name: "vespene", color: "--ally", of: column(vespene), dashed: true },
];

/**
 * Each: a title; lines of { name, color: of the style sheet, of(timeline): values by row, exact(timeline of the other player), dashed };
 * `signed` if the area to zero is filled by sign.
 */
export const GRAPHS = [
  {
    title: "Lead in fights", signed: true, about: "resources that the enemy has lost less own losses",
    lines: [{ name: "lead", color: "--own", of: leads }],
  },
  { title: "Army value", lines: sides(sum("army_minerals", "army_vespene"), column("enemy_army_value")) },
  {
    title: "Lost resources",
    lines: sides(sum("lost_minerals", "lost_vespene"), sum("killed_value_units", "killed_value_structures"), "enemy"),
  },
  {
    title: "Supply",
    lines: [
      { name: "own", color: "--own", of: column("food_used") },
      { name: "limit", color: "--quiet", of: column("food_cap") },
      { name: "enemy army, seen", color: "--enemy", of: column("enemy_food_army"), exact: column("food_used"), dashed: true },
    ],
  },
  { title: "Workers", lines: sides(column("food_workers"), column("enemy_worker_count")) },
  { title: "Income a minute", lines: resources("collection_rate_minerals", "collection_rate_vespene") },
  { title: "Not spent", lines: resources("minerals", "vespene") },
  { title: "Bases", lines: sides(column("base_count"), column("enemy_base_count")) },
];
