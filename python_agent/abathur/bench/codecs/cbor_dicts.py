"""cbor2."""

from __future__ import annotations

from typing import Any

import cbor2

from abathur.bench.codecs._dicts import DictCodec


class Cbor2Codec(DictCodec):
    """Row `cbor2`: dicts."""

    package = "cbor2"
    footnotes: tuple[str, ...] = (
        "cbor2.dumps and loads of dicts with the names of the .proto files; floats take 64 bits (canonical=True would"
        " shorten them, but also sorts the keys).",
    )

    def encode(self, source: Any) -> bytes:
        return cbor2.dumps(source)

    def decode(self, data: Any) -> Any:
        return cbor2.loads(data)
