"""The compiled decoder for Windows, run by Wine: the same becomes of each input as in NumPy, and in the package."""

from __future__ import annotations

import random
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import payloads_by_hand
import pytest
from decoders import any_messages, encoded, mutated, needs_library, streams_of
from programs import runs
from test_native_sanitizers import CHECK, NATIVE, SEED, check_columns, check_messages, raw
from test_windows import WINE

#: As python_agent/packaging/native.py.
MINGW = "x86_64-w64-mingw32-gcc"
pytestmark = [
    pytest.mark.wine,
    pytest.mark.skipif(sys.platform != "linux", reason="on Windows itself all other tests run it"),
    pytest.mark.skipif(WINE is None, reason="needs Wine (Debian: apt-get install wine64)"),
    pytest.mark.skipif(shutil.which(MINGW) is None, reason=f"needs {MINGW} (Debian: gcc-mingw-w64-x86-64-win32)"),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`check.c` and the library, as a program that starts Wine."""
    folder = tmp_path_factory.mktemp("windows")
    sources = [str(CHECK), *map(str, sorted(NATIVE.glob("*.c")))]
    flags = ["-std=c11", "-O3", "-ffp-contract=off", "-static", f"-I{NATIVE}", "-D__USE_MINGW_ANSI_STDIO"]
    subprocess.run([MINGW, *flags, "-o", str(folder / "check.exe"), *sources, "-lm"], check=True)
    script = folder / "check"
    assert WINE is not None
    environment = f"WINEPREFIX={shlex.quote(str(folder / 'prefix'))} WINEDEBUG=-all DISPLAY="
    script.write_text(
        f'#!/bin/sh\n{environment} exec {shlex.quote(WINE)} {shlex.quote(str(folder / "check.exe"))} "$@"\n'
    )
    script.chmod(0o755)
    return script


def test_payloads(program: Path, tmp_path: Path) -> None:
    draw = random.Random(SEED)
    streams = [*streams_of(encoded(any_messages(range(runs(100))), tmp_path))]
    streams += [payloads_by_hand.stream(seed, 12) for seed in range(runs(200))]
    damaged = [[mutated(stream[0], draw), *stream[1:]] for stream in streams]
    counts = check_columns(program, tmp_path, [*streams, *damaged])
    assert counts["taken"] > sum(map(len, streams)) and counts["refused"]


@needs_library
def test_messages(program: Path, tmp_path: Path) -> None:
    draw = random.Random(SEED)
    messages = [raw(seed) for seed in range(runs(200))]
    counts = check_messages(program, tmp_path, [*messages, *(mutated(each, draw) for each in messages * 10)])
    assert counts["taken"] >= len(messages) and counts["refused"]
