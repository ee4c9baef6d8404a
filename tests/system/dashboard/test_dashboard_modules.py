"""The dashboard's modules that need no browser, in Node."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import make_names
import pytest
from abathur.sync.v1 import sync_pb2
from browsers import NODE, needs_node, response_at
from programs import ROOT

pytestmark = needs_node
PAGE = ROOT / "Abathur.Sync" / "Dashboard" / "Page"
TESTS = Path(__file__).parent / "browser"


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    """The modules as the daemon serves them, in a folder of which Node knows that they are modules."""
    shutil.copytree(PAGE, tmp_path, dirs_exist_ok=True)
    shutil.copy(PAGE.parent / "columns.js", tmp_path / "common")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    return tmp_path


def node(*arguments: str, modules: Path, stdin: bytes | None = None) -> str:
    assert NODE is not None
    done = subprocess.run(
        [NODE, *arguments],
        cwd=modules,
        input=stdin,
        capture_output=True,
        timeout=60,
        env={**os.environ, "MODULES": str(modules)},
    )
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    return done.stdout.decode()


@pytest.mark.parametrize("file", ["modules", "names", "map", "over_time", "matches", "raw"])
def test_modules(modules: Path, file: str) -> None:
    assert "# fail 0" in node("--test", "--test-reporter=tap", str(TESTS / f"{file}.test.mjs"), modules=modules)


def test_names_by_rule_are_those_of_the_generator(modules: Path) -> None:
    """The rules are in two languages: the page's and that of the check for names that two units would share."""
    script = """
        import * as rules from "./match/name_rules.js";
        const chunks = [];
        for await (const chunk of process.stdin) chunks.push(chunk);
        const all = JSON.parse(Buffer.concat(chunks));
        for (const [kind, names] of Object.entries(all)) all[kind] = names.map((name) => rules[`shown${kind}`](name));
        console.log(JSON.stringify(all));
    """
    (modules / "shown.js").write_text(script)
    exceptions = make_names.shown_names()
    names, wanted = {}, {}
    for kind, table in (("Unit", "units"), ("Upgrade", "upgrades"), ("Buff", "buffs"), ("Ability", "abilities")):
        column = "friendly_name" if table == "abilities" else "name"
        names[kind] = [row[column].strip('"') for row in make_names.rows(table)]
        show = make_names.shown_ability if table == "abilities" else make_names.shown_name
        wanted[kind] = [show(each, exceptions, *(() if table == "abilities" else (table,))) for each in names[kind]]
    assert sum(map(len, names.values())) > 6000
    assert json.loads(node("shown.js", modules=modules, stdin=json.dumps(names).encode())) == wanted


def test_modules_can_be_read_in_one_sitting() -> None:
    lengths = {path.name: path.read_text(encoding="utf-8").count("\n") for path in PAGE.rglob("*.js")}
    assert len(lengths) > 60
    assert {name: lines for name, lines in lengths.items() if lines >= 300} == {}


def test_references_of_modules_point_downward() -> None:
    folders = ["common", "daemon", "match", "charts", "map", "time", "panels", "playback", "Page"]
    assert {path.parent.name for path in PAGE.rglob("*.js")} == set(folders)
    for path in PAGE.rglob("*.js"):
        for imported in re.findall(r'^import .*? from "(.+)";$', path.read_text(encoding="utf-8"), re.MULTILINE):
            folder = (path.parent / imported).resolve().parent.name
            assert folders.index(folder) <= folders.index(path.parent.name), (path, imported)


def test_messages_are_read_as_they_are_written_elsewhere(modules: Path) -> None:
    """The tables of the page against the real messages."""
    message = sync_pb2.ServerMessage()
    status = message.result.status
    message.result.id = 7
    status.playback.paused, status.playback.rate, status.playback.game_loop = True, 0.5, 9300
    status.playback.last_game_loop, status.playback.loop = 10303, True
    subscriber = status.subscribers.add(id=2**40, name="Übung", transport="socket", policy=sync_pb2.every)
    subscriber.encoding, subscriber.compression = sync_pb2.columns, sync_pb2.zstd_stream
    subscriber.frames_dropped, subscriber.bytes_sent, subscriber.lag_game_loops = 3, 2**45, 9
    status.frames_per_second = 22.4
    status.process.uptime.FromMilliseconds(1500)
    status.match.map_name = "Test LE"
    script = """
        import { read } from "./daemon/wire.js";
        import { Rest, ServerMessage } from "./daemon/messages.js";
        const chunks = [];
        for await (const chunk of process.stdin) chunks.push(chunk);
        const bytes = new Uint8Array(Buffer.concat(chunks));
        console.log(JSON.stringify(read({ServerMessage, Rest}[process.argv[2]], bytes)));
    """
    (modules / "read.js").write_text(script)
    told = json.loads(node("read.js", "ServerMessage", modules=modules, stdin=message.SerializeToString()))["result"]
    assert told["id"] == 7
    playback = {"paused": True, "rate": 0.5, "gameLoop": 9300, "lastGameLoop": 10303, "loop": True}
    assert told["status"]["playback"] == playback
    assert told["status"]["subscribers"] == [
        {
            **{"id": 2**40, "name": "Übung", "transport": "socket", "policy": 1, "encoding": 3, "compression": 4},
            **{"framesDropped": 3, "bytesSent": 2**45, "lagGameLoops": 9},
        }
    ]
    assert told["status"]["framesPerSecond"] == 22.4
    assert told["status"]["process"]["uptime"] == {"seconds": 1, "nanos": 500_000_000}
    assert told["status"]["match"]["mapName"] == "Test LE"
    message = sync_pb2.ServerMessage()
    timeline = message.result.timeline
    timeline.game_loops.extend([1, 2**31])
    timeline.columns.add(name="minerals", values=[0.5, 300.0])
    timeline.marks.add(game_loop=5, kind="fight", own_lost=1.5).at.x = 2.0
    told = json.loads(node("read.js", "ServerMessage", modules=modules, stdin=message.SerializeToString()))["result"]
    assert told["timeline"]["gameLoops"] == [1, 2**31]
    assert told["timeline"]["columns"] == [{"name": "minerals", "values": [0.5, 300]}]
    assert told["timeline"]["marks"] == [{"gameLoop": 5, "kind": "fight", "ownLost": 1.5, "at": {"x": 2}}]
    message = sync_pb2.ServerMessage()
    message.result.plots.series.add(agent="Bot", name="threat", game_loops=[3], values=[0.1])
    told = json.loads(node("read.js", "ServerMessage", modules=modules, stdin=message.SerializeToString()))["result"]
    assert told["plots"]["series"] == [{"agent": "Bot", "name": "threat", "gameLoops": [3], "values": [0.1]}]
    response = response_at(9300)
    rest = json.loads(node("read.js", "Rest", modules=modules, stdin=response.SerializeToString()))["observation"]
    assert rest["gameLoop"] == 9300
    assert rest["player"]["minerals"] == response.observation.player_common.minerals
    assert rest["player"]["supplyCap"] == response.observation.player_common.food_cap
    assert rest["score"]["score"] == response.observation.score.score
    camera = response.observation.raw_data.player.camera
    assert (rest["raw"]["player"]["camera"]["x"], rest["raw"]["player"]["camera"]["y"]) == (camera.x, camera.y)
    size = response.observation.raw_data.map_state.creep.size
    assert rest["raw"]["mapState"]["creep"]["size"] == {"x": size.x, "y": size.y}


def test_requests_of_the_page_are_read_elsewhere(modules: Path) -> None:
    script = """
        import { write } from "./daemon/wire.js";
        import { ClientMessage } from "./daemon/messages.js";
        const messages = [
          { subscribe: { policy: 0, encoding: 3, credits: 1, name: "a page", drawings: true, newest: true } },
          { id: 5, control: { seek: { gameLoop: 9300 } } }, { control: { setRate: { rate: 0.5 } } },
          { control: { setLoop: { loop: false } } }, { control: { step: { frames: 1 } } }, { control: { pause: {} } },
          { ack: { sequence: 2 ** 40, matchIndex: 3 } },
          { id: 6, status: {} }, { id: 7, timeline: { afterGameLoop: 9, whole: true } },
          { id: 8, plots: { afterGameLoop: 10, whole: true } },
          { subscribe: { runId: "a", startOldest: true } },
          { subscribe: { runId: "a", startGameLoop: 5, follow: true } },
        ];
        for (const message of messages) console.log(Buffer.from(write(ClientMessage, message)).toString("hex"));
    """
    (modules / "write.js").write_text(script)
    lines = node("write.js", modules=modules).split()
    read = [sync_pb2.ClientMessage.FromString(bytes.fromhex(line)) for line in lines]
    assert read[0].subscribe == sync_pb2.SubscribeRequest(
        encoding=sync_pb2.columns, credits=1, name="a page", drawings=True, newest=True
    )
    assert (read[1].id, read[1].control.seek.game_loop) == (5, 9300)
    assert read[2].control.set_rate.rate == 0.5
    assert read[3].control.WhichOneof("command") == "set_loop" and not read[3].control.set_loop.loop
    assert read[4].control.step.frames == 1
    assert read[5].control.WhichOneof("command") == "pause"
    assert (read[6].ack.sequence, read[6].ack.match_index) == (2**40, 3)
    assert (read[7].id, read[7].WhichOneof("message")) == (6, "status")
    assert read[8].timeline == sync_pb2.GetTimelineRequest(after_game_loop=9, whole=True)
    assert read[9].plots == sync_pb2.GetPlotsRequest(after_game_loop=10, whole=True)
    assert read[10].subscribe == sync_pb2.SubscribeRequest(run_id="a", start_oldest=True)
    assert read[11].subscribe == sync_pb2.SubscribeRequest(run_id="a", start_game_loop=5, follow=True)
