"""Datasets of Parquet files, made of any number of recordings: docs/datasets.md.

>>> from abathur import dataset
>>> dataset.build("recordings", "data", every=8, workers=2)  # doctest: +SKIP
"""

from __future__ import annotations

from abathur.dataset._build import Built, Failure, build
from abathur.dataset._inspect import Info, TableSize, check, info
from abathur.dataset._options import Options
from abathur.dataset._record import Recorded, RecordFailure, record

__all__ = [
    "Built",
    "Failure",
    "Info",
    "Options",
    "RecordFailure",
    "Recorded",
    "TableSize",
    "build",
    "check",
    "info",
    "record",
]
