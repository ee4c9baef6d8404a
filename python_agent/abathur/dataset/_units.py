"""The table `units`: a row for each unit and sampled game loop."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

from abathur._frame.frame import Frame
from abathur._frame.unit_columns import COLUMNS
from abathur._recording.tables import Batches, UnitRows
from abathur.dataset import _tables
from abathur.dataset._options import Options

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
        self._units = UnitRows(self._names)
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

    def add(self, frame: Frame) -> None:
        """Add the units of a sampled frame."""
        loops = self._units.loops
        if loops and frame.game_loop // self._group_loops != loops[-1] // self._group_loops:
            self._flush()
        self._rows += self._units.add(frame)
        if self._rows >= _MAX_GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if not self._rows:
            return
        taken = self._units.take()
        # Stable: of each unit the rows stay in the order of the frames.
        order = taken["tag"].argsort(kind="stable")
        block = {name: column.take(order) for name, column in taken.items()}
        batch = self._batches.batch(block) if "unit_type" in block else pa.record_batch(block)
        self._writer.write_table(pa.table(batch.columns, schema=self._schema), row_group_size=self._rows)
        self.count += self._rows
        self._rows = 0
