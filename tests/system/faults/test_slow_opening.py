"""Files that take long to open: the commands that keep them open are stopped before that."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import TIMEOUT, daemon_command, pause

MAGIC = b"\x89MCAP0\r\n"
#: A header without profile and library.
HEADER = b"\x01" + (8).to_bytes(8, "little") + bytes(8)
#: A record of a kind that readers skip. A file without a summary is read to its end.
UNKNOWN = b"\x80" + bytes(8)
RECORDS = 50_000_000


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    file = tmp_path_factory.mktemp("endless") / "endless.mcap"
    with file.open("wb") as target:
        target.write(MAGIC + HEADER)
        many = UNKNOWN * 1_000_000
        for _ in range(RECORDS // 1_000_000):
            target.write(many)
    yield file
    file.unlink()


@pytest.mark.parametrize(
    "command", [("play", "--ports", "auto"), ("emulate", "--listen", "0")], ids=lambda each: each[0]
)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it(endless: Path, command: tuple[str, ...], number: signal.Signals) -> None:
    name, *options = command
    with subprocess.Popen(
        daemon_command(name, str(endless), *options), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while not is_open(process.pid, endless):
            assert process.poll() is None
            pause()
        process.send_signal(number)
        output, errors = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, output) == (130, ""), errors


def is_open(pid: int, file: Path) -> bool:
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # It is closed meanwhile.
            if each.readlink() == file:
                return True
    return False
