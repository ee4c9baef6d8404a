"""Datasets of Parquet files, made of any number of recordings: docs/datasets.md.

>>> from abathur import dataset
>>> dataset.build("recordings", "data", every=8, workers=2)  # doctest: +SKIP
"""

from __future__ import annotations

from abathur.dataset._build import Built, Failure, build

__all__ = ["Built", "Failure", "build"]
