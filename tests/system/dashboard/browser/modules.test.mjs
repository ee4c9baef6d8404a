// The page's modules that need no page, in Node: `node --test`, with the folder of the modules in MODULES.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(`${process.env.MODULES}/${name}`));
const { read, write, WireError } = await load("daemon/wire.js");
const { interval, progress, walks } = await load("match/interpolation.js");
const { Viewport } = await load("map/viewport.js");
const { Series, scaleTop, WINDOW_MS } = await load("charts/series.js");
const format = await load("common/format.js");
const { newestOnly } = await load("common/newest_only.js");
const { waitBefore } = await load("daemon/connection.js");
const { cell, isWhole } = await load("map/grids.js");
const { number } = await load("panels/unit_fields.js");

test("wire: what is written is read", () => {
  const inner = { 1: ["x", "uint"], 2: ["name", "string"] };
  const table = { 1: ["number", "uint"], 2: ["flag", "bool"], 3: ["rate", "double"], 5: ["inner", inner], 200: ["empty", {}] };
  const message = { number: 2 ** 52 + 1, flag: true, rate: -0.25, inner: { x: 300, name: "Übung" }, empty: {} };
  assert.deepEqual(read(table, write(table, message)), message);
  assert.deepEqual([...write(table, { number: 0 })], [8, 0]);
});

test("wire: unknown fields are skipped, numbers of 64 bits are whole, repeated ones gather", () => {
  const table = { 1: ["tag", "tag"], 2: ["negative", "int"], 3: ["all[]", "uint"], 6: ["single", "float"] };
  const bytes = [
    ...[8, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1], // 2^64 - 1
    ...[16, 254, 255, 255, 255, 255, 255, 255, 255, 255, 1], // -2
    ...[24, 1, 24, 172, 2], ...[34, 2, 9, 9], ...[41, 0, 0, 0, 0, 0, 0, 0, 0], ...[53, 0, 0, 192, 63], 56, 5,
  ];
  assert.deepEqual(read(table, Uint8Array.from(bytes)), { tag: 2n ** 64n - 1n, negative: -2, all: [1, 300], single: 1.5 });
});

test("wire: what is cut off or damaged is refused", () => {
  const table = { 1: ["inner", { 1: ["name", "string"] }] };
  for (const bytes of [[10], [10, 5, 10], [10, 2, 10, 9], [8], [8, ...Array(11).fill(255)], [11, 1], [255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]]) {
    assert.throws(() => read(table, Uint8Array.from(bytes)), WireError, String(bytes));
  }
});

test("interpolation: as long as the game takes, and not over a jump", () => {
  assert.ok(Math.abs(interval(1, 22.4, 1) - 44.64) < 0.01);
  assert.equal(interval(2, 16, 4), 31.25);
  for (const [loops, hz, rate] of [[0, 22.4, 1], [-5, 22.4, 1], [65, 22.4, 1], [1, 22.4, 0], [1, 0, 1]]) assert.equal(interval(loops, hz, rate), 0);
  assert.equal(interval(60, 16, 0.5), 400);
  assert.deepEqual([-10, 0, 22, 44, 99].map((after) => progress(100 + after, 100, 44)), [0, 0, 0.5, 1, 1]);
  assert.equal(progress(0, 100, 0), 1);
  assert.deepEqual([walks(0.3, 0.3, 1), walks(3, 0, 1), walks(3, 0, 4), walks(NaN, 0, 1)], [true, false, true, false]);
});

test("viewport: the whole map, upright; what is under the pointer stays there", () => {
  const view = new Viewport();
  view.resize(800, 400);
  view.show({ x0: 10, y0: 20, x1: 110, y1: 120 });
  assert.deepEqual([view.scale, view.isWhole], [4, true]);
  assert.ok(view.screenY(120) < view.screenY(20));
  assert.deepEqual([view.screenY(120), view.screenY(20)], [0, 400]);
  const [x, y] = [view.mapX(300), view.mapY(100)];
  view.zoom(3, 300, 100);
  assert.ok(Math.abs(view.screenX(x) - 300) < 1e-9 && Math.abs(view.screenY(y) - 100) < 1e-9);
  assert.equal(view.isWhole, false);
  view.pan(1e6, 1e6);
  assert.ok(view.mapY(0) <= 120 + 1e-9 && view.mapX(0) >= 10 - 1e-9, "the map's edge stops it");
  view.zoom(1e-9);
  assert.equal(view.isWhole, true);
  view.resize(200, 200);
  assert.deepEqual([view.scale, view.isWhole], [2, true]);
  view.resize(0, 0);
  assert.ok(view.scale > 0);
});

test("series: a minute, bounded, with quantiles", () => {
  const series = new Series();
  assert.ok(Number.isNaN(series.newest) && Number.isNaN(series.quantiles([0.5])[0]));
  for (let i = 1; i <= 100; i++) series.add(i, i);
  assert.deepEqual(series.quantiles([0, 0.5, 0.99, 1]), [1, 50, 99, 100]);
  assert.deepEqual([series.size, series.newest, series.largest], [100, 100, 100]);
  assert.equal(series.trim(WINDOW_MS + 50.5), 50);
  assert.equal(series.value(0), 51);
  for (let i = 0; i < 10_000; i++) series.add(1000 + i, i);
  assert.equal(series.size, 4096);
  assert.deepEqual([series.value(0), series.newest], [10_000 - 4096, 9999]);
});

test("chart scale: 1, 2, 5 times a power of ten", () => {
  assert.deepEqual([0, -1, NaN].map(scaleTop), [1, 1, 1]);
  assert.deepEqual([0.3, 1, 1.01, 2.2, 7, 44.6, 50, 51].map(scaleTop), [0.5, 1, 2, 5, 10, 50, 50, 100]);
});

test("format: as people read it", () => {
  assert.deepEqual([0, 1343, 22.4 * 3725].map(format.clock), ["0:00", "0:59", "1:02:05"]);
  assert.deepEqual([0, 999, 1000, 12_345, 1_050_000, 5e12].map(format.bytes), ["0 B", "999 B", "1.00 kB", "12.3 kB", "1.05 MB", "5000 GB"]);
  assert.deepEqual([0.126, 9.99, 10, 99.96, 1234.5, NaN].map(format.three), ["0.13", "9.99", "10.0", "100", "1235", "–"]);
  assert.deepEqual([1, 1000, 1234567].map(format.grouped), ["1", "1\u202f000", "1\u202f234\u202f567"]);
  assert.deepEqual([0, 0.5, 2].map(format.rate), ["unlimited", "×0.5", "×2"]);
  assert.deepEqual([1, 1.23456, 7n, 2 ** 40].map(number), ["1", "1.235", "7", "1099511627776"]);
});

test("newest only: one at a time, and the last of those that came meanwhile", async () => {
  const done = [];
  let release;
  const call = newestOnly(async (value) => {
    done.push(value);
    await new Promise((resolve) => (release = resolve));
  });
  const first = call(1);
  for (const value of [2, 3, 4]) call(value);
  assert.deepEqual(done, [1]);
  release();
  await new Promise(setImmediate);
  assert.deepEqual(done, [1, 4]);
  release();
  await first;
  call(5);
  assert.deepEqual(done, [1, 4, 5]);
});

test("newest only: goes on after a failure", async () => {
  let fails = true;
  const call = newestOnly(async () => {
    if (fails) throw new Error("no");
    return undefined;
  });
  await assert.rejects(call());
  fails = false;
  await call();
});

test("connection: waits longer each time, to a bound", () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 50].map((attempt) => waitBefore(attempt, 0.5)), [250, 500, 1000, 2000, 4000, 5000, 5000]);
  assert.ok(waitBefore(3, 0) < waitBefore(3, 1));
});

test("grids: bits from the highest, bytes as they are; no grid that is cut off", () => {
  const bits = { bitsPerPixel: 1, size: { x: 4, y: 4 }, data: Uint8Array.of(0b1000_0001, 0b0100_0000) };
  assert.deepEqual([0, 1, 7, 8, 9].map((i) => cell(bits, i)), [1, 0, 1, 0, 1]);
  assert.equal(cell({ bitsPerPixel: 8, data: Uint8Array.of(5, 7) }, 1), 7);
  assert.equal(isWhole(bits), true);
  assert.equal(isWhole({ ...bits, data: Uint8Array.of(1) }), false);
  for (const size of [undefined, {}, { x: 0, y: 5 }, { x: 1e6, y: 1e6 }, { x: -4, y: -4 }]) assert.equal(isWhole({ ...bits, size }), false);
});
