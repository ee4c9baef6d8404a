// How far a unit shoots and sees, from game data. Pure: tested in Node.

const TARGETS = ["", "ground", "air", ""];

/**
 * Of the unit in a row that is drawn at x, y: { x, y, radius, sight, weapons, text }, radii in cells. Weapons reach from the edge of a
 * unit, sight from its middle; what is unknown is 0 or missing, and the text says so.
 */
export function rangesOf(units, row, x, y, facts) {
  const radius = units.radius[row];
  const known = facts.ranges(units.unit_type[row]);
  if (known === undefined) return { x, y, radius, sight: 0, weapons: [], text: "ranges unknown" };
  const armed = known.weapons.filter(({ range }) => range > 0);
  const weapons = armed.map(({ type, range }) => [TARGETS[type] || "weapon", short(range)].join(" "));
  const parts = [weapons.length > 0 ? weapons.join(", ") : "weapon range unknown"];
  parts.push(known.sight > 0 ? `sight ${short(known.sight)}` : "sight unknown");
  return { x, y, radius, sight: known.sight, weapons: armed.map(({ range }) => range + radius), text: parts.join(" · ") };
}

function short(value) {
  return String(Number(value.toFixed(1)));
}
