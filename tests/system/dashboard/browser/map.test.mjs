// The map's modules that need no page, in Node: `node --test`, with the folder of the modules in MODULES.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(`${process.env.MODULES}/${name}`));
const { areaOf, edgesOf, explored } = await load("map/area.js");
const { Facts } = await load("match/facts.js");
const { clusters, edgeOf, FIGHT_LOOPS, Fights, MAX_EVENTS } = await load("map/fights.js");
const { hoverText, namesOf } = await load("map/labels.js");
const { LAYERS, MapOptions } = await load("map/map_options.js");
const { arrowHead, Orders, wayOf } = await load("match/orders.js");
const { army, production } = await load("panels/production.js");
const { GROUP_ABOVE, Spread } = await load("map/spread.js");
const { rangesOf } = await load("map/ranges.js");
const { Selection } = await load("map/selection.js");
const { MAX_TRAILS, Trails, TRAIL_LOOPS } = await load("map/trails.js");
const { orderText, summary } = await load("panels/unit_group.js");
const { Viewport } = await load("map/viewport.js");

/** Units as a world has them, of { tag, type, alliance, x, y, ... }. */
function unitsOf(...all) {
  const of = (name, none) => all.map((each) => each[name] ?? none);
  return {
    rows: all.length, used: all.map(() => 1), tag: of("tag", 0n), unit_type: of("type", 1), alliance: of("alliance", 1), x: of("x", 0),
    y: of("y", 0), radius: of("radius", 0.5), health: of("health", 0), health_max: of("health_max", 0), shield: of("shield", 0),
    shield_max: of("shield_max", 0), energy: of("energy", 0), energy_max: of("energy_max", 0), build_progress: of("progress", 1),
    display_type: of("display", 1), rowOf: new Map(all.map((each, row) => [each.tag ?? 0n, row])),
  };
}

const [MARINE, BARRACKS, TANK, SIEGED, SCV, LAB, PROBE, LAIR, HATCHERY] = [48, 21, 33, 32, 45, 37, 84, 100, 86];
const unit = (id, name, more = {}) => ({ id, name, attributes: [], weapons: [], ...more });
const facts = new Facts({
  units: [
    unit(
      MARINE, "Marine", { abilityId: 560, minerals: 50, supply: 1, speed: 2, buildLoops: 448, sight: 9, weapons: [{ type: 3, range: 5 }] }),
    unit(BARRACKS, "Barracks", { abilityId: 321, minerals: 150, attributes: [2, 8], buildLoops: 1120, sight: 9 }),
    unit(TANK, "SiegeTank", { abilityId: 591, minerals: 150, vespene: 125, supply: 3, speed: 2, sight: 11,
      weapons: [{ type: 1, range: 7 }, { type: 2, range: 6.04 }] }),
    unit(SIEGED, "SiegeTankSieged", { abilityId: 388, minerals: 150, vespene: 125, supply: 3, alias: TANK }),
    unit(SCV, "SCV", { abilityId: 524, minerals: 50, supply: 1, speed: 2.8 }),
    unit(LAB, "BarracksTechLab", { abilityId: 421, attributes: [8], minerals: 50, buildLoops: 400 }),
    unit(HATCHERY, "Hatchery", { attributes: [8], minerals: 325 }),
    unit(LAIR, "Lair", { abilityId: 1216, attributes: [8], minerals: 475, buildLoops: 1280 }),
  ],
  upgrades: [{ id: 15, name: "Stimpack", abilityId: 730, minerals: 100, vespene: 100, researchLoops: 2240 }],
  abilities: [{ id: 421, remapsTo: 3682 }],
});

/** A world of units with orders, [ability, progress][] each. */
function worldOf(...all) {
  return { units: unitsOf(...all.map((each, row) => ({ tag: BigInt(row + 1), ...each }))), orders: { of: (row) => (all[row].orders ?? []).map(([ability, progress]) => ({ ability, progress })) } };
}

test("facts: costs, what is an army, what abilities make", () => {
  assert.deepEqual([facts.value(TANK), facts.value(999), facts.loops(MARINE), facts.loops(999)], [275, 0, 448, 0]);
  assert.deepEqual([MARINE, SCV, BARRACKS, 999].map((type) => facts.isArmy(type)), [true, false, false, false]);
  assert.equal(facts.isStructure(BARRACKS), true);
  assert.deepEqual([BARRACKS, MARINE, 999].map((type) => facts.isStill(type)), [true, false, false]);
  assert.equal(facts.product(560, BARRACKS).id, MARINE);
  const { kind, name, loops } = facts.product(730, LAB);
  assert.deepEqual([kind, name, loops], ["upgrade", "Stimpack", 2240]);
  assert.equal(facts.product(3682, BARRACKS).id, LAB, "the general ability of several");
  assert.equal(facts.product(388, TANK), undefined, "another form of the same unit");
  assert.equal(facts.product(591, SIEGED), undefined);
  assert.equal(facts.product(1216, HATCHERY).id, LAIR);
  assert.equal(facts.product(16, MARINE), undefined);
  assert.equal(new Facts(undefined).product(560, BARRACKS), undefined);
});

test("production: what is under way, what is queued, what is left", () => {
  const world = worldOf(
    { type: BARRACKS, orders: [[560, 0.25], [560, 0], [560, 0]] }, { type: BARRACKS, orders: [[560, 0.5]] },
    { type: LAB, orders: [[730, 0.1]] }, { type: BARRACKS, progress: 0.75 }, { type: SCV, orders: [[321, 0]] },
    { type: HATCHERY, orders: [[1216, 0.5]] }, { type: BARRACKS, progress: 0, display: 4 }, { type: MARINE, orders: [[16, 0]] },
    { type: BARRACKS, alliance: 4, progress: 0.5 });
  const own = production(world, facts, 1, (type) => `type ${type}`);
  const short = ({ kind, id, count, queued, progress }) => [kind, id, count, queued, progress];
  assert.deepEqual(own.map(short), [
    ["unit", MARINE, 2, 2, 0.5], ["upgrade", 15, 1, 0, 0.1], ["structure", LAIR, 1, 0, 0.5], ["structure", BARRACKS, 1, 0, 0.75]]);
  assert.deepEqual(own.map(({ seconds }) => Math.round(seconds * 100) / 100), [10, 90, 28.57, 12.5]);
  assert.deepEqual(own.map(({ name }) => name), ["type 48", "Stimpack", "type 100", "type 21"]);
  // What makes it, or is built.
  assert.deepEqual(own.map(({ tags }) => tags), [[1, 2], [3], [6], [4]].map((rows) => rows.map((row) => world.units.tag[row - 1])));
  assert.deepEqual(production(world, facts, 4, String).map(short), [["structure", BARRACKS, 1, 0, 0.5]]);
  assert.equal(production(worldOf({ type: 777, progress: 0.5 }), facts, 1, String)[0].seconds, undefined);
});

test("army: by type, most valuable first, without workers and what is not ready", () => {
  const world = worldOf(
    ...Array(7).fill({ type: MARINE }), { type: TANK }, { type: SIEGED }, { type: SCV }, { type: BARRACKS }, { type: TANK, progress: 0.5 },
    { type: MARINE, alliance: 4 });
  assert.deepEqual(army(world, facts, 1), [
    { id: MARINE, count: 7, value: 350, tags: [...world.units.tag.slice(0, 7)] },
    { id: SIEGED, count: 1, value: 275, tags: [world.units.tag[8]] }, { id: TANK, count: 1, value: 275, tags: [world.units.tag[7]] }]);
  assert.deepEqual(army(world, facts, 4).map(({ count, value }) => [count, value]), [[1, 50]]);
});

test("orders: of each row, and the way through their targets", () => {
  const table = { ability_id: [1, 2, 3], target_unit_tag: [0n, 9n, 0n], x: [5, 0, 0], y: [6, 0, 0], progress: [0, 0, 0.5] };
  const decoder = { units: { cells: { 45: Float64Array.of(2, 0, 1) } }, tables: [undefined, { column: (name) => table[name] }] };
  const orders = new Orders(decoder);
  assert.deepEqual([0, 1, 2].map((row) => orders.of(row).map(({ ability }) => ability)), [[1, 2], [], [3]]);
  assert.deepEqual(orders.of(99), []);
  const way = wayOf([...orders.of(0), ...orders.of(2)], 1, 2, (tag) => (tag === 9n ? [7, 8] : undefined));
  assert.deepEqual(way, [{ x0: 1, y0: 2, x1: 5, y1: 6, isQueued: false }, { x0: 5, y0: 6, x1: 7, y1: 8, isQueued: true }]);
  assert.deepEqual(wayOf(orders.of(0), 1, 2, () => undefined).length, 1, "a target that is not seen has no line");
  const head = arrowHead(0, 0, 10, 0, 5);
  assert.ok(head.every(([x]) => x < 10) && Math.abs(head[0][1] + head[1][1]) < 1e-9, "behind the tip, on both sides");
});

test("ranges: weapons from the edge, and what is unknown is said", () => {
  const units = unitsOf({ type: TANK, radius: 0.75 }, { type: BARRACKS }, { type: 999 });
  const [tank, barracks, other] = [0, 1, 2].map((row) => rangesOf(units, row, 3, 4, facts));
  assert.deepEqual([tank.x, tank.y, tank.sight, tank.text], [3, 4, 11, "ground 7, air 6 · sight 11"]);
  assert.ok(Math.abs(tank.weapons[0] - 7.75) < 1e-9);
  assert.deepEqual([barracks.weapons, barracks.text], [[], "weapon range unknown · sight 9"]);
  assert.deepEqual([other.weapons, other.sight, other.text], [[], 0, "ranges unknown"]);
});

test("selection: one, several, more or fewer", () => {
  const selection = new Selection();
  let changes = 0;
  selection.onChange = () => changes++;
  selection.set([1n]);
  assert.equal(selection.single, 1n);
  selection.toggle(2n);
  assert.deepEqual([[...selection.tags], selection.single], [[1n, 2n], undefined]);
  selection.toggle(1n);
  assert.equal(selection.single, 2n);
  selection.set([]);
  assert.deepEqual([selection.tags.size, selection.single, changes], [0, undefined, 4]);
});

test("options: kept for the visit, and nothing else than options is read", () => {
  const kept = new Map();
  const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  const options = new MapOptions(storage);
  const changes = [];
  options.onChange = (name) => changes.push(name);
  assert.deepEqual([1, 2, 3, 4].map((alliance) => options.shows(alliance)), [true, true, true, true]);
  assert.deepEqual(LAYERS.map(([name]) => options.isOn(name)), LAYERS.map(([, , isOn]) => isOn));
  options.toggle("enemy");
  options.set("pathing", true);
  options.set("pathing", true);
  assert.deepEqual(changes, ["enemy", "pathing"]);
  options.suggest("grid", true);
  options.suggest("pathing", false);
  assert.deepEqual([options.isOn("grid"), options.isOn("pathing")], [true, true], "what was chosen stays");
  const again = new MapOptions(storage);
  assert.deepEqual(["enemy", "own", "pathing", "grid", "ranges"].map((name) => again.isOn(name)), [false, true, true, false, false]);
  assert.deepEqual([again.shows(4), again.shows(1)], [false, true]);
  for (const text of ["null", "{", "[]", '{"own":"no","other":true}']) {
    const odd = new MapOptions({ getItem: () => text });
    assert.deepEqual([odd.shows(1), odd.isOn("other")], [true, undefined], text);
  }
  const forbidden = () => {
    throw new Error("forbidden");
  };
  const without = new MapOptions({ getItem: forbidden, setItem: forbidden });
  without.toggle("own");
  assert.equal(without.shows(1), false);
});

test("trails: of the last seconds, of soldiers, bounded", () => {
  const trails = new Trails();
  const walk = (gameLoop, count = 1) => trails.add({
    gameLoop,
    units: unitsOf(
      ...Array.from({ length: count }, (_, i) => ({ tag: BigInt(i + 1), type: MARINE, x: gameLoop, y: i })),
      { tag: 9001n, type: SCV, x: gameLoop }, { tag: 9002n, alliance: 3, x: gameLoop }, { tag: 9003n, alliance: 4, type: MARINE, x: 7 }),
  }, facts);
  for (let gameLoop = 1000; gameLoop <= 1400; gameLoop++) walk(gameLoop);
  assert.equal(trails.size, 2, "neither workers nor neutral units");
  const places = trails.of(1n);
  assert.ok(places.length <= 15 && places[0][0] === 1400 && places.every(([x, , loop]) => x === loop), String(places));
  assert.deepEqual(trails.of(9003n), [[7, 0, 1400]], "what stands has one place");
  let [visited, most] = [0, 0];
  trails.each(1400, (tag, trail, count) => {
    visited++;
    for (let back = 0; back < count; back++) most = Math.max(most, 1400 - trail.loop(back));
  });
  assert.ok(visited === 2 && most > 80 && most <= TRAIL_LOOPS, String(most));
  walk(1300);
  assert.deepEqual(trails.of(1n), [[1300, 0, 1300]], "a seek back clears them");
  walk(1400);
  assert.deepEqual(trails.of(1n), [[1400, 0, 1400]], "a jump does");
  walk(1410, 3 * MAX_TRAILS);
  assert.equal(trails.size, MAX_TRAILS);
  for (let gameLoop = 1420; gameLoop < 1700; gameLoop += 10) trails.add({ gameLoop, units: unitsOf() }, facts);
  assert.equal(trails.size, 0, "of who is gone, none stays");
});

test("fights: hits and deaths that are near each other, of the last seconds", () => {
  const hit = (x, y, gameLoop, isDeath = false, wasHurt = isDeath) => ({ x, y, gameLoop, isDeath, wasHurt });
  assert.deepEqual(clusters([hit(1, 1, 5), hit(2, 2, 6)]), [], "two hits are no fight");
  assert.deepEqual(clusters([hit(1, 1, 5, true, false), hit(2, 2, 6, true, false)]), [], "nor are unhurt units that become others");
  assert.equal(clusters([hit(1, 1, 5, true, false), hit(2, 2, 6)]).length, 1, "a death and a hit are");
  const two = clusters([hit(10, 10, 5), hit(12, 10, 6), hit(11, 13, 7), hit(80, 80, 8, true)]);
  assert.deepEqual(two.map(({ hits, deaths, first, last }) => [hits, deaths, first, last]), [[0, 1, 8, 8], [3, 0, 5, 7]], "newest first");
  assert.ok(Math.abs(two[1].x - 11) < 1e-9 && Math.abs(two[1].y - 11) < 1e-9);
  assert.ok([[10, 10], [12, 10], [11, 13]].every(([x, y]) => Math.hypot(x - two[1].x, y - two[1].y) < two[1].radius));

  const fights = new Fights();
  const before = unitsOf({ tag: 5n, x: 50, y: 50, health: 5, health_max: 45 }, { tag: 6n, alliance: 3, x: 90, y: 90 });
  const frame = (gameLoop, hits, deadUnits = []) => fights.add({
    gameLoop, hits: [...hits, { x: 1, y: 1, at: -Infinity }], arrived: gameLoop, before,
    rest: { observation: { raw: { event: { deadUnits } } } },
  });
  const hitNow = (gameLoop) => ({ x: 20, y: 20, at: gameLoop });
  for (let gameLoop = 100; gameLoop < 103; gameLoop++) frame(gameLoop, [hitNow(gameLoop)]);
  frame(102, [hitNow(102)]);
  assert.deepEqual(fights.list.map(({ x, y, hits }) => [x, y, hits]), [[20, 20, 3]], "the same frame again adds nothing");
  frame(103, [], [5n, 6n, 7n]);
  assert.deepEqual(fights.list.map(({ x, deaths }) => [x, deaths]), [[50, 1], [20, 0]], "neither neutral nor unknown units");
  for (let gameLoop = 104; gameLoop <= 103 + FIGHT_LOOPS; gameLoop++) frame(gameLoop, []);
  assert.deepEqual(fights.list.map(({ x }) => x), [50], "hits grow old");
  frame(104 + FIGHT_LOOPS, []);
  assert.deepEqual(fights.list, []);
  frame(300, Array.from({ length: 3 * MAX_EVENTS }, () => hitNow(300)));
  assert.equal(fights.list[0].hits, MAX_EVENTS);
  frame(299, []);
  assert.deepEqual(fights.list, [], "a seek clears them");
});

test("fights beyond the view are pointed at from its edge", () => {
  const view = new Viewport();
  view.resize(400, 200);
  view.show({ x0: 0, y0: 0, x1: 200, y1: 100 });
  view.zoom(4);
  assert.equal(edgeOf(view, 100, 50, 20), undefined);
  const [x, y, angle] = edgeOf(view, 200, 50, 20);
  assert.deepEqual([x, y, angle], [380, 100, 0]);
  const [upX, upY, up] = edgeOf(view, 100, 100, 20);
  assert.ok(Math.abs(upX - 200) < 1e-9 && Math.abs(upY - 20) < 1e-9 && Math.abs(up + Math.PI / 2) < 1e-9, "y grows upwards");
});

test("area: what is playable, else what is in use, in steps", () => {
  const decoder = {};
  const startRaw = { playable: { p0: { x: 8, y: 4 }, p1: { x: 90, y: 80 } } };
  assert.deepEqual(areaOf({ match: { gameInfo: { startRaw } }, rest: {}, units: unitsOf(), decoder }), { x0: 6, y0: 2, x1: 92, y1: 82 });
  assert.equal(areaOf({ rest: {}, units: unitsOf(), decoder }), undefined);
  const units = unitsOf({ x: 30, y: 20 }, { x: 42, y: 25 }, { alliance: 3, x: 500, y: 500 });
  assert.deepEqual(areaOf({ rest: {}, units, decoder }), { x0: 24, y0: 16, x1: 48, y1: 32 });

  const grid = { bitsPerPixel: 8, size: { x: 60, y: 40 }, data: new Uint8Array(2400) };
  for (const [x, y, level] of [[5, 3, 1], [11, 3, 2], [9, 30, 2], [50, 35, 0], [59, 0, 3]]) grid.data[60 * y + x] = level;
  assert.deepEqual(explored(grid), { x0: 5, y0: 3, x1: 12, y1: 31 });
  const rest = { observation: { raw: { mapState: { visibility: grid } } } };
  const world = { rest, units: unitsOf(), decoder: { visibility: grid.data } };
  assert.deepEqual(areaOf(world), { x0: 0, y0: 0, x1: 16, y1: 32 });
  assert.deepEqual(areaOf({ ...world, units }, { x0: 0, y0: 0, x1: 16, y1: 32 }), { x0: 0, y0: 0, x1: 48, y1: 32 }, "it only grows");
  assert.deepEqual(edgesOf(world), { x0: 0, y0: 0, x1: 60, y1: 40 });
  assert.equal(edgesOf({ match: { gameInfo: { startRaw } }, rest: world.rest }), undefined);
  assert.deepEqual(areaOf({ ...world, decoder: { visibility: new Uint8Array(2400) } }), { x0: 0, y0: 0, x1: 60, y1: 40 });
});

test("viewport: an area that grows stays whole, and another picture stays where it is", () => {
  const view = new Viewport();
  view.resize(100, 100);
  view.show({ x0: 0, y0: 0, x1: 50, y1: 50 });
  view.widen({ x0: 0, y0: 0, x1: 100, y1: 100 });
  assert.deepEqual([view.scale, view.x, view.isWhole], [1, 50, true]);
  view.zoom(4);
  view.widen({ x0: 0, y0: 0, x1: 200, y1: 200 });
  assert.deepEqual([view.scale, view.x, view.y], [4, 50, 50]);
  // Beside an area that is narrower than the picture, the map is seen and not what is beyond it.
  view.resize(200, 100);
  view.show({ x0: 80, y0: 0, x1: 100, y1: 50 }, { x0: 0, y0: 0, x1: 100, y1: 50 });
  assert.deepEqual([view.mapX(0), view.mapX(200), view.isWhole], [0, 100, true]);
});

test("what is said under the pointer, and of several units", () => {
  const units = unitsOf(
    { type: TANK, health: 44.2, health_max: 80, shield: 10, shield_max: 20, energy: 50.9, energy_max: 200 },
    { type: BARRACKS, health: 100, health_max: 1000, progress: 0.129, display: 2 }, { type: TANK, health: 80, health_max: 80 });
  assert.deepEqual(hoverText(units, 0, "Tank").lines, ["health 45 / 80", "shield 10 / 20", "energy 50 / 200"]);
  assert.deepEqual(hoverText(units, 1, "Barracks"), { name: "Barracks", lines: ["health 100 / 1000", "12 % built", "not visible now"] });
  const all = summary(units, [0, 1, 2], (row) => (row === 1 ? "" : "Attack"));
  assert.deepEqual(all.types, [[TANK, 2], [BARRACKS, 1]]);
  assert.deepEqual(all.orders, [["Attack", 2], ["", 1]]);
  const world = { units, rowOf: (tag) => (tag === 9n ? 1 : undefined) };
  const names = { ability: (id) => `ability ${id}`, unit: (type) => `type ${type}` };
  const orders = [undefined, { x: 0, y: 0 }, { x: 3, y: 4 }, { x: 3.1, y: 0 }, { target: 9n }];
  const texts = orders.map((order) => orderText(world, names, order && { ability: 5, ...order }));
  assert.deepEqual(texts, ["", "ability 5", "ability 5 → place", "ability 5 → place", "ability 5 → type 21"]);
  assert.ok(Math.abs(all.health - 224.2) < 1e-9 && all.healthMax === 1160 && all.shieldMax === 20);
});

/** Places units in a view of ten pixels a cell; returns where their marks are, in pixels. */
function spreadOf(units, { still = [], gap = 0 } = {}) {
  const view = new Viewport();
  view.resize(1000, 1000);
  view.show({ x0: 0, y0: 0, x1: 100, y1: 100 });
  const marks = { x: Float64Array.from(units.x), y: Float64Array.from(units.y), shows: () => true };
  const spread = new Spread();
  spread.place(units, marks, view, (type) => still.includes(type), (row) => units.radius[row] * view.scale, gap);
  return { spread, places: Array.from(marks.x, (x, row) => [view.screenX(x), view.screenY(marks.y[row])]) };
}

const apart = ([x0, y0], [x1, y1]) => Math.hypot(x0 - x1, y0 - y1);

test("spread: marks that overlap are moved apart, others stay", () => {
  const { places, spread } = spreadOf(unitsOf({ x: 50, y: 50 }, { x: 50.2, y: 50 }, { x: 80, y: 20 }), { gap: 1 });
  assert.ok(apart(places[0], places[1]) >= 11.8, String(places));
  assert.deepEqual(places[2], [800, 800]);
  assert.deepEqual(spread.groups, []);
  // In the same place, too; and what stands still, was seen before or is neutral is not moved.
  const same = spreadOf(unitsOf({ x: 50, y: 50 }, { x: 50, y: 50 }));
  assert.ok(apart(...same.places) >= 9.8);
  for (const other of [{ type: 9 }, { display: 2 }, { alliance: 3 }])
    assert.deepEqual(spreadOf(unitsOf({ x: 50, y: 50, ...other }, { x: 50.2, y: 50, ...other }), { still: [9] }).places[0], [500, 500]);
});

test("spread: forty in a formation are apart, close to where they are", () => {
  const all = Array.from({ length: 40 }, (_, i) => ({ x: 50 + 0.9 * (i % 7), y: 50 + 0.9 * Math.floor(i / 7) }));
  const { places, spread } = spreadOf(unitsOf(...all), { gap: 1 });
  assert.deepEqual(spread.groups, []);
  let nearest = Infinity;
  places.forEach((one, i) => places.slice(0, i).forEach((other) => (nearest = Math.min(nearest, apart(one, other)))));
  assert.ok(nearest > 10.5, String(nearest));
  places.forEach(([x, y], i) => assert.ok(apart([x, y], [10 * all[i].x, 1000 - 10 * all[i].y]) <= 30.01));
});

test("spread: more than find room are one mark of their side, with their number and their types", () => {
  const here = { x: 50, y: 50 };
  const crowd = (count, more = {}) => Array.from({ length: count }, () => ({ ...here, radius: 2, ...more }));
  assert.equal(spreadOf(unitsOf(...crowd(GROUP_ABOVE))).spread.groups.length, 0);
  const units = unitsOf(...crowd(20, { type: 5 }), ...crowd(15, { alliance: 4, type: 6 }), ...crowd(1, { alliance: 4, type: 7 }));
  const { spread, places } = spreadOf(units);
  assert.deepEqual(spread.groups.map(({ alliance, rows }) => [alliance, rows.length]).sort(), [[1, 20], [4, 16]]);
  assert.equal(new Set(places.map(String)).size, 2, "its members are where it is");
  const enemies = spread.groups.find(({ alliance }) => alliance === 4);
  assert.equal(namesOf(enemies.rows, units, (type) => `type ${type}`), "15 type 6, 1 type 7");
});
