"""Which match of a daemon is meant. Imported for the types of options: nothing large."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias


class HasRun(Protocol):
    """Something of one run: a `Match`, a `MatchEnded`, a `Frame`."""

    @property
    def run_id(self) -> str:
        """Of the run."""


class HasMatch(Protocol):
    """Something about one match: a `MatchSummary`."""

    @property
    def match(self) -> HasRun:
        """The match."""


#: A match: its `run_id`, or an object that has it.
Run: TypeAlias = str | HasRun | HasMatch


def run_id(match: Run) -> str:
    """The `run_id` of a match; empty: none is meant.

    Raises:
        TypeError: it is not a match.
    """
    found: Any = getattr(match, "match", match)
    found = getattr(found, "run_id", found)
    if not isinstance(found, str):
        raise TypeError(f"run_id is a string, or a match that has it, not {match!r}")
    return found
