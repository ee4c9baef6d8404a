"""One row of columns, as an object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, NoReturn


class _Column:
    """A column of a view: the value in its row, as Python's bool, int or float."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, view: RowView | None, kind: type | None = None) -> Any:
        return self if view is None else getattr(view._table, self._name)[view._row].item()

    def __set__(self, view: RowView, value: object) -> NoReturn:
        raise AttributeError(f"{self._name} cannot be set: what an observation says about a unit is read-only")


class RowView:
    """A row of a table of columns. The annotations of a derived class are its columns."""

    __slots__ = ("_row", "_table")

    #: What a derived class has beside its columns, for prompts.
    _extra: ClassVar[Sequence[str]] = ()

    def __init__(self, table: Any, row: int) -> None:
        """Views are created by the package.

        Args:
            table: Has an array for each column, as an attribute.
            row: The index in the arrays.
        """
        self._table = table
        self._row = row

    def __init_subclass__(cls) -> None:
        """Make the columns, which type checkers know by their annotations."""
        for name in cls.__annotations__:
            setattr(cls, name, _Column(name))

    def __dir__(self) -> Sequence[str]:
        """The columns, for editors and prompts."""
        return (*self._extra, *type(self).__annotations__)

    def __repr__(self) -> str:
        """The columns and their values."""
        values = " ".join(f"{name}={getattr(self, name)}" for name in type(self).__annotations__)
        return f"<{type(self).__name__} {values}>"
