"""Units that the compiled library reads of a serialized message, beside those of protobuf's parser."""

from __future__ import annotations

import math
import multiprocessing
import random
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from abathur import Frame, Units
from abathur._frame import bytes_units
from abathur._frame.bytes_units import units_of
from abathur._frame.source import BytesSource
from decoders import array, in_process_without_library, messages_told, mutated, needs_library, outcome, units_told
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st
from observations import generated, make
from programs import SHARED, needs_observations, runs
from s2clientprotocol import raw_pb2, sc2api_pb2

pytestmark = needs_library

_VARINT, _FIXED_64, _BYTES, _GROUP, _END, _FIXED_32 = range(6)
_OBSERVATION, _RAW_DATA, _UNITS = 3, 5, 2
_QUIET = np.uint32(0x0040_0000)


def quiet(values: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """All there is to an array, but that no NaN is a signaling one: protobuf's floats pass through a double."""
    if values.dtype != np.float32:
        return array(values)
    bits = values.copy().view(np.uint32)
    bits[np.isnan(values)] |= _QUIET
    return array(bits.view(np.float32))


def told(units: Units) -> dict[str, Any]:
    """Every column of units, of some of them, and of their lists."""
    return {"all": units_told(units, quiet), "some": units_told(units[::2], quiet)}


def of_frame(data: bytes) -> Any:
    """What a reader of a frame gets: its units, or an error."""
    frame = Frame(BytesSource(data))
    frame.sequence = 7
    return outcome(lambda: told(frame.units))


def by_protobuf(data: bytes) -> Any:
    """The same without the library."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bytes_units, "_units", None)
        assert units_of(data) is None
        return of_frame(data)


def assert_same(data: bytes) -> bool:
    """A reader of a frame gets the same. Returns whether the library has read it by itself."""
    wanted = by_protobuf(data)
    assert of_frame(data) == wanted
    found = units_of(data)
    if found is not None:
        assert told(Units(found)) == wanted
    return found is not None


def varint(value: int, size: int = 0) -> bytes:
    """A varint, in at least `size` bytes."""
    out = b""
    while value >= 0x80 or len(out) + 1 < size:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def key(number: int, wire: int) -> bytes:
    return varint(number << 3 | wire)


def number(field: int, value: int, size: int = 0) -> bytes:
    return key(field, _VARINT) + varint(value & (1 << 64) - 1, size)


def parts(field: int, *values: bytes) -> bytes:
    """A field with bytes, perhaps several times."""
    return b"".join(key(field, _BYTES) + varint(len(value)) + value for value in values)


def bits(field: int, value: float) -> bytes:
    return key(field, _FIXED_32) + np.float32(value).tobytes()


def message(*units: bytes, before: bytes = b"", behind: bytes = b"") -> bytes:
    """An observation with serialized units, and fields of its raw data."""
    return parts(_OBSERVATION, parts(_RAW_DATA, before + parts(_UNITS, *units) + behind))


_FIELDS = raw_pb2.Unit.DESCRIPTOR.fields_by_name
TAG, POS, OWNER, ALLIANCE, FLYING, HEALTH, BUFFS, ORDERS, PASSENGERS, RALLY, MINERALS = (
    _FIELDS[name].number
    for name in (
        *("tag", "pos", "owner", "alliance", "is_flying", "health", "buff_ids", "orders", "passengers"),
        *("rally_targets", "mineral_contents"),
    )
)
ABILITY, TARGET_POS, TARGET_TAG, PROGRESS = 1, 2, 3, 4
POINT = bits(1, 3.5) + bits(2, -0.0)
UNIT = number(TAG, 2**64 - 1) + bits(HEALTH, 45) + parts(POS, POINT)
ORDER = number(ABILITY, 298) + number(TARGET_TAG, 77)
UNKNOWN = number(1000, 5) + parts(1001, b"abc") + bits(1002, 1) + key(1003, _FIXED_64) + bytes(8)
GROUP = key(900, _GROUP) + number(1, 1) + key(900, _END)

#: What protobuf allows, of which writers do some: and whether the library reads it, or leaves it to protobuf.
UNUSUAL: dict[str, tuple[bytes, bool]] = {
    "nothing": (b"", True),
    "no units": (message(), True),
    "an empty unit": (message(b""), True),
    "an observation in parts": (message(UNIT) + number(99, 1) + message(number(TAG, 2), UNIT), True),
    "raw data in parts": (
        parts(
            _OBSERVATION, parts(_RAW_DATA, parts(_UNITS, UNIT)) + number(9, 4) + parts(_RAW_DATA, parts(_UNITS, b""))
        ),
        True,
    ),
    "units between other fields": (message(UNIT, before=UNKNOWN, behind=UNKNOWN + parts(_UNITS, UNIT)), True),
    "a field twice": (message(UNIT + number(TAG, 5) + bits(HEALTH, 7) + number(TAG, 6)), True),
    "a point in parts": (message(parts(POS, bits(1, 1), b"", bits(3, 2), bits(1, 9))), True),
    "an empty point": (message(parts(POS, b"")), True),
    "buffs that are not packed": (message(number(BUFFS, 5) + number(BUFFS, 300) + UNIT), True),
    "buffs that are packed": (message(parts(BUFFS, varint(5) + varint(300), b"", varint(7)) + UNIT), True),
    "buffs in both forms": (message(number(BUFFS, 1) + parts(BUFFS, varint(2) + varint(3)) + number(BUFFS, 4)), True),
    "long buffs": (message(parts(BUFFS, varint(2**64 - 1) + varint(5, 9)) + number(BUFFS, 2**40 + 3)), True),
    "long varints": (message(number(TAG, 5, 10) + number(OWNER, 3, 10) + number(FLYING, 2**40, 10)), True),
    "a long key": (message(bytes([TAG << 3 | 0x80, 0]) + varint(5)), True),
    "a longer key": (message(bytes([TAG << 3 | 0x80, 0x80, 0]) + varint(5)), False),
    "a length of five bytes": (parts(_OBSERVATION, key(_RAW_DATA, _BYTES) + varint(0, 5)), True),
    "a length of six bytes": (parts(_OBSERVATION, key(_RAW_DATA, _BYTES) + varint(0, 6)), False),
    "a length of ten bytes": (key(1000, _BYTES) + varint(0, 10) + message(UNIT), False),
    "a length beyond the end": (key(_OBSERVATION, _BYTES) + varint(2**64 - 1), False),
    "a bool that is not 1": (message(number(FLYING, 2) + UNIT), True),
    "a negative number in ten bytes": (message(number(OWNER, -1) + number(MINERALS, -(2**31))), True),
    "a negative number in five bytes": (message(number(OWNER, 2**32 - 1)), True),
    "a number with more bits than its field": (message(number(OWNER, 2**40 + 3)), True),
    "a varint of eleven bytes": (message(key(TAG, _VARINT) + b"\xff" * 10 + b"\1"), False),
    "a varint of 70 bits": (message(key(TAG, _VARINT) + b"\xff" * 9 + b"\x7f"), False),
    "unknown fields": (UNKNOWN + message(UNIT + UNKNOWN, UNKNOWN, before=UNKNOWN) + UNKNOWN, True),
    "unknown fields of submessages": (message(parts(POS, UNKNOWN + POINT) + parts(ORDERS, UNKNOWN + ORDER)), True),
    "an unknown field with a high number": (message(UNIT + number(2**29 - 1, 5)), False),
    "a group": (GROUP + message(UNIT), False),
    "a group in a unit": (message(UNIT + GROUP), False),
    "a group that is not closed": (message(UNIT + key(900, _GROUP)), False),
    "the end of a group": (message(UNIT + key(900, _END)), False),
    "wire type 6": (message(UNIT + key(900, 6)), False),
    "wire type 7 of a known field": (message(UNIT + key(TAG, 7)), False),
    "field number 0": (message(UNIT + b"\0\1"), False),
    "a tag as a float": (message(bits(TAG, 1) + number(OWNER, 1)), False),
    "health as a varint": (message(number(HEALTH, 1) + number(OWNER, 1)), False),
    "an owner as bytes": (message(parts(OWNER, b"\1") + number(TAG, 1)), False),
    "a point as a varint": (message(number(POS, 1) + number(TAG, 1)), False),
    "units as a varint": (parts(_OBSERVATION, parts(_RAW_DATA, number(_UNITS, 1))), False),
    "an order as a float": (message(bits(ORDERS, 1)), False),
    "buffs as floats": (message(bits(BUFFS, 1)), False),
    "packed fields that are cut": (message(parts(BUFFS, b"\x80")), False),
    "packed fields of other messages that are cut": (parts(_OBSERVATION, parts(6, parts(15, b"\x80"))), True),
    "an enum's greatest number": (message(number(ALLIANCE, 4)), True),
    "an enum number that is too great": (message(number(ALLIANCE, 5) + UNIT), False),
    "an enum number that is too small": (message(number(ALLIANCE, 2) + number(ALLIANCE, 0)), False),
    "a negative enum number": (message(number(ALLIANCE, -1)), False),
    "an enum number with more bits": (message(number(ALLIANCE, 2**32 + 3)), True),
    "an order for a unit": (message(UNIT + parts(ORDERS, ORDER, b"", ORDER)), True),
    "an order for a point in parts": (
        message(parts(ORDERS, parts(TARGET_POS, bits(1, 1)) + parts(TARGET_POS, bits(2, 2)))),
        True,
    ),
    "an order for a point, then for a unit": (
        message(parts(ORDERS, parts(TARGET_POS, POINT) + number(TARGET_TAG, 5))),
        False,
    ),
    "an order for a unit, then for a point": (
        message(parts(ORDERS, number(TARGET_TAG, 5) + parts(TARGET_POS, bits(1, 4)))),
        False,
    ),
    "an order for a point, a unit, and a point": (
        message(parts(ORDERS, parts(TARGET_POS, POINT) + number(TARGET_TAG, 5) + parts(TARGET_POS, bits(1, 4)))),
        False,
    ),
    "lists of several units in turn": (
        message(*(parts(ORDERS, *[ORDER] * n) + parts(PASSENGERS, *[number(1, n)] * (3 - n)) for n in range(4))),
        True,
    ),
    "rally targets": (message(parts(RALLY, parts(1, POINT) + number(2, 9), number(2, 8), parts(1, b""))), True),
    "a NaN": (message(bits(HEALTH, math.nan) + bits(HEALTH, math.nan)), True),
    "a signaling NaN": (message(key(HEALTH, _FIXED_32) + bytes.fromhex("010080ff")), True),
}


@pytest.mark.parametrize("name", UNUSUAL)
def test_messages_made_by_hand(name: str) -> None:
    data, is_read = UNUSUAL[name]
    assert assert_same(data) == is_read


def test_depth_is_bounded() -> None:
    """Unknown messages inside each other are bytes; known ones are not deeper than protobuf's parser takes."""
    data = UNIT
    for _ in range(200):
        data = parts(1001, data)
    assert assert_same(message(UNIT + data))


@settings(max_examples=runs(500))
@given(observation=generated())
def test_any_observation(observation: sc2api_pb2.ResponseObservation) -> None:
    assert assert_same(observation.SerializeToString())


@settings(max_examples=runs(200))
@given(seed=st.integers(0, 2**32))
def test_observations_written_in_any_order(seed: int) -> None:
    """Two observations, one behind the other, are one in parts."""
    assert assert_same(make(seed).SerializeToString() + make(seed + 1).SerializeToString())


@needs_observations
def test_real_observations() -> None:
    files = sorted((SHARED / "observations").rglob("observation.binpb"))
    assert len(files) >= 81
    for file in files:
        assert assert_same(file.read_bytes()), file.parent.name


def raw(seed: int) -> bytes:
    """Any units, and little beside them."""
    observation = sc2api_pb2.ResponseObservation()
    observation.observation.raw_data.units.extend(make(seed).observation.raw_data.units)
    return observation.SerializeToString()


def test_a_message_that_is_cut_at_any_length() -> None:
    data = next(each for each in map(raw, range(1000)) if 400 < len(each) < 1500) + UNKNOWN
    read = [length for length in range(len(data) + 1) if assert_same(data[:length])]
    # Fields behind the units are whole there.
    assert read[0] == 0 and len(data) - len(UNKNOWN) in read and read[-1] == len(data) and len(read) == 6
    for cut in range(1, len(UNIT)):
        # The lengths around it are as they must be.
        assert_same(message(UNIT[:cut], UNIT))


@settings(max_examples=runs(3000))
@given(seed=st.integers(0, 2**32))
def test_damaged_messages(seed: int) -> None:
    draw = random.Random(seed)
    data = raw(seed) if draw.random() < 0.7 else make(seed).SerializeToString()
    for _ in range(10):
        assert_same(mutated(data, draw))


def test_damaged_messages_that_both_read() -> None:
    """So that the comparison above compares something."""
    draw = random.Random(1)
    read = [assert_same(mutated(raw(seed), draw)) for seed in range(300)]
    assert 20 < sum(read) < 280


def test_an_error_names_the_frame() -> None:
    text = "the observation of frame 7 cannot be read: Error parsing message"
    kind, found = of_frame(message(UNIT)[:-1])
    assert kind == "ProtocolError" and found.startswith(text)
    with pytest.raises(DecodeError):
        sc2api_pb2.ResponseObservation.FromString(message(UNIT)[:-1])


def test_several_threads_read_messages_at_once() -> None:
    messages = [[raw(seed + 100 * thread) for seed in range(40)] for thread in range(6)]
    wanted = [list(map(by_protobuf, each)) for each in messages]
    start = threading.Barrier(len(messages))

    def work(some: list[bytes]) -> list[Any]:
        start.wait(60)
        return list(map(of_frame, some))

    with ThreadPoolExecutor(len(messages)) as pool:
        assert list(pool.map(work, messages)) == wanted


def test_threads_read_the_columns_of_one_frame() -> None:
    data = b"".join(map(raw, range(40)))
    wanted = by_protobuf(data)
    frame = Frame(BytesSource(data))
    start = threading.Barrier(6)

    def work(_: int) -> Any:
        start.wait(60)
        return told(frame.units)

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(work, range(6))) == [wanted] * 6


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_other_processes_read_messages(method: str) -> None:
    data = [raw(seed) for seed in range(20)]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(method)) as pool:
        assert pool.submit(messages_told, data).result(60) == messages_told(data)


def test_units_travel_to_a_process_without_the_library_and_back() -> None:
    """Some of their columns have been read; a selection is one of arrays."""
    data = [raw(seed) for seed in range(20)]
    units = [Units(found) for found in map(units_of, data) if found is not None]
    assert len(units) == len(data)
    wanted = [units_told(each, quiet) for each in units]
    there, back = in_process_without_library(
        """
        result, made = [units_told(each) for each in given], given
        """,
        units,
    )
    assert there == wanted
    assert [units_told(each, quiet) for each in back] == wanted
