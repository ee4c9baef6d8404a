"""fastavro."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import fastavro
from s2clientprotocol.sc2api_pb2 import ResponseObservation

from abathur.bench.codecs._dicts import DictCodec
from abathur.bench.schema.avro import NAMESPACE, schema
from abathur.bench.schema.model import messages


class FastavroCodec(DictCodec):
    """Row `fastavro`: dicts with a schema, without a container."""

    package = "fastavro"
    footnotes: tuple[str, ...] = (
        "schemaless_writer and schemaless_reader with one parsed schema; optional fields are unions with null, floats"
        " take 32 bits.",
        "Optional records are given as tuples of branch and dict, so the writer need not try the branches: with"
        " bare dicts it takes more than twice as long.",
        "Avro has no unsigned integers: a 64-bit one is a long, and 2^63 and above is refused.",
    )

    def __init__(self) -> None:
        """Parse the schema, once."""
        self._schema = fastavro.parse_schema(schema(messages()))

    def prepare(self, message: ResponseObservation, plain: Callable[[], dict[str, Any]]) -> Any:
        return _with_branches(plain(), ResponseObservation.DESCRIPTOR)

    def encode(self, source: Any) -> bytes:
        output = io.BytesIO()
        fastavro.schemaless_writer(output, self._schema, source)
        return output.getvalue()

    def decode(self, data: Any) -> Any:
        return fastavro.schemaless_reader(io.BytesIO(data), self._schema, None)


def _with_branches(plain: dict[str, Any], descriptor: Any) -> dict[str, Any]:
    """Set the branch of the union for each optional record."""
    result: dict[str, Any] = {}
    for name, value in plain.items():
        field = descriptor.fields_by_name[name]
        kind = field.message_type
        if kind is None:
            result[name] = value
        elif field.is_repeated:
            result[name] = [_with_branches(each, kind) for each in value]
        else:
            result[name] = (f"{NAMESPACE}.{kind.name}", _with_branches(value, kind))
    return result
