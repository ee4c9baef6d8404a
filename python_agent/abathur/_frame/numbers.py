"""Numbers of an observation, as columns of the table `players`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from s2clientprotocol import sc2api_pb2

#: Resources, supply and score.
DEFAULT = ("observation.player_common", "observation.score")
#: They are the beginning of most names of columns otherwise.
_PREFIXES = ("observation.player_common.", "observation.score.score_details.", "observation.score.", "observation.")
#: Tables, images and text are not numbers.
_NOT_HERE = ("observation.raw_data.units", "observation.raw_data.map_state")
#: The player is in the path of the file, the game loop is a column of each table.
_KNOWN = ("observation.player_common.player_id", "observation.game_loop")
_DTYPES = {
    FieldDescriptor.CPPTYPE_INT32: "i4",
    FieldDescriptor.CPPTYPE_INT64: "i8",
    FieldDescriptor.CPPTYPE_UINT32: "u4",
    FieldDescriptor.CPPTYPE_UINT64: "u8",
    FieldDescriptor.CPPTYPE_FLOAT: "f4",
    FieldDescriptor.CPPTYPE_DOUBLE: "f8",
    FieldDescriptor.CPPTYPE_BOOL: "?",
    FieldDescriptor.CPPTYPE_ENUM: "i4",
}


def numbers(fields: Sequence[str]) -> dict[str, tuple[str, str]]:
    """The columns of some fields: path and dtype by name.

    Raises:
        ValueError: there is no such field, it has no numbers, or two have the same name.
    """
    columns: dict[str, tuple[str, str]] = {}
    for field in fields:
        found = list(_numbers(field))
        if not found:
            raise ValueError(f"the field {field!r} has no single numbers, so it cannot be a column of players")
        for path, dtype in found:
            name = _name(path)
            if columns.setdefault(name, (path, dtype))[0] != path:
                raise ValueError(f"the fields {columns[name][0]} and {path} would both be the column {name!r}")
    return columns


class Reader:
    """Reads the numbers of `numbers` from observations."""

    def __init__(self, columns: Mapping[str, tuple[str, str]]) -> None:
        """The columns. Those of one message that are beside each other are read together."""
        self._parts: list[tuple[attrgetter[Any] | None, list[str]]] = []
        last = None
        for path, _ in columns.values():
            parent, _, leaf = path.rpartition(".")
            if parent != last:
                self._parts.append((attrgetter(parent) if parent else None, []))
                last = parent
            self._parts[-1][1].append(leaf)

    def read(self, response: sc2api_pb2.ResponseObservation) -> list[float]:
        """The values in the order of the columns; the protocol's default of a field that is not there."""
        values: list[float] = []
        for parent, leaves in self._parts:
            message = parent(response) if parent is not None else response
            values += [getattr(message, leaf) for leaf in leaves]
        return values


def _name(path: str) -> str:
    prefix = next((each for each in _PREFIXES if path.startswith(each)), "")
    return path.removeprefix(prefix).replace(".", "_")


def _numbers(field: str) -> Iterator[tuple[str, str]]:
    message: Descriptor | None = sc2api_pb2.ResponseObservation.DESCRIPTOR
    leaf = None
    for number, part in enumerate(field.split(".")):
        if message is None or part not in message.fields_by_name:
            parent = ".".join(field.split(".")[:number]) or "an observation"
            known = f"; there are {', '.join(message.fields_by_name)}" if message is not None else ""
            raise ValueError(f"the field {field!r} is unknown: {parent} has no {part!r}{known}")
        leaf = message.fields_by_name[part]
        message = leaf.message_type
        if leaf.is_repeated:
            return
    assert leaf is not None
    yield from _inside(field, leaf)


def _inside(path: str, field: FieldDescriptor) -> Iterator[tuple[str, str]]:
    if field.is_repeated or path in _NOT_HERE or path in _KNOWN:
        return
    if field.cpp_type in _DTYPES:
        yield path, _DTYPES[field.cpp_type]
    elif field.message_type is not None:
        for each in field.message_type.fields:
            yield from _inside(f"{path}.{each.name}", each)
