"""Units as columns: one NumPy array per field instead of one object per unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, SupportsIndex, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import raw_pb2

from abathur._frame import equivalents, filters, geometry, selection, unit_names, unit_view
from abathur._frame.selection import Selection
from abathur._frame.unit_columns import (
    BUFF_COLUMNS,
    COLUMNS,
    ORDER_COLUMNS,
    PASSENGER_COLUMNS,
    RALLY_COLUMNS,
)
from abathur._frame.unit_lists import Buffs, Orders, Passengers, RallyTargets
from abathur._frame.unit_messages import JsonUnits, MessageUnits
from abathur._frame.unit_source import UnitSource
from abathur._frame.unit_view import UnitView
from abathur._values import arguments

if TYPE_CHECKING:
    import pyarrow


class Units:
    """The units of one observation, N of them.

    Each column is an array of shape (N,), created on first use and kept: it stays valid as long as you hold it, and
    later frames do not change it. It is read-only, because the events of the next frame are computed from it:
    ``units.health.copy()`` can be changed. `pos`, `has`, and the columns of a selection (``units[...]``, `where`) are
    copies, which can be changed. A field that a unit does not have has the protocol's default (0, False; for enums
    the first value); `has` distinguishes them. Positions are map cells, facing radians, energy and health points,
    weapon_cooldown game loops, tags the game's 64-bit unit tags. `alliance`, `display_type` and `cloak` are the numbers
    of the protocol's enums (alliance: 1 self, 2 ally, 3 neutral, 4 enemy).

    The order is that of the message; with encoding ``columns`` it is another one, in which a unit keeps its place from
    frame to frame as long as no unit before it disappears.
    """

    tag: NDArray[np.uint64]
    unit_type: NDArray[np.uint32]
    owner: NDArray[np.int32]
    alliance: NDArray[np.int8]
    display_type: NDArray[np.int8]
    cloak: NDArray[np.int8]
    x: NDArray[np.float32]
    y: NDArray[np.float32]
    z: NDArray[np.float32]
    facing: NDArray[np.float32]
    radius: NDArray[np.float32]
    build_progress: NDArray[np.float32]
    detect_range: NDArray[np.float32]
    radar_range: NDArray[np.float32]
    health: NDArray[np.float32]
    health_max: NDArray[np.float32]
    shield: NDArray[np.float32]
    shield_max: NDArray[np.float32]
    energy: NDArray[np.float32]
    energy_max: NDArray[np.float32]
    weapon_cooldown: NDArray[np.float32]
    mineral_contents: NDArray[np.int32]
    vespene_contents: NDArray[np.int32]
    assigned_harvesters: NDArray[np.int32]
    ideal_harvesters: NDArray[np.int32]
    cargo_space_taken: NDArray[np.int32]
    cargo_space_max: NDArray[np.int32]
    attack_upgrade_level: NDArray[np.int32]
    armor_upgrade_level: NDArray[np.int32]
    shield_upgrade_level: NDArray[np.int32]
    engaged_target_tag: NDArray[np.uint64]
    add_on_tag: NDArray[np.uint64]
    is_flying: NDArray[np.bool_]
    is_burrowed: NDArray[np.bool_]
    is_hallucination: NDArray[np.bool_]
    is_on_screen: NDArray[np.bool_]
    is_selected: NDArray[np.bool_]
    is_blip: NDArray[np.bool_]
    is_powered: NDArray[np.bool_]
    is_active: NDArray[np.bool_]
    buff_duration_remain: NDArray[np.int32]
    buff_duration_max: NDArray[np.int32]

    def __init__(self, source: UnitSource) -> None:
        """Units are created by `from_proto`, `from_json`, and by frames."""
        if isinstance(source, Sequence):
            raise TypeError(
                "Units are made by frames: write frame.units.where(tag=units) for some of a frame, "
                "abathur.Units.from_proto(messages) for protobuf units"
            )
        self._source = source

    @classmethod
    def from_proto(cls, units: Sequence[raw_pb2.Unit]) -> Units:
        """Columns over protobuf units, which are kept."""
        return cls(MessageUnits(units))

    @classmethod
    def from_json(cls, units: Sequence[Mapping[str, Any]]) -> Units:
        """Columns over units in ProtoJSON, which are kept."""
        return cls(JsonUnits(units))

    @property
    def name(self) -> unit_names.UnitNames:
        """The names of their types in `UnitTypeId`, such as ``"QUEEN"``: (N,) object. A new array each time.

        ``units.name == "Queen"`` is a mask; letters, spaces and underscores are compared as in `where`.
        """
        return unit_names.names(self.unit_type)

    @property
    def pos(self) -> NDArray[np.float32]:
        """Positions: (N, 3) float32, map cells. A new array each time."""
        positions = np.empty((len(self), 3), np.float32)
        positions[:, 0], positions[:, 1], positions[:, 2] = self.x, self.y, self.z
        return positions

    @cached_property
    def orders(self) -> Orders:
        """The orders of units."""
        return Orders(self._source.nested("orders"), ORDER_COLUMNS, self._is_shared)

    @cached_property
    def buffs(self) -> Buffs:
        """The buffs on units."""
        return Buffs(self._source.nested("buff_ids"), BUFF_COLUMNS, self._is_shared)

    @cached_property
    def passengers(self) -> Passengers:
        """The passengers of units."""
        return Passengers(self._source.nested("passengers"), PASSENGER_COLUMNS, self._is_shared)

    @cached_property
    def rally_targets(self) -> RallyTargets:
        """The rally targets of units."""
        return RallyTargets(self._source.nested("rally_targets"), RALLY_COLUMNS, self._is_shared)

    def has(self, column: str) -> NDArray[np.bool_]:
        """Which units have a field: (N,) bool.

        Raises:
            AttributeError: there is no such column.
        """
        return self._source.present(_path(COLUMNS, column))

    def where(self, chosen: Callable[[UnitView], object] | NDArray[Any] | None = None, /, **values: Any) -> Units:
        """The units whose columns have these values; a list, set or array matches any of its values.

        ``units.where(alliance="self", unit_type=UnitTypeId.QUEEN)``, ``units.where(unit_type=["queen", 105])``.
        `unit_type`, `alliance`, `display_type` and `cloak` take numbers, members of the enumerations of this package
        and of python-sc2, and names in upper or lower case; columns of tags also take units.

        Args:
            chosen: Also a function that is called with each unit, ``units.where(lambda unit: unit.health < 10)``; or a
                mask, (N,) bool, which is faster: ``units[units.health < 10]``.
            values: By column.

        Raises:
            AttributeError: there is no such column.
            TypeError: a value is of a kind that the column does not have.
            ValueError: there is no such name, or the column cannot have such a number.
        """
        mask = np.ones(len(self), np.bool_) if chosen is None else selection.mask(self, chosen)
        for name, value in values.items():
            name = "unit_type" if name == "name" else name
            _path(COLUMNS, name)
            column = getattr(self, name)
            several = filters.wanted(name, column.dtype, value)
            mask &= np.isin(column, several) if len(several) != 1 else column == several[0]
        return self[mask]

    def filter(self, function: Callable[[UnitView], object], /) -> Units:
        """The units for which a function is true; slower than a mask, ``units[units.health < 10]``."""
        return self.where(function)

    def distance_to(self, place: Places) -> NDArray[np.float32]:
        """The distance of each unit to a place, of x and y, in map cells: (N,) float32; to M places (N, M).

        Args:
            place: A point, a unit, or several: `Units`, a list of these, or an array (M, 2) or (M, 3).

        Raises:
            TypeError: something in it has no coordinates.
            ValueError: it has other than two or three coordinates, or they are not finite.
        """
        return geometry.distances(self, place)

    def closest_to(self, place: Places) -> UnitView:
        """The unit that is closest to a place, or to any of several: see `distance_to`.

        Raises:
            ValueError: there are no units, or no places; or it is not a place.
            TypeError: it is not a place.
        """
        distances = geometry.nearest_distances(self, place)
        if not len(distances) or np.isinf(distances).all():
            raise ValueError(f"no unit is closest: there are {len(self)} units, and the place is {place!r}")
        return self[int(distances.argmin())]

    def in_range(self, place: Places, distance: float) -> Units:
        """The units at most this many map cells away from a place, or from any of several: see `distance_to`."""
        return self[geometry.nearest_distances(self, place) <= distance]

    def closer_than(self, distance: float, place: Places) -> Units:
        """The units less than this many map cells away, as in python-sc2."""
        return self[geometry.nearest_distances(self, place) < distance]

    def further_than(self, distance: float, place: Places) -> Units:
        """The units more than this many map cells away, as in python-sc2; from all places, if there are several."""
        return self[geometry.nearest_distances(self, place) > distance]

    def sort_by(
        self, key: str | NDArray[Any] | Sequence[Any] | Callable[[UnitView], Any], *, reverse: bool = False
    ) -> Units:
        """The units in the order of a key. Units with equal keys stay in their order.

        Args:
            key: The name of a column, a value for each unit, (N,), or a function that is called with each unit.
            reverse: Whether the greatest comes first.

        Raises:
            AttributeError: there is no such column.
            ValueError: there are more or fewer values than units.
        """
        return self[selection.order(self, key, reverse)]

    @property
    def center(self) -> tuple[float, float]:
        """The mean of the coordinates x and y, in map cells. Raises ValueError if there are no units."""
        if not len(self):
            raise ValueError("no units have no center: ask `if len(units)` before")
        return float(self.x.mean()), float(self.y.mean())

    def to_arrow(self) -> pyarrow.Table:
        """All columns as a `pyarrow.Table`, then ``name``, a dictionary column. Numbers are not copied.

        Raises:
            ImportError: pyarrow is not installed.
        """
        import pyarrow as pa

        numbers, codes = np.unique(self.unit_type, return_inverse=True)
        names = pa.array(unit_names.names(numbers).tolist(), pa.string())
        columns = {name: getattr(self, name) for name in COLUMNS}
        return pa.table({**columns, "name": pa.DictionaryArray.from_arrays(codes.astype(np.int32), names)})

    def to_pandas(self) -> Any:
        """All columns as a `pandas.DataFrame`, then ``name``.

        Raises:
            ImportError: pandas is not installed.
        """
        import pandas as pd  # type: ignore[import-untyped, import-not-found, unused-ignore]

        return pd.DataFrame({name: getattr(self, name) for name in (*COLUMNS, "name")})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The table of `to_arrow` for libraries of Arrow: ``polars.DataFrame(units)``, ``pyarrow.table(units)``.

        Args:
            requested_schema: A capsule with the schema that the reader asks for; None: any.

        Raises:
            ImportError: pyarrow is not installed.
        """
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def by_tag(self, tag: arguments.Unit) -> UnitView:
        """The unit with a tag: ``units.by_tag(tag).health``.

        Args:
            tag: The tag; or a unit that has it, such as one of another frame.

        Raises:
            KeyError: no unit has this tag.
            TypeError, ValueError: it is not a tag.
        """
        tag = arguments.tag(tag)
        found = np.flatnonzero(self.tag == tag)
        if not len(found):
            raise KeyError(f"no unit has tag {tag}")
        return UnitView(self, int(found[0]))

    @overload
    def __getitem__(self, chosen: str) -> NDArray[Any]: ...

    @overload
    def __getitem__(  # type: ignore[overload-overlap]  # An array has `__index__`, for those of one element.
        self, chosen: slice | Sequence[int] | NDArray[Any]
    ) -> Units: ...

    @overload
    def __getitem__(self, chosen: SupportsIndex) -> UnitView: ...

    def __getitem__(self, chosen: Any) -> Any:
        """A unit by its index, a column by its name, or some of the units, selected as in an array.

        ``units[0]`` is a `UnitView`, ``units["health"]`` is ``units.health``. ``units[mask]``, ``units[indices]`` and
        ``units[:5]`` are `Units`, whose columns are copies.

        Raises:
            AttributeError: there is no such column.
            IndexError: an index is out of range, or a mask has another length.
            TypeError: units cannot be selected by it.
        """
        if isinstance(chosen, str):
            if chosen not in ("name", "pos", *_LISTS):
                _path(COLUMNS, chosen)
            return getattr(self, chosen)
        if arguments.is_integer(chosen):
            return UnitView(self, selection.row_number(chosen, len(self)))
        return Units(Selection(self, selection.rows(chosen, len(self))))

    def __contains__(self, unit: object) -> bool:
        """Whether a unit with this tag is among these: a unit, or a tag."""
        try:
            return bool(np.isin(arguments.tag(unit), self.tag))  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return False

    def __add__(self, others: Units) -> Units:
        """These units, then others of the same frame. Raises ValueError if they are of another frame."""
        if not isinstance(others, Units):
            return NotImplemented
        units, rows, other_rows = selection.rows_of_both(self, others, "+")
        return units[np.concatenate((rows, other_rows))]

    def __or__(self, others: Units) -> Units:
        """These units, then those of others of the same frame that are not among these."""
        if not isinstance(others, Units):
            return NotImplemented
        units, rows, other_rows = selection.rows_of_both(self, others, "|")
        return units[np.concatenate((rows, other_rows[~np.isin(other_rows, rows)]))]

    def __and__(self, others: Units) -> Units:
        """The units that are also among others of the same frame."""
        if not isinstance(others, Units):
            return NotImplemented
        units, rows, other_rows = selection.rows_of_both(self, others, "&")
        return units[rows[np.isin(rows, other_rows)]]

    def __sub__(self, others: Units) -> Units:
        """The units that are not among others of the same frame."""
        if not isinstance(others, Units):
            return NotImplemented
        units, rows, other_rows = selection.rows_of_both(self, others, "-")
        return units[rows[~np.isin(rows, other_rows)]]

    def __eq__(self, other: object) -> bool:
        """Not defined for two objects, for which it could mean several things: raises TypeError."""
        if other is self:
            return True
        if isinstance(other, Units):
            raise TypeError(
                "units == units may mean the same tags or the same columns: write "
                "numpy.array_equal(units.tag, others.tag), or units.to_arrow().equals(others.to_arrow())"
            )
        return NotImplemented

    def __hash__(self) -> int:
        """That of the object, because units are not compared."""
        return object.__hash__(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        """Not defined, because columns have different types: raises TypeError."""
        raise TypeError(
            "units are no single array: write units.pos, units.health or numpy.stack((units.x, units.health), axis=1); "
            "all columns are units.to_pandas().to_numpy()"
        )

    def __len__(self) -> int:
        """Number of units."""
        return len(self._source)

    def __iter__(self) -> Iterator[UnitView]:
        """Each unit, as an object with `name`, `position`, and the columns as attributes."""
        return unit_view.views(self)

    def __dir__(self) -> list[str]:
        """The columns too, for prompts."""
        return [*super().__dir__(), *COLUMNS]

    def __repr__(self) -> str:
        """A table of the first units."""
        return unit_view.table(self)

    def _repr_html_(self) -> str:
        """The same for notebooks."""
        return unit_view.html(self)

    # Type checkers know the columns by their annotations, and find misspelled ones.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NDArray[Any]:
            """Build a column."""
            if name.startswith("_"):
                raise AttributeError(name)
            made = self._source.columns(_path(COLUMNS, name), _DTYPES)
            # Those that are there already are in use.
            own = self.__dict__
            own.update({_NAMES[path]: array for path, array in made.items()} | own)
            return own[name]

        def __setattr__(self, name: str, value: object) -> None:
            """Columns are not replaced, for the reason why their arrays are read-only."""
            if (name in COLUMNS or name in _LISTS) and self._is_shared:
                raise AttributeError(f"{name} of a frame's units cannot be set: keep a changed copy in a variable")
            super().__setattr__(name, value)

    @property
    def _is_shared(self) -> bool:
        """Whether events are computed from the columns; not those of a selection."""
        return not isinstance(self.__dict__.get("_source"), Selection)


def _path(columns: Mapping[str, tuple[str, str]], name: str) -> str:
    if name not in columns:
        hint = equivalents.hint(name, equivalents.UNITS, _PUBLIC) or f"; there are {', '.join(columns)}"
        raise AttributeError(f"units have no column {name!r}{hint}")
    return columns[name][1]


_DTYPES = {path: dtype for dtype, path in COLUMNS.values()}
#: A place: a point in map cells, or a unit; or several places.
Places: TypeAlias = arguments.Place | Sequence[arguments.Place] | Units
_LISTS = ("orders", "buffs", "passengers", "rally_targets")
_NAMES = {path: name for name, (_, path) in COLUMNS.items()}
_PUBLIC = [name for name in (*COLUMNS, *vars(Units)) if not name.startswith("_")]
#: A sequence of units. pandas takes its elements for rows.
Sequence.register(Units)
