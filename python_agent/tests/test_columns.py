"""The columns encoding from the real daemon: what comes out is what went in, in Python and in JavaScript."""

from __future__ import annotations

import asyncio
import itertools
import json
import pickle
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import abathur
import numpy as np
import pytest
from abathur._frame.columns_source import ColumnsUnits
from abathur._frame.unit_columns import COLUMNS
from abathur.columns import Columns, ColumnsDecoder, _contents
from abathur.columns._rebuild import observation_bytes
from abathur.errors import ProtocolError
from abathur.sync.v1 import sync_pb2
from emulators import delimited
from google.protobuf import json_format
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from observations import make
from programs import SHARED, SKIRMISH, Daemon, Play, crossed, matrix, needs_sequences, run_daemon, runs
from s2clientprotocol import raw_pb2, sc2api_pb2

ADDRESSES = ["grpc", "socket"]
COMPRESSIONS = ["none", "zstd-stream", "br-stream", "gzip"]
DECODER = Path(__file__).parents[2] / "Abathur.Sync" / "Dashboard" / "columns.js"
NODE = shutil.which("node")
# Payloads that no encoder writes, of which all decoders make the same; the .NET tests read them as well.
CASES = json.loads((Path(__file__).parents[2] / "tests" / "columns_cases.json").read_text(encoding="utf-8"))


def ordered(observation: sc2api_pb2.ResponseObservation) -> bytes:
    """The message but for the order of its units, NaNs included."""
    copy = sc2api_pb2.ResponseObservation()
    copy.CopyFrom(observation)
    units = copy.observation.raw_data.units
    if units:
        units.sort(key=lambda unit: (unit.tag, unit.SerializeToString(deterministic=True)))
    return copy.SerializeToString(deterministic=True)


def assert_same_units(units: abathur.Units, wanted: abathur.Units) -> None:
    """The same arrays, lists and presence, whatever the order of the units."""
    assert len(units) == len(wanted)
    units, wanted = units[units.tag.argsort()], wanted[wanted.tag.argsort()]
    for name in COLUMNS:
        ours, theirs = getattr(units, name), getattr(wanted, name)
        assert ours.dtype == theirs.dtype and ours.tobytes() == theirs.tobytes(), name
        np.testing.assert_array_equal(units.has(name), wanted.has(name), name)
    for ours, theirs in (
        (units.orders, wanted.orders),
        (units.buffs, wanted.buffs),
        (units.passengers, wanted.passengers),
        (units.rally_targets, wanted.rally_targets),
    ):
        np.testing.assert_array_equal(ours.offsets, theirs.offsets)
        for name in ours._columns:
            assert getattr(ours, name).tobytes() == getattr(theirs, name).tobytes(), name


@crossed(address=ADDRESSES, compression=COMPRESSIONS)
async def test_what_comes_out_is_what_went_in(play: Play, address: str, compression: str) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited", "--playback-duration", "12")
    with abathur.open(SKIRMISH) as match:
        recorded = {frame.game_loop: frame for frame in match.frames()}
    loops = []
    async with abathur.connect(daemon.addresses[address]) as game:
        async for frame in game.frames(policy="every", encoding="columns", compression=compression):
            wanted = recorded[frame.game_loop]
            loops.append(frame.game_loop)
            assert not frame.rest.observation.raw_data.units
            if len(loops) % 10 == 1:
                assert ordered(frame.to_observation()) == ordered(wanted.response)
                assert_same_units(frame.units, wanted.units)
            state = wanted.observation.raw_data.map_state
            assert frame.grids.visibility is not None and frame.grids.creep is not None
            size = state.visibility.size
            assert frame.grids.visibility.shape == (size.y, size.x)
            assert frame.grids.visibility.tobytes() == state.visibility.data
            np.testing.assert_array_equal(frame.grids.creep, wanted.grids.creep)
    assert loops == list(range(loops[0], loops[0] + len(loops))) and len(loops) >= 250


@needs_sequences
@pytest.mark.parametrize(
    "name", matrix("abyssal-zvp-shuffled", "lostandfound-pvz-step8-bot", "proxima-pvt-late-creep8")
)
def test_real_sequences(play: Play, tmp_path: Path, name: str) -> None:
    recording = tmp_path / "match.mcap"
    imported = run_daemon("import", str(SHARED / "sequences" / f"{name}.obs.zst"), "-o", str(recording))
    assert imported.returncode == 0, imported.stderr
    daemon = play(recording, "--wait-agents", "1", "--rate", "unlimited")
    rows: dict[int, int] = {}
    with abathur.open(recording) as match, abathur.connect_blocking(daemon.grpc) as game:
        frames = game.frames(policy="every", encoding="columns", compression="zstd-stream")
        for number, (frame, payload) in enumerate(zip(frames, match.payloads(), strict=True)):
            columns = frame._source.columns
            assert columns is not None
            # A unit keeps its row while it lives.
            used = np.flatnonzero(columns.used).tolist()
            now = dict(zip(frame.units.tag.tolist(), used, strict=True))
            assert all(row == rows[tag] for tag, row in now.items() if tag in rows)
            rows = now
            if number % 25 == 0:
                wanted = sc2api_pb2.ResponseObservation.FromString(payload)
                assert ordered(frame.to_observation()) == ordered(wanted)
                assert_same_units(frame.units, abathur.Units.from_proto(wanted.observation.raw_data.units))
    assert number >= 499


@settings(
    max_examples=runs(15),
    suppress_health_check=[*settings().suppress_health_check, HealthCheck.function_scoped_fixture],
)
@given(seeds=st.lists(st.integers(0, 2**64), min_size=20, max_size=20))
def test_any_observations(play: Play, tmp_path: Path, seeds: list[int]) -> None:
    """Whatever is in them; some of the units come back in the next observation."""
    wanted = [make(seed) for seed in seeds]
    for before, after in itertools.pairwise(wanted):
        units = before.observation.raw_data.units
        after.observation.raw_data.units.extend(units[: len(units) // 2 + 1])
    for loop, each in enumerate(wanted, 1):
        each.observation.game_loop = loop
    streams = tmp_path / "any.obs"
    streams.write_bytes(delimited([each.SerializeToString() for each in wanted]))
    recording = tmp_path / "any.mcap"
    imported = run_daemon("import", str(streams), "-o", str(recording), "--force")
    assert imported.returncode == 0, imported.stderr
    daemon = play(recording, "--wait-agents", "1", "--rate", "unlimited")
    with abathur.connect_blocking(daemon.grpc) as game:
        got = list(game.frames(policy="every", encoding="columns", compression="zstd-stream"))
    assert len(got) == len(wanted)
    for frame, each in zip(got, wanted, strict=True):
        assert ordered(frame.to_observation()) == ordered(each)


async def test_fields_that_were_not_asked_for_are_not_there(play: Play) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited", "--playback-duration", "1")
    fields = ["observation.game_loop", "observation.raw_data.units.tag", "observation.raw_data.units.pos"]
    async with abathur.connect(daemon.grpc) as game:
        async for frame in game.frames(policy="every", encoding="columns", fields=fields):
            assert frame.units.has("x").any() and not frame.units.has("health").any()
            assert not frame.rest.observation.HasField("score")
            assert frame.grids.visibility is None
            assert frame.rest.observation.game_loop == frame.game_loop


async def test_a_reader_that_lags_and_one_that_comes_late(play: Play) -> None:
    """Both start from a keyframe, and are right from their first frame on."""
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "8")
    with abathur.open(SKIRMISH) as match:
        recorded = {frame.game_loop: ordered(frame.response) for frame in match.frames()}
    dropped = []
    five = asyncio.Event()

    async def read(pause: float) -> list[int]:
        loops = []
        async with abathur.connect(daemon.grpc) as game:
            async for frame in game.frames(policy="latest", encoding="columns", compression="zstd-stream", credits=1):
                assert ordered(frame.to_observation()) == recorded[frame.game_loop]
                loops.append(frame.game_loop)
                dropped.append(frame.dropped)
                if len(dropped) == 5:
                    five.set()
                await asyncio.sleep(pause)
        return loops

    async def late() -> list[int]:
        await five.wait()
        return await read(0)

    lagging, joined = await asyncio.gather(read(0.05), late())
    assert sum(dropped) > 0 and lagging[-1] == joined[-1] == max(recorded)
    assert joined[0] > min(recorded)


def payloads(daemon: Daemon, compression: int = sync_pb2.none) -> Iterator[sync_pb2.Frame]:
    """The frames as they travel, without the package under test."""
    import grpc

    request = sync_pb2.SubscribeRequest(policy=sync_pb2.every, encoding=sync_pb2.columns, compression=compression)
    with grpc.insecure_channel(daemon.grpc.removeprefix("grpc://")) as channel:
        call = channel.unary_stream("/abathur.sync.v1.GameSync/Subscribe")
        for message in call(request.SerializeToString()):
            yield sync_pb2.Frame.FromString(message)


@pytest.fixture(scope="module")
def stream(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """Payloads of a short match, the first a keyframe."""
    from programs import FREE_PORTS, start

    daemon = start(
        "play", str(SKIRMISH), *FREE_PORTS, "--wait-agents", "1", "--rate", "unlimited", "--playback-duration", "2"
    )
    try:
        return [frame.data for frame in payloads(daemon)]
    finally:
        daemon.process.communicate()


@settings(max_examples=runs(400), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_payloads_are_refused_or_read_but_nothing_else(stream: list[bytes], data: st.DataObject) -> None:
    decoder = ColumnsDecoder()
    good = data.draw(st.integers(0, 20))
    for payload in stream[:good]:
        decoder.decode(payload)
    damaged = bytearray(stream[good])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.one_of(st.integers(0, min(200, len(damaged) - 1)), st.integers(0, len(damaged) - 1)))
        damaged[at] = data.draw(st.sampled_from([0, 1, 0x7F, 0x80, 0xFF, damaged[at] ^ 1, damaged[at] ^ 0x10]))
    cut = data.draw(st.one_of(st.none(), st.integers(0, len(damaged))))
    payload = bytes(damaged[:cut])
    try:
        columns = decoder.decode(payload)
        abathur.Units(ColumnsUnits(columns)).orders.offsets  # noqa: B018
        observation_bytes(columns)
    except ProtocolError:
        # Later frames depend on it.
        if good + 1 < len(stream) and decoder.columns is None:
            with pytest.raises(ProtocolError, match="delta frame without the frame before it"):
                decoder.decode(stream[good + 1])


def test_the_example_of_the_documentation() -> None:
    text = (Path(__file__).parents[2] / "docs" / "columns.md").read_text(encoding="utf-8").partition("## Example")[2]
    blocks = re.findall(r"```(json|hex)\n(.*?)```", text, re.DOTALL)
    assert [kind for kind, _ in blocks] == ["json", "hex", "json", "hex"]
    decoder = ColumnsDecoder()
    for (_, wanted), (_, dump) in (blocks[:2], blocks[2:]):
        payload = bytes.fromhex("".join(line.partition("#")[0] for line in dump.splitlines()))
        made = sc2api_pb2.ResponseObservation.FromString(observation_bytes(decoder.decode(payload)))
        assert ordered(made) == ordered(json_format.Parse(wanted, sc2api_pb2.ResponseObservation()))


def test_a_frame_without_the_one_before_it_is_refused(stream: list[bytes]) -> None:
    with pytest.raises(ProtocolError, match="delta frame without the frame before it"):
        ColumnsDecoder().decode(stream[1])


def contents(columns: Columns) -> bytes:
    """Everything in a frame beside its units."""
    tables = [part.tobytes() for table in columns.lists for part in (table.cells, table.velocity)]
    return b"".join([*tables, *(b"" if blob is None else blob.tobytes() for blob in columns.blobs)])


def test_a_frame_is_the_same_whichever_frames_are_read_before(stream: list[bytes]) -> None:
    decoder = ColumnsDecoder()
    wanted = [contents(decoder.decode(payload)) for payload in stream]
    decoder = ColumnsDecoder()
    frames = [decoder.decode(payload) for payload in stream]
    copied = pickle.loads(pickle.dumps(frames[3]))
    assert contents(frames[-1]) == wanted[-1]
    assert [contents(frame) for frame in reversed(frames)] == wanted[::-1]
    assert contents(copied) == wanted[3]


def test_frames_that_are_not_read_wait_up_to_a_size(stream: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    monkeypatch.setattr(_contents, "_MAX_WAITING_BYTES", 3 * max(map(len, stream[1:])) + len(stream[0]))
    decoder, reader = ColumnsDecoder(), ColumnsDecoder()
    for payload in stream:
        columns = decoder.decode(payload)
        sizes.append(columns.contents._waiting_bytes)
        wanted = contents(reader.decode(payload))
    assert min(sizes[2:]) < max(sizes) / 2
    assert contents(columns) == wanted


@pytest.mark.parametrize("every", [1, 2, 7])
def test_the_rest_is_the_same_when_it_is_read_alone(stream: list[bytes], every: int) -> None:
    """Without the lists and grids before it, for each frame or for some, before and after these are decoded."""
    alone, whole = ColumnsDecoder(), ColumnsDecoder()
    earlier = []
    for number, payload in enumerate([*stream, *stream]):
        columns = alone.decode(payload)
        blob = whole.decode(payload).blobs[2]
        wanted = b"" if blob is None else blob.tobytes()
        if number % every == 0:
            earlier.append((columns, wanted))
            assert columns.contents._tables is None or number == 0
            assert columns.rest == wanted
    for columns, wanted in earlier[::-1]:
        assert columns.rest == wanted
        assert contents(columns)
        assert columns.rest == wanted


def test_damage_beside_the_units_is_found_when_it_is_read(stream: list[bytes]) -> None:
    decoder = ColumnsDecoder()
    decoder.decode(stream[0])
    damaged, later = decoder.decode(stream[1] + b"x"), decoder.decode(stream[2])
    for columns in (damaged, later, damaged):
        assert len(columns.used)
        with pytest.raises(ProtocolError, match="1 bytes follow the last section"):
            _ = columns.rest
    assert decoder.decode(stream[0]).rest


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_payloads_made_by_hand_are_refused_or_read_as_documented(case: dict[str, Any]) -> None:
    decoder, payload = ColumnsDecoder(), bytes.fromhex(case["payload"])
    if "observation" not in case:
        with pytest.raises(ProtocolError):
            observation_bytes(decoder.decode(payload))
        return
    made = sc2api_pb2.ResponseObservation.FromString(observation_bytes(decoder.decode(payload)))
    assert made == json_format.ParseDict(case["observation"], sc2api_pb2.ResponseObservation())


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_javascript_makes_the_same_of_payloads_made_by_hand(tmp_path: Path) -> None:
    """But for `extras`, which it leaves alone."""
    cases = [case for case in CASES if not case.get("hasExtras")]
    (tmp_path / "cases.json").write_text(json.dumps(cases), encoding="utf-8")
    (tmp_path / "columns.mjs").write_bytes(DECODER.read_bytes())
    (tmp_path / "read.mjs").write_text(
        """
        import { readFileSync } from "node:fs";
        import { ColumnsDecoder, ColumnsError } from "./columns.mjs";
        for (const { payload } of JSON.parse(readFileSync("cases.json"))) {
          try {
            const { units } = new ColumnsDecoder().decode(Buffer.from(payload.replaceAll(" ", ""), "hex"));
            console.log(JSON.stringify({ health: Array.from(units.column("health")) }));
          } catch (error) {
            if (!(error instanceof ColumnsError)) throw error;
            console.log("null");
          }
        }
        """
    )
    done = subprocess.run([str(NODE), "read.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    wanted = []
    for case in cases:
        units = case["observation"]["observation"]["rawData"]["units"] if "observation" in case else None
        wanted.append(None if units is None else {"health": [unit.get("health", 0) for unit in units]})
    assert [json.loads(line) for line in done.stdout.splitlines()] == wanted


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_javascript_reads_the_same(stream: list[bytes], tmp_path: Path) -> None:
    """Every array of every frame, through the decoder of the dashboard in Node."""
    (tmp_path / "frames.bin").write_bytes(b"".join(len(each).to_bytes(4, "little") + each for each in stream))
    (tmp_path / "columns.mjs").write_bytes(DECODER.read_bytes())
    (tmp_path / "read.mjs").write_text(
        """
        import { readFileSync } from "node:fs";
        import { ColumnsDecoder, TABLES } from "./columns.mjs";
        const file = readFileSync("frames.bin");
        const decoder = new ColumnsDecoder();
        const bits = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("hex");
        for (let at = 0; at < file.length; ) {
          const size = file.readUInt32LE(at);
          decoder.decode(new Uint8Array(file.subarray(at + 4, at + 4 + size)));
          at += 4 + size;
          const columns = {};
          for (const name of TABLES[0].columns.filter(Boolean)) columns[name] = bits(decoder.units.column(name));
          const orders = TABLES[1].columns.filter(Boolean).map((name) => bits(decoder.tables[1].column(name)));
          const grids = [decoder.visibility, decoder.creep, decoder.rest].map((grid) => (grid ? bits(grid) : null));
          console.log(JSON.stringify({ used: Array.from(decoder.used), columns, orders, grids }));
        }
        """
    )
    done = subprocess.run([str(NODE), "read.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    decoder = ColumnsDecoder()
    lines = done.stdout.splitlines()
    assert len(lines) == len(stream)
    for payload, line in zip(stream, lines, strict=True):
        columns = decoder.decode(payload)
        units = abathur.Units(ColumnsUnits(columns))
        told = json.loads(line)
        assert told["used"] == columns.used.tolist()
        used = np.flatnonzero(columns.used)
        for name, (dtype, _) in COLUMNS.items():
            ours = getattr(units, name)
            wide = np.uint64 if dtype == "u8" else np.float32 if dtype == "f4" else np.float64
            theirs = np.frombuffer(bytes.fromhex(told["columns"][name]), wide)[used].astype(dtype)
            assert ours.tobytes() == theirs.tobytes(), name
        orders = units.orders
        assert told["orders"][0] == orders.progress.tobytes().hex()
        assert told["orders"][5] == orders.target_unit_tag.tobytes().hex()
        grids = [columns.visibility, columns.creep, np.frombuffer(columns.rest, np.uint8)]
        assert told["grids"] == [None if grid is None else grid.tobytes().hex() for grid in grids]


def test_units_beyond_the_table_stay_in_the_rest(play: Play, tmp_path: Path) -> None:
    observation = sc2api_pb2.ResponseObservation()
    observation.observation.game_loop = 1
    observation.observation.raw_data.units.extend(raw_pb2.Unit(tag=tag) for tag in range(1, 65_600))
    streams = tmp_path / "many.obs"
    streams.write_bytes(delimited([observation.SerializeToString()]))
    recording = tmp_path / "many.mcap"
    assert run_daemon("import", str(streams), "-o", str(recording)).returncode == 0
    daemon = play(recording, "--wait-agents", "1")
    with abathur.connect_blocking(daemon.grpc) as game:
        (frame,) = game.frames(policy="every", encoding="columns", compression="zstd-stream")
    assert len(frame.units) == 65_535 and len(frame.rest.observation.raw_data.units) == 64
    assert ordered(frame.to_observation()) == ordered(observation)
