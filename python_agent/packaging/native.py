"""Compiles the library of `python_agent/native`, with which the package decodes in less time.

    python native.py FOLDER [RID]

writes FOLDER/libabathur.so, or abathur.dll, for this system, or for linux-x64, linux-arm64 or win-x64; nothing if it is
newer than its sources. Without a compiler it writes nothing, says so, and ends with code 0: the package then decodes
with NumPy.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[1] / "native"
#: Those that are tried, after the one that the environment variable CC names.
COMPILERS = ("gcc", "clang", "cc")
#: Those for another system than this, by the system (.NET's identifier).
CROSS = {"win-x64": "x86_64-w64-mingw32-gcc", "linux-arm64": "aarch64-linux-gnu-gcc"}
#: No contraction: results are those of NumPy, bit for bit. Own functions are called, whatever others are called alike.
FLAGS = ("-std=c11", "-O3", "-DNDEBUG", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-ffp-contract=off", "-shared")
ELF_FLAGS = ("-fPIC", "-fvisibility=hidden", "-Wl,-Bsymbolic", "-s")
MACH_FLAGS = ("-fPIC", "-fvisibility=hidden")
DLL_FLAGS = ("-static-libgcc", "-s")


def build(folder: Path, rid: str | None = None, sources: Path = SOURCES) -> str:
    """Compile the library if it is older than its sources.

    Args:
        folder: Where to write it.
        rid: ``linux-x64``, ``linux-arm64`` or ``win-x64``; None: this system.
        sources: The folder of its sources.

    Returns:
        Why it was not compiled; empty if it was.
    """
    if rid is not None and rid.startswith("osx-") and sys.platform != "darwin":
        return f"it is compiled for {rid} on macOS only"
    is_windows = sys.platform == "win32" if rid is None else rid == "win-x64"
    output = folder / ("abathur.dll" if is_windows else "libabathur.so")
    files = sorted(sources.glob("*.[ch]"))
    if output.exists() and output.stat().st_mtime > max(path.stat().st_mtime for path in (*files, Path(__file__))):
        return ""
    compiler = _compiler(rid)
    if compiler is None:
        return f"there is no C compiler ({CROSS.get(rid or '') or ', '.join(COMPILERS)})"
    flags = DLL_FLAGS if is_windows else MACH_FLAGS if sys.platform == "darwin" else ELF_FLAGS
    folder.mkdir(parents=True, exist_ok=True)
    # Another process may be reading the old one.
    new = folder / f"{output.name}.{os.getpid()}"
    command = [compiler, *FLAGS, *flags, "-o", str(new), *(str(each) for each in files if each.suffix == ".c"), "-lm"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        return f"`{' '.join(command)}` ended with {done.returncode}:\n{done.stdout}"
    new.replace(output)
    return ""


def _compiler(rid: str | None) -> str | None:
    if rid in CROSS and not _is_this(rid):
        return shutil.which(CROSS[rid])
    names = [name for name in (os.environ.get("CC"), *COMPILERS) if name]
    return next((found for name in names if (found := shutil.which(name))), None)


def _is_this(rid: str) -> bool:
    if rid == "win-x64":
        return sys.platform == "win32"
    return sys.platform == "linux" and platform.machine() == "aarch64"


def main(arguments: Sequence[str]) -> int:
    """Build, and say what is missing."""
    problem = build(Path(arguments[0]), *arguments[1:])
    if problem:
        print(f"the compiled decoder was not built, NumPy decodes: {problem}", file=sys.stderr)
    # Damaged sources are no missing compiler.
    return 1 if "\n" in problem else 0


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        raise SystemExit(f"usage: {sys.argv[0]} FOLDER [RID]")
    raise SystemExit(main(sys.argv[1:]))
