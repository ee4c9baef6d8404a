"""What `columns.py` runs in a process of its own, because the decoder is chosen when `abathur` is imported.

It prints a JSON object of figures. Times are processor time of this process, in µs a frame, of all its threads.
"""

from __future__ import annotations

import asyncio
import gc
import pickle
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import abathur
from abathur._frame.bytes_units import units_of
from abathur._frame.columns_source import ColumnsUnits
from abathur._frame.unit_columns import COLUMNS
from abathur._frame.units import Units
from abathur.columns import ColumnsDecoder
from columns_page import WARM_FRAMES
from runs import answer
from s2clientprotocol import sc2api_pb2

from recordings import SEQUENCES

#: What is read of the units of a frame.
READS: dict[str, tuple[str, ...]] = {
    "nothing": (),
    "four": ("x", "y", "health", "unit_type"),
    "six": ("x", "y", "health", "tag", "unit_type", "alliance"),
    "all": tuple(COLUMNS),
}
#: The unit types of the game, which python-sc2 needs.
GAME_DATA = SEQUENCES.parent / "observations" / "game_data.binpb"
_PASSES = 3

Parsed = sc2api_pb2.ResponseObservation


def read_units(units: Units, names: tuple[str, ...]) -> None:
    """Make arrays of columns."""
    for name in names:
        getattr(units, name)


def processor_time(run: Callable[[], None], frames: int) -> float:
    """The median of some passes over all frames, after one that does not count."""
    run()
    taken = []
    for _ in range(_PASSES):
        gc.collect()
        start = time.process_time_ns()
        run()
        taken.append((time.process_time_ns() - start) / 1000 / frames)
    return statistics.median(taken)


def decode(payloads: list[bytes]) -> dict[str, float]:
    """Payloads of encoding `columns`, in order: the units' section, and columns of it as arrays."""

    def run(names: tuple[str, ...]) -> None:
        decoder = ColumnsDecoder()
        for payload in payloads:
            columns = decoder.decode(payload)
            if names:
                read_units(Units(ColumnsUnits(columns)), names)

    return {read: processor_time(partial(run, READS[read]), len(payloads)) for read in READS}


def parse(observations: list[bytes]) -> dict[str, float]:
    """Serialized observations: by the compiled library, by protobuf, by python-sc2."""
    ways: dict[str, Callable[[bytes], object]] = {"parse": Parsed.FromString}
    for read in ("six", "all"):
        ways[f"compiled {read}"] = partial(_read_units_of, _found, READS[read])
        ways[f"messages {read}"] = partial(_read_units_of, _of_messages, READS[read])
    if GAME_DATA.exists():
        prepare = python_sc2()
        ways["python-sc2"] = prepare
        ways["python-sc2 six"] = lambda data: _read_objects(prepare(data))

    def run(way: Callable[[bytes], object]) -> None:
        for data in observations:
            way(data)

    return {name: processor_time(partial(run, way), len(observations)) for name, way in ways.items()}


def _read_units_of(units: Callable[[bytes], Units], names: tuple[str, ...], data: bytes) -> None:
    read_units(units(data), names)


def _found(data: bytes) -> Units:
    found = units_of(data)
    assert found is not None, "there is no compiled library, or the message is unusual"
    return Units(found)


def _of_messages(data: bytes) -> Units:
    return Units.from_proto(Parsed.FromString(data).observation.raw_data.units)


def python_sc2() -> Callable[[bytes], Any]:
    """A function that prepares a step of python-sc2's BotAI from a serialized observation, and returns the bot."""
    from sc2.bot_ai import BotAI
    from sc2.data import Race
    from sc2.game_data import GameData
    from sc2.game_state import GameState

    bot: Any = BotAI()
    bot._initialize_variables()
    # Not the distances between all units, which no other way computes.
    bot.distance_calculation_method = 0
    bot.game_data = GameData(sc2api_pb2.ResponseData.FromString(GAME_DATA.read_bytes()))
    bot.game_info = SimpleNamespace()
    bot.race, bot.enemy_race, bot.player_id, bot.base_build = Race.Zerg, Race.Terran, 1, -1
    answer = sc2api_pb2.Response()
    grid = answer.game_info.start_raw.pathing_grid
    grid.bits_per_pixel, grid.size.x, grid.size.y, grid.data = 1, 8, 1, b"\0"

    def prepare(data: bytes) -> Any:
        response = Parsed.FromString(data)
        creep = response.observation.raw_data.map_state.creep
        if creep.bits_per_pixel != 1:
            # It reads no other.
            creep.CopyFrom(grid)
        bot._prepare_step(GameState(response), answer)
        return bot

    return prepare


def _read_objects(bot: Any) -> None:
    for unit in bot.all_units:
        _ = unit.position.x, unit.position.y, unit.health, unit.tag, unit.type_id, unit.alliance


def recording(path: str, given: str) -> dict[str, float]:
    """Frames of a recording with four columns: a frame's processor time, and frames a second by the clock."""
    count = int(given)
    with abathur.open(path) as match:
        frames = iter(match.frames())
        for frame in islice(frames, WARM_FRAMES):
            read_units(frame.units, READS["four"])
        clock, cpu, taken = time.perf_counter(), time.process_time(), 0
        for frame in islice(frames, count):
            read_units(frame.units, READS["four"])
            taken += 1
        cpu, clock = time.process_time() - cpu, time.perf_counter() - clock
    assert taken == count, f"{path} has too few frames"
    return {"cpu": cpu / taken * 1e6, "per_core": taken / cpu, "clock": taken / clock}


def client(address: str, api: str, encoding: str, read: str, given: str) -> dict[str, float]:
    """Frames from a daemon: processor time of this process from the transport to arrays."""
    name, _, compression = encoding.partition("+")
    chosen: dict[str, Any] = {"policy": "every", "encoding": name, "compression": compression or "none"}
    names, count = READS[read], int(given)
    moments: list[float] = []

    def take(number: int, frame: abathur.Frame) -> bool:
        """Whether it was the last."""
        if names:
            read_units(frame.units, names)
        if number in (WARM_FRAMES, WARM_FRAMES + count):
            moments.append(time.process_time())
        return number == WARM_FRAMES + count

    async def follow() -> None:
        async with abathur.connect(address) as game:
            number = 0
            async for frame in game.frames(**chosen):
                if take(number, frame):
                    break
                number += 1

    if api == "asyncio":
        asyncio.run(follow())
    else:
        with abathur.connect_blocking(address) as game:
            for number, frame in enumerate(game.frames(**chosen)):
                if take(number, frame):
                    break
    start, end = moments
    return {"cpu": (end - start) / count * 1e6}


def _loaded(path: str) -> list[bytes]:
    """Of the parent's own making."""
    data: list[bytes] = pickle.loads(Path(path).read_bytes())
    return data


QUESTIONS: dict[str, Callable[..., dict[str, float]]] = {
    "decode": lambda path: decode(_loaded(path)),
    "parse": lambda path: parse(_loaded(path)),
    "recording": recording,
    "client": client,
}

if __name__ == "__main__":
    sys.exit(answer(QUESTIONS))
