"""How fast in a language: bytes to objects against size, and one table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from report import charts_codecs, front, levels, tables
from report.delivery import ways
from report.results import LANGUAGES, Codec, Run
from report.svg import figures
from report.text import TICK_NS, milliseconds, note, share, size, spread, table

_RUNTIMES = {
    "csharp": ("csharp",),
    "python": ("python",),
    "browser": ("browser", "firefox"),
    "jvm": ("jvm",),
    "go": ("go",),
}


def section(name: str, runs: Sequence[Run]) -> str:
    """A chart and a table of the first recording in a language; every number of all of them is folded away.

    Args:
        name: csharp, python, browser (Chromium and Firefox), jvm or go.
        runs: All match runs.
    """
    here = [run for run in runs if run.language in _RUNTIMES[name]]
    if not here:
        return note(f"{LANGUAGES[name]} was not measured.")
    shown = [run for run in here if run.recording == here[0].recording]
    parts = [f'<div class="beside">{figures(charts_codecs.size_against_time(shown))}{_table(shown)}</div>']
    daemon = next((run for run in runs if run.language == "csharp" and run.recording == shown[0].recording), None)
    if daemon:
        parts += [note(front.by_link(run.language, found)) for run in shown if (found := ways(daemon, run))]
    parts.append(levels.table_of(here))
    folded = "".join(
        f"<h3>{escape(run.title)}</h3>{tables.match_run(run)}{tables.browser_end_to_end(run)}" for run in here
    )
    parts.append(f"<details><summary>Every number, and how each codec is used</summary>{folded}</details>")
    return "".join(parts)


def _table(runs: Sequence[Run]) -> str:
    head = ["codec", "a frame", "ready, ms", "rounds", "of a tick", "encode, ms"]
    rows = []
    for run in runs:
        suffix = f" ({LANGUAGES[run.language]})" if len(runs) > 1 else ""
        for codec in run.complete():
            if not codec.compression or codec.base == "columns":
                rows.append(_row(codec, suffix))
    return table(head, rows)


def _row(codec: Codec, suffix: str) -> list[str]:
    ready, encode = codec.ready(), codec.times.get("encode")
    assert ready is not None
    return [
        escape(codec.name + suffix),
        size(codec.mean_bytes),
        f"<b>{milliseconds(ready.trimmed_mean)}</b>",
        spread(ready.rounds, 1e-6),
        share(ready.trimmed_mean / TICK_NS),
        milliseconds(encode.trimmed_mean if encode else None),
    ]
