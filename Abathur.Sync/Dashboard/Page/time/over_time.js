// The match over time: graphs, what agents plot, marks on the scrubber.

import { styleColor } from "../common/page.js";
import { Graphs } from "./graphs.js";
import { Marks } from "./marks.js";
import { PlotGraphs } from "./plot_graphs.js";
import { ShownMarks } from "./shown_marks.js";

export class OverTime {
  #world;
  #playback;
  #numbers;
  #graphs;
  #plots;
  #layers;
  #shown;
  #marks;

  /** @param {{world, playback, numbers, layers}} of what is shown @param names() the names of units and upgrades @param seek (gameLoop) */
  constructor({ world, playback, numbers, layers }, names, seek) {
    [this.#world, this.#playback, this.#numbers, this.#layers] = [world, playback, numbers, layers];
    this.#graphs = new Graphs(seek);
    this.#plots = new PlotGraphs(seek);
    this.#shown = new ShownMarks(numbers.timeline, layers);
    this.#marks = new Marks(this.#shown, names, seek);
  }

  /**
   * Updates all.
   * @param { exact, compared } timelines of the other player's match, and of another match beside this one; undefined if there is no such
   * @param isWhole whether what comes after the moment is shown
   */
  show({ exact, compared }, isWhole) {
    const { timeline, plots } = this.#numbers;
    const { state } = this.#playback;
    const first = state?.firstGameLoop ?? timeline.gameLoops[0] ?? 0;
    const last = Math.max(state?.lastGameLoop ?? 0, timeline.last);
    const place = this.#world.gameLoop ?? first;
    const colors = styleColor("--own");
    this.#layers.show(this.#numbers.drawnLayers);
    const until = (this.#shown.until = isWhole ? Infinity : place);
    this.#graphs.show({ timeline, shown: this.#shown, exact, compared }, first, last, colors);
    this.#graphs.showPlace({ timeline, shown: this.#shown }, place);
    this.#plots.show(plots, first, last, until, colors);
    this.#plots.showPlace(place);
    this.#marks.show(first, last, colors);
  }

  /** Goes to the mark after the frame that is shown, or before it with direction -1. */
  jump(direction) {
    this.#marks.jump(this.#world.gameLoop ?? 0, direction);
  }
}
