"""The first screen: which encoding to use on which link, the break-even chart, and three sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from report import charts_links
from report.break_even import fastest
from report.delivery import Way, ways
from report.results import LANGUAGES, Run
from report.svg import figure
from report.text import TICK_NS, link, mbit_per_second, milliseconds, note, number, share, size, table

#: Links of the table: bit/s. Between processes of one machine a frame is copied at some 20 Gbit/s.
LINKS = {"1 Mbit/s": 1e6, "10 Mbit/s": 10e6, "100 Mbit/s": 100e6, "same machine": 20e9}
_HZ = 22.4
#: Times that differ by less are not told apart.
_NEAR = 1.1
_KEY = (
    "In a cell: bytes a frame · at 22.4 Hz; the reader's time until every field is read or all columns are arrays · "
    "share of the 44.6 ms tick, with the daemon's encoding."
)


@dataclass(frozen=True)
class Front:
    """What the first screen is made of.

    Attributes:
        recording: Name of the recording.
        readers: The ways to each language, by its name in results.
    """

    recording: str
    readers: dict[str, list[Way]]

    @staticmethod
    def of(runs: Sequence[Run]) -> Front | None:
        """Of the first recording that was measured in C# and in another language; None without one."""
        for daemon in (run for run in runs if run.language == "csharp"):
            readers = {run.language: ways(daemon, run) for run in runs if run.recording == daemon.recording}
            readers = {name: readers[name] for name in LANGUAGES if readers.get(name)}
            if readers:
                return Front(daemon.recording, readers)
        return None

    def best(self, language: str, bits_per_second: float) -> Way:
        """The smallest of the ways that bring a frame to a reader in the least time, or in at most a tenth more."""
        ways = self.readers[language]
        most = _NEAR * min(way.cost.total(bits_per_second) for way in ways)
        return min((way for way in ways if way.cost.total(bits_per_second) <= most), key=lambda way: way.bytes)

    def way(self, language: str, encoding: str) -> Way | None:
        """One way; None: it was not measured."""
        return next((way for way in self.readers[language] if way.encoding == encoding), None)

    def html(self) -> str:
        """The table, the chart and the sentences."""
        chart = charts_links.break_even(self._charted(), [way.cost for way in self.readers[self._charted_language()]])
        sentences = "".join(f"<li>{each}</li>" for each in self.sentences())
        says = f'<div><ul class="says">{sentences}</ul>{note(_KEY)}</div>'
        return f'{self._table()}<div class="front">{says}{figure(chart)}</div>'

    def sentences(self) -> list[str]:
        """Three sentences, computed."""
        language = self._charted_language()
        name = LANGUAGES[language]
        found = []
        small, protobuf = self.way(language, "columns+zstd-stream"), self.way(language, "protobuf")
        if small and protobuf:
            found.append(
                f"A reader in {name} that needs all units: <b>columns+zstd-stream</b>, {size(small.bytes)} a frame "
                f"where protobuf has {size(protobuf.bytes)} ({number(protobuf.bytes / small.bytes)} times as much), "
                f"and all columns are arrays after {milliseconds(small.ready_ns)} ms; every field of protobuf is read "
                f"after {milliseconds(protobuf.ready_ns)} ms."
            )
        stream = self.way(language, "zstd-stream")
        if stream and protobuf:
            found.append(
                f"A program that wants protobuf messages: <b>zstd-stream</b>, {size(stream.bytes)} a frame "
                f"({number(mbit_per_second(stream.bytes, _HZ))} Mbit/s); it costs {milliseconds(stream.encode_ns)} ms "
                f"in the daemon and {_more(stream.ready_ns - protobuf.ready_ns)} in the reader."
            )
        json = self.way(language, "protojson")
        if json and protobuf:
            found.append(
                f"<b>JSON</b> is for people and for languages without protobuf: {size(json.bytes)} a frame, "
                f"{number(json.bytes / protobuf.bytes)} times protobuf, and {milliseconds(json.ready_ns)} ms in {name}."
            )
        return found

    def _charted_language(self) -> str:
        return next(iter(self.readers))

    def _charted(self) -> str:
        return f"Daemon to {LANGUAGES[self._charted_language()]}: {self.recording}"

    def _table(self) -> str:
        head = ["link", *(LANGUAGES[each] for each in self.readers)]
        rows = [
            [escape(name), *(self._cell(self.best(language, speed)) for language in self.readers)]
            for name, speed in LINKS.items()
        ]
        caption = f"From the daemon to a reader: the smallest of what is fastest ({self.recording})"
        return table(head, rows, caption, style="answer")

    def _cell(self, way: Way) -> str:
        ready = way.encode_ns + way.ready_ns
        return (
            f"<b>{escape(way.encoding)}</b><br><small>{size(way.bytes)} · {number(mbit_per_second(way.bytes, _HZ))} "
            f"Mbit/s<br>{milliseconds(way.ready_ns)} ms · {share(ready / TICK_NS)}</small>"
        )


def _more(nanoseconds: float) -> str:
    return f"{milliseconds(nanoseconds)} ms" if nanoseconds > 0 else "nothing that can be measured"


def by_link(language: str, found: Sequence[Way]) -> str:
    """A sentence: which encoding is fastest from which link on."""
    reigns = fastest([way.cost for way in found])
    parts = [f"{escape(reigns[0].name)} up to {link(reigns[0].end)}"] if len(reigns) > 1 else []
    parts += [f"{escape(each.name)} above {link(each.start)}" for each in reigns[1:]]
    only = f"{escape(reigns[0].name)} on every link looked at" if reigns else ""
    return f"Daemon to {LANGUAGES[language]}, least time for a frame: {', then '.join(parts) or only}."
