// Light or dark: as the system says, or as was chosen here before.

import { byId } from "./page.js";

const KEY = "abathur-theme";
const CHOICES = ["system", "light", "dark"];

/** Wires the button; calls `changed("light" | "dark")` now and whenever it changes. */
export function startTheme(changed) {
  const button = byId("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  let choice = CHOICES.includes(stored()) ? stored() : "system";

  function apply() {
    if (choice === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
    button.textContent = `Theme: ${choice}`;
    changed(choice === "system" ? (system.matches ? "dark" : "light") : choice);
  }
  button.addEventListener("click", () => {
    choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length];
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // Storage may be forbidden: the choice is kept for this visit.
    }
    apply();
  });
  system.addEventListener("change", apply);
  apply();
}

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
