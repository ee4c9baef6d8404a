"""``abathur --version``: what a bug report needs."""

from __future__ import annotations

import platform
import subprocess
from importlib import metadata
from pathlib import Path

import abathur
from abathur._program.daemon import find_daemon
from abathur._values.printable import printable
from abathur.errors import DaemonError

_PACKAGE = Path(__file__).resolve().parents[1]
_CLONE = _PACKAGE.parents[1]
#: Written into a wheel when it is built: python_agent/packaging/hatch_build.py.
_COMMIT = _PACKAGE / "_commit.txt"
_LIBRARIES = ("numpy", "protobuf", "grpcio", "zstandard")
_SECONDS = 20


def text() -> str:
    """The versions of the package, of the daemon that it starts, of the decoder, and of the libraries below."""
    from abathur.columns import implementation

    lines = {
        "commit": _commit(),
        "daemon": _daemon(),
        "decoder": implementation,
        "libraries": ", ".join(f"{name} {metadata.version(name)}" for name in _LIBRARIES),
        "python": f"{platform.python_version()}, {platform.system()} {platform.machine()}",
    }
    return f"abathur {abathur.__version__}\n" + "".join(f"  {name:<9} {value}\n" for name, value in lines.items())


def _commit() -> str:
    if _COMMIT.exists():
        return _COMMIT.read_text(encoding="ascii").strip()
    if not (_CLONE / ".git").exists():
        return "unknown: not built from a clone"
    return _said(["git", "-C", str(_CLONE), "describe", "--always", "--abbrev=12", "--dirty"])


def _daemon() -> str:
    try:
        command = find_daemon()
    except DaemonError:
        return "not installed"
    return f"{_said([*command, '--version'])}, {printable(command[-1])}"


def _said(command: list[str]) -> str:
    """The first line that a program prints."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return f"unknown: {printable(str(error))}"
    return printable(done.stdout.strip().partition("\n")[0])
