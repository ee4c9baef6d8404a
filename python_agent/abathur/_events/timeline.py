"""Numbers of a match over time, for graphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import sc2api_pb2, score_pb2

from abathur._events.known_units import KnownUnits, Mark, mark_from_message
from abathur._values.game_time import LOOPS_PER_SECOND
from abathur._values.read_only import read_only
from abathur.sync.v1 import sync_pb2

#: Game loops from one row to the next at least, as in the daemon.
LOOPS_PER_ROW = 22

_PLAYER = (
    "minerals",
    "vespene",
    "food_used",
    "food_cap",
    "food_army",
    "food_workers",
    "idle_worker_count",
    "army_count",
    "warp_gate_count",
    "larva_count",
)
_SCORE = (
    "collection_rate_minerals",
    "collection_rate_vespene",
    "collected_minerals",
    "collected_vespene",
    "spent_minerals",
    "spent_vespene",
    "total_value_units",
    "total_value_structures",
    "killed_value_units",
    "killed_value_structures",
)
#: The columns, in the order of the daemon.
COLUMNS = (
    *_PLAYER,
    *_SCORE,
    "army_minerals",
    "army_vespene",
    "lost_minerals",
    "lost_vespene",
    *KnownUnits.COLUMNS,
)


class Timeline(Mapping[str, NDArray[np.float32]]):
    """Columns by name, each of shape (rows,): `timeline["minerals"]`. One row a game second (22 game loops). Read-only.

    The names are fields of `PlayerCommon` and `ScoreDetails`, `army_*` (resources in the army) and `lost_*` (sum of all
    categories of losses); `base_count` (own town halls), and `enemy_*`: of the enemies that were seen and are not known
    to be dead, army value in resources, supply of the army, workers, town halls.

    Attributes:
        game_loops: Game loop of each row, (rows,) uint32.
        marks: What happened when, oldest first: fights, bases, upgrades, drawings, chat.
    """

    def __init__(
        self, game_loops: NDArray[np.uint32], columns: Mapping[str, NDArray[np.float32]], marks: list[Mark]
    ) -> None:
        """Timelines are created by the package."""
        self.game_loops: NDArray[np.uint32] = read_only(game_loops)
        self.marks = marks
        self._columns = {name: read_only(column) for name, column in columns.items()}

    def __getattr__(self, name: str) -> NDArray[np.float32]:
        """A column as an attribute: ``timeline.minerals``."""
        columns = self.__dict__.get("_columns", {})
        if name not in columns:
            raise AttributeError(f"a timeline has no {name!r}; it has {', '.join(columns)}", name=name, obj=self)
        found: NDArray[np.float32] = columns[name]
        return found

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` of the columns, by game loop.

        Raises:
            ImportError: pandas is not installed.
        """
        import pandas as pd  # type: ignore[import-untyped]

        return pd.DataFrame(self._columns, index=pd.Index(self.game_loops, name="game_loop"))

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Game time of each row in seconds at speed "faster", (rows,) float64."""
        return self.game_loops / LOOPS_PER_SECOND

    def __getitem__(self, name: str) -> NDArray[np.float32]:
        """A column by name."""
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the columns."""
        return iter(self._columns)

    def __len__(self) -> int:
        """The number of columns."""
        return len(self._columns)

    def __repr__(self) -> str:
        """Rows and columns."""
        return f"<Timeline of {len(self.game_loops)} rows: {', '.join(self._columns)}>"


def from_message(message: sync_pb2.Timeline) -> Timeline:
    """A timeline from the daemon's message."""
    columns = {column.name: np.array(column.values, np.float32) for column in message.columns}
    marks = [mark_from_message(mark) for mark in message.marks]
    return Timeline(np.array(message.game_loops, np.uint32), columns, marks)


class TimelineBuilder:
    """A timeline of observations in order.

    Args:
        game_data: Of the match, for costs; None: those of the package.
    """

    def __init__(self, game_data: sc2api_pb2.ResponseData | None) -> None:
        """No rows yet."""
        self._loops: list[int] = []
        self._rows: list[list[float]] = []
        self._known = KnownUnits(game_data)

    def is_due(self, game_loop: int) -> bool:
        """Whether an observation makes a row."""
        return not self._loops or game_loop - self._loops[-1] >= LOOPS_PER_ROW

    def add_events(self, game_loop: int, response: sc2api_pb2.ResponseObservation) -> None:
        """What happened once in an observation, before its row: deaths, chat."""
        self._known.bury(game_loop, response.observation.raw_data.event.dead_units)
        self._known.hear(game_loop, response.chat)

    def add_layers(self, game_loop: int, layers: Iterable[str]) -> None:
        """The layers of drawings at an observation."""
        self._known.draw(game_loop, layers)

    def add(self, game_loop: int, observation: sc2api_pb2.Observation) -> None:
        """Add a row."""
        self._known.look(game_loop, observation.raw_data)
        self._loops.append(game_loop)
        self._rows.append([*_row(observation), *self._known.row()])

    def build(self) -> Timeline:
        """The timeline."""
        table = np.array(self._rows, np.float32).reshape(len(self._rows), len(COLUMNS))
        columns = dict(zip(COLUMNS, table.T, strict=True))
        return Timeline(np.array(self._loops, np.uint32), columns, self._known.marks)


def _row(observation: sc2api_pb2.Observation) -> list[float]:
    player, score = observation.player_common, observation.score.score_details
    return [
        *(getattr(player, name) for name in _PLAYER),
        *(getattr(score, name) for name in _SCORE),
        score.used_minerals.army,
        score.used_vespene.army,
        _sum(score.lost_minerals),
        _sum(score.lost_vespene),
    ]


def _sum(details: score_pb2.CategoryScoreDetails) -> float:
    # `none` is a field of this name.
    total: float = details.none + details.army + details.economy + details.technology + details.upgrade
    return total
