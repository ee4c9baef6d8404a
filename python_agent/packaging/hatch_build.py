"""Puts the daemon, the sample recording and the compiled decoder into wheels: a build hook of hatchling.

The environment variable ABATHUR_WHEEL says for which system: one of TAGS, or none (a pure wheel without the daemon).
By default it is this system, if the .NET SDK is here. ABATHUR_WHEEL_DAEMON names the folder of a daemon that is built.
Editable installs have no daemon: they use the clone's build; source distributions, and wheels that are made of them,
have none either. The decoder is compiled where there is a C compiler.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SDK = 10
NONE = "none"
#: The systems with a platform wheel: the tag, which .NET's own libraries allow.
TAGS = {
    "linux-x64": "manylinux_2_28_x86_64",
    "linux-arm64": "manylinux_2_28_aarch64",
    "win-x64": "win_amd64",
    "osx-arm64": "macosx_14_0_arm64",
    "osx-x64": "macosx_14_0_x86_64",
}


class DaemonHook(BuildHookInterface):  # type: ignore[type-arg, misc]
    """Adds files to a wheel before it is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Publish the daemon, and name the files and the tag."""
        root = Path(self.root)
        commit = write_commit(root)
        if self.target_name == "sdist":
            if commit:
                build_data["force_include"][str(commit)] = "python_agent/abathur/_commit.txt"
            return
        if version == "editable":
            self._decoder(root / "artifacts" / "native" / "host", None)
            return
        build_data["force_include"][str(root / "recordings" / "skirmish.mcap")] = "abathur/_sample/skirmish.mcap"
        if commit:
            build_data["force_include"][str(commit)] = "abathur/_commit.txt"
        rid = os.environ.get("ABATHUR_WHEEL") or own_rid()
        if rid != NONE or not os.environ.get("ABATHUR_WHEEL"):
            folder = root / "artifacts" / "native" / (rid if rid in TAGS else "host")
            if self._decoder(folder, rid if rid in TAGS else None):
                build_data["force_include"][str(folder)] = "abathur/_lib"
                build_data["pure_python"] = False
                build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
        problem = why_not(root, rid)
        if problem:
            # Shown by pip with -v; the package says it, too, when the daemon is needed.
            print(f"abathur-agent: a wheel without the daemon: {problem}", file=sys.stderr)
            return
        folder = publish(root, rid)
        build_data["force_include"][str(folder)] = "abathur/_daemon"
        if (parts := root / "artifacts" / "sbom" / "abathur-sync.cdx.json").exists():
            build_data["force_include"][str(parts)] = "abathur/_daemon/abathur-sync.cdx.json"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tag(root, rid)}"

    def _decoder(self, folder: Path, rid: str | None) -> bool:
        """Compile the decoder; whether it is there."""
        spec = importlib.util.spec_from_file_location("native", Path(__file__).with_name("native.py"))
        assert spec is not None and spec.loader is not None
        native = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(native)
        problem = native.build(folder, rid)
        if problem:
            print(f"abathur-agent: without the compiled decoder: {problem}", file=sys.stderr)
        return not problem


def write_commit(root: Path) -> Path | None:
    """A file with the commit of a clone, for `abathur --version`. A source distribution has it in the package."""
    if not (root / ".git").exists():
        return None
    describe = ["git", "-C", str(root), "describe", "--always", "--abbrev=12", "--dirty"]
    done = subprocess.run(describe, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None
    path = root / "artifacts" / "commit.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text(done.stdout, encoding="ascii")
    return path


def own_rid() -> str:
    """The identifier of this system; NONE if there is no platform wheel for it."""
    processor = {"x86_64": "x64", "amd64": "x64", "arm64": "arm64", "aarch64": "arm64"}.get(platform.machine().lower())
    system = {"linux": "linux", "win32": "win", "darwin": "osx"}.get(sys.platform)
    rid = f"{system}-{processor}"
    return rid if rid in TAGS else NONE


def why_not(root: Path, rid: str) -> str:
    """The reason for which the daemon cannot be built; empty if it can."""
    if rid == NONE:
        return f"the daemon is made for {', '.join(TAGS)} only, or was not requested"
    if rid not in TAGS:
        raise ValueError(f"ABATHUR_WHEEL must be {', '.join(TAGS)} or {NONE}, not {rid!r}")
    if not (root / "Abathur.sln").exists():
        return "this is not a clone of the repository, with the daemon's sources"
    dotnet = shutil.which("dotnet")
    if dotnet is None:
        return f"the .NET SDK {SDK} is not on the PATH"
    sdks = subprocess.run([dotnet, "--list-sdks"], capture_output=True, text=True, check=False).stdout.splitlines()
    if not any(line.split(".")[0].isdecimal() and int(line.split(".")[0]) >= SDK for line in sdks):
        return f"{dotnet} is not of the .NET SDK {SDK} or newer"
    return ""


def publish(root: Path, rid: str) -> Path:
    """Build the program with all that it needs, as its project says; returns its folder."""
    if built := os.environ.get("ABATHUR_WHEEL_DAEMON"):
        return Path(built)
    folder = root / "artifacts" / "publish" / "daemon" / rid
    shutil.rmtree(folder, ignore_errors=True)
    project = str(root / "Abathur.Sync")
    options = ["-p:Standalone=true", "-p:Quick=true", "--nologo", "-v", "quiet", "-o", str(folder)]
    line = ["dotnet", "publish", project, "-c", "Release", "-r", rid, *options]
    done = subprocess.run(line, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(
            f"the daemon was not built (`{' '.join(line)}` ended with {done.returncode}):\n{done.stdout}"
        )
    return folder


def tag(root: Path, rid: str) -> str:
    """The wheel's platform. Without a libzstd that `pack` has built, it has a NuGet package's, for newer Linux."""
    if rid.startswith("linux-") and not any((root / "artifacts" / "libzstd" / rid).glob("libzstd.*")):
        return TAGS[rid].replace("manylinux_2_28", "linux")
    return TAGS[rid]
