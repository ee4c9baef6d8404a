"""What a dataset has of each recording."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from abathur._frame import numbers
from abathur._frame.unit_columns import COLUMNS

#: Sampled game loops in one row group of `units`: 17 s of a match at each loop, 2.3 minutes at every eighth.
_GROUP_FRAMES = 384
_MAX_LOOPS = 1_000_000


@dataclass(frozen=True, slots=True)
class Options:
    """What is taken of each recording: the same for all recordings of a dataset.

    Attributes:
        every: Game loops from one sampled frame to the next at least; 1: each frame.
        columns: Columns of `abathur.Units` that the table `units` has, beside `game_loop`, `tag`, and, with
            `unit_type`, `name`. Default: all.
        fields: Paths in `SC2APIProtocol.ResponseObservation` whose numbers the table `players` has. A path of a message
            stands for all numbers in it. Default: resources, supply and score.
        group_loops: Game loops in one row group of `units`: the least that is read. 0: 384 sampled frames.
    """

    every: int = 1
    columns: tuple[str, ...] = tuple(COLUMNS)
    fields: tuple[str, ...] = numbers.DEFAULT
    group_loops: int = 0

    def __post_init__(self) -> None:
        """Complete and check.

        Raises:
            ValueError: a number is too small or too large, or there is no such column or field.
        """
        if not 1 <= self.every <= _MAX_LOOPS:
            raise ValueError(f"every is {self.every}; it must be 1 to {_MAX_LOOPS} game loops")
        unknown = [name for name in self.columns if name not in COLUMNS]
        if unknown:
            raise ValueError(f"units have no column {unknown[0]!r}; there are {', '.join(COLUMNS)}")
        chosen = {"tag", *self.columns}
        # In one order, so that the same columns are the same dataset.
        object.__setattr__(self, "columns", tuple(name for name in COLUMNS if name in chosen))
        numbers.numbers(self.fields)
        group = self.group_loops or _GROUP_FRAMES * self.every
        if not self.every <= group <= _GROUP_FRAMES * _MAX_LOOPS:
            raise ValueError(f"group_loops is {group}; it must be at least the {self.every} loops of a sample")
        object.__setattr__(self, "group_loops", group)

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {**asdict(self), "columns": list(self.columns), "fields": list(self.fields)}

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Options:
        """From the values of `to_json`."""
        return cls(values["every"], tuple(values["columns"]), tuple(values["fields"]), values["group_loops"])


def names(text: str | Iterable[str]) -> tuple[str, ...]:
    """Names of a comma-separated list, or of a list, without repetitions."""
    parts = text.split(",") if isinstance(text, str) else text
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
