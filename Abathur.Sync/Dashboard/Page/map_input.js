// Mouse, fingers and keys on the map: wheel and pinch magnify, dragging moves, a click chooses a unit.

const CLICK_PX = 5;
const WHEEL_STEP = 1.0015;
const KEY_PAN_PX = 60;
const KEY_ZOOM = 1.3;

/** Listens on the canvas; `choose(row)` is called with the unit that was clicked, or undefined. */
export function listenOnMap(canvas, map, choose) {
  const pointers = new Map();
  let moved = 0;

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    map.follows = false;
    const lines = event.deltaMode === 1 ? 16 : 1;
    map.view.zoom(WHEEL_STEP ** (-event.deltaY * lines), event.offsetX, event.offsetY);
    map.invalidate();
  }, { passive: false });

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    if (pointers.size === 0) moved = 0;
    pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
  });

  canvas.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const here = [event.offsetX, event.offsetY];
    const [dx, dy] = [here[0] - last[0], here[1] - last[1]];
    moved += Math.abs(dx) + Math.abs(dy);
    pointers.set(event.pointerId, here);
    if (moved <= CLICK_PX) return;
    map.follows = false;
    if (pointers.size === 1) map.view.pan(dx, dy);
    else pinch(event.pointerId, last, here);
    map.invalidate();
  });

  function pinch(id, last, here) {
    const [, other] = [...pointers].find(([each]) => each !== id);
    const [before, after] = [last, here].map(([x, y]) => Math.hypot(x - other[0], y - other[1]));
    if (before === 0) return;
    // The point of the map under each finger stays under it.
    map.view.zoom(after / before, (last[0] + other[0]) / 2, (last[1] + other[1]) / 2);
    map.view.pan((here[0] - last[0]) / 2, (here[1] - last[1]) / 2);
  }

  function end(event) {
    const wasHere = pointers.delete(event.pointerId);
    if (wasHere && event.type === "pointerup" && moved <= CLICK_PX) choose(map.unitAt(event.offsetX, event.offsetY, event.pointerType));
  }
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("dblclick", () => {
    map.follows = false;
    map.view.fit();
    map.invalidate();
  });

  canvas.addEventListener("keydown", (event) => {
    const { view } = map;
    const moves = {
      ArrowUp: () => view.pan(0, KEY_PAN_PX), ArrowDown: () => view.pan(0, -KEY_PAN_PX),
      a: () => view.pan(KEY_PAN_PX, 0), d: () => view.pan(-KEY_PAN_PX, 0), w: () => view.pan(0, KEY_PAN_PX),
      s: () => view.pan(0, -KEY_PAN_PX),
      "+": () => view.zoom(KEY_ZOOM), "=": () => view.zoom(KEY_ZOOM), "-": () => view.zoom(1 / KEY_ZOOM), 0: () => view.fit(),
    };
    const move = event.ctrlKey || event.metaKey || event.altKey ? undefined : moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    map.follows = false;
    move();
    map.invalidate();
  });
}
