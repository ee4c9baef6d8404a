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
    charts = charts_codecs.size_against_time(shown)
    parts = [f'<div class="beside">{figures(charts[:1])}{_table(shown)}</div>']
    if len(charts) > 1:
        others = ", ".join(LANGUAGES[run.language] for run in shown[1:])
        parts.append(f"<details><summary>The same chart of {others}</summary>{figures(charts[1:])}</details>")
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
    """A row for each codec; where several runtimes were measured, each has its times in columns of its own."""
    whole = [
        {codec.name: codec for codec in run.complete() if not codec.compression or codec.base == "columns"}
        for run in runs
    ]
    names = list(dict.fromkeys(name for codecs in whole for name in codecs))
    head = ["codec", "a frame"]
    for run in runs:
        of = f"{LANGUAGES[run.language]}: " if len(runs) > 1 else ""
        head += [f"{of}ready, ms", "rounds", "of a tick", f"{of}encode, ms"]
    rows = []
    for name in names:
        first = next(codecs[name] for codecs in whole if name in codecs)
        cells = [cell for codecs in whole for cell in _times(codecs.get(name))]
        rows.append([escape(name), size(first.mean_bytes), *cells])
    return table(head, rows)


def _times(codec: Codec | None) -> list[str]:
    ready = codec.ready() if codec else None
    if codec is None or ready is None:
        return ["–"] * 4
    encode = codec.times.get("encode")
    return [
        f"<b>{milliseconds(ready.trimmed_mean)}</b>",
        spread(ready.rounds, 1e-6),
        share(ready.trimmed_mean / TICK_NS),
        milliseconds(encode.trimmed_mean if encode else None),
    ]
