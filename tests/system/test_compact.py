"""Compact recordings: everything that reads a recording reads them, with the same result."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import abathur
import numpy as np
import pytest
from abathur import Frame, RecordingError, dataset
from abathur.sc2 import run_async
from abathur.sync.v1 import sync_pb2
from datasets import rows
from emulators import emulated, raw_client
from mcap.writer import CompressionType, Writer
from programs import ROOT, SKIRMISH, TIMEOUT, Launch, Play, pause, run_daemon
from programs import abathur as run_abathur
from s2clientprotocol import sc2api_pb2
from sc2.bot_ai import BotAI

FIRST = 8960


@pytest.fixture(scope="module")
def compact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compact") / "small.mcap"
    done = run_daemon("export", str(SKIRMISH), "-o", str(path), "--compact")
    assert done.returncode == 0, done.stderr
    return path


class Watching(BotAI):
    """Notes what each step shows, whatever the order of the units."""

    def __init__(self) -> None:
        self.notes: list[Any] = []

    async def on_step(self, iteration: int) -> None:
        seen = {unit.tag: (unit.type_id, unit.position3d, unit.health) for unit in self.all_units}
        self.notes.append((self.state.game_loop, self.minerals, self.supply_used, seen))

    async def on_unit_destroyed(self, unit_tag: int) -> None:
        self.notes.append(unit_tag)


def in_order_of_tags(response: sc2api_pb2.ResponseObservation) -> sc2api_pb2.ResponseObservation:
    """The same without the order of the units, which columns do not keep."""
    ordered = sc2api_pb2.ResponseObservation()
    ordered.CopyFrom(response)
    units = sorted(ordered.observation.raw_data.units, key=lambda unit: unit.tag)
    del ordered.observation.raw_data.units[:]
    ordered.observation.raw_data.units.extend(units)
    return ordered


def printed(path: Path, *arguments: str) -> list[dict[str, Any]]:
    """What `cat` prints, without the sizes, which differ."""
    lines = [json.loads(line) for line in run_daemon("cat", str(path), *arguments).stdout.splitlines()]
    return [{name: value for name, value in line.items() if name != "size"} for line in lines]


def pairs(compact: Path, **options: Any) -> Iterator[tuple[Frame, Frame]]:
    with abathur.open(SKIRMISH) as full, abathur.open(compact) as small:
        yield from zip(full.frames(**options), small.frames(**options), strict=True)


def test_it_is_less_than_half_as_large_and_says_what_it_has(compact: Path) -> None:
    assert compact.stat().st_size < SKIRMISH.stat().st_size / 2
    done = run_daemon("info", "--json", str(compact))
    small, full = json.loads(done.stdout), json.loads(run_daemon("info", "--json", str(SKIRMISH)).stdout)
    for name in ("frames", "match", "first_game_loop", "last_game_loop", "first_frame_units", "complete"):
        assert small[name] == full[name], name
    assert "/columns" in {channel["topic"] for channel in small["channels"]}


def test_python_reads_the_same_frames(compact: Path) -> None:
    count = 0
    for full, small in pairs(compact):
        assert (small.sequence, small.game_loop, small.match_id) == (full.sequence, full.game_loop, full.match_id)
        if count % 50 == 0:
            assert in_order_of_tags(small.response) == in_order_of_tags(full.response)
        order, ours = np.argsort(full.units.tag), np.argsort(small.units.tag)
        for name in ("tag", "unit_type", "pos", "health", "shield", "alliance", "build_progress"):
            np.testing.assert_array_equal(getattr(small.units, name)[ours], getattr(full.units, name)[order])
        count += 1
    with abathur.open(compact) as match:
        assert match.frame_count == count
        assert len(list(match.payloads())) == count


@pytest.mark.parametrize("every", [1, 22])
def test_events_and_skipped_events_are_the_same(compact: Path, every: int) -> None:
    seen = 0
    for full, small in pairs(compact, every=every):
        assert small.skipped_events == full.skipped_events
        # Units are in another order, and so are the events of each kind.
        assert sorted(map(repr, small.events)) == sorted(map(repr, full.events))
        seen += len(full.events)
    assert seen > 100


def test_a_part_begins_and_ends_where_asked(compact: Path) -> None:
    for start in (FIRST, FIRST + 1, 9333, 10_200):
        loops = [small.game_loop for _, small in pairs(compact, start=start, stop=start + 20)]
        assert loops[0] == start
        assert len(loops) == 20


def test_what_is_beside_the_observations_is_the_same(compact: Path) -> None:
    with abathur.open(SKIRMISH) as full, abathur.open(compact) as small:
        assert small.metadata == full.metadata
        assert (small.game_info(), small.game_data()) == (full.game_info(), full.game_data())
        assert list(small.action_requests()) == list(full.action_requests())
        timeline, ours = full.timeline(), small.timeline()
        assert len(timeline) == len(ours) > 20
        for name, values in timeline.items():
            np.testing.assert_array_equal(ours[name], values)
        rows, our_rows = full.units_arrays(stop=FIRST + 40), small.units_arrays(stop=FIRST + 40)
        order, our_order = (np.lexsort((each["tag"], each["game_loop"])) for each in (rows, our_rows))
        for name in rows:
            np.testing.assert_array_equal(rows[name][order], our_rows[name][our_order], err_msg=name)


def test_it_is_exported_to_the_full_form_and_back(compact: Path, tmp_path: Path) -> None:
    full, again = tmp_path / "full.mcap", tmp_path / "again.mcap"
    assert run_daemon("export", str(compact), "-o", str(full)).returncode == 0
    assert run_daemon("export", str(full), "-o", str(again), "--compact").returncode == 0
    assert again.stat().st_size == pytest.approx(compact.stat().st_size, rel=0.02)
    with abathur.open(SKIRMISH) as first, abathur.open(full) as second:
        for one, two in zip(first.payloads(), second.payloads(), strict=True):
            # Some readers keep only the last part of a message in parts.
            assert len(one) == len(two)
    lines = [printed(path) for path in (SKIRMISH, compact, full)]
    assert lines[0] == lines[1] == lines[2]


def test_cat_prints_fields_of_a_frame(compact: Path) -> None:
    arguments = ("--fields", "observation.game_loop", "--start", "9000", "--limit", "2")
    lines = printed(compact, *arguments)
    assert lines == printed(SKIRMISH, *arguments)
    assert [line["message"]["observation"]["gameLoop"] for line in lines] == [9000, 9001]


@pytest.mark.parametrize("encoding", ["proto", "json", "columns"])
def test_the_daemon_plays_it(play: Play, compact: Path, encoding: Any) -> None:
    daemon = play(compact, "--wait-agents", "1", "--rate", "unlimited")
    with abathur.connect_blocking(daemon.socket) as game, abathur.open(SKIRMISH) as match:
        for played, recorded in zip(
            game.frames(policy="every", encoding=encoding, every=50), match.frames(every=50), strict=True
        ):
            assert in_order_of_tags(played.response) == in_order_of_tags(recorded.response)


async def test_the_emulator_plays_it(compact: Path) -> None:
    with abathur.open(SKIRMISH) as match:
        recorded = {frame.game_loop: frame.response for frame in match.frames()}
    with emulated(compact) as game:
        async with raw_client(game) as client:
            await client.create()
            await client.join()
            for loop in range(FIRST, FIRST + 1300, 97):
                answer = (await client.ask(observation=sc2api_pb2.RequestObservation())).observation
                played, expected = in_order_of_tags(answer), in_order_of_tags(recorded[loop])
                assert played.observation.raw_data.units == expected.observation.raw_data.units
                assert played.observation.player_common == expected.observation.player_common
                await client.step(97)


@pytest.mark.filterwarnings("ignore::DeprecationWarning:sc2")
async def test_a_bot_sees_the_same_match(compact: Path) -> None:
    bots = [Watching(), Watching()]
    told = [await run_async(bot, path) for bot, path in zip(bots, (SKIRMISH, compact), strict=True)]
    assert told[0].steps == told[1].steps > 300
    assert bots[0].notes == bots[1].notes
    assert told[0].result == told[1].result


def test_a_dataset_of_it_has_the_same_rows(compact: Path, tmp_path: Path) -> None:
    for name, recording in (("full", SKIRMISH), ("compact", compact)):
        dataset.build(recording, tmp_path / name, every=4)
        assert dataset.check(tmp_path / name, [recording]) == []
    for table in ("units", "players", "events", "actions"):
        # Events of one frame are in the order of the units, which columns do not keep.
        full, small = (sorted(rows(tmp_path / name, table), key=repr) for name in ("full", "compact"))
        assert full == small != []


def test_a_recording_that_is_being_written_is_followed_and_survives_a_kill(launch: Launch, tmp_path: Path) -> None:
    path = tmp_path / "match.mcap"
    ports = ("--grpc-port", "0", "--socket-port", "0", "--http-port", "0")
    daemon = launch("serve", "--once", *ports, "-o", str(path), "--compact", "--chunk-size", str(4 << 20))
    with abathur.open(SKIRMISH) as match:
        observations = list(match.payloads())[:500]
    loops: list[int] = []
    bot = abathur.publisher_blocking(daemon.grpc, map_name="Testmap LE")
    with pytest.raises(abathur.AbathurError, match="lost the connection"), bot:
        bot.publish(observations[0])
        followed = abathur.open(path, follow=True).frames()
        for each in observations[1:]:
            bot.publish(each)
        # 4 MiB of them are in the first segment: they can be read while the match goes on.
        loops.append(next(followed).game_loop)
        with abathur.connect_blocking(daemon.grpc) as game:
            deadline = time.monotonic() + TIMEOUT
            while game.status().recording.frames < len(observations):
                pause()
                assert time.monotonic() < deadline
        daemon.process.send_signal(signal.SIGKILL)
        daemon.process.wait()
    with pytest.raises(RecordingError, match="recover"):
        loops.extend(frame.game_loop for frame in followed)
    done = run_daemon("recover", f"{path}.part", "-o", str(tmp_path / "whole.mcap"))
    assert done.returncode == 0, done.stderr
    with abathur.open(tmp_path / "whole.mcap") as match:
        frames = list(match.frames())
        assert [frame.game_loop for frame in frames] == loops
        assert match.frame_count == len(frames)
    # At most one chunk is lost.
    assert sum(map(len, observations[len(frames) :])) < (4 << 20) + max(map(len, observations))


def test_import_and_synth_write_it(tmp_path: Path) -> None:
    observations, imported, made = tmp_path / "o.obs", tmp_path / "i.mcap", tmp_path / "s.mcap"
    assert run_daemon("synth", "--steps", "100", "-o", str(observations)).returncode == 0
    assert run_daemon("import", str(observations), "-o", str(imported), "--compact").returncode == 0
    assert run_daemon("synth", "--steps", "100", "-o", str(made), "--compact").returncode == 0
    with abathur.open(imported) as one, abathur.open(made) as two:
        assert (one.frame_count, two.frame_count) == (100, 100)
        for first, second in zip(one.frames(), two.frames(), strict=True):
            assert first.response == second.response


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "out.obs", "--compact"), "--compact needs -o FILE.mcap"),
        (("-o", "out.mcap", "--units"), "--units cannot be written to FILE.mcap"),
        (("-o", "{input}", "--compact"), "is also the input"),
        (("-o", "{input}", "--compact", "--force"), "is also the input"),
    ],
)
def test_wrong_use_is_refused(compact: Path, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    before = compact.read_bytes()
    given = [each.format(input=compact) for each in arguments]
    done = run_daemon("export", str(compact), *given, cwd=tmp_path)
    assert done.returncode in (2, 3)
    assert message in done.stderr
    assert list(tmp_path.iterdir()) == []
    assert compact.read_bytes() == before


def test_the_reader_in_the_docs_reads_it(compact: Path) -> None:
    page = (ROOT / "docs" / "recordings.md").read_text(encoding="utf-8")
    (code,) = (block for block in re.findall(r"^```python\n(.*?)^```", page, re.M | re.S) if "small.mcap" in block)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=compact.parent, capture_output=True, text=True, timeout=60, check=True
    )
    with abathur.open(SKIRMISH) as match:
        expected = [f"{frame.game_loop} {len(frame.units)} units" for frame in match.frames()]
    assert done.stdout.splitlines() == expected


def test_damage_is_named(tmp_path: Path) -> None:
    uneven = sync_pb2.ColumnsSegment(payloads=[b"\1\1\0\0"], game_loop_steps=[0, 1], log_time_steps=[0])
    unknown = sync_pb2.ColumnsSegment(payloads=[b"\7"], game_loop_steps=[0], log_time_steps=[0])
    for data in (b"\xff", uneven.SerializeToString(), unknown.SerializeToString()):
        path = tmp_path / "bad.mcap"
        with path.open("wb") as file:
            writer = Writer(file, compression=CompressionType.NONE)
            writer.start()
            schema = writer.register_schema("abathur.sync.v1.ColumnsSegment", "protobuf", b"")
            writer.add_message(writer.register_channel("/columns", "protobuf", schema), 1, data, 1)
            writer.finish()
        with pytest.raises(RecordingError, match="is damaged"), abathur.open(path) as match:
            list(match.frames())


def test_the_command_passes_it_on(tmp_path: Path) -> None:
    path = tmp_path / "small.mcap"
    done = run_abathur("export", str(SKIRMISH), "-o", str(path), "--compact")
    assert done.returncode == 0, done.stderr
    assert "1344 observations" in done.stdout + done.stderr
