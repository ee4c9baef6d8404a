// What agents plot: one graph for each agent, which can be switched off.

import { Graph } from "../charts/graph.js";
import { byId, element, setText } from "../common/page.js";

/** Colours of series, of the style sheet; with more series they begin again, dashed. */
const COLORS = ["--own", "--enemy", "--ally", "--creep", "--hit", "--neutral"];

export class PlotGraphs {
  #root = byId("plots");
  #agents = new Map();
  #seek;

  /** @param seek (gameLoop) */
  constructor(seek) {
    this.#seek = seek;
  }

  /** Shows the series between two game loops, and nothing after `until`. @param colors changes when the colours do */
  show(plots, first, last, until, colors) {
    const agents = Map.groupBy(plots.series, ({ agent }) => agent);
    byId("plots-none").hidden = agents.size > 0;
    for (const [agent, { root }] of this.#agents) {
      if (agents.has(agent)) continue;
      root.remove();
      this.#agents.delete(agent);
    }
    for (const [agent, series] of agents) {
      const part = this.#agents.get(agent) ?? this.#add(agent);
      setText(part.count, ` (${series.length})`);
      if (!part.box.checked) continue;
      const lines = series.map(({ name, recorded, gameLoops, values }, at) => ({
        name: recorded ? `${name}, recorded` : name,
        color: COLORS[at % COLORS.length],
        dashed: at >= COLORS.length,
        gameLoops,
        values,
      }));
      part.graph.show({ lines, marks: [], first, last, until, key: `${plots.version} ${colors}` });
    }
  }

  showPlace(gameLoop) {
    for (const { graph } of this.#agents.values()) graph.showPlace(gameLoop);
  }

  #add(agent) {
    const box = element("input", { type: "checkbox", checked: true });
    const count = element("span", { className: "quiet" });
    const label = element("label", { className: "check" }, box, agent || "without a name", count);
    const root = element("div", { className: "plots-of" }, label);
    const graph = new Graph(root, { title: agent || "Plots" }, this.#seek);
    box.addEventListener("change", () => (graph.root.hidden = !box.checked));
    this.#root.append(root);
    const part = { root, box, count, graph };
    this.#agents.set(agent, part);
    return part;
  }
}
