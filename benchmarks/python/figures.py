"""Figures of a benchmark: one value per round, and what is written about them."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import platform
import statistics
import subprocess
import textwrap
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

#: What every benchmark stands on.
DAEMON_SOURCES = ("Abathur.Sync", "libraries", "protos")


@dataclass
class Figure:
    """One figure: its value in each round. `key` names the question and the case."""

    key: tuple[str | int, ...]
    unit: str
    rounds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """Median of the rounds."""
        return statistics.median(self.rounds)

    def text(self) -> str:
        """The median, and the spread where there was more than one round: ``12.3 (11.9 to 14.0)``."""
        if len(self.rounds) == 1:
            return _number(self.rounds[0])
        return f"{_number(self.median)} ({_number(min(self.rounds))} to {_number(max(self.rounds))})"


class Figures:
    """All figures of a run."""

    def __init__(self) -> None:
        self._figures: dict[tuple[str | int, ...], Figure] = {}

    def add(self, unit: str, value: float, *key: str | int) -> None:
        """One round's value of the figure that `key` names."""
        self._figures.setdefault(key, Figure(key, unit)).rounds.append(value)

    def text(self, *key: str | int) -> str:
        """The figure as a table cell; "-" where it was not measured."""
        return self._figures[key].text() if key in self._figures else "-"

    def find(self, *key: str | int) -> Figure | None:
        """The figure, where it was measured."""
        return self._figures.get(key)

    def ratio(self, above: tuple[str | int, ...], below: tuple[str | int, ...]) -> str:
        """How many times as much one figure is as another, as a table cell."""
        found, of = self.find(*above), self.find(*below)
        return "-" if found is None or of is None else ratio(found, of).text()

    def by_name(self) -> dict[str, dict[str, float]]:
        """What figures.json has, to which README and docs refer: see claims.py."""
        return {
            each["figure"]: {"value": each["median"], "low": each["min"], "high": each["max"]}
            for each in self.to_json()
        }

    def to_json(self) -> list[dict[str, Any]]:
        """Every figure with its rounds."""
        return [
            {
                "figure": "/".join(str(each) for each in figure.key),
                "unit": figure.unit,
                "median": figure.median,
                "min": min(figure.rounds),
                "max": max(figure.rounds),
                "rounds": figure.rounds,
            }
            for figure in self._figures.values()
        ]


def ratio(above: Figure, below: Figure) -> Figure:
    """How many times as much one is as the other, in each round."""
    return Figure((), "", [each / of for each, of in zip(above.rounds, below.rounds, strict=True)])


def paragraph(*lines: str) -> str:
    """Text of a page, wrapped."""
    return textwrap.fill(" ".join(lines), 139, break_on_hyphens=False, break_long_words=False) + "\n"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A markdown table; the first column is text, the others are numbers."""
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def machine() -> dict[str, Any]:
    """What was measured on."""
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "cpu": _cpu_name(),
        "cores": os.cpu_count(),
        "os": platform.platform(),
        "python": platform.python_version(),
        "dotnet": _output("dotnet", "--version"),
        "load": [round(each, 2) for each in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "commit": _output("git", "describe", "--always", "--dirty"),
        **{name: metadata.version(name) for name in ("grpcio", "protobuf")},
    }


def code(*sources: str) -> str:
    """What is measured: a digest of committed files and folders.

    Docs, tests and the report's page do not count: results stay valid when they change.
    """
    trees = _output("git", "rev-parse", *(f"HEAD:{each}" for each in sources))
    return hashlib.sha256(trees.encode()).hexdigest()[:12]


def save(folder: Path, results: dict[str, Any], readme: str) -> None:
    """Write results.json and README.md."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")
    (folder / "README.md").write_text(readme)


def _number(value: float) -> str:
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _cpu_name() -> str:
    cpus = Path("/proc/cpuinfo")
    names = (
        [line.split(":", 1)[1].strip() for line in cpus.read_text().splitlines() if line.startswith("model name")]
        if cpus.exists()
        else []
    )
    return names[0] if names else platform.processor()


def _output(*command: str) -> str:
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
