"""Figures that others published, beside ours. The constants and their sources are in published.json."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path
from typing import Any

from report import charts_links
from report.results import LANGUAGES, Codec, Run
from report.svg import figures
from report.text import mbit_per_second, milliseconds, note, number, share, size, spread, table

KIB = 1024
_OPERATIONS = {"encode": "serialize", "decode": "deserialize"}
_NAMES = {"protobuf": "protobuf", "protojson-google": "JSON (Google's formatter)"}


def constants() -> dict[str, Any]:
    """The content of published.json."""
    value: dict[str, Any] = json.loads(Path(__file__).with_name("published.json").read_text(encoding="utf-8"))
    return value


def section(posts: Sequence[Run], runs: Sequence[Run]) -> str:
    """A part for each post: its figures, ours, and what differs.

    Args:
        posts: The runs over every frame, of the four rows of the post of 2018.
        runs: All match runs.
    """
    posts_runs = [run for run in posts if run.recording == posts[0].recording] if posts else []
    rows = [row for row in beside_ours(posts_runs) if row["ours"]]
    chart = figures(charts_links.published(rows))
    known = constants()
    parts: list[tuple[str, Callable[[], str]]] = [
        ("Auth0: protobuf against JSON over HTTP", lambda: _auth0(runs)),
        ("Jackson against protobuf", lambda: _jackson(runs, known["jackson"])),
        ("Binary encodings in the browser", lambda: _browser(runs, known["browser"])),
        ("Serialization in Go", lambda: _go(runs, known["go"])),
    ]
    folded = "".join(f"<details><summary>{escape(title)}</summary>{make()}</details>" for title, make in parts)
    shown = f"<details><summary>The means of 2018 and ours as a chart</summary>{chart}</details>" if rows else ""
    return f"{_of_2018(posts, known['abathur'])}{shown}{folded}"


def beside_ours(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """A row per figure of the post of 2018 that a run has too: label, seed and ours in ms, ratio, spread, tip."""
    post = constants()["abathur"]
    rows = []
    for language, codecs in post["milliseconds"].items():
        run = next((each for each in runs if each.language == language and not _is_pure(each)), None)
        for name, operations in codecs.items():
            for operation, seed in operations.items():
                codec = run.codecs.get(name) if run else None
                timing = _timing(codec, operation)
                ours = timing.trimmed_mean / 1e6 if timing else None
                label = f"{LANGUAGES[language]} {'protobuf' if name == 'protobuf' else 'JSON'} {operation}"
                tip = f"{label}: {number(seed)} ms in 2018, {number(ours) if ours else 'not measured'} ms here"
                ratio = seed / ours if ours else None
                rows.append({"label": label, "seed": seed, "ours": ours, "ratio": ratio, "tip": tip})
    return rows


def _timing(codec: Codec | None, operation: str) -> Any:
    """The post's libraries made every object while they parsed; some of today's do so when a field is read."""
    if codec is None or codec.error:
        return None
    return codec.times.get("decode_touch" if operation == "decode" else operation)


def _is_pure(run: Run) -> bool:
    """Whether protobuf in Python ran without its compiled part."""
    return str((run.environment.get("settings") or {}).get("protobuf", "")) == "python"


def _of_2018(posts: Sequence[Run], post: dict[str, Any]) -> str:
    rows = []
    for run in posts:
        kind = ", pure Python" if _is_pure(run) else ""
        for name, operations in post["milliseconds"].get(run.language, {}).items():
            for operation, seed in operations.items():
                codec = run.codecs.get(name)
                timing = _timing(codec, operation)
                if codec is None or timing is None:
                    continue
                low, mean, high = codec.bytes or (0.0, 0.0, 0.0)
                rows.append(
                    [
                        escape(f"{LANGUAGES[run.language]}, {_NAMES[name]}, {_OPERATIONS[operation]}{kind}"),
                        escape(run.recording),
                        f"{codec.frames:,}",
                        number(seed),
                        f"<b>{milliseconds(timing.trimmed_mean)}</b>",
                        f"{milliseconds(timing.least)} – {milliseconds(timing.most)}",
                        f"{number(seed / (timing.trimmed_mean / 1e6))}×",
                        f"{number(low / KIB)} – {number(high / KIB)}",
                        f"{number(mbit_per_second(mean, 16))}, {number(mbit_per_second(mean, 22.4))}",
                    ]
                )
    head = [
        "JSON to protobuf for game state (2018), ms",
        "ours on",
        "frames",
        "2018",
        "ours",
        "least – most",
        "2018 / ours",
    ]
    head += ["KiB a frame", "Mbit/s at 16, 22.4 Hz"]
    kib = "; ".join(f"{name} {number(low)} – {number(high)} KiB" for name, (low, high) in post["kib"].items())
    text = (
        f"Mean of the middle half; reading is with every field read. 2018: {post['machine']}; times of "
        f"{post['recording_of_times']}, 16,860 steps of two AIs; sizes of {post['recording_of_sizes']}: {kib}; its "
        f"least and most times are not at hand. {post['note']} Another machine and other frames: the ratio is not a "
        "speed-up of the code alone. Today's formatters do not give the post's JSON sizes, in no form."
    )
    return table(head, rows) + note(text)


def _auth0(runs: Sequence[Run]) -> str:
    auth0 = constants()["auth0"]
    rows = [
        [f"{escape(auth0['title'])} ({escape(auth0['measured_in'])})", share(auth0["smaller"]),
         share(auth0["smaller_compressed"])]
    ]  # fmt: skip
    for run in runs:
        for json_name in ("protojson", "orjson", "json", "jackson", "encoding-json"):
            row = _against(run, json_name)
            if row:
                rows.append(row)
    head = ["protobuf against JSON", "smaller", "smaller, both gzip"]
    text = (
        f"{auth0['note']} Source: {auth0['source']}. Whole requests from a browser and between two JVMs are under "
        "“Over HTTP” of these sections; ours are game states of 50 to 150 KB, not lists of people."
    )
    return table(head, rows) + note(text)


def _jackson(runs: Sequence[Run], post: dict[str, Any]) -> str:
    jvm = [run for run in runs if run.language == "jvm"]
    rows = []
    for run in jvm:
        for codec in run.codecs.values():
            encode, decode = codec.times.get("encode"), codec.decoding()
            if encode is None or decode is None:
                continue
            cells = [
                cell
                for each in (encode, decode)
                for cell in (
                    f"<b>{milliseconds(each.trimmed_mean)}</b>",
                    f"{milliseconds(each.least)} – {milliseconds(each.most)}",
                )
            ]
            rows.append([escape(f"{run.recording}: {codec.name}"), *cells, size(codec.mean_bytes)])
    head = ["Java, ms", "write", "least – most", "read, every field", "least – most", "a frame"]
    claims = " ".join(post["claims"])
    return note(f"{claims} What differs: {post['differs']}") + (
        table(head, rows) if rows else note("Java was not measured.")
    )


def _browser(runs: Sequence[Run], post: dict[str, Any]) -> str:
    here = [run for run in runs if run.language in ("browser", "firefox")]
    text = note(f"{post['title']}: {post['source']}. What differs: {post['differs']}")
    rows = []
    for run in here:
        for codec in run.codecs.values():
            read = codec.times.get("decode")
            if read is not None:
                rows.append(
                    [
                        escape(f"{LANGUAGES[run.language]}, {run.recording}: {codec.name}"),
                        escape(codec.label),
                        f"<b>{milliseconds(read.trimmed_mean)}</b>",
                        spread(read.rounds, 1e-6),
                        size(codec.mean_bytes),
                        size(codec.compressed.get("gzip")),
                        milliseconds(codec.packing.get("gzip")),
                    ]
                )
    head = ["codec", "library", "decode, ms", "rounds", "a frame", "gzip", "gzip, ms"]
    return text + (table(head, rows) if rows else note("No browser was measured."))


def _go(runs: Sequence[Run], post: dict[str, Any]) -> str:
    rows = [
        [
            escape(f"{post['title']}, {post['level']}: {name}"),
            number(ns),
            number(allocated),
            number(count),
            f"{length} B",
        ]
        for name, (ns, allocated, count, length) in post["marshal"].items()
    ]
    for run in (each for each in runs if each.language == "go" and each.levels):
        for level, codecs in run.levels.items():
            for name, codec in codecs.items():
                encode = codec.times.get("encode")
                if encode is None or codec.error:
                    continue
                count = codec.allocations[0]
                rows.append(
                    [
                        escape(f"ours, {level}: {name}"),
                        number(encode.trimmed_mean),
                        "–" if codec.allocated is None else number(codec.allocated),
                        "–" if count is None else number(count),
                        size(codec.mean_bytes),
                    ]
                )
    head = ["Go, marshal", "ns/op", "B/op", "allocs/op", "size"]
    return note(f"{post['machine']}. What differs: {post['differs']}") + table(head, rows)


def _against(run: Run, name: str) -> list[str] | None:
    binary, text = run.codecs.get("protobuf") or run.codecs.get("protobufjs"), run.codecs.get(name)
    if binary is None or text is None or not binary.bytes or not text.bytes:
        return None
    smaller = share(1 - binary.bytes[1] / text.bytes[1])
    gzip = _gzip(run, binary), _gzip(run, text)
    packed = share(1 - gzip[0] / gzip[1]) if gzip[0] and gzip[1] else "–"
    return [f"{escape(run.title)}: {escape(name)}", smaller, packed]


def _gzip(run: Run, codec: Codec) -> float | None:
    packed = run.codecs.get(f"{codec.name}+gzip")
    return packed.mean_bytes if packed else codec.compressed.get("gzip")
