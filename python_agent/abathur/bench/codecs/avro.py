"""fastavro."""

from __future__ import annotations

import io
import json
from importlib import resources
from typing import Any

import fastavro

from abathur.bench.codecs._dicts import DictCodec


class FastavroCodec(DictCodec):
    """Row `fastavro`: dicts by a schema, no container around them."""

    package = "fastavro"
    footnotes = (
        "schemaless_writer and schemaless_reader with one parsed schema; optional fields are unions with null, floats 32 bits.",
        "Avro has no unsigned integers: a 64-bit one is a long, and 2^63 and above is refused.",
    )

    def __init__(self) -> None:
        """Parse the schema, once."""
        schema = resources.files("abathur.bench.schema").joinpath("observation.avsc").read_text(encoding="utf-8")
        self._schema = fastavro.parse_schema(json.loads(schema))

    def encode(self, source: Any) -> bytes:  # noqa: D102
        output = io.BytesIO()
        fastavro.schemaless_writer(output, self._schema, source)
        return output.getvalue()

    def decode(self, data: Any) -> Any:  # noqa: D102
        return fastavro.schemaless_reader(io.BytesIO(data), self._schema, None)
