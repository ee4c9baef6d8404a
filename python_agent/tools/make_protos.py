"""Generates `abathur/sync/v1/sync_pb2.py` and its types from protos/, with the protoc of NuGet's Grpc.Tools 2.76.0.

Generated modules need a runtime at least as new as their protoc. That one is 31.1: the modules work with protobuf
6.31.1 and newer, and so beside the packages for machine learning, which bring older runtimes than the newest.

Usage: python python_agent/tools/make_protos.py [FOLDER]

It writes to python_agent/, or to another folder.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
ROOT = TOOLS.parents[1]
PROTO = "abathur/sync/v1/sync.proto"
VERSION = "2.76.0"
FOLDERS = {
    ("Linux", "x86_64"): "linux_x64",
    ("Linux", "aarch64"): "linux_arm64",
    ("Darwin", "x86_64"): "macosx_x64",
    ("Darwin", "arm64"): "macosx_x64",
    ("Windows", "AMD64"): "windows_x64",
}


def package() -> Path:
    """The folder of Grpc.Tools, downloaded if it is not there."""
    packages = os.environ.get("NUGET_PACKAGES") or Path.home() / ".nuget" / "packages"
    folder = Path(packages) / "grpc.tools" / VERSION
    if not folder.is_dir():
        subprocess.run(["dotnet", "restore", str(TOOLS / "protoc.csproj"), "-v", "quiet"], check=True)
    return folder


def typed(stub: str) -> str:
    """The stub with the types that protoc leaves out: of the mappings that messages may be made of, and of names."""
    stub = re.sub(r"\b_Mapping\](?=\]| =)", "_Mapping[str, _Any]]", stub).replace("**kwargs)", "**kwargs: _Any)")
    return stub.replace(
        "from typing import ClassVar as _ClassVar", "from typing import Any as _Any, ClassVar as _ClassVar"
    )


def generate(folder: Path) -> None:
    """Write the module and its stub below a folder."""
    tools = package()
    name = FOLDERS.get((platform.system(), platform.machine()))
    if name is None:
        sys.exit(f"Grpc.Tools has no protoc for {platform.system()} on {platform.machine()}")
    protoc = tools / "tools" / name / ("protoc.exe" if os.name == "nt" else "protoc")
    if os.name != "nt":
        # NuGet unpacks it without the right to run.
        protoc.chmod(0o755)
    includes = (f"-I{ROOT / 'protos'}", f"-I{tools / 'build' / 'native' / 'include'}")
    subprocess.run([protoc, *includes, f"--python_out={folder}", f"--pyi_out={folder}", PROTO], check=True)
    stub = folder / PROTO.replace(".proto", "_pb2.pyi")
    stub.write_text(typed(stub.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    generate(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "python_agent")
