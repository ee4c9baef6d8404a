"""The first screen: what to use for each need, latency, the break-even chart, and what the recording is."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from report import charts_links, wire
from report.break_even import fastest
from report.delivery import CHARTED, Way, shown, ways
from report.results import LANGUAGES, Run
from report.svg import figure
from report.text import link, mbit_per_second, milliseconds, number, size, spread, table

_NETWORK, _MACHINE = 10e6, 20e9
_HZ = 22.4
#: Times that differ by less are not told apart.
_NEAR = 1.1


@dataclass(frozen=True)
class Need:
    """What a reader wants, over a link of so many bit/s.

    Attributes:
        encodings: What serves it in a default install, the simplest first.
    """

    name: str
    bits_per_second: float
    encodings: tuple[str, ...]


_ARRAYS = ("columns", "columns+zstd", "columns+zstd-stream")
_MESSAGES = ("protobuf", "protobuf+zstd", "zstd-stream")
NEEDS = (
    Need("arrays of all units, over a network", _NETWORK, _ARRAYS),
    Need("arrays of all units, on the same machine", _MACHINE, _ARRAYS),
    Need("protobuf messages, over a network", _NETWORK, _MESSAGES),
    Need("protobuf messages, on the same machine", _MACHINE, _MESSAGES),
    Need("no library for protobuf or columns", _MACHINE, ("protojson",)),
)


@dataclass(frozen=True)
class Front:
    """What the first screen is made of.

    Attributes:
        recording: Name of the recording.
        frames: How many frames it has.
        readers: The ways to each language, by its name in results.
        wire: The end-to-end measurement.
    """

    recording: str
    frames: int
    readers: dict[str, list[Way]]
    wire: dict[str, Any] | None = None

    @staticmethod
    def of(runs: Sequence[Run], end_to_end: dict[str, Any] | None = None) -> Front | None:
        """Of the first recording that was measured in C# and in another language; None without one."""
        for daemon in (run for run in runs if run.language == "csharp"):
            readers = {run.language: ways(daemon, run) for run in runs if run.recording == daemon.recording}
            readers = {name: readers[name] for name in LANGUAGES if readers.get(name)}
            if readers:
                return Front(daemon.recording, daemon.recording_frames, readers, end_to_end)
        return None

    def best(self, need: Need) -> str | None:
        """The simplest of what brings a frame to the first language in the least time, or in at most a tenth more."""
        found = [way for name in need.encodings if (way := self.way(self._main, name))]
        if not found:
            return None
        most = _NEAR * min(way.cost.total(need.bits_per_second) for way in found)
        return next(way.encoding for way in found if way.cost.total(need.bits_per_second) <= most)

    def way(self, language: str, encoding: str) -> Way | None:
        """One way; None: it was not measured."""
        return next((way for way in self.readers[language] if way.encoding == encoding), None)

    def html(self) -> str:
        """The table, the chart and the sentences."""
        costs = [way.cost for name in CHARTED if (way := self.way(self._main, name))]
        chart = charts_links.break_even(f"Daemon to {LANGUAGES[self._main]}: {self.recording}", costs)
        says = "".join(f"<li>{each}</li>" for each in self.sentences())
        return f'{self._table()}<div class="front"><ul class="says">{says}</ul>{figure(chart)}</div>'

    def sentences(self) -> list[str]:
        """Latency, JSON, and what the recording is."""
        return [each for each in (latency(self.wire), self._json(), self._recording()) if each]

    def _json(self) -> str | None:
        json, protobuf = self.way(self._main, "protojson"), self.way(self._main, "protobuf")
        if not json or not protobuf:
            return None
        name = LANGUAGES[self._main]
        said = f"JSON has {number(json.bytes / protobuf.bytes)} times the bytes of protobuf. "
        times = f"{milliseconds(json.ready_ns)} ms beside {milliseconds(protobuf.ready_ns)} ms"
        if json.ready_ns < protobuf.ready_ns:
            return (
                f"{said}{name} reads every field of it in less time all the same ({times}): one call makes all "
                "objects, while each field of a message is a call of its own. Read units as arrays instead."
            )
        return f"{said}{name} reads every field of it in {times}."

    def _recording(self) -> str:
        what = f"<b>{escape(self.recording)}</b>: {self.frames:,} frames, each game loop"
        if self.recording.endswith("-full"):
            return (
                f"{what} of a whole ladder match that was rebuilt from its replay. Units, orders, resources and deaths "
                "are the replay's; motion between its events is modelled. What that is worth, and other recordings: "
                '<a href="#small">how small is a frame</a>.'
            )
        return f"{what}."

    @property
    def _main(self) -> str:
        return next(iter(self.readers))

    def _table(self) -> str:
        head = ["you need", "use", "a frame", "Mbit/s<br><small>at 22.4 Hz</small>"]
        head.append("encoded, ms<br><small>by the daemon, once for all readers</small>")
        head += [f"{LANGUAGES[each]}, ms" for each in self.readers]
        head[5] += "<br><small>until every field is read, or all arrays are made</small>"
        rows = []
        for need in NEEDS:
            name = self.best(need)
            if name is None:
                continue
            read = [self.way(each, name) for each in self.readers]
            way = next(each for each in read if each)
            rows.append(
                [
                    escape(need.name),
                    f"<b>{escape(shown(name))}</b>",
                    size(way.bytes),
                    number(mbit_per_second(way.bytes, _HZ)),
                    milliseconds(way.encode_ns),
                    *("–" if each is None else milliseconds(each.ready_ns) for each in read),
                ]
            )
        caption = f"Recommended, of what a default install has (network: 10 Mbit/s; recording {self.recording})"
        return table(head, rows, caption, style="answer")


def latency(end_to_end: dict[str, Any] | None) -> str | None:
    """A sentence: from the daemon to one agent on the same machine, beside bare TCP."""
    cases = {case.transport: case for case in wire.read(end_to_end) if case.agents == 1 and case.rate != "unlimited"}
    found = {name: case for name, case in cases.items() if name in ("socket", "WebSocket", "gRPC", "TCP") and case.good}
    if end_to_end is None or "TCP" not in found or len(found) < 2:
        return None
    floor = found.pop("TCP").values("received_us", "p50")
    parts = [
        f"<b>{name}</b> {_range(case.values('received_us', 'p50'))} ms{_compared(case, floor)}"
        for name, case in sorted(found.items(), key=lambda each: each[1].median("received_us", "p50") or 0)
    ]
    kilobytes = next(iter(found.values())).median("bytes") or 0
    rounds = end_to_end["options"]["rounds"]
    return (
        f"Latency from the daemon to an agent on the same machine, frames of {size(kilobytes)} at 22.4 Hz (median; "
        f"least to most of {rounds} rounds): {', '.join(parts)}; bare TCP {_range(floor)} ms."
    )


def _compared(case: wire.Case, floor: Sequence[float]) -> str:
    values = case.values("received_us", "p50")
    return " (as fast as bare TCP)" if min(values) <= max(floor) and min(floor) <= max(values) else ""


def _range(microseconds: Sequence[float]) -> str:
    values = [each / 1e3 for each in microseconds]
    return f"{number(statistics.median(values))} ({spread(values)})"


def by_link(language: str, found: Sequence[Way]) -> str:
    """A sentence: which encoding is fastest from which link on."""
    reigns = fastest([way.cost for way in found])
    parts = [f"{escape(reigns[0].name)} up to {link(reigns[0].end)}"] if len(reigns) > 1 else []
    parts += [f"{escape(each.name)} above {link(each.start)}" for each in reigns[1:]]
    only = f"{escape(reigns[0].name)} on every link looked at" if reigns else ""
    return f"Daemon to {LANGUAGES[language]}, least time for a frame: {', then '.join(parts) or only}."
