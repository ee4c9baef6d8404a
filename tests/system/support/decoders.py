"""Both decoders of the package, the compiled one and the reference in NumPy, beside each other."""

from __future__ import annotations

import hashlib
import itertools
import os
import pickle
import random
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from abathur import Units
from abathur._frame.bytes_units import units_of
from abathur._frame.columns_source import ColumnsUnits
from abathur._frame.unit_columns import (
    BUFF_COLUMNS,
    COLUMNS,
    ORDER_COLUMNS,
    PASSENGER_COLUMNS,
    RALLY_COLUMNS,
)
from abathur._recording.segments import parse_segment
from abathur._values import native
from abathur.columns import Columns, ColumnsDecoder, _compiled, _implementation, _numpy
from abathur.columns._schema import LISTS, UNITS, ColumnGroup, Schema, Wanted
from emulators import delimited
from mcap.reader import make_reader
from observations import make
from programs import run_daemon

needs_library = pytest.mark.skipif(native.LIBRARY is None, reason="the compiled library is not built, or not chosen")

#: Types of the columns of each table, by path.
DTYPES = {
    number: {path: dtype for dtype, path in columns.values()}
    for number, columns in enumerate((COLUMNS, ORDER_COLUMNS, BUFF_COLUMNS, PASSENGER_COLUMNS, RALLY_COLUMNS))
}

Told = tuple[Any, ...]


class RefusedError(Exception):
    """The compiled library has refused something."""


class _NoReference:
    """In place of the reference, which the compiled decoder asks about what the library refuses."""

    def __getattr__(self, name: str) -> Any:
        raise RefusedError(name)


@contextmanager
def decoding(name: str) -> Iterator[None]:
    """Decode with `numpy`, with `compiled`, or with the `library` alone, which raises RefusedError."""
    patch = pytest.MonkeyPatch()
    patch.setattr(_implementation, "functions", _numpy if name == "numpy" else _compiled)
    if name == "library":
        patch.setattr(_compiled, "_numpy", _NoReference())
    try:
        yield
    finally:
        patch.undo()


def array(values: np.ndarray[Any, Any]) -> Told:
    """All there is to an array."""
    return values.dtype.str, values.shape, values.tobytes()


def units_told(units: Units, of: Callable[[np.ndarray[Any, Any]], Told] = array) -> dict[str, Any]:
    """Every column of units and their lists, and which have it."""
    told: dict[str, Any] = {"length": len(units)}
    for name in COLUMNS:
        told[name] = of(getattr(units, name)), of(units.has(name))
    for name in ("orders", "buffs", "passengers", "rally_targets"):
        inside = getattr(units, name)
        told[name] = of(inside.offsets), of(inside.unit)
        for column in inside._columns:
            told[f"{name}.{column}"] = of(getattr(inside, column)), of(inside.has(column))
    return told


def outcome(call: Callable[[], Any]) -> Any:
    """What a call returns, or the type and text of its error."""
    try:
        return call()
    except RefusedError:
        return ("refused",)
    except Exception as error:
        return type(error).__name__, str(error)


def is_refused(told: Any) -> bool:
    """Whether an outcome is an error."""
    return isinstance(told, tuple) and (told == ("refused",) or (isinstance(told[0], str) and "Error" in told[0]))


def wanted_of(schema: Schema, dtypes: dict[str, str]) -> list[Wanted]:
    """All columns of a table together, and each type alone."""
    groups: dict[str, list[int]] = {}
    for path, dtype in dtypes.items():
        groups.setdefault(dtype, []).append(schema.fields.index(path))
    made = [
        ColumnGroup(np.dtype(dtype), tuple(schema.fields[at] for at in sorted(each)), tuple(sorted(each)))
        for dtype, each in groups.items()
    ]
    return [Wanted(*made), *(Wanted(each) for each in made)]


def arrays_told(schema: Schema, cells: np.ndarray[Any, Any], rows: np.ndarray[Any, Any] | None) -> list[Any]:
    """The arrays that the implementation which decodes makes of a table."""
    reader = _implementation.functions.TableReader(schema, cells, rows)
    return [
        {path: array(values) for path, values in reader.arrays(wanted).items()}
        for wanted in wanted_of(schema, DTYPES[schema.table])
    ]


def contents_told(columns: Columns) -> list[Any]:
    """The lists and blobs of a frame, and the arrays of the lists."""
    told: list[Any] = []
    for schema, table in zip(LISTS, columns.lists, strict=True):
        told += [array(table.cells), array(table.velocity), arrays_told(schema, table.cells, None)]
    return [*told, *(None if blob is None else array(blob) for blob in columns.blobs), columns.rest]


def decoded(name: str, payloads: Sequence[bytes], *, start: int = 0, every: int = 1) -> list[Any]:
    """What becomes of each payload of a stream, decoded by `decoding(name)`: see `told_of`."""
    with decoding(name):
        return told_of(payloads, start=start, every=every)


def told_of(payloads: Sequence[bytes], *, start: int = 0, every: int = 1) -> list[Any]:
    """What the decoder that runs makes of each payload of a stream: everything, or the type and text of its error.

    Args:
        payloads: Of a stream.
        start: The first frame that is told.
        every: Of as many frames, the contents and arrays of one are read. Its rest is read before or after these.
    """
    told = []
    decoder = ColumnsDecoder()
    for number, payload in enumerate(payloads):
        columns = outcome(lambda payload=payload: decoder.decode(payload))  # type: ignore[misc]
        if number < start:
            continue
        if not isinstance(columns, Columns):
            told.append(columns)
            continue
        units = decoder._units
        (rows,) = columns.used.nonzero()
        cells = columns.units.cells
        frame = [
            *(array(cells), array(columns.units.velocity), array(columns.used), array(columns.heads)),
            *(array(units.stays), units.position),
            # A keyframe has no counts before it.
            payload[1] == 1 or units.counts_change,
        ]
        if number % every == 0:
            frame += [arrays_told(UNITS, cells, each) for each in (None, rows, rows[::2].copy())]
            frame.append(outcome(lambda columns=columns: columns.rest) if number % 2 else None)  # type: ignore[misc]
            frame.append(outcome(lambda columns=columns: contents_told(columns)))  # type: ignore[misc]
            frame.append(outcome(lambda columns=columns: units_told(Units(ColumnsUnits(columns)))))  # type: ignore[misc]
        told.append(frame)
    return told


def digest(payloads: Sequence[bytes]) -> tuple[str, str]:
    """Which decoder runs here, and a digest of what it makes of a stream."""
    return _implementation.functions.NAME, hashlib.sha256(repr(told_of(payloads)).encode()).hexdigest()


def messages_told(messages: Sequence[bytes]) -> list[Any]:
    """Whether the library reads serialized observations here, and their units."""
    found = [units_of(each) for each in messages]
    return [None if each is None else units_told(Units(each)) for each in found]


def streams_of(payloads: Sequence[bytes]) -> list[list[bytes]]:
    """Parts of a stream, each from a keyframe on."""
    starts = [number for number, payload in enumerate(payloads) if payload[1] == 1]
    return [list(payloads[start:end]) for start, end in zip(starts, [*starts[1:], len(payloads)], strict=True)]


def in_process_without_library(program: str, given: Any) -> tuple[Any, Any]:
    """Run a program in a process that decodes with NumPy and protobuf.

    Args:
        program: It has `given`, and the functions of this module. It sets `result` and `made`.
        given: Travels there by pickle.

    Returns:
        Its `result` and `made`, which travel back.
    """
    text = f"""
import pickle, sys
from decoders import *
given = pickle.load(sys.stdin.buffer)
import abathur.columns
assert abathur.columns.implementation == "numpy"
{textwrap.dedent(program)}
sys.stdout.buffer.write(pickle.dumps((result, made)))
"""
    environment = {**os.environ, native.VARIABLE: "numpy", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", text],
        input=pickle.dumps(given),
        capture_output=True,
        timeout=120,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr.decode()
    result, made = pickle.loads(done.stdout)
    return result, made


def is_accepted(frame: Any) -> bool:
    """Whether a frame of `decoded` is read to its end."""
    return isinstance(frame, list) and not any(map(is_refused, frame))


def compact_payloads(recording: Path) -> list[bytes]:
    """The payloads of a compact recording."""
    with recording.open("rb") as file:
        segments = [message.data for _, _, message in make_reader(file).iter_messages(topics=["/columns"])]
    return [bytes(payload) for segment in segments for payload in parse_segment(segment).payloads]


def encoded(messages: Sequence[bytes], folder: Path) -> list[bytes]:
    """Serialized observations as payloads, by the daemon."""
    streams, recording = folder / "any.obs", folder / "any.mcap"
    streams.write_bytes(delimited(list(messages)))
    imported = run_daemon("import", str(streams), "-o", str(recording), "--compact", "--force")
    assert imported.returncode == 0, imported.stderr
    return compact_payloads(recording)


def any_messages(seeds: Sequence[int]) -> list[bytes]:
    """Serialized observations with anything in them; some of the units come back in later ones."""
    wanted = [make(seed) for seed in seeds]
    for before, after in itertools.pairwise(wanted):
        units = before.observation.raw_data.units
        after.observation.raw_data.units.extend(units[: len(units) * 2 // 3 + 1])
    for loop, each in enumerate(wanted, 1):
        each.observation.game_loop = loop
    return [each.SerializeToString() for each in wanted]


def mutated(data: bytes, draw: random.Random) -> bytes:
    """Bytes of which some are changed, cut or added."""
    changed = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        if not changed:
            break
        # Counts and lengths are mostly at the start.
        at = draw.randrange(min(len(changed), draw.choice((8, 40, 200, len(changed)))))
        some = draw.choice(
            (0, 1, 2, 0x0B, 0x0C, 0x7F, 0x80, 0xFF, changed[at] ^ 1, changed[at] ^ 8, changed[at] ^ 0x80)
        )
        match draw.randrange(8):
            case 0:
                del changed[at : at + draw.randint(1, 4)]
            case 1:
                changed[at:at] = bytes([some]) * draw.randint(1, 4)
            case 2:
                other = draw.randrange(len(changed))
                changed[at:at] = changed[other : other + draw.randint(1, 30)]
            case 3 if draw.random() < 0.3:
                del changed[at:]
            case _:
                changed[at] = some
    return bytes(changed)
