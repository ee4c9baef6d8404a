"""The checksum of recordings is zlib's, whatever computes it."""

from __future__ import annotations

import random
import zlib

import pytest
from abathur._recording import checksum
from hypothesis import given
from hypothesis import strategies as st


@given(seed=st.integers(0, 2**32), size=st.integers(0, 20_000), cut=st.integers(0, 70))
def test_of_any_bytes(seed: int, size: int, cut: int) -> None:
    data = random.Random(seed).randbytes(size)
    for each in (data, data[cut:], bytes(size), b"\xff" * size):
        assert checksum.crc32(each) == zlib.crc32(each)


def test_of_bytes_where_the_library_cannot(monkeypatch: pytest.MonkeyPatch) -> None:
    data = random.Random(1).randbytes(10_000)
    monkeypatch.setattr(checksum, "_fold", lambda *_: -1)
    assert checksum.crc32(data) == zlib.crc32(data)
