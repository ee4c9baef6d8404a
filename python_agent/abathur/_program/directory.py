"""The directory of this user's matches on this machine, which daemons write (``LocalMatch``).

Each match is ``NAME.json``, with the daemon's addresses, and ``NAME.lock``, which the daemon keeps locked. The system
releases the lock of a process that ended in any way: then the entry is removed.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import stat
from dataclasses import dataclass, field
from pathlib import Path

from abathur._values.malformed import MALFORMED
from abathur.errors import AbathurError

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
#: Addresses in the order in which agents prefer them.
_TRANSPORTS = ("grpc", "socket")


@dataclass(frozen=True)
class LocalMatch:
    """A running daemon.

    Attributes:
        name: Name of its match.
        command: Its command: ``play``, ``live``, ...
        pid: Its process.
        started: When it started, in ISO 8601 and UTC.
        addresses: By transport: ``grpc``, ``socket``, ``http``, and ``grpc+unix`` and ``socket+unix`` if it has them.
    """

    name: str
    command: str
    pid: int
    started: str
    addresses: dict[str, str] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """The address for agents."""
        return next(self.addresses[transport] for transport in _TRANSPORTS if transport in self.addresses)


def folder() -> Path:
    """Folder of the entries, which need not exist.

    Raises:
        AbathurError: other users can put entries there, or the user has no home folder.
    """
    root, below = _place()
    if not root.is_absolute():
        raise AbathurError(f"{str(root)!r} is not the path of a home folder: set HOME, or XDG_RUNTIME_DIR")
    if not root.is_dir():
        raise AbathurError(f"the folder {root} does not exist: set HOME, or XDG_RUNTIME_DIR")
    path = root
    if os.name != "nt":
        _check(path, is_last=False)
    for name in below:
        path /= name
        if os.name != "nt" and path.exists():
            _check(path, is_last=name == below[-1])
    return path


def _place() -> tuple[Path, tuple[str, ...]]:
    """The folder in which entries of this user are, and the names of those below it."""
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"), ("abathur", "matches")
    if runtime := os.environ.get("XDG_RUNTIME_DIR"):
        return Path(runtime), ("abathur", "matches")
    # A home folder may be shared by machines.
    return Path.home(), (".local", "state", "abathur", socket.gethostname().split(".")[0], "matches")


def _check(path: Path, *, is_last: bool) -> None:
    """Check that no other user can put entries into a folder, or replace it. The daemon checks the same."""
    found = path.stat()
    if found.st_uid != os.geteuid() and (is_last or found.st_uid != 0):
        raise AbathurError(
            f"the folder {path} belongs to another user (number {found.st_uid}): its entries are not trusted"
        )
    if is_last and found.st_mode & 0o077:
        raise AbathurError(
            f"other users may use the folder {path}: chmod 700 it, after you have looked at what is in it"
        )
    if not is_last and found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
        raise AbathurError(f"other users may write to the folder {path}: chmod o-w it")


def matches() -> list[LocalMatch]:
    """The matches of running daemons, by name. Entries of ended daemons are removed.

    Raises:
        AbathurError: the folder cannot be trusted.
    """
    found = (_read(path) for path in sorted(folder().glob("*.json"), key=lambda path: path.stem))
    return [each for each in found if each is not None]


def is_name(text: str) -> bool:
    """Whether a text may be the name of a match, here and on NATS: letters, digits, ``_`` and ``-``, at most 64."""
    return _NAME.fullmatch(text) is not None


def find(name: str) -> LocalMatch:
    """The match with this name.

    Raises:
        ValueError: the text cannot be a name.
        AbathurError: no running daemon has it, or the folder cannot be trusted.
    """
    if not is_name(name):
        raise ValueError(f"{name!r} is not the name of a match: expected letters, digits, _ and -, at most 64")
    found = _read(folder() / f"{name}.json")
    if found is None:
        names = ", ".join(each.name for each in matches())
        running = f"there are {names}" if names else "none runs"
        raise AbathurError(f"no daemon on this machine publishes a match with the name {name}: {running}")
    return found


def _read(path: Path) -> LocalMatch | None:
    if not _is_running(path):
        return None
    try:
        entry = json.loads(path.read_bytes())
        addresses = {key: value for key, value in entry.items() if isinstance(value, str) and ":" in value}
        for key in ("name", "command", "started"):
            addresses.pop(key, None)
        found = LocalMatch(
            str(entry["name"]), str(entry["command"]), int(entry["pid"]), str(entry["started"]), addresses
        )
    except (*MALFORMED, OSError):
        # Removed meanwhile, or not an entry.
        return None
    return found if any(transport in addresses for transport in _TRANSPORTS) else None


def _is_running(path: Path) -> bool:
    """Whether the daemon of an entry runs. If it does not, its entry is removed."""
    lock = path.with_suffix(".lock")
    try:
        held = os.open(lock, os.O_RDWR)
    except FileNotFoundError:
        # The daemon, or another program like this one, removes the entry.
        return False
    except OSError:
        # Windows opens no file that a daemon keeps to itself.
        return True
    try:
        if os.name == "nt":
            path.unlink(missing_ok=True)
        elif not _remove(path, lock, held):
            return True
    finally:
        os.close(held)
    if os.name == "nt":
        # Windows removes no open file.
        with contextlib.suppress(OSError):
            lock.unlink(missing_ok=True)
    return False


def _remove(path: Path, lock: Path, held: int) -> bool:
    """Remove an entry if no daemon has its lock, which this program has meanwhile."""
    import fcntl

    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # A daemon may have started between: with a lock file of its own.
        if not os.path.samestat(os.fstat(held), lock.stat()):
            return False
    except (BlockingIOError, FileNotFoundError):
        return False
    path.unlink(missing_ok=True)
    lock.unlink(missing_ok=True)
    return True
