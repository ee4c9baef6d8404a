"""Units of a serialized message by the compiled library, without parsing the message."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from numpy.typing import NDArray
from s2clientprotocol import raw_pb2, sc2api_pb2

from abathur._frame.nested import NestedSelection, NestedSource
from abathur._frame.unit_columns import BUFF_COLUMNS, COLUMNS, ORDER_COLUMNS, PASSENGER_COLUMNS, RALLY_COLUMNS
from abathur._frame.unit_messages import MessageUnits
from abathur._values import native
from abathur._values.array_block import ArrayBlock
from abathur._values.native import address
from abathur._values.usual import Usual

_BYTES, _MEMORY, _INT, _LONG = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64
_units = native.function("message_units", _BYTES, _LONG, _MEMORY)
_list = native.function("message_list", _BYTES, _LONG, _MEMORY, _INT, _LONG, _LONG, _MEMORY, _MEMORY, _MEMORY)

#: Fields of `Unit` that are lists, in the order in which the library numbers them from 1, and their columns.
_INSIDE = {
    "orders": ORDER_COLUMNS,
    "buff_ids": BUFF_COLUMNS,
    "passengers": PASSENGER_COLUMNS,
    "rally_targets": RALLY_COLUMNS,
}
_LISTS = ("units", *_INSIDE)
#: Kinds of fields: messages.c.
_OTHER, _PACKED_VARINT, _PACKED_32, _PACKED_64, _BITS_32, _INT_64, _INT_32, _BOOL, _ENUM = range(9)
_MESSAGE, _PARENT, _RECORDS, _NUMBERS = range(9, 13)
_KINDS = {"float32": _BITS_32, "uint64": _INT_64, "uint32": _INT_32, "int32": _INT_32, "bool": _BOOL, "int8": _ENUM}
_FIXED = {
    FieldDescriptor.TYPE_FLOAT: _PACKED_32,
    FieldDescriptor.TYPE_FIXED32: _PACKED_32,
    FieldDescriptor.TYPE_SFIXED32: _PACKED_32,
    FieldDescriptor.TYPE_DOUBLE: _PACKED_64,
    FieldDescriptor.TYPE_FIXED64: _PACKED_64,
    FieldDescriptor.TYPE_SFIXED64: _PACKED_64,
}
_MOST_OF_ENUM = 127
_NEVER_PACKED = (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES)


class _Form(NamedTuple):
    """The arrays of a list; their numbers are those in the block."""

    block: ArrayBlock
    has_bits: bool
    defaults: list[tuple[str, int]]
    usual: Usual


class _Entries:
    """A list's entries as arrays."""

    def __init__(self, name: str, block: NDArray[np.uint8], has: NDArray[np.uint64]) -> None:
        """Entries of a list; bits of `has` are the numbers of the arrays."""
        self._form = _forms()[name]
        self._block = block
        self._has = has
        self._read = 0

    def columns(self, path: str) -> dict[str, NDArray[Any]]:
        """A field of all entries, and those that are usually read with it."""
        self._read += 1
        return self._form.block.some(self._block, self._form.usual.with_column(path, self._read))

    def all(self) -> dict[str, NDArray[Any]]:
        """All fields of all entries."""
        return self._form.block.arrays(self._block)

    def present(self, path: str) -> NDArray[np.bool_]:
        """Which entries have a field."""
        if not self._form.has_bits:
            return np.ones(len(self._has), np.bool_)
        return (self._has >> np.uint64(self._form.block.names.index(path)) & np.uint64(1)).astype(np.bool_)


class BytesUnits:
    """The units of a serialized `ResponseObservation`."""

    def __init__(self, data: bytes, entries: _Entries, inside: NDArray[np.int64]) -> None:
        """What `units_of` has found.

        Args:
            data: The bytes, which are kept.
            entries: The units.
            inside: How many entries of each list they have, (lists, N).
        """
        self._data = data
        self._entries = entries
        self._inside = inside

    def __len__(self) -> int:
        """Number of units."""
        return int(self._inside.shape[1])

    def __reduce__(self) -> tuple[Any, ...]:
        """The bytes."""
        return _restored, (self._data,)

    def columns(self, path: str, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        """A field of all units, and those that are usually read with it."""
        return self._entries.columns(path)

    def present(self, path: str) -> NDArray[np.bool_]:
        """Which units have a field."""
        return self._entries.present(path)

    def nested(self, field: str) -> NestedSource:
        """A repeated field of all units."""
        counts = self._inside[_LISTS.index(field) - 1]
        entries = _filled([self._data], field, int(counts.sum()), None)
        assert entries is not None, "the message was checked with the units"
        return _Nested(entries, counts)


class _Nested:
    def __init__(self, entries: _Entries, counts: NDArray[np.int64]) -> None:
        self._entries = entries
        self._counts = counts

    def counts(self) -> NDArray[np.int64]:
        return self._counts

    def columns(self, path: str, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        return self._entries.columns(path)

    def present(self, path: str) -> NDArray[np.bool_]:
        return self._entries.present(path)

    def select(self, rows: NDArray[np.intp]) -> NestedSource:
        return NestedSelection(self, rows)


def units_of(data: bytes) -> BytesUnits | None:
    """The units of a serialized `ResponseObservation`; None: protobuf must parse it, or say what is wrong."""
    if _units is None:
        return None
    count = _units(data, len(data), _program()[0])
    if count < 0:
        return None
    inside = np.zeros((len(_INSIDE), count), np.int64)
    entries = _filled([data], "units", count, inside)
    return None if entries is None else BytesUnits(data, entries, inside)


def number_of_units(data: bytes) -> int:
    """How many units there are in a serialized `ResponseObservation`; negative: `joined` cannot read it."""
    return -1 if _units is None else int(_units(data, len(data), _program()[0]))


def joined(messages: Sequence[bytes], count: int) -> dict[str, NDArray[Any]] | None:
    """All columns of the units of several messages, by the path of their field; None: protobuf must parse them.

    Args:
        messages: Serialized `ResponseObservation`.
        count: How many units they have together.
    """
    entries = _filled(messages, "units", count, np.zeros((len(_INSIDE), count), np.int64))
    return None if entries is None else entries.all()


def _restored(data: bytes) -> BytesUnits | MessageUnits:
    """The units of bytes that may come from a machine with the library."""
    found = units_of(data)
    if found is not None:
        return found
    return MessageUnits(sc2api_pb2.ResponseObservation.FromString(data).observation.raw_data.units)


def _filled(messages: Sequence[bytes], name: str, count: int, inside: NDArray[np.int64] | None) -> _Entries | None:
    """A list of so many entries in all; None: a message is unusual, or damaged."""
    form = _forms()[name]
    block = form.block.new(count)
    block[:] = 0
    for path, value in form.defaults:
        form.block.array(block, path)[:] = value
    has = np.zeros(count, np.uint64)
    where = address(block), address(has), None if inside is None else address(inside)
    program, number, end = _program()[0], _LISTS.index(name), 0
    for data in messages:
        end = _list(data, len(data), program, number, count, end, *where)
        if end < 0:
            return None
    return _Entries(name, block, has) if end == count else None


@cache
def _forms() -> dict[str, _Form]:
    forms = {}
    unit = raw_pb2.Unit.DESCRIPTOR
    for name, columns in (("units", COLUMNS), *_INSIDE.items()):
        message = unit if name == "units" else unit.fields_by_name[name].message_type
        block = ArrayBlock((path, dtype) for dtype, path in columns.values())
        leaves = {} if message is None else {path: _leaf(message, path).default_value for path in block.names}
        defaults = [(path, value) for path, value in leaves.items() if value]
        forms[name] = _Form(block, message is not None, defaults, Usual(block.names))
    return forms


def _leaf(message: Descriptor, path: str) -> FieldDescriptor:
    parent, _, name = path.rpartition(".")
    holder = message.fields_by_name[parent].message_type if parent else message
    assert holder is not None
    return holder.fields_by_name[name]


@cache
def _program() -> tuple[int, NDArray[np.uint32]]:
    """What is in a message, for the library, and its address: messages.c says how."""
    fields: list[list[tuple[int, int, int]]] = []
    numbers: dict[object, int] = {}

    def add(message: Descriptor, name: str | None, prefix: str) -> int:
        """Of a message: in a list's entries, or anywhere."""
        key = (message.full_name, name, prefix)
        if key in numbers:
            return numbers[key]
        at = numbers[key] = len(fields)
        fields.append([])
        made = [(_OTHER, 0, 0)] * (max((field.number for field in message.fields), default=0) + 1)
        for field in message.fields:
            made[field.number] = entry(field, name, f"{prefix}{field.name}")
        fields[at] = made
        return at

    def entry(field: FieldDescriptor, name: str | None, path: str) -> tuple[int, int, int]:
        inner = field.message_type
        if name is None and inner is raw_pb2.Unit.DESCRIPTOR and field.containing_type is _RAW:
            return _RECORDS, add(inner, "units", ""), 0
        if name == "units" and path in _INSIDE:
            number = _LISTS.index(path) << 8
            return (_NUMBERS | number, 0, 0) if inner is None else (_RECORDS | number, add(inner, path, ""), 0)
        oneof = 0 if field.containing_oneof is None or name is None else 1 << 16
        if inner is not None:
            kind = _PARENT if inner in _PARENTS else _MESSAGE
            return kind | oneof, add(inner, name, "" if name is None else f"{path}."), 0
        if name is not None and path in (block := _forms()[name].block).names:
            number = block.names.index(path)
            choices = sorted({each.number for each in field.enum_type.values}) if field.enum_type else [0]
            if choices != list(range(choices[0], choices[-1] + 1)) or choices[0] < 0 or choices[-1] > _MOST_OF_ENUM:
                # Of another version of the protocol: a number is not what is wanted here, so that protobuf parses it.
                return _MESSAGE, 0, 0
            value = choices[0] | choices[-1] << 8
            return _KINDS[block.types[number].name] | number << 8 | oneof, value, block.starts[number]
        if field.is_repeated and field.type not in _NEVER_PACKED:
            return _FIXED.get(field.type, _PACKED_VARINT), 0, 0
        return _OTHER | oneof, 0, 0

    add(sc2api_pb2.ResponseObservation.DESCRIPTOR, None, "")
    words: list[int] = []
    for each in fields:
        words += [2 * len(fields) + 3 * sum(map(len, fields[: len(words) // 2])), len(each)]
    program = np.array([*words, *(word for each in fields for field in each for word in field)], np.uint32)
    return address(program), program


_RAW = raw_pb2.ObservationRaw.DESCRIPTOR
_PARENTS = (sc2api_pb2.Observation.DESCRIPTOR, _RAW)
