"""A folder as the game installs it, whose program stands in for StarCraft II: the emulator, by the game's arguments."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path

import psutil
from programs import daemon_command

_PROGRAM = """\
#!{python}
import json, os, sys
with open({log!r}, "a") as log:
    log.write(json.dumps([os.getpid(), sys.argv[1:]]) + "\\n")
port = sys.argv[sys.argv.index("-port") + 1]
command = [each.replace("PORT", port) for each in {command!r}]
sys.stdout.flush()
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
os.execvp(command[0], command)
"""


class InstalledGame:
    """The game, installed into a folder."""

    def __init__(self, folder: Path, recording: Path, *options: str) -> None:
        """Install it.

        Args:
            folder: Where to.
            recording: What a match is.
            *options: Further options of the emulator.
        """
        self.folder = folder
        self._log = folder / "started.ndjson"
        self._program = folder / "Versions" / "Base75689" / "SC2_x64"
        self._program.parent.mkdir(parents=True)
        self.replace_by(daemon_command("emulate", str(recording), "--listen", "PORT", *options))
        self._program.chmod(0o700)
        (folder / "Maps").mkdir()
        for name in ("Acropolis", "AcropolisLE"):
            (folder / "Maps" / f"{name}.SC2Map").touch()
        (folder / "Replays").mkdir()

    def replace_by(self, command: list[str]) -> None:
        """Run another command in its place. PORT in it is the port on which python-sc2 expects the game."""
        self._program.write_text(_PROGRAM.format(python=sys.executable, log=str(self._log), command=command))

    @property
    def environment(self) -> dict[str, str]:
        """Of programs that are to find it, and the daemon."""
        return {**os.environ, "SC2PATH": str(self.folder), "ABATHUR_SYNC": shlex.join(daemon_command())}

    def started(self) -> list[tuple[int, list[str]]]:
        """Process id and arguments of each start."""
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        return [(pid, arguments) for pid, arguments in map(json.loads, lines)]

    def running(self) -> list[int]:
        """Those whose processes run."""
        return [pid for pid, _ in self.started() if _runs(pid)]


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
