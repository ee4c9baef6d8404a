"""Units of the columns encoding, for `frame.units`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abathur._frame.nested import NestedSelection, NestedSource
from abathur.columns._decoder import Columns
from abathur.columns._schema import BUFFS, LISTS, ORDERS, PASSENGERS, RALLY_TARGETS, UNITS, Schema
from abathur.columns._table import Table
from abathur.columns._values import Values

_FIELDS = {"orders": ORDERS, "buff_ids": BUFFS, "passengers": PASSENGERS, "rally_targets": RALLY_TARGETS}


class ColumnsSource:
    """Selects the rows of a table that are units."""

    def __init__(self, columns: Columns) -> None:
        """The observation, which is kept."""
        self._columns = columns
        (rows,) = columns.used.nonzero()
        self._rows = None if len(rows) == len(columns.used) else rows
        self._values = Values(UNITS, columns.units, self._rows)
        self._count = len(rows)

    def __len__(self) -> int:
        """Number of units."""
        return self._count

    def columns(self, path: str, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        """A field of all units, or all fields."""
        return self._values.columns(path, dtypes)

    def present(self, path: str) -> NDArray[np.bool_]:
        """Which units have a field."""
        return self._values.present(path)

    def nested(self, field: str) -> NestedSource:
        """A repeated field of all units."""
        schema = _FIELDS[field]
        assert schema.count is not None
        counts = self._columns.units.cells[schema.count]
        # Rows without a unit have no entries.
        table = self._columns.lists[LISTS.index(schema)]
        return _Entries(schema, table, counts if self._rows is None else counts[self._rows])


class _Entries:
    def __init__(self, schema: Schema, table: Table, counts: NDArray[np.int64]) -> None:
        self._values = Values(schema, table)
        self._counts = counts

    def counts(self) -> NDArray[np.int64]:
        return self._counts

    def columns(self, path: str, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        return self._values.columns(path, dtypes)

    def present(self, path: str) -> NDArray[np.bool_]:
        return self._values.present(path)

    def select(self, rows: NDArray[np.intp]) -> NestedSource:
        return NestedSelection(self, rows)
