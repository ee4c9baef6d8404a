"""Charts of match runs: size against time, bytes over the match."""

from __future__ import annotations

from collections.abc import Sequence

from report.colours import style
from report.delivery import CHARTED, shown
from report.results import Codec, Run
from report.svg import Axis, Canvas, label_room, log_axis
from report.text import kilobytes, milliseconds, size, spread, tick

_WIDTH, _HEIGHT = 560.0, 350.0
_TOP, _BOTTOM = 24.0, 310.0
#: Parts of a match whose mean sizes are drawn.
_PARTS = 24


def size_against_time(runs: Sequence[Run]) -> list[Canvas]:
    """Bytes of a frame against the time from bytes to objects with every field read, or to arrays of all columns.

    A filled mark is a codec, a hollow one the same compressed, tied to it by a line. Below and to the left is better.
    All charts have the same axes.
    """
    shown = [run for run in runs if run.complete()]
    everything = [codec for run in shown for codec in run.complete()]
    times = [(codec.ready_ns() or 0) / 1e6 for codec in everything]
    sizes = [(codec.mean_bytes or 0) / 1e3 for codec in everything]
    canvases = []
    for run in shown:
        canvas = Canvas(_WIDTH, _HEIGHT, run.title)
        x = log_axis(times, 48, _WIDTH - 12, tick, 1.4)
        y = log_axis(sizes, _BOTTOM, _TOP, tick, 1.3)
        canvas.axes(x, y, "bytes to objects, every field read; columns: to arrays; ms", "KB a frame")
        marks = [
            (x.at((codec.ready_ns() or 0) / 1e6), y.at((codec.mean_bytes or 0) / 1e3), codec)
            for codec in run.complete()
        ]
        bases = {codec.name: (at_x, at_y) for at_x, at_y, codec in marks}
        for at_x, at_y, codec in marks:
            if codec.compression and codec.base in bases:
                canvas.line(*bases[codec.base], at_x, at_y, f"tie {_solid(codec)}")
        for at_x, at_y, codec in marks:
            look = f"{_solid(codec)} {'hollow' if codec.compression else ''}"
            canvas.mark(at_x, at_y, look, _tip(codec), 4 if codec.compression else 5.5)
        for at_x, at_y, codec in sorted(marks, key=lambda mark: bool(mark[2].compression)):
            text = f"+{codec.compression}" if codec.compression and codec.base in bases else codec.name
            canvas.label_near(at_x, at_y, text, _solid(codec))
        canvases.append(canvas)
    return canvases


def _solid(codec: Codec) -> str:
    return style(codec.name).split()[0]


def _tip(codec: Codec) -> str:
    ready = codec.ready()
    parts = [f"{codec.name}: {size(codec.mean_bytes)}, {milliseconds(codec.ready_ns())} ms"]
    if ready and len(ready.rounds) > 1:
        parts.append(f"(rounds {spread(ready.rounds, 1e-6)})")
    return " ".join(parts)


def bytes_over_match(runs: Sequence[Run]) -> list[Canvas]:
    """Size of each family of encodings over the frames of a recording, a chart each."""
    canvases = []
    for recording in dict.fromkeys(run.recording for run in runs):
        here = [run for run in runs if run.recording == recording]
        codecs = {codec.name: codec for run in reversed(here) for codec in run.codecs.values()}
        chosen = [
            (codec, shown(name))
            for name in CHARTED
            if (codec := codecs.get(name)) and len(codec.series) > 1 and not codec.is_partial
        ]
        if not chosen:
            continue
        canvas = Canvas(_WIDTH, _HEIGHT, f"{recording}: bytes a frame over the match")
        last = max(at for codec, _ in chosen for at, _ in codec.series)
        x = Axis(
            0,
            last,
            48,
            _WIDTH - label_room([name for _, name in chosen]),
            [(last * part / 4, f"{last * part / 4:,.0f}") for part in range(5)],
        )
        means = [length / 1e3 for codec, _ in chosen for _, length in _means(codec, last)]
        y = log_axis(means, _BOTTOM, _TOP, tick, 1.1)
        canvas.axes(x, y, "frame of the recording", "KB")
        ends = []
        for codec, name in chosen:
            points = [(x.at(at), y.at(length / 1e3)) for at, length in _means(codec, last)]
            low, mean, high = codec.bytes or (0.0, 0.0, 0.0)
            tip = f"{name}: {kilobytes(low)} to {kilobytes(high)} KB, mean {kilobytes(mean)}"
            canvas.path(points, style(codec.name), tip)
            ends.append((points[-1][1], name, style(codec.name)))
        canvas.labels_right(x.end, ends, _TOP, _BOTTOM)
        canvases.append(canvas)
    return canvases


def _means(codec: Codec, last: int) -> list[tuple[float, float]]:
    """Mean sizes over parts of the match: the frames of a stream differ by their content, and its keyframes by far."""
    parts: dict[int, list[int]] = {}
    for at, length in codec.series:
        parts.setdefault(min(at * _PARTS // max(1, last), _PARTS - 1), []).append(length)
    return [((part + 0.5) * last / _PARTS, sum(sizes) / len(sizes)) for part, sizes in sorted(parts.items())]
