"""Unit events beside decoding the same frames: of the largest minute of `elite`, in columns, decoded, then compared."""

from __future__ import annotations

import statistics
import sys
import time

from abathur._events.event_stream import EventStream
from abathur._frame.columns_source import ColumnsSource
from abathur._frame.frame import Frame
from abathur.columns import ColumnsDecoder
from figures import Figures
from pages import figure_table, made, page
from payloads import payloads
from runs import arguments, rounds, run

from recordings import Frames, import_sequences, make_elite


def measure_events(name: str, frames: list[bytes], figures: Figures) -> None:
    """One round: milliseconds of decoding and of events of each frame."""
    decoder, stream = ColumnsDecoder(), EventStream(active=True)
    taken: dict[str, list[float]] = {"decode": [], "events": []}
    count = 0
    for number, payload in enumerate(frames):
        start = time.perf_counter_ns()
        frame = Frame(ColumnsSource(decoder.decode(payload)))
        middle = time.perf_counter_ns()
        frame.game_loop = number
        stream.follow(frame)
        count += len(frame.events)
        taken["decode"].append((middle - start) / 1e6)
        taken["events"].append((time.perf_counter_ns() - middle) / 1e6)
    for part, times in taken.items():
        figures.add("ms", statistics.median(times), name, f"{part}_ms")
        figures.add("ms", statistics.quantiles(times, n=20)[-1], name, f"{part}_p95_ms")
    print(f"{name}: {len(frames)} frames, {count} events", flush=True)


def main() -> int:
    """Measure, and write the page."""
    options = arguments("events", __doc__, rounds=(5, "rounds"))
    names = ["elite"]

    def measured(figures: Figures) -> None:
        matches = {"elite": payloads(Frames.late(make_elite()))}
        for recording in import_sequences("proxima-pvt-late-creep8"):
            matches["proxima"] = payloads(Frames("proxima", recording))
        names[:] = matches
        for _ in rounds(options.rounds):
            for name, frames in matches.items():
                measure_events(name, frames, figures)

    def written(figures: Figures) -> str:
        parts = {f"{name}, {part}": (name, ..., part) for name in names for part in ("decode", "events")}
        columns = {
            "median, ms": lambda row: figures.text(row[0], f"{row[2]}_ms"),
            "p95, ms": lambda row: figures.text(row[0], f"{row[2]}_p95_ms"),
        }
        return page(
            "Unit events",
            made("events"),
            "Milliseconds of a frame: decoding its columns, and comparing it with the frame before.",
            figure_table(figures, "frames", parts, columns),
        )

    return run(options, measured, written)


if __name__ == "__main__":
    sys.exit(main())
