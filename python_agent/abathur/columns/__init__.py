"""The `columns` encoding: the observation as arrays. docs/columns.md specifies it."""

from __future__ import annotations

from abathur.columns import _implementation
from abathur.columns._decoder import Columns, ColumnsDecoder
from abathur.columns._table import Table

#: Which decoder runs: ``compiled``, or ``numpy`` where there is no compiled library, or the environment variable
#: ``ABATHUR_DECODER`` says so.
implementation: str = _implementation.functions.NAME

__all__ = ["Columns", "ColumnsDecoder", "Table", "implementation"]
