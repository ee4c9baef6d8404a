"""Running the real programs in tests."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from abathur import Game
from abathur.sync.v1 import sync_pb2

ROOT = Path(__file__).resolve().parents[3]
SHARED = ROOT.parent / "shared"
SKIRMISH = ROOT / "recordings" / "skirmish.mcap"
#: The Release build; `dotnet make.cs test` names the program that users get, which starts with less work.
DAEMON = Path(
    os.environ.get("ABATHUR_TEST_DAEMON")
    or ROOT / "artifacts" / "bin" / "Abathur.Sync" / "release" / "abathur-sync.dll"
)
TIMEOUT = 30
#: Seconds between two looks at a condition.
PAUSE = 0.01
#: Of gRPC, the socket, and with them HTTP.
FREE_PORTS = ("--grpc-port", "0", "--socket-port", "0")
#: Tokens of `token_options`.
ACT = "act-token-0123456789"
WATCH = "watch-token-0123456789"


def runs(full: int) -> int:
    """How often a property test runs: all are scaled by ABATHUR_TEST_SCALE, as those of .NET (Runs.cs)."""
    return max(10, int(full * float(os.environ.get("ABATHUR_TEST_SCALE") or 1)))


def matrix(*values: object, tested: int = 1) -> list[object]:
    """Values of a parameter, of which the first are tested in each run; the others by `dotnet make.cs test --all`."""
    others = (each if isinstance(each, tuple) else (each,) for each in values[tested:])
    return [*values[:tested], *(pytest.param(*each, marks=pytest.mark.matrix) for each in others)]


def crossed(**values: Iterable[object]) -> pytest.MarkDecorator:
    """Combinations of parameters: each value is tested in each run, each combination by `dotnet make.cs test --all`."""
    lists = {name: list(each) for name, each in values.items()}
    count = max(map(len, lists.values()))
    tested = {tuple(i % len(each) for each in lists.values()) for i in range(count)}
    return pytest.mark.parametrize(
        tuple(lists),
        [
            pytest.param(
                *(each[i] for each, i in zip(lists.values(), places, strict=True)),
                marks=() if places in tested else pytest.mark.matrix,
                id="-".join(_id(each[i], i) for each, i in zip(lists.values(), places, strict=True)),
            )
            for places in itertools.product(*(range(len(each)) for each in lists.values()))
        ],
    )


def _id(value: object, place: int) -> str:
    return str(value) if isinstance(value, str | int) else f"{place}"


def daemon_command(*arguments: str) -> list[str]:
    """The command line of the daemon."""
    if not DAEMON.exists():
        raise FileNotFoundError(f"{DAEMON} is missing: run `dotnet make.cs setup` first")
    return [*(["dotnet"] if DAEMON.suffix == ".dll" else []), str(DAEMON), *arguments]


def run_daemon(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    settings = {"capture_output": True, "text": True, "timeout": TIMEOUT, "check": False, **options}
    return subprocess.run(daemon_command(*arguments), **settings)  # type: ignore[call-overload]


def run_with_children(command: list[str], timeout: float, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a command that starts others, in the checkout, to its end. If it takes too long, they end with it."""
    settings = {"cwd": ROOT, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
    with subprocess.Popen(command, start_new_session=True, **settings) as process:  # type: ignore[call-overload]
        try:
            output, errors = process.communicate(timeout=timeout)
        except BaseException:
            if os.name == "nt":
                process.kill()
            else:
                # Only what was started here is in this group.
                os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def pip_settings() -> dict[str, str]:
    """What pip takes packages from: an index, or the folder beside the checkout."""
    wheels = SHARED / "wheels"
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)} if wheels.is_dir() else {}


def random_seed() -> int:
    """Another seed each time, printed with what repeats it: pytest shows that where the test fails."""
    seed = int(os.environ.get("ABATHUR_TEST_SEED") or random.randrange(2**32))
    print(f"seed {seed}: ABATHUR_TEST_SEED={seed} gives the same test again")
    return seed


@dataclass
class Daemon:
    """A running daemon."""

    process: subprocess.Popen[str]
    addresses: dict[str, str] = field(default_factory=dict)

    @property
    def grpc(self) -> str:
        return self.addresses["grpc"]

    @property
    def socket(self) -> str:
        return self.addresses["socket"]

    @property
    def socket_port(self) -> int:
        return self.port("socket")

    def port(self, transport: str) -> int:
        return int(self.addresses[transport].rpartition(":")[2])

    def wait(self) -> int:
        return self.process.wait(TIMEOUT)

    def stop(self) -> int:
        """Close the daemon's standard input, as the end of its parent would."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        return self.wait()

    def close(self) -> None:
        """End it, whatever state it is in, by its own process id, and close what it wrote to."""
        if self.process.stdin is not None and not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stderr is not None and not self.process.stderr.closed:
            # Shown where a test fails.
            print(self.process.stderr.read())
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


def token_options(folder: Path, name: Callable[[Path], str] = str) -> tuple[str, ...]:
    """Options of the daemon for the tokens `ACT` and `WATCH`, in files of a folder.

    Args:
        folder: Where the files are written.
        name: How the daemon calls a file.
    """
    options = []
    for option, token in (("--token-file", ACT), ("--watch-token-file", WATCH)):
        file = folder / token
        file.write_text(token + "\n")
        file.chmod(0o600)
        options += [option, name(file)]
    return tuple(options)


Launch = Callable[..., Daemon]
Play = Callable[..., Daemon]


def start(*arguments: str) -> Daemon:
    process = subprocess.Popen(
        daemon_command(*arguments, "--stop-with-parent"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    daemon = Daemon(process)
    assert process.stdout is not None
    ready = process.stdout.readline().split()
    if ready[:1] != ["ready"]:
        # Ended and closed here: what is left open fails a test that comes later.
        _, told = process.communicate(timeout=TIMEOUT)
        raise AssertionError(f"the daemon did not start: {told}")
    for item in ready[1:]:
        transport, _, address = item.partition("=")
        if address.startswith("unix:"):
            daemon.addresses[f"{transport}+unix"] = f"{transport}+{address}"
        else:
            daemon.addresses[transport] = f"{transport}://{address}"
    return daemon


async def wait_until(game: Game, holds: Callable[[sync_pb2.Status], bool]) -> sync_pb2.Status:
    """The first status that is as it should be."""
    while not holds(status := await game.status()):
        await asyncio.sleep(PAUSE)
    return status


def pause() -> None:
    """Wait before a condition is looked at again: otherwise the loop takes the processor from what it waits for."""
    time.sleep(PAUSE)


async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    """Pass bytes on between a client and a port here, until either end is gone; then both are cut off."""
    upstream_reader, upstream_writer = await asyncio.open_connection("127.0.0.1", port)

    async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await source.read(65536):
                target.write(data)
                await target.drain()
        target.transport.abort()

    try:
        await asyncio.gather(copy(reader, upstream_writer), copy(upstream_reader, writer))
    finally:
        # Also where the test ends first: what is left open fails a test that comes later.
        upstream_writer.transport.abort()
        writer.transport.abort()


def abathur(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the Python command line to its end."""
    return subprocess.run(
        [sys.executable, "-m", "abathur", *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env={**os.environ, "COLUMNS": "120", **environment},
    )


def in_thread(target: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    return thread


needs_observations = pytest.mark.skipif(
    not (SHARED / "observations").is_dir(), reason=f"{SHARED / 'observations'} does not exist"
)
needs_sequences = pytest.mark.skipif(
    not (SHARED / "sequences").is_dir(), reason=f"{SHARED / 'sequences'} does not exist"
)
