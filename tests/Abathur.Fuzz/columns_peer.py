"""The package's columns decoder, for the fuzzer: takes payloads from standard input, answers with what became of them.

A payload comes behind its length (4 bytes, little-endian); an empty one starts a new stream. The answer: one byte (0
refused, 1 taken, 2 another exception than the documented one), the lines of the decoder reached so far (4 bytes), and
behind its length (4 bytes) the observation, or why.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import abathur.columns
from abathur import Units
from abathur._frame.columns_source import ColumnsUnits
from abathur.columns import ColumnsDecoder
from abathur.columns._rebuild import observation_bytes
from abathur.errors import ProtocolError

REFUSED, TAKEN, BROKEN = 0, 1, 2
_FOLDER = str(Path(abathur.columns.__file__).parent)
_reached: set[tuple[str, int]] = set()


def _trace(frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
    if not frame.f_code.co_filename.startswith(_FOLDER):
        return None
    _reached.add((frame.f_code.co_filename, frame.f_lineno))
    return _trace


def _take(decoder: ColumnsDecoder, payload: bytes) -> tuple[int, bytes]:
    try:
        columns = decoder.decode(payload)
        units = Units(ColumnsUnits(columns))
        assert len(units.orders.offsets) == len(units) + 1
        return TAKEN, observation_bytes(columns)
    except ProtocolError as refusal:
        return REFUSED, str(refusal).encode()
    except Exception:
        return BROKEN, traceback.format_exc().encode()


def main() -> None:
    """Answer until standard input ends."""
    decoder = ColumnsDecoder()
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while len(head := source.read(4)) == 4:
        payload = source.read(int.from_bytes(head, "little"))
        kind, told = REFUSED, b""
        if payload:
            sys.settrace(_trace)
            kind, told = _take(decoder, payload)
            sys.settrace(None)
        else:
            decoder = ColumnsDecoder()
        target.write(bytes([kind]) + len(_reached).to_bytes(4, "little") + len(told).to_bytes(4, "little") + told)
        target.flush()


if __name__ == "__main__":
    main()
