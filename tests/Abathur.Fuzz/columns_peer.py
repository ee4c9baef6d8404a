"""The package's decoders of columns, for the fuzzer: that in NumPy, and beside it the compiled one, which must agree.

An empty payload starts a new stream. The number that guides the mutations: the lines of the reference reached so far.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import abathur.columns
from abathur import Units
from abathur._frame.columns_source import ColumnsUnits
from abathur.columns import Columns, ColumnsDecoder, _compiled, _implementation, _numpy
from abathur.columns._rebuild import observation_bytes
from abathur.errors import ProtocolError
from peers import REFUSED, TAKEN, Answer, DifferenceError, array, compare, serve, units_told

_FOLDER = str(Path(abathur.columns.__file__).parent)
_reached: set[tuple[str, int]] = set()


class _RefusedError(Exception):
    """The library has refused something."""


class _NoReference:
    """In place of the reference, which the compiled decoder asks about what the library refuses."""

    def __getattr__(self, name: str) -> Any:
        raise _RefusedError(name)


def _trace(frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
    if not frame.f_code.co_filename.startswith(_FOLDER):
        return None
    _reached.add((frame.f_code.co_filename, frame.f_lineno))
    return _trace


class _Peer:
    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._reference, self._compiled = ColumnsDecoder(), ColumnsDecoder()

    def take(self, payload: bytes) -> Answer:
        """Decode a payload with both."""
        if not payload:
            self._start()
            return REFUSED, len(_reached), b""
        _implementation.functions = _numpy
        refusal = columns = None
        observation = b""
        sys.settrace(_trace)
        try:
            columns, observation = _read(self._reference, payload)
        except ProtocolError as error:
            refusal = str(error)
        finally:
            sys.settrace(None)
        if _compiled.IS_HERE:
            self._compare(payload, columns, refusal)
        if refusal is not None:
            return REFUSED, len(_reached), refusal.encode()
        return TAKEN, len(_reached), observation

    def _compare(self, payload: bytes, wanted: Columns | None, refusal: str | None) -> None:
        theirs = None if wanted is None else _told(wanted, self._reference)
        _implementation.functions, _compiled._numpy = _compiled, _NoReference()  # type: ignore[assignment]
        try:
            columns, _ = _read(self._compiled, payload)
            ours = _told(columns, self._compiled)
        except (ProtocolError, _RefusedError):
            if theirs is not None:
                raise DifferenceError("the compiled decoder refuses what NumPy takes") from None
            return
        finally:
            _compiled._numpy = _numpy
        if theirs is None:
            raise DifferenceError(f"the compiled decoder takes what NumPy refuses: {refusal}")
        compare(ours, theirs, "the compiled decoder and NumPy")


def _read(decoder: ColumnsDecoder, payload: bytes) -> tuple[Columns, bytes]:
    columns = decoder.decode(payload)
    # Alone, and then again with the lists and grids before it.
    rest = columns.rest
    units = Units(ColumnsUnits(columns))
    assert len(units.orders.offsets) == len(units) + 1
    observation = observation_bytes(columns)
    assert columns.blobs[2] is None or columns.blobs[2].tobytes() == rest
    return columns, observation


def _told(columns: Columns, decoder: ColumnsDecoder) -> dict[str, Any]:
    """Everything in a frame."""
    told = {"used": array(columns.used), "heads": array(columns.heads), "stays": array(decoder._units.stays)}
    for number, table in enumerate((columns.units, *columns.lists)):
        told[f"cells of table {number}"] = array(table.cells)
        told[f"velocity of table {number}"] = array(table.velocity)
    for number, blob in enumerate(columns.blobs):
        told[f"blob {number}"] = () if blob is None else array(blob)
    return told | units_told(Units(ColumnsUnits(columns)))


if __name__ == "__main__":
    serve(_Peer().take)
