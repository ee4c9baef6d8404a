"""Functions that read every field of an observation, in the form in which a library gives it.

They are compiled from a source with a function per message and a line per access, so that what is timed is the access
and not a loop over descriptions of fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Literal
from zlib import crc32

from abathur.bench._codec import Sums
from abathur.bench.schema._source import define
from abathur.bench.schema.model import Field, messages

Form = Literal["dict", "struct", "message", "tables", "objects"]
"""Dicts; msgspec's structs; protobuf's messages; tables and objects of FlatBuffers."""


@cache
def reader(form: Form) -> Callable[[Any], Sums]:
    """The function that reads an observation of this form. It is compiled at the first call."""
    functions = define("touch of SC2APIProtocol", _source(form), crc32=crc32)
    touch = functions[f"{form}_ResponseObservation"]

    def read(observation: Any) -> Sums:
        sums: Sums = [0, 0.0]
        touch(observation, sums)
        return sums

    return read


def attribute(name: str) -> str:
    """`is_on_screen` as `isOnScreen`, as flatc names attributes."""
    upper = _accessor(name)
    return upper[0].lower() + upper[1:]


def _accessor(name: str) -> str:
    """`is_on_screen` as `IsOnScreen`, as flatc names methods."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _source(form: Form) -> Iterator[str]:
    lines = _LINES[form]
    for message in messages():
        yield f"def {form}_{message.name}(m, sums):"
        yield "    i = 0"
        yield "    f = 0.0"
        for field in message.fields:
            yield from lines(field)
        yield "    sums[0] += i"
        yield "    sums[1] += f"


def _add(field: Field, value: str) -> str:
    if field.kind == "float":
        return f"f += {value}"
    if field.kind == "string":
        return f"i += crc32({value}.encode())"
    return f"i += crc32({value})" if field.kind == "bytes" else f"i += {value}"


def _value(field: Field, form: Form, read: str) -> Iterator[str]:
    yield f"    v = {read}"
    if field.repeated:
        yield "    if v:"
        yield "        for each in v:"
        yield (
            f"            {form}_{field.message}(each, sums)" if field.message else f"            {_add(field, 'each')}"
        )
    else:
        yield "    if v is not None:"
        yield f"        {form}_{field.message}(v, sums)" if field.message else f"        {_add(field, 'v')}"


def _dict(field: Field) -> Iterator[str]:
    return _value(field, "dict", f'm.get("{field.name}")')


def _struct(field: Field) -> Iterator[str]:
    return _value(field, "struct", f"m.{field.name}")


def _message(field: Field) -> Iterator[str]:
    if field.repeated:
        yield f"    for each in m.{field.name}:"
        yield f"        message_{field.message}(each, sums)" if field.message else f"        {_add(field, 'each')}"
    elif field.message:
        yield f'    if m.HasField("{field.name}"):'
        yield f"        message_{field.message}(m.{field.name}, sums)"
    elif field.kind in ("string", "bytes") or field.default != 0:
        # The absent field reads as something that would count.
        yield f'    if m.HasField("{field.name}"):'
        yield f"        {_add(field, f'm.{field.name}')}"
    else:
        yield f"    {_add(field, f'm.{field.name}')}"


def _tables(field: Field) -> Iterator[str]:
    name = _accessor(field.name)
    if field.repeated and field.message:
        yield f"    for index in range(m.{name}Length()):"
        yield f"        tables_{field.message}(m.{name}(index), sums)"
    elif field.repeated:
        yield f"    if not m.{name}IsNone():"
        yield f"        i += sum(m.{name}AsNumpy().tolist())"
    elif field.kind == "bytes":
        yield f"    if not m.{name}IsNone():"
        yield f"        i += crc32(m.{name}AsNumpy())"
    else:
        # A method cannot be named None.
        yield f"    v = m.{'None_' if name == 'None' else name}()"
        yield "    if v is not None:"
        if field.message:
            yield f"        tables_{field.message}(v, sums)"
        else:
            # Strings come as UTF-8.
            yield "        i += crc32(v)" if field.kind == "string" else f"        {_add(field, 'v')}"


def _objects(field: Field) -> Iterator[str]:
    name = attribute(field.name)
    if field.repeated and not field.message:
        yield f"    if m.{name} is not None:"
        yield f"        i += sum(m.{name}.tolist())"
    elif field.kind in ("string", "bytes"):
        yield f"    if m.{name} is not None:"
        yield f"        i += crc32(m.{name})"
    else:
        yield from _value(field, "objects", f"m.{name}")


_LINES: dict[Form, Callable[[Field], Iterator[str]]] = {
    "dict": _dict,
    "struct": _struct,
    "message": _message,
    "tables": _tables,
    "objects": _objects,
}
