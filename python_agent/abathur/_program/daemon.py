"""Where the daemon is, and the sample recording that comes with it."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from abathur.errors import DaemonError

__all__ = [
    "NAME_VARIABLE",
    "Command",
    "find_daemon",
    "has_daemon",
    "killed_after",
    "ready_addresses",
    "sample",
    "serving",
    "split_command",
    "start_daemon",
    "stop_daemon",
    "stream",
]

#: The daemon calls itself by this name in messages and help texts.
NAME_VARIABLE = "ABATHUR_COMMAND_NAME"

Command = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

_STOP_SECONDS = 10
_PACKAGE = Path(__file__).resolve().parents[1]
_CLONE = _PACKAGE.parents[1]
_SAMPLE = "skirmish.mcap"
#: Of a platform wheel, and the Release build of a clone.
_PROGRAMS = (
    _PACKAGE / "_daemon" / ("abathur-sync.exe" if os.name == "nt" else "abathur-sync"),
    _CLONE / "artifacts" / "bin" / "Abathur.Sync" / "release" / "abathur-sync.dll",
)


def find_daemon(command: Command | None = None) -> list[str]:
    """The daemon's command line.

    Args:
        command: The daemon: a path, a command line, or a command line in parts. Default: the value of the environment
            variable ``ABATHUR_SYNC``; else the program that came with this package; else, in a clone, its Release
            build; else ``abathur-sync`` on the ``PATH``.

    Raises:
        DaemonError: it was not found.
    """
    if command is not None and not isinstance(command, (str, os.PathLike)):
        return [os.fspath(part) for part in command]
    named = command if command is not None else os.environ.get("ABATHUR_SYNC")
    if named:
        return _with_dotnet(_words(named))
    found = next((str(path) for path in _PROGRAMS if path.exists()), None) or shutil.which("abathur-sync")
    if found is None:
        raise DaemonError(
            "this package came without the daemon (abathur-sync). Install the package from a clone with the .NET SDK, "
            "or put abathur-sync on the PATH, or name it in the environment variable ABATHUR_SYNC",
            None,
        )
    return _with_dotnet([found])


def has_daemon() -> bool:
    """Whether `find_daemon` finds one."""
    try:
        find_daemon()
    except DaemonError:
        return False
    return True


def sample() -> Path:
    """The sample recording that comes with this package: a simulated fight of 60 s.

    Raises:
        FileNotFoundError: it is not there.
    """
    for folder in (_PACKAGE / "_sample", _CLONE / "recordings"):
        if (path := folder / _SAMPLE).exists():
            return path
    raise FileNotFoundError(f"the sample recording {_SAMPLE} did not come with this package")


def start_daemon(
    line: Sequence[str], errors: int | IO[bytes], environment: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """Start a daemon that ends when this process ends, even after a crash: `stop_daemon` ends it before.

    Args:
        line: Its command line.
        errors: Its standard error, as for `subprocess.Popen`.
        environment: Its environment. Default: that of this process.

    Raises:
        DaemonError: it cannot be started.
    """
    try:
        return subprocess.Popen(
            [*line, "--stop-with-parent"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            encoding="utf-8",
            errors="replace",
            env=environment,
        )
    except OSError as error:
        raise DaemonError(f"cannot start {line[0]}: {error}", None) from error


@contextmanager
def killed_after(process: subprocess.Popen[str], seconds: float) -> Iterator[None]:
    """Kill a daemon when the context lasts longer: reading its output cannot be cancelled."""
    timer = threading.Timer(seconds, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def ready_addresses(process: subprocess.Popen[str]) -> dict[str, str]:
    """The addresses of a daemon by transport, from its ready line; empty if it does not start."""
    return dict(each.split("=", 1) for each in stream(process.stdout).readline().split()[1:])


@contextmanager
def serving(*arguments: str) -> Iterator[dict[str, str]]:
    """A daemon on free ports while the context lasts: its addresses by transport.

    Args:
        *arguments: Its command and options.

    Raises:
        DaemonError: it was not found, or did not start.
    """
    line = [*find_daemon(), *arguments, "--grpc-port", "0", "--socket-port", "0", "--stop-with-parent"]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        daemon = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8")
        try:
            addresses = ready_addresses(daemon)
            if not {"grpc", "socket", "http"} <= addresses.keys():
                code = daemon.wait()
                errors.seek(0)
                raise DaemonError(errors.read().strip().removeprefix("abathur-sync: "), code)
            yield addresses
        finally:
            stop_daemon(daemon)


def stop_daemon(process: subprocess.Popen[str]) -> None:
    """End a daemon that was started with ``--stop-with-parent``, and kill it if it does not end by itself."""
    stdin = stream(process.stdin)
    if not stdin.closed:
        stdin.close()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    stream(process.stdout).close()


def stream(pipe: IO[str] | None) -> IO[str]:
    """A pipe that was asked for when the process was started."""
    assert pipe is not None
    return pipe


def _words(command: str | os.PathLike[str]) -> list[str]:
    """An existing path, which may have blanks; else the words of a command line."""
    if not isinstance(command, str) or Path(command).exists():
        return [os.fspath(command)]
    try:
        words = split_command(command)
    except ValueError as error:
        raise DaemonError(f"the command line {command!r} cannot be read: {error}", None) from None
    if not words:
        raise DaemonError("the command line of the daemon is empty", None)
    return words


def split_command(text: str) -> list[str]:
    """The words of a command line, the same on all systems: a backslash is part of a word, as in Windows paths.

    Blanks separate words; double or single quotation marks group characters to one word. `examples/ladder_run.py`,
    which runs without this package, splits in the same way.

    Raises:
        ValueError: a quotation mark is not closed.
    """
    lexer = shlex.shlex(text, posix=True)
    lexer.whitespace_split = True
    lexer.escape = lexer.commenters = ""
    return list(lexer)


def _with_dotnet(command: list[str]) -> list[str]:
    return ["dotnet", *command] if command[0].lower().endswith(".dll") else command
