"""The units of two frames, compared: which are new, gone, or changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from abathur._events.structures import STRUCTURES
from abathur._frame.columns_source import ColumnsUnits
from abathur._frame.unit_view import UnitView
from abathur._frame.units import Units
from abathur.columns import Columns
from abathur.columns._floats import floats
from abathur.columns._schema import KINDS, TAG, UNITS

#: The classes in which BotAI follows units. The tag of a unit that changes its class is new in that class.
HIDDEN: Final = -1  #: neither a unit nor a structure of any kind: sensor blips, and effects that look like units
OTHER: Final = 0  #: neutral and allied units, and placeholders
OWN_UNIT: Final = 1
OWN_STRUCTURE: Final = 2
ENEMY_UNIT: Final = 3
ENEMY_STRUCTURE: Final = 4

_STRUCTURES = frozenset(STRUCTURES)
#: KD8Charge, ParasiticBombDummy, ForceField.
_EFFECTS = frozenset((830, 824, 135))
_PLACEHOLDER = 4
_FIRST_CLASS = {1: OWN_UNIT, 4: ENEMY_UNIT}

_PROGRESS, _HEALTH, _SHIELD = (UNITS.fields.index(each) for each in ("build_progress", "health", "shield"))
_DISPLAY, _ALLIANCE, _TYPE, _BLIP = (
    UNITS.fields.index(each) for each in ("display_type", "alliance", "unit_type", "is_blip")
)
_COMPLETE = 4096
#: Of `kinds`: whether build_progress, health or shield is not on the grid.
_OFF_GRID: NDArray[np.int64] = np.array(0b111111 << 2 * _PROGRESS)


class Row(NamedTuple):
    """What events need of a unit."""

    place: int
    tag: int
    kind: int
    unit_type: int
    health: float
    shield: float
    progress: float


class Snapshot(Protocol):
    """The units of a frame, as they are compared. Rows are in the order of the observation."""

    @property
    def units(self) -> Units:
        """The units."""

    def rows(self, which: NDArray[np.intp] | None = None) -> list[Row]:
        """Some rows, or all that are units."""

    def having(self, tag: int) -> list[Row]:
        """The rows with a tag."""

    def view(self, row: Row) -> UnitView:
        """A unit for the user."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What is different.

    Attributes:
        now: The rows to look at, in their order, with the row of the same unit in the previous frame, or None if its
            class has no such tag there. Rows that are not here have no event.
        left: Rows of the previous frame whose class does not have their tag any more.
    """

    now: list[tuple[Row, Row | None]]
    left: list[Row]


class ColumnsSnapshot:
    """Of a frame in encoding `columns`."""

    def __init__(self, columns: Columns) -> None:
        """The observation, which is kept."""
        self._cells = columns.units.cells
        self._columns = columns

    @cached_property
    def units(self) -> Units:
        """See `Snapshot`."""
        return Units(ColumnsUnits(self._columns))

    def rows(self, which: NDArray[np.intp] | None = None) -> list[Row]:
        """See `Snapshot`."""
        if which is None:
            (which,) = self._columns.used.nonzero()
        cells = self._cells.take(which, axis=1)
        values = floats(UNITS, cells, _PROGRESS, _SHIELD + 1)
        return _rows(
            which,
            cells[TAG].view(np.uint64),
            *(cells[each] for each in (_TYPE, _ALLIANCE, _DISPLAY, _BLIP)),
            *(values[each - _PROGRESS] for each in (_HEALTH, _SHIELD, _PROGRESS)),
        )

    def having(self, tag: int) -> list[Row]:
        """See `Snapshot`."""
        return self.rows(((self._cells[TAG].view(np.uint64) == tag) & self._columns.used).nonzero()[0])

    def view(self, row: Row) -> UnitView:
        """See `Snapshot`."""
        # Free rows are not units.
        return UnitView(self.units, int(np.count_nonzero(self._columns.used[: row.place])))

    @cached_property
    def is_unique(self) -> bool:
        """Whether no two units have the same tag."""
        return _is_unique(self._cells[TAG][self._columns.used])

    def since(self, before: ColumnsSnapshot) -> Difference:
        """The difference to the previous frame.

        A unit keeps its row as long as it is in every frame, so that most of the work is a comparison of columns.
        """
        old, new = before._cells, self._cells
        width, old_width = new.shape[1], old.shape[1]
        if width != old_width:
            both = min(width, old_width)
            old, new = old[:, :both], new[:, :both]
        moved = old[TAG] != new[TAG]
        if width != old_width or moved.any() or self._columns.used is not before._columns.used:
            moved |= self._columns.used[: len(moved)] != before._columns.used[: len(moved)]
        else:
            # The same tags: not counted again.
            self.__dict__["is_unique"] = before.is_unique
        if not (self.is_unique and before.is_unique):
            return _difference_of_all(self.rows(), before.rows())
        changed = _changes(old, new)
        changed |= moved
        (rows,) = changed.nonzero()
        if width == old_width and not len(rows):
            return Difference([], [])
        ahead = rows if width <= old_width else np.concatenate((rows, np.arange(old_width, width)))
        behind = rows if width >= old_width else np.concatenate((rows, np.arange(width, old_width)))
        return _difference(
            self.rows(ahead[self._columns.used[ahead]]), before.rows(behind[before._columns.used[behind]])
        )


def _changes(old: NDArray[np.int64], new: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which rows may have events, if they have the same unit before and after."""
    # Most of what changes is regeneration and construction, which have no events.
    changed: NDArray[np.bool_] = new[_HEALTH] < old[_HEALTH]
    changed |= new[_SHIELD] < old[_SHIELD]
    progress = new[_PROGRESS] != old[_PROGRESS]
    progress &= new[_PROGRESS] >= _COMPLETE
    changed |= progress
    for column in (_DISPLAY, _ALLIANCE, _TYPE, _BLIP):
        changed |= new[column] != old[column]
    # Numbers off the grid have no order here.
    kinds = old[KINDS] | new[KINDS]
    kinds &= _OFF_GRID
    changed |= kinds.astype(np.bool_)
    return changed


class UnitsSnapshot:
    """Of a frame in any other encoding."""

    def __init__(self, units: Units) -> None:
        """The units, which are kept."""
        self.units = units

    def rows(self, which: NDArray[np.intp] | None = None) -> list[Row]:
        """See `Snapshot`."""
        if which is None:
            which = np.arange(len(self.units))
        names = ("tag", "unit_type", "alliance", "display_type", "is_blip", "health", "shield", "build_progress")
        return _rows(which, *(getattr(self.units, name)[which] for name in names))

    def having(self, tag: int) -> list[Row]:
        """See `Snapshot`."""
        return self.rows(np.flatnonzero(self.units.tag == tag))

    def view(self, row: Row) -> UnitView:
        """See `Snapshot`."""
        return UnitView(self.units, row.place)

    @cached_property
    def _by_tag(self) -> NDArray[np.intp]:
        """The rows in the order of their tags."""
        return self.units.tag.argsort(kind="stable")

    @cached_property
    def is_unique(self) -> bool:
        """Whether no two units have the same tag."""
        tags = self.units.tag[self._by_tag]
        return not bool((tags[1:] == tags[:-1]).any())

    def since(self, before: UnitsSnapshot) -> Difference:
        """The difference to the previous frame."""
        new, old = self.units, before.units
        is_same = np.array_equal(new.tag, old.tag)
        if is_same:
            self.__dict__["_by_tag"], self.__dict__["is_unique"] = before._by_tag, before.is_unique
        if not (self.is_unique and before.is_unique):
            return _difference_of_all(self.rows(), before.rows())
        if not len(old) or not len(new):
            return _difference(self.rows(), before.rows())
        if is_same:
            (rows,) = _changed_units(new, old, slice(None)).nonzero()
            return _difference(self.rows(rows), before.rows(rows)) if len(rows) else Difference([], [])
        rows = before._by_tag
        place = rows[np.minimum(old.tag.searchsorted(new.tag, sorter=rows), len(rows) - 1)]
        stays = old.tag[place] == new.tag
        changed = _changed_units(new, old, place)
        changed |= ~stays
        gone = np.ones(len(old), np.bool_)
        gone[place[stays & ~changed]] = False
        return _difference(self.rows(np.flatnonzero(changed)), before.rows(np.flatnonzero(gone)))


def _changed_units(new: Units, old: Units, place: Any) -> NDArray[np.bool_]:
    """Which units may have events, compared with those at the same places of `old[place]`."""
    changed: NDArray[np.bool_] = (new.build_progress == 1) & (old.build_progress[place] < 1)
    changed |= new.health < old.health[place]
    changed |= new.shield < old.shield[place]
    for name in ("unit_type", "alliance", "display_type", "is_blip"):
        changed |= getattr(new, name) != getattr(old, name)[place]
    return changed


def _difference(now: list[Row], before: list[Row]) -> Difference:
    """Of some rows without those that are equal, where no two units have the same tag."""
    old = {row.tag: row for row in before}
    pairs: list[tuple[Row, Row | None]] = []
    for row in now:
        last = old.get(row.tag)
        if last is None or last.kind != row.kind:
            pairs.append((row, None))
        else:
            pairs.append((row, last))
            del old[row.tag]
    return Difference(pairs, list(old.values()))


def _difference_of_all(now: list[Row], before: list[Row]) -> Difference:
    """Of all rows, where several units may have the same tag: BotAI compares with the last of them."""
    old = {(row.kind, row.tag): row for row in before}
    kept = {(row.kind, row.tag) for row in now}
    return Difference(
        [(row, old.get((row.kind, row.tag))) for row in now], [row for key, row in old.items() if key not in kept]
    )


def _rows(
    index: NDArray[np.intp],
    tag: NDArray[np.uint64],
    unit_type: Sequence[int] | NDArray[np.integer],
    alliance: Sequence[int] | NDArray[np.integer],
    display_type: Sequence[int] | NDArray[np.integer],
    is_blip: Sequence[int] | NDArray[np.integer] | NDArray[np.bool_],
    *values: NDArray[np.float32],
) -> list[Row]:
    kinds = map(_class, *(np.asarray(each).tolist() for each in (unit_type, alliance, display_type, is_blip)))
    numbers = (each.tolist() for each in values)
    return list(map(Row, index.tolist(), tag.tolist(), kinds, np.asarray(unit_type).tolist(), *numbers))


def _class(unit_type: int, alliance: int, display_type: int, is_blip: int) -> int:
    if is_blip or unit_type in _EFFECTS:
        return HIDDEN
    first = OTHER if display_type == _PLACEHOLDER else _FIRST_CLASS.get(alliance, OTHER)
    return first + (unit_type in _STRUCTURES) if first else OTHER


def _is_unique(tags: NDArray[np.int64]) -> bool:
    ordered = np.sort(tags)
    return not bool((ordered[1:] == ordered[:-1]).any())
