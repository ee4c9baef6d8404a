// Which graphs there are of a match, and what is in each. Pure: tested in Node.

import { leads } from "./lead.js";

const army = (timeline) => timeline.sum("army_minerals", "army_vespene");
const column = (name) => (timeline) => timeline.column(name);

/**
 * Each: a title; lines of { name, color: of the style sheet, of(timeline): values by row, dashed }; `signed` if the area to zero is filled
 * by sign.
 */
export const GRAPHS = [
  {
    title: "Lead in fights", signed: true,
    about: "resources that the enemy has lost less own losses",
    lines: [{ name: "lead", color: "--own", of: leads }],
  },
  {
    title: "Army value",
    lines: [
      { name: "own", color: "--own", of: army },
      { name: "enemy, seen", color: "--enemy", of: column("enemy_army_value"), dashed: true },
    ],
  },
  {
    title: "Lost resources",
    lines: [
      { name: "own", color: "--own", of: (timeline) => timeline.sum("lost_minerals", "lost_vespene") },
      {
        name: "enemy", color: "--enemy", dashed: true,
        of: (timeline) => timeline.sum("killed_value_units", "killed_value_structures"),
      },
    ],
  },
  {
    title: "Supply",
    lines: [
      { name: "own", color: "--own", of: column("food_used") },
      { name: "own limit", color: "--quiet", of: column("food_cap") },
      { name: "enemy army, seen", color: "--enemy", of: column("enemy_food_army"), dashed: true },
    ],
  },
  {
    title: "Workers",
    lines: [
      { name: "own", color: "--own", of: column("food_workers") },
      { name: "enemy, seen", color: "--enemy", of: column("enemy_worker_count"), dashed: true },
    ],
  },
  {
    title: "Income a minute",
    lines: [
      { name: "minerals", color: "--own", of: column("collection_rate_minerals") },
      { name: "vespene", color: "--ally", of: column("collection_rate_vespene"), dashed: true },
    ],
  },
  {
    title: "Not spent",
    lines: [
      { name: "minerals", color: "--own", of: column("minerals") },
      { name: "vespene", color: "--ally", of: column("vespene"), dashed: true },
    ],
  },
  {
    title: "Bases",
    lines: [
      { name: "own", color: "--own", of: column("base_count") },
      { name: "enemy, seen", color: "--enemy", of: column("enemy_base_count"), dashed: true },
    ],
  },
];
