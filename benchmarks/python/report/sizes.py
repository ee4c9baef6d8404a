"""How small: every encoding on every recording, and what modelled motion is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from report import charts_codecs
from report.delivery import ENCODINGS
from report.results import Codec, Run
from report.svg import figures
from report.text import note, number, size, table

_NOISY = "-noisy"


def section(runs: Sequence[Run], exact: Sequence[Run]) -> str:
    """Chart, table and notes; empty without a run in C#.

    Args:
        runs: The match runs.
        exact: Runs over every frame, for sizes only; a noisy recording has no other.
    """
    csharp = [run for run in runs if run.language == "csharp"]
    if not csharp:
        return ""
    sized = {run.recording: run for run in [*csharp, *exact]}
    names = [name for name in ENCODINGS if any(name in run.codecs for run in sized.values())]
    names += [name for name in csharp[0].codecs if name not in names and "+" not in name and name != "projection"]
    recordings = list(dict.fromkeys([*(run.recording for run in exact), *(run.recording for run in csharp)]))
    cells = {(run.recording, name): codec for run in [*csharp, *exact] for name, codec in run.codecs.items()}
    plain = [name for name in recordings if not name.endswith(_NOISY)]
    head = ["bytes a frame, mean", *map(escape, plain)]
    rows = [[escape(name), *(_size(cells.get((each, name))) for each in plain)] for name in names]
    text = (
        "Means over every frame of a recording. Streams are read in order; each has a keyframe every 224 frames "
        "(10 s), which is in the mean."
    )
    chart = figures(charts_codecs.bytes_over_match(csharp[:1]))
    return (
        note(text)
        + f'<div class="beside">{chart}{table(head, rows)}</div>'
        + _noise(cells, plain, names)
        + _keyframes(list(sized.values()))
    )


def _size(codec: Codec | None) -> str:
    return "–" if codec is None or codec.mean_bytes is None else size(codec.mean_bytes)


def _noise(cells: Mapping[tuple[str, str], Codec], recordings: Sequence[str], names: Sequence[str]) -> str:
    """What modelled motion is worth: the same frames with noise. Only of sizes over the same frames."""
    noisy = [each for each in recordings if any((f"{each}{_NOISY}", name) in cells for name in names)]
    rows = []
    for name in names:
        row = []
        for recording in noisy:
            before, after = cells.get((recording, name)), cells.get((f"{recording}{_NOISY}", name))
            if before is None or after is None or before.sized_frames != after.sized_frames:
                row.append("–")
            else:
                row.append(f"{_size(after)} (×{number((after.mean_bytes or 0) / (before.mean_bytes or 1))})")
        if any(cell != "–" for cell in row):
            rows.append([escape(name), *row])
    if not rows:
        return ""
    text = (
        "Motion and fights of the rebuilt matches are modelled. Here positions of moving units are shifted by up to "
        "±8/4096 a loop, facings by ±16/4096, and in fights every health and shield changes, at random; in brackets is "
        "what that costs."
    )
    inner = note(text) + table(["bytes a frame, with noise", *map(escape, noisy)], rows)
    return f"<details><summary>What modelled motion is worth: the same with noise</summary>{inner}</details>"


def _keyframes(runs: Sequence[Run]) -> str:
    rows = []
    for run in runs:
        for codec in run.codecs.values():
            if codec.keyframes:
                count, mean = codec.keyframes
                rows.append(
                    [
                        f"{escape(run.recording)}: {escape(codec.name)}",
                        f"{count:,}",
                        f"{codec.sized_frames:,}",
                        size(mean),
                    ]
                )
    inner = table(["stream", "keyframes", "of frames", "mean size of a keyframe"], rows)
    return f"<details><summary>Keyframes</summary>{inner}</details>" if rows else ""
