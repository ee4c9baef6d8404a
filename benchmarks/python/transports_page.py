"""The page that a transport benchmark writes."""

from __future__ import annotations

from typing import Any

from figures import Figures, table

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


def write(figures: Figures, machine: dict[str, Any], *, rounds: int, complete: bool) -> str:
    """Markdown with a table for each question. Cells: median of the rounds (least to most)."""
    parts = [
        "# Transports, measured\n",
        "By `dotnet make.cs bench transports`. Every cell is the median of the rounds, with the least and the most in "
        "brackets; cases ran in shuffled order. Everything ran on one machine, the clients too.\n",
        f"{machine['date']}, {machine['cpu']}, {machine['cores']} cores, {machine['os']}, .NET SDK "
        f"{machine['dotnet']}, "
        f"Python {machine['python']}, grpcio {machine['grpcio']}, protobuf {machine['protobuf']}, commit "
        f"{machine['commit']}, {rounds} {'round' if rounds == 1 else 'rounds'}.\n",
    ]
    if not complete:
        parts.append("**Interrupted: what is missing was not measured.**\n")
    parts += [_inputs(figures), _throughput(figures), _latency(figures), _cpu(figures), _allocated(figures)]
    parts += [_memory(figures), _start(figures)]
    return "\n".join(parts)


def _inputs(figures: Figures) -> str:
    sizes = {name: figures.find("message_bytes", "unlimited", name, "baseline", "bare") for name in _FRAMES}
    means = {name: f"{figure.median / 1000:.0f} KB" if figure else "(not measured)" for name, figure in sizes.items()}
    return (
        "## What was sent and who read\n\n"
        "Frames are simulated (see recordings/README.md). `skirmish`: recordings/skirmish.mcap, "
        f"{means['skirmish']} a frame in the mean. `late`: the largest minute of the preset `elite`, {means['late']} a "
        "frame; the preset's frames do not reach 160 KB.\n\n"
        "*Agents* are asyncio clients of the `abathur` package, which decode every frame (protobuf by upb, JSON by "
        "orjson). *Bare* readers use the same channel options and the same framing but do not decode; the one of the "
        "first table is blocking, without asyncio. Agents are spread over 4 processes (100: 25 in each), "
        "every agent on a connection of its own. "
        "With 100 all readers are bare: this machine could not decode that much, and would measure its own queue. "
        "*Plain TCP* is `BaselineServer`: the same recording, reader and clock, and nothing around a frame but length "
        "and stamp.\n"
    )


def _throughput(figures: Figures) -> str:
    rows = [
        [
            f"{frames}, {_NAMES[transport]}",
            figures.text("frames_per_second", "unlimited", frames, transport, "bare"),
            figures.text("client_cpu", "unlimited", frames, transport, "bare"),
            figures.text("frames_per_second", "unlimited", frames, transport, "agent"),
            figures.text("client_cpu", "unlimited", frames, transport, "agent"),
            figures.text("decode", "unlimited", frames, transport, "agent"),
        ]
        for frames in _FRAMES
        for transport in _READERS
    ]
    head = ["", "bare: frames/s", "client CPU, µs/frame", "agent: frames/s", "client CPU, µs/frame", "of it decoding"]
    fan_out = [
        [
            f"{frames}, {_NAMES[transport]}, {count}",
            figures.text("frames_per_second", "unlimited", frames, transport, count),
            figures.text("cpu_per_delivery", "unlimited", frames, transport, count),
            figures.text("client_cpu", "unlimited", frames, transport, count),
        ]
        for frames in _FRAMES
        for transport in ("grpc", "socket")
        for count in ("10", "100")
        if figures.find("frames_per_second", "unlimited", frames, transport, count)
    ]
    text = "## Frames/s to one client, `--rate unlimited`, policy `every`\n\n" + table(head, rows)
    if fan_out:
        head = ["bare readers", "frames/s, each", "server CPU, µs/frame and reader", "client CPU, µs/frame"]
        text += "\nThe same with more readers:\n\n" + table(head, fan_out)
    return text


def _latency(figures: Figures) -> str:
    rows = [
        [f"{frames}, {_NAMES[transport]}, {count}"]
        + [figures.text(f"latency_{each}", "paced", frames, transport, count) for each in ("p50", "p90", "p99", "max")]
        + [figures.text(each, "paced", frames, transport, count) for each in ("lost", "machine_cpu")]
        for frames in _FRAMES
        for count in _COUNTS
        for transport in _READERS
        if figures.find("latency_p50", "paced", frames, transport, count)
    ]
    return (
        "## Latency, published → received, at 22.4 Hz, policy `latest`\n\n"
        + table(["subscribers", "p50 ms", "p90 ms", "p99 ms", "max ms", "skipped %", "CPU, server + clients, %"], rows)
        + "\nWith more than one subscriber the last one's wait for all the others is in the figure. "
        "200 % CPU are two cores.\n"
    )


def _cpu(figures: Figures) -> str:
    rows = [
        [f"{frames}, {_NAMES[transport]}"]
        + [figures.text("cpu_per_delivery", "paced", frames, transport, count) for count in _COUNTS]
        + [figures.text("cpu_per_delivery", "unlimited", frames, transport, "bare")]
        for frames in _FRAMES
        for transport in _READERS
    ]
    idle = ", ".join(
        f"{frames}: {figures.text('cpu_per_frame', 'paced', frames, 'none', '0')} µs" for frames in _FRAMES
    )
    head = ["", "1 at 22.4 Hz", "10", "100", "1, unlimited"]
    return (
        "## Server CPU, µs per frame and subscriber\n\n"
        + table(head, rows)
        + f"\nUser and kernel time of the server's process. Reading and publishing a frame without any subscriber: "
        f" {idle}.\n"
    )


def _allocated(figures: Figures) -> str:
    rows = []
    for frames in _FRAMES:
        rows.append(
            [
                f"{frames}, {_NAMES['none']}",
                figures.text("allocated", "paced", frames, "none", "0"),
                figures.text("allocated", "unlimited", frames, "none", "0"),
            ]
        )
        for transport in ("grpc", "socket", "json"):
            for count in _COUNTS:
                paced = figures.text("allocated", "paced", frames, transport, count)
                unlimited = figures.text("allocated", "unlimited", frames, transport, "bare" if count == "1" else count)
                if (paced, unlimited) != ("-", "-"):
                    rows.append([f"{frames}, {_NAMES[transport]}, {count}", paced, unlimited])
    cost = ", ".join(f"{frames}: {figures.text('status_cost', frames)} B" for frames in _FRAMES)
    return (
        "## Managed bytes allocated per frame published\n\n"
        + table(["subscribers", "at 22.4 Hz", "unlimited, `every`"], rows)
        + "\nFrom two calls of GetStatus, before and after, less what one call allocates itself "
        f"({cost}). The runtime counts in steps of 8 KB per thread, which is some hundred bytes a frame at 22.4 Hz.\n"
    )


def _memory(figures: Figures) -> str:
    rows = [
        [_NAMES[transport]]
        + [figures.text("rss", transport, each) for each in (10, 50, 100, "peak")]
        + [figures.text("whole_match_frames", transport), figures.text("whole_match_rate", transport)]
        for transport in ("grpc", "socket")
    ]
    return (
        "## Memory over a whole match\n\n"
        + table(["", "RSS at 10 %, MB", "at 50 %", "at 100 %", "peak", "frames", "frames/s"], rows)
        + "\nPreset `elite` at `--rate unlimited`, to one agent with `every` and one with `latest` that "
        "stops reading after its first frame.\n"
    )


def _start(figures: Figures) -> str:
    rows = [
        [name, figures.text("ready", transport), figures.text("first_frame", transport)]
        for transport, name in (
            ("none", "bare socket, tries every ms"),
            ("socket", "agent by socket"),
            ("grpc", "agent by gRPC"),
        )
    ]
    return (
        "## From starting the daemon to the first frame\n\n"
        + table(["who waits", "daemon ready, ms", "first frame, ms"], rows)
        + "\nThe agents are trying already when the daemon's process is started, so "
        "their pause between attempts is in the figure.\n"
    )
