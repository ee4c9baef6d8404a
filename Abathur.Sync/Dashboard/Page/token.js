// The token that a daemon may ask for: kept for this tab alone, and never in an address.

import { byId } from "./page.js";

const KEY = "abathur-token";

/** The token that was given; undefined where there is none. */
export function token() {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Headers of a request that shows it. */
export function authorization() {
  const shown = token();
  return shown === undefined ? {} : { Authorization: `Bearer ${shown}` };
}

/** What a WebSocket offers to show it: headers are not a page's to set there. */
export function subprotocols() {
  const shown = token();
  if (shown === undefined) return [];
  const encoded = btoa(shown).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return ["abathur.v1", `abathur.token.${encoded}`];
}

/** Asks for it, once; the page is loaded anew with what was given. */
export function askForToken() {
  const dialog = byId("ask-token");
  if (dialog.open) return;
  dialog.addEventListener(
    "close",
    () => {
      const given = byId("token").value.trim();
      if (given === "") return;
      try {
        sessionStorage.setItem(KEY, given);
      } catch {
        // Without storage there is no way to keep it.
      }
      location.reload();
    },
    { once: true },
  );
  dialog.showModal();
}
