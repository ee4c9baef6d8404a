"""python-sc2's functions that start games, with a daemon between the bots and their games."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any, overload

from abathur._program.daemon import Command
from abathur.errors import DaemonError
from abathur.sc2._processes import replaced
from abathur.sc2._proxies import Proxies, Proxy, ProxySettings

if TYPE_CHECKING:
    from sc2.data import Result
    from sc2.main import GameMatch
    from sc2.maps import Map
    from sc2.player import AbstractPlayer, Bot, Computer, Human
    from sc2.portconfig import Portconfig

_RECORDINGS = "recordings"


def run_game(
    map_settings: Map,
    players: list[Human | Bot | Computer],
    realtime: bool,
    portconfig: Portconfig | None = None,
    save_replay_as: str | None = None,
    game_time_limit: int | None = None,
    rgb_render_config: dict[str, Any] | None = None,
    random_seed: int | None = None,
    sc2_version: str | None = None,
    disable_fog: bool = False,
    *,
    recordings: str | os.PathLike[str] | None = _RECORDINGS,
    name: str | None = None,
    allow_actions: bool = False,
    command: Command | None = None,
) -> Result | list[Result | None]:
    """python-sc2's ``run_game``, with a daemon between each bot and its game.

    Of two bots, each has a match of its own at the same daemon, and the dashboard shows both side by side.

    The game is started, and the bots play, as python-sc2 does it. Beside that the match is recorded, the dashboard
    shows it, and agents join it: the line that this prints says where. If the daemon cannot be started, the game is
    played without it, and a warning says so. Games of a human player, in Windows beside WSL, and on another machine
    are played as without it.

    Args:
        map_settings: As in python-sc2, as all that follow and have no line here.
        players: The players.
        realtime: Whether the game does not wait for the bots.
        portconfig: Ports of a game of two.
        save_replay_as: File of the replay.
        game_time_limit: Seconds after which the game is a tie.
        rgb_render_config: Of the rendered interface.
        random_seed: Seed of the game.
        sc2_version: Version of the game.
        disable_fog: Whether all is seen.
        recordings: Folder of the recordings, which is made; None: nothing is recorded.
        name: Name by which agents join: ``match:NAME``. Default: ``proxy``, or ``proxy-2``, ... They read the match
            that began last; `Game.matches` has both players', by `player_id`.
        allow_actions: Whether agents may act in the game.
        command: The daemon, as in `abathur.emulated_game`.

    Returns:
        As python-sc2: the result of the bot, or those of two.

    Raises:
        ImportError: python-sc2 is not there: ``pip install abathur-agent[sc2]``.
    """
    main = _main()
    options: dict[str, Any] = {
        "portconfig": portconfig,
        "save_replay_as": save_replay_as,
        "game_time_limit": game_time_limit,
        "rgb_render_config": rgb_render_config,
        "random_seed": random_seed,
        "sc2_version": sc2_version,
    }
    # Versions of python-sc2 that are older than an option do without it.
    given = {key: value for key, value in options.items() if value is not None}
    if disable_fog:
        given["disable_fog"] = True
    playing = [player for player in players if not _is(player, "Computer")]
    humans = [number for number, player in enumerate(playing) if _is(player, "Human")]
    with _proxies(recordings, name, allow_actions, command) as proxies, replaced(main, proxies, humans):
        result: Result | list[Result | None] = main.run_game(map_settings, players, realtime, **given)
    return result


def run_multiple_games(
    matches: list[GameMatch],
    *,
    recordings: str | os.PathLike[str] | None = _RECORDINGS,
    name: str | None = None,
    allow_actions: bool = False,
    command: Command | None = None,
) -> list[dict[AbstractPlayer, Result]]:
    """python-sc2's ``run_multiple_games``, with a daemon between each bot and its games.

    One daemon serves the matches one after the other: an agent with ``follow`` goes on from match to match. The rest is
    as in `run_game`.

    Args:
        matches: The matches.
        recordings: As in `run_game`; each match has a file.
        name: As in `run_game`.
        allow_actions: As in `run_game`.
        command: As in `run_game`.

    Returns:
        As python-sc2: for each match that was played, the result of each player.

    Raises:
        ImportError: python-sc2 is not there: ``pip install abathur-agent[sc2]``.
    """
    main = _main()
    with _proxies(recordings, name, allow_actions, command) as proxies, replaced(main, proxies):
        results: list[dict[AbstractPlayer, Result]] = main.run_multiple_games(matches)
    return results


class ObservedGame:
    """A running game, and the daemon before it. Made by `observed`."""

    def __init__(self, game: str, proxy: Proxy | None) -> None:
        self._addresses = {} if proxy is None else proxy.addresses
        host, _, port = self._addresses.get("sc2api", game).rpartition(":")
        self.host: str = host
        self.port: int = int(port)

    @property
    def url(self) -> str:
        """Where the client of the game connects: ``ws://HOST:PORT/sc2api``."""
        return f"ws://{self.host}:{self.port}/sc2api"

    @property
    def address(self) -> str | None:
        """Where agents connect; None: the daemon could not be started."""
        return f"grpc://{self._addresses['grpc']}" if self._addresses else None

    def __repr__(self) -> str:
        return f"<ObservedGame {self.url}>"


@overload
def observed(
    game: None = None,
    *,
    recordings: str | os.PathLike[str] | None = ...,
    name: str | None = ...,
    allow_actions: bool = ...,
    command: Command | None = ...,
) -> contextlib.AbstractContextManager[None]: ...


@overload
def observed(
    game: str,
    *,
    recordings: str | os.PathLike[str] | None = ...,
    name: str | None = ...,
    allow_actions: bool = ...,
    command: Command | None = ...,
) -> contextlib.AbstractContextManager[ObservedGame]: ...


@contextlib.contextmanager
def observed(
    game: str | None = None,
    *,
    recordings: str | os.PathLike[str] | None = _RECORDINGS,
    name: str | None = None,
    allow_actions: bool = False,
    command: Command | None = None,
) -> Iterator[Any]:
    """A daemon between bots and their games, for programs that do not call `run_game`.

    Without `game`: what python-sc2 starts while the context lasts is played through a daemon, whichever of its
    functions starts it::

        with abathur.sc2.observed():
            main()  # calls sc2.main.run_game

    With `game`, for a ladder, for pysc2, for a game that runs already::

        with abathur.sc2.observed("127.0.0.1:5000") as game:
            await play_from_websocket(game.url, Bot(Race.Zerg, MyBot()), False, None)

    Args:
        game: ``HOST:PORT`` of a game that is running or about to start.
        recordings: As in `run_game`.
        name: As in `run_game`.
        allow_actions: As in `run_game`.
        command: As in `run_game`.

    Returns:
        A context manager: of the game, with the address to which its client connects, or of None. If the daemon cannot
        be started, that address is the game's, and a warning says so.

    Raises:
        ValueError: `game` is not ``HOST:PORT``.
        ImportError: `game` is None, and python-sc2 is not there: ``pip install abathur-agent[sc2]``.
    """
    if game is None:
        with _proxies(recordings, name, allow_actions, command) as proxies, replaced(_main(), proxies):
            yield None
        return
    if not game.rpartition(":")[0] or not game.rpartition(":")[2].isdecimal():
        raise ValueError(f"{game!r} is not HOST:PORT of a game, e.g. 127.0.0.1:5000")
    with _proxies(recordings, name, allow_actions, command) as proxies:
        yield _before(game, proxies)


def _before(game: str, proxies: Proxies) -> ObservedGame:
    try:
        return ObservedGame(game, proxies.take(game))
    except DaemonError as error:
        proxies.warn(error)
        return ObservedGame(game, None)


@contextlib.contextmanager
def _proxies(
    recordings: str | os.PathLike[str] | None, name: str | None, allow_actions: bool, command: Command | None
) -> Iterator[Proxies]:
    proxies = Proxies(ProxySettings(recordings, name, allow_actions, command))
    try:
        yield proxies
    finally:
        proxies.close()


def _main() -> ModuleType:
    """python-sc2 as the program finds it: installed, or a folder of its own."""
    try:
        return importlib.import_module("sc2.main")
    except ModuleNotFoundError as error:
        if error.name not in {"sc2", "sc2.main"}:
            raise
        raise ImportError("python-sc2 is not installed: pip install abathur-agent[sc2]") from None


def _is(player: AbstractPlayer, kind: str) -> bool:
    """Whether a player is of a class of python-sc2, of whichever copy."""
    return any(each.__name__ == kind for each in type(player).__mro__)
