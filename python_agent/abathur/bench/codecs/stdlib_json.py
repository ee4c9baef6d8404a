"""Python's own json."""

from __future__ import annotations

import json
import platform
from typing import Any

from abathur.bench.codecs._dicts import JSON_FOOTNOTES, DictCodec, base64_text, decode_bytes


class StdlibJsonCodec(DictCodec):
    """Row `json`: dicts with the standard library."""

    footnotes: tuple[str, ...] = ("One JSONEncoder without spaces, reused, then UTF-8; json.loads.", *JSON_FOOTNOTES)

    def __init__(self) -> None:
        """One encoder for all frames."""
        self._encode = json.JSONEncoder(separators=(",", ":"), default=base64_text).encode

    @property
    def label(self) -> str:
        return f"json of Python {platform.python_version()}"

    def encode(self, source: Any) -> bytes:
        return self._encode(source).encode()

    def decode(self, data: Any) -> Any:
        return decode_bytes(json.loads(data))
