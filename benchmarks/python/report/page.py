"""The page: one HTML file that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from report import http, languages, method, others, posts, sizes, tables, wire
from report.front import Front, latency
from report.results import Run
from report.running import Done
from report.single_operations import SingleOperations
from report.text import note

_SECTIONS = {
    "small": "How small is a frame?",
    "csharp": "How fast in C#?",
    "python": "How fast in Python?",
    "browser": "How fast in a browser?",
    "jvm": "How fast in Java?",
    "go": "How fast in Go?",
    "wire": "How long over the wire?",
    "others": "And beside it?",
    "posts": "And what others published?",
    "method": "How was it measured?",
}


@dataclass
class Content:
    """What the page is made of. `missing`: what was not run, and why."""

    title: str
    command: str
    runs: Sequence[Run]
    posts: Sequence[Run] = ()
    exact_sizes: Sequence[Run] = ()
    end_to_end: dict[str, Any] | None = None
    operations: SingleOperations | None = None
    missing: list[str] = field(default_factory=list)
    interrupted: bool = False
    raw_files: Sequence[str] = ()
    folder: Path | None = None
    parts: Mapping[str, Done] = field(default_factory=dict)


def write(content: Content, path: Path) -> None:
    """Write the page, first beside its place, so that a full disk leaves no half page."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(html(content), encoding="utf-8")
    partial.replace(path)


def html(content: Content) -> str:
    """The whole page."""
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    runs = content.runs
    operations = content.operations.html() if content.operations else note("No single operations were measured.")
    environments = tables.environments(runs) + tables.parts(content.parts)
    bodies = {
        "small": sizes.section(runs, content.exact_sizes),
        "csharp": languages.section("csharp", runs),
        "python": languages.section("python", runs),
        "browser": languages.section("browser", runs) + http.fetched(runs) + http.section(runs, ("browser", "firefox")),
        "jvm": languages.section("jvm", runs) + http.section(runs, ("jvm",)),
        "go": languages.section("go", runs),
        "wire": wire.section(content.end_to_end),
        "others": others.section(content.folder) if content.folder else "",
        "posts": posts.section(content.posts or runs, runs),
        "method": method.section(runs, operations, environments) + _again(content),
    }
    # Without codecs, only the transports were asked for.
    shown = {name: title for name, title in _SECTIONS.items() if runs or name in ("wire", "method")}
    links = "".join(f'<a href="#{name}">{escape(title)}</a> ' for name, title in shown.items())
    sections = "".join(
        f'<section id="{name}"><h2>{escape(title)}</h2>{bodies[name]}</section>' for name, title in shown.items()
    )
    front = Front.of(runs, content.end_to_end)
    first = front.html() if front else f"<p>{latency(content.end_to_end) or ''}</p>"
    return (
        '<!doctype html><!-- Written by benchmarks/python/report. --><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(content.title)}</title><style>{style}</style></head><body><main>"
        f"<h1>{escape(content.title)}</h1>{_lead(content)}{first}<nav>{links}</nav>{sections}</main></body></html>\n"
    )


def _lead(content: Content) -> str:
    # The first run's: while later ones ran, the machine's load was that of the one before.
    measured = [run.environment for run in content.runs] or [(content.end_to_end or {}).get("machine", {})]
    environment = min(measured, key=lambda each: str(each.get("date", "")))
    load = environment.get("load") or []
    facts = (
        environment.get("date"), environment.get("cpu"), f"{environment.get('cores', '?')} cores",
        environment.get("os"), f"load {load[0]:.2f} at the start" if load else None,
        f"commit {str(environment.get('commit', 'unknown'))[:12]}",
    )  # fmt: skip
    parts = [f'<p class="lead">{escape(", ".join(str(each) for each in facts if each))}.</p>']
    if content.interrupted:
        parts.append('<p class="warn">Interrupted: this is what had been measured by then.</p>')
    if content.missing:
        items = "".join(f"<li>{escape(each)}</li>" for each in content.missing)
        parts.append(
            f'<details class="warn"><summary>Not run: {len(content.missing)}</summary><ul>{items}</ul></details>'
        )
    return "".join(parts)


def _again(content: Content) -> str:
    files = "".join(f"<li><code>{escape(each)}</code></li>" for each in content.raw_files)
    raw = f"<details><summary>Raw results</summary><ul>{files}</ul></details>" if files else ""
    return f"<p>Run it again: <code>dotnet make.cs setup</code>, <code>{escape(content.command)}</code></p>{raw}"
