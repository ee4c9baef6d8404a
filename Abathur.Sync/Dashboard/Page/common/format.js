// Numbers as people read them. All pure: tested in Node.

/** Game loops a second of "faster", by which game time is counted. */
export const LOOPS_PER_SECOND = 22.4;

/** A game loop as game time: 1:02 or 1:02:03. */
export function clock(gameLoop) {
  const seconds = Math.floor(gameLoop / LOOPS_PER_SECOND);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** A duration of a message, in seconds. */
export function inSeconds(duration) {
  return (duration?.seconds ?? 0) + (duration?.nanos ?? 0) / 1e9;
}

/** 950 B, 12.3 kB, 1.05 MB: three digits, powers of 1000. */
export function bytes(count) {
  if (!(count >= 1000)) return `${Math.round(count)} B`;
  const power = Math.min(Math.floor(Math.log10(count) / 3), 3);
  return `${three(count / 1000 ** power)} ${["", "kB", "MB", "GB"][power]}`;
}

/** Three significant digits, no exponent: 0.123, 1.23, 12.3, 123, 1234. */
export function three(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

/** A number with thin spaces between thousands. */
export function grouped(value) {
  return String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** A rate of playback: ×2, ×0.5, unlimited. */
export function rate(value) {
  return value === 0 ? "unlimited" : `×${Number(value.toFixed(2))}`;
}

function two(number) {
  return String(number).padStart(2, "0");
}
