"""Recordings in threads and processes, frames by their number, and damaged files."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import random
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import abathur
import numpy as np
import pytest
from abathur.errors import RecordingError
from mcap.reader import make_reader
from mcap.writer import Writer
from programs import SKIRMISH, run_daemon, runs

#: What `told` tells of a frame.
Told = tuple[Any, ...]
KINDS = ["full", "small chunks", "compact", "compact segments", "not indexed"]


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sample in the forms that recordings have."""
    folder = tmp_path_factory.mktemp("recordings")
    made = {kind: folder / f"{kind}.mcap" for kind in KINDS}
    shutil.copy(SKIRMISH, made["full"])
    stream = folder / "stream.obs"
    assert run_daemon("export", str(SKIRMISH), "-o", str(stream)).returncode == 0
    assert run_daemon("export", str(SKIRMISH), "-o", str(made["compact"]), "--compact").returncode == 0
    for kind, options in {"small chunks": [], "compact segments": ["--compact"]}.items():
        done = run_daemon("import", str(stream), "-o", str(made[kind]), "--chunk-size", "1000000", *options)
        assert done.returncode == 0, done.stderr
    without_index(SKIRMISH, made["not indexed"])
    return made


def without_index(source: Path, to: Path) -> None:
    with source.open("rb") as file, to.open("wb") as output:
        reader = make_reader(file)
        writer = Writer(output, use_chunking=False, use_statistics=False)
        writer.start()
        known: dict[int, int] = {}
        for schema, channel, message in reader.iter_messages():
            assert schema is not None
            if channel.id not in known:
                number = writer.register_schema(schema.name, schema.encoding, schema.data)
                known[channel.id] = writer.register_channel(channel.topic, channel.message_encoding, number)
            writer.add_message(
                known[channel.id], message.log_time, message.data, message.publish_time, message.sequence
            )
        writer.finish()


def told(frame: abathur.Frame) -> Told:
    """What a frame has, as short as it can be compared."""
    units = frame.units
    return frame.sequence, frame.game_loop, len(units), int(units.tag.sum()), float(units.health.sum(dtype=np.float64))


@pytest.fixture(scope="module")
def wanted() -> list[Told]:
    with abathur.open(SKIRMISH) as match:
        return [told(frame) for frame in match.frames()]


@pytest.fixture(scope="module")
def sampled() -> list[Told]:
    """Every 16th frame, and the last."""
    with abathur.open(SKIRMISH) as match:
        return read_all(match, 16)


@pytest.fixture(params=KINDS)
def match(request: pytest.FixtureRequest, paths: dict[str, Path]) -> Any:
    with abathur.open(paths[request.param]) as opened:
        yield opened


def test_frames_have_numbers(match: abathur.Recording, wanted: list[Told]) -> None:
    assert len(match) == match.frame_count == len(wanted) == 1344
    assert [told(match[number]) for number in range(80)] == wanted[:80]
    numbers = [
        0,
        1343,
        700,
        701,
        703,
        800,
        699,
        1342,
        -1,
        -1344,
        np.int64(5),
        *random.Random(1).sample(range(1344), 12),
    ]
    for number in numbers:
        assert told(match[number]) == wanted[number], number
    assert [told(frame) for frame in match] == wanted
    for number in (1344, -1345):
        with pytest.raises(IndexError, match=rf"has no frame {number}; it has 1344 frames"):
            _ = match[number]
    with pytest.raises(TypeError, match=r"not slice\(0, 5, None\)"):
        _ = match[0:5]  # type: ignore[index]
    with pytest.raises(TypeError):
        _ = match[1.5]  # type: ignore[index]
    with pytest.raises(abathur.AbathurError, match="read by its number: only the frames of a stream have events"):
        _ = match[3].events


def test_frame_at_a_game_loop(match: abathur.Recording, wanted: list[Told]) -> None:
    for number in (0, 7, 900, 1343):
        assert told(match.frame_at(wanted[number][1])) == wanted[number]
    assert told(match.frame_at(0)) == wanted[0]
    with pytest.raises(RecordingError, match=r"has no frame at game loop 10304 or after it"):
        match.frame_at(wanted[-1][1] + 1)


def test_frames_of_one_time_have_numbers(tmp_path: Path) -> None:
    """Several messages with one log time, over several chunks, of which some are read twice."""
    path = tmp_path / "same.mcap"
    with SKIRMISH.open("rb") as file, path.open("wb") as output:
        writer = Writer(output, chunk_size=200_000)
        writer.start()
        channel = None
        for number, (schema, _, message) in enumerate(make_reader(file).iter_messages(topics=["/observation"])):
            assert schema is not None
            if channel is None:
                known = writer.register_schema(schema.name, schema.encoding, schema.data)
                channel = writer.register_channel("/observation", "protobuf", known)
            if number == 40:
                break
            writer.add_message(channel, 5 + number // 7, message.data, message.publish_time, message.sequence)
        writer.finish()
    with abathur.open(path) as match:
        expected = [frame.sequence for frame in match.frames()]
        assert len(expected) == len(match) == 40
        for number in [*range(39, -1, -1), *range(40)]:
            assert match[number].sequence == expected[number]
            match._cursors.clear()


def read_all(match: abathur.Recording, step: int) -> list[Told]:
    return [told(frame) for frame in match.frames(every=step)]


def read_some(match: abathur.Recording, numbers: list[int]) -> list[Told]:
    return [told(match[number]) for number in numbers]


def shuffled(seed: int, count: int) -> list[int]:
    return random.Random(seed).sample(range(1344), count)


def test_threads_read_one_recording(match: abathur.Recording, wanted: list[Told], sampled: list[Told]) -> None:
    with ThreadPoolExecutor(4) as pool:
        streams = [pool.submit(read_all, match, 16) for _ in range(4)]
        numbered = [pool.submit(read_some, match, shuffled(seed, 15)) for seed in range(4)]
        infos = [pool.submit(match.game_info) for _ in range(4)]
        assert all(each.result() == sampled for each in streams)
        for seed, each in enumerate(numbered):
            assert each.result() == [wanted[number] for number in shuffled(seed, 15)]
        assert len({str(each.result()) for each in infos}) == 1


def test_threads_read_one_recording_where_the_system_cannot_read_at_a_position(
    paths: dict[str, Path], sampled: list[Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows."""
    monkeypatch.delattr(os, "pread", raising=False)
    with abathur.open(paths["small chunks"]) as match, ThreadPoolExecutor(4) as pool:
        assert all(found == sampled for found in pool.map(lambda _: read_all(match, 16), range(8)))


def test_spawned_processes_read_a_recording(paths: dict[str, Path], wanted: list[Told], sampled: list[Told]) -> None:
    with (
        abathur.open(paths["small chunks"]) as match,
        ProcessPoolExecutor(3, multiprocessing.get_context("spawn")) as pool,
    ):
        streams = [pool.submit(read_all, match, 16) for _ in range(3)]
        numbered = [pool.submit(read_some, match, shuffled(seed, 10)) for seed in range(3)]
        assert all(each.result() == sampled for each in streams)
        for seed, each in enumerate(numbered):
            assert each.result() == [wanted[number] for number in shuffled(seed, 10)]


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_forked_processes_read_one_recording_at_once(
    match: abathur.Recording, wanted: list[Told], sampled: list[Told]
) -> None:
    """Inherited, not pickled: all have the same open file. Also iterations that have begun."""
    context = multiprocessing.get_context("fork")
    begun = match.frames(every=16)
    first = told(next(begun))
    results = context.Queue()

    def work(seed: int) -> None:
        found = [told(frame) for frame in begun] if seed % 2 else read_some(match, shuffled(seed, 15))
        results.put((seed, found))

    workers = [context.Process(target=work, args=(seed,)) for seed in range(4)]
    for each in workers:
        each.start()
    own = [first, *map(told, begun)]
    found = dict(results.get(timeout=120) for _ in workers)
    for each in workers:
        each.join()
    assert own == sampled
    for seed in range(4):
        expected = sampled[1:] if seed % 2 else [wanted[number] for number in shuffled(seed, 15)]
        assert found[seed] == expected


def test_a_recording_is_pickled_by_its_path(
    paths: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: list[Told]
) -> None:
    monkeypatch.chdir(paths["full"].parent)
    with abathur.open("full.mcap") as match:
        match.timeline()
        pickled = pickle.dumps(match)
    assert len(pickled) < 1000
    monkeypatch.chdir(tmp_path)
    again = pickle.loads(pickled)
    assert told(again[5]) == wanted[5]
    # Not closed: that is no warning, because the worker that has it did not open it.
    del again
    gc.collect()
    with abathur.open(paths["full"], follow=True) as followed:
        assert told(next(pickle.loads(pickle.dumps(followed)).frames())) == wanted[0]


def test_a_recording_without_frames_is_true_and_closed_ones_say_so(paths: dict[str, Path]) -> None:
    with abathur.open(paths["full"]) as match:
        begun = match.frames()
        next(begun)
        assert match
    uses: list[Callable[[], Any]] = [
        lambda: match[0],
        lambda: match.frame_at(0),
        lambda: list(match.frames()),
        lambda: match.game_info(),
        lambda: list(match.payloads()),
        lambda: match.timeline(),
    ]
    for use in uses:
        with pytest.raises(RecordingError, match="is closed: read it inside `with"):
            use()


def test_two_threads_follow_one_recording(paths: dict[str, Path], wanted: list[Told]) -> None:
    with abathur.open(paths["full"], follow=True) as match:
        one, two = match.frames(every=100), match.frames(every=100)
        first, second = [], []
        for frame, other in zip(one, two, strict=True):
            first.append(told(frame))
            second.append(told(other))
    assert first[:-1] == second[:-1] == wanted[::100]


#: All ways to read a recording.
READERS: dict[str, Callable[[abathur.Recording], Any]] = {
    "frames": lambda match: [frame.game_loop for frame in match.frames(every=5)],
    "frames from": lambda match: [frame.game_loop for frame in match.frames(start=8980)],
    "frame at": lambda match: match.frame_at(8985),
    "numbers": lambda match: [match[number].game_loop for number in range(0, min(len(match), 100), 9)],
    "payloads": lambda match: sum(map(len, match.payloads())),
    "actions": lambda match: len(list(match.action_requests())),
    "game info": lambda match: match.game_info(),
    "game data": lambda match: match.game_data(),
    "plots": lambda match: match.plots(),
}


@pytest.mark.parametrize("kind", ["chunks", "compact", "not indexed"])
def test_every_error_of_a_damaged_file_is_a_recording_error(kind: str, tmp_path: Path) -> None:
    """Bytes that are changed, removed and added anywhere, and most of all in the index."""
    path, stream = tmp_path / "damaged.mcap", tmp_path / "stream.obs"
    assert run_daemon("export", str(SKIRMISH), "-o", str(stream), "--stop", "9000").returncode == 0
    options = ["--chunk-size", "300000", *(["--compact"] if kind == "compact" else [])]
    assert run_daemon("import", str(stream), "-o", str(path), *options).returncode == 0
    if kind == "not indexed":
        without_index(path, tmp_path / "not indexed.mcap")
        path = tmp_path / "not indexed.mcap"
    whole = path.read_bytes()
    damaged = 0
    for seed in range(runs(120)):
        draw = random.Random(seed)
        data = bytearray(whole)
        begin = draw.choice([0, len(data) - 3000])
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(max(0, begin), len(data))
            change = draw.randrange(4)
            if change == 0:
                data[at] ^= 1 << draw.randrange(8)
            elif change == 1:
                data[at : at + 8] = draw.randbytes(8)
            elif change == 2:
                del data[at : at + draw.randrange(1, 100)]
            else:
                data[at : at + 4] = b"\xff\xff\xff\x7f"
        path.write_bytes(data)
        for name, read in READERS.items():
            try:
                with abathur.open(path) as match:
                    read(match)
            except RecordingError as error:
                assert str(path) in str(error), name
                damaged += 1
            except BaseException as error:
                error.add_note(f"seed {seed}, {name}")
                raise
    assert damaged > runs(120)


def test_readers_in_threads_do_not_wait_for_each_other(paths: dict[str, Path]) -> None:
    """An iteration that stands still holds nothing that another needs."""
    with abathur.open(paths["small chunks"]) as match:
        standing = match.frames()
        next(standing)
        done = threading.Event()

        def read() -> None:
            assert len(list(match.frames(every=100))) == 15
            done.set()

        threading.Thread(target=read).start()
        assert done.wait(60)
        assert next(standing).sequence == 2


@pytest.mark.parametrize("kind", KINDS)
def test_every_form_tells_of_its_match(kind: str, paths: dict[str, Path], wanted: list[Told]) -> None:
    with abathur.open(paths[kind]) as recording:
        assert len(recording.frames(start=9000, stop="6:44", every=7)) == 8
        assert recording.duration == wanted[-1][1] / 22.4
        assert [player.result for player in recording.players] == ["victory", "defeat"]
        frames = recording.frames(start=10_000, every=10)
        assert len(frames) == len(list(frames)) == 32


def test_frames_count_down(paths: dict[str, Path]) -> None:
    """A progress bar shows how many are still to come."""
    with abathur.open(paths["full"]) as recording:
        frames = recording.frames(stop=8970)
        assert (len(frames), next(frames).game_loop, len(frames)) == (10, 8960, 9)
        assert len(list(frames)) == 9 and len(frames) == 0
        frames.close()
