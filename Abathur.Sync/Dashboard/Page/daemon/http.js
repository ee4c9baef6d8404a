// Answers of the daemon over HTTP, as JSON: also while the connection waits for a match.

import { Refusal } from "./refusal.js";
import { authorization } from "./token.js";

/** The answer of a path as an object. @throws {Refusal} it is refused, or the daemon does not answer */
export async function getJson(path) {
  let answer;
  try {
    answer = await fetch(path, { cache: "no-store", headers: authorization() });
  } catch {
    throw new Refusal("the daemon does not answer");
  }
  if (!answer.ok) throw new Refusal((await answer.text()).trim());
  return answer.json();
}

/** What the daemon waits for; undefined: it does not say. */
export async function getWaiting() {
  return (await getJson("v1/status")).waiting;
}
