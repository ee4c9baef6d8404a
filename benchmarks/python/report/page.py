"""The page: one HTML file that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from report import charts_codecs, charts_end_to_end, charts_links, findings, published, tables
from report.results import Run
from report.single_operations import SingleOperations
from report.svg import figures

#: Recordings whose charts and tables are open when the page is.
_SHOWN = 2
_SECTIONS = {
    "says": "What these numbers say",
    "size-time": "Size against time",
    "latency": "Latency distribution",
    "bytes": "Bytes over the match",
    "links": "Break-even of link speeds",
    "published": "Published figures beside ours",
    "end-to-end": "End to end",
    "tables": "Every number",
    "operations": "Single operations",
    "environment": "Environment",
    "again": "Run it again",
}


@dataclass
class Content:
    """What the page is made of. `missing`: what was not run, and why."""

    title: str
    command: str
    runs: Sequence[Run]
    end_to_end: dict[str, Any] | None = None
    operations: SingleOperations | None = None
    missing: list[str] = field(default_factory=list)
    interrupted: bool = False
    raw_files: Sequence[str] = ()


def write(content: Content, path: Path) -> None:
    """Write the page, first beside its place, so that a full disk leaves no half page."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(html(content), encoding="utf-8")
    partial.replace(path)


def html(content: Content) -> str:
    """The whole page."""
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    bodies = {
        "says": _says(content),
        "size-time": _size_and_time(content),
        "latency": _latency(content),
        "bytes": _bytes(content),
        "links": _links(content),
        "published": _published(content),
        "end-to-end": _end_to_end(content),
        "tables": _each(content, _tables),
        "operations": content.operations.html()
        if content.operations
        else _absent("No single operations were measured."),
        "environment": tables.environments(content.runs),
        "again": _again(content),
    }
    links = "".join(f'<a href="#{name}">{escape(title)}</a> ' for name, title in _SECTIONS.items())
    sections = "".join(
        f'<section id="{name}"><h2>{escape(title)}</h2>{bodies[name]}</section>' for name, title in _SECTIONS.items()
    )
    return (
        '<!doctype html><!-- Written by benchmarks/python/report. --><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(content.title)}</title><style>{style}</style></head><body><main>"
        f"<h1>{escape(content.title)}</h1>{_lead(content)}<nav>{links}</nav>{sections}</main></body></html>\n"
    )


def _lead(content: Content) -> str:
    environment = content.runs[0].environment if content.runs else {}
    machine = ", ".join(
        str(each)
        for each in (
            environment.get("date"), environment.get("cpu"), f"{environment.get('cores', '?')} cores",
            environment.get("os"),
            f"commit {str(environment.get('commit', 'unknown'))[:12]}",
        )
        if each
    )  # fmt: skip
    parts = [
        f'<p class="lead">{escape(machine)}. Times are of single operations, in ms: mean of the middle half unless '
        "another is named.</p>"
    ]
    if content.interrupted:
        parts.append('<p class="warn">Interrupted: this is what had been measured by then.</p>')
    if content.missing:
        items = "".join(f"<li>{escape(each)}</li>" for each in content.missing)
        parts.append(f'<div class="warn"><p>Not run:</p><ul>{items}</ul></div>')
    return "".join(parts)


def _each(content: Content, make: Callable[[Sequence[Run]], str]) -> str:
    """What is made of the runs of the first two recordings, and of the others, which are folded away."""
    recordings = list(dict.fromkeys(run.recording for run in content.runs))
    first = [run for run in content.runs if run.recording in recordings[:_SHOWN]]
    others = [run for run in content.runs if run.recording in recordings[_SHOWN:]]
    if not others:
        return make(first)
    names = escape(", ".join(recordings[_SHOWN:]))
    return f"{make(first)}<details><summary>Other recordings: {names}</summary>{make(others)}</details>"


def _says(content: Content) -> str:
    thinned = any(len({each.frames for each in run.complete()}) > 1 for run in content.runs)
    note = (
        "A budget gave some codecs fewer frames than others (column n, evenly spaced): sizes and times that "
        "differ by a few "
        "percent may differ by their frames."
    )
    return (_absent(note) if thinned else "") + _found(content)


def _found(content: Content) -> str:
    across = findings.across(content.runs, content.end_to_end)
    return _each(content, findings.findings) + across if content.runs or across else _absent("Nothing was measured.")


def _tables(runs: Sequence[Run]) -> str:
    return "".join(f"<h3>{escape(run.title)}</h3>{tables.match_run(run)}" for run in runs)


def _absent(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>'


def _size_and_time(content: Content) -> str:
    text = (
        "Left is faster, below is smaller. A filled mark is a codec; a hollow one is the same compressed, tied "
        "to it by a line. Time is "
        "encoding, decoding and reading every field. Rows that read or check less than everything are not in it."
    )
    return f'<p class="note">{text}</p>' + _each(content, lambda runs: figures(charts_codecs.size_against_time(runs)))


def _latency(content: Content) -> str:
    text = (
        "How long single decodings take, from the fastest to p99.9: a flat line is a steady codec. Rows that "
        "read less than everything are in the tables only. What decoding "
        "leaves to be done when a "
        "field is read (protobuf in Python) is in the tables' “decode + touch”."
    )
    return f'<p class="note">{text}</p>' + _each(
        content, lambda runs: figures(charts_codecs.latency_distribution(runs))
    )


def _bytes(content: Content) -> str:
    text = "Formats within 3 % of another line are omitted here; the tables have them all."
    return f'<p class="note">{text}</p>' + _each(content, lambda runs: figures(charts_codecs.bytes_over_match(runs)))


def _links(content: Content) -> str:
    text = (
        "Time of a frame = encode + decode + read every field + bytes × 8 / speed of the link, both ends in the "
        "same language, on one core each. "
        "The bar below each chart says who is fastest where. The latency of the link is the same for all and omitted."
    )
    rows = "".join(tables.break_even(run) for run in content.runs)
    details = f"<details><summary>Break-even in numbers</summary>{rows}</details>" if rows else ""
    return f'<p class="note">{text}</p>' + _each(content, lambda runs: figures(charts_links.break_even(runs))) + details


def _published(content: Content) -> str:
    # The post's frames are large ones: the recording named first (elite, where it was measured) stands beside them.
    recording = content.runs[0].recording if content.runs else ""
    runs = [run for run in content.runs if run.recording == recording]
    ours = [row for row in published.beside_ours(runs) if row["ours"]]
    note = f'<p class="note">Ours: {escape(recording)}.</p>' if recording else ""
    return note + figures(charts_links.published(ours)) + published.section(runs)


def _end_to_end(content: Content) -> str:
    if not content.end_to_end:
        return _absent("The end-to-end measurement was not run.") + _browser(content)
    notes = "".join(f"<li>{escape(each)}</li>" for each in content.end_to_end.get("notes", []))
    charts = figures(charts_end_to_end.latency_split(content.end_to_end))
    return f'<ul class="note">{notes}</ul>{charts}{tables.end_to_end(content.end_to_end)}{_browser(content)}'


def _browser(content: Content) -> str:
    found = [run for run in content.runs if run.language == "browser" and run.end_to_end]
    if not found:
        return _absent("A browser's end-to-end figures were not measured.")
    return "".join(f"<h3>{escape(run.title)}, over WebSocket</h3>{tables.browser_end_to_end(run)}" for run in found)


def _again(content: Content) -> str:
    files = "".join(f"<li>{escape(each)}</li>" for each in content.raw_files)
    return (
        f"<p>In a clone of the repository, with the .NET SDK and Python:</p><pre>{escape(content.command)}</pre>"
        "<p><code>dotnet make.cs bench --filter 'protojson*'</code> measures only what matches. How match runs "
        "measure is in "
        f"benchmarks/README.md. Beside this page lie the raw results:</p><ul>{files}</ul>"
    )
