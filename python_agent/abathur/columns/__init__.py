"""The `columns` encoding: the observation as arrays. docs/columns.md specifies it."""

from __future__ import annotations

from abathur.columns._decoder import Columns, ColumnsDecoder
from abathur.columns._table import Table

__all__ = ["Columns", "ColumnsDecoder", "Table"]
