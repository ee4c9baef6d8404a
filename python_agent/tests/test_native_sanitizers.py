"""The compiled decoder with the sanitizers of gcc: no input makes it read or write beyond its memory, or overflow.

`tests/native/check.c` calls its functions as the package does, with buffers of exactly the size that they need, and
says what becomes of each input; that is compared with what becomes of it in NumPy, and in the package.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import payloads_by_hand
import pytest
from abathur._frame import bytes_units
from abathur.columns import ColumnsDecoder, _contents, _motion
from abathur.errors import ProtocolError
from decoders import any_messages, compact_payloads, decoding, encoded, mutated, needs_library, streams_of
from observations import make
from programs import ROOT, SHARED, SKIRMISH, matrix, needs_observations, needs_sequences, run_daemon, runs
from s2clientprotocol import sc2api_pb2

SEED = 20_261
NATIVE = ROOT / "python_agent" / "native"
CHECK = ROOT / "tests" / "native" / "check.c"
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
FLAGS = (*SANITIZERS, "-g", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-std=c11")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`check.c` and the library, compiled with sanitizers."""
    gcc = shutil.which("gcc")
    if gcc is None:
        pytest.skip("gcc is not installed")
    folder = tmp_path_factory.mktemp("check")
    empty, output = folder / "empty.c", folder / "check"
    empty.write_text("int main(void) { return 0; }\n")
    if subprocess.run([gcc, *SANITIZERS, "-o", str(output), str(empty)], capture_output=True, check=False).returncode:
        pytest.skip("gcc's sanitizer libraries are not installed")
    sources = [str(CHECK), *map(str, sorted(NATIVE.glob("*.c")))]
    done = subprocess.run(
        [gcc, *FLAGS, f"-I{NATIVE}", "-o", str(output), *sources, "-lm"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return output


def run(program: Path, *arguments: str) -> list[str]:
    done = subprocess.run(
        [str(program), *arguments],
        capture_output=True,
        text=True,
        timeout=250,
        check=False,
        env={**os.environ, "UBSAN_OPTIONS": "print_stacktrace=1"},
    )
    assert done.returncode == 0, f"after {len(done.stdout.splitlines())} inputs: {done.stderr}"
    return done.stdout.splitlines()


def write(file: Path, inputs: Iterable[bytes]) -> str:
    file.write_bytes(b"".join(len(each).to_bytes(4, "little") + each for each in inputs))
    return str(file)


def check_columns(program: Path, folder: Path, streams: Sequence[Sequence[bytes]]) -> Counter[str]:
    """What becomes of the payloads of streams: the same as in NumPy. Returns how often."""
    directions = folder / "directions"
    directions.write_bytes(_motion.quarter().astype("<i4").tobytes())
    # An empty input begins a new stream.
    file = write(folder / "payloads", (each for stream in streams for each in (b"", *filter(None, stream))))
    told = run(program, "columns", str(directions), file)
    wanted = []
    with decoding("numpy"), pytest.MonkeyPatch.context() as patch:
        # The records of `extras` are read in Python alone.
        patch.setattr(_contents._extras, "check", lambda *_: None)
        for stream in streams:
            wanted += ["new stream", *by_numpy(filter(None, stream))]
    assert told == wanted
    return Counter(told)


def by_numpy(payloads: Iterable[bytes]) -> Iterable[str]:
    decoder = ColumnsDecoder()
    for payload in payloads:
        try:
            columns = decoder.decode(payload)
        except ProtocolError:
            yield "refused"
            continue
        try:
            columns.contents.lists  # noqa: B018
        except ProtocolError:
            yield "contents refused"
        else:
            yield "taken"


@pytest.fixture(scope="module")
def streams(tmp_path_factory: pytest.TempPathFactory) -> list[list[bytes]]:
    folder = tmp_path_factory.mktemp("streams")
    recording = folder / "match.mcap"
    done = run_daemon("export", str(SKIRMISH), "-o", str(recording), "--compact")
    assert done.returncode == 0, done.stderr
    match = [each[:30] for each in streams_of(compact_payloads(recording))]
    anything = streams_of(encoded(any_messages(range(runs(200))), folder))
    return [*match, *anything, *(payloads_by_hand.stream(seed, 12) for seed in range(runs(200)))]


def test_payloads_of_an_encoder_and_by_hand(program: Path, streams: list[list[bytes]], tmp_path: Path) -> None:
    cases = json.loads((ROOT / "tests" / "columns_cases.json").read_text(encoding="utf-8"))
    counts = check_columns(program, tmp_path, [*streams, *([bytes.fromhex(case["payload"])] for case in cases)])
    assert counts["taken"] > sum(map(len, streams)) and counts["refused"]


def test_damaged_payloads(program: Path, streams: list[list[bytes]], tmp_path: Path) -> None:
    draw, count = random.Random(SEED), runs(5000)
    print(f"{count} streams of seed {SEED}")
    damaged = []
    for _ in range(count):
        stream = draw.choice(streams)[:6]
        at = draw.randrange(len(stream))
        damaged.append([*stream[:at], mutated(stream[at], draw), *stream[at + 1 :]])
    counts = check_columns(program, tmp_path, damaged)
    assert min(counts[each] for each in ("taken", "refused", "contents refused")) > count // 5


def test_payloads_that_are_cut_anywhere(program: Path, streams: list[list[bytes]], tmp_path: Path) -> None:
    key, delta = min((stream[:2] for stream in streams if len(stream) > 1), key=lambda pair: sum(map(len, pair)))
    cut = [*([key[:size]] for size in range(len(key))), *([key, delta[:size]] for size in range(len(delta)))]
    counts = check_columns(program, tmp_path, cut)
    assert counts["taken"] == len(delta)


@needs_sequences
@pytest.mark.parametrize(
    "name",
    matrix(
        *("abyssal-zvp-shuffled", "berlingrad-zvz-mid", "hardwire-tvt-mid", "kairos-pvp-mid"),
        *("lostandfound-pvz-step8-bot", "odyssey-zvp-full", "proxima-pvt-late-creep8"),
        tested=0,
    ),
)
def test_real_sequences(program: Path, tmp_path: Path, name: str) -> None:
    recording = tmp_path / "match.mcap"
    done = run_daemon("import", str(SHARED / "sequences" / f"{name}.obs.zst"), "-o", str(recording), "--compact")
    assert done.returncode == 0, done.stderr
    streams = streams_of(compact_payloads(recording))
    assert check_columns(program, tmp_path, streams) == {
        "new stream": len(streams),
        "taken": sum(map(len, streams)),
    }


def check_messages(program: Path, folder: Path, messages: Sequence[bytes]) -> Counter[str]:
    """What becomes of messages: the same as in the package. Returns how often."""
    words = bytes_units._program()[1]
    assert words.dtype == np.uint32
    (folder / "program").write_bytes(words.tobytes())
    sizes = [str(bytes_units._forms()[name].block.starts[-1]) for name in bytes_units._LISTS]
    told = run(program, "messages", str(folder / "program"), write(folder / "messages", messages), *sizes)
    assert told == ["refused" if bytes_units.units_of(each) is None else "taken" for each in messages]
    return Counter(told)


def raw(seed: int) -> bytes:
    observation = sc2api_pb2.ResponseObservation()
    observation.observation.raw_data.units.extend(make(seed).observation.raw_data.units)
    return observation.SerializeToString()


@needs_library
def test_messages(program: Path, tmp_path: Path) -> None:
    messages = [form(seed) for seed in range(runs(500)) for form in (raw, lambda seed: make(seed).SerializeToString())]
    assert check_messages(program, tmp_path, messages) == {"taken": len(messages)}


@needs_library
def test_messages_that_are_cut_anywhere(program: Path, tmp_path: Path) -> None:
    data = next(each for each in map(raw, range(1000)) if len(each) > 400)
    assert check_messages(program, tmp_path, [data[:size] for size in range(len(data))])["refused"] == len(data) - 1


@needs_library
def test_damaged_messages(program: Path, tmp_path: Path) -> None:
    draw, count = random.Random(SEED), runs(50_000)
    print(f"{count} messages of seed {SEED}")
    seeds = [form(seed) for seed in range(100) for form in (raw, raw, lambda seed: make(seed).SerializeToString())]
    counts = check_messages(program, tmp_path, [mutated(draw.choice(seeds), draw) for _ in range(count)])
    assert min(counts["taken"], counts["refused"]) > count // 20


@needs_library
@needs_observations
def test_real_observations(program: Path, tmp_path: Path) -> None:
    messages = [file.read_bytes() for file in sorted((SHARED / "observations").rglob("observation.binpb"))]
    assert check_messages(program, tmp_path, messages) == {"taken": len(messages)} and len(messages) >= 81
