"""The code with which the Python codecs read dicts, structs, messages and tables."""

from __future__ import annotations

from collections.abc import Iterator

from abathur.bench.schema.model import Field, Message
from header import HEADER


def touch(messages: list[Message]) -> str:
    """Reading every field, in the form of each library, and what JSON needs for bytes."""
    lines = [
        *_head("Reads every field of an observation in the form in which a library gives it."),
        "",
        "from typing import Any",
        "from zlib import crc32",
        "",
        "Sums = list[Any]",
        '"""Sum of integers (bytes and strings by their CRC-32), and sum of floats."""',
    ]
    for form, one in (
        ("dict", _touch_dict),
        ("struct", _touch_struct),
        ("message", _touch_message),
        ("tables", _touch_tables),
        ("objects", _touch_objects),
    ):
        for message in messages:
            body = [line for field in message.fields for line in one(field)]
            lines += ["", "", f"def {form}_{message.name}(m: Any, sums: Sums) -> None:"]
            lines += [
                f'    """Read a {message.name}."""',
                "    i = 0",
                "    f = 0.0",
                *body,
                "    sums[0] += i",
                "    sums[1] += f",
            ]
    lines += _decode_bytes(messages)
    return "\n".join(lines) + "\n"


def lower_camel(name: str) -> str:
    """`is_on_screen` as `isOnScreen`, the way flatc names Python attributes."""
    upper = _flat(name)
    return upper[0].lower() + upper[1:]


def _head(title: str) -> list[str]:
    return [f'"""{title}', "", HEADER, '"""', "", "from __future__ import annotations"]


def _flat(name: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _add(field: Field, value: str) -> str:
    if field.kind == "float":
        return f"f += {value}"
    if field.kind == "string":
        return f"i += crc32({value}.encode())"
    return f"i += crc32({value})" if field.kind == "bytes" else f"i += {value}"


def _touch_value(field: Field, form: str, read: str) -> Iterator[str]:
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


def _touch_dict(field: Field) -> Iterator[str]:
    return _touch_value(field, "dict", f'm.get("{field.name}")')


def _touch_struct(field: Field) -> Iterator[str]:
    return _touch_value(field, "struct", f"m.{field.name}")


def _touch_message(field: Field) -> Iterator[str]:
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


def _touch_tables(field: Field) -> Iterator[str]:
    name = _flat(field.name)
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
        yield f"    v = m.{_flat_accessor(field)}()"
        yield "    if v is not None:"
        if field.message:
            yield f"        tables_{field.message}(v, sums)"
        else:
            # Strings come as UTF-8.
            yield "        i += crc32(v)" if field.kind == "string" else f"        {_add(field, 'v')}"


def _touch_objects(field: Field) -> Iterator[str]:
    name = lower_camel(field.name)
    if field.repeated and not field.message:
        yield f"    if m.{name} is not None:"
        yield f"        i += sum(m.{name}.tolist())"
    elif field.kind in ("string", "bytes"):
        yield f"    if m.{name} is not None:"
        yield f"        i += crc32(m.{name})"
    else:
        yield from _touch_value(field, "objects", f"m.{name}")


def _flat_accessor(field: Field) -> str:
    name = _flat(field.name)
    return f"{name}_" if name == "None" else name


def _decode_bytes(messages: list[Message]) -> list[str]:
    """JSON has no bytes: functions that walk to where they are, and nowhere else."""
    holding = {message.name for message in messages if any(field.kind == "bytes" for field in message.fields)}
    while True:
        more = {m.name for m in messages if any(field.message in holding for field in m.fields)} - holding
        if not more:
            break
        holding |= more
    lines = ["", "", "def decode_bytes(m: dict[str, Any], decode: Any) -> None:"]
    lines += [
        '    """Decode base64 text in place, wherever the protocol has bytes."""',
        "    bytes_ResponseObservation(m, decode)",
    ]
    for message in messages:
        if message.name not in holding:
            continue
        lines += ["", "", f"def bytes_{message.name}(m: dict[str, Any], decode: Any) -> None:"]
        lines += [f'    """Decode in a {message.name}."""']
        for field in message.fields:
            if field.kind != "bytes" and field.message not in holding:
                continue
            if field.repeated:
                raise ValueError(f"{message.name}.{field.name}: bytes in lists are not covered")
            lines += [f'    v = m.get("{field.name}")', "    if v is not None:"]
            lines += [
                f'        m["{field.name}"] = decode(v)'
                if field.kind == "bytes"
                else f"        bytes_{field.message}(v, decode)"
            ]
    return lines
