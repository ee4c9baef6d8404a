// What opens over the page above its button: Escape closes it, and so does a press elsewhere.

/** Lets all `details` of the page with the class `popup` close so. */
export function listenOnPopups() {
  for (const popup of document.querySelectorAll("details.popup")) {
    popup.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !popup.open) return;
      event.stopPropagation();
      popup.open = false;
      popup.firstElementChild.focus();
    });
  }
  document.addEventListener("pointerdown", ({ target }) => {
    for (const popup of document.querySelectorAll("details.popup[open]")) if (!popup.contains(target)) popup.open = false;
  });
}
