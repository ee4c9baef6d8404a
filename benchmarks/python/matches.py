"""What many daemons on one machine cost: `dotnet make.cs bench matches`.

Each daemon is the program that users get, plays a match at the tick rate, and serves two agents: one that gets the
newest frames as columns, and one that gets every frame as protobuf.
"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from abathur._program import directory
from figures import Figures
from load import measure, percentile
from pages import figure_table, made, page
from processes import PUBLISHED, AgentProcess, Server
from readers import Subscription
from runs import arguments, rounds, run

from recordings import make_elite

_SETTLE_SECONDS = 10.0
_AGENTS: tuple[dict[str, Any], ...] = (
    {"policy": "latest", "encoding": "columns", "compression": "zstd-stream"},
    {"policy": "every", "encoding": "proto"},
)
_PARTS = {"rss": "RSS", "pss": "PSS", "uss": "private"}
_COLUMNS = {"CPU, %": "cpu", **{f"{name}, MB": part for part, name in _PARTS.items()}}
_COLUMNS |= {name: name for name in ("frames/s", "dropped", "p50", "p99", "find")} | {"frames/s": "frames"}


def measure_daemons(count: int, recording: Path, seconds: float, figures: Figures) -> None:
    """One round with that many daemons."""
    with ExitStack() as stack:
        daemons = []
        for number in range(count):
            # Each at another place of the match.
            place = ["--start-offset", str(60 * number), "--loop", "--ports", "auto", "--name", f"bench-{number}"]
            daemons.append(stack.enter_context(Server([PUBLISHED, "play", recording, *place, "--stop-with-parent"])))
        before = time.perf_counter()
        found = {each.name: each for each in directory.matches()}
        figures.add("ms", (time.perf_counter() - before) * 1e3, count, "find")
        addresses = [found[f"bench-{number}"].addresses["socket"].removeprefix("socket://") for number in range(count)]
        readers = [
            (stack.enter_context(AgentProcess()), [Subscription("socket", address, decode=False, **chosen)])
            for address in addresses
            for chosen in _AGENTS
        ]
        load = measure(daemons, readers, seconds, settle=_SETTLE_SECONDS)
        memory = [daemon.info.memory_full_info() for daemon in daemons]
    figures.add("% of a core a daemon", 100 * load.cpu / count / seconds, count, "cpu")
    for part in _PARTS:
        figures.add("MB a daemon", sum(getattr(each, part) for each in memory) / count / 1e6, count, part)
    figures.add("frames/s", load.received / len(readers) / seconds, count, "frames")
    figures.add("frames", sum(answer["dropped"] for answer in load.answers), count, "dropped")
    for name, percent in (("p50", 50), ("p99", 99)):
        figures.add("ms", percentile(load.latency, percent), count, name)


def main() -> int:
    """Measure, and write the page."""
    more = {"--daemons": {"type": int, "nargs": "+", "default": [1, 8], "help": "numbers of daemons (default: 1 8)"}}
    options = arguments("matches", __doc__, more, seconds=(20.0, "seconds a round"), rounds=(3, "rounds"))

    def measured(figures: Figures) -> None:
        recording = make_elite()
        for _ in rounds(options.rounds):
            for count in options.daemons:
                measure_daemons(count, recording, options.seconds, figures)

    def written(figures: Figures) -> str:
        return page(
            "Many matches on one machine",
            made("matches"),
            "Each daemon plays the generated match `elite` (frames of 134 to 169 KB) at 22.4 Hz, keeps its history, "
            "and serves two agents that decode nothing: `latest` with `columns+zstd-stream`, and `every` with "
            f"protobuf. {options.rounds} rounds of {options.seconds:g} s; medians, with the least and the most in "
            "brackets. CPU and memory are for each daemon; PSS counts memory that daemons share once. Latency in ms "
            "from published to received; `find` is what the directory of the matches takes to read, in ms.",
            figure_table(figures, "daemons", {str(each): (each,) for each in options.daemons}, _COLUMNS),
        )

    return run(options, measured, written)


if __name__ == "__main__":
    sys.exit(main())
