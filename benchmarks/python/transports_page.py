"""The page that a transport benchmark writes."""

from __future__ import annotations

from itertools import product

from figures import Figures
from pages import figure_table, made, page, section

_FRAMES = ("skirmish", "late")
_NAMES = {
    "grpc": "gRPC",
    "socket": "socket, proto",
    "json": "socket, json",
    "baseline": "plain TCP (baseline)",
    "none": "no subscriber",
}
_READERS = ("grpc", "socket", "json", "baseline")
_COUNTS = ("1", "10", "100")


def write(figures: Figures, rounds: int) -> str:
    """Markdown with a table for each question. Cells: median of the rounds (least to most)."""
    sizes = {name: figures.find("message_bytes", "unlimited", name, "baseline", "bare") for name in _FRAMES}
    means = {name: f"{figure.median / 1000:.0f} KB" if figure else "(not measured)" for name, figure in sizes.items()}
    return page(
        "Transports, measured",
        made("transports"),
        f"Every cell is the median of {rounds} rounds, with the least and the most in brackets; cases ran in shuffled "
        "order. What is missing was not measured.",
        section(
            "What was sent and who read",
            "Frames are simulated (see recordings/README.md). `skirmish`: recordings/skirmish.mcap, "
            f"{means['skirmish']} a frame in the mean. `late`: the largest minute of the preset `elite`, "
            f"{means['late']} a frame; the preset's frames do not reach 160 KB.",
            "*Agents* are asyncio clients of the `abathur` package, which decode every frame (protobuf by upb, JSON by "
            "orjson). *Bare* readers use the same channel options and the same framing but do not decode; the one of "
            "the first table is blocking, without asyncio. Agents are spread over 4 processes (100: 25 in each), every "
            "agent on a connection of its own. With 100 all readers are bare: this machine could not decode that much, "
            "and would measure its own queue. *Plain TCP* is `BaselineServer`: the same recording, reader and clock, "
            "and nothing around a frame but length and stamp.",
        ),
        _throughput(figures),
        _at_tick_rate(figures),
        _allocated(figures),
        section(
            "Memory over a whole match",
            figure_table(
                figures,
                "",
                {_NAMES[transport]: (..., transport) for transport in ("grpc", "socket")},
                {
                    **{
                        f"RSS at {part} %, MB": lambda row, part=part: figures.text("rss", row[1], part)
                        for part in (10, 50, 100)
                    },
                    "peak": lambda row: figures.text("rss", row[1], "peak"),
                    "frames": "whole_match_frames",
                    "frames/s": "whole_match_rate",
                },
            ),
            "Preset `elite` at `--rate unlimited`, to one agent with `every` and one with `latest` that stops reading "
            "after its first frame.",
        ),
        section(
            "From starting the daemon to the first frame",
            figure_table(
                figures,
                "who waits",
                {
                    "bare socket, tries every ms": (..., "none"),
                    "agent by socket": (..., "socket"),
                    "agent by gRPC": (..., "grpc"),
                },
                {"daemon ready, ms": "ready", "first frame, ms": "first_frame"},
            ),
            "The agents are trying already when the daemon's process is started, so their pause between attempts is in "
            "the figure.",
        ),
    )


def _rows(kind: str, transports: tuple[str, ...], counts: tuple[str, ...]) -> dict[str, tuple[object, ...]]:
    return {
        f"{frames}, {_NAMES[transport]}, {count}": (..., kind, frames, transport, count)
        for frames, count, transport in product(_FRAMES, counts, transports)
    }


def _throughput(figures: Figures) -> str:
    cpu = {"client CPU, µs/frame": "client_cpu"}
    single = {"frames/s": "frames_per_second", **cpu, "of it decoding": "decode"}
    many = {"frames/s, each": "frames_per_second", "server CPU, µs/frame and reader": "cpu_per_delivery", **cpu}
    more = _rows("unlimited", ("grpc", "socket"), ("10", "100"))
    return section(
        "Frames/s to one client, `--rate unlimited`, policy `every`",
        figure_table(figures, "", _rows("unlimited", _READERS, ("bare", "agent")), single),
        "The same with more readers, which are bare:",
        figure_table(figures, "", more, many, measured=True),
    )


def _at_tick_rate(figures: Figures) -> str:
    idle = {frames: figures.text("cpu_per_frame", "paced", frames, "none", "0") for frames in _FRAMES}
    columns = {f"{name} ms": f"latency_{name}" for name in ("p50", "p90", "p99", "max")}
    columns |= {"skipped %": "lost", "CPU, server + clients, %": "machine_cpu"}
    one = _rows("unlimited", _READERS, ("bare",))
    cpu = {"server CPU, µs": "cpu_per_delivery"}
    return section(
        "At 22.4 Hz, policy `latest`",
        "Latency from published to received; processor time of the server for each frame and subscriber.",
        figure_table(figures, "subscribers", _rows("paced", _READERS, _COUNTS), {**columns, **cpu}, measured=True),
        "With more than one subscriber the last one's wait for all the others is in the figure. 200 % CPU are two "
        "cores. User and kernel time of the server's process. Reading and publishing a frame without any subscriber: "
        f"{', '.join(f'{frames}: {text} µs' for frames, text in idle.items())}. Unlimited, to one:",
        figure_table(figures, "", one, cpu),
    )


def _allocated(figures: Figures) -> str:
    paced = _rows("paced", ("none",), ("0",)) | _rows("paced", ("grpc", "socket", "json"), _COUNTS)

    def unlimited(row: tuple[str, ...]) -> str:
        *key, count = row[2:]
        return figures.text("allocated", "unlimited", *key, "bare" if count == "1" else count)

    cost = ", ".join(f"{frames}: {figures.text('status_cost', frames)} B" for frames in _FRAMES)
    columns = {"at 22.4 Hz": "allocated", "unlimited, `every`": unlimited}
    return section(
        "Managed bytes allocated per frame published",
        figure_table(figures, "subscribers", paced, columns, measured=True),
        "From two calls of GetStatus, before and after, less what one call allocates itself "
        f"({cost}). The runtime counts in steps of 8 KB per thread, which is some hundred bytes a frame at 22.4 Hz.",
    )
