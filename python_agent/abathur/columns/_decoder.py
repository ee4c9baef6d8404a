"""Decodes payloads to tables: the units of every frame, and what else is in it on first use."""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct

import numpy as np
from numpy.typing import NDArray

from abathur.columns import _implementation
from abathur.columns._applied import NOTHING
from abathur.columns._contents import Blob, Contents
from abathur.columns._table import Table
from abathur.errors import ProtocolError

_HEAD = Struct("<BBH")
_VERSION = 1
_KEYFRAME = 1
_SECTIONS = 10


@dataclass(slots=True)
class Columns:
    """An observation in columns. Later frames do not change it.

    The lists and the blobs are decoded on first use, with those of the frames before; they raise `ProtocolError` if
    that part of a payload is damaged.

    Attributes:
        units: The units' table.
        used: Which rows of it are units, (rows,) bool.
        heads: Which rows move in the direction that they face, (rows,) bool.
        contents: What is not in the units' table.
    """

    units: Table
    used: NDArray[np.bool_]
    heads: NDArray[np.bool_]
    contents: Contents

    @property
    def lists(self) -> tuple[Table, ...]:
        """Orders, buffs, passengers and rally targets."""
        return self.contents.lists

    @property
    def blobs(self) -> tuple[Blob, ...]:
        """Bytes (uint8) of `visibility`, `creep`, `rest` and `extras`, or None."""
        return self.contents.blobs

    @property
    def visibility(self) -> Blob:
        """Bytes of the visibility grid."""
        return self.blobs[0]

    @property
    def creep(self) -> Blob:
        """Bytes of the creep grid."""
        return self.blobs[1]

    @property
    def rest(self) -> bytes:
        """Everything that is not in a table, in protobuf."""
        rest = self.contents.rest
        return b"" if rest is None else rest.tobytes()

    @property
    def extras(self) -> bytes:
        """Fields without a column, as records."""
        return b"" if self.blobs[3] is None else self.blobs[3].tobytes()


class ColumnsDecoder:
    """Reads the payloads of one stream, in their order.

    Attributes:
        columns: The newest observation; None before the first keyframe.
    """

    __slots__ = ("_units", "columns")

    def __init__(self) -> None:
        self.columns: Columns | None = None
        self._units = NOTHING

    def __repr__(self) -> str:
        """The number of units of the newest observation."""
        newest = "no keyframe yet" if self.columns is None else f"{int(self.columns.used.sum())} units"
        return f"<ColumnsDecoder: {newest}>"

    def decode(self, payload: bytes) -> Columns:
        """The next frame.

        Raises:
            ProtocolError: the units in the payload are damaged, it is of another version, or not a keyframe although
                one is needed. After that only a keyframe can be read.
        """
        last, self.columns = self.columns, None
        if not isinstance(payload, bytes):
            # Of other memory, which may change before the contents are read.
            payload = bytes(memoryview(payload))
        if len(payload) < _HEAD.size:
            raise ProtocolError(f"columns: truncated ({_HEAD.size - len(payload)} bytes are missing)")
        version, flags, sections = _HEAD.unpack_from(payload)
        if version != _VERSION:
            raise ProtocolError(f"columns: version {version} is unknown; {_VERSION} is supported")
        if flags & ~_KEYFRAME:
            raise ProtocolError(f"columns: flags {flags:#x} are unknown")
        if last is None and not flags:
            raise ProtocolError("columns: a delta frame without the frame before it")
        if sections >> _SECTIONS:
            raise ProtocolError(f"columns: sections {sections:#x} are unknown")
        if flags:
            last = None
        units = _implementation.functions.apply_units(payload, sections, NOTHING if last is None else self._units)
        contents = Contents(payload, sections, units, None if last is None else last.contents)
        self._units = units
        self.columns = Columns(units.units, units.used, units.heads, contents)
        return self.columns
