"""python-sc2's ``SC2Process``, so that its client connects through a daemon."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from abathur.errors import DaemonError
from abathur.sc2._proxies import Proxies, Proxy

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_LOOK_SECONDS = 0.5


@contextlib.contextmanager
def replaced(main: ModuleType, proxies: Proxies, skipped: Sequence[int] = ()) -> Iterator[None]:
    """While the context lasts, the games that a module starts are played through a daemon.

    Args:
        main: python-sc2's module ``sc2.main``, the installed one or a bot's own.
        proxies: The daemon.
        skipped: Games that are not, by their number in the order in which they are started, from 0.
    """
    former = main.SC2Process
    base = getattr(former, "_abathur_base", former)
    main.SC2Process = _subclass(base, proxies, skipped)  # type: ignore[attr-defined]
    try:
        yield
    finally:
        main.SC2Process = former  # type: ignore[attr-defined]


def _subclass(base: type[Any], proxies: Proxies, skipped: Sequence[int]) -> type[Any]:
    started = iter(range(sys.maxsize))

    class ObservedProcess(base):  # type: ignore[misc]
        """A game whose client connects through a daemon."""

        _abathur_base = base
        _abathur_proxy: Proxy | None = None

        def _launch(self) -> Any:
            is_skipped = next(started) in skipped or _is_elsewhere(self, base)
            # Before the game, because both take time to start.
            self._abathur_proxy = None if is_skipped else proxies.take()
            return super()._launch()

        @property
        def ws_url(self) -> str:
            """Address of the game, or of the daemon before it."""
            url: str = super().ws_url
            if self._abathur_proxy is None:
                return url
            try:
                addresses = self._abathur_proxy.addresses
            except DaemonError as error:
                self._abathur_play_without(error)
                return url
            return f"ws://{addresses['sc2api']}/sc2api?game={urlsplit(url).port}"

        async def _connect(self) -> Any:
            import aiohttp

            if self._abathur_proxy is None:
                return await super()._connect()
            # The daemon waits for the game, so that python-sc2 does not see whether its own process has ended.
            connecting = asyncio.ensure_future(super()._connect())
            try:
                while not connecting.done():
                    await asyncio.wait({connecting}, timeout=_LOOK_SECONDS)
                    if self._process is None and not connecting.done():
                        sys.exit()
                return connecting.result()
            except aiohttp.WSServerHandshakeError as error:
                raise TimeoutError("Websocket") from error
            except aiohttp.ClientError as error:
                self._abathur_play_without(error)
                return await super()._connect()
            finally:
                connecting.cancel()

        def _abathur_play_without(self, error: Exception) -> None:
            self._abathur_proxy = None
            proxies.warn(error)

    ObservedProcess.__name__ = ObservedProcess.__qualname__ = base.__name__
    return ObservedProcess


def _is_elsewhere(process: Any, base: type[Any]) -> bool:
    """Whether the game runs on another machine, or in Windows beside WSL."""
    paths = getattr(sys.modules[base.__module__], "paths", None)
    is_in_windows = str(getattr(paths, "PF", "")).startswith("WSL")
    return is_in_windows or getattr(process, "_host", "127.0.0.1") not in _LOOPBACK
