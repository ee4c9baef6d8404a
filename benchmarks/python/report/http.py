"""GET and POST of frames over HTTP, protobuf and JSON, with gzip and without."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from report.results import LANGUAGES, Run
from report.text import milliseconds, share, size, table


def section(runs: Sequence[Run], chosen: Sequence[str]) -> str:
    """A table of the first recording that has requests; empty where none has."""
    having = [run for run in runs if run.language in chosen and run.http]
    rows = []
    for run in having:
        for name, case in run.http.items():
            rows.append([f"{LANGUAGES[run.language]}: {escape(name)}", *_cells(run.http, name, case)])
    if not rows:
        return ""
    head = ["request", "on the wire", "whole time, ms: p50", "p99", "server, ms", "protobuf beside JSON: bytes", "time"]
    caption = f"HTTP, {having[0].recording}: from the request to the same plain object"
    return f"<details><summary>Over HTTP</summary>{table(head, rows, caption)}</details>"


def fetched(runs: Sequence[Run]) -> str:
    """End to end per codec in a browser: fetch, body, decoding, the same plain object; empty where none has it."""
    rows = []
    having = [run for run in runs if run.language in ("browser", "firefox")]
    for run in having:
        for codec in run.codecs.values():
            for encoding, case in codec.fetched.items():
                parts = [case.get(f"{name}_ns") for name in ("client", "body", "decode", "plain", "server")]
                cells = [milliseconds(each["p50"]) if isinstance(each, dict) else milliseconds(each) for each in parts]
                gzip = "" if encoding == "identity" else f", {encoding}"
                rows.append([f"{LANGUAGES[run.language]}: {escape(codec.name)}{escape(gzip)}", *cells])
    if not rows:
        return ""
    head = ["codec", "whole, without the server, ms", "body read", "decoded", "plain object", "server"]
    caption = f"{having[0].recording}: from the request to the same plain object, p50"
    return f"<details><summary>End to end by fetch</summary>{table(head, rows, caption)}</details>"


def _cells(cases: dict[str, Any], name: str, case: dict[str, Any]) -> list[str]:
    if case.get("error"):
        return [f'<span class="warn">{escape(str(case["error"]))}</span>', *[""] * 5]
    total, server = case["total_ns"], case.get("server_ns")
    json = cases.get(name.replace("protobuf", "json")) if "protobuf" in name else None
    beside = ["", ""]
    if json and not json.get("error"):
        beside = [share(_bytes(case) / _bytes(json)), share(total["p50"] / json["total_ns"]["p50"])]
    return [
        size(_bytes(case)),
        f"<b>{milliseconds(total['p50'])}</b>",
        milliseconds(total["p99"]),
        milliseconds(server["p50"]) if isinstance(server, dict) else milliseconds(server),
        *beside,
    ]


def _bytes(case: dict[str, Any]) -> float:
    """Mean size of a body: browsers write the mean, the JVM the distribution."""
    size = case["bytes"]
    return float(size["mean"] if isinstance(size, dict) else size)
