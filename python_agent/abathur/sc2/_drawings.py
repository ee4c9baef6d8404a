"""Debug drawings of python-sc2 as shapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from s2clientprotocol import common_pb2, debug_pb2

from abathur import drawing
from abathur.sync.v1 import sync_pb2

_MAX_SHAPES = 1000
_MAX_TEXT = 200


def shapes(draw: debug_pb2.DebugDraw) -> list[sync_pb2.Shape]:
    """What is drawn over the map, seen from above; at most 1000 shapes. Text at a place of the screen has none."""
    made: list[sync_pb2.Shape] = []
    for text in draw.text:
        if text.HasField("world_pos"):
            made.append(drawing.text(_at(text.world_pos), text.text[:_MAX_TEXT], color=_color(text.color)))
    for line in draw.lines:
        made.append(drawing.line(_at(line.line.p0), _at(line.line.p1), color=_color(line.color)))
    for box in draw.boxes:
        corners = [(box.min.x, box.min.y), (box.max.x, box.min.y), (box.max.x, box.max.y), (box.min.x, box.max.y)]
        made += _lines(corners, _color(box.color))
    for sphere in draw.spheres:
        made.append(drawing.circle(_at(sphere.p), sphere.r, color=_color(sphere.color)))
    return made[:_MAX_SHAPES]


def _lines(corners: list[tuple[float, float]], color: str) -> Iterator[sync_pb2.Shape]:
    ends: Iterable[tuple[float, float]] = corners[1:] + corners[:1]
    return (drawing.line(start, end, color=color) for start, end in zip(corners, ends, strict=True))


def _at(point: common_pb2.Point) -> tuple[float, float]:
    return point.x, point.y


def _color(color: debug_pb2.Color) -> str:
    return f"#{color.r & 255:02x}{color.g & 255:02x}{color.b & 255:02x}"
