"""The compiled decoder. What it does not accept is left to NumPy, which says what is wrong."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abathur._values import native
from abathur._values.array_block import ArrayBlock
from abathur._values.native import address
from abathur.columns import _motion, _numpy
from abathur.columns._applied import Applied, ListBefore
from abathur.columns._schema import UNITS, Schema, Wanted
from abathur.columns._table import Table

NAME = "compiled"
IS_HERE = native.LIBRARY is not None

_BYTES, _MEMORY, _INT, _LONG = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64
_units_apply = native.function(
    "units_apply", _BYTES, _LONG, _INT, _LONG, _MEMORY, _MEMORY, _LONG, _MEMORY, _MEMORY, _MEMORY
)
_list_total = native.function("list_total", _MEMORY, _LONG)
_list_apply = native.function(
    "list_apply",
    *(_BYTES, _LONG, _LONG, _INT, _INT, _INT, _MEMORY, _LONG, _MEMORY, _MEMORY),
    *(_LONG, _LONG, _MEMORY, _LONG, _MEMORY, _MEMORY),
)
_blob_patch = native.function("blob_patch", _BYTES, _LONG, _LONG, _MEMORY, _LONG, _MEMORY)
_skip_to_rest = native.function("skip_to_rest", _BYTES, _LONG, _LONG, _INT)
_values = native.function("values", _MEMORY, _LONG, _MEMORY, _LONG, _MEMORY, _MEMORY, _INT, _INT, _MEMORY)

_WIDTH = UNITS.width + UNITS.predicted


class _Memory(NamedTuple):
    """A units' table as the library reads it: cells and velocities in one array, `used` and `heads` in another."""

    block: NDArray[np.int64]
    block_address: int
    flags: NDArray[np.bool_]
    flags_address: int

    def __reduce__(self) -> tuple[Any, ...]:
        """None: the addresses are those of one process; a copy of a decoder makes its own memory."""
        return type(None), ()


@cache
def _directions() -> tuple[int, NDArray[np.int32]]:
    directions = _motion.quarter().astype(np.int32)
    return address(directions), directions


def apply_units(payload: bytes, sections: int, last: Applied) -> Applied:
    """See `_numpy`."""
    rows_before = len(last.used)
    rows = payload[4] | payload[5] << 8 if sections & 1 and len(payload) > 5 else rows_before
    before = last.memory or _memory(last)
    # The table, and room for the numbers of rows.
    block = np.empty((_WIDTH + 1, rows), np.int64)
    flags = np.empty((3, rows), np.bool_)
    now = _Memory(block, address(block), flags, address(flags))
    code = _units_apply(
        *(payload, len(payload), sections, rows_before, before.block_address, before.flags_address),
        *(rows, now.block_address, now.flags_address, _directions()[0]),
    )
    if code < 0:
        return _numpy.apply_units(payload, sections, last)
    table = Table(block[: UNITS.width], block[UNITS.width : _WIDTH])
    used, heads, stays = flags
    if not code & 1:
        used = stays = last.used
    return Applied(table, used, heads, stays, bool(code & 2), code >> 2, now)


def _memory(units: Applied) -> _Memory:
    """Of a table that NumPy has made."""
    table = units.units
    block = np.concatenate((table.cells, table.velocity))
    flags = np.concatenate((units.used, units.heads))
    return _Memory(block, address(block), flags, address(flags))


def apply_list(payload: bytes, position: int, has_section: bool, before: ListBefore) -> tuple[Table, int]:
    """See `_numpy`."""
    schema, table, old, counts, stays, is_rearranged = before
    if not is_rearranged:
        # All rows have what they had.
        old, stays = counts, np.ones(len(counts), np.bool_)
    width, predicted, total_before = schema.width, schema.predicted, table.cells.shape[1]
    total = _list_total(address(counts), len(counts))
    if total >= 0:
        cells = np.concatenate((table.cells, table.velocity)) if predicted else table.cells
        after = np.empty((width + predicted, total), np.int64)
        scratch = np.empty(total, np.uint32)
        end = _list_apply(
            *(payload, len(payload), position, has_section, width, predicted),
            *(address(old), len(old), address(counts), address(stays), len(counts)),
            *(total_before, address(cells), total, address(after), address(scratch)),
        )
        if end >= 0:
            return Table(after[:width], after[width:]), end
    return _numpy.apply_list(payload, position, has_section, before)


def patch(payload: bytes, position: int, last: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], int]:
    """See `_numpy`."""
    patched = np.empty(len(last), np.uint8)
    end = _blob_patch(payload, len(payload), position, address(last), len(last), address(patched))
    return (patched, end) if end >= 0 else _numpy.patch(payload, position, last)


def position_of_rest(payload: bytes, position: int, sections: int) -> int:
    """See `_numpy`."""
    found: int = _skip_to_rest(payload, len(payload), position, sections)
    return found if found >= 0 else _numpy.position_of_rest(payload, position, sections)


class TableReader:
    """See `_numpy`."""

    __slots__ = ("_address", "_cells", "_count", "_kinds", "_rows", "_rows_address", "_schema", "_width")

    def __init__(self, schema: Schema, cells: NDArray[np.int64], rows: NDArray[np.intp] | None) -> None:
        """See `_numpy`."""
        self._schema, self._cells, self._rows = schema, cells, rows
        self._address, self._width = address(cells), cells.shape[1]
        self._rows_address = None if rows is None else address(rows)
        self._count = self._width if rows is None else len(rows)
        self._kinds = -1 if schema.kinds is None else schema.kinds

    def arrays(self, wanted: Wanted) -> dict[str, NDArray[Any]]:
        """See `_numpy`."""
        form: _Form = wanted.native or _form(wanted)
        out = form.block.new(self._count)
        code = _values(
            *(self._address, self._width, self._rows_address, self._count),
            *(form.columns_address, form.types_address, form.length, self._kinds, address(out)),
        )
        if code < 0:
            return _numpy.TableReader(self._schema, self._cells, self._rows).arrays(wanted)
        return form.block.arrays(out)


class _Form(NamedTuple):
    """Wanted columns as the library reads them."""

    block: ArrayBlock
    length: int
    columns_address: int
    types_address: int
    arrays: tuple[NDArray[np.int32], ...]


def _form(wanted: Wanted) -> _Form:
    numbers = {path: at for each in wanted.groups for path, at in zip(each.paths, each.columns, strict=True)}
    block = ArrayBlock((path, each.dtype) for each in wanted.groups for path in each.paths)
    columns = np.array([numbers[name] for name in block.names], np.int32)
    types = np.array(block.numbers, np.int32)
    form = _Form(block, len(columns), address(columns), address(types), (columns, types))
    wanted.native = form
    return form
