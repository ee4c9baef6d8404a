// One thing under way at a time; of what is asked for meanwhile only the newest is done. Pure: tested in Node.

/** Wraps an asynchronous action: calls during a running one replace each other, and the last one runs after it. */
export function newestOnly(action) {
  let [busy, waiting] = [false, undefined];
  return async function call(...given) {
    if (busy) {
      waiting = given;
      return;
    }
    busy = true;
    try {
      for (let next = given; next !== undefined; [next, waiting] = [waiting, undefined]) await action(...next);
    } finally {
      busy = false;
      waiting = undefined;
    }
  };
}
