// A message in ProtoJSON as a tree, made as far as it is looked at; and the search in it. Pure: tested in Node.

/** More entries are shown in ranges. */
const ENTRIES = 100;
/** Longer strings (grids of the map) are cut, here and in the search. */
export const TEXT = 200;
/** Bounds of a search. */
const MOST_HITS = 1000;
const MOST_VALUES = 1_000_000;

/** The name of a field in Python: rawData, raw_data. */
export function pythonName(key) {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A value of a message, or a range of the entries of a long array. */
export class TreeNode {
  /** Whether what it contains is shown. */
  isOpen = false;
  /** Of a range, the indices [from, end) of the array; undefined: it is a value. */
  range;
  #children;

  /** @param key a name or an index; of the message itself its name */
  constructor(value, key, parent, range) {
    [this.value, this.key, this.parent, this.range] = [value, key, parent, range];
    this.level = parent === undefined ? 1 : parent.level + 1;
  }

  get hasChildren() {
    return this.range !== undefined || (typeof this.value === "object" && this.value !== null && countOf(this.value) > 0);
  }

  /** What is in it, made when it is first looked at. */
  get children() {
    return (this.#children ??= this.#make());
  }

  /** Those that have been made. */
  get made() {
    return this.#children ?? [];
  }

  /** Its type: object, array, range, string, number, boolean or null. */
  get type() {
    if (this.range !== undefined) return "range";
    if (this.value === null) return "null";
    return Array.isArray(this.value) ? "array" : typeof this.value;
  }

  /** What it is called. */
  get label() {
    if (this.range !== undefined) return `[${this.range[0]} … ${this.range[1] - 1}]`;
    return typeof this.key === "number" ? `[${this.key}]` : this.key;
  }

  /** Its value, of an array or object how many it has. */
  get text() {
    const { type, value } = this;
    if (type === "range") return "";
    if (type === "array") return `[${value.length}]`;
    if (type === "object") return `{${countOf(value)}}`;
    if (type !== "string" || value.length <= TEXT) return JSON.stringify(value);
    return `${JSON.stringify(value.slice(0, TEXT))}… (${value.length} characters)`;
  }

  /** Where it is, as Python writes it. */
  get path() {
    if (this.parent === undefined) return this.key;
    if (this.range !== undefined) return `${owner(this.parent).path}[${this.range.join(":")}]`;
    return typeof this.key === "number" ? `${owner(this.parent).path}[${this.key}]` : `${this.parent.path}.${pythonName(this.key)}`;
  }

  /** As JSON, on several lines. */
  get json() {
    return JSON.stringify(this.range === undefined ? this.value : this.value.slice(...this.range), null, 2);
  }

  /** What is at keys of the message; ranges on the way are not keys. Undefined: nothing is. */
  at(keys) {
    let node = this;
    for (const key of keys) {
      let next = node.hasChildren ? node.children.find((each) => each.#holds(key)) : undefined;
      while (next?.range !== undefined) next = next.children.find((each) => each.#holds(key));
      if (next === undefined) return undefined;
      node = next;
    }
    return node;
  }

  /** The keys from the message to it. */
  get keys() {
    if (this.parent === undefined) return [];
    return this.range === undefined ? [...this.parent.keys, this.key] : this.parent.keys;
  }

  /** Opens what contains it. */
  reveal() {
    for (let node = this.parent; node !== undefined; node = node.parent) node.isOpen = true;
  }

  /** All that is shown, in order, this one first. */
  *shown() {
    yield this;
    if (this.isOpen) for (const each of this.children) yield* each.shown();
  }

  /** Opens what is open in the tree of another message, as far as it is there. */
  openAs(other) {
    this.isOpen = other.isOpen && this.hasChildren;
    if (!this.isOpen) return;
    for (const each of other.made) if (each.isOpen) this.children.find(({ label }) => label === each.label)?.openAs(each);
  }

  #holds(key) {
    return this.range === undefined ? this.key === key : key >= this.range[0] && key < this.range[1];
  }

  #make() {
    if (this.range !== undefined) return this.#entries(...this.range);
    if (Array.isArray(this.value)) return this.#entries(0, this.value.length);
    return Object.entries(this.value).map(([key, value]) => new TreeNode(value, key, this));
  }

  #entries(from, end) {
    let step = 1;
    while (end - from > ENTRIES * step) step *= ENTRIES;
    const made = [];
    for (let at = from; at < end; at += step) {
      if (step === 1) made.push(new TreeNode(this.value[at], at, this));
      else made.push(new TreeNode(this.value, undefined, this, [at, Math.min(at + step, end)]));
    }
    return made;
  }
}

/**
 * Where a text is in the names (as JSON or as Python has them) and values of a message, in upper or lower case.
 * @returns { hits, isWhole }: the keys of each, in the order of the tree; whether those are all
 */
export function search(message, text, { mostHits = MOST_HITS, mostValues = MOST_VALUES } = {}) {
  const [wanted, hits] = [text.toLowerCase(), []];
  if (wanted === "") return { hits, isWhole: true };
  const left = [{ value: message }];
  for (let looked = 0; left.length > 0; looked++) {
    if (looked >= mostValues) return { hits, isWhole: false };
    const place = left.pop();
    if (matches(place, wanted)) {
      if (hits.length >= mostHits) return { hits, isWhole: false };
      hits.push(keysOf(place));
    }
    if (typeof place.value !== "object" || place.value === null) continue;
    const entries = Array.isArray(place.value) ? [...place.value.entries()] : Object.entries(place.value);
    for (const [key, value] of entries.reverse()) left.push({ key, value, parent: place });
  }
  return { hits, isWhole: true };
}

function matches({ key, value }, wanted) {
  if (typeof key === "string" && (key.toLowerCase().includes(wanted) || pythonName(key).includes(wanted))) return true;
  if (typeof value === "object") return value === null && wanted === "null";
  return String(value).slice(0, TEXT).toLowerCase().includes(wanted);
}

function keysOf(place) {
  const keys = [];
  for (let at = place; at.parent !== undefined; at = at.parent) keys.push(at.key);
  return keys.reverse();
}

/** The array of a range, and what is not in a range itself. */
function owner(node) {
  return node.range === undefined ? node : owner(node.parent);
}

function countOf(value) {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}
