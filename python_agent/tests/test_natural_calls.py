"""What users write without reading the documentation: each call works, or its error says what to write."""

from __future__ import annotations

import copy
import datetime
import operator
import pickle
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import abathur
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from abathur import actions, drawing
from abathur.ids import UnitTypeId, UpgradeId
from programs import SKIRMISH
from s2clientprotocol import raw_pb2

#: A marine, a siege tank, an SCV, an enemy zergling and mineral fields.
MESSAGES = [
    raw_pb2.Unit(
        tag=2**40 + number,
        unit_type=kind,
        alliance=alliance,
        health=health,
        health_max=50,
        build_progress=1,
        pos={"x": x, "y": 4, "z": 8},
        orders=[{"ability_id": 23}] * orders,
    )
    for number, (kind, alliance, health, x, orders) in enumerate(
        [
            (48, raw_pb2.Self, 45, 0, 1),
            (33, raw_pb2.Self, 20, 3, 0),
            (45, raw_pb2.Self, 45, 10, 2),
            (105, raw_pb2.Enemy, 35, 20, 0),
            (341, raw_pb2.Neutral, 0, 30, 0),
            (341, raw_pb2.Neutral, 0, 31, 0),
        ]
    )
]
FIRST = 2**40


@pytest.fixture(scope="module")
def names() -> Iterator[dict[str, Any]]:
    """What the calls may use."""
    u = abathur.Units.from_proto(MESSAGES)
    other = abathur.Units.from_proto(MESSAGES)
    warp_gate = abathur.Units.from_proto([raw_pb2.Unit(tag=FIRST, unit_type=133)])
    with abathur.open(SKIRMISH) as match:
        frame = match[300]
        yield {
            **{"abathur": abathur, "actions": actions, "drawing": drawing, "np": np, "pd": pd, "pa": pa},
            **{
                "random": random,
                "copy": copy,
                "datetime": datetime,
                "operator": operator,
                "pickle": pickle,
                "Path": Path,
            },
            **{"UnitTypeId": UnitTypeId, "UpgradeId": UpgradeId, "path": SKIRMISH, "match": match, "frame": frame},
            **{"u": u, "other": other, "unit": u[0], "warp_gate": warp_gate},
        }


def numbers(units: abathur.Units) -> list[int]:
    return [int(tag) - FIRST for tag in units.tag]


def plain(result: Any) -> Any:
    """A result as values that can be compared."""
    if isinstance(result, abathur.Units):
        return numbers(result)
    if isinstance(result, abathur.UnitView):
        return f"unit {result.tag - FIRST}"
    if isinstance(result, np.ndarray):
        return result.tolist()
    return result.item() if isinstance(result, np.generic) else result


# Units are numbered from 0; in a result, `Units` are the list of their numbers.
UNITS: dict[str, Any] = {
    "u[0]": "unit 0",
    "u[-1]": "unit 5",
    "u[np.int64(3)]": "unit 3",
    "u[np.array(2)]": "unit 2",
    "u[[0, 2]]": [0, 2],
    "u[1:3]": [1, 2],
    "u[::-2]": [5, 3, 1],
    "u[u.health > 40]": [0, 2],
    "u[np.flatnonzero(u.health > 40)]": [0, 2],
    "u[[]]": [],
    "u[0] in u": True,
    "other[1] in u": True,
    "u[0] in u[1:]": False,
    "u.tag[0] in u": True,
    "5 in u": False,
    "'marine' in u": False,
    "u['health']": [45, 20, 45, 35, 0, 0],
    "u['name'][:2]": ["MARINE", "SIEGETANK"],
    "u['pos'][0]": [0, 4, 8],
    "len(u['orders'])": 3,
    "u.name[:3]": ["MARINE", "SIEGETANK", "SCV"],
    "u.name == 'Marine'": [True, False, False, False, False, False],
    "u.name != 'siege tank'": [True, False, True, True, True, True],
    "u[u.name == 'Siege Tank']": [1],
    "(u.name == np.array(['MARINE'] * 6)).sum()": 1,
    "np.unique(u.name)": ["MARINE", "MINERALFIELD", "SCV", "SIEGETANK", "ZERGLING"],
    "pd.Series(u.name).value_counts()['MINERALFIELD']": 2,
    "u[:1] + u[3:]": [0, 3, 4, 5],
    "u.where(alliance='enemy') + u.where(unit_type='marine')": [3, 0],
    "u[2:][1:] + u[:1]": [3, 4, 5, 0],
    "u[:2] + u[:2]": [0, 1, 0, 1],
    "u[:2] | u[1:3]": [0, 1, 2],
    "u[:2] & u[1:3]": [1],
    "u - u[1:]": [0],
    "u == u": True,
    "u == None": False,
    "u in [None, u]": True,
    "len({u, u})": 1,
    "other[0] == u[0]": True,
    "u[0] == u[1]": False,
    "u[0] == 5": False,
    "len({u[0], other[0], u[1]})": 2,
    "{u[0]: 'x'}[other[0]]": "x",
    "u.where(lambda unit: unit.health > 40)": [0, 2],
    "u.where(lambda unit: unit.orders, alliance='self')": [0, 2],
    "u.where(u.health > 40)": [0, 2],
    "u.where(name='Marine')": [0],
    "u.where(name=['Marine', 'SCV'])": [0, 2],
    "u.filter(lambda unit: not unit.orders)": [1, 3, 4, 5],
    "u[np.diff(u.orders.offsets) == 0]": [1, 3, 4, 5],
    "u.closest_to((11, 4))": "unit 2",
    "u.closest_to((11, 4, 8))": "unit 2",
    "u.where(alliance='self').closest_to(u[3])": "unit 2",
    "u.where(alliance='self').closest_to(u.where(alliance='enemy'))": "unit 2",
    "u.in_range((0, 4), 3)": [0, 1],
    "u.in_range(u[0], 3)": [0, 1],
    "u.in_range(u[3:5], 1)": [3, 4, 5],
    "u.in_range([(0, 4), (20, 4)], 1)": [0, 3],
    "u.in_range([u[0], u[3]], 1)": [0, 3],
    "u.in_range(u.pos[:1], 1)": [0],
    "u.in_range(u[:0], 100)": [],
    "u.closer_than(3, u[0])": [0],
    "u.further_than(19, u[0])": [3, 4, 5],
    "u.sort_by('health')": [4, 5, 1, 3, 0, 2],
    "u.sort_by('health', reverse=True)": [0, 2, 3, 1, 4, 5],
    "u.sort_by('name')[:2]": [0, 4],
    "u.sort_by(-u.x)[:2]": [5, 4],
    "u.sort_by([3, 2, 1, 6, 5, 4])": [2, 1, 0, 5, 4, 3],
    "u.sort_by(lambda unit: (unit.name, -unit.x))": [0, 5, 4, 2, 1, 3],
    "u.sort_by(u.distance_to((10, 4)))[:2]": [2, 1],
    "u.distance_to((0, 0))[1]": 5,
    "u.distance_to(u[1])": [3, 0, 7, 17, 27, 28],
    "u.distance_to(u).shape": (6, 6),
    "u[:2].center": (1.5, 4),
    "bool(u[:0])": False,
    "random.choice(u[:1])": "unit 0",
    "len(random.sample(u, 3))": 3,
    "list(reversed(u))[0]": "unit 5",
    "copy.copy(u[1:2])": [1],
    "sum(unit.health for unit in u)": 145,
    "max(u, key=lambda unit: unit.x)": "unit 5",
    "pd.DataFrame(u).shape": (6, 43),
    "list(pd.DataFrame(u))[:3]": ["name", "tag", "unit_type"],
    "pd.DataFrame(u).groupby('name').health.sum()['MARINE']": 45,
    "pd.DataFrame([u[0], u[1]]).name.tolist()": ["MARINE", "SIEGETANK"],
    "np.array(list(u)).shape": (6,),
    "unit['health']": 45,
    "unit['name']": "MARINE",
    "dict(unit)['x']": 0,
    "list(dict(unit))[:2]": ["name", "tag"],
    "len(dict(unit))": 43,
    "'health' in unit": True,
    "unit.get('helth', 7)": 7,
    "unit.position": (0, 4),
    "unit.distance_to((3, 0))": 5,
    "unit.distance_to(u[1])": 3,
}
#: The type of the error, and a part of its text.
UNIT_ERRORS: dict[str, tuple[type[Exception], str]] = {
    "u[6]": (IndexError, "no unit has index 6: there are 6 units"),
    "u[u.tag[0]]": (IndexError, f"a unit by its tag is units.by_tag({FIRST})"),
    "u[0, 1]": (TypeError, "units have one axis, not units[0, 1]: write units[[0, 1]]"),
    "u[True]": (TypeError, "selected by an index, a mask, indices or a slice, not True"),
    "u[u[0]]": (TypeError, "write units.by_tag(unit), or units.where(tag=others)"),
    "u[u]": (TypeError, "write units.by_tag(unit), or units.where(tag=others)"),
    "u[['name', 'x']]": (TypeError, "write units.to_pandas()[['name', 'x']]"),
    "u[lambda unit: True]": (TypeError, "write units.where(function)"),
    "u['helth']": (AttributeError, "no column 'helth': did you mean health"),
    "u.name == 'Marin'": (ValueError, "there is no unit type 'Marin'; did you mean MARINE"),
    "u + other": (ValueError, "two selections of one frame.units"),
    "u + [u[0]]": (TypeError, "unsupported operand"),
    "u == other": (TypeError, "write numpy.array_equal(units.tag, others.tag)"),
    "u != other": (TypeError, "write numpy.array_equal(units.tag, others.tag)"),
    "np.array(u)": (TypeError, "write units.pos, units.health or numpy.stack"),
    "np.asarray(u)": (TypeError, "all columns are units.to_pandas().to_numpy()"),
    "u.where(u.health)": (TypeError, "where takes a function of a unit, or a mask of 6 bools"),
    "u.where('health > 5')": (TypeError, "or a mask of 6 bools, not 'health > 5'"),
    "u.where(unit_type=u[0])": (TypeError, "unit_type is a number or a name, not <MARINE"),
    "u.where(helth=3)": (AttributeError, "did you mean health"),
    "u[:0].closest_to((1, 1))": (ValueError, "there are 0 units"),
    "u.closest_to(u[:0])": (ValueError, "no unit is closest"),
    "u.closest_to(5)": (TypeError, "a position is (x, y) or (x, y, z), not 5"),
    "u[:0].center": (ValueError, "no units have no center"),
    "u.sort_by('helth')": (AttributeError, "did you mean health"),
    "u.sort_by([1, 2])": (ValueError, "a key has one value for each of 6 units, not [1, 2]"),
    "u.amount": (AttributeError, "write len(units)"),
    "u.empty": (AttributeError, "write len(units) == 0"),
    "u.exists": (AttributeError, "write len(units) > 0"),
    "u.first": (AttributeError, "write units[0]"),
    "u.random": (AttributeError, "write random.choice(units)"),
    "u.tags": (AttributeError, "write units.tag"),
    "u.idle": (AttributeError, "write units[numpy.diff(units.orders.offsets) == 0]"),
    "u.of_type(UnitTypeId.MARINE)": (AttributeError, "write units.where(unit_type=...)"),
    "u.is_mine": (AttributeError, "write units.alliance == 1"),
    "u.groupby('name')": (AttributeError, "write units.to_pandas().groupby(...)"),
    "u.head()": (AttributeError, "write units[:n]"),
    "u.index(unit)": (AttributeError, "write numpy.flatnonzero(units.tag == unit.tag)"),
    "unit.helth": (AttributeError, "no attribute 'helth'"),
    "unit['helth']": (KeyError, "no column 'helth': did you mean health"),
    "unit._asdict()": (AttributeError, "write dict(unit)"),
    "unit.type_id": (AttributeError, "write unit.unit_type"),
    "unit.is_idle": (AttributeError, "write not unit.orders"),
    "unit.health_percentage": (AttributeError, "write unit.health / unit.health_max"),
    "unit.distance_to(FIRST)": (TypeError, "a position is (x, y) or (x, y, z)"),
    "setattr(unit, 'health', 3)": (AttributeError, "health cannot be set"),
}


@pytest.mark.parametrize("call", UNITS)
def test_calls_of_units(call: str, names: dict[str, Any]) -> None:
    assert plain(eval(call, names)) == UNITS[call]


@pytest.mark.parametrize("call", UNIT_ERRORS)
def test_errors_of_units(call: str, names: dict[str, Any]) -> None:
    kind, words = UNIT_ERRORS[call]
    with pytest.raises(kind, match=re.escape(words)):
        eval(call, names, {"FIRST": FIRST})


RECORDINGS: dict[str, Any] = {
    "repr(match)": "<Recording skirmish.mcap: Synthetic LE, 1344 frames>",
    "match.map_name": "Synthetic LE",
    "match.game_version": "",
    "match.duration": 10303 / 22.4,
    "match.result": "victory",
    "[(each.name, each.race, each.result) for each in match.players]": [
        ("Synthetic Zerg", "Zerg", "victory"),
        ("Synthetic Protoss", "Protoss", "defeat"),
    ],
    "len(match)": 1344,
    "next(iter(match)).game_loop": 8960,
    "match[0].game_loop": 8960,
    "match[-1].game_loop": 10303,
    "len(match.frames())": 1344,
    "len(match.frames(every=22))": 63,
    "len(list(match.frames(every=22)))": 63,
    "len(match.frames(every=17))": 79 + 1,
    "len(list(match.frames(every=17)))": 79 + 1,
    "len(match.frames(start=9000, stop=9100))": 100,
    "len(list(match.frames(start=9000, stop=9100)))": 100,
    "len(match.frames(start=9000, stop=9100, every=7))": 15,
    "len(list(match.frames(start=9000, stop=9100, every=7)))": 15,
    "len(match.frames(start=20000))": 0,
    "operator.length_hint(match.frames())": 1344,
    "bool(match.frames(start=20000))": True,
    "repr(match.frames())": "<RecordedFrames of Recording skirmish.mcap: Synthetic LE, 1344 frames: 0 read>",
    "next(match.frames(start='7:00')).game_loop": 9408,
    "next(match.frames(start=datetime.timedelta(minutes=7))).game_loop": 9408,
    "next(match.frames(start='0:07:00.5')).game_loop": 9420,
    "[frame.game_loop for frame in match.frames(start='7:00', stop='7:01')][-1]": 9430,
    "match.frame_at('7:00').game_loop": 9408,
    "match.frame_at('7:00').time": 420,
    "match.frame_at(9408).time": 420,
    "match.units_table(start='7:39').num_columns": 44,
    "match.units_table(start='7:39.9').to_pandas().groupby('name').health.mean()['DRONE']": 40,
    "frame.time": 9260 / 22.4,
    "frame.player.minerals": 148,
    "frame.player.food_used > 0": True,
    "repr(abathur.open(Path(path)))": "<Recording skirmish.mcap: Synthetic LE, 1344 frames>",
}
RECORDING_ERRORS: dict[str, tuple[type[Exception], str]] = {
    "match.frames(start=120.0)": (TypeError, 'start is a game loop (2688) or a game time ("2:00"), not 120.0'),
    "match.frames(start='2 min')": (ValueError, "start is a game loop (2688) or a game time (\"2:00\"), not '2 min'"),
    "match.frames(stop='2:75')": (ValueError, "stop is a game loop (2688) or a game time"),
    "match.frames(every=-1)": (ValueError, "every is -1"),
    "match.frame_at('20:00')": (abathur.RecordingError, "has no frame at game loop 20:00 or after it"),
    "match[9000]": (IndexError, "has no frame 9000; it has 1344 frames"),
    "match[:3]": (TypeError, "`frames` has a range of game loops"),
    "abathur.open(path.parent)": (abathur.RecordingError, "it is a folder (of 1 recordings in it the first is skirm"),
    "abathur.open(str(path.parent / '*.mcap'))": (abathur.RecordingError, "for path in glob.glob("),
    "abathur.open('match.SC2Replay')": (abathur.RecordingError, "abathur dataset record match.SC2Replay"),
    "abathur.open(path.open('rb'))": (TypeError, "not an open file: write abathur.open(file.name)"),
    "abathur.open(b'x.mcap')": (TypeError, "takes the path of a recording, not b'x.mcap'"),
    "abathur.open(None)": (TypeError, "takes the path of a recording, not None"),
    "abathur.open('')": (abathur.RecordingError, "it is a folder"),
    "abathur.open(path.with_name('skirmsh.mcap'))": (abathur.RecordingError, "did you mean"),
    "abathur.open('/nowhere/x.mcap')": (abathur.RecordingError, "cannot open /nowhere/x.mcap: No such file"),
    "abathur.open('grpc://127.0.0.1:1')": (
        abathur.RecordingError,
        "write abathur.connect_blocking('grpc://127.0.0.1:1'",
    ),
    "abathur.open(__import__('numpy').__file__)": (abathur.RecordingError, "is not a complete MCAP file"),
}


@pytest.mark.parametrize("call", RECORDINGS)
def test_calls_of_recordings(call: str, names: dict[str, Any]) -> None:
    assert plain(eval(call, names)) == RECORDINGS[call]


@pytest.mark.parametrize("call", RECORDING_ERRORS)
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_errors_of_recordings(call: str, names: dict[str, Any]) -> None:
    kind, words = RECORDING_ERRORS[call]
    with pytest.raises(kind, match=re.escape(words)):
        eval(call, names)


def test_a_range_has_no_length_where_game_loops_are_missing(tmp_path: Path) -> None:
    """Of a recording of every other game loop, only that of all frames is known."""
    from test_events import record

    with abathur.open(SKIRMISH) as match:
        payloads = [frame.response for frame in match.frames(stop=8970, every=2)]
    with abathur.open(record(tmp_path, payloads)) as match:
        assert len(match.frames()) == 5
        frames = match.frames(every=4)
        with pytest.raises(TypeError, match="does not have a frame for each game loop"):
            len(frames)
        assert [frame.game_loop for frame in frames] == [8960, 8964, 8968]


#: The ability, and the target: nothing, a point, or a tag.
ACTIONS: dict[str, tuple[int, Any]] = {
    "actions.train(u, 'Marine')": (560, None),
    "actions.train(u[0], 'marine')": (560, None),
    "actions.train(u.tag[0], UnitTypeId.MARINE)": (560, None),
    "actions.train(u.tag, 48)": (560, None),
    "actions.train([u[0], u[1]], 'MARINE', queue=True)": (560, None),
    "actions.train(u, 'siege tank')": (591, None),
    "actions.train(u, 'Hellbat')": (596, None),
    "actions.train(u, 'Zergling')": (1343, None),
    "actions.train(u, 'Queen')": (1632, None),
    "actions.train(u, 'SwarmHost')": (1356, None),
    "actions.train(u, 'Lair')": (1216, None),
    "actions.train(u, 'Baneling')": (4121, None),
    "actions.train(u, 'Lurker')": (2332, None),
    "actions.train(u, UnitTypeId.LURKERMP)": (2332, None),
    "actions.train(u, 'Ravager')": (2330, None),
    "actions.train(u, 'Archon')": (1766, None),
    "actions.train(u, 'Overseer')": (1448, None),
    "actions.train(u, 'OrbitalCommand')": (1516, None),
    "actions.train(u, 'WarpGate')": (1518, None),
    "actions.train(u, 'Nuke')": (710, None),
    "actions.train(u, 'Zealot')": (916, None),
    "actions.train(u, 'Zealot', at=(60, 40))": (1413, (60, 40)),
    "actions.train(warp_gate, 'dark templar', at=(60, 40))": (1417, (60, 40)),
    "actions.train(u, 'Adept', at=u[1])": (1419, FIRST + 1),
    "actions.build(u, 'Lair')": (1216, None),
    "actions.build(u, 'Barracks', (60, 40))": (321, (60, 40)),
    "actions.build(u, UnitTypeId.PYLON, (60, 40, 8))": (881, (60, 40)),
    "actions.build(u, 'spawning pool', u[1])": (1155, (3, 4)),
    "actions.build(u, 'Refinery', u[4])": (320, FIRST + 4),
    "actions.build(u, 'Extractor', u.tag[4])": (1154, FIRST + 4),
    "actions.build(u, 'BarracksTechLab')": (421, None),
    "actions.build(u, 'FactoryReactor')": (455, None),
    "actions.build(u, 'TechLab')": (3682, None),
    "actions.build(u, 'Reactor')": (3683, None),
    "actions.build(u, 'StarportTechLab', (60, 40))": (487, (60, 40)),
    "actions.build(u, 'CreepTumor', (60, 40))": (3691, (60, 40)),
    "actions.build(u, 'LurkerDen', (60, 40))": (1163, (60, 40)),
    "actions.build(u, 'ShieldBattery', (60, 40))": (895, (60, 40)),
    "actions.research(u, 'Stimpack')": (730, None),
    "actions.research(u, UpgradeId.STIMPACK)": (730, None),
    "actions.research(u, 15)": (730, None),
    "actions.research(u, 'Combat Shield')": (731, None),
    "actions.research(u, 'Blink')": (1593, None),
    "actions.research(u, 'TerranInfantryWeaponsLevel2')": (653, None),
    "actions.research(u, 'TerranInfantryWeapons')": (3698, None),
    "actions.research(u, 'TerranVehicleAndShipPlatingLevel1')": (864, None),
    "actions.research(u, UpgradeId.ZERGLINGMOVEMENTSPEED)": (1253, None),
    "actions.research(u, 'Warp Gate')": (1568, None),
    "actions.attack(u, u[3])": (3674, FIRST + 3),
    "actions.attack(u, u.closest_to((20, 4)))": (3674, FIRST + 3),
    "actions.move(u[0], u.center)": (3794, (15.666667, 4)),
    "actions.attack(u.where(name='Marine'), (60, 40))": (3674, (60, 40)),
}
ACTION_ERRORS: dict[str, tuple[type[Exception], str]] = {
    "actions.train(u, 'Marin')": (ValueError, "there is no unit type 'Marin'; did you mean MARINE?"),
    "actions.train(u, 'mariine')": (ValueError, "there is no unit type 'mariine'; did you mean MARINE?"),
    "actions.train(u, 'templar')": (ValueError, "is ambiguous: write TEMPLARARCHIVE, HIGHTEMPLAR or DARKTEMPLAR"),
    "actions.train(u, 'xyz')": (ValueError, "there is no unit type 'xyz'"),
    "actions.train(u, '')": (ValueError, "there is no unit type ''"),
    "actions.train(u, 'MineralField')": (ValueError, "no ability makes MINERALFIELD; actions.command takes any"),
    "actions.train(u, 48.0)": (TypeError, "unit_type is a name, a number or a member of UnitTypeId, not 48.0"),
    "actions.train(u, UpgradeId.STIMPACK)": (TypeError, "unit_type has no values of UpgradeId"),
    "actions.train(u, 'Barracks')": (ValueError, "BARRACKS is built: write actions.build(units, 'BARRACKS', place)"),
    "actions.train(u, 'Marine', at=(1, 2))": (ValueError, "MARINE is not warped in"),
    "actions.train(warp_gate, 'Zealot')": (ValueError, "write actions.train(units, 'ZEALOT', at=(x, y))"),
    "actions.train(warp_gate[0], 'Zealot')": (ValueError, "a warp gate needs a place"),
    "actions.train('all', 'Marine')": (TypeError, "a unit is a tag, or an object with a tag, not 'all'"),
    "actions.build(u, 'Barracks')": (ValueError, "write actions.build(units, 'BARRACKS', place)"),
    "actions.build(u, 'Refinery')": (ValueError, "write actions.build(units, 'REFINERY', geyser)"),
    "actions.build(u, 'Refinery', (60, 40))": (TypeError, "is built on a geyser, which is a unit, not (60, 40)"),
    "actions.build(u, 'Marine', (60, 40))": (ValueError, "write actions.train(units, 'MARINE')"),
    "actions.build(u, 'Barrack', (60, 40))": (ValueError, "is ambiguous: write BARRACKS, BARRACKSTECHLAB or BARR"),
    "actions.research(u, 'Stimpak')": (ValueError, "there is no upgrade 'Stimpak'; did you mean STIMPACK?"),
    "actions.research(u, 'MetabolicBoost')": (ValueError, "did you mean ZERGLINGMETABOLICBOOST?"),
    "actions.research(u, 'TerranShip')": (ValueError, "is ambiguous: write TERRANSHIPARMORSLEVEL1, "),
    "actions.research(u, UnitTypeId.MARINE)": (TypeError, "upgrade has no values of UnitTypeId"),
    "actions.research(u, 14)": (ValueError, "no ability researches REAPERSPEED"),
}


@pytest.mark.parametrize("call", ACTIONS)
def test_calls_of_actions(call: str, names: dict[str, Any]) -> None:
    command = eval(call, names).action_raw.unit_command
    point, kind = command.target_world_space_pos, command.WhichOneof("target")
    target = {None: None, "target_unit_tag": command.target_unit_tag}.get(kind, (point.x, point.y))
    ability, wanted = ACTIONS[call]
    assert command.ability_id == ability and command.unit_tags[0] == FIRST
    assert target == (pytest.approx(wanted) if isinstance(wanted, tuple) else wanted)
    assert command.queue_command == ("queue" in call)


@pytest.mark.parametrize("call", ACTION_ERRORS)
def test_errors_of_actions(call: str, names: dict[str, Any]) -> None:
    kind, words = ACTION_ERRORS[call]
    with pytest.raises(kind, match=re.escape(words)):
        eval(call, names)


#: Of frames, drawings, plots and the lists of units.
OTHERS: dict[str, Any] = {
    "frame.units[0] in frame.units": True,
    "frame.time": 9260 / 22.4,
    "frame.rest.observation.player_common == frame.player": True,
    "copy.copy(frame).player.minerals": 148,
    "pickle.loads(pickle.dumps(frame)).time == frame.time": True,
    "hasattr(frame, 'nothing')": False,
    "frame.grids.creep.shape": (152, 152),
    "sorted([match[3], match[2]], key=lambda frame: frame.game_loop)[0].sequence": 3,
    "match[np.int64(3)].sequence": 4,
    "next(match.frames(start=None)).sequence": 1,
    "match.timeline()['minerals'].shape": (62,),
    "list(dict(match.timeline()))[0]": "minerals",
    "pd.DataFrame(dict(match.timeline())).shape": (62, 29),
    "match.plots()": [],
    "u.orders['ability_id']": [23, 23, 23],
    "u[0].orders[0].name": "ATTACK_ATTACK",
    "u.orders.name": ["ATTACK_ATTACK"] * 3,
    "u.buffs.name": [],
    "u.passengers.name == 'Marine'": [],
    "u.where(health=[45, 20])": [0, 1, 2],
    "np.isin(u.unit_type, [UnitTypeId.MARINE]).sum()": 1,
    "u.unit_type[0] == UnitTypeId.MARINE": True,
    "drawing.circle(u[0], 8).circle.at.x": 0,
    "drawing.line(u[0], u[1]).line.to.x": 3,
    "drawing.text(u[0].position, 'hello').text.text": "hello",
    "drawing.point(u[1], color='ff0000').color": 0xFF0000,
    "drawing.point(u[1], color=(255, 128, 0)).color": 0xFF8000,
    "drawing.point(u[1], color=np.int64(255)).color": 255,
    "drawing.point(u.center, lifetime=22).lifetime_game_loops": 22,
    "drawing.circle(u.pos[1], np.float32(2)).circle.radius": 2,
    "actions.command(np.int64(4), u[0]).action_raw.unit_command.ability_id": 4,
    "actions.chat('gl hf').action_chat.message": "gl hf",
    "actions.move_camera(u[1]).action_raw.camera_move.center_world_space.x": 3,
}
OTHER_ERRORS: dict[str, tuple[type[Exception], str]] = {
    "frame.minerals": (AttributeError, "'Frame' object has no attribute 'minerals': write frame.player.minerals"),
    "frame.supply": (AttributeError, "write frame.player.food_used"),
    "frame.loop": (AttributeError, "write frame.game_loop"),
    "frame.unit": (AttributeError, "did you mean units"),
    "frame.enemies": (AttributeError, 'write frame.units.where(alliance="enemy")'),
    "frame.map_size": (AttributeError, "write game_info().start_raw.map_size of the recording or the game"),
    "frame.score": (AttributeError, "write frame.rest.observation.score"),
    "frame.to_pandas()": (AttributeError, "write frame.units.to_pandas()"),
    "frame.nothing": (AttributeError, "'Frame' object has no attribute 'nothing'"),
    "frame.events": (abathur.AbathurError, "only the frames of a stream have events"),
    "frame.grids.pathing": (AttributeError, "write game_info().start_raw.pathing_grid"),
    "match.map": (AttributeError, "'Recording' object has no attribute 'map': write recording.map_name"),
    "match.winner": (AttributeError, "write recording.players"),
    "match.df": (AttributeError, "write recording.units_table().to_pandas()"),
    "match.seek(9000)": (AttributeError, "write recording.frames(start=game_loop)"),
    "match.unit_table()": (AttributeError, "did you mean units_table"),
    "match['7:00']": (TypeError, "write recording.frame_at('7:00') for a game time"),
    "match[3.0]": (TypeError, "a frame has an integer as its number, not 3.0"),
    "match[[1, 2]]": (TypeError, "a frame has an integer as its number, not [1, 2]"),
    "match.frames(every=2.5)": (TypeError, "every is a number of game loops (22 are about a second), not 2.5"),
    "match.frames(every='1s')": (TypeError, "every is a number of game loops"),
    "u.orders[0]": (TypeError, "those of one unit are units[0].orders"),
    "u.rally_targets[0]": (TypeError, "those of one unit are units[0].rally_targets"),
    "u.where(health=lambda health: health > 5)": (TypeError, "write units[units.health > ...]"),
    "u.where(alliance='mine')": (ValueError, "there is no alliance 'mine'; there are self, ally, neutral, enemy"),
    "abathur.Units([u[0]])": (TypeError, "write frame.units.where(tag=units)"),
    "abathur.Units(u)": (TypeError, "Units are made by frames"),
    "drawing.circle(u[0], 'big')": (TypeError, "a radius is a number of map cells, not 'big'"),
    "drawing.circle(u[0], -5)": (ValueError, "a radius is a finite number from 0, not -5"),
    "drawing.circle(u[0], float('nan'))": (ValueError, "a radius is a finite number from 0, not nan"),
    "drawing.point(u)": (ValueError, "a position is (x, y) or (x, y, z), not 6 units"),
    "drawing.point(u[0], color='red')": (ValueError, 'a color is "#rrggbb", 0xRRGGBB or (red, green, blue)'),
    "drawing.point(u[0], color=(1, 2))": (ValueError, "a color is"),
    "drawing.point(u[0], color=(1.0, 0, 0))": (ValueError, "a color is"),
    "drawing.point(u[0], color=(300, 0, 0))": (ValueError, "a color is"),
    "drawing.point(u[0], lifetime=-1)": (ValueError, "lifetime is a number of game loops from 0, not -1"),
    "drawing.point(u[0], lifetime='2:00')": (TypeError, "lifetime is a number of game loops"),
    "drawing.text(u[0], 5)": (TypeError, "words are a text, not 5: write str(words)"),
    "drawing.text('hello', (1, 2))": (TypeError, "a position is (x, y) or (x, y, z), not 'hello'"),
    "drawing.sphere(u[0], 5)": (AttributeError, "write drawing.circle(at, radius)"),
    "actions.command('stimpack', u)": (TypeError, "an ability is a number or a member of AbilityId, not 'stimpack'"),
    "actions.command(UnitTypeId.MARINE, u)": (TypeError, "write actions.train(units, "),
    "actions.command(UpgradeId.STIMPACK, u)": (TypeError, "write actions.research(units, "),
    "actions.toggle_autocast('heal', u)": (TypeError, "an ability is a number"),
    "actions.chat(5)": (TypeError, "a message is a text, not 5: write str(message)"),
    "actions.hold(u)": (AttributeError, "write actions.hold_position(units)"),
    "actions.morph(u, 'Lair')": (AttributeError, "write actions.train(units, unit_type)"),
    "actions.warp_in(u, 'Zealot')": (AttributeError, "write actions.train(units, unit_type, at=place)"),
    "actions.repair(u, u[0])": (AttributeError, "write actions.command(3685, units, target)"),
    "actions.move(u, 'natural')": (TypeError, "a target is a point (x, y), a tag or a unit, not 'natural'"),
}


@pytest.mark.parametrize("call", OTHERS)
def test_other_calls(call: str, names: dict[str, Any]) -> None:
    assert plain(eval(call, names)) == OTHERS[call]


@pytest.mark.parametrize("call", OTHER_ERRORS)
def test_other_errors(call: str, names: dict[str, Any]) -> None:
    kind, words = OTHER_ERRORS[call]
    with pytest.raises(kind, match=re.escape(words)):
        eval(call, names)
