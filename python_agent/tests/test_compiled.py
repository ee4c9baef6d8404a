"""The compiled decoder of columns beside the reference in NumPy: the same arrays, bit for bit, and the same errors."""

from __future__ import annotations

import copy
import json
import multiprocessing
import pickle
import random
import sys
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import abathur
import payloads_by_hand
import pytest
from abathur import Units
from abathur._frame.columns_source import ColumnsUnits
from abathur.columns import ColumnsDecoder
from decoders import (
    any_messages,
    compact_payloads,
    decoded,
    decoding,
    digest,
    encoded,
    in_process_without_library,
    is_accepted,
    mutated,
    needs_library,
    streams_of,
    told_of,
    units_told,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import SHARED, SKIRMISH, matrix, needs_sequences, run_daemon, runs

pytestmark = needs_library

CASES = json.loads((Path(__file__).parents[2] / "tests" / "columns_cases.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def compact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The committed recording, compact."""
    path = tmp_path_factory.mktemp("compact") / "skirmish.mcap"
    done = run_daemon("export", str(SKIRMISH), "-o", str(path), "--compact")
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="module")
def streams(compact: Path, tmp_path_factory: pytest.TempPathFactory) -> list[list[bytes]]:
    """Streams of several kinds: a match, any observations, and what no encoder writes."""
    anything = encoded(any_messages(range(30)), tmp_path_factory.mktemp("any"))
    made = [*streams_of(compact_payloads(compact)), *streams_of(anything)]
    return [*(each[:40] for each in made), *(payloads_by_hand.stream(seed, 25) for seed in range(4))]


def assert_same(payloads: Sequence[bytes], *, start: int = 0, every: int = 1) -> list[Any]:
    """The library accepts what the reference does, and makes the same of it. Returns what that is."""
    wanted = decoded("numpy", payloads, start=start, every=every)
    for number, (ours, theirs) in enumerate(
        zip(decoded("library", payloads, start=start, every=every), wanted, strict=True), start
    ):
        assert is_accepted(ours) == is_accepted(theirs), number
        assert ours == theirs or not is_accepted(theirs), number
    assert decoded("compiled", payloads, start=start, every=every) == wanted
    return wanted


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_payloads_made_by_hand(case: dict[str, Any]) -> None:
    # A frame after it: what has become of the stream is the same.
    assert_same([bytes.fromhex(case["payload"]), bytes.fromhex("01000000"), bytes.fromhex("01010000")])


@settings(max_examples=runs(20))
@given(seed=st.integers(0, 2**32))
def test_any_observations(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        payloads = encoded(any_messages(range(seed, seed + 15)), Path(folder))
    assert len(payloads) == 15
    assert all(map(is_accepted, assert_same(payloads)))


@settings(max_examples=runs(100))
@given(seed=st.integers(0, 2**32))
def test_any_numbers_in_any_column(seed: int) -> None:
    """Those that no encoder writes: values that wrap, any speed and direction, long widths."""
    assert all(map(is_accepted, assert_same(payloads_by_hand.stream(seed, 12))))


def test_a_match(streams: list[list[bytes]]) -> None:
    for payloads in streams:
        assert all(map(is_accepted, assert_same(payloads, every=3)))


@needs_sequences
@pytest.mark.parametrize(
    "name",
    matrix(
        *("proxima-pvt-late-creep8", "abyssal-zvp-shuffled", "berlingrad-zvz-mid", "hardwire-tvt-mid"),
        *("kairos-pvp-mid", "lostandfound-pvz-step8-bot", "odyssey-zvp-full"),
    ),
)
def test_real_sequences(tmp_path: Path, name: str) -> None:
    recording = tmp_path / "match.mcap"
    done = run_daemon("import", str(SHARED / "sequences" / f"{name}.obs.zst"), "-o", str(recording), "--compact")
    assert done.returncode == 0, done.stderr
    count = 0
    for payloads in streams_of(compact_payloads(recording)):
        assert all(map(is_accepted, assert_same(payloads, every=40)))
        count += len(payloads)
    assert count >= 499


@settings(max_examples=runs(600))
@given(seed=st.integers(0, 2**32))
def test_damaged_payloads(streams: list[list[bytes]], seed: int) -> None:
    """The damaged frame and those after it; a frame that is refused has the reference's error."""
    draw = random.Random(seed)
    payloads = draw.choice(streams)
    damaged = draw.randrange(min(len(payloads), 20))
    after = payloads[damaged + 1 : damaged + 4]
    assert_same([*payloads[:damaged], mutated(payloads[damaged], draw), *after, payloads[0]], start=damaged)


def test_the_library_refuses_what_the_reference_refuses(streams: list[list[bytes]]) -> None:
    """So that the comparison above compares something: many of its payloads are refused, and many are not."""
    draw = random.Random(0)
    refused = 0
    for _ in range(100):
        first = mutated(draw.choice(streams)[0], draw)
        (told,) = assert_same([first])
        refused += not is_accepted(told)
    assert 10 < refused < 95


def test_several_threads_decode_at_once(streams: list[list[bytes]]) -> None:
    with decoding("compiled"):
        wanted = [told_of(payloads[:25]) for payloads in streams]
        start = threading.Barrier(len(streams))

        def work(payloads: list[bytes]) -> list[Any]:
            start.wait(60)
            return told_of(payloads[:25])

        with ThreadPoolExecutor(len(streams)) as pool:
            assert list(pool.map(work, streams)) == wanted


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_other_processes_decode(streams: list[list[bytes]], method: str) -> None:
    wanted = digest(streams[0][:15])
    assert wanted[0] == "compiled"
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
        assert pool.submit(digest, streams[0][:15]).result(60) == wanted


@pytest.mark.parametrize("form", ["columns", "messages"])
def test_frames_travel_to_a_process_without_the_library_and_back(compact: Path, form: str) -> None:
    with abathur.open(compact if form == "columns" else SKIRMISH) as match:
        frames = list(match.frames(every=300))
    assert (frames[0]._source.columns is not None) == (form == "columns")
    wanted = [units_told(frame.units) for frame in frames]
    told, back = in_process_without_library(
        """
        frames, units = given
        result = [units_told(frame.units) for frame in frames], [units_told(each) for each in units]
        made = frames, [frame.units for frame in frames]
        """,
        # Units alone as well, some of whose columns have been read.
        (frames, [frame.units for frame in frames]),
    )
    assert told == (wanted, wanted)
    assert [units_told(frame.units) for frame in back[0]] == wanted
    assert [units_told(units) for units in back[1]] == wanted


@pytest.mark.parametrize("first", ["compiled", "numpy"])
def test_a_decoder_travels_between_processes(streams: list[list[bytes]], first: str) -> None:
    """It goes on there, and here again; the memory that it reads is that of the process where it is."""
    payloads = streams[0][:8]
    wanted = decoded("numpy", payloads)[-1][:4]
    with decoding(first):
        decoder = ColumnsDecoder()
        for payload in payloads[:3]:
            decoder.decode(payload)
    _, back = in_process_without_library(
        """
        decoder, payloads = given
        for payload in payloads:
            decoder.decode(payload)
        result, made = None, decoder
        """,
        (decoder, payloads[3:5]),
    )
    for payload in payloads[5:]:
        columns = back.decode(payload)
    found = [columns.units.cells, columns.units.velocity, columns.used, columns.heads]
    assert [(each.dtype.str, each.shape, each.tobytes()) for each in found] == wanted


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, lambda decoder: pickle.loads(pickle.dumps(decoder))])
def test_a_copy_of_a_decoder_does_not_need_the_original(streams: list[list[bytes]], how: Any) -> None:
    payloads = streams[0][:10]
    wanted = decoded("numpy", payloads)[-1][:4]
    with decoding("compiled"):
        decoder = ColumnsDecoder()
        for payload in payloads[:5]:
            decoder.decode(payload)
        copied = how(decoder)
        del decoder
        for payload in payloads[5:]:
            columns = copied.decode(payload)
    found = [columns.units.cells, columns.units.velocity, columns.used, columns.heads]
    assert [(each.dtype.str, each.shape, each.tobytes()) for each in found] == wanted


def test_units_are_the_same_when_the_decoder_has_gone_on(streams: list[list[bytes]]) -> None:
    """Arrays that are made later than the next frames, from memory that the library wrote."""
    payloads = streams[0][:20]
    with decoding("numpy"):
        decoder = ColumnsDecoder()
        wanted = [units_told(Units(ColumnsUnits(decoder.decode(payload)))) for payload in payloads]
    with decoding("compiled"):
        decoder = ColumnsDecoder()
        units = [Units(ColumnsUnits(decoder.decode(payload))) for payload in payloads]
        assert [units_told(each) for each in reversed(units)] == wanted[::-1]


@pytest.mark.parametrize("name", ["compiled", "numpy"])
@pytest.mark.parametrize("form", [bytearray, lambda payload: memoryview(bytearray(payload))])
def test_payloads_in_memory_that_is_used_again(streams: list[list[bytes]], name: str, form: Any) -> None:
    payloads = streams[0][:6]
    wanted = decoded("numpy", payloads)
    assert decoded(name, [form(payload) for payload in payloads]) == wanted
    with decoding(name):
        decoder, whole = ColumnsDecoder(), ColumnsDecoder()
        for payload in payloads:
            memory = form(payload)
            columns = decoder.decode(memory)
            memory[:] = bytes(len(payload))
            expected = whole.decode(payload).lists
        assert [table.cells.tobytes() for table in columns.lists] == [table.cells.tobytes() for table in expected]
    with pytest.raises(TypeError):
        ColumnsDecoder().decode(5)  # type: ignore[arg-type]


def test_the_program_that_runs_the_tests_has_the_library() -> None:
    """Else this file would compare the reference with itself."""
    assert abathur.columns.implementation == "compiled" and sys.modules["abathur.columns._compiled"].IS_HERE
