"""The README of the results of `relay.py`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from figures import Figures, machine, table

_CPU = ("daemons", "NATS", "readers")


def page(
    figures: Figures,
    faults: dict[str, Any],
    cases: Iterable[Any],
    audiences: Iterable[Any],
    saturation: Iterable[Any],
    *,
    seconds: float,
    rounds: int,
) -> str:
    """The page."""
    about = machine()
    text = (
        "# Matches on NATS\n\n"
        f"Made by `dotnet make.cs bench relay` on {about['date']}: {about['cpu']}, {about['cores']} cores that run "
        f"everything together, {about['os']}, Python {about['python']}, .NET {about['dotnet']}, "
        f"commit {about['commit']}.\n\n"
        "Daemons play the generated match `elite` from its sixth minute (150 KB a frame, about 0.5 KB as `columns` "
        "with `zstd-stream`) at 22.4 Hz: one for each match on NATS, with `--relay`, or one for all readers. "
        "The server is one `nats-server` with file storage. "
        "Readers share processes, 50 matches each. They are in Python, read under `every` and check each sequence "
        f"number; decoding readers make the units of each frame. {seconds:g} s a case, {rounds} rounds: the median, "
        "and the lowest and highest. Times are from published by the daemon to received, ms; CPU in cores.\n\n"
        "## Matches and readers\n\n"
        + _table(figures, cases)
        + "\nA daemon encodes once, and sends to each reader, or once to NATS. MB are the memory of a daemon alone.\n\n"
        "## More matches, until it saturates\n\n"
        "One round. It ends where readers do not catch up with the matches, all of which begin at once.\n\n"
        + _table(figures, saturation)
        + "\n## Readers of one match\n\n"
        "Plain subscriptions (as `latest` uses them), a connection each, undecoded, each sequence number checked; "
        "250 readers a process, without a library.\n\n"
        + _table(figures, audiences)
        + "\n## Faults\n\n"
        + _faults(faults)
    )
    return "\n".join(_wrapped(line) for line in text.split("\n"))


def _wrapped(line: str) -> str:
    """A line of text of at most 140 columns; tables stay as they are."""
    indent = "  " if line.startswith("- ") else ""
    return line if line.startswith("|") else textwrap.fill(line, 140, subsequent_indent=indent, break_long_words=False)


def _table(figures: Figures, cases: Iterable[Any]) -> str:
    head = ["", "frames/s", "p50", "p99", *(f"{each} CPU" for each in _CPU), "MB a daemon", "gaps, errors"]
    rows = [
        [
            case.name,
            *(figures.text(case.name, each) for each in ("frames/s", "p50", "p99")),
            *(figures.text(case.name, f"{each} cores") for each in _CPU),
            figures.text(case.name, "MB a daemon"),
            figures.text(case.name, "problems"),
        ]
        for case in cases
        if figures.find(case.name, "p50")
    ]
    return table(head, rows)


def _faults(faults: dict[str, Any]) -> str:
    text = ""
    if killed := faults.get("leaders"):
        pauses = sorted(killed["pauses"])
        text += (
            f"- A cluster of three servers, the stream on all three: its leader was killed (SIGKILL) {killed['kills']} "
            f"times during a match. A reader under `every` got {killed['frames']:,} frames, of which "
            f"{killed['wrong']} did not follow the one before. Its longest pause after a kill: "
            f"{pauses[len(pauses) // 2]:.1f} s ({pauses[0]:.1f} to {pauses[-1]:.1f}).\n"
        )
    if gone := faults.get("away"):
        times = {name: "{p50:.2f}, {p99:.2f}, {max:.1f}".format(**each) for name, each in gone["bot_ms"].items()}
        text += (
            f"- A bot publishes at 22.4 Hz and is recorded; NATS is killed, and started again after "
            f"{gone['seconds']:g} s. The bot published {gone['published']:,} frames; {gone['recorded']:,} are in the "
            f"recording, and {gone['read']:,} came to a reader on NATS, of which {gone['wrong']} did not follow the "
            f"one before. {gone['missing_when_back']} frames were missing when NATS was back, and read "
            f"{gone['caught_up_seconds']:.1f} s later. A call of the bot took (p50, p99, max, ms) "
            f"{times['before']} before, {times['away']} meanwhile, {times['after']} after.\n"
        )
    return text or "Not measured.\n"
