"""The package's modules refer to each other downward only: no circle, not even by a late import or for a type."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import abathur
import pytest

PACKAGE = Path(abathur.__file__).parent
#: The rooms, from the lowest: each refers to itself, to those before it, and to the modules of `SHARED`.
ROOMS = ("_values", "_program", "columns", "_frame", "_events", "_recording", "_transport", "_client")
#: Public modules that rooms use. They hold what users name: errors, events, numbers, shapes.
SHARED = {"errors", "sync", "ids", "events", "drawing"}


def modules() -> dict[str, Path]:
    """All modules but the package's own, which only gives the public names."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    del found["abathur"]
    return found


def references(path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of the package that one imports, wherever it does."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            found |= {name if name in known else node.module for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name in known}


KNOWN = modules()
GRAPH = {name: references(path, KNOWN) - {name} for name, path in KNOWN.items()}


def test_no_module_refers_to_itself_through_others() -> None:
    try:
        TopologicalSorter(GRAPH).prepare()
    except CycleError as error:
        pytest.fail(f"a circle: {' -> '.join(reversed(error.args[1]))}")


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_refers_downward(room: str) -> None:
    below = {*ROOMS[: ROOMS.index(room) + 1], *SHARED}
    upward = {
        f"{name} -> {other}"
        for name, others in GRAPH.items()
        for other in others
        if name.split(".")[1] == room and other.split(".")[1] not in below
    }
    assert not upward


def test_private_modules_are_in_rooms() -> None:
    assert {path.stem for path in PACKAGE.glob("_*.py")} == {"__init__", "__main__"}
    assert {path.name for path in PACKAGE.glob("_*") if path.is_dir()} - {
        "__pycache__",
        "_daemon",
        "_lib",
        "_sample",
    } <= set(ROOMS)
