"""Figures that others published, beside ours. The constants and their sources are in published.json."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from report.results import LANGUAGES, Codec, Run
from report.text import mbit_per_second, milliseconds, number, share, spread, table

KIB = 1024
_OPERATIONS = {"encode": "serialize", "decode": "deserialize"}
_NAMES = {"protobuf": "protobuf", "protojson-google": "JSON (Google's formatter)"}


def constants() -> dict[str, Any]:
    """The content of published.json."""
    value: dict[str, Any] = json.loads(Path(__file__).with_name("published.json").read_text(encoding="utf-8"))
    return value


def beside_ours(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """A row per figure of the post of 2018 that a run has too: label, seed and ours in ms, ratio, spread, tip."""
    post = constants()["abathur"]
    rows = []
    for language, codecs in post["milliseconds"].items():
        run = next((each for each in runs if each.language == language), None)
        for name, operations in codecs.items():
            for operation, seed in operations.items():
                codec = run.codecs.get(name) if run else None
                # The post's libraries made every object while they parsed; some of today's do so when a field is read.
                timing = codec.times.get("decode_touch" if operation == "decode" else operation) if codec else None
                ours = timing.trimmed_mean / 1e6 if timing else None
                label = f"{LANGUAGES[language]} {'protobuf' if name == 'protobuf' else 'JSON'} {operation}"
                rows.append(
                    {
                        "label": label,
                        "seed": seed,
                        "ours": ours,
                        "ratio": seed / ours if ours else None,
                        "spread": spread(timing.rounds, 1e-6) if timing else "–",
                        "alone": codec.times.get(operation) if codec and operation == "decode" else None,
                        "what": f"{LANGUAGES[language]}, {_NAMES[name]}, {_OPERATIONS[operation]}",
                        "tip": f"{label}: {number(seed)} ms in 2018, {number(ours) if ours else 'not measured'} "
                        "ms here",
                    }
                )
    return rows


def section(runs: Sequence[Run]) -> str:
    """The tables: times, sizes with the right unit, and Auth0's sizes."""
    post = constants()["abathur"]
    rows = [
        [escape(row["what"]), number(row["seed"]), number(row["ours"]) if row["ours"] else "–", row["spread"],
         f"{number(row['ratio'])}×" if row["ratio"] else "–",
         milliseconds(row["alone"].trimmed_mean) if row["alone"] else "–"]
        for row in beside_ours(runs)
    ]  # fmt: skip
    head = ["25 % trimmed mean, ms", "2018", "ours, every field read", "rounds", "2018 / ours", "ours, nothing read"]
    machine = (
        f"2018: {post['machine']}, times of {post['recording_of_times']}, sizes of {post['recording_of_sizes']}, from "
        f"{post['source']}. Other machine, other frames: the ratio is not a speed-up of the code alone."
    )
    return (
        table(head, rows, "Times")
        + f'<p class="note">{escape(machine)}</p>'
        + _sizes(runs, post)
        + f'<p class="note">{escape(post["note"])}</p>'
        + _auth0(runs)
    )


def _sizes(runs: Sequence[Run], post: dict[str, Any]) -> str:
    rows = []
    for name, (low, high) in post["kib"].items():
        rate = " – ".join(number(mbit_per_second(each * KIB, 22.4)) for each in (low, high))
        rows.append([f"{post['title']}: {name}", f"{number(low)} – {number(high)}", rate, _ratio(low, post), "–"])
    seen = set()
    for run in runs:
        reference = run.codecs.get("protobuf")
        for name in ("protobuf", "protojson", "orjson", "protojson-google", "protojson-google-indented"):
            codec = run.codecs.get(name)
            if codec is None or codec.bytes is None or (key := (run.recording, name, round(codec.bytes[1]))) in seen:
                continue
            seen.add(key)
            low, mean, high = codec.bytes
            rate = " – ".join(number(mbit_per_second(each, 22.4)) for each in (low, high))
            ratio = f"{number(mean / reference.bytes[1])}×" if reference and reference.bytes else "–"
            least = post["kib"]["json"][0] * KIB
            apart = "–" if name == "protobuf" else f"{number(least / mean)}× smaller than the post's smallest"
            rows.append(
                [
                    f"{escape(run.title)}: {escape(_form(name))}",
                    f"{number(low / KIB)} – {number(high / KIB)}",
                    rate,
                    ratio,
                    apart,
                ]
            )
    head = ["bytes a frame", "KiB, least – most", "Mbit/s at 22.4 Hz", "of protobuf (means)", "to the post"]
    text = (
        "Today's formatters do not give the post's JSON sizes, neither compact nor with json_format's default "
        "indentation of 2: "
        "both forms are in the table, with the difference."
    )
    return table(head, rows, "Sizes") + f'<p class="note">{text}</p>'


def _form(name: str) -> str:
    forms = {
        "protojson": "protojson (compact, canonical names)",
        "orjson": "orjson (compact, names of the .proto files)",
        "protojson-google": "protojson-google (the formatter's one-line form)",
        "protojson-google-indented": "protojson-google-indented (default indentation)",
    }
    return forms.get(name, name)


def _ratio(kib: float, post: dict[str, Any]) -> str:
    return f"{number(kib / post['kib']['protobuf'][0])}× of its smallest"


def _auth0(runs: Sequence[Run]) -> str:
    auth0 = constants()["auth0"]
    rows = [
        [f"{escape(auth0['title'])} ({escape(auth0['measured_in'])})", share(auth0["smaller"]),
         share(auth0["smaller_compressed"])]
    ]  # fmt: skip
    for run in runs:
        for json_name in ("protojson", "system-text-json", "orjson", "json"):
            row = _against(run, json_name)
            if row:
                rows.append(row)
    head = ["protobuf against JSON", "smaller", "smaller, both gzip"]
    return (
        table(head, rows, "Auth0's question")
        + f'<p class="note">{escape(auth0["note"])} Source: {escape(auth0["source"])}.</p>'
    )


def _against(run: Run, name: str) -> list[str] | None:
    binary, text = run.codecs.get("protobuf"), run.codecs.get(name)
    if binary is None or text is None or not binary.bytes or not text.bytes:
        return None
    smaller = share(1 - binary.bytes[1] / text.bytes[1])
    gzip = _gzip(run, binary), _gzip(run, text)
    packed = share(1 - gzip[0] / gzip[1]) if gzip[0] and gzip[1] else "–"
    return [f"{escape(run.title)}: {escape(name)}", smaller, packed]


def _gzip(run: Run, codec: Codec) -> float | None:
    packed = run.codecs.get(f"{codec.name}+gzip")
    return packed.mean_bytes if packed else codec.compressed.get("gzip")
