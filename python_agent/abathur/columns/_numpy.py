"""The decoder in NumPy: the reference, and what runs without the compiled one."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from abathur._values.read_only import read_only
from abathur.columns import _motion
from abathur.columns._applied import NOTHING, Applied, ListBefore
from abathur.columns._floats import FLOAT, floats
from abathur.columns._reader import Reader
from abathur.columns._schema import FIRST_COUNT, FIRST_LIST, LISTS, MAX_ROWS, REST, UNITS, Schema, Wanted
from abathur.columns._table import Table
from abathur.errors import ProtocolError

NAME = "numpy"
_Cell = TypeVar("_Cell", np.int64, np.bool_)
_NO_ROWS: NDArray[np.int64] = np.zeros(0, np.int64)


def apply_units(payload: bytes, sections: int, last: Applied) -> Applied:
    """The units after a payload.

    Args:
        payload: Of which the first four bytes have been read.
        sections: The sections in it.
        last: Before it; NOTHING before a keyframe.

    Raises:
        ProtocolError: the units in the payload are damaged.
    """
    reader = Reader(payload, 4)
    rows, gone, added, values = len(last.used), _NO_ROWS, _NO_ROWS, None
    which: list[int] = []
    if sections & 1:
        rows, free, new = reader.uint(2), reader.count(), reader.count()
        if free > len(last.used) or new > rows:
            raise ProtocolError(f"columns: {rows} units, of which {new} are new and {free} are gone")
        gone, added = reader.gaps(free, len(last.used)), reader.gaps(new, rows)
        gone = gone[gone < rows]
        if new:
            which, widths = reader.columns(UNITS.width)
            values = reader.planes(widths, np.full(len(which), new), new * len(which)).reshape(len(which), new)
    changes = reader.changes(UNITS.width, rows) if sections & 2 else None
    units, used, heads = _moved(last, rows, gone, changes)
    stays = used
    if values is not None:
        cells = np.zeros((UNITS.width, len(added)), np.int64)
        cells[which] = values
        units.cells[:, added] = cells
        units.velocity[:, added] = 0
        used = stays.copy()
        used[added] = True
        heads[added] = True
    if used is not last.used or last is NOTHING:
        counts_change = True
    else:
        # Changes are in the order of the columns, and those of the counts are the last.
        counts_change = changes is not None and len(changes[0]) > 0 and int(changes[0][-1]) >= FIRST_COUNT * rows
    return Applied(units, used, heads, stays, counts_change, reader.position)


def _moved(
    last: Applied, rows: int, gone: NDArray[np.int64], changes: tuple[NDArray[np.int64], NDArray[np.int64]] | None
) -> tuple[Table, NDArray[np.bool_], NDArray[np.bool_]]:
    """Update all units that stay, in a table of `rows` rows, of which some are `gone`: table, used, heads."""
    used, velocity, before = last.used, last.units.velocity, last.units.cells[: UNITS.predicted]
    cells, heads = _carried(last.units.cells, rows, gone), _carried(last.heads, rows, gone)
    if rows != len(used) or len(gone):
        used, velocity, before = (
            _carried(used, rows, gone),
            _carried(velocity, rows, gone),
            cells[: UNITS.predicted].copy(),
        )
    cells[: UNITS.predicted] += velocity
    if changes is not None:
        where, values = changes
        cells.reshape(-1)[where] += values
    return Table(cells, _motion.follow(cells, velocity, before, heads)), used, heads


def _carried(array: NDArray[_Cell], rows: int, gone: NDArray[np.int64]) -> NDArray[_Cell]:
    """A copy with another number of rows; those that are `gone`, and additional ones, are zero."""
    kept = array.shape[-1]
    if rows == kept:
        made = array.copy()
    else:
        made = np.empty((*array.shape[:-1], rows), array.dtype)
        made[..., :kept] = array[..., :rows]
        made[..., kept:] = 0
    if len(gone):
        made[..., gone] = 0
    return made


def apply_list(payload: bytes, position: int, has_section: bool, before: ListBefore) -> tuple[Table, int]:
    """A list after a payload, and the position after its section.

    Args:
        payload: The payload.
        position: Of the list's section, if it has one.
        has_section: Whether it has.
        before: The list before it, and its units.

    Raises:
        ProtocolError: the section is damaged, or a number of rows is impossible.
    """
    schema, table, carried = before.schema, before.table, None
    if before.is_rearranged:
        table, carried = _rearranged(before)
    reader = Reader(payload, position)
    changes = reader.changes(schema.width, table.cells.shape[1]) if has_section else None
    if changes is None and not (schema.predicted and table.velocity.any()):
        return table, position
    cells = table.cells.copy()
    cells[: schema.predicted] += table.velocity
    if changes is not None:
        where, values = changes
        cells.reshape(-1)[where] += values
    velocity = cells[: schema.predicted] - table.cells[: schema.predicted]
    if carried is not None:
        velocity[:, ~carried] = 0
    return Table(cells, velocity), reader.position


def _rearranged(before: ListBefore) -> tuple[Table, NDArray[np.bool_]]:
    """A table after units were added, removed, or changed their number of rows; and which of its rows were kept."""
    schema, table, old, counts, stays, _ = before
    # Unsigned, so that negative numbers are large.
    if counts.view(np.uint64).max(initial=0) > MAX_ROWS or (total := int(counts.sum())) > MAX_ROWS:
        raise ProtocolError(f"columns: a unit has an impossible number of {schema.message or 'buff'}s")
    kept = min(len(old), len(counts))
    starts = counts.cumsum() - counts
    # For each unit: the offset of its old rows to the new ones, and the end of its old rows.
    shift, end = -starts, starts.copy()
    shift[:kept] += (old.cumsum() - old)[:kept]
    end[:kept] += old[:kept] * stays[:kept]
    place = np.arange(total)
    carried = place < end.repeat(counts)
    arranged = Table.empty(schema, total)
    (rows,) = carried.nonzero()
    source = (place + shift.repeat(counts))[rows]
    arranged.cells[:, rows] = table.cells.take(source, axis=1)
    if schema.predicted:
        arranged.velocity[:, rows] = table.velocity.take(source, axis=1)
    return arranged, carried


def patch(payload: bytes, position: int, last: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], int]:
    """A blob of which bytes change, and the position after the patch. Raises ProtocolError if it is damaged."""
    reader = Reader(payload, position)
    size = reader.count()
    if size > reader.left:
        raise ProtocolError("columns: truncated")
    where = reader.gaps(size, len(last))
    patched = last.copy()
    patched[where] ^= reader.take(size)
    return patched, reader.position


def position_of_rest(payload: bytes, position: int, sections: int) -> int:
    """The position after the lists, visibility and creep, whose start is given. Raises ProtocolError."""
    reader = Reader(payload, position)
    for at in range(FIRST_LIST, REST):
        if not sections & (1 << at):
            continue
        if at < FIRST_LIST + len(LISTS):
            reader.skip_changes()
        else:
            reader.skip_blob()
    return reader.position


class TableReader:
    """Makes arrays of the columns of a table."""

    def __init__(self, schema: Schema, cells: NDArray[np.int64], rows: NDArray[np.intp] | None) -> None:
        """Of some rows of a table, ascending; None: of all."""
        self._schema, self._cells, self._rows = schema, cells, rows

    def arrays(self, wanted: Wanted) -> dict[str, NDArray[Any]]:
        """Values by the path of their field."""
        cells, rows = self._cells, self._rows
        if rows is not None and len(wanted.groups) > 1:
            cells, rows = cells.take(rows, axis=1), None
        made: dict[str, NDArray[Any]] = {}
        selected: NDArray[Any]
        for dtype, paths, columns in wanted.groups:
            if dtype == FLOAT:
                block = floats(self._schema, cells, columns[0], columns[-1] + 1)
                selected = read_only(block if rows is None else block.take(rows, axis=1))
                made.update((path, selected[column - columns[0]]) for path, column in zip(paths, columns, strict=True))
            else:
                part = cells[list(columns)]
                selected = part if rows is None else part.take(rows, axis=1)
                made.update(zip(paths, read_only(selected.astype(dtype)), strict=True))
        return made
