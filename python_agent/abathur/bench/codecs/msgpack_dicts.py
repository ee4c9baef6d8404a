"""msgpack."""

from __future__ import annotations

from typing import Any

import msgpack

from abathur.bench.codecs._dicts import DictCodec


class MsgpackCodec(DictCodec):
    """Row `msgpack`: dicts."""

    package = "msgpack"
    footnotes: tuple[str, ...] = (
        "One reused Packer with 32-bit floats (use_single_float), unpackb; dicts with the names of the .proto files.",
    )

    def __init__(self) -> None:
        """One packer for all frames."""
        self._packer = msgpack.Packer(use_single_float=True)

    def encode(self, source: Any) -> bytes:
        encoded: bytes = self._packer.pack(source)
        return encoded

    def decode(self, data: Any) -> Any:
        return msgpack.unpackb(data)
