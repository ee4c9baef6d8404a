"""Converts columns to the protobuf message."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from google.protobuf.descriptor import FieldDescriptor
from s2clientprotocol import raw_pb2, sc2api_pb2

from abathur._values.varint import varint
from abathur.columns._decoder import Columns
from abathur.columns._extras import records
from abathur.columns._floats import floats
from abathur.columns._schema import BUFFS, LISTS, ORDERS, PASSENGERS, RALLY_TARGETS, UNITS, Schema
from abathur.columns._table import Table

_VARINT, _BYTES, _FIXED32 = 0, 2, 5
_OBSERVATION, _RAW_DATA, _UNITS, _MAP_STATE = 3, 5, 2, 3
_GRIDS = {"visibility": 1, "creep": 2}
_DATA = 3


def message_bytes(columns: Columns) -> bytes:
    """The `ResponseObservation` of columns, serialized; units in the order of their rows, each message once."""
    return sc2api_pb2.ResponseObservation.FromString(observation_bytes(columns)).SerializeToString()


def observation_bytes(columns: Columns) -> bytes:
    """The same in parts, which a parser of protobuf merges; some programs read only the last one."""
    rest = columns.rest
    raw = b"".join(_field(_UNITS, unit) for unit in _units(columns))
    grids = b"".join(
        _field(number, _field(_DATA, grid.tobytes()))
        for name, number in _GRIDS.items()
        if (grid := getattr(columns, name)) is not None
    )
    if grids:
        raw += _field(_MAP_STATE, grids)
    return rest + _field(_OBSERVATION, _field(_RAW_DATA, raw)) if raw else rest


def _units(columns: Columns) -> Iterator[bytes]:
    extras = dict(records(columns.extras))
    orders, buffs, passengers, rally_targets = (
        list(_rows(schema, table, extras)) for schema, table in zip(LISTS, columns.lists, strict=True)
    )
    numbers = raw_pb2.Unit.DESCRIPTOR.fields_by_name
    inside = (
        (ORDERS, numbers["orders"].number, orders),
        (PASSENGERS, numbers["passengers"].number, passengers),
        (RALLY_TARGETS, numbers["rally_targets"].number, rally_targets),
    )
    buff = _key(numbers["buff_ids"].number, _VARINT)
    ends = {schema.table: np.cumsum(columns.units.cells[schema.count]).tolist() for schema in LISTS}
    for row, unit in enumerate(_rows(UNITS, columns.units, {})):
        if not columns.used[row]:
            continue
        parts = [unit]
        for schema, number, messages in inside:
            start = ends[schema.table][row - 1] if row else 0
            parts += [_field(number, message) for message in messages[start : ends[schema.table][row]]]
        start = ends[BUFFS.table][row - 1] if row else 0
        parts += [buff + value for value in buffs[start : ends[BUFFS.table][row]]]
        parts.append(extras.get((UNITS.table, row), b""))
        yield b"".join(parts)


def _rows(schema: Schema, table: Table, extras: dict[tuple[int, int], bytes]) -> Iterator[bytes]:
    """Each row as a serialized message, or as a varint for rows that are single values."""
    cells = table.cells
    if schema.message is None:
        yield from (varint(value) for value in cells[0].tolist())
        return
    assert schema.has is not None
    bits = floats(schema, cells, 0, schema.floats[-1] + 1).view(np.uint32) if schema.floats else None
    columns: list[tuple[int, str, bytes, list[bytes]]] = []
    descriptor = getattr(raw_pb2, schema.message).DESCRIPTOR
    for at, path in enumerate(schema.fields):
        if not path:
            continue
        parent, _, leaf = path.rpartition(".")
        holder = descriptor.fields_by_name[parent].message_type if parent else descriptor
        found: FieldDescriptor = holder.fields_by_name[leaf]
        if at in schema.floats and bits is not None:
            raw = bits[at].astype("<u4").tobytes()
            key = _key(found.number, _FIXED32)
            values = [raw[start : start + 4] for start in range(0, len(raw), 4)]
        else:
            key = _key(found.number, _VARINT)
            values = [varint(value) for value in cells[at].tolist()]
        columns.append((at, parent, key, values))
    parents = {name: descriptor.fields_by_name[name].number for name in schema.parents}
    for row, has in enumerate(cells[schema.has].tolist()):
        own: list[bytes] = []
        inner: dict[str, list[bytes]] = {name: [] for name, bit in schema.parents.items() if has >> bit & 1}
        for at, parent, key, values in columns:
            if has >> at & 1 and (not parent or parent in inner):
                (inner[parent] if parent else own).append(key + values[row])
        # Messages first: of an order with both targets the tag counts.
        messages = [_field(parents[name], b"".join(parts)) for name, parts in inner.items()]
        yield b"".join((*messages, *own, extras.get((schema.table, row), b"")))


def _key(number: int, wire_type: int) -> bytes:
    return varint(number << 3 | wire_type)


def _field(number: int, value: bytes) -> bytes:
    return _key(number, _BYTES) + varint(len(value)) + value
