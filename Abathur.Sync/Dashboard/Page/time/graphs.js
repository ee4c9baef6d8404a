// The graphs of a match, and who is ahead.

import { Graph } from "../charts/graph.js";
import { byId, setText } from "../common/page.js";
import { GRAPHS } from "./graph_series.js";
import { leadAt, leads, leadText } from "./lead.js";

export class Graphs {
  #graphs;
  #leads = [];
  #version = -1;

  /** @param seek (gameLoop) */
  constructor(seek) {
    this.#graphs = GRAPHS.map((kind) => ({ kind, graph: new Graph(byId("graphs"), kind, seek), lines: [] }));
  }

  /**
   * Shows a timeline between two game loops, with the marks that are shown and nothing after them.
   * @param {{timeline, shown, exact, compared}} of exact: the timeline of the other player's match; compared: that of another match
   * @param colors changes when the colours do
   */
  show({ timeline, shown, exact, compared }, first, last, colors) {
    const key = `${shown.version} ${exact?.version ?? ""} ${compared?.version ?? ""} ${colors}`;
    if (key !== this.#version) {
      this.#version = key;
      this.#leads = leads(timeline);
      for (const each of this.#graphs) Object.assign(each, linesOf(each.kind, timeline, exact, compared));
    }
    const { marks, until } = shown;
    for (const { graph, lines, between } of this.#graphs) graph.show({ lines, between, marks, first, last, until, key });
  }

  /** Shows where the match stands. */
  showPlace({ timeline, shown }, gameLoop) {
    for (const { graph } of this.#graphs) graph.showPlace(gameLoop);
    const row = timeline.rowAt(gameLoop);
    setText(byId("lead"), row < 0 ? "" : leadText(leadAt(timeline, row, this.#leads, shown.marks)));
  }
}

/** { lines, between }: with another match, the lines of both, and between which of them the difference lies. */
function linesOf({ lines }, timeline, exact, compared) {
  const own = lines.map(
    (line) => (exact && line.exact ? lineOf({ ...line, name: "enemy", of: line.exact }, exact) : lineOf(line, timeline)));
  if (compared === undefined) return { lines: own, between: undefined };
  const others = lines.map((line) => ({ ...lineOf(line, compared), name: `B: ${line.name}`, color: "--other" }));
  return { lines: [...own, ...others], between: [own[0], others[0]] };
}

function lineOf({ name, color, of, dashed }, timeline) {
  return { name, color, dashed, gameLoops: timeline.gameLoops, values: of(timeline) };
}
