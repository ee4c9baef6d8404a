// Small things that all parts of the page need of the document.

/** An element of the page by its id. */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/** A new element: element("dd", { className: "number" }, "12", child, ...). */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes("-")) made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

/** Sets a text only if it has changed, which avoids unnecessary layout. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Shows whether what a button switches is on. */
export function press(button, isOn) {
  button.setAttribute("aria-pressed", String(isOn));
}

/** Pairs of term and description; keeps existing rows. Rows are identified by their terms. */
export function setPairs(list, pairs) {
  while (list.children.length > pairs.length) list.lastElementChild.remove();
  while (list.children.length < pairs.length) list.append(element("div", {}, element("dt"), element("dd")));
  pairs.forEach(([term, description], at) => {
    const [dt, dd] = list.children[at].children;
    setText(dt, term);
    setText(dd, String(description));
    list.children[at].dataset.name = term;
  });
}

/** A color of the style sheet, by name. */
export function styleColor(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
