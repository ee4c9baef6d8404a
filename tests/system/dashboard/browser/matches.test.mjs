// What the page says of matches, in Node, with the folder of the modules in MODULES.
import assert from "node:assert/strict";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const load = (name) => import(pathToFileURL(`${process.env.MODULES}/${name}`));
const { summariesOf } = await load("daemon/match_list.js");
const { playersText, KnownPlayers } = await load("match/players.js");
const { resultOf, resultText } = await load("match/result.js");
const { stepsOf } = await load("match/waiting.js");
const { fileOf, testOf } = await load("playback/copied_test.js");

test("summaries: as ProtoJSON has them, with what it omits", () => {
  const [empty, full] = summariesOf({
    matches: [
      {},
      {
        match: { runId: "b", groupId: "g", mapName: "Map", playerId: 2, beganUnixNs: "1795865138640629500" },
        state: "match_lost", endedUnixNs: "1795865139000000000", lastGameLoop: 7, reason: "why", recording: { path: "/a/b.mcap" },
        results: [{ playerId: 2, result: "Defeat" }, { result: "Undecided" }], history: { firstGameLoop: 0, lastGameLoop: 7 },
      },
    ],
  });
  assert.deepEqual([empty.runId, empty.isRunning, empty.isKept, empty.results, empty.beganMs], ["", true, false, [], 0]);
  assert.deepEqual([full.isRunning, full.lost, full.isKept, full.groupId, full.recording], [false, true, true, "g", "/a/b.mcap"]);
  assert.deepEqual(full.results, [{ playerId: 2, result: 2 }, { playerId: 0, result: 4 }]);
  assert.equal(new Date(full.beganMs).getUTCFullYear(), 2026);
  assert.deepEqual(summariesOf({}), []);
});

test("players: names and races, as far as they are known", () => {
  const anna = { playerId: 1, name: "Anna", race: 2, type: 1 };
  assert.equal(playersText([anna, { playerId: 2, raceRequested: 4, type: 2 }]), "Anna (Zerg) vs computer (Random)");
  assert.equal(playersText([{ playerId: 3 }, { playerId: 4, name: "Watcher", type: 3 }]), "player 3");
  assert.equal(playersText(undefined), "");
  const known = new KnownPlayers();
  known.add({ runId: "a", gameInfo: { players: [anna] } });
  known.add({ runId: "b" });
  const of = (runId, playerId, players = []) => known.of({ runId, playerId, players });
  assert.deepEqual([of("a", 1), of("b", 2), of("b", 0), of("b", 2, [anna])], ["Anna (Zerg)", "player 2", "unknown", "Anna (Zerg)"]);
});

test("result: of one player, and of all", () => {
  const results = [{ playerId: 1, result: 1 }, { playerId: 2, result: 2 }];
  assert.deepEqual([1, 2, 3].map((player) => resultOf({ results }, player)), ["victory", "defeat", ""]);
  assert.equal(resultOf({ results: [], lost: true }, 1), "connection lost");
  assert.equal(resultText({ results }), "the match is over: player 1 won");
});

test("waiting: what is missing, and what to copy", () => {
  for (const nothing of [undefined, {}, { missing: "missing_unknown" }, { missing: "later" }])
    assert.deepEqual(stepsOf(nothing), { steps: [], commands: [] });
  const { steps, commands } = stepsOf({ missing: "missing_bot", botAddress: "[::1]:5000" });
  assert.deepEqual(steps.map(({ state }) => state), ["missing", "later", "later"]);
  assert.deepEqual(commands.map(({ text }) => text), ["ws://[::1]:5000/sc2api", "--LadderServer [::1] --GamePort 5000"]);
  const game = stepsOf({ missing: "missing_game", botAddress: "h:1", gameAddress: "h:2" });
  assert.deepEqual(game.steps.map(({ state, text }) => `${state} ${text}`), ["done connected", "missing the game at h:2 does not answer", "later "]);
  assert.deepEqual(game.commands, []);
});

test("copied test: the file as Python names it", () => {
  const match = { matchId: "m", playerId: 2, source: 1, gameInfo: { players: [{ playerId: 1, race: 1 }, { playerId: 2, race: 3 }] } };
  assert.equal(fileOf({ name: "a.mcap", path: "/b.mcap", match }), '"a.mcap"');
  assert.equal(fileOf({ path: "C:\\b \"c\".mcap", match }), '"C:\\\\b \\"c\\".mcap"');
  assert.equal(fileOf({ match }), '"recording.mcap"');
  assert.equal(fileOf({ match: { ...match, matchId: "skirmish-7" } }), "abathur.sample()");
  assert.equal(fileOf({ match: { ...match, source: 3 } }), undefined);
  assert.equal(fileOf({}), undefined);
  const text = testOf({ file: '"/x/2026-11-28_Eis & Öl.mcap"', gameLoop: 5, match });
  assert.match(text, /^def test_2026_11_28_eis_l_5\(\):$/m);
  assert.match(text, /start=5, stop=405\) as game:$/m);
  assert.match(text, /Bot\(Race\.Protoss, MyBot\(\)\)/);
  assert.match(testOf({ file: '"日本.mcap"', gameLoop: 5, match: {} }), /def test_moment_5\(\):[^]*Race\.Random/);
});
