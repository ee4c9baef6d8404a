"""Results of other benchmarks that a report runs: their pages' tables, as they are."""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any

from report.text import note, table

#: Program and options by the title of its part; the folder of the results has the program's name. {recording}: the
#: one that all languages read.
PROGRAMS = {
    "the C# client beside Python's": ("client", "{recording}", "--rounds", "3"),
    "the compiled decoder": ("columns", "--quick"),
    "NATS from the daemon": ("relay", "--rounds", "3", "--seconds", "4", "--only", "1 readers"),
    "windows for agents that learn": ("learn", "--quick"),
}
_CODE = re.compile(r"`([^`]+)`")
_STRESSED = re.compile(r"\*{1,2}(\w[^*]*)\*{1,2}")


def section(folder: Path) -> str:
    """The texts and tables of those that were run."""
    parts = []
    for title, (program, *_) in PROGRAMS.items():
        path = folder / program / "README.md"
        if path.exists():
            text = path.read_text(encoding="utf-8")
            parts.append(f"<h3>{escape(title[0].upper() + title[1:])}</h3>{_html(text)}")
    return "".join(parts) or note("No other benchmarks were run.")


def figures(folder: Path) -> dict[str, Any]:
    """Their figures: the name of the program stands before each."""
    found: dict[str, Any] = {}
    for program, *_ in PROGRAMS.values():
        path = folder / program / "figures.json"
        if path.exists():
            own: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            found.update({f"{program}/{name}": value for name, value in own.items()})
    return found


def _html(markdown: str) -> str:
    """Paragraphs and tables of a page; headings but the first are paragraphs."""
    parts = []
    for block in re.split(r"\n\s*\n", markdown.strip()):
        lines = block.strip().split("\n")
        if lines[0].startswith("# "):
            continue
        if lines[0].startswith("|"):
            rows = [[_inline(cell.strip()) for cell in line.strip().strip("|").split("|")] for line in lines]
            # Of what was not asked for there are only the heads.
            parts.append(table(rows[0], rows[2:]) if rows[2:] else "")
        elif not lines[0].startswith(("!", "```")):
            parts.append(f'<p class="note">{_inline(" ".join(lines).lstrip("# "))}</p>')
    return "".join(parts)


def _inline(text: str) -> str:
    return _STRESSED.sub(r"<em>\1</em>", _CODE.sub(r"<code>\1</code>", escape(text)))
