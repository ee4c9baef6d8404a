// A moment as a test: the lines of docs/moments.md for the recording and the game loop that are shown. Pure: tested in Node.

import { SOURCES } from "../daemon/messages.js";

/** What `abathur play` plays without a name. */
const SAMPLE_MATCH = "skirmish-7";
const LOOPS = 400;
const RACES = ["Random", "Terran", "Zerg", "Protoss", "Random"];

/**
 * The file of the match as Python names it; undefined: it is not recorded.
 * @param name of the recording that the page plays @param path to which the daemon records
 */
export function fileOf({ name, path, match }) {
  const known = name ?? path;
  if (known) return JSON.stringify(known);
  if (match === undefined || SOURCES[match.source ?? 0] !== "playback") return undefined;
  return match.matchId === SAMPLE_MATCH ? "abathur.sample()" : '"recording.mcap"';
}

/** The lines of a test. @param file as `fileOf` returns it */
export function testOf({ file, gameLoop, match }) {
  const stem = /([^/\\"]+?)(\.mcap)?"$/.exec(file)?.[1] ?? "sample";
  const name = `${stem.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "") || "moment"}_${gameLoop}`;
  const own = match.gameInfo?.players.find(({ playerId }) => playerId === match.playerId);
  const race = RACES[own?.race || own?.raceRequested || 0] ?? "Random";
  return `import asyncio

import abathur
from my_bot import MyBot
from sc2.data import Race
from sc2.main import play_from_websocket
from sc2.player import Bot


def test_${name}():
    with abathur.emulated_game(${file}, start=${gameLoop}, stop=${gameLoop + LOOPS}) as game:
        asyncio.run(play_from_websocket(game.url, Bot(Race.${race}, MyBot()), False, None))
    game.check_actions("tests/${name}.json")
`;
}
