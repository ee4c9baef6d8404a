"""Builds the native libzstd of the platform wheels from Debian's source package.

    python libzstd.py FOLDER

writes FOLDER/linux-x64/libzstd.so, FOLDER/win-x64/libzstd.dll and FOLDER/LICENSE, and FOLDER/linux-arm64/libzstd.so
where there is a compiler for it (gcc-aarch64-linux-gnu). Debian's own binary needs the C
library of Debian 12. Built without threads, which the daemon does not use, the library needs no symbol that is newer
than glibc 2.14, so that a wheel with it can have the tag manylinux_2_28.

Needs apt-get, dpkg-source, gcc and the MinGW-w64 compiler. Without them it writes nothing, says what is missing, and
ends with code 0: wheels then have the libzstd of a NuGet package, which needs glibc 2.34, and another tag.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

SOURCES = Path("/etc/apt")
MINGW = "x86_64-w64-mingw32-gcc"
#: Program, and the Debian package that has it.
TOOLS = {
    "apt-get": "apt",
    "dpkg-source": "dpkg-dev",
    "gcc": "gcc",
    MINGW: "gcc-mingw-w64-x86-64-win32",
}
#: Without it there is no library for linux-arm64; the others are made.
AARCH64 = "aarch64-linux-gnu-gcc"
FLAGS = ("-O3", "-DNDEBUG", "-shared", "-s")
_ELF = ("-fPIC", "-Wl,-soname,libzstd.so.1", "-fvisibility=hidden")
#: Compiler, options, name of the library.
TARGETS = {
    "linux-x64": ("gcc", _ELF, "libzstd.so"),
    "linux-arm64": (AARCH64, _ELF, "libzstd.so"),
    "win-x64": (MINGW, ("-DZSTD_DLL_EXPORT=1", "-static-libgcc"), "libzstd.dll"),
}


def main(arguments: Sequence[str]) -> int:
    """Build what is not there yet."""
    output = Path(arguments[0]).resolve()
    targets = {rid: each for rid, each in TARGETS.items() if each[0] != AARCH64 or shutil.which(AARCH64)}
    wanted = [output / rid / name for rid, (_, _, name) in targets.items()] + [output / "LICENSE"]
    if all(path.exists() for path in wanted):
        return 0
    missing = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    if missing:
        print(f"libzstd: not built, wheels get one that needs a newer Linux; missing: {', '.join(missing)} (Debian)")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        source = fetch(Path(folder))
        for rid, (compiler, options, name) in targets.items():
            (output / rid).mkdir(parents=True, exist_ok=True)
            compile_library(source / "lib", compiler, options, output / rid / name)
        shutil.copyfile(source / "LICENSE", output / "LICENSE")
    return 0


def fetch(folder: Path) -> Path:
    """Get and unpack the source package, whose signature apt checks; returns its folder."""
    parts, lists = folder / "sources", folder / "lists"
    for each in (parts, lists / "partial"):
        each.mkdir(parents=True)
    # The machine's own sources, as sources of source packages.
    for file in SOURCES.glob("sources.list.d/*.sources"):
        text = re.sub(r"^Types:.*$", "Types: deb-src", file.read_text(encoding="utf-8"), flags=re.M)
        (parts / file.name).write_text(text, encoding="utf-8")
    for file in (SOURCES / "sources.list", *SOURCES.glob("sources.list.d/*.list")):
        if file.exists():
            text = re.sub(r"^deb\s", "deb-src ", file.read_text(encoding="utf-8"), flags=re.M)
            (parts / f"{file.stem}.list").write_text(text, encoding="utf-8")
    apt = ["apt-get", "-qq", "-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={parts}"]
    apt += ["-o", f"Dir::State::lists={lists}", "-o", "APT::Sandbox::User=root"]
    run([*apt, "update"], folder)
    # A mirror may list a security update whose files it does not have: the release's own version then.
    release = platform.freedesktop_os_release().get("VERSION_CODENAME", "stable")
    done = subprocess.run([*apt, "source", "libzstd"], cwd=folder, capture_output=True, check=False)
    if done.returncode != 0:
        run([*apt, "source", "-t", release, "libzstd"], folder)
    return next(path for path in folder.glob("libzstd-*") if path.is_dir())


def compile_library(library: Path, compiler: str, options: Sequence[str], output: Path) -> None:
    """Compile the library's files in one call."""
    files = [
        path for part in ("common", "compress", "decompress", "dictBuilder") for path in (library / part).glob("*.c")
    ]
    files += (library / "decompress").glob("*.S")
    run([compiler, *FLAGS, *options, "-o", str(output), *map(str, sorted(files))], library)


def run(command: Sequence[str], folder: Path) -> None:
    """Run a program; what it prints is shown if it fails."""
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        sys.stderr.buffer.write(done.stdout)
        raise SystemExit(f"libzstd: {command[0]} failed (exit code {done.returncode})")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: {sys.argv[0]} FOLDER")
    raise SystemExit(main(sys.argv[1:]))
