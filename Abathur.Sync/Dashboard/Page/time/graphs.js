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
   * Shows a timeline between two game loops, with the marks that are shown.
   * @param {{timeline, shown, other}} of other: the timeline of a second match, drawn as thin lines; undefined: none
   * @param colors changes when the colours do
   */
  show({ timeline, shown, other }, first, last, colors) {
    const key = `${shown.version} ${other?.version ?? ""} ${colors}`;
    if (key !== this.#version) {
      this.#version = key;
      this.#leads = leads(timeline);
      for (const each of this.#graphs) each.lines = [...linesOf(each.kind, timeline), ...(other ? linesOf(each.kind, other, "B: ") : [])];
    }
    for (const { graph, lines } of this.#graphs) graph.show({ lines, marks: shown.marks, first, last, key });
  }

  /** Shows where the match stands. */
  showPlace(timeline, gameLoop) {
    for (const { graph } of this.#graphs) graph.showPlace(gameLoop);
    const row = timeline.rowAt(gameLoop);
    setText(byId("lead"), row < 0 ? "" : leadText(leadAt(timeline, row, this.#leads)));
  }
}

function linesOf({ lines }, timeline, prefix = "") {
  return lines.map(({ name, color, of, dashed }) => ({
    name: `${prefix}${name}`, color: prefix ? "--other" : color, dashed, gameLoops: timeline.gameLoops, values: of(timeline),
  }));
}
