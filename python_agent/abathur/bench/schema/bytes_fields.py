"""Decodes the bytes of an observation in dicts: JSON has none, and carries them as base64."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from abathur.bench.schema._source import define
from abathur.bench.schema.model import Message, messages

Decode = Callable[[str], bytes]


@cache
def decoder() -> Callable[[dict[str, Any], Decode], None]:
    """The function that decodes text in place, wherever the protocol has bytes. It is compiled at the first call.

    It visits only messages with bytes in them.
    """
    functions = define("bytes of SC2APIProtocol", _source(messages()))
    decode: Callable[[dict[str, Any], Decode], None] = functions["bytes_ResponseObservation"]
    return decode


def _source(messages: list[Message]) -> Iterator[str]:
    holding = _holding_bytes(messages)
    for message in messages:
        if message.name not in holding:
            continue
        yield f"def bytes_{message.name}(m, decode):"
        for field in message.fields:
            if field.kind != "bytes" and field.message not in holding:
                continue
            if field.repeated:
                raise ValueError(f"{message.name}.{field.name}: bytes in lists are not covered")
            yield f'    v = m.get("{field.name}")'
            yield "    if v is not None:"
            if field.kind == "bytes":
                yield f'        m["{field.name}"] = decode(v)'
            else:
                yield f"        bytes_{field.message}(v, decode)"


def _holding_bytes(messages: list[Message]) -> set[str]:
    """Names of the messages that have bytes, themselves or in a message in them."""
    holding = {message.name for message in messages if any(field.kind == "bytes" for field in message.fields)}
    while more := {m.name for m in messages if any(field.message in holding for field in m.fields)} - holding:
        holding |= more
    return holding
