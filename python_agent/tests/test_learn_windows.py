"""Windows of recordings: the same tensors in any order, in any process, from any form of a recording."""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import multiprocessing
import pickle
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import abathur
import numpy as np
import pytest
from abathur import learn
from abathur._recording.frame_loops import FrameLoops, _repeats, _runs
from google.protobuf.proto import serialize_length_prefixed
from mcap.writer import Writer
from programs import SHARED, SKIRMISH, needs_sequences, run_daemon
from s2clientprotocol import sc2api_pb2

SPEC = learn.Spec(
    frames=4,
    every=8,
    slots=300,
    units=["x", "y", "health", "is_enemy", "build_progress", "is_flying"],
    players=["minerals", "food_used", "killed_minerals_army"],
    grids=["visibility", "creep"],
)
FIRST_LOOP, FRAMES = 8960, 1344


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Recordings of three matches, one of which both players have recorded."""
    folder = tmp_path_factory.mktemp("learn")
    wanted = {"a-full": [], "a-compact": ["--compact"]} | {
        name: ["--compact", "--steps", "700", "--seed", seed] for name, seed in (("b", "5"), ("c", "6"))
    }
    for name, options in wanted.items():
        done = run_daemon("synth", "-o", str(folder / f"{name}.mcap"), *options)
        assert done.returncode == 0, done.stderr
    yield folder


@pytest.fixture(scope="module")
def expected(folder: Path) -> list[learn.Window]:
    """The windows of `a`, along the frames of the full recording."""
    rolling = learn.Rolling(SPEC)
    with abathur.open(folder / "a-full.mcap") as recording:
        return [window for frame in recording if (window := rolling.push(frame)) is not None]


def equal(one: learn.Window, other: learn.Window) -> bool:
    return list(one) == list(other) and all(
        one[name].dtype == other[name].dtype
        and one[name].shape == other[name].shape
        and one[name].tobytes() == other[name].tobytes()
        for name in one
    )


def digest(window: learn.Window) -> str:
    return hashlib.sha256(b"".join(window[name].tobytes() for name in sorted(window))).hexdigest()


def separated(batches: Any) -> list[learn.Window]:
    return [{name: array[i] for name, array in batch.items()} for batch in batches for i in range(len(batch["tags"]))]


@pytest.mark.parametrize("name", ["a-full.mcap", "a-compact.mcap"])
def test_in_order_at_random_and_shuffled_are_the_same(folder: Path, expected: list[learn.Window], name: str) -> None:
    data = learn.Windows(folder / name, SPEC)
    assert len(data) == len(expected) == 168
    in_order = list(data)
    assert all(equal(one, other) for one, other in zip(in_order, expected, strict=True))
    for number in np.random.default_rng(1).permutation(len(data)).tolist():
        assert equal(data[number], expected[number])
    assert equal(data[-1], expected[-1])
    shuffled = separated(data.batches(10, seed=3, buffer=20))
    assert [each["loops"][-1] for each in shuffled] != [each["loops"][-1] for each in expected]
    found = {int(each["loops"][-1]): each for each in shuffled}
    assert all(equal(found[int(each["loops"][-1])], each) for each in expected)
    data.close()


def test_what_a_window_has(folder: Path) -> None:
    with learn_windows(folder / "a-full.mcap", SPEC, target=learn.losses(80)) as data:
        first, last = data[0], data[-1]
        with abathur.open(folder / "a-full.mcap") as recording:
            frame = recording[0]
            info = recording.game_info()
    assert {name: (array.dtype.name, array.shape) for name, array in first.items()} == {
        "units": ("float32", (4, 300, 6)),
        "mask": ("bool", (4, 300)),
        "types": ("int32", (4, 300)),
        "tags": ("int64", (300,)),
        "overflow": ("int64", ()),
        "loops": ("int32", (4,)),
        "players": ("float32", (4, 3)),
        "grids": ("uint8", (4, info.start_raw.map_size.y, info.start_raw.map_size.x, 2)),  # type: ignore[union-attr]
        "target": ("float32", (2,)),
        "valid": ("bool", ()),
    }
    for array in first.values():
        assert array.flags["C_CONTIGUOUS"] and array.flags["WRITEABLE"] and array.flags["OWNDATA"]
    assert first["loops"].tolist() == [-1, -1, -1, FIRST_LOOP]
    assert not first["mask"][:3].any() and first["mask"][3].sum() == 300
    assert first["overflow"] == len(frame.units) - 300
    units = dict(zip(first["tags"].tolist(), range(300), strict=True))
    for unit in frame.units:
        if unit.tag in units:
            row = first["units"][3, units[unit.tag]]
            assert row.tolist() == [
                unit.x,
                unit.y,
                unit.health,
                unit.alliance == 4,
                unit.build_progress,
                unit.is_flying,
            ]
    assert first["players"][3].tolist()[:2] == [frame.player.minerals, frame.player.food_used]
    assert (first["grids"][3, :, :, 0] == frame.grids.visibility).all() and not first["grids"][:3].any()
    assert first["valid"] and not last["valid"] and not last["target"].any()


def learn_windows(*arguments: Any, **options: Any) -> closing[learn.Windows]:
    return closing(learn.Windows(*arguments, **options))


def test_step_and_padding(folder: Path) -> None:
    def loops(**options: Any) -> list[int]:
        spec = replace(SPEC, grids=(), **{name: options.pop(name) for name in ("pad",) if name in options})
        with learn_windows(folder / "a-compact.mcap", spec, **options) as data:
            return [int(window["loops"][-1]) for window in data]

    multiples = list(range(FIRST_LOOP, FIRST_LOOP + FRAMES, 8))
    assert loops() == multiples
    assert loops(step=64) == [loop for loop in multiples if loop % 64 == 0]
    assert loops(pad=False) == multiples[3:]


def test_where_a_window_is(folder: Path) -> None:
    with learn_windows([folder / "b.mcap", folder / "a-compact.mcap"], SPEC, step=16) as data:
        path, loop = data.where(len(data) - 1)
        assert Path(path).name == "b.mcap" and loop == data[-1]["loops"][-1]
        assert [Path(each).name for each in data.recordings] == ["a-compact.mcap", "b.mcap"]
        with pytest.raises(IndexError, match=f"there is no window {len(data)}; there are {len(data)}"):
            data[len(data)]
        with pytest.raises(TypeError, match=r"a window has an integer as its number, not 1\.5"):
            data[1.5]  # type: ignore[index]


# Order.


@pytest.fixture(scope="module")
def data(folder: Path) -> Iterator[learn.Windows]:
    with learn_windows(folder, replace(SPEC, grids=(), slots=64), step=16) as made:
        yield made


def keys(batches: Any) -> list[str]:
    return [digest(each) for each in separated(batches)]


def test_an_order_is_a_function_of_seed_and_epoch(data: learn.Windows) -> None:
    everything = keys(data.batches(7, shuffle=False))
    assert len(everything) == len(data)
    orders = {(seed, epoch): keys(data.batches(7, seed=seed, epoch=epoch)) for seed in (1, 2) for epoch in (0, 1)}
    assert len({tuple(each) for each in orders.values()}) == 4
    assert all(sorted(each) == sorted(everything) for each in orders.values())
    assert keys(data.batches(30, seed=2, epoch=1, prefetch=3)) == orders[2, 1]
    assert keys(data.batches(1, seed=2, epoch=1, buffer=1)) != orders[2, 1]


@pytest.mark.parametrize("shuffle", [True, False])
def test_consumers_share_the_windows(data: learn.Windows, shuffle: bool) -> None:
    everything = sorted(keys(data.batches(9, shuffle=False)))
    for ranks in (2, 3):
        shares = [keys(data.batches(9, seed=4, rank=(rank, ranks), shuffle=shuffle)) for rank in range(ranks)]
        assert {len(share) for share in shares} == {len(data) // ranks}
        joined = [key for share in shares for key in share]
        assert len(set(joined)) == len(joined) or len(set(everything)) < len(everything)
        assert set(joined) <= set(everything)
    rank = keys(data.batches(9, seed=4, rank=(1, 2), shuffle=shuffle))
    workers = [keys(data.batches(9, seed=4, rank=(1, 2), worker=(n, 3), shuffle=shuffle)) for n in range(3)]
    assert sorted(key for share in workers for key in share) == sorted(rank)
    assert max(map(len, workers)) - min(map(len, workers)) <= 1


@pytest.mark.parametrize("start", [1, 40, 41])
def test_an_iteration_goes_on_where_it_was(data: learn.Windows, start: int) -> None:
    whole = keys(data.batches(8, seed=5, epoch=2))
    first = data.batches(1, seed=5, epoch=2)
    begun = [next(first) for _ in range(start)]
    assert first.state == {"epoch": 2, "delivered": start, "seed": 5}
    rest = data.batches(8, seed=first.state["seed"], epoch=first.state["epoch"], start=first.state["delivered"])
    assert keys(begun) + keys(rest) == whole
    assert rest.state["delivered"] == len(data)


def test_the_last_batch_is_left_out_if_wanted(data: learn.Windows) -> None:
    sizes = [len(each["tags"]) for each in data.batches(50)]
    assert sizes[-1] == len(data) % 50 and len([*data.batches(50, drop_last=True)]) == len(data) // 50


def test_a_batch_is_its_own_memory(data: learn.Windows) -> None:
    one, other = list(data.batches(len(data) // 2 + 1, shuffle=False))
    for array in (*one.values(), *other.values()):
        assert array.flags["C_CONTIGUOUS"] and array.flags["WRITEABLE"] and array.flags["OWNDATA"]


def test_threads_ahead_end(data: learn.Windows) -> None:
    with data.batches(4, prefetch=2) as batches:
        next(batches)
        (thread,) = [each for each in threading.enumerate() if each.name == "abathur.learn"]
    thread.join(10)
    assert not thread.is_alive()
    assert list(batches) == []
    # One that is left alone ends too.
    abandoned = data.batches(4, prefetch=2)
    next(abandoned)
    (thread,) = [each for each in threading.enumerate() if each.name == "abathur.learn"]
    del abandoned
    thread.join(10)
    assert not thread.is_alive()


def test_a_url_is_read_as_a_file(folder: Path) -> None:
    with learn_windows(f"file://{folder / 'b.mcap'}", SPEC) as remote, learn_windows(folder / "b.mcap", SPEC) as local:
        assert remote.recordings == [f"file://{folder / 'b.mcap'}"]
        assert digest(remote[5]) == digest(local[5])
        copies = {opened.recording.path for opened in remote._reader._open.values()}
        assert all(each.exists() and each.parent != folder for each in copies)
    assert not any(each.exists() for each in copies)


# Processes.


def key_of(data: learn.Windows, number: int) -> str:
    return digest(data[number])


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_other_processes_read_the_same(data: learn.Windows, method: str) -> None:
    numbers = [0, len(data) - 1, 3]
    here = [key_of(data, number) for number in numbers]
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        assert [each.result(60) for each in [pool.submit(key_of, data, number) for number in numbers]] == here


def test_threads_read_one(data: learn.Windows) -> None:
    numbers = [*range(0, len(data), 5)] * 2
    here = {number: key_of(data, number) for number in numbers}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda number: key_of(data, number), numbers)) == [here[number] for number in numbers]


def test_more_recordings_than_may_be_open(folder: Path, tmp_path: Path) -> None:
    for number in range(20):
        shutil.copy(folder / "b.mcap", tmp_path / f"{number:02}.mcap")
    with learn_windows(tmp_path, replace(SPEC, grids=()), step=64) as many:
        each = len(many) // 20
        assert len({key_of(many, number * each) for number in range(20)}) == 1
        assert len(many._reader._open) == 16
    assert not many._reader._open


def test_a_pickle_has_no_open_files(data: learn.Windows) -> None:
    data[0]
    copy = pickle.loads(pickle.dumps(data))
    assert copy._readers == {} and key_of(copy, 2) == key_of(data, 2)
    copy.close()


# Targets.


def test_losses_are_those_of_the_score(folder: Path) -> None:
    def lost(frame: abathur.Frame) -> list[float]:
        details = frame.observation.score.score_details
        names = ("none", "army", "economy", "technology", "upgrade")
        return [
            sum(getattr(part, name) for part in both for name in names)
            for both in (
                (details.lost_minerals, details.lost_vespene),
                (details.killed_minerals, details.killed_vespene),
            )
        ]

    with learn_windows(folder / "b.mcap", SPEC, step=64, target=learn.losses(within=104)) as data:
        found = list(data)
        assert all(equal(one, data[number]) for number, one in enumerate(found))
    with abathur.open(folder / "b.mcap") as recording:
        frames = {frame.game_loop: lost(frame) for frame in recording}
    for each in found:
        loop = int(each["loops"][-1])
        assert bool(each["valid"]) == (loop + 104 in frames)
        wanted = np.subtract(frames[loop + 104], frames[loop]) if each["valid"] else [0, 0]
        assert each["target"].tolist() == list(wanted)
    assert sum(bool(each["target"].any()) for each in found) > 3


def test_resources_later(folder: Path) -> None:
    with (
        learn_windows(folder / "b.mcap", SPEC, step=128, target="resources") as data,
        abathur.open(folder / "b.mcap") as recording,
    ):
        assert data.target is not None and data.target.within == 672
        first = data[0]
        player = recording.frame_at(int(first["loops"][-1]) + 672).player
        assert first["target"].tolist() == [player.minerals, player.vespene]


def test_actions_are_the_first_commands_after_a_window(folder: Path) -> None:
    with learn_windows(folder / "a-compact.mcap", SPEC, target=learn.actions(within=16, limit=3)) as data:
        found = list(data)
        assert all(equal(one, data[number]) for number, one in enumerate(found))
    with abathur.open(folder / "a-full.mcap") as recording:
        commands = [
            (frame.game_loop, action.action_raw.unit_command)
            for frame in recording
            for action in frame.response.actions
            if action.action_raw.HasField("unit_command")
        ]
    assert len(commands) > 20
    seen = 0
    for each in found[:-2]:
        loop = int(each["loops"][-1])
        wanted = [command for at, command in commands if loop < at <= loop + 16][:3]
        slots = {tag: slot for slot, tag in enumerate(each["tags"].tolist()) if tag}
        rows = [
            [
                command.ability_id,
                np.float32(command.target_world_space_pos.x),
                np.float32(command.target_world_space_pos.y),
                slots.get(command.target_unit_tag, -1),
                slots.get(command.unit_tags[0], -1),
                len(command.unit_tags),
                command.queue_command,
            ]
            for command in wanted
        ]
        assert each["target"].tolist() == rows + [[0, 0, 0, -1, -1, 0, 0]] * (3 - len(rows))
        seen += len(rows)
    assert seen > 20


def test_a_result_is_that_of_the_player(folder: Path, tmp_path: Path) -> None:
    with learn_windows(folder / "a-compact.mcap", SPEC, step=320, target=learn.result) as data:
        assert all(each["target"] == 1 and each["valid"] for each in data)
    cut = tmp_path / "cut.mcap"
    with abathur.open(SKIRMISH) as recording, recorder(cut) as write:
        for frame in recording.frames(stop=FIRST_LOOP + 100):
            write(frame.response)
    with pytest.raises(abathur.AbathurError, match=r"no windows: .*cut\.mcap has no result of its player"):
        learn.Windows(cut, SPEC, target="result")
    with learn_windows([cut, folder / "a-compact.mcap"], SPEC, target="result") as data:
        (failure,) = data.failures
        assert Path(failure.source) == cut and "has no result" in failure.error


@contextmanager
def recorder(path: Path, *options: str) -> Iterator[Callable[[sc2api_pb2.ResponseObservation], None]]:
    """Makes a recording of observations."""
    messages: list[sc2api_pb2.ResponseObservation] = []
    yield messages.append
    source = path.with_suffix(".obs")
    with source.open("wb") as file:
        for each in messages:
            serialize_length_prefixed(each, file)
    done = run_daemon("import", str(source), "-o", str(path), *options)
    assert done.returncode == 0, done.stderr
    source.unlink()


def units_lost(frames: learn.Future, horizon: int) -> list[float]:
    """In a module, so that it is pickled."""
    tags = set(frames.now.units.tag[frames.now.units.alliance == 1].tolist())
    for frame in frames:
        assert frames.now.game_loop < frame.game_loop <= frames.now.game_loop + horizon
    return [len(frames), len(tags - set(frames[-1].units.tag.tolist()))]


def test_a_function_is_a_target(folder: Path) -> None:
    with learn_windows(folder / "a-compact.mcap", SPEC, step=64, target=units_lost, horizon=64) as data:
        found = list(data)
        assert {int(each["target"][0]) for each in found if each["valid"]} == {8}
        assert max(each["target"][1] for each in found) > 0
        assert not found[-1]["valid"] and found[-1]["target"].tolist() == [0, 0]
        copy = pickle.loads(pickle.dumps(data))
        assert equal(copy[-1], found[-1]) and equal(copy[3], found[3])
        copy.close()


def test_what_is_not_finite_is_not_valid(folder: Path) -> None:
    with learn_windows(folder / "b.mcap", SPEC, step=64, target=lambda frames, horizon: np.nan, horizon=8) as data:
        assert not any(each["valid"] or each["target"] for each in data)


def test_targets_of_different_shapes_are_refused(folder: Path) -> None:
    def growing(frames: learn.Future, horizon: int) -> Any:
        return np.zeros(frames.now.game_loop % 3)

    with (
        learn_windows(folder / "b.mcap", SPEC, step=64, target=growing, horizon=8) as data,
        pytest.raises(ValueError, match="target is of shape"),
    ):
        list(data)


# Slots that are kept.


def test_kept_slots_are_those_along_the_match(folder: Path) -> None:
    spec = replace(SPEC, frames=2, slots="match", match_slots=320, grids=())
    rolling = learn.Rolling(spec)
    with abathur.open(folder / "a-full.mcap") as recording:
        wanted = [window for frame in recording if (window := rolling.push(frame)) is not None]
    with learn_windows(folder / "a-compact.mcap", spec, target=learn.losses(64)) as data:
        found = list(data)
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            assert equal({name: one[name] for name in other}, other)
        last = {slot: tag for slot, tag in enumerate(found[-1]["tags"].tolist()) if tag}
        first = {slot: tag for slot, tag in enumerate(found[0]["tags"].tolist()) if tag}
        assert sum(last[slot] == tag for slot, tag in first.items()) > 200
        for wrong in (lambda: data[3], lambda: data.batches(2), lambda: data.batches(2, shuffle=False, start=2)):
            with pytest.raises(ValueError, match='slots="match" needs the order'):
                wrong()
    with learn_windows(folder / "a-compact.mcap", spec, step=64) as data:
        every = [each for each in wanted if each["loops"][-1] % 64 == 0]
        assert all(equal(one, other) for one, other in zip(data, every, strict=True))


# Matches.


def test_recordings_of_one_match_are_on_one_side(folder: Path) -> None:
    with learn_windows(folder, SPEC) as data:
        sides = set()
        for seed in range(12):
            parts = data.split(0.5, seed=seed)
            names = [{Path(each).stem for each in part.recordings} for part in parts]
            assert names[0] | names[1] == {"a-full", "a-compact", "b", "c"} and not names[0] & names[1]
            assert all(("a-full" in side) == ("a-compact" in side) for side in names)
            assert sum(map(len, parts)) == len(data)
            sides.add(frozenset(names[0]))
            for part in parts:
                part.close()
        assert len(sides) > 2
        part = data.split(0.9, seed=1)[0]
        place = data.recordings.index(part.recordings[-1])
        assert place >= 0 and digest(part[-1]) in {digest(each) for each in data}
        part.close()


def test_one_match_is_not_split(folder: Path) -> None:
    with learn_windows(folder / "a-*.mcap", SPEC) as data, pytest.raises(ValueError, match="one match cannot be split"):
        data.split(0.5)


# What is wrong.


def test_recordings_that_cannot_be_read_are_listed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.mcap").write_bytes(b"not a recording")
    with (tmp_path / "empty.mcap").open("wb") as file:
        writer = Writer(file)
        writer.start()
        schema = writer.register_schema("SC2APIProtocol.ResponseObservation", "protobuf", b"")
        writer.register_channel("/observation", "protobuf", schema)
        writer.finish()
    with recorder(tmp_path / "apart.mcap") as write, abathur.open(SKIRMISH) as recording:
        for frame in recording.frames(every=22, stop=FIRST_LOOP + 220):
            write(frame.response)
    shutil.copy(folder / "b.mcap", tmp_path / "b.mcap")
    with learn_windows(tmp_path, replace(SPEC, pad=False)) as data:
        assert [Path(each).name for each in data.recordings] == ["b.mcap"]
        told = {Path(each.source).name: each.error for each in data.failures}
    assert "not a complete MCAP file" in told["bad.mcap"]
    assert "has no frames" in told["empty.mcap"]
    assert "has no 4 frames in a row that are 8 game loops apart" in told["apart.mcap"]
    assert "3 recordings not read" in repr(data)
    with pytest.raises(abathur.AbathurError, match="no file found"):
        learn.Windows(tmp_path / "*.sc2", SPEC)


@pytest.fixture
def damaged(folder: Path, tmp_path: Path) -> Path:
    """A recording whose last chunk was damaged after it was indexed."""
    path = tmp_path / "d.mcap"
    with recorder(path, "--chunk-size", "4000000") as write, abathur.open(SKIRMISH) as recording:
        for frame in recording:
            write(frame.response)
    return path


def damage(path: Path) -> int:
    """Damage the last but one chunk; returns the game loop from which on frames are lost."""
    with abathur.open(path) as recording:
        chunks = recording._mcap.contents.chunks
        chunk = chunks[-2]
        loop = round(chunk.message_start_time / 1e9 * 22.4)
        first = next(recording._messages(["/observation"], chunk.message_start_time))[1]
        loop = round(first.publish_time * 22.4 / 1e9)
    data = bytearray(path.read_bytes())
    middle = chunk.chunk_start_offset + chunk.chunk_length // 2
    data[middle : middle + 50] = bytes(50)
    path.write_bytes(data)
    return loop


def test_damage_is_told_or_skipped(damaged: Path) -> None:
    spec = replace(SPEC, grids=())
    with learn_windows(damaged, spec) as data:
        whole = [digest(each) for each in data]
        data.close()
        loop = damage(damaged)
        good = sum(1 for number in range(len(data)) if data.where(number)[1] < loop)
        assert 0 < good < len(data) - 5
        assert digest(data[good - 1]) == whole[good - 1]
        with pytest.raises(abathur.RecordingError, match=r"d\.mcap is damaged"):
            data[good]
        in_order = data.batches(5, shuffle=False)
        assert keys(in_order) == whole[:good] and in_order.skipped == len(data) - good
        shuffled = data.batches(5, seed=1)
        found = keys(shuffled)
        assert shuffled.skipped == len(data) - len(found) and 0 < len(found) <= good and set(found) <= set(whole)


def test_a_file_that_was_changed_is_told(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.mcap"
    shutil.copy(folder / "b.mcap", path)
    with learn_windows(path, SPEC) as data:
        shutil.copy(folder / "a-full.mcap", path)
        with pytest.raises(abathur.RecordingError, match=f"has changed: it has {FRAMES} frames, and had 700"):
            data[0]


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"step": 12}, ValueError, "step=12 is not a multiple of the 8 game loops"),
        ({"target": learn.losses(10)}, ValueError, "within=10 is not a multiple of the 8 game loops"),
        ({"target": "wins"}, ValueError, "there is no target 'wins'; there are result, losses, resources, actions"),
        ({"target": units_lost}, ValueError, "needs horizon=GAME_LOOPS"),
        ({"target": "losses", "horizon": 8}, ValueError, "horizon is for a target that is a function"),
        ({"target": 3}, TypeError, "target is a function, or learn.losses"),
        ({"spec": 3}, TypeError, "spec is a learn.Spec, not 3"),
    ],
)
def test_wrong_arguments_are_refused(
    folder: Path, options: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        learn.Windows(folder, options.pop("spec", SPEC), **options)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"size": 0}, ValueError, "size is 0"),
        ({"rank": 1}, TypeError, r"rank is \(NUMBER, NUMBER OF CONSUMERS\), not 1"),
        ({"rank": (2, 2)}, ValueError, "the number in rank is 2; it must be 0 to 1"),
        ({"worker": (0, 0)}, ValueError, "worker is 0"),
        ({"seed": -1}, ValueError, "seed is -1"),
        ({"start": 1.5}, TypeError, "start is a number"),
    ],
)
def test_wrong_batches_are_refused(
    data: learn.Windows, options: dict[str, Any], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        data.batches(**{"size": 4, **options})


# The index.


def test_an_index_is_kept_and_used(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = tmp_path / "index.jsonl"
    shutil.copy(folder / "b.mcap", tmp_path / "b.mcap")
    first = learn.Windows(tmp_path, SPEC, index=index)
    wanted = digest(first[9])
    lines = [json.loads(line) for line in index.read_text().splitlines()]
    assert lines[0] == {"format": "abathur index", "version": 1} and lines[1]["frames"] == 700
    # Nothing is read again.
    monkeypatch.setattr(FrameLoops, "of_messages", None)
    monkeypatch.setattr(FrameLoops, "from_metadata", None)
    second = learn.Windows(tmp_path, SPEC, index=index)
    assert digest(second[9]) == wanted
    monkeypatch.undo()
    for damaged in ("", "{}\n", index.read_text()[:-30], index.read_text().replace("*700", "*701")):
        index.write_text(damaged)
        assert digest(learn.Windows(tmp_path, SPEC, index=index)[9]) == wanted
        assert json.loads(index.read_text().splitlines()[1])["frames"] == 700
    shutil.copy(folder / "a-full.mcap", tmp_path / "b.mcap")
    assert len(learn.Windows(tmp_path, SPEC, index=index)) == 168


def test_game_loops_as_text() -> None:
    loops = np.array([5, 6, 7, 9, 11, 13, 13, 13, 2, 3, 40], np.int64)
    made = FrameLoops(_runs(loops), _repeats([4, 4, 3]))
    assert made.to_text() == ("5+1*3 9+2*3 13+0*2 2+1*2 40+1*1", "4*2 3*1")
    again = FrameLoops.parse(*made.to_text(), 11)
    assert again.loops().tolist() == loops.tolist() and again.counts().tolist() == [4, 4, 3]


@pytest.mark.parametrize(
    "values",
    [
        {"frames": "3", "loops": "0+1*4"},
        {"frames": "4", "loops": "0+1*3"},
        {"frames": "4", "loops": "0+1*99999999999"},
        {"frames": "4", "loops": "4294967290+9*4"},
        {"frames": "4", "loops": "-1+1*4"},
        {"frames": "4", "loops": "x"},
        {"frames": "4", "loops": "0+1*4", "segments": "5*1"},
        {"frames": "4", "loops": "0+1*4", "segments": "4"},
        {"frames": "4"},
    ],
)
def test_records_that_are_not_of_the_file_are_not_used(values: dict[str, str]) -> None:
    assert FrameLoops.from_metadata(values, 4) is None


@needs_sequences
@pytest.mark.parametrize("name", ["abyssal-zvp-shuffled"])
def test_shuffled_units_are_the_same_compact(name: str, tmp_path: Path) -> None:
    (source,) = (SHARED / "sequences").glob(f"{name}*")
    paths = [tmp_path / "full.mcap", tmp_path / "compact.mcap"]
    for path, options in zip(paths, ([], ["--compact"]), strict=True):
        done = run_daemon("import", str(source), "-o", str(path), *options)
        assert done.returncode == 0, done.stderr
    spec = replace(SPEC, grids=(), frames=8)
    with (
        learn_windows(paths[0], spec, target="losses") as full,
        learn_windows(paths[1], spec, target="losses") as compact,
    ):
        assert len(full) == len(compact) > 50
        assert all(equal(one, other) for one, other in zip(full, compact, strict=True))
