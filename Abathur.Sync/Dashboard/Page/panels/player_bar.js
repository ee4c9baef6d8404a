// The bar over the map: both players, a row each. What is only seen of the enemy says so.

import { grouped } from "../common/format.js";
import { byId, element, setText } from "../common/page.js";
import { ownPlayer, playerText } from "../match/players.js";
import { ownStanding, seenStanding } from "../match/standing.js";

const HEADS = ["Player", "Supply", "Workers", "Army", "Lost", "Bases", "Minerals", "Vespene"];

export class PlayerBar {
  #root = byId("bar");
  #world;
  #timeline;
  #own = newRow("own");
  #other = newRow("enemy");

  /** @param world of the match @param timeline its numbers */
  constructor(world, timeline) {
    [this.#world, this.#timeline] = [world, timeline];
    const heads = HEADS.map((head) => element("th", { scope: "col" }, head));
    heads[0].replaceChildren(element("span", { className: "unseen" }, heads[0].textContent));
    this.#root.append(element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, this.#own, this.#other));
  }

  /**
   * Shows the moment.
   * @param exact { world, timeline } of the other player's match, where it is known @param compared { name, world, timeline } of another
   * match beside this one @param name of the recording on the page, beside another one
   */
  show({ exact, compared, name }) {
    const { match, rest, gameLoop } = this.#world;
    if (match === undefined) return;
    const at = gameLoop ?? 0;
    this.#root.classList.toggle("compares", compared !== undefined);
    this.#other.className = compared === undefined ? "enemy" : "other";
    const own = ownPlayer(match);
    const title = compared !== undefined && name !== undefined ? name : own ? playerText(own) : "own side";
    fill(this.#own, ownStanding(title, this.#timeline, at, rest.observation?.player));
    fill(this.#other, compared === undefined ? this.#enemy(exact, at) : ofOther(compared.name, compared, at));
  }

  #enemy(exact, at) {
    const { match } = this.#world;
    const enemies = (match.gameInfo?.players ?? []).filter(({ playerId, type }) => playerId !== match.playerId && type !== 3);
    const name = enemies.map(playerText).join(", ") || "enemy";
    if (exact === undefined || exact.timeline.rowAt(at) < 0) return seenStanding(name, this.#timeline, at);
    return ofOther(name, exact, at);
  }
}

/** Of another match: of its newest frame, if that is of the same moment. */
function ofOther(name, { world, timeline }, at) {
  const player = world?.gameLoop === at ? world.rest.observation?.player : undefined;
  return ownStanding(name, timeline, at, player);
}

function newRow(side) {
  const cells = HEADS.slice(1).map((head) => element("td", { "data-name": head.toLowerCase() }, element("span"), element("small")));
  return element("tr", { className: side }, element("th", { scope: "row" }), ...cells);
}

function fill(row, { name, supply, cap, workers, army, lost, bases, minerals, vespene, mineralIncome, vespeneIncome, isSeen }) {
  const [title, ...cells] = row.children;
  setText(title, name);
  if (title.title !== name) title.title = name;
  const seen = isSeen ? " seen" : "";
  const income = (value) => (value === undefined ? "" : ` +${grouped(Math.round(value))}`);
  const shown = [
    [supply, cap === undefined ? seen : ` / ${cap}`], [workers, seen], [army, seen], [lost, ""], [bases, seen],
    [minerals, income(mineralIncome)], [vespene, income(vespeneIncome)],
  ];
  shown.forEach(([value, more], at) => {
    const [number, small] = cells[at].children;
    setText(number, value === undefined ? "–" : grouped(Math.round(value)));
    setText(small, value === undefined ? "" : more);
  });
}
