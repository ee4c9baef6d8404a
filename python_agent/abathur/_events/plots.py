"""Numbers of agents over time, for graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import NDArray

from abathur._values.arguments import shown
from abathur.sync.v1 import sync_pb2


@dataclass(frozen=True, eq=False)
class PlotSeries:
    """One series of an agent.

    Attributes:
        agent: Whose it is.
        name: Its name.
        recorded: Whether it comes from the recording that is played.
        game_loops: Game loop of each point, (points,) uint32.
        values: Value of each point, (points,) float64.
    """

    agent: str
    name: str
    recorded: bool
    game_loops: NDArray[np.uint32]
    values: NDArray[np.float64]


def from_message(message: sync_pb2.Plots) -> list[PlotSeries]:
    """The series of a message."""
    return [
        PlotSeries(
            series.agent,
            series.name,
            series.recorded,
            np.array(series.game_loops, np.uint32),
            np.array(series.values, np.float64),
        )
        for series in message.series
    ]


def merged(messages: Iterable[sync_pb2.Plots]) -> list[PlotSeries]:
    """The series of the messages of a recording, which each have the points since the one before, by agent and name."""
    points: dict[tuple[str, str], dict[int, float]] = {}
    for message in messages:
        for series in message.series:
            known = points.setdefault((series.agent, series.name), {})
            known.update(zip(series.game_loops, series.values, strict=False))
    made = []
    for (agent, name), known in sorted(points.items()):
        loops = sorted(known)
        values = np.array([known[loop] for loop in loops], np.float64)
        made.append(PlotSeries(agent, name, True, np.array(loops, np.uint32), values))
    return made


def request(values: Mapping[str, float], agent: str, game_loop: int) -> sync_pb2.PlotRequest:
    """The request; `game_loop` 0: the values belong to the newest frame."""
    message = sync_pb2.PlotRequest(agent=agent)
    for name, value in values.items():
        if not isinstance(value, Real) or isinstance(value, bool | np.bool_):
            raise TypeError(f"the value of {name!r} is a number, not {shown(value)}")
        message.values.add(name=name, value=float(value))
    if game_loop:
        message.game_loop = game_loop
    return message
