// Light or dark: as the system says, or as was chosen here before.

import { byId } from "./common/page.js";

const KEY = "abathur-theme";
const CHOICES = ["system", "light", "dark"];

/** Wires the button; calls `changed("light" | "dark", areForced)` now and whenever it changes. */
export function startTheme(changed) {
  const button = byId("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const forced = matchMedia("(forced-colors: active)");
  let choice = CHOICES.includes(stored()) ? stored() : "system";

  function apply() {
    // Forced colours are the system's, light or dark: a choice made here need not fit them.
    const theme = forced.matches ? "system" : choice;
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
    button.hidden = forced.matches;
    changed(theme === "system" ? (system.matches ? "dark" : "light") : theme, forced.matches);
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
  for (const each of [system, forced]) each.addEventListener("change", apply);
  apply();
}

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}
