import { summarizeFetched } from "./http.mjs";
import { statistics } from "./statistics.mjs";
import { evenlySpaced } from "./frames.mjs";

const TICK_NS = 1e9 / 22.4;
const MAX_SERIES_POINTS = 400;

/** One codec's row: the format of the C# and Python runners, with a scan, compressed sizes, and the batches. */
export function row(run, numbers) {
  const timed = (name) => statistics(run.rounds.map((round) => round[name] ?? []));
  const [encode, decode, touch, scan] = ["encode", "decode", "decode_touch", "scan"].map(timed);
  const sizes = run.bytes;
  const mean = sizes.length === 0 ? 0 : sizes.reduce((sum, each) => sum + each, 0) / sizes.length;
  const per = (stat, of) => (stat === null ? null : of(stat.trimmed_mean));
  return {
    label: run.label,
    footnotes: run.footnotes,
    cannot_carry: run.cannotCarry,
    error: run.failure,
    checked_frames: run.checked,
    frames: run.failure === null ? sizes.length : 0,
    samples: run.rounds.reduce((sum, round) => sum + (round.decode?.length ?? 0), 0),
    batch: run.batch,
    encode_ns: encode,
    decode_ns: decode,
    decode_touch_ns: touch,
    scan_ns: scan,
    bytes: sizes.length === 0 ? null : { min: Math.min(...sizes), mean, max: Math.max(...sizes) },
    compressed_bytes: run.compressed?.bytes ?? null,
    compression_ns: run.compressed?.ns ?? null,
    fetch: summarizeFetched(run.fetched),
    keyframes: run.keyframes,
    bytes_series: evenlySpaced(sizes.length, MAX_SERIES_POINTS).map((i) => [numbers[i], sizes[i]]),
    mbit_per_second: sizes.length === 0 ? null : { 16: (mean * 8 * 16) / 1e6, 22.4: (mean * 8 * 22.4) / 1e6 },
    frames_per_second: { encode: per(encode, (ns) => 1e9 / ns), decode: per(decode, (ns) => 1e9 / ns) },
    tick_share: { encode: per(encode, (ns) => ns / TICK_NS), decode: per(decode, (ns) => ns / TICK_NS) },
    allocated_bytes: null,
    allocated_bytes_encode: null,
    allocated_bytes_decode: null,
    peak_memory_bytes: null,
  };
}

/** The result for people. */
export function table(codecs, http, endToEnd) {
  const ms = (stat, part = "trimmed_mean") => (stat ? (stat[part] / 1e6).toFixed(3) : "-");
  const kb = (bytes) => (bytes === undefined || bytes === null ? "-" : (bytes / 1e3).toFixed(1));
  const rows = [["codec", "decode ms", "p99", "+ touch ms", "scan ms", "encode ms", "p99", "KB/frame", "gzip", "br", "zstd"]];
  const below = [];
  const failures = {};
  for (const [name, each] of Object.entries(codecs)) {
    if (each.error) (failures[each.error] ??= []).push(name);
    if (!each.decode_ns) continue;
    const { gzip, br, zstd } = each.compressed_bytes ?? {};
    rows.push([name, ms(each.decode_ns), ms(each.decode_ns, "p99"), ms(each.decode_touch_ns), ms(each.scan_ns), ms(each.encode_ns),
      ms(each.encode_ns, "p99"), kb(each.bytes.mean), kb(gzip), kb(br), kb(zstd)]);
  }
  for (const [error, names] of Object.entries(failures)) below.push(`not timed: ${names.join(", ")}: ${error}`);
  for (const [name, each] of Object.entries(http ?? {})) {
    if (each.total_ns) below.push(`${name}: ${kb(each.bytes)} KB, ${ms(each.total_ns)} ms, of it the server ${ms(each.server_ns)} ms`);
  }
  for (const [name, each] of Object.entries(endToEnd ?? {})) {
    if (each.frames_per_second === undefined) continue;
    below.push(`${name}: ${each.frames_per_second.toFixed(0)} frames/s, received to touched ${ms(each.received_to_touched_ns)} ms ` +
      `(${each.frames_per_second_without_server.toFixed(0)} frames/s), published to touched ${ms(each.published_to_touched_ns, "p50")} ms at the median`);
  }
  const widths = rows[0].map((_, column) => Math.max(...rows.map((line) => line[column].length)));
  const pad = (cell, column) => (column ? cell.padStart(widths[column]) : cell.padEnd(widths[column]));
  const lines = rows.map((line) => line.map(pad).join("  "));
  const note = "Single operations: mean of the middle half (25 % left out at each end), and 99th percentile. 1 KB is 1000 bytes.";
  return [...lines, "", note, ...below].join("\n");
}
