"""Shapes to draw over the map: ``await game.draw([drawing.circle((60, 40), 8, color="#e69f00")])``.

Each function returns one `sync_pb2.Shape`. Positions are (x, y) or (x, y, z) in map cells, y upwards: a tuple, a row of
``units.pos``, a point of python-sc2, or a unit. Without z the shape is on the ground. A color is ``"#rrggbb"``,
0xRRGGBB or (255, 0, 0). A shape stays for `lifetime` game loops, or with 0 until the same layer is drawn again.

All raise TypeError for what is not a position, and ValueError for a position of other than two or three finite
coordinates, or an invalid color; the error has the value.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias

from abathur._values import arguments
from abathur.sync.v1 import sync_pb2

__all__ = ["Color", "Place", "circle", "line", "point", "request", "text"]

#: (x, y) or (x, y, z) in map cells, or a unit.
Place: TypeAlias = arguments.Place
#: ``"#rrggbb"``, 0xRRGGBB or (red, green, blue) from 0 to 255.
Color = str | int | tuple[int, int, int]
_WHITE = 0xFFFFFF
_COLORS = 'a color is "#rrggbb", 0xRRGGBB or (red, green, blue)'
_MAX_LIFETIME: Final = 2**32 - 1


def point(at: Place, *, color: Color = _WHITE, lifetime: int = 0) -> sync_pb2.Shape:
    """Mark a position."""
    return _shape(sync_pb2.Shape(point=sync_pb2.Shape.Point(at=_position(at))), color, lifetime)


def circle(at: Place, radius: float, *, color: Color = _WHITE, lifetime: int = 0) -> sync_pb2.Shape:
    """Draw a circle (in the game a sphere), radius in cells."""
    if not isinstance(radius, Real) or isinstance(radius, bool):
        raise TypeError(f"a radius is a number of map cells, not {arguments.shown(radius)}")
    if not (isfinite(radius) and radius >= 0):
        raise ValueError(f"a radius is a finite number from 0, not {radius}")
    return _shape(sync_pb2.Shape(circle=sync_pb2.Shape.Circle(at=_position(at), radius=radius)), color, lifetime)


def line(start: Place, end: Place, *, color: Color = _WHITE, lifetime: int = 0) -> sync_pb2.Shape:
    """Draw a line."""
    shape = sync_pb2.Shape()
    # `from` is a keyword of Python.
    getattr(shape.line, "from").CopyFrom(_position(start))
    shape.line.to.CopyFrom(_position(end))
    return _shape(shape, color, lifetime)


def text(at: Place, words: str, *, color: Color = _WHITE, lifetime: int = 0) -> sync_pb2.Shape:
    """Write a text of at most 200 characters."""
    position = _position(at)
    if not isinstance(words, str):
        raise TypeError(f"words are a text, not {arguments.shown(words)}: write str(words)")
    return _shape(sync_pb2.Shape(text=sync_pb2.Shape.Text(at=position, text=words)), color, lifetime)


def request(shapes: Iterable[sync_pb2.Shape], layer: str, game_loop: int) -> sync_pb2.DrawRequest:
    """The request; `game_loop` 0: lifetimes count from the newest frame."""
    message = sync_pb2.DrawRequest(layer=layer, shapes=shapes)
    if game_loop:
        message.game_loop = game_loop
    return message


def _shape(shape: sync_pb2.Shape, color: Color, lifetime: int) -> sync_pb2.Shape:
    if not arguments.is_integer(lifetime):
        raise TypeError(f"lifetime is a number of game loops (22 are about a second), not {arguments.shown(lifetime)}")
    if not 0 <= lifetime <= _MAX_LIFETIME:
        raise ValueError(f"lifetime is a number of game loops from 0, not {lifetime}")
    shape.color = _rgb(color)
    shape.lifetime_game_loops = lifetime
    return shape


def _position(place: Place) -> sync_pb2.Shape.Position:
    return sync_pb2.Shape.Position(**dict(zip("xyz", arguments.point(place), strict=False)))


def _rgb(color: Color) -> int:
    if isinstance(color, str):
        digits = color.removeprefix("#")
        if len(digits) != 6 or not all(digit in "0123456789abcdefABCDEF" for digit in digits):
            raise ValueError(f"{_COLORS}, not {color!r}")
        return int(digits, 16)
    parts = color if isinstance(color, tuple | list) else ()
    if len(parts) == 3 and all(arguments.is_integer(part) and 0 <= part <= 255 for part in parts):
        return int.from_bytes(bytes(parts))
    if not arguments.is_integer(color) or not 0 <= int(color) <= _WHITE:
        raise ValueError(f"{_COLORS}, not {arguments.shown(color)}")
    return int(color)


#: What to write in place of functions that do not exist.
_EQUIVALENTS: Final = {
    "sphere": "drawing.circle(at, radius)",
    "disc": "drawing.circle(at, radius)",
    "rect": "drawing.line four times",
    "rectangle": "drawing.line four times",
    "box": "drawing.line four times",
    "polygon": "drawing.line for each side",
    "arrow": "drawing.line(start, end)",
    "label": "drawing.text(at, words)",
    "dot": "drawing.point(at)",
    "clear": "await game.draw([])",
}

# Type checkers find misspelled names.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        hint = f": write {_EQUIVALENTS[name]}" if name in _EQUIVALENTS else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
