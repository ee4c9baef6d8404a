"""A daemon between the clients of StarCraft II and their games, as a child process."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from abathur._program import directory
from abathur._program.daemon import (
    NAME_VARIABLE,
    Command,
    find_daemon,
    killed_after,
    ready_addresses,
    start_daemon,
    stop_daemon,
    stream,
)
from abathur._values.printable import printable
from abathur.errors import AbathurError, DaemonError

#: How long a client's connection waits for its game to start: as long as python-sc2 tries to connect.
_GAME_SECONDS = 180
_START_SECONDS = 30.0
_logger = logging.getLogger("abathur")


@dataclass(frozen=True)
class ProxySettings:
    """What daemons do beside relaying."""

    recordings: str | os.PathLike[str] | None
    name: str | None
    allow_actions: bool
    command: Command | None


class Proxy:
    """A daemon that relays between clients and their games, and publishes and records the matches."""

    def __init__(self, settings: ProxySettings, game: str) -> None:
        """Start it, without waiting.

        Args:
            settings: What it does.
            game: ``HOST:PORT`` of the game; ``any``: its clients name it.

        Raises:
            DaemonError: it was not found, or cannot be started.
        """
        line = [*find_daemon(settings.command), "proxy", "--listen", "0", "--sc2", game, "--ports", "auto"]
        line += ["--connect-timeout", str(_GAME_SECONDS)]
        if settings.recordings is not None:
            line += ["-o", f"{Path(settings.recordings)}{os.sep}"]
        if settings.name is not None:
            line += ["--name", settings.name]
        if settings.allow_actions:
            line.append("--allow-actions")
        self._settings = settings
        self._process = start_daemon(line, subprocess.PIPE, {**os.environ, NAME_VARIABLE: "abathur"})
        self._said: list[str] = []
        self._telling: Callable[[str], object] = self._said.append
        self._teller = threading.Thread(target=self._tell, name="abathur-proxy", daemon=True)
        self._teller.start()
        self._addresses: dict[str, str] | None = None

    @property
    def addresses(self) -> dict[str, str]:
        """Its addresses by transport, and that for clients of the game, ``sc2api``. Waits until it is ready.

        Raises:
            DaemonError: it does not start.
        """
        if self._addresses is None:
            with killed_after(self._process, _START_SECONDS):
                addresses = ready_addresses(self._process)
            if "sc2api" not in addresses:
                code = self.close()
                raise DaemonError("".join(self._said).strip().removeprefix("abathur: "), code)
            self._addresses = addresses
            self._telling, said = sys.stderr.write, self._said
            sys.stderr.write("".join([*said, *(f"abathur: {line}\n" for line in self._summary())]))
        return self._addresses

    @property
    def is_running(self) -> bool:
        """Whether clients can connect to it."""
        return self._process.poll() is None

    def close(self) -> int:
        """End it when its recordings are complete. Returns its exit code."""
        stop_daemon(self._process)
        self._teller.join()
        stream(self._process.stderr).close()
        return self._process.returncode

    def _tell(self) -> None:
        for line in stream(self._process.stderr):
            self._telling(line)

    def _summary(self) -> list[str]:
        try:
            mine = next((each.name for each in directory.matches() if each.pid == self._process.pid), None)
        except AbathurError:
            mine = None
        address = f"match:{mine}" if mine else self.addresses["grpc"]
        lines = [f"dashboard http://{self.addresses['http']}/, agents join at {address}"]
        if self._settings.recordings is not None:
            lines.append(f"recordings in {printable(str(Path(self._settings.recordings)))}{os.sep}")
        return lines


class Proxies:
    """The daemon of one call, which serves all its games; another one where it has ended."""

    def __init__(self, settings: ProxySettings) -> None:
        self._settings = settings
        self._all: list[Proxy] = []
        self._has_warned = False

    def take(self, game: str = "any") -> Proxy | None:
        """The one for a game. None: it cannot be started, which is logged once.

        Args:
            game: ``HOST:PORT``; ``any``: the client names it.
        """
        if not self._all or not self._all[-1].is_running:
            try:
                self._all.append(Proxy(self._settings, game))
            except (DaemonError, OSError) as error:
                self.warn(error)
                return None
        return self._all[-1]

    def warn(self, error: Exception) -> None:
        """Say once that games are played without a daemon."""
        if not self._has_warned:
            _logger.warning("the game is played without abathur: %s", error)
        self._has_warned = True

    def close(self) -> None:
        """End it when its recordings are complete."""
        while self._all:
            self._all.pop().close()
