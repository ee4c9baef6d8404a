// The page's modules about the match over time that need no page, in Node.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(`${process.env.MODULES}/${name}`));
const { indexAfter, marksUntil, Plots, Timeline } = await load("match/timeline.js");
const { leadAt, leads, leadText } = await load("time/lead.js");
const { GRAPHS } = await load("time/graph_series.js");
const { TimeScale } = await load("charts/time_scale.js");
const { formatMoment, parseMoment } = await load("playback/links.js");
const { stateOf } = await load("match/match_state.js");
const { rateFor } = await load("playback/pursuit.js");
const { markText, nextMark } = await load("time/mark_text.js");
const { Names } = await load("match/names.js");
const { ShownMarks } = await load("time/shown_marks.js");
const { placed } = await load("time/marks.js");
const { ownStanding, seenStanding } = await load("match/standing.js");

/** A timeline of these values a second. */
function timelineOf(columns, marks = []) {
  const timeline = new Timeline();
  const rows = Object.values(columns)[0].length;
  timeline.add({
    gameLoops: Array.from({ length: rows }, (_, row) => row * 22),
    columns: Object.entries(columns).map(([name, values]) => ({ name, values })), marks,
  });
  return timeline;
}

test("timeline: rows are added, and replaced from where they begin again", () => {
  const timeline = new Timeline();
  timeline.add({ gameLoops: [0, 22, 44], columns: [{ name: "minerals", values: [1, 2, 3] }] });
  timeline.add({ gameLoops: [66], columns: [{ name: "minerals", values: [4] }] });
  timeline.add({ gameLoops: [22, 45], columns: [{ name: "minerals", values: [5, 6] }] });
  assert.deepEqual([timeline.gameLoops, timeline.column("minerals"), timeline.last], [[0, 22, 45], [1, 5, 6], 45]);
  assert.deepEqual([-1, 0, 21, 22, 44, 45, 99].map((loop) => timeline.rowAt(loop)), [-1, 0, 0, 1, 1, 2, 2]);
  assert.deepEqual([timeline.column("unknown"), timeline.sum("minerals", "minerals")], [[0, 0, 0], [2, 10, 12]]);
  assert.deepEqual([0, 5, 9].map((value) => indexAfter([1, 5, 5, 9], value)), [0, 3, 4]);
});

test("timeline: a fight that goes on replaces itself; nothing of another match stays", () => {
  const timeline = new Timeline();
  const base = { kind: "base", gameLoop: 50 };
  timeline.add({ marks: [{ kind: "fight", gameLoop: 90, ownLost: 100 }, base] });
  const { version } = timeline;
  timeline.add({ marks: [{ kind: "fight", gameLoop: 90, ownLost: 300 }] });
  timeline.add({});
  assert.deepEqual(timeline.marks, [base, { kind: "fight", gameLoop: 90, ownLost: 300 }]);
  assert.equal(timeline.version, version + 1);
  timeline.clear();
  assert.deepEqual([timeline.marks, timeline.gameLoops, timeline.last], [[], [], 0]);
});

test("plots: points after a loop are added, whoever's they are", () => {
  const plots = new Plots();
  plots.add({ series: [{ agent: "B", name: "x", gameLoops: [1, 2], values: [1, 2] }, { name: "r", recorded: true, gameLoops: [9], values: [9] }] }, 0);
  assert.equal(plots.last, 2);
  plots.add({ series: [{ agent: "B", name: "x", gameLoops: [2, 3], values: [20, 30] }, { name: "r", recorded: true, gameLoops: [9], values: [9] }] }, 1);
  plots.add({ series: [{ agent: "A", name: "y", gameLoops: [3], values: [0] }] }, 3);
  assert.deepEqual(plots.series.map(({ agent, name, gameLoops, values }) => [agent, name, gameLoops, values]), [
    ["", "r", [9], [9]], ["A", "y", [3], [0]], ["B", "x", [1, 2, 3], [1, 20, 30]],
  ]);
});

test("lead: by what was lost in fights, until the other side has it", () => {
  const fight = { kind: "fight", gameLoop: 60, lastGameLoop: 80, ownLost: 50, enemyLost: 500 };
  const timeline = timelineOf(
    { lost_minerals: [0, 300, 300, 300, 350, 350], killed_value_units: [0, 0, 100, 100, 900, 440] }, [fight]);
  assert.deepEqual(leads(timeline), [0, -300, -200, -200, 550, 90]);
  const at = (row) => leadAt(timeline, row);
  assert.equal(at(0).side, "");
  assert.deepEqual([at(1).side, at(1).since, at(1).fight], ["enemy", 22, undefined]);
  assert.deepEqual([at(4).side, at(4).since, at(4).by, at(4).fight], ["own", 88, 550, fight]);
  assert.deepEqual([at(5).side, at(5).since], ["own", 88]);
  assert.equal(leadText(at(0)), "Fights: nobody is ahead yet.");
  const after = "(the fight at 0:02: own losses 50, enemy 500)";
  assert.equal(leadText(at(4)), `Fights: own side ahead since 0:03 ${after}, now by 550 resources.`);
  assert.equal(leadText(at(5)), `Fights: own side ahead since 0:03 ${after}, even now.`);
  const larger = { kind: "fight", gameLoop: 88, lastGameLoop: 110, ownLost: 0, enemyLost: 700 };
  const later = { ...larger, gameLoop: 2000, enemyLost: 9000 };
  const more = timelineOf({ killed_value_units: [0, 0, 0, 0, 500, 1200] }, [fight, larger, later]);
  assert.equal(
    leadText(leadAt(more, 5)),
    `Fights: own side ahead since 0:03 ${"(the fight at 0:03: own losses 0, enemy 700)"}, now by 1\u202f200 resources.`);
  assert.equal(leadText({ ...leadAt(more, 5), fight }).endsWith(" Most of it in the fight at 0:03: own losses 0, enemy 700."), true);
});

test("graphs: each line has a value for each row, also of a daemon without the column", () => {
  const timeline = timelineOf({ minerals: [1, 2, 3] });
  for (const { lines } of GRAPHS) for (const { of } of lines) assert.equal(of(timeline).length, 3);
});

test("time scale: there and back, round times", () => {
  const scale = new TimeScale(8960, 10303, 600);
  assert.deepEqual([scale.x(8960), scale.x(10303), scale.gameLoop(0), scale.gameLoop(600)], [0, 600, 8960, 10303]);
  assert.deepEqual([scale.gameLoop(-50), scale.gameLoop(9999)], [8960, 10303]);
  for (const loop of [8961, 9422, 10000]) assert.ok(Math.abs(scale.gameLoop(scale.x(loop)) - loop) <= 1);
  assert.deepEqual(scale.ticks(), [8960, 9184, 9408, 9632, 9856, 10080]);
  assert.equal(new TimeScale(5, 5, 0).x(5), 0);
});

test("links: a moment there and back; what is not valid is not there", () => {
  const moment = { loop: 9422, unit: 2n ** 63n + 1n, x: 60.5, y: 42, zoom: 12.25 };
  assert.equal(formatMoment(moment), "#loop=9422&unit=9223372036854775809&x=60.5&y=42&zoom=12.25");
  assert.deepEqual(parseMoment(formatMoment(moment)), moment);
  assert.equal(formatMoment({ loop: undefined }), "");
  const none = { loop: undefined, x: undefined, y: undefined, zoom: undefined };
  for (const hash of ["", "#", "#loop=1.5&unit=x&x=-3", "#loop=1e9&y=NaN", "#<script>"]) assert.deepEqual(parseMoment(hash), none, hash);
});

test("state: told truly", () => {
  const text = (...given) => stateOf(...given).text;
  const live = { isRewind: true, firstGameLoop: 0, lastGameLoop: 5000, paused: false };
  assert.equal(text("open", undefined, 5), "live");
  assert.equal(text("open", live, 5000), "live");
  assert.equal(text("open", live, 5000 - 83 * 22.4), "behind live by 1:23");
  assert.equal(text("open", { ...live, paused: true }, 4990), "paused, behind live by 0:00");
  assert.equal(text("open", live, 5000, 90), "live, delayed by 90 s");
  assert.equal(text("open", undefined, 5, 0.5), "live, delayed by 0.5 s");
  assert.equal(text("open", live, 5000 - 83 * 22.4, 60), "behind live by 1:23, delayed by 60 s");
  assert.equal(text("open", { lastGameLoop: 9 }, 3, 60), "playback");
  assert.equal(text("open", { lastGameLoop: 9, paused: true }, 3), "paused");
  assert.equal(text("open", { lastGameLoop: 9, paused: true, ended: true }, 9), "ended");
  assert.deepEqual(
    ["connecting", "waiting", "over", "lost"].map((each) => text(each)), ["connecting", "no match yet", "ended", "reconnecting"]);
});

test("pursuit: jumps when far, is faster or slower when near, waits at its ends", () => {
  const leader = { gameLoop: 1000, paused: false, rate: 2 };
  assert.deepEqual(rateFor(leader, 1001, 1000), { pauses: false, seeks: false, rate: 2 });
  assert.deepEqual(rateFor(leader, 1020, 1000), { pauses: false, seeks: false, rate: 1.6 });
  assert.deepEqual(rateFor(leader, 980, 1000), { pauses: false, seeks: false, rate: 2.5 });
  assert.deepEqual(rateFor(leader, 100, 1000), { pauses: false, seeks: true, rate: 2 });
  assert.deepEqual(rateFor(leader, undefined, 1000), { pauses: false, seeks: true, rate: 2 });
  assert.deepEqual(rateFor({ ...leader, paused: true }, 1000, 1000), { pauses: true, seeks: false, rate: 2 });
  assert.deepEqual(rateFor({ ...leader, paused: true }, 999, 1000), { pauses: true, seeks: true, rate: 2 });
  assert.deepEqual(rateFor(leader, 800, 800), { pauses: true, seeks: false, rate: 2 });
});

test("marks: what they say, and the next one", () => {
  const names = new Names({ units: [{ id: 18, name: "CommandCenter" }], upgrades: [{ id: 7, name: "Stimpack" }] });
  assert.equal(markText({ kind: "fight", gameLoop: 8915, ownLost: 1450, enemyLost: 75 }, names), "6:37 fight: own losses 1\u202f450, enemy 75");
  assert.equal(markText({ kind: "enemy_base", id: 18 }, names), "0:00 enemy base: Command Center");
  assert.equal(markText({ kind: "upgrade", gameLoop: 224, id: 7 }, names), "0:10 upgrade: Stimpack");
  assert.equal(markText({ kind: "upgrade", gameLoop: 224, id: 9 }, names), "0:10 upgrade: upgrade 9");
  assert.equal(markText({ kind: "chat", gameLoop: 224, id: 2, name: "Tag:rush" }, names), "0:10 player 2: Tag:rush");
  const marks = [{ kind: "base", gameLoop: 5 }, { kind: "unknown", gameLoop: 7 }, { kind: "fight", gameLoop: 9 }];
  assert.deepEqual([nextMark(marks, 5, 1)?.gameLoop, nextMark(marks, 9, -1)?.gameLoop, nextMark(marks, 9, 1)], [9, 5, undefined]);
});

test("marks: kinds and layers that are off are not shown, until they are on again", () => {
  const marks = [{ kind: "fight", gameLoop: 1 }, { kind: "drawing", gameLoop: 2, name: "army" }, { kind: "drawing", gameLoop: 3 }];
  const off = new Set();
  const layers = { version: 0, hides: (name) => off.has(name) };
  const timeline = timelineOf({ minerals: [0] }, marks);
  const shown = new ShownMarks(timeline, layers);
  const loops = () => shown.marks.map(({ gameLoop }) => gameLoop);
  assert.deepEqual([loops(), shown.isOn("fight")], [[1, 2, 3], true]);
  shown.toggle("fight");
  assert.deepEqual([loops(), shown.isOn("fight")], [[2, 3], false]);
  off.add("army");
  layers.version++;
  assert.deepEqual(loops(), [3]);
  timeline.add({ marks: [{ kind: "chat", gameLoop: 4, name: "army" }] });
  assert.deepEqual(loops(), [3, 4]);
  const { version } = shown;
  shown.toggle("fight");
  assert.notEqual(shown.version, version);
  assert.deepEqual(loops(), [1, 3, 4]);
});

test("marks up to a moment: none after it, and a fight that goes on has no figures", () => {
  const marks = [
    { kind: "base", gameLoop: 5, lastGameLoop: 5 }, { kind: "fight", gameLoop: 10, lastGameLoop: 30, ownLost: 200, enemyLost: 50 },
    { kind: "upgrade", gameLoop: 40, lastGameLoop: 40 }];
  assert.deepEqual(marksUntil(marks, 4), []);
  const [base, fight] = marksUntil(marks, 20);
  assert.equal(base, marks[0]);
  assert.deepEqual(fight, { kind: "fight", gameLoop: 10, lastGameLoop: 20, goesOn: true });
  assert.equal(markText(fight, new Names()), "0:00 fight: it goes on");
  assert.deepEqual(marksUntil(marks, 30), marks.slice(0, 2));
  assert.deepEqual(marksUntil(marks, Infinity), marks);
  // The list changes when one begins, and when a fight is over.
  const timeline = new Timeline();
  timeline.add({ marks });
  const shown = new ShownMarks(timeline, { version: 0, hides: () => false });
  const seen = [4, 5, 20, 29, 30, 40].map((until) => ((shown.until = until), [shown.version, shown.marks.length, shown.all.length]));
  assert.deepEqual(seen.map(([, count, all]) => [count, all]), [[0, 3], [1, 3], [2, 3], [2, 3], [2, 3], [3, 3]]);
  assert.deepEqual(new Set(seen.map(([version]) => version)).size, 5, "at 20 and 29 it is the same");
});

test("standing: own numbers, what was seen, and what is not known", () => {
  const timeline = new Timeline();
  const values = {
    food_used: [50], food_cap: [60], food_workers: [30], army_minerals: [100], army_vespene: [50], lost_minerals: [10], lost_vespene: [5],
    minerals: [300], vespene: [200], collection_rate_minerals: [900], collection_rate_vespene: [400], base_count: [2],
    enemy_food_army: [8], enemy_worker_count: [5], enemy_army_value: [400], enemy_base_count: [1], killed_value_units: [70],
  };
  timeline.add({ gameLoops: [22], columns: Object.entries(values).map(([name, all]) => ({ name, values: all })) });
  const own = ownStanding("A", timeline, 30, undefined);
  assert.deepEqual([own.supply, own.cap, own.workers, own.army, own.lost, own.bases], [50, 60, 30, 150, 15, 2]);
  assert.deepEqual([own.minerals, own.mineralIncome, own.vespene, own.vespeneIncome, own.isSeen], [300, 900, 200, 400, false]);
  assert.equal(ownStanding("A", timeline, 30, { minerals: 0, supplyUsed: 51 }).minerals, 0, "a frame is newer");
  const enemy = seenStanding("B", timeline, 30);
  assert.deepEqual([enemy.supply, enemy.workers, enemy.army, enemy.lost, enemy.bases, enemy.isSeen], [13, 5, 400, 70, 1, true]);
  assert.deepEqual([enemy.minerals, enemy.cap, seenStanding("B", timeline, 21).army], [undefined, undefined, undefined]);
});

test("marks on the scrubber: those that would cover each other lie in lanes, then beside each other", () => {
  const marks = [0, 1, 2, 50, 200].map((gameLoop) => ({ kind: "fight", gameLoop })).concat([{ kind: "unknown", gameLoop: 3 }]);
  const places = placed(marks, (gameLoop) => 2 * gameLoop, 0, 100);
  assert.deepEqual(places.map(({ x, lane }) => [x, lane]), [[0, 0], [2, 1], [11, 0], [100, 0]]);
  assert.equal(places[3].mark, marks[3]);
});
