"""End to end: medians of the rounds, and their spread."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from html import escape
from typing import Any

import end_to_end

from report.svg import Canvas, figures, log_axis
from report.text import kilobytes, note, number, share, table, tick

PARTS = dict(
    zip(
        end_to_end.PARTS,
        (
            "source → published",
            "published → encoded",
            "encoded → received",
            "received → decoded",
            "decoded → every field read",
        ),
        strict=True,
    )
)
_WIDTH = 560.0
_ROW = 18


@dataclass(frozen=True)
class Case:
    """One case with its rounds."""

    transport: str
    rate: float | str
    agents: int
    rounds: tuple[dict[str, Any], ...]

    @property
    def error(self) -> str | None:
        """Why it was not measured."""
        return (
            None
            if self.good
            else next((str(each["error"]) for each in self.rounds if each.get("error")), "not measured")
        )

    @property
    def good(self) -> list[dict[str, Any]]:
        """The rounds that were measured."""
        return [each for each in self.rounds if not each.get("error")]

    @property
    def holds(self) -> bool:
        """Whether the machine sufficed in most rounds: one late frame of a short round is more than it may drop."""
        return 2 * sum(each["holds"] for each in self.rounds) > len(self.rounds)

    def values(self, *path: str) -> list[float]:
        """A figure of each round."""
        found = []
        for value in self.good:
            each: Any = value
            for key in path:
                each = None if each is None else each.get(key)
            if each is not None:
                found.append(float(each))
        return found

    def median(self, *path: str) -> float | None:
        """The median of a figure's rounds."""
        values = self.values(*path)
        return statistics.median(values) if values else None


def read(value: dict[str, Any] | None) -> list[Case]:
    """The cases of an end-to-end file."""
    rounds: dict[tuple[str, Any, int], list[dict[str, Any]]] = {}
    for each in (value or {}).get("rounds", []):
        case = each["case"]
        rounds.setdefault((case["transport"], case["rate"], case["agents"]), []).append(each)
    return [Case(*key, tuple(found)) for key, found in rounds.items()]


def section(value: dict[str, Any] | None) -> str:
    """Chart and table at the game's rate, and everything else folded."""
    cases = read(value)
    if not cases or value is None:
        return note("The end-to-end measurement was not run.")
    paced = [case for case in cases if case.rate != "unlimited"]
    notes = "".join(note(each) for each in value.get("notes", []))
    done = "" if value.get("complete") else '<p class="warn">This run is not complete.</p>'
    return (
        done
        + note(_intro(value))
        + f"{_table(paced)}{figures(_charts(paced))}"
        + f"<details><summary>Where the time goes, CPU, allocations, full speed, and what is measured</summary>"
        f"{notes}{_parts(paced)}{_costs(paced)}{_full_speed(cases)}</details>"
    )


def _intro(value: dict[str, Any]) -> str:
    options, machine = value["options"], value["machine"]
    frames = " and ".join(f"{each:,}" for each in options["frames"])
    rounds = f"{options['rounds']} {'round' if options['rounds'] == 1 else 'rounds'}"
    return (
        f"Recording {options['recording']}, 22.4 Hz, {rounds}, {frames} frames a case (one reader; more), load "
        f"{machine.get('load', ['?'])[0]} at the start, commit {machine['commit']}. Medians of the rounds. Where most "
        "rounds dropped more than a thousandth of their frames, or had no processor left, that is told instead."
    )


def _charts(cases: list[Case]) -> list[Canvas]:
    ones = [case for case in cases if case.agents == 1 and case.good]
    if not ones:
        return []
    height = 30.0 + _ROW * len(ones) + 44
    canvas = Canvas(_WIDTH, height, "Published → received in Python, one reader: p50 to p99, ms")
    ends = [(case.median("received_us", name) or 1) / 1e3 for case in ones for name in ("p50", "p99")]
    x = log_axis(ends, 258, _WIDTH - 20, tick, 1.4)
    for value, label in x.ticks:
        canvas.line(x.at(value), 4, x.at(value), height - 40, "grid")
        canvas.text(x.at(value), height - 25, label, "tick", "middle")
    for index, case in enumerate(sorted(ones, key=lambda each: each.median("received_us", "p50") or 0)):
        y = 20.0 + _ROW * index
        style = _style(case.transport)
        at = [x.at((case.median("received_us", name) or 0) / 1e3) for name in ("p50", "p90", "p99")]
        canvas.text(210, y + 4, case.transport, "label plain", "end")
        canvas.path([(at[0], y), (at[-1], y)], style, _tip(case))
        for place, radius in zip(at, (6, 4, 4), strict=True):
            canvas.mark(place, y, style.split()[0], _tip(case), radius)
        canvas.text(at[0] - 10, y + 4, number((case.median("received_us", "p50") or 0) / 1e3), "tick", "end")
    return [canvas]


def _style(transport: str) -> str:
    if transport in end_to_end.BASELINES:
        return "f-other"
    return "f-columns" if "columns" in transport else "f-json" if "JSON" in transport else "f-protobuf"


def _tip(case: Case) -> str:
    parts = [f"{name} {number((case.median('received_us', key) or 0) / 1e3)}" for key, name in _NAMES.items()]
    return f"{case.transport}: {', '.join(parts)} ms"


#: Rounds have some hundred frames, too few for rarer ones.
_NAMES = {"p50": "p50", "p90": "p90", "p99": "p99"}


def _table(cases: list[Case]) -> str:
    head = ["published → received, ms", "KB", "1 reader: p50", "p99", "10: p50", "p99", "100: p50", "p99"]
    rows = []
    for transport in sorted({case.transport for case in cases}, key=lambda name: (name in end_to_end.BASELINES, name)):
        here = {case.agents: case for case in cases if case.transport == transport}
        size = next((case.median("bytes") for case in here.values() if case.good), None)
        cells = [cell for agents in (1, 10, 100) for cell in _two(here, agents)]
        rows.append([escape(transport), kilobytes(size), *cells])
    return table(head, rows)


def _two(here: dict[int, Case], agents: int) -> tuple[str, str]:
    case = here.get(agents)
    if case is None:
        return "", ""
    if not case.good:
        return f'<span class="warn">{escape(case.error or "")}</span>', ""
    if not case.holds:
        fewer = max((count for count, each in here.items() if count < agents and each.holds), default=0)
        cpu, dropped = max(case.values("machine_cpu")), max(case.values("dropped"))
        why = f"CPU {share(cpu)}" if cpu > end_to_end.MOST_CPU else f"{share(dropped)} dropped"
        return f'<span class="warn">{why}</span>', f"{fewer} readers held"
    return _spread(case, "received_us", "p50"), _spread(case, "received_us", "p99")


def _spread(case: Case, *path: str) -> str:
    values = case.values(*path)
    if not values:
        return "–"
    text = f"<b>{number(statistics.median(values) / 1e3)}</b>"
    return text if len(values) < 2 else f"{text} <small>{number(min(values) / 1e3)}–{number(max(values) / 1e3)}</small>"


def _parts(cases: list[Case]) -> str:
    head = ["one reader, p50, ms", *PARTS.values(), "whole way", "p99"]
    rows = []
    for case in (each for each in cases if each.agents == 1 and each.values("total_us", "p50")):
        parts = [_milli(case.median("split_us", part, "p50")) for part in PARTS]
        whole = [_spread(case, "total_us", "p50"), _milli(case.median("total_us", "p99"))]
        rows.append([escape(case.transport), *parts, *whole])
    return table(head, rows, "The way of a frame to an agent that reads every field") if rows else ""


def _costs(cases: list[Case]) -> str:
    head = [
        "transport, readers",
        "dropped",
        "p99, ms",
        "server, µs a frame and reader",
        "reader, µs",
        "CPU of the machine",
    ]
    head.append("allocated by the daemon, B a frame")
    rows = []
    for case in sorted(cases, key=lambda each: (each.transport, each.agents)):
        if not case.good:
            rows.append([escape(f"{case.transport}, {case.agents}"), escape(case.error or ""), *[""] * 5])
            continue
        allocated = case.median("allocated_bytes")
        rows.append(
            [
                escape(f"{case.transport}, {case.agents}"),
                share(case.median("dropped") or 0),
                _spread(case, "received_us", "p99"),
                number(case.median("server_cpu_us") or 0),
                number(case.median("agent_cpu_us") or 0),
                share(case.median("machine_cpu") or 0),
                "–" if allocated is None else number(allocated),
            ]
        )
    return table(head, rows, "Cost at 22.4 Hz")


def _full_speed(cases: list[Case]) -> str:
    rows = []
    for case in (each for each in cases if each.rate == "unlimited" and each.good):
        rates = case.values("frames_per_second")
        rows.append(
            [
                escape(case.transport),
                f"<b>{number(statistics.median(rates))}</b>",
                f"{number(min(rates))}–{number(max(rates))}",
                number(case.median("server_cpu_us") or 0),
            ]
        )
    head = ["one agent that reads every field", "frames/s", "rounds", "server, µs a frame"]
    return table(head, rows, "Full speed") if rows else ""


def _milli(us: float | None) -> str:
    return "–" if us is None else number(us / 1e3)
