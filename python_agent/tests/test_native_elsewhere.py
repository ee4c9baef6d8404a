"""The compiled decoder for other systems, run by Wine and qemu: of each input the same becomes as here."""

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
MINGW, AARCH64 = "x86_64-w64-mingw32-gcc", "aarch64-linux-gnu-gcc"
QEMU = shutil.which("qemu-aarch64")
pytestmark = [
    pytest.mark.wine,
    pytest.mark.skipif(sys.platform != "linux", reason="on Windows itself all other tests run it"),
]
SYSTEMS = [
    pytest.param(
        "windows",
        marks=[
            pytest.mark.skipif(WINE is None, reason="needs Wine (Debian: apt-get install wine64)"),
            pytest.mark.skipif(
                shutil.which(MINGW) is None, reason=f"needs {MINGW} (Debian: gcc-mingw-w64-x86-64-win32)"
            ),
        ],
    ),
    pytest.param(
        "arm64",
        marks=[
            pytest.mark.skipif(QEMU is None, reason="needs qemu-aarch64 (Debian: qemu-user)"),
            pytest.mark.skipif(
                shutil.which(AARCH64) is None, reason=f"needs {AARCH64} (Debian: gcc-aarch64-linux-gnu)"
            ),
        ],
    ),
]


@pytest.fixture(scope="module", params=SYSTEMS)
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`check.c` and the library, as a program that starts the emulator."""
    folder = tmp_path_factory.mktemp("elsewhere")
    sources = [str(CHECK), *map(str, sorted(NATIVE.glob("*.c")))]
    flags = ["-std=c11", "-O3", "-ffp-contract=off", "-static", f"-I{NATIVE}"]
    if request.param == "windows":
        compiler = [MINGW, "-D__USE_MINGW_ANSI_STDIO"]
        emulator = (
            f"WINEPREFIX={shlex.quote(str(folder / 'prefix'))} WINEDEBUG=-all DISPLAY= exec {shlex.quote(str(WINE))}"
        )
    else:
        compiler, emulator = [AARCH64], f"exec {shlex.quote(str(QEMU))}"
    subprocess.run([*compiler, *flags, "-o", str(folder / "check.exe"), *sources, "-lm"], check=True)
    script = folder / "check"
    script.write_text(f'#!/bin/sh\n{emulator} {shlex.quote(str(folder / "check.exe"))} "$@"\n')
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
