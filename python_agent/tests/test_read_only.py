"""What a program does with the arrays of a frame does not change the events, units and grids of later frames."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import aclosing
from itertools import islice
from pathlib import Path
from typing import Any

import abathur
import numpy as np
import pytest
from abathur._frame.unit_columns import BUFF_COLUMNS, COLUMNS, ORDER_COLUMNS, PASSENGER_COLUMNS, RALLY_COLUMNS
from bot_events import ours
from numpy.typing import NDArray
from programs import SKIRMISH, Play, crossed, run_daemon
from s2clientprotocol import raw_pb2

LISTS = {
    "orders": ORDER_COLUMNS,
    "buffs": BUFF_COLUMNS,
    "passengers": PASSENGER_COLUMNS,
    "rally_targets": RALLY_COLUMNS,
}
FRAMES = 60


def arrays(units: abathur.Units) -> Iterator[NDArray[Any]]:
    """All arrays that `units` keeps."""
    for name in COLUMNS:
        yield getattr(units, name)
    for name, columns in LISTS.items():
        entries = getattr(units, name)
        yield from (getattr(entries, each) for each in (*columns, "offsets", "unit"))


def spoil(frame: abathur.Frame) -> None:
    """Do what a program may do with the arrays of a frame, in place."""
    units, grids = frame.units, frame.grids
    for array in (*arrays(units), *(each for each in (grids.visibility, grids.creep) if each is not None)):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    health = units.health
    with pytest.raises(ValueError, match="read-only"):
        health /= units.health_max
    with pytest.raises(ValueError, match="read-only"):
        np.subtract(units.health, 5, out=units.health)
    with pytest.raises(ValueError, match="read-only"):
        units.tag.sort()
    for name in (*COLUMNS, *LISTS, "pos"):
        with pytest.raises(AttributeError):
            setattr(units, name, getattr(units, name))
    # These are copies.
    for copied in (units.pos, units.has("health"), units.health.copy(), units.alliance == 1):
        copied[...] = 0
    chosen = units[:]
    for array in arrays(chosen):
        array[...] = 0
    chosen.health = np.ones(len(chosen), np.float32)
    assert chosen.health.sum() == len(chosen) or not len(units)


def follow(frames: Iterator[abathur.Frame], do: Callable[[abathur.Frame], None]) -> list[Any]:
    """The events of frames, and their sums; `do` is called with each frame."""
    told = []
    for frame in islice(frames, FRAMES):
        told.append(
            (
                *(sorted(map(repr, ours(frame))), Counter(type(each).__name__ for each in frame.events)),
                [float(each.sum()) for each in arrays(frame.units)],
                *(None if each is None else each.tobytes() for each in (frame.grids.visibility, frame.grids.creep)),
            )
        )
        do(frame)
    return told


def check(open_frames: Callable[[], Iterator[abathur.Frame]]) -> None:
    wanted = follow(open_frames(), lambda frame: None)
    got = follow(open_frames(), spoil)
    assert len(got) == FRAMES and got == wanted
    assert sum((each[1]["UnitTookDamage"] for each in got), 0) > 3


def recorded(path: Path) -> Iterator[abathur.Frame]:
    with abathur.open(path) as match:
        yield from match.frames()


def test_of_a_recording() -> None:
    check(lambda: recorded(SKIRMISH))


def test_of_a_compact_recording(tmp_path: Path) -> None:
    path = tmp_path / "small.mcap"
    assert run_daemon("export", str(SKIRMISH), "-o", str(path), "--compact").returncode == 0
    check(lambda: recorded(path))


@crossed(encoding=["proto", "json", "columns"], transport=["grpc", "socket"])
def test_of_a_daemon(play: Play, transport: str, encoding: Any) -> None:
    def frames() -> Iterator[abathur.Frame]:
        daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited")
        with abathur.connect_blocking(daemon.addresses[transport]) as game:
            yield from game.frames(policy="every", encoding=encoding)

    check(frames)


def test_units_that_a_program_makes_are_read_only_as_well() -> None:
    messages = [raw_pb2.Unit(tag=7, health=5, orders=[{"ability_id": 1}])]
    for units in (abathur.Units.from_proto(messages), abathur.Units.from_json([{"tag": "7", "health": 5}])):
        assert not any(array.flags.writeable for array in arrays(units))


def test_messages_may_be_sorted_while_units_are_read() -> None:
    messages = raw_pb2.ObservationRaw(
        units=[raw_pb2.Unit(tag=tag, orders=[{"ability_id": tag}] * (tag % 2)) for tag in (3, 2, 1)]
    ).units
    units = abathur.Units.from_proto(messages)
    assert units.tag.tolist() == [3, 2, 1]
    messages.sort(key=lambda unit: unit.tag)
    assert units.orders.ability_id.tolist() == [3, 1] and units.orders.unit.tolist() == [0, 2]
    assert units.has("tag").tolist() == [True] * 3


def test_a_timeline_is_read_only() -> None:
    with abathur.open(SKIRMISH) as match:
        timeline = match.timeline()
        for array in (timeline.game_loops, *timeline.values()):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 5
        assert match.timeline() is timeline
        timeline.seconds[0] = 5


class Careless(abathur.Agent):
    async def on_step(self, frame: abathur.Frame) -> None:
        health = frame.units.health
        health /= 2


def note(error: pytest.ExceptionInfo[ValueError]) -> str:
    (told,) = error.value.__notes__
    return str(told)


@pytest.mark.parametrize("transport", ["grpc", "socket"])
async def test_the_error_names_a_copy(play: Play, transport: str) -> None:
    """Where the library sees it: in its `with` blocks, and in agents."""
    address = play(SKIRMISH, "--loop").addresses[transport]
    words = r"change a copy, such as `health = units\.health\.copy\(\)`"
    with pytest.raises(ValueError, match=words) as agent:
        await Careless().run_async(address)

    async def asynchronous() -> None:
        async with abathur.connect(address) as game, aclosing(game.frames()) as frames:
            async for frame in frames:
                frame.units.health[0] = 1

    def blocking() -> None:
        with abathur.connect_blocking(address) as game:
            next(game.frames()).units.tag.sort()

    with pytest.raises(ValueError, match=words) as asynchronous_error:
        await asynchronous()
    with pytest.raises(ValueError, match=words) as blocking_error:
        await asyncio.to_thread(blocking)
    assert note(agent) == note(asynchronous_error) == note(blocking_error)


@pytest.mark.parametrize("follow", [False, True])
def test_the_error_of_a_recording_names_a_copy(follow: Any) -> None:
    def recording() -> None:
        with abathur.open(SKIRMISH, follow=follow) as match, abathur.open(SKIRMISH):
            next(match.frames()).units.health[:] = 1

    with pytest.raises(ValueError, match=r"assignment destination is read-only[^$]*\.copy\(\)") as error:
        recording()
    assert note(error)
    with pytest.raises(ValueError, match="other") as other, abathur.open(SKIRMISH, follow=follow):
        raise ValueError("other")
    assert not hasattr(other.value, "__notes__")
