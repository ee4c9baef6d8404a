"""Units as columns, from messages and from JSON: what agents do with them."""

from __future__ import annotations

from collections.abc import Callable

import abathur
import numpy as np
import pytest
from google.protobuf import json_format
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
    assert units.by_tag(3).unit_type.tolist() == [SCV]
    assert len(units.by_tag(1)) == 1
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
def test_a_selection_keeps_its_lists(make: Make) -> None:
    units = make()
    chosen = units[np.array([2, 0])]
    assert chosen.tag.tolist() == [3, 1]
    assert chosen.orders.offsets.tolist() == [0, 1, 3]
    assert chosen.orders.ability_id.tolist() == [7, 23, 16]
    assert chosen.buffs.buff_id.tolist() == [5, 6, 27]
    assert chosen[1:].orders.ability_id.tolist() == [23, 16]
    assert units[units.health > 0].tag.tolist() == [1]
    assert units[1].orders.offsets.tolist() == [0, 0]
    assert len(units.where(unit_type=0).orders) == 0
