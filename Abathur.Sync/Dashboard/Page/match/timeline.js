// The numbers of a match over time, as the daemon sends them, and what happened when. Pure: tested in Node.

/** Index of the first of rising numbers that is more than a value. */
export function indexAfter(numbers, value) {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The marks that have begun by a game loop. What a fight costs that still goes on then is not known yet: it has `goesOn`, and no figures.
 */
export function marksUntil(marks, until) {
  return marks
    .filter(({ gameLoop = 0 }) => gameLoop <= until)
    .map((mark) => {
      if (mark.kind !== "fight" || (mark.lastGameLoop ?? 0) <= until) return mark;
      const { ownLost, enemyLost, lastGameLoop, ...known } = mark;
      return { ...known, lastGameLoop: until, goesOn: true };
    });
}

/** One row a game second, and marks: { gameLoop, kind, lastGameLoop, id, ownLost, enemyLost, at }. */
export class Timeline {
  gameLoops = [];
  marks = [];
  /** Changes with the content. */
  version = 0;
  #columns = new Map();

  clear() {
    this.gameLoops = [];
    this.marks = [];
    this.#columns.clear();
    this.version++;
  }

  /** Adds the rows and marks of a message, which replace those at and after its first row. */
  add({ gameLoops = [], columns = [], marks = [] }) {
    if (gameLoops.length === 0 && marks.length === 0) return;
    this.version++;
    const kept = gameLoops.length > 0 ? indexAfter(this.gameLoops, gameLoops[0] - 1) : this.gameLoops.length;
    this.gameLoops = [...this.gameLoops.slice(0, kept), ...gameLoops];
    for (const { name, values = [] } of columns) {
      const before = this.#columns.get(name) ?? [];
      this.#columns.set(name, [...before.slice(0, kept), ...values]);
    }
    // The place of a fight changes while it goes on.
    const keyOf = ({ kind, gameLoop, id, at, name }) => [kind, gameLoop ?? 0, id ?? 0, kind === "fight" ? "" : at?.x, name].join(" ");
    const changed = new Map(marks.map((mark) => [keyOf(mark), mark]));
    this.marks = [...this.marks.filter((mark) => !changed.has(keyOf(mark))), ...marks]
      .sort((one, other) => (one.gameLoop ?? 0) - (other.gameLoop ?? 0));
  }

  /** Game loop of the newest row; 0 without rows. */
  get last() {
    return this.gameLoops.at(-1) ?? 0;
  }

  /** The row at a game loop or before it; -1 before the first. */
  rowAt(gameLoop) {
    return indexAfter(this.gameLoops, gameLoop) - 1;
  }

  /** A column; zeros if the daemon does not have it. */
  column(name) {
    return this.#columns.get(name) ?? this.gameLoops.map(() => 0);
  }

  /** The sum of some columns, by row. */
  sum(...names) {
    const columns = names.map((name) => this.column(name));
    return this.gameLoops.map((_, row) => columns.reduce((all, column) => all + (column[row] ?? 0), 0));
  }
}

/** Series of agents, by agent and name: { agent, name, recorded, gameLoops, values }. */
export class Plots {
  series = [];
  version = 0;

  clear() {
    this.series = [];
    this.version++;
  }

  /** Adds the points of a message, which are those after a game loop. */
  add({ series = [] }, afterGameLoop) {
    if (series.length === 0) return;
    this.version++;
    for (const { agent = "", name = "", recorded = false, gameLoops = [], values = [] } of series) {
      let known = this.series.find((each) => each.agent === agent && each.name === name && each.recorded === recorded);
      if (known === undefined) this.series.push((known = { agent, name, recorded, gameLoops: [], values: [] }));
      const kept = afterGameLoop === 0 ? 0 : indexAfter(known.gameLoops, afterGameLoop);
      known.gameLoops = [...known.gameLoops.slice(0, kept), ...gameLoops];
      known.values = [...known.values.slice(0, kept), ...values];
    }
    this.series.sort((one, other) => compare(one.agent, other.agent) || compare(one.name, other.name));
  }

  /** The newest game loop of points that agents plot now; 0 without. */
  get last() {
    return Math.max(0, ...this.series.filter((each) => !each.recorded).map((each) => each.gameLoops.at(-1) ?? 0));
  }
}

function compare(one, other) {
  return one < other ? -1 : one > other ? 1 : 0;
}
