"""What the peers of the fuzzer have in common: inputs from standard input, answers to standard output.

An input comes behind its length (4 bytes, little-endian). The answer: one byte, what became of it; a number that guides
the mutations (4 bytes); and behind its length (4 bytes) what was made of it, or why not.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
from abathur import Units
from abathur._frame.unit_columns import COLUMNS
from abathur._values import native

#: What becomes of an input. BROKEN: another exception than the documented one, or a difference.
REFUSED, TAKEN, BROKEN = 0, 1, 2
_QUIET = np.uint32(0x0040_0000)

Answer = tuple[int, int, bytes]


class DifferenceError(Exception):
    """Two decoders do not make the same of an input."""


def serve(take: Callable[[bytes], Answer]) -> None:
    """Answer until standard input ends."""
    if native.LIBRARY is None:
        print("the compiled library is not built: its decoder is not compared", file=sys.stderr)
    source, target = sys.stdin.buffer, sys.stdout.buffer
    while len(head := source.read(4)) == 4:
        try:
            kind, number, told = take(source.read(int.from_bytes(head, "little")))
        except DifferenceError as error:
            kind, number, told = BROKEN, 0, str(error).encode()
        except Exception:
            kind, number, told = BROKEN, 0, traceback.format_exc().encode()
        target.write(bytes([kind]) + number.to_bytes(4, "little") + len(told).to_bytes(4, "little") + told)
        target.flush()


def compare(ours: dict[str, Any], theirs: dict[str, Any], names: str) -> None:
    """Compare what two decoders have made. Raises DifferenceError with the first thing that is not the same."""
    if ours != theirs:
        name = next(name for name in theirs if ours.get(name) != theirs[name])
        raise DifferenceError(f"{names} differ in {name}: {ours.get(name)} and {theirs[name]}"[:500])


def array(values: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """All there is to an array."""
    return values.dtype.str, values.shape, values.tobytes()


def quiet(values: np.ndarray[Any, Any]) -> tuple[Any, ...]:
    """The same, but that no NaN is a signaling one: protobuf's floats pass through a double."""
    if values.dtype == np.float32:
        bits = values.copy().view(np.uint32)
        bits[np.isnan(values)] |= _QUIET
        values = bits.view(np.float32)
    return array(values)


def units_told(units: Units, of: Callable[[np.ndarray[Any, Any]], tuple[Any, ...]] = array) -> dict[str, Any]:
    """Every column of units and their lists, and which have it."""
    told: dict[str, Any] = {}
    for name in COLUMNS:
        told[name] = of(getattr(units, name))
        told[f"has {name}"] = array(units.has(name))
    for name in ("orders", "buffs", "passengers", "rally_targets"):
        inside = getattr(units, name)
        told[f"{name}.offsets"] = array(inside.offsets)
        for column in inside._columns:
            told[f"{name}.{column}"] = of(getattr(inside, column))
            told[f"has {name}.{column}"] = array(inside.has(column))
    return told
