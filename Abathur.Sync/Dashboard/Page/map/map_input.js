// Mouse, fingers and keys on the map: wheel and pinch magnify, dragging moves, a click chooses a unit, dragging with Shift those of an
// area.

const CLICK_PX = 5;
const WHEEL_STEP = 1.0015;
const KEY_PAN_PX = 60;
const KEY_ZOOM = 1.3;

/**
 * Listens on the canvas; calls on.choose(row, adds) with the unit that was clicked, or undefined, and on.chooseIn(area) with an area of the
 * canvas. `on.choosesAreas()`: whether dragging chooses an area without Shift.
 */
export function listenOnMap(canvas, map, on) {
  const pointers = new Map();
  let moved = 0;
  let isOnMinimap = false;

  function goTo({ offsetX, offsetY }) {
    map.follows = false;
    map.view.center(...map.minimap.placeOf(offsetX, offsetY));
    map.invalidate();
  }

  function point(event) {
    map.pointer = event.pointerType === "mouse" ? [event.offsetX, event.offsetY] : undefined;
    map.invalidate();
  }

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
    isOnMinimap = pointers.size === 1 && map.minimap.contains(event.offsetX, event.offsetY);
    if (isOnMinimap) {
      goTo(event);
      return;
    }
    const isBox = pointers.size === 1 && ((event.shiftKey && event.pointerType === "mouse") || on.choosesAreas());
    map.box = isBox ? { x0: event.offsetX, y0: event.offsetY, x1: event.offsetX, y1: event.offsetY } : undefined;
  });
  canvas.addEventListener("pointerleave", () => {
    map.pointer = undefined;
    map.invalidate();
  });

  canvas.addEventListener("pointermove", (event) => {
    point(event);
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const here = [event.offsetX, event.offsetY];
    const [dx, dy] = [here[0] - last[0], here[1] - last[1]];
    moved += Math.abs(dx) + Math.abs(dy);
    pointers.set(event.pointerId, here);
    if (isOnMinimap) goTo(event);
    if (isOnMinimap || moved <= CLICK_PX) return;
    if (map.box) {
      [map.box.x1, map.box.y1] = here;
      return;
    }
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
    const { box } = map;
    map.box = undefined;
    map.invalidate();
    if (!wasHere || event.type !== "pointerup" || isOnMinimap) return;
    if (moved <= CLICK_PX) on.choose(map.unitAt(event.offsetX, event.offsetY, event.pointerType), event.shiftKey);
    else if (box) on.chooseIn(box);
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
