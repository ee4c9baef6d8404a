"""Which decoder runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from abathur.columns import _compiled, _numpy
from abathur.columns._applied import Applied, ListBefore
from abathur.columns._schema import Schema, Wanted
from abathur.columns._table import Table


class TableReader(Protocol):
    """Makes arrays of the columns of a table."""

    def arrays(self, wanted: Wanted) -> dict[str, NDArray[Any]]: ...


class Implementation(Protocol):
    """The functions of `_numpy`, which describes them."""

    NAME: str

    def apply_units(self, payload: bytes, sections: int, last: Applied) -> Applied: ...

    def apply_list(self, payload: bytes, position: int, has_section: bool, before: ListBefore) -> tuple[Table, int]: ...

    def patch(self, payload: bytes, position: int, last: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], int]: ...

    def position_of_rest(self, payload: bytes, position: int, sections: int) -> int: ...

    TableReader: Callable[[Schema, NDArray[np.int64], NDArray[np.intp] | None], TableReader]


functions: Implementation = _compiled if _compiled.IS_HERE else _numpy
