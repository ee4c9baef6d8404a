// The token for a daemon that needs one: kept only for this tab, and never in an address.

import { byId } from "../common/page.js";

const KEY = "abathur-token";

/** The token that was given, or undefined. */
export function token() {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Headers of a request with the token. */
export function authorization() {
  const shown = token();
  return shown === undefined ? {} : { Authorization: `Bearer ${shown}` };
}

/** Subprotocols of a WebSocket with the token, because a page cannot set headers there. */
export function subprotocols() {
  const shown = token();
  if (shown === undefined) return [];
  const encoded = btoa(shown).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return ["abathur.v1", `abathur.token.${encoded}`];
}

/** Asks the user for the token, once, and reloads the page with it. */
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
