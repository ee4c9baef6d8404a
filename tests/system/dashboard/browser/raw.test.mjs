// The tree of a raw message and the search in it, in Node, with the folder of the modules in MODULES.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(`${process.env.MODULES}/${name}`));
const { pythonName, search, TreeNode } = await load("panels/raw_tree.js");

const numbers = (count) => Array.from({ length: count }, (_, at) => ({ tag: String(at) }));
const labels = (node) => node.children.map(({ label }) => label);

test("python: names as protobuf has them", () => {
  assert.deepEqual(["rawData", "p0", "gameLoop", "unitTypesIdleWorkerCount"].map(pythonName),
    ["raw_data", "p0", "game_loop", "unit_types_idle_worker_count"]);
});

test("tree: types, counts and texts", () => {
  const tree = new TreeNode({ a: {}, b: [], c: "x\"", d: 1.5, e: true, f: null, g: { h: 1 } }, "response");
  assert.deepEqual(tree.children.map(({ type, text }) => `${type} ${text}`), [
    "object {0}", "array [0]", 'string "x\\""', "number 1.5", "boolean true", "null null", "object {1}"]);
  assert.deepEqual(tree.children.map(({ hasChildren }) => hasChildren), [false, false, false, false, false, false, true]);
  const long = new TreeNode({ data: "a".repeat(5000) }, "response").children[0];
  assert.ok(long.text.length < 300 && long.text.endsWith("… (5000 characters)"));
  assert.equal(JSON.parse(long.json).length, 5000);
  assert.equal(new TreeNode({}, "response").hasChildren, false);
});

test("tree: children are made when they are looked at", () => {
  const tree = new TreeNode({ a: { b: { c: 1 } } }, "response");
  assert.deepEqual(tree.made, []);
  assert.equal([...tree.shown()].length, 1);
  tree.isOpen = true;
  assert.deepEqual([...tree.shown()].map(({ label }) => label), ["response", "a"]);
  assert.deepEqual(tree.children[0].made, []);
  tree.at(["a", "b", "c"]).reveal();
  assert.deepEqual([...tree.shown()].map(({ label, level }) => `${level} ${label}`), ["1 response", "2 a", "3 b", "4 c"]);
});

test("tree: long arrays in ranges, and ranges of ranges", () => {
  const of = (count) => new TreeNode({ list: numbers(count) }, "response").children[0];
  assert.equal(labels(of(100)).length, 100);
  assert.deepEqual(labels(of(101)), ["[0 … 99]", "[100 … 100]"]);
  assert.deepEqual(labels(of(250).children[2]).slice(0, 2), ["[200]", "[201]"]);
  const huge = of(25_000);
  assert.deepEqual(labels(huge), ["[0 … 9999]", "[10000 … 19999]", "[20000 … 24999]"]);
  assert.equal(huge.children[2].children.length, 50);
  const deep = huge.parent.at(["list", 24_321, "tag"]);
  assert.equal(deep.value, "24321");
  assert.deepEqual(deep.keys, ["list", 24_321, "tag"]);
  assert.equal(deep.path, "response.list[24321].tag");
  assert.equal(deep.parent.parent.path, "response.list[24300:24400]");
  assert.equal(JSON.parse(deep.parent.parent.json).length, 100);
  deep.reveal();
  // The message, the list, and on each level its siblings.
  assert.equal([...huge.parent.shown()].length, 2 + 3 + 50 + 100 + 1);
  for (const keys of [["nothing"], ["list", 25_000], ["list", 0, "tag", "more"]]) assert.equal(huge.parent.at(keys), undefined);
});

test("tree: what is open stays open in the next message", () => {
  const [before, after] = [numbers(150), numbers(120)].map((list) => new TreeNode({ list, other: { a: 1 }, more: {} }, "response"));
  before.at(["list", 140, "tag"]).reveal();
  before.at(["other", "a"]).reveal();
  delete after.value.other;
  after.openAs(before);
  assert.deepEqual([...after.shown()].map(({ label }) => label), ["response", "list", "[0 … 99]", "[100 … 119]", "more"]);
});

test("search: names in both spellings and values, in the order of the tree", () => {
  const message = { rawData: { units: [{ health: 35, name: "Zergling" }, { health: 350, isFlying: true }] }, none: null };
  const found = (text) => search(message, text).hits.map((keys) => keys.join("."));
  assert.deepEqual(found("HEALTH"), ["rawData.units.0.health", "rawData.units.1.health"]);
  assert.deepEqual(found("raw_d"), ["rawData"]);
  assert.deepEqual(found("rawdata"), ["rawData"]);
  assert.deepEqual(found("35"), ["rawData.units.0.health", "rawData.units.1.health"]);
  assert.deepEqual(found("zergl"), ["rawData.units.0.name"]);
  assert.deepEqual(found("true"), ["rawData.units.1.isFlying"]);
  assert.deepEqual(found("null"), ["none"]);
  assert.deepEqual([found(""), found("object"), found("nothing")], [[], [], []]);
  const tree = new TreeNode(message, "response");
  assert.equal(tree.at(search(message, "350").hits[0]).value, 350);
});

test("search: bounded", () => {
  const message = { list: numbers(5000) };
  assert.deepEqual(search(message, "tag", { mostHits: 10 }).hits.length, 10);
  assert.equal(search(message, "tag", { mostHits: 10 }).isWhole, false);
  assert.equal(search(message, "tag", { mostHits: 5000 }).isWhole, true);
  assert.deepEqual(search(message, "4999", { mostValues: 100 }), { hits: [], isWhole: false });
  // A grid of the map is not searched as a whole.
  assert.equal(search({ data: `${"a".repeat(100_000)}b` }, "ab").hits.length, 0);
  let deep = {};
  for (let at = 0; at < 50_000; at++) deep = { a: deep };
  assert.equal(search(deep, "a", { mostHits: 5 }).hits.at(-1).length, 5);
});
