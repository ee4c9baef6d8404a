"""What type checkers and editors know: misspelled columns and options are errors, correct code has none."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import abathur
import numpy as np
import pytest
from abathur._frame import unit_view
from abathur._frame import units as _units
from programs import ROOT

CORRECT = """
import abathur
import numpy as np
from abathur import actions, drawing
from numpy.typing import NDArray


class Scout(abathur.Agent):
    policy = "every"
    encoding = "columns"
    fields = ("observation.raw_data.units",)
    reconnect_timeout = 5.0

    async def on_step(self, frame: abathur.Frame) -> None:
        units = frame.units.where(alliance="enemy")
        health: NDArray[np.float32] = units.health
        tags: NDArray[np.uint64] = units.orders.target_unit_tag
        buffs: NDArray[np.uint32] = units.buffs.buff_id
        for unit in units:
            name: str = unit.name
            life: float = unit.health
            flies: bool = unit.is_flying
            abilities: list[int] = [order.ability_id for order in unit.orders]
            place: tuple[float, float, float] = unit.pos
            orders = [actions.attack(units.tag, unit), actions.move(unit, units.pos[0]), actions.stop(units)]
            orders += [actions.gather([unit, 5], unit.tag), actions.smart(list(units), unit.orders[0])]
            shapes = [drawing.circle(unit, 3), drawing.line(units.pos[0], (60, 40))]


Scout().run("socket://127.0.0.1:22401", token="secret", policy="latest", compression="zstd-stream")


async def main() -> None:
    async with abathur.connect(request_timeout=3) as game:
        async for frame in game.frames(policy="lockstep", encoding="columns", every=8, max_frame_bytes=1000):
            print(frame.units.pos)
    with abathur.connect_blocking() as blocking:
        print(next(blocking.frames(encoding="proto")).units)
    with abathur.open("match.mcap") as match:
        frames = match.frames(every=8, start="2:00")
        frame = next(frames)
        seconds: float = frame.time + match.duration
        minerals: int = frame.player.minerals
        winners = [player.name for player in match.players if player.result == "victory"]
        print(len(frames), seconds, minerals, winners, match.result, match.map_name.upper())
        units = frame.units
        first: abathur.UnitView = units[0]
        some: abathur.Units = units[1:] + units[units.health > 10] + units[[1, 2]]
        near: abathur.UnitView = some.closest_to(first)
        far: float = near.distance_to((60, 40)) + near.distance_to(first)
        few = some.where(lambda unit: unit.health < 10, alliance="self").in_range(some, far).sort_by("health")
        sorted_units: abathur.Units = few.sort_by(lambda unit: unit.name).filter(lambda unit: unit.is_flying)
        column: NDArray[np.float32] = sorted_units["health"]
        values: dict[str, object] = dict(first)
        print({first, near}, first in few, few.name == "Marine", column, values)
        orders = [actions.train(few, "Marine"), actions.build(first, abathur.ids.UnitTypeId.PYLON, (60, 40))]
        orders += [actions.research(few.tag, "Stimpack"), actions.train(few, "Zealot", at=first)]
"""

# Each line is an error, which mypy describes with these words.
WRONG = {
    "frame.units.helth": 'has no attribute "helth"; maybe "health"',
    "frame.units.orders.abilty_id": 'has no attribute "abilty_id"; maybe "ability_id"',
    "frame.units.buffs.buf_id": 'has no attribute "buf_id"',
    "next(iter(frame.units)).helth": 'has no attribute "helth"; maybe "health"',
    "next(iter(frame.units)).health.upper": 'has no attribute "upper"',
    'game.frames(policy="newest")': "incompatible type",
    'game.frames(encoding="column")': "incompatible type",
    'game.frames(compression="lz4")': "incompatible type",
    "game.frames(polic='every')": 'Unexpected keyword argument "polic"',
    "abathur.connect(tokn='x')": 'Unexpected keyword argument "tokn"',
    'abathur.connect_blocking().frames(policy="newest")': "incompatible type",
    'abathur.Agent().run(policy="newest")': "incompatible type",
    "abathur.Agent().run(polic='every')": 'Unexpected keyword argument "polic"',
    'abathur.actions.attack("mine", 5)': "incompatible type",
}


def mypy(tmp_path: Path, code: str) -> list[str]:
    """The errors of a program, with the number of their line."""
    program = tmp_path / "program.py"
    program.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "pyproject.toml", "--no-error-summary", str(program)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert not done.stderr, done.stderr
    return [line.partition("program.py:")[2] for line in done.stdout.splitlines() if " error: " in line]


def test_correct_code_has_no_type_errors(tmp_path: Path) -> None:
    assert mypy(tmp_path, CORRECT) == []


def test_misspelled_columns_and_options_are_type_errors(tmp_path: Path) -> None:
    head = ["import abathur", "def program(frame: abathur.Frame, game: abathur.Game) -> None:"]
    errors = mypy(tmp_path, "\n".join([*head, *(f"    {line}" for line in WRONG)]))
    first = len(head) + 1
    assert [int(error.partition(":")[0]) for error in errors] == list(range(first, first + len(WRONG)))
    for error, (line, expected) in zip(errors, WRONG.items(), strict=True):
        assert expected in error, line


def test_a_misspelled_value_of_an_agent_is_a_type_error(tmp_path: Path) -> None:
    errors = mypy(tmp_path, 'import abathur\nclass Mine(abathur.Agent):\n    policy = "newest"\n')
    assert len(errors) == 1 and errors[0].startswith("3: error: Incompatible types in assignment")


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        (abathur.Units, _units.COLUMNS),
        (_units.Orders, _units.ORDER_COLUMNS),
        (_units.Buffs, _units.BUFF_COLUMNS),
        (_units.Passengers, _units.PASSENGER_COLUMNS),
        (_units.RallyTargets, _units.RALLY_COLUMNS),
    ],
)
def test_columns_have_the_declared_types(kind: type, columns: dict[str, tuple[str, str]]) -> None:
    declared = {name: list(scalars(hint)) for name, hint in get_type_hints(kind).items()}
    assert {name: found for name, found in declared.items() if found} == {
        name: [np.dtype(dtype).type] for name, (dtype, _) in columns.items()
    }


def scalars(hint: Any) -> Iterator[type[np.generic]]:
    """The types of NumPy's scalars in a type hint. `NDArray` is another kind of object in each version of NumPy."""
    if isinstance(hint, type) and issubclass(hint, np.generic):
        yield hint
    for argument in get_args(hint):
        yield from scalars(argument)


@pytest.mark.parametrize(
    ("kind", "columns"),
    [
        (unit_view.UnitView, _units.COLUMNS),
        (unit_view.OrderView, _units.ORDER_COLUMNS),
        (unit_view.BuffView, _units.BUFF_COLUMNS),
        (unit_view.PassengerView, _units.PASSENGER_COLUMNS),
        (unit_view.RallyTargetView, _units.RALLY_COLUMNS),
    ],
)
def test_a_view_has_the_columns_as_python_values(kind: type, columns: dict[str, tuple[str, str]]) -> None:
    made = {name: type(np.zeros(1, dtype)[0].item()) for name, (dtype, _) in columns.items()}
    assert {name: hint for name, hint in get_type_hints(kind).items() if not name.startswith("_")} == made


def test_prompts_complete_columns() -> None:
    units = abathur.Units.from_proto([])
    assert {*_units.COLUMNS, "pos", "orders", "where"} <= set(dir(units))
    assert {*_units.ORDER_COLUMNS, "offsets", "has"} <= set(dir(units.orders))
