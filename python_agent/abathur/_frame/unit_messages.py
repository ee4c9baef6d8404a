"""Columns of units from messages or JSON objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np
from google.protobuf import descriptor_pool
from google.protobuf.descriptor import Descriptor
from numpy.typing import NDArray
from s2clientprotocol import raw_pb2

from abathur._frame.nested import NestedSelection, NestedSource
from abathur._values.malformed import MALFORMED
from abathur._values.read_only import read_only
from abathur.errors import ProtocolError

#: Fields whose entries are numbers, not messages.
_NUMBERS = frozenset({"buff_id"})
_ENUMS = {
    "alliance": raw_pb2.Alliance,
    "display_type": raw_pb2.DisplayType,
    "cloak": raw_pb2.CloakState,
}


class MessageUnits:
    """Units, or their submessages, as protobuf messages."""

    def __init__(self, messages: Sequence[Any]) -> None:
        """The messages, which are kept."""
        self._messages = messages

    def __getstate__(self) -> dict[str, Any]:
        """The messages as a list: a field of a message cannot be pickled by itself."""
        return {"_messages": self._listed}

    @cached_property
    def _listed(self) -> list[Any]:
        """The messages: a repeated field makes the objects of its entries again each time, and may be sorted."""
        return list(self._messages)

    def __len__(self) -> int:
        """Number of messages."""
        return len(self._listed)

    def columns(self, path: str, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        """A field of all messages."""
        return {path: read_only(np.fromiter(map(attrgetter(path), self._listed), dtypes[path], len(self)))}

    def present(self, path: str) -> NDArray[np.bool_]:
        """Which messages have a field."""
        parent, _, leaf = path.rpartition(".")
        if parent:
            return np.array([getattr(message, parent).HasField(leaf) for message in self._listed], np.bool_)
        return np.array([message.HasField(leaf) for message in self._listed], np.bool_)

    def nested(self, field: str) -> NestedSource:
        """A repeated field of all messages."""
        return _NestedMessages([getattr(message, field) for message in self._listed], MessageUnits)


class JsonUnits:
    """Units, or their submessages, as ProtoJSON objects."""

    def __init__(self, objects: Sequence[Any], message: Descriptor | None = raw_pb2.Unit.DESCRIPTOR) -> None:
        """The objects, which are kept, and their message type."""
        self._objects = objects
        self._type = message.full_name if message else None
        self._fields = message.fields_by_name if message else {}

    def __reduce__(self) -> tuple[Callable[..., JsonUnits], tuple[list[Any], str | None]]:
        """The objects and the name of their type: descriptors cannot be pickled."""
        return _restored, (list(self._objects), self._type)

    def __len__(self) -> int:
        """Number of objects."""
        return len(self._objects)

    def columns(self, path: str, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        """A field of all objects."""
        parent, _, leaf = path.rpartition(".")
        dtype = dtypes[path]
        with _as_protocol_error(path):
            if parent:
                values = [each.get(_camel(parent), {}).get(_camel(leaf), 0) for each in self._objects]
            else:
                default = self._fields[leaf].default_value
                values = [each.get(_camel(leaf), default) for each in self._objects]
            if leaf in _ENUMS:
                enum = _ENUMS[leaf]
                values = [enum.Value(value) if isinstance(value, str) else value for value in values]
            elif any(isinstance(value, str) for value in values):
                # 64-bit numbers, NaN and the infinities are strings.
                values = [(int if dtype == "u8" else float)(value) for value in values]
            return {path: read_only(np.array(values, dtype=dtype))}

    def present(self, path: str) -> NDArray[np.bool_]:
        """Which objects have a field."""
        parent, _, leaf = path.rpartition(".")
        with _as_protocol_error(path):
            if parent:
                return np.array([_camel(leaf) in each.get(_camel(parent), {}) for each in self._objects], np.bool_)
            return np.array([_camel(leaf) in each for each in self._objects], np.bool_)

    def nested(self, field: str) -> NestedSource:
        """A repeated field of all objects."""
        message = self._fields[field].message_type
        with _as_protocol_error(field):
            lists = [each.get(_camel(field), ()) for each in self._objects]
            return _NestedMessages(lists, lambda objects: JsonUnits(objects, message))


def _restored(objects: list[Any], message: str | None) -> JsonUnits:
    pool = descriptor_pool.Default()
    return JsonUnits(objects, None if message is None else pool.FindMessageTypeByName(message))


class _NestedMessages:
    """Entries that are messages, or numbers."""

    def __init__(self, lists: Sequence[Sequence[Any]], source: Callable[[list[Any]], Any]) -> None:
        self._counts = np.array([len(each) for each in lists], np.int64)
        self._entries = list(chain.from_iterable(lists))
        self._source = source(self._entries)

    def counts(self) -> NDArray[np.int64]:
        return self._counts

    def columns(self, path: str, dtypes: Mapping[str, str]) -> dict[str, NDArray[Any]]:
        if path in _NUMBERS:
            with _as_protocol_error(path):
                return {path: np.array(self._entries, dtypes[path])}
        columns: dict[str, NDArray[Any]] = self._source.columns(path, dtypes)
        return columns

    def present(self, path: str) -> NDArray[np.bool_]:
        if path in _NUMBERS:
            return np.ones(len(self._entries), np.bool_)
        present: NDArray[np.bool_] = self._source.present(path)
        return present

    def select(self, rows: NDArray[np.intp]) -> NestedSource:
        return NestedSelection(self, rows)


@contextmanager
def _as_protocol_error(path: str) -> Iterator[None]:
    try:
        yield
    except MALFORMED as error:
        raise ProtocolError(f"the units' {path} cannot be read: {error}") from None


def _camel(name: str) -> str:
    return re.sub("_([a-z])", lambda match: match[1].upper(), name)
