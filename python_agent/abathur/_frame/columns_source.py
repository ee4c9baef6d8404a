"""The observation of a frame in encoding `columns`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import sc2api_pb2

from abathur._frame.grids import Grids
from abathur._frame.nested import NestedSelection, NestedSource
from abathur._frame.source import FrameSource, parsed
from abathur._frame.units import Units
from abathur.columns import Columns
from abathur.columns._rebuild import observation_bytes
from abathur.columns._schema import BUFFS, LISTS, ORDERS, PASSENGERS, RALLY_TARGETS, UNITS, Schema
from abathur.columns._table import Table
from abathur.columns._values import Values

_FIELDS = {"orders": ORDERS, "buff_ids": BUFFS, "passengers": PASSENGERS, "rally_targets": RALLY_TARGETS}


class ColumnsSource(FrameSource):
    """Decoded columns, which are kept."""

    columns: Columns

    def __init__(self, columns: Columns) -> None:
        """The observation."""
        self.columns = self._made_from = columns

    @cached_property
    def response(self) -> sc2api_pb2.ResponseObservation:
        """The message that they were made from, built again."""
        return parsed(observation_bytes(self.columns))

    @cached_property
    def units(self) -> Units:
        """The units."""
        return Units(ColumnsUnits(self.columns))

    @cached_property
    def grids(self) -> Grids:
        """The grids, of which two have their own place beside the columns."""
        state = self.rest.observation.raw_data.map_state
        return Grids(state, {"visibility": self.columns.visibility, "creep": self.columns.creep})

    @cached_property
    def rest(self) -> sc2api_pb2.ResponseObservation:
        """A message without units and those grids."""
        return parsed(self.columns.rest)


class ColumnsUnits:
    """Selects the rows of a table that are units."""

    def __init__(self, columns: Columns) -> None:
        """The observation, which is kept."""
        self._columns = columns
        (rows,) = columns.used.nonzero()
        self._rows = None if len(rows) == len(columns.used) else rows
        self._values = Values(UNITS, columns.units.cells, self._rows)
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
        self._values = Values(schema, table.cells)
        self._counts = counts

    def counts(self) -> NDArray[np.int64]:
        return self._counts

    def columns(self, path: str, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        return self._values.columns(path, dtypes)

    def present(self, path: str) -> NDArray[np.bool_]:
        return self._values.present(path)

    def select(self, rows: NDArray[np.intp]) -> NestedSource:
        return NestedSelection(self, rows)
