// Pictures of the game's grids, one pixel a cell, row 0 the lowest of the map: terrain, and over it visibility and creep.

/** Cell i of a grid of 1 or 8 bits a cell. */
export function cell(grid, i) {
  if (grid.bitsPerPixel === 1) return (grid.data[i >> 3] >> (7 - (i & 7))) & 1;
  return grid.data[i];
}

/** Whether a grid has as many cells as its size. */
export function isWhole(grid) {
  const [width, height] = [grid?.size?.x ?? 0, grid?.size?.y ?? 0];
  const cells = width * height;
  return width > 0 && height > 0 && cells <= 1 << 20 && (grid.data?.length ?? 0) * 8 >= cells * (grid.bitsPerPixel ?? 8);
}

/**
 * The terrain as a canvas: height as lightness with a light from the north-west, cells that cannot be walked on are dark. Undefined if the
 * terrain is unknown.
 * @param {boolean} showsHeights false: all at one height
 */
export function paintTerrain(startRaw, palette, showsHeights = true) {
  const height = showsHeights && isWhole(startRaw?.height) ? startRaw.height : undefined;
  const pathing = isWhole(startRaw?.pathing) ? startRaw.pathing : undefined;
  const placement = isWhole(startRaw?.placement) ? startRaw.placement : undefined;
  const size = (height ?? pathing)?.size;
  if (!size) return undefined;
  const fitting = (grid) => (grid?.size.x === size.x && grid.size.y === size.y ? cells(grid) : undefined);
  const [heights, open, buildable] = [height && cells(height), fitting(pathing), fitting(placement)];
  const [low, most] = heights ? range(heights) : [0, 1];
  // One plain loop: it is run once, so that nothing but its first thousand cells runs slowly.
  return paint(size.x, size.y, (pixels) => {
    for (let i = 0, at = 0; at < pixels.length; i++, at += 4) {
      const level = heights ? (heights[i] - low) / Math.max(most - low, 1) : 0.5;
      const light = (heights ? shade(heights, size.x, i) : 0) + (buildable && buildable[i] ? palette.placeable : 0);
      const isOpen = !open || open[i] !== 0;
      for (let c = 0; c < 3; c++) {
        const color = palette.low[c] + (palette.high[c] - palette.low[c]) * level + light;
        pixels[at + c] = isOpen ? color : palette.blocked[c] + (color - palette.blocked[c]) * 0.28;
      }
      pixels[at + 3] = 255;
    }
  });
}

/** The cells of a grid with this value (0, or 1 for all others) as a canvas; `alphaAt(x, y)` makes a pattern, not only a colour. */
export function paintMarks(grid, value, color, alphaAt) {
  if (!isWhole(grid)) return undefined;
  const { size } = grid;
  const all = cells(grid);
  return paint(size.x, size.y, (pixels) => {
    for (let i = 0, at = 0; at < pixels.length; i++, at += 4) {
      if ((all[i] === 0) !== (value === 0)) continue;
      for (let c = 0; c < 3; c++) pixels[at + c] = color[c];
      pixels[at + 3] = alphaAt(i % size.x, Math.floor(i / size.x));
    }
  });
}

/** A grid that changes, as a picture over the terrain: repainted only when its bytes have changed. */
export class Overlay {
  canvas = undefined;
  #alphas;
  #painted = {};
  #image;

  /** @param {number[]} alphas for each value of a cell */
  constructor(alphas) {
    this.#alphas = alphas;
  }

  /** Updates the canvas from the newest bytes, the grid (its size and bits a cell) and the colour; undefined if the grid is invalid. */
  update(data, grid, color) {
    const { data: last, color: lastColor } = this.#painted;
    if (data === last && color === lastColor) return;
    this.#painted = { data, color };
    const whole = { ...grid, data };
    if (!isWhole(whole)) {
      this.canvas = undefined;
      return;
    }
    this.#resize(whole.size);
    const pixels = new Uint32Array(this.#image.data.buffer);
    const colors = this.#alphas.map((alpha) => new Uint32Array(Uint8ClampedArray.of(...color, alpha * 255).buffer)[0]);
    for (let i = 0; i < pixels.length; i++) pixels[i] = colors[cell(whole, i)] ?? 0;
    this.canvas.getContext("2d").putImageData(this.#image, 0, 0);
  }

  #resize(size) {
    if (this.canvas?.width === size.x && this.canvas.height === size.y) return;
    this.canvas = document.createElement("canvas");
    [this.canvas.width, this.canvas.height] = [size.x, size.y];
    this.#image = new ImageData(size.x, size.y);
  }
}

/** Cells that are not visible are darkened, unexplored cells more: levels of the game are 0 hidden, 1 fogged, 2 visible. */
export const newFog = () => new Overlay([0.62, 0.34, 0, 0.62]);

export const newCreep = () => new Overlay([0, 0.36]);

/** A byte for each cell of a whole grid. */
function cells(grid) {
  if (grid.bitsPerPixel !== 1) return grid.data;
  const bytes = new Uint8Array(grid.size.x * grid.size.y);
  for (let i = 0; i < bytes.length; i++) bytes[i] = (grid.data[i >> 3] >> (7 - (i & 7))) & 1;
  return bytes;
}

function range(heights) {
  const seen = new Uint8Array(256);
  for (const value of heights) seen[value] = 1;
  return [seen.indexOf(1), seen.lastIndexOf(1)];
}

/** Lighter where the ground rises to the south-east. */
function shade(heights, width, i) {
  const before = heights[Math.max(i - 1, 0)];
  const above = heights[Math.min(i + width, heights.length - 1)];
  return Math.max(Math.min((2 * heights[i] - before - above) * 1.2, 16), -16);
}

function paint(width, height, fill) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  fill(image.data);
  context.putImageData(image, 0, 0);
  return canvas;
}
