"""The table `units`: a row for each unit and sampled game loop."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from abathur._frame.unit_columns import COLUMNS
from abathur._frame.units import Units
from abathur._recording.tables import Batches
from abathur.dataset import _tables
from abathur.dataset._options import Options
from abathur.dataset._recorded import ArraySource, Rows

#: Of larger frames, row groups have fewer game loops. Bounds the memory.
_MAX_GROUP_ROWS = 400_000


class UnitsWriter:
    """Writes row groups of a range of game loops each, sorted by tag and, of one unit, by game loop."""

    def __init__(self, path: Path, options: Options) -> None:
        """Open the file."""
        self._names = options.columns
        self._group_loops = options.group_loops
        self._batches = Batches()
        dtypes = {"game_loop": "u4", **{name: COLUMNS[name][0] for name in self._names}}
        if "unit_type" in dtypes:
            dtypes["name"] = "word"
        schema = _tables.schema(dtypes, nullable=False)
        self._writer = _tables.writer(path, schema)
        self._schema = schema
        self._loops: list[int] = []
        self._sizes: list[int] = []
        self._parts: list[Rows] = []
        self._rows = 0
        self.count = 0

    def __enter__(self) -> UnitsWriter:
        """It is open."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Write what is left, and close the file."""
        with self._writer:
            if kind is None:
                self._flush()

    def add(self, game_loop: int, units: Units) -> None:
        """Add the units of a sampled frame."""
        if self._loops and (
            game_loop // self._group_loops != self._loops[-1] // self._group_loops
            or self._rows + len(units) > _MAX_GROUP_ROWS
        ):
            self._flush()
        if not len(units):
            return
        self._loops.append(game_loop)
        self._sizes.append(len(units))
        self._rows += len(units)
        if isinstance(units._source, ArraySource):
            rows = units._source.rows
            last = self._parts[-1] if self._parts else None
            # Frames that are beside each other are copied together.
            if last is not None and last.block is rows.block and last.end == rows.begin:
                self._parts[-1] = last._replace(end=rows.end)
            else:
                self._parts.append(rows)
        else:
            self._parts.append(Rows({name: getattr(units, name) for name in self._names}, 0, len(units)))

    def _flush(self) -> None:
        import pyarrow as pa

        if not self._rows:
            return
        tags = self._column("tag")
        # Stable: of each unit the rows stay in the order of the frames.
        order = tags.argsort(kind="stable")
        block = {"game_loop": np.repeat(np.array(self._loops, "u4"), self._sizes).take(order), "tag": tags.take(order)}
        for name in self._names:
            if name != "tag":
                block[name] = self._column(name).take(order)
        batch = self._batches.batch(block) if "unit_type" in block else pa.record_batch(block)
        self._writer.write_table(pa.table(batch.columns, schema=self._schema), row_group_size=self._rows)
        self.count += self._rows
        self._parts.clear()
        self._loops.clear()
        self._sizes.clear()
        self._rows = 0

    def _column(self, name: str) -> NDArray[Any]:
        return np.concatenate([block[name][begin:end] for block, begin, end in self._parts])
