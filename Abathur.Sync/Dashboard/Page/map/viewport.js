// Which part of the map is seen, and where. y grows upwards on the map and downwards on the screen. Pure: tested in Node.

const MAX_SCALE = 64;

export class Viewport {
  /** CSS pixels. */
  width = 1;
  height = 1;
  /** CSS pixels a cell. */
  scale = 4;
  /** The point of the map in the middle. */
  x = 0;
  y = 0;
  #area = { x0: 0, y0: 0, x1: 1, y1: 1 };
  #edges = this.#area;

  /** The area of interest of the map, which is then completely visible, and the edges of the map, where it is larger. */
  show(area, edges = area) {
    [this.#area, this.#edges] = [area, edges];
    this.fit();
  }

  /** Another area of interest: it is completely visible if the one before was, else the picture stays where it is. */
  widen(area, edges = area) {
    const wasWhole = this.isWhole;
    [this.#area, this.#edges] = [area, edges];
    if (wasWhole) this.fit();
    else this.#keepInside();
  }

  fit() {
    const { x0, y0, x1, y1 } = this.#area;
    this.scale = this.fitScale;
    [this.x, this.y] = [(x0 + x1) / 2, (y0 + y1) / 2];
    this.#keepInside();
  }

  /** Sets a new size; a completely visible map stays so. */
  resize(width, height) {
    const wasWhole = this.isWhole;
    [this.width, this.height] = [Math.max(width, 1), Math.max(height, 1)];
    if (wasWhole) this.fit();
    else this.#keepInside();
  }

  get isWhole() {
    return Math.abs(this.scale - this.fitScale) < 1e-9;
  }

  /** CSS pixels a cell with which the whole area is visible. */
  get fitScale() {
    const { x0, y0, x1, y1 } = this.#area;
    return Math.min(this.width / Math.max(x1 - x0, 1), this.height / Math.max(y1 - y0, 1));
  }

  screenX(x) {
    return this.width / 2 + (x - this.x) * this.scale;
  }

  screenY(y) {
    return this.height / 2 - (y - this.y) * this.scale;
  }

  mapX(screenX) {
    return this.x + (screenX - this.width / 2) / this.scale;
  }

  mapY(screenY) {
    return this.y - (screenY - this.height / 2) / this.scale;
  }

  /** Magnifies by a factor; the point of the map under this point of the screen stays there. */
  zoom(factor, screenX = this.width / 2, screenY = this.height / 2) {
    const [x, y] = [this.mapX(screenX), this.mapY(screenY)];
    this.scale = Math.min(Math.max(this.scale * factor, this.fitScale), MAX_SCALE);
    this.x = x - (screenX - this.width / 2) / this.scale;
    this.y = y + (screenY - this.height / 2) / this.scale;
    this.#keepInside();
  }

  /** Moves the map by so many pixels. */
  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
    this.#keepInside();
  }

  /** Magnifies so that a circle of so many cells fills the picture, between two scales, with its middle there. */
  zoomTo(x, y, radius, least, most) {
    const scale = Math.min(this.width, this.height) / (2 * radius);
    this.zoom(Math.min(Math.max(scale, least), most) / this.scale);
    this.center(x, y);
  }

  /** Puts a point of the map in the middle, as far as the edge lets it. */
  center(x, y) {
    [this.x, this.y] = [x, y];
    this.#keepInside();
  }

  #keepInside() {
    const { x0, y0, x1, y1 } = this.#edges;
    this.x = inside(this.x, x0, x1, this.width / this.scale / 2);
    this.y = inside(this.y, y0, y1, this.height / this.scale / 2);
  }
}

function inside(value, from, to, half) {
  if (to - from <= 2 * half) return (from + to) / 2;
  return Math.min(Math.max(value, from + half), to - half);
}
