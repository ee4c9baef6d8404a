"""Values that only a newer game has: they pass through every transport and encoding, and end nothing."""

from __future__ import annotations

from typing import Any

import abathur
import pytest
from abathur._values import proto_json
from abathur.sync.v1 import sync_pb2
from google.protobuf import json_format
from hypothesis import given
from hypothesis import strategies as st
from programs import FREE_PORTS, Launch, crossed
from s2clientprotocol import sc2api_pb2


def varint_field(number: int, value: int) -> bytes:
    return bytes([number << 3 & 0x7F | 0x80, number >> 4, value]) if number > 15 else bytes([number << 3, value])


def observation() -> bytes:
    """An observation of a newer game."""
    known = sc2api_pb2.ResponseObservation()
    known.observation.game_loop = 7
    known.observation.alerts.append(3)
    unit = known.observation.raw_data.units.add(tag=5, unit_type=9999, alliance=1, owner=1)
    unit.pos.x = 3
    newer = sc2api_pb2.ResponseObservation()
    newer.CopyFrom(known)
    # An alert, how a unit is displayed, whose it is, whether it is cloaked.
    newer.observation.MergeFromString(varint_field(10, 99))
    newer.observation.raw_data.units[0].MergeFromString(varint_field(1, 77) + varint_field(10, 66))
    return newer.SerializeToString()


@crossed(transport=["grpc", "socket"], encoding=["json", "proto", "columns"])
async def test_values_of_a_newer_game_end_no_stream(launch: Launch, transport: str, encoding: Any) -> None:
    data = observation()
    expected = sc2api_pb2.ResponseObservation.FromString(data)
    daemon = launch("serve", "--once", *FREE_PORTS)
    async with (
        abathur.publisher(daemon.grpc, map_name="Newer LE") as bot,
        abathur.connect(daemon.addresses[transport]) as game,
    ):
        await bot.publish(data)
        async for frame in game.frames(policy="every", start="oldest", encoding=encoding, max_frames=1):
            assert list(frame.observation.alerts) == [3]
            assert frame.units.tag.tolist() == [5] and frame.units.unit_type.tolist() == [9999]
            (unit,) = frame.observation.raw_data.units
            assert (unit.tag, unit.alliance, unit.pos.x) == (5, 1, 3)
            if encoding != "columns":
                # What cannot be named is written again.
                assert frame.response.SerializeToString(deterministic=True) == expected.SerializeToString(
                    deterministic=True
                )


@given(alerts=st.lists(st.integers(0, 300), max_size=5), display=st.integers(0, 300))
def test_numbers_that_an_enumeration_lacks_are_kept_as_protobuf_keeps_them(alerts: list[int], display: int) -> None:
    value = {
        "observation": {"gameLoop": 4, "alerts": alerts, "rawData": {"units": [{"tag": "1", "displayType": display}]}}
    }
    wire = sc2api_pb2.ResponseObservation()
    wire.observation.game_loop = 4
    unit = wire.observation.raw_data.units.add(tag=1)
    for number in alerts:
        wire.observation.MergeFromString(bytes([10 << 3]) + encoded(number))
    unit.MergeFromString(bytes([1 << 3]) + encoded(display))
    parsed = proto_json.parse(value, sc2api_pb2.ResponseObservation())
    assert parsed == wire
    again = sc2api_pb2.ResponseObservation.FromString(parsed.SerializeToString())
    assert again == sc2api_pb2.ResponseObservation.FromString(wire.SerializeToString())


def encoded(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 0x7F | 0x80, value >> 7])


def test_what_does_not_fit_is_refused() -> None:
    for value in ({"observation": {"gameLoop": "x", "alerts": [99]}}, {"observation": {"alerts": [99, {}]}}):
        with pytest.raises(proto_json.ERRORS):
            proto_json.parse(value, sc2api_pb2.ResponseObservation())


def test_names_of_a_newer_daemon_are_ignored() -> None:
    status = proto_json.parse({"newer": {"a": 1}, "match": {"source": "TELEPATHY"}}, sync_pb2.Status())
    assert status == json_format.ParseDict({"match": {}}, sync_pb2.Status())
