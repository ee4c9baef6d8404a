"""What many daemons on one machine cost: `dotnet make.cs bench matches`.

Each daemon is the program that users get, plays a match at the tick rate, and serves two agents: one that gets the
newest frames as columns, and one that gets every frame as protobuf.
"""

from __future__ import annotations

import argparse
import datetime
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from abathur._program import directory
from figures import Figures, machine, save, table
from processes import PUBLISHED, AgentProcess, MeasureError, Process
from readers import Subscription

from recordings import LOCAL, make_elite

_SETTLE_SECONDS = 10.0
_AGENTS: tuple[dict[str, Any], ...] = (
    {"policy": "latest", "encoding": "columns", "compression": "zstd-stream"},
    {"policy": "every", "encoding": "proto"},
)
_PARTS = {"rss": "RSS", "pss": "PSS", "uss": "private"}


def measure(daemons: int, recording: Path, seconds: float, figures: Figures) -> None:
    """One round with that many daemons."""
    with ExitStack() as stack:
        started = []
        for number in range(daemons):
            # Each at another place of the match.
            offset = str(60 * number)
            line: list[str | Path] = [PUBLISHED, "play", recording, "--ports", "auto", "--name", f"bench-{number}"]
            daemon = stack.enter_context(Process([*line, "--start-offset", offset, "--loop", "--stop-with-parent"]))
            daemon.read_line()
            started.append(daemon)
        before = time.perf_counter()
        found = {each.name: each for each in directory.matches()}
        figures.add("ms", (time.perf_counter() - before) * 1e3, daemons, "find")
        agents = []
        for number in range(daemons):
            address = found[f"bench-{number}"].addresses["socket"].removeprefix("socket://")
            for options in _AGENTS:
                agent = stack.enter_context(AgentProcess())
                agent.send_read(Subscription("socket", address, decode=False, **options), 1)
                agents.append(agent)
        for agent in agents:
            agent.answer()
        time.sleep(_SETTLE_SECONDS)
        start = time.perf_counter_ns() + 100_000_000
        end = start + int(seconds * 1e9)
        cpu = [daemon.cpu_seconds() for daemon in started]
        for agent in agents:
            agent.send(measure=[start, end, "published"])
        answers = [agent.answer() for agent in agents]
        used = [daemon.cpu_seconds() - each for daemon, each in zip(started, cpu, strict=True)]
        # With the time that agents take to answer, which is the same for one daemon and for eight.
        figures.add("% of a core a daemon", 100 * sum(used) / daemons / seconds, daemons, "cpu")
        memory = [daemon.info.memory_full_info() for daemon in started]
        for part in _PARTS:
            figures.add("MB a daemon", sum(getattr(each, part) for each in memory) / daemons / 1e6, daemons, part)
        frames = sum(answer["frames"] for answer in answers) / len(agents) / seconds
        figures.add("frames/s", frames, daemons, "frames")
        figures.add("frames", sum(answer["dropped"] for answer in answers), daemons, "dropped")
        latencies = sorted(each for answer in answers for each in answer["latency_us"])
        figures.add("ms", latencies[len(latencies) // 2] / 1e3, daemons, "p50")
        figures.add("ms", latencies[len(latencies) * 99 // 100] / 1e3, daemons, "p99")


def page(figures: Figures, counts: list[int], seconds: float, rounds: int) -> str:
    """The README of the results."""
    about = machine()
    rows = [
        [
            str(count),
            *(figures.text(count, each) for each in ("cpu", *_PARTS, "frames", "dropped", "p50", "p99", "find")),
        ]
        for count in counts
    ]
    heads = [
        "daemons",
        "CPU, %",
        *(f"{name}, MB" for name in _PARTS.values()),
        "frames/s",
        "dropped",
        "p50",
        "p99",
        "find",
    ]
    return f"""# Many matches on one machine

Made by `dotnet make.cs bench matches` on {about["date"]}: {about["cpu"]}, {about["cores"]} cores that run daemons and
agents together, {about["os"]}, .NET {about["dotnet"]}, commit {about["commit"]}.

Each daemon plays the generated match `elite` (frames of 134 to 169 KB) at 22.4 Hz, keeps its history, and serves two
agents that decode nothing: `latest` with `columns+zstd-stream`, and `every` with protobuf. {rounds} rounds of
{seconds:g} s; medians, with the least and the most in brackets. CPU and memory are for each daemon; PSS counts memory
that daemons share once. Latency in ms from published to received; `find` is what the directory of the matches takes to
read, in ms.

{table(heads, rows)}"""


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="dotnet make.cs bench matches", description=__doc__)
    parser.add_argument("--daemons", type=int, nargs="+", default=[1, 8], help="numbers of daemons (default: 1 8)")
    parser.add_argument("--seconds", type=float, default=20.0, help="seconds a round (default: 20)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default: 3)")
    parser.add_argument(
        "--output", type=Path, default=LOCAL / f"{datetime.date.today()}-matches", help="folder of the results"
    )
    options = parser.parse_args()
    if options.rounds < 1 or options.seconds <= 0 or min(options.daemons) < 1:
        parser.error("numbers are positive")
    figures = Figures()
    try:
        recording = make_elite()
        for number in range(options.rounds):
            print(f"round {number + 1} of {options.rounds}", flush=True)
            for count in options.daemons:
                measure(count, recording, options.seconds, figures)
    except MeasureError as error:
        print(f"matches: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    text = page(figures, options.daemons, options.seconds, options.rounds)
    save(options.output, {"machine": machine(), "figures": figures.to_json()}, text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
