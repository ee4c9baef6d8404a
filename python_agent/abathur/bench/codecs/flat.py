"""FlatBuffers, with the code of flatc."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import abathur

# Only a clone has them.
sys.path.append(str(Path(abathur.__file__).parents[2] / "benchmarks" / "schemas" / "python"))

# First: where they are absent, installing flatbuffers does not help.
import sc2_flat
from sc2_flat import ResponseObservation as _Generated
from sc2_flat import UnitInfo as _UnitInfo

# isort: split
import flatbuffers
import numpy as np
from google.protobuf.descriptor import FieldDescriptor
from s2clientprotocol.sc2api_pb2 import ResponseObservation

from abathur.bench._codec import Codec, Sums
from abathur.bench._plain import from_plain
from abathur.bench.schema import touch

# The code of flatc has no types.
Root: Any = _Generated.ResponseObservation
ResponseObservationT: Any = _Generated.ResponseObservationT
# flatc's module of a table that contains itself names itself by its whole path, but imports only other modules.
_UnitInfo.sc2_flat = sc2_flat  # type: ignore[attr-defined]
_INITIAL_BYTES = 1 << 18
_PRESENCE = (
    "Every scalar is optional in the schema (= null) and every message a table, so that absent fields stay absent."
    " A struct for positions would be smaller, but cannot omit a coordinate."
)
_DTYPES: dict[int, Any] = {
    FieldDescriptor.TYPE_UINT32: np.uint32,
    FieldDescriptor.TYPE_INT32: np.int32,
    FieldDescriptor.TYPE_ENUM: np.int32,
    FieldDescriptor.TYPE_UINT64: np.uint64,
}


class FlatbuffersCodec(Codec):
    """Row `flatbuffers`: everything to objects and back."""

    package = "flatbuffers"
    footnotes: tuple[str, ...] = (
        "Modules by flatc 25.12.19, as it writes them (one lacks an import, which is set from outside), with its object"
        " API: ResponseObservationT.Pack into one Builder, cleared for each frame, and ResponseObservationT.InitFromObj"
        " of the root. The runtime is Python without native code.",
        _PRESENCE,
    )

    def __init__(self) -> None:
        """One builder for all frames."""
        self._builder = flatbuffers.Builder(_INITIAL_BYTES)

    def prepare(self, message: ResponseObservation, plain: Callable[[], dict[str, Any]]) -> Any:
        return _to_objects(plain(), ResponseObservation.DESCRIPTOR)

    def encode(self, source: Any) -> bytearray | memoryview:
        builder = self._builder
        builder.Clear()
        builder.Finish(source.Pack(builder))
        encoded: bytearray = builder.Output()
        return encoded

    def decode(self, data: Any) -> Any:
        return ResponseObservationT.InitFromObj(Root.GetRootAs(data))

    def touch(self, decoded: Any) -> Sums:
        return touch.reader("objects")(decoded)

    def to_message(self, decoded: Any) -> ResponseObservation | None:
        return from_plain(_from_objects(decoded, ResponseObservation.DESCRIPTOR))


class FlatbuffersRead(FlatbuffersCodec):
    """Row `flatbuffers-read`: reads every field from the buffer, keeps no objects."""

    footnotes: tuple[str, ...] = (
        "Zero-copy: decoding is reading. Both figures of decoding read every field with the accessors that flatc"
        " generates; nothing is kept.",
        _PRESENCE,
    )
    times_encode = False

    def decode(self, data: Any) -> Any:
        root = Root.GetRootAs(data)
        return root, touch.reader("tables")(root)

    def touch(self, decoded: Any) -> Sums:
        sums: Sums = decoded[1]
        return sums

    def to_message(self, decoded: Any) -> ResponseObservation | None:
        return super().to_message(ResponseObservationT.InitFromObj(decoded[0]))


class FlatbuffersScan(FlatbuffersCodec):
    """Row `flatbuffers-scan`: one property of all units from the buffer."""

    footnotes: tuple[str, ...] = ("Zero-copy: reads only pos.x of every unit from the buffer.",)
    cannot_carry: tuple[str, ...] = ("more than pos.x of every unit (by design): for readers of one property",)
    times_encode = False
    touches = False

    def decode(self, data: Any) -> list[float]:
        observation = Root.GetRootAs(data).Observation()
        raw = None if observation is None else observation.RawData()
        if raw is None:
            return []
        positions = [raw.Units(index).Pos() for index in range(raw.UnitsLength())]
        return [0.0 if pos is None else pos.X() or 0.0 for pos in positions]

    def to_message(self, decoded: Any) -> None:
        return None

    def problem(self, decoded: Any, message: ResponseObservation) -> str | None:
        expected = [unit.pos.x for unit in message.observation.raw_data.units]
        return None if decoded == expected else "pos.x of the units differs after decoding"


def _to_objects(plain: dict[str, Any], descriptor: Any) -> Any:
    module = import_module(f"sc2_flat.{descriptor.name}")
    target = getattr(module, f"{descriptor.name}T")()
    for name, value in plain.items():
        field = descriptor.fields_by_name[name]
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            kind = field.message_type
            value = [_to_objects(each, kind) for each in value] if field.is_repeated else _to_objects(value, kind)
        elif field.is_repeated:
            value = np.array(value, dtype=_DTYPES[field.type])
        elif field.type == FieldDescriptor.TYPE_BYTES:
            value = np.frombuffer(value, dtype=np.uint8)
        setattr(target, touch.attribute(name), value)
    return target


def _from_objects(source: Any, descriptor: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for field in descriptor.fields:
        value = getattr(source, touch.attribute(field.name))
        if value is None:
            continue
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            kind = field.message_type
            value = [_from_objects(each, kind) for each in value] if field.is_repeated else _from_objects(value, kind)
        elif field.is_repeated:
            value = value.tolist()
        elif field.type == FieldDescriptor.TYPE_BYTES:
            value = value.tobytes()
        elif field.type == FieldDescriptor.TYPE_STRING:
            value = value.decode()
        plain[field.name] = value
    return plain
