"""Parquet files: types and encodings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

#: The tables of a dataset with a file for each recording.
TABLES = ("units", "players", "events", "actions")
#: Rows of the small tables that are kept in memory.
_GROUP_ROWS = 20_000
_LEVEL = 3
#: Columns by which a reader may choose row groups.
_STATISTICS = ("game_loop", "tag", "unit_type", "owner", "alliance")


def writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    """Open a file for writing.

    Values of a unit from loop to loop are beside each other, and mostly equal: split into their bytes, floats compress
    to a fraction, integers as they are. Game loops count up. Dictionaries are for strings only.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    encodings = {}
    strings = []
    for field in schema:
        if pa.types.is_floating(field.type):
            encodings[field.name] = "BYTE_STREAM_SPLIT"
        elif field.name == "game_loop":
            encodings[field.name] = "DELTA_BINARY_PACKED"
        elif pa.types.is_dictionary(field.type) or pa.types.is_string(field.type):
            strings.append(field.name)
    return pq.ParquetWriter(
        path,
        schema,
        compression="zstd",
        compression_level=_LEVEL,
        use_dictionary=strings or False,
        column_encoding=encodings or None,
        write_statistics=[name for name in _STATISTICS if name in schema.names],
    )


class RowsWriter:
    """A table that is written row by row, in row groups of bounded size."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        """Open the file."""
        self._schema = schema
        self._writer = writer(path, schema)
        self._rows: list[Sequence[Any]] = []
        self.count = 0

    def __enter__(self) -> RowsWriter:
        """It is open."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Write what is left, and close the file."""
        with self._writer:
            if kind is None:
                self._flush()

    def add(self, row: Mapping[str, Any]) -> None:
        """Add a row: values by column, without those that it does not have."""
        self.add_values(tuple(map(row.get, self._schema.names)))

    def add_values(self, values: Sequence[Any]) -> None:
        """Add a row: a value, or None, for each column."""
        self._rows.append(values)
        self.count += 1
        if len(self._rows) == _GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        columns = list(zip(*self._rows, strict=True)) or [()] * len(self._schema)
        arrays = [pa.array(values, field.type) for values, field in zip(columns, self._schema, strict=True)]
        # Of an empty table too: readers find the columns.
        self._writer.write_table(pa.table(arrays, schema=self._schema), row_group_size=_GROUP_ROWS)
        self._rows.clear()


def schema(columns: Mapping[str, str], *, nullable: bool = True) -> pa.Schema:
    """A schema of types by column: names of NumPy; ``word`` (a dictionary), ``text``, ``tags``, ``bytes``.

    Args:
        columns: Type by name.
        nullable: Whether values may be missing. Columns in which none can be missing are read faster.
    """
    import numpy as np
    import pyarrow as pa

    special = {
        "text": pa.string(),
        "word": pa.dictionary(pa.int32(), pa.string()),
        "tags": pa.list_(pa.uint64()),
        "bytes": pa.binary(),
    }
    types = {
        name: special[dtype] if dtype in special else pa.from_numpy_dtype(np.dtype(dtype))
        for name, dtype in columns.items()
    }
    return pa.schema([pa.field(name, each, nullable=nullable) for name, each in types.items()])
