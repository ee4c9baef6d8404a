"""Programs that are built when a benchmark runs, kept in `benchmarks/local` until a source of theirs changes."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from abathur.errors import AbathurError

from languages.packages import LOCAL, ROOT

PROTOS = ROOT / "protos"
SC2_PROTOS = sorted(PROTOS.glob("s2clientprotocol/*.proto"))
_TOLD_LINES = 12


class BuildError(AbathurError):
    """A step of a build failed; the message has the end of what it printed."""

    def __init__(self, message: str, output: str) -> None:
        super().__init__(message)
        self.output = output


def built(name: str, sources: Mapping[str, bytes], tools: Iterable[str], build: Callable[[Path, Path], None]) -> Path:
    """The folder of a build: of an earlier run with the same sources, or a new one.

    Args:
        name: Of the program; the folder is in ``benchmarks/local/NAME``.
        sources: Content of its files by relative path. They are written to the folder.
        tools: Versions of the compilers, which count as sources.
        build: Builds in a folder, the first argument, which is then renamed to the second.
    """
    digest = hashlib.sha256()
    for path, content in sorted(sources.items()):
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    for each in [*tools, *(proto.read_text(encoding="utf-8") for proto in SC2_PROTOS)]:
        digest.update(each.encode())
    parent = LOCAL / name
    target = parent / digest.hexdigest()[:16]
    if target.is_dir():
        return target
    parent.mkdir(parents=True, exist_ok=True)
    earlier = [each for each in parent.iterdir() if each.is_dir() and "-" not in each.name]
    folder = Path(tempfile.mkdtemp(prefix="build-", dir=parent))
    try:
        for path, content in sources.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        build(folder, target)
        if not target.is_dir():
            folder.replace(target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for each in earlier:
        shutil.rmtree(each, ignore_errors=True)
    return target


def protoc(*options: str, program: Sequence[str] = (sys.executable, "-m", "grpc_tools.protoc")) -> None:
    """Run protoc, by default that of grpcio-tools, on the protos of StarCraft II."""
    names = [proto.relative_to(PROTOS).as_posix() for proto in SC2_PROTOS]
    run([*program, f"-I{PROTOS}", *options, *names], cwd=ROOT)


def run(command: list[str], *, cwd: Path, env: dict[str, str] | None = None) -> str:
    """Run a step of a build; returns what it printed.

    Raises:
        BuildError: it failed.
    """
    done = subprocess.run(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        told = "\n".join(done.stdout.strip().splitlines()[-_TOLD_LINES:])
        raise BuildError(f"{Path(command[0]).name} ended with code {done.returncode}: {told}", done.stdout)
    return done.stdout


def files(folder: Path, *patterns: str) -> dict[str, bytes]:
    """Content of the files of a folder by relative path."""
    found = sorted(path for pattern in patterns for path in folder.glob(pattern))
    # The same with the line ends of a checkout on Windows.
    return {path.relative_to(folder).as_posix(): path.read_bytes().replace(b"\r\n", b"\n") for path in found}
