"""protobuf's own JSON: `google.protobuf.json_format`."""

from __future__ import annotations

import json
from typing import Any

from google.protobuf import json_format
from s2clientprotocol.sc2api_pb2 import ResponseObservation

from abathur.bench.codecs.protobuf import ProtobufCodec


class GoogleJsonCodec(ProtobufCodec):
    """Row `protojson-google`: compact."""

    footnotes: tuple[str, ...] = (
        "json_format.MessageToDict, then json.dumps without spaces: as MessageToJson does, which has no option to"
        " omit them. Decoded by json_format.Parse, which refuses the largest float32 as it is written.",
        "Row protojson-google-indented is MessageToJson with its default indentation of 2.",
    )

    def encode(self, source: Any) -> bytes:
        return json.dumps(json_format.MessageToDict(source), separators=(",", ":")).encode()

    def decode(self, data: Any) -> Any:
        return json_format.Parse(data, ResponseObservation())


class GoogleJsonIndentedCodec(GoogleJsonCodec):
    """Row `protojson-google-indented`: with the default options."""

    footnotes: tuple[str, ...] = (
        "json_format.MessageToJson with its default indentation of 2; decoded by json_format.Parse.",
    )

    def encode(self, source: Any) -> bytes:
        return json_format.MessageToJson(source).encode()
