// The tree of a message as the keyboard and screen readers know trees: one row for each value that is shown.

import { element } from "../common/page.js";

export class RawTreeView {
  /** The element of it. */
  root = element("ul", { className: "raw-tree", role: "tree", "aria-labelledby": "raw-title" });
  #onChoose;
  #nodes = [];
  #chosen;
  #places = new Map();

  /** @param onChoose (node) called when one is chosen */
  constructor(onChoose) {
    this.#onChoose = onChoose;
    this.root.addEventListener("click", (event) => this.#click(event));
    this.root.addEventListener("keydown", (event) => this.#press(event));
  }

  /** The one that is chosen; undefined: there is no message. */
  get chosen() {
    return this.#chosen;
  }

  /** Shows a message. @param chosen the one that is chosen in it */
  show(tree, chosen = tree) {
    this.#nodes = [...tree.shown()];
    this.root.replaceChildren(...this.#nodes.map(newRow));
    this.#chosen = undefined;
    this.#number();
    this.choose(chosen);
  }

  /** Chooses one, and shows it. @param takesFocus whether the keyboard goes there */
  choose(node, takesFocus = false) {
    if (!this.#places.has(node)) {
      node.reveal();
      let tree = node;
      while (tree.parent !== undefined) tree = tree.parent;
      this.show(tree, node);
    }
    if (this.#chosen !== undefined) mark(this.#rowOf(this.#chosen), false);
    this.#chosen = node;
    const row = this.#rowOf(node);
    mark(row, true);
    if (takesFocus) row.focus({ preventScroll: true });
    this.#scrollTo(row);
    this.#onChoose(node);
  }

  #rowOf(node) {
    return this.root.children[this.#places.get(node)];
  }

  #number() {
    this.#places = new Map(this.#nodes.map((node, at) => [node, at]));
  }

  /** Only inside the tree: the page stays where it is. */
  #scrollTo(row) {
    const [tree, { top, bottom }] = [this.root.getBoundingClientRect(), row.getBoundingClientRect()];
    if (top < tree.top) this.root.scrollTop -= tree.top - top + 4;
    else if (bottom > tree.bottom) this.root.scrollTop += bottom - tree.bottom + 4;
  }

  #toggle(node, isOpen = !node.isOpen) {
    if (!node.hasChildren || node.isOpen === isOpen) return;
    const at = this.#places.get(node);
    if (isOpen) {
      node.isOpen = true;
      const added = [...node.shown()].slice(1);
      this.#nodes.splice(at + 1, 0, ...added);
      this.#rowOf(node).after(...added.map(newRow));
    } else {
      const removed = [...node.shown()].length - 1;
      node.isOpen = false;
      this.#nodes.splice(at + 1, removed);
      const range = document.createRange();
      range.setStartAfter(this.root.children[at]);
      range.setEndAfter(this.root.children[at + removed]);
      range.deleteContents();
    }
    this.root.children[at].setAttribute("aria-expanded", String(isOpen));
    this.#number();
  }

  #click({ target }) {
    const row = target.closest("[role=treeitem]");
    if (row === null) return;
    const node = this.#nodes[[...this.root.children].indexOf(row)];
    this.choose(node, true);
    this.#toggle(node);
  }

  #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || this.#chosen === undefined) return;
    const [node, at] = [this.#chosen, this.#places.get(this.#chosen)];
    const go = (to) => to !== undefined && this.choose(to, true);
    const keys = {
      ArrowDown: () => go(this.#nodes[at + 1]),
      ArrowUp: () => go(this.#nodes[at - 1]),
      ArrowRight: () => (node.isOpen ? go(node.children[0]) : this.#toggle(node, true)),
      ArrowLeft: () => (node.isOpen ? this.#toggle(node, false) : go(node.parent)),
      Home: () => go(this.#nodes[0]),
      End: () => go(this.#nodes.at(-1)),
      Enter: () => this.#toggle(node),
      " ": () => this.#toggle(node),
    };
    if (keys[event.key] === undefined) return;
    // Elsewhere these keys are those of the playback.
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  }
}

function newRow(node) {
  const { parent, level, type } = node;
  const siblings = parent?.children ?? [node];
  const row = element(
    "li",
    { role: "treeitem", tabIndex: -1, "aria-level": level, "aria-selected": "false", "aria-setsize": siblings.length,
      "aria-posinset": siblings.indexOf(node) + 1 },
    element("span", { className: "raw-key" }, node.label), " ", element("span", { className: `value ${type}` }, node.text));
  if (node.hasChildren) row.setAttribute("aria-expanded", String(node.isOpen));
  row.style.setProperty("--level", level - 1);
  return row;
}

function mark(row, isChosen) {
  row.setAttribute("aria-selected", String(isChosen));
  row.tabIndex = isChosen ? 0 : -1;
}
