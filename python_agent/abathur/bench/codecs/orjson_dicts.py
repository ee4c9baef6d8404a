"""orjson."""

from __future__ import annotations

from typing import Any

import orjson

from abathur.bench.codecs._dicts import JSON_FOOTNOTES, DictCodec, base64_text, decode_bytes


class OrjsonCodec(DictCodec):
    """Row `orjson`: dicts."""

    package = "orjson"
    footnotes: tuple[str, ...] = ("orjson.dumps and loads of dicts.", *JSON_FOOTNOTES)

    def encode(self, source: Any) -> bytes:
        return orjson.dumps(source, default=base64_text)

    def decode(self, data: Any) -> Any:
        return decode_bytes(orjson.loads(data))
