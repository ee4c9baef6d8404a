"""Units as columns, from messages and from JSON: what agents do with them."""

from __future__ import annotations

import copy
import enum
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import abathur
import numpy as np
import pytest
from abathur._frame.unit_columns import COLUMNS
from abathur.ids import AbilityId, BuffId, EffectId, UnitTypeId, UpgradeId, name_of
from google.protobuf import json_format
from programs import ROOT, SKIRMISH, Play, crossed
from s2clientprotocol import raw_pb2

MARINE, TANK, SCV = 48, 33, 45
UNITS = [
    raw_pb2.Unit(
        tag=1,
        unit_type=MARINE,
        alliance=raw_pb2.Self,
        health=45,
        pos={"x": 1.5, "y": 2.5, "z": 10},
        orders=[
            {"ability_id": 23, "target_unit_tag": 2**40},
            {"ability_id": 16, "target_world_space_pos": {"x": 3, "y": 4}, "progress": 0.25},
        ],
        buff_ids=[27],
    ),
    raw_pb2.Unit(tag=2, unit_type=TANK, alliance=raw_pb2.Enemy, is_flying=False),
    raw_pb2.Unit(
        tag=3,
        unit_type=SCV,
        alliance=raw_pb2.Self,
        health=0,
        orders=[{"ability_id": 7}],
        buff_ids=[5, 6],
        passengers=[{"tag": 9, "health": 40.5, "unit_type": MARINE}],
        rally_targets=[{"point": {"x": 1, "y": 2, "z": 3}, "tag": 4}],
    ),
]


def from_proto() -> abathur.Units:
    return abathur.Units.from_proto(UNITS)


def from_json() -> abathur.Units:
    return abathur.Units.from_json([json_format.MessageToDict(unit) for unit in UNITS])


make = pytest.mark.parametrize("make", [from_proto, from_json])
Make = Callable[[], abathur.Units]


@make
def test_where_takes_values_and_several_values(make: Make) -> None:
    units = make()
    assert units.where(alliance=raw_pb2.Self).tag.tolist() == [1, 3]
    assert units.where(unit_type=[TANK, SCV]).tag.tolist() == [2, 3]
    assert units.where(unit_type={TANK, SCV}, alliance=raw_pb2.Self).tag.tolist() == [3]
    assert units.where(unit_type=12345).tag.tolist() == []
    assert len(units.where()) == 3
    assert len(units.where(alliance=raw_pb2.Self).where(unit_type=SCV)) == 1
    with pytest.raises(AttributeError, match="units have no column 'aliance'"):
        units.where(aliance=1)


@make
def test_by_tag(make: Make) -> None:
    units = make()
    assert (units.by_tag(3).unit_type, units.by_tag(units[0])) == (SCV, units[0])
    with pytest.raises(KeyError, match="no unit has tag 77"):
        units.by_tag(77)


@make
def test_has_tells_absent_from_default(make: Make) -> None:
    units = make()
    assert units.health.tolist() == [45, 0, 0]
    assert units.has("health").tolist() == [True, False, True]
    assert units.has("x").tolist() == [True, False, False]
    assert units.where(alliance=raw_pb2.Self).has("x").tolist() == [True, False]
    with pytest.raises(AttributeError, match="no column"):
        units.has("healht")


@make
def test_lists_by_offsets(make: Make) -> None:
    units = make()
    orders = units.orders
    assert orders.offsets.tolist() == [0, 2, 2, 3]
    assert orders.unit.tolist() == [0, 0, 2]
    assert orders.ability_id.tolist() == [23, 16, 7]
    assert orders.target_unit_tag.tolist() == [2**40, 0, 0]
    assert orders.x.tolist() == [0, 3, 0] and orders.has("x").tolist() == [False, True, False]
    assert orders.progress.tolist() == [0, 0.25, 0] and orders.progress.dtype == np.float32
    assert units.buffs.offsets.tolist() == [0, 1, 1, 3] and units.buffs.buff_id.tolist() == [27, 5, 6]
    assert units.passengers.tag.tolist() == [9] and units.passengers.health.tolist() == [40.5]
    assert units.rally_targets.z.tolist() == [3] and units.rally_targets.tag.tolist() == [4]
    assert len(orders) == 3 and len(units.passengers) == 1
    with pytest.raises(AttributeError, match="no column 'ability'"):
        _ = orders.ability  # type: ignore[attr-defined]


@make
def test_lists_are_shown(make: Make) -> None:
    assert repr(make().buffs) == "<Buffs: 3 of 3 units: buff_id=[27  5  6]>"


@make
def test_a_selection_keeps_its_lists(make: Make) -> None:
    units = make()
    chosen = units[np.array([2, 0])]
    assert chosen.tag.tolist() == [3, 1]
    assert chosen.orders.offsets.tolist() == [0, 1, 3]
    assert chosen.orders.ability_id.tolist() == [7, 23, 16]
    assert chosen.buffs.buff_id.tolist() == [5, 6, 27]
    assert chosen[1:].orders.ability_id.tolist() == [23, 16]
    assert units[units.health > 0].tag.tolist() == [1]
    assert units[1:2].orders.offsets.tolist() == [0, 0]
    assert len(units.where(unit_type=0).orders) == 0


@make
def test_where_takes_names_of_alliances(make: Make) -> None:
    units = make()
    assert units.where(alliance="self", unit_type=UnitTypeId.SCV).tag.tolist() == [3]
    assert units.where(alliance=["enemy", "self"]).tag.tolist() == [1, 2, 3]
    assert units.where(alliance=["enemy", raw_pb2.Self]).tag.tolist() == [1, 2, 3]
    assert units.where(alliance=[]).tag.tolist() == []
    assert units.where(alliance="Enemy").tag.tolist() == [2]
    with pytest.raises(ValueError, match="there is no alliance 'foe'; there are self, ally, neutral, enemy"):
        units.where(alliance="foe")


def python_sc2(module: str, kind: str, name: str) -> Any:
    """A member of an enumeration of python-sc2, whose members are not integers."""
    member = getattr(pytest.importorskip(module), kind)[name]
    assert not isinstance(member, int)
    return member


class Own(enum.Enum):
    """Of a user."""

    TANK = 33


@make
@pytest.mark.parametrize(
    "given",
    [
        lambda: "SIEGETANK",
        lambda: "SiegeTank",
        lambda: "siege tank",
        lambda: "SIEGE_TANK",
        lambda: UnitTypeId.SIEGETANK,
        lambda: python_sc2("sc2.ids.unit_typeid", "UnitTypeId", "SIEGETANK"),
        lambda: Own.TANK,
        lambda: 33,
        lambda: np.uint32(33),
        lambda: np.int8(33),
        lambda: 33.0,
        lambda: np.array(33),
        lambda: np.array([33]),
        lambda: np.array([33, 34], np.int64),
        lambda: ["siegetank", UnitTypeId.QUEEN, 12345],
        lambda: (each for each in [python_sc2("sc2.ids.unit_typeid", "UnitTypeId", "SIEGETANK"), 5]),
        lambda: {"Siegetank": 1},
    ],
)
def test_where_takes_unit_types_as_names_members_and_numbers(make: Make, given: Callable[[], Any]) -> None:
    assert make().where(unit_type=given()).tag.tolist() == [2]


@make
def test_where_takes_other_columns_as_they_are_named(make: Make) -> None:
    units = make()
    assert units.where(alliance=python_sc2("sc2.data", "Alliance", "Enemy")).tag.tolist() == [2]
    assert units.where(display_type="visible").tag.tolist() == [1, 2, 3]
    assert units.where(display_type=python_sc2("sc2.data", "DisplayType", "Snapshot")).tag.tolist() == []
    assert units.where(cloak=["Cloaked", "cloaked_unknown"]).tag.tolist() == [1, 2, 3]
    assert units.where(is_flying=False).tag.tolist() == units.where(is_flying=np.False_).tag.tolist() == [1, 2, 3]
    assert units.where(x=1.5).tag.tolist() == units.where(x=[1.5, np.float64(7)]).tag.tolist() == [1]
    assert units.where(tag=units[1:]).tag.tolist() == units.where(tag=list(units)[1:]).tag.tolist() == [2, 3]
    assert units.where(tag=units.tag[:1]).tag.tolist() == units.where(tag=1).tag.tolist() == [1]
    assert units.where(owner=0).tag.tolist() == [1, 2, 3]


def test_where_compares_in_the_type_of_the_column() -> None:
    """Neither a float of 64 bits nor a tag that passes one is rounded."""
    units = abathur.Units.from_proto([raw_pb2.Unit(tag=2**63 + each, health=40.1) for each in range(4)])
    assert len(units.where(health=[40.1, 7.5])) == len(units.where(health=np.float64(40.1))) == 4
    assert units.where(tag=[2**63 + 1, 5]).tag.tolist() == [2**63 + 1]
    assert units.where(tag=np.array([2**63 - 1, 5])).tag.tolist() == []


@make
@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({"unit_type": "QUEN"}, ValueError, "there is no unit type 'QUEN'; did you mean QUEEN"),
        ({"unit_type": ["marine", "siegetnk"]}, ValueError, "there is no unit type 'siegetnk'; did you mean SIEGETANK"),
        ({"unit_type": "?!"}, ValueError, r"there is no unit type '\?!'$"),
        (
            {"unit_type": AbilityId.STOP_STOP},
            TypeError,
            "unit_type has no values of AbilityId: <AbilityId.STOP_STOP: 4>",
        ),
        ({"unit_type": [UpgradeId.ZERGLINGMOVEMENTSPEED]}, TypeError, "unit_type has no values of UpgradeId"),
        ({"alliance": UnitTypeId.COLOSSUS}, TypeError, "alliance has no values of UnitTypeId"),
        ({"unit_type": None}, TypeError, "unit_type is a number or a name, not None"),
        ({"unit_type": -1}, ValueError, "no unit has unit_type -1: it is an integer from 0 to 4294967295"),
        ({"unit_type": 33.5}, ValueError, r"no unit has unit_type 33\.5"),
        ({"alliance": 300}, ValueError, "no unit has alliance 300: it is an integer from -128 to 127"),
        ({"cloak": "seen"}, ValueError, "there is no cloak 'seen'; there are cloakedunknown, cloaked, cloakeddetected"),
        ({"is_flying": "yes"}, TypeError, "is_flying is a number, not 'yes'"),
        ({"is_flying": 2}, ValueError, "no unit has is_flying 2: it is True or False"),
        ({"health": float("nan")}, ValueError, "no unit has health nan"),
        ({"health": 1e300}, ValueError, r"no unit has health 1e\+300"),
        ({"owner": "me"}, TypeError, "owner is a number, not 'me'"),
        ({"tag": -1}, ValueError, "a tag is a number from 0 to 18446744073709551615, not -1"),
        ({"tag": "1"}, TypeError, "a unit is a tag, or an object with a tag, not '1'"),
        ({"tag": np.array([True])}, TypeError, "tags are integers, not bool"),
    ],
)
def test_a_filter_that_can_match_no_unit_is_an_error(
    make: Make, values: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        make().where(**values)


@make
def test_units_are_objects_when_iterated(make: Make) -> None:
    marine, tank, _ = make()
    assert (marine.name, marine.tag, marine.position, marine.health) == ("MARINE", 1, (1.5, 2.5), 45.0)
    assert type(marine.tag) is int and type(tank.is_flying) is bool
    assert repr(marine) == "<MARINE self at (1.5, 2.5), health 45, tag 1>"
    assert {"name", "position", "health", "unit_type", "orders"} <= set(dir(marine))
    with pytest.raises(AttributeError, match="no attribute 'helth'"):
        _ = marine.helth  # type: ignore[attr-defined]


@make
def test_a_unit_has_its_lists_as_lists_of_views(make: Make) -> None:
    marine, tank, scv = make()
    first, second = marine.orders
    assert (first.ability_id, first.target_unit_tag, first.progress) == (23, 2**40, 0.0)
    assert (second.ability_id, second.x, second.y, second.progress) == (16, 3.0, 4.0, 0.25)
    assert type(first.ability_id) is int and type(first.x) is float
    assert repr(first) == "<OrderView ability_id=23 target_unit_tag=1099511627776 x=0.0 y=0.0 z=0.0 progress=0.0>"
    assert [buff.buff_id for buff in scv.buffs] == [5, 6]
    assert [(each.tag, each.health, each.unit_type) for each in scv.passengers] == [(9, 40.5, MARINE)]
    assert [(each.x, each.y, each.z, each.tag) for each in scv.rally_targets] == [(1.0, 2.0, 3.0, 4)]
    assert tank.orders == tank.buffs == tank.passengers == tank.rally_targets == []
    assert marine.pos == (1.5, 2.5, 10.0)
    (chosen,) = make()[2:]
    assert [each.buff_id for each in chosen.buffs] == [5, 6] and chosen.orders[0].ability_id == 7


@make
def test_every_attribute_of_a_unit_can_be_read_and_none_set(make: Make) -> None:
    for unit in (each for row in make() for each in (row, *row.orders, *row.buffs, *row.passengers)):
        for name in dir(unit):
            value = getattr(unit, name)
            words = rf"^{name} cannot be set.*read-only|has no setter|attribute '{name}' is read-only"
            with pytest.raises(AttributeError, match=words):
                setattr(unit, name, value)
        # Of `Units`, which has arrays for all units.
        for name in ("where", "by_tag", "has", "to_arrow", "offsets"):
            assert not hasattr(unit, name)
        again = pickle.loads(pickle.dumps(unit))
        assert {name: getattr(again, name) for name in type(unit).__annotations__} == {
            name: getattr(unit, name) for name in type(unit).__annotations__
        }


@crossed(encoding=["proto", "json", "columns"], transport=["grpc", "socket"])
def test_units_have_the_values_of_their_messages(play: Play, transport: str, encoding: Any) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--playback-duration", "1")
    with abathur.connect_blocking(daemon.addresses[transport]) as game:
        frame = next(game.frames(policy="every", encoding=encoding))
    messages = {unit.tag: unit for unit in frame.observation.raw_data.units}
    orders = 0
    for unit in frame.units:
        message = messages[unit.tag]
        assert unit.pos == (message.pos.x, message.pos.y, message.pos.z)
        assert [(each.ability_id, each.target_unit_tag, each.x, each.y, each.progress) for each in unit.orders] == [
            (
                *(each.ability_id, each.target_unit_tag),
                *(each.target_world_space_pos.x, each.target_world_space_pos.y, each.progress),
            )
            for each in message.orders
        ]
        assert [each.buff_id for each in unit.buffs] == list(message.buff_ids)
        orders += len(unit.orders)
    assert orders > 10


@make
def test_units_are_shown_as_a_table(make: Make) -> None:
    assert str(make()).splitlines() == [
        "3 units",
        "name                         alliance      x      y health energy tag",
        "MARINE                       self        1.5    2.5     45      0 1",
        "SIEGETANK                    enemy       0.0    0.0      0      0 2",
        "SCV                          self        0.0    0.0      0      0 3",
    ]
    assert str(make()[[0] * 25]).splitlines()[-1] == "and 5 more"
    assert str(make()[:0]) == "0 units"


@make
@pytest.mark.parametrize("clone", [lambda units: pickle.loads(pickle.dumps(units)), copy.copy, copy.deepcopy])
def test_units_are_pickled_and_copied(make: Make, clone: Callable[[abathur.Units], abathur.Units]) -> None:
    for units in (make(), make()[1:]):
        cloned = clone(units)
        for name in COLUMNS:
            np.testing.assert_array_equal(getattr(cloned, name), getattr(units, name))
            np.testing.assert_array_equal(cloned.has(name), units.has(name))
        assert cloned.orders.ability_id.tolist() == units.orders.ability_id.tolist()
        assert cloned.buffs.offsets.tolist() == units.buffs.offsets.tolist()


def test_units_become_a_table_of_arrow() -> None:
    pytest.importorskip("pyarrow")
    table = from_proto().to_arrow()
    assert (table.num_rows, table.column_names) == (3, [*COLUMNS, "name"])
    assert table["tag"].to_pylist() == [1, 2, 3]
    assert table["name"].to_pylist() == ["MARINE", "SIEGETANK", "SCV"]


@make
def test_units_are_a_stream_of_arrow(make: Make) -> None:
    """For pyarrow, polars, nanoarrow, DuckDB: numbers without a copy."""
    pa = pytest.importorskip("pyarrow")
    units = make()
    table = pa.table(units)
    assert table.equals(units.to_arrow()) and table.equals(pa.RecordBatchReader.from_stream(units).read_all())
    for name in ("tag", "alliance", "health"):
        assert table[name].chunk(0).buffers()[1].address == getattr(units, name).ctypes.data
    assert pa.table(units[:0]).num_rows == 0


@make
def test_nanoarrow_reads_units(make: Make) -> None:
    nanoarrow = pytest.importorskip("nanoarrow")
    rows = list(nanoarrow.Array(nanoarrow.ArrayStream(make()).read_all()).iter_tuples())
    assert [row[0] for row in rows] == [1, 2, 3]


@make
def test_tables_of_units_are_grouped_by_name(make: Make) -> None:
    pytest.importorskip("pandas")
    for table in (make().to_pandas(), make().to_arrow().to_pandas()):
        assert table.groupby("name").health.sum().to_dict() == {"MARINE": 45, "SCV": 0, "SIEGETANK": 0}
    assert make()[:0].to_pandas().shape == (0, len(COLUMNS) + 1)


def test_ids_name_what_the_game_numbers() -> None:
    assert (UnitTypeId.QUEEN, AbilityId.STOP_STOP, UpgradeId.ZERGLINGMOVEMENTSPEED) == (126, 4, 66)
    assert (BuffId.STIMPACK, EffectId.LURKERMP) == (27, 12)
    assert (name_of(UnitTypeId, 126), name_of(UnitTypeId, 10**6)) == ("QUEEN", "1000000")


def test_ids_are_those_of_python_sc2() -> None:
    """Unit types, upgrades, buffs and effects; abilities have other names there."""
    pytest.importorskip("sc2")
    from sc2.ids import buff_id, effect_id, unit_typeid, upgrade_id

    for ours, theirs in (
        (UnitTypeId, unit_typeid.UnitTypeId),
        (UpgradeId, upgrade_id.UpgradeId),
        (BuffId, buff_id.BuffId),
        (EffectId, effect_id.EffectId),
    ):
        names = {each.value: each.name.replace("_", "") for each in theirs}
        for each in ours:
            assert each.name.replace("_", "") == names[each.value]


@pytest.mark.skipif(not (ROOT / "gamedata").is_dir(), reason="not in this distribution")
def test_ids_are_made_from_the_tables() -> None:
    subprocess.run([sys.executable, str(ROOT / "gamedata" / "make_ids.py"), "--check"], check=True)
