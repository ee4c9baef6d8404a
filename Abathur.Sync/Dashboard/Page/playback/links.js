// A moment as an address: #loop=9422&unit=4372561921&x=60.5&y=42&zoom=12&whole=1. Pure but for the buttons: tested in Node.

/** What an address names; absent what it does not, or not validly. */
export function parseMoment(hash) {
  const found = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name) => (/^\d+(\.\d+)?$/.test(found.get(name) ?? "") ? Number(found.get(name)) : undefined);
  const moment = { loop: number("loop"), x: number("x"), y: number("y"), zoom: number("zoom") };
  if (!Number.isInteger(moment.loop)) moment.loop = undefined;
  const unit = found.get("unit") ?? "";
  if (/^\d{1,20}$/.test(unit)) moment.unit = BigInt(unit);
  if (found.has("whole")) moment.whole = found.get("whole") === "1";
  return moment;
}

/** The part of an address behind its "#". */
export function formatMoment({ loop, unit, x, y, zoom, whole }) {
  const parts = [];
  if (loop !== undefined) parts.push(`loop=${loop}`);
  if (unit !== undefined) parts.push(`unit=${unit}`);
  const short = (value) => String(Number(value.toFixed(2)));
  if (x !== undefined && y !== undefined) parts.push(`x=${short(x)}`, `y=${short(y)}`);
  if (zoom !== undefined) parts.push(`zoom=${short(zoom)}`);
  if (whole !== undefined) parts.push(`whole=${whole ? 1 : 0}`);
  return parts.length === 0 ? "" : `#${parts.join("&")}`;
}

/** The moment that the page shows. @param whole whether of the whole match; undefined: that is no question */
export function momentOf({ world, map, tag, whole }) {
  const { view } = map;
  const place = view.isWhole ? {} : { x: Math.max(view.x, 0), y: Math.max(view.y, 0), zoom: view.scale };
  return { loop: world.gameLoop, unit: tag, ...place, whole };
}

/** Copies the address of the moment; resolves to what to tell. @param run the run_id that it names; undefined: none */
export async function copyLink(moment, run) {
  const url = new URL(location.href);
  if (run !== undefined) url.searchParams.set("run", run);
  url.hash = formatMoment(moment);
  history.replaceState(null, "", url);
  try {
    await navigator.clipboard.writeText(url.href);
    return "The link to this moment is copied.";
  } catch {
    return "The link is in the address line: this browser does not let the page copy it.";
  }
}

/** The match that is shown is not the one of the address any more. */
export function forgetRun() {
  const url = new URL(location.href);
  if (!url.searchParams.has("run")) return;
  url.searchParams.delete("run");
  history.replaceState(null, "", url);
}

/** Saves a canvas as a picture. */
export function saveScreenshot(canvas, name) {
  return new Promise((resolve) => {
    canvas.toBlob((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = `${name}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
      resolve(link.download);
    }, "image/png");
  });
}
