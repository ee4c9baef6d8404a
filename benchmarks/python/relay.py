"""Many matches and many readers on NATS, beside the daemon alone: `dotnet make.cs bench relay`."""

from __future__ import annotations

import argparse
import asyncio
import datetime
import json
import shutil
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import processes
from figures import Figures, machine, save
from processes import PUBLISHED, ROOT, Daemon, MeasureError, Process
from relay_faults import LEADER_KILLS, away, leaders
from relay_page import page

from recordings import LOCAL, make_elite

HERE = Path(__file__).parent
#: Where the frames are large, in seconds of the match.
_START = "400"
_SETTLE_SECONDS = 3.0
_MAX_SETTLE_SECONDS = 45.0
_SETTLED_NS = 200_000_000
#: Matches, and readers of one, of a process of readers.
_MATCHES_A_PROCESS = 50
_READERS_A_PROCESS = 250


@dataclass(frozen=True)
class Case:
    """What runs at once.

    Attributes:
        name: Its name in the results.
        matches: Matches at 22.4 Hz.
        readers: Readers of each match.
        mode: What the readers do (relay_readers.py).
    """

    name: str
    matches: int
    readers: int
    mode: str

    @property
    def on_nats(self) -> bool:
        """Whether there are relays and a NATS server, or the daemon alone."""
        return not self.mode.startswith("daemon")


CASES = (
    Case("40 matches, a reader each", 40, 1, "every"),
    Case("40 readers at a daemon", 40, 1, "daemon"),
    Case("10 matches, ten readers each", 10, 10, "every"),
    Case("10 matches, a decoding reader each", 10, 1, "decode"),
    Case("10 decoding readers at a daemon", 10, 1, "daemon-decode"),
)
#: One match, more and more readers on plain subscriptions.
AUDIENCES = tuple(Case(f"{count} readers of one match", 1, count, "plain") for count in (1, 10, 100, 1000))
SATURATION = tuple(Case(f"{count} matches", count, 1, "every") for count in (60, 80, 100))


class NatsServer(Process):
    """A server with JetStream in a folder."""

    def __init__(self, program: str, folder: Path) -> None:
        place: list[str | Path] = ["-js", "-sd", folder / "js", "--ports_file_dir", folder, "-l", folder / "log"]
        super().__init__([program, "-a", "127.0.0.1", "-p", "-1", *place])
        deadline = time.monotonic() + 10
        self.url = ""
        while not self.url:
            for path in folder.glob("*.ports"):
                urls = [word for word in path.read_text().replace('"', " ").split() if word.startswith("nats://")]
                self.url = urls[0] if urls else ""
            if time.monotonic() > deadline:
                raise MeasureError("nats-server did not start")
            time.sleep(0.01)

    def __exit__(self, *_: object) -> None:
        """It does not end with its standard input."""
        self._child.terminate()
        super().__exit__(None, None, None)


def ask(asked: list[Process]) -> list[dict[str, Any]]:
    """What processes have to tell about the time since they were asked before."""
    for process in asked:
        process.write_line("")
    return [json.loads(process.read_line()) for process in asked]


def all_begin(readers: list[Process]) -> bool:
    """Whether each reader has a frame, within some time."""
    waiting = threading.Thread(target=lambda: [reader.read_line() for reader in readers], daemon=True)
    waiting.start()
    waiting.join(_MAX_SETTLE_SECONDS)
    return not waiting.is_alive()


def settle(readers: list[Process]) -> bool:
    """Wait until what came before the readers began has been read; whether it was, within some time."""
    deadline = time.monotonic() + _MAX_SETTLE_SECONDS
    while True:
        time.sleep(_SETTLE_SECONDS)
        latency = [each for answer in ask(readers) for each in answer["latency"]]
        if latency and np.median(latency) < _SETTLED_NS:
            return True
        if time.monotonic() > deadline:
            return False


def shares(count: int, most: int) -> list[int]:
    """Parts of at most `most`."""
    return [min(most, count - begin) for begin in range(0, count, most)]


def run(case: Case, recording: Path, program: str, seconds: float, figures: Figures) -> bool:
    """Measure a case; whether the readers kept up."""
    with ExitStack() as stack:
        server: NatsServer | None = None
        playing = ["--start-offset", _START, "--loop"]
        daemons, readers = [], []
        if case.on_nats:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            server = stack.enter_context(NatsServer(program, folder))
            for number in range(case.matches):
                place = f"{server.url}/m{number // _MATCHES_A_PROCESS}-{number % _MATCHES_A_PROCESS}"
                daemons.append(stack.enter_context(Daemon(recording, *playing, "--relay", place)))
        else:
            daemons.append(stack.enter_context(Daemon(recording, *playing)))
        where = server.url if server is not None else f"grpc://{daemons[0].address('grpc')}"
        for index, matches in enumerate(shares(case.matches, _MATCHES_A_PROCESS)):
            for count in shares(case.readers, _READERS_A_PROCESS):
                line = [
                    sys.executable,
                    HERE / "relay_readers.py",
                    case.mode,
                    where,
                    f"m{index}",
                    str(matches),
                    str(count),
                ]
                readers.append(stack.enter_context(Process(line)))
        if not all_begin(readers) or not settle(readers):
            print(f"{case.name}: readers do not catch up with the matches", flush=True)
            return False
        before = [daemon.status().frames_published for daemon in daemons]
        groups = {"daemons": daemons, "NATS": [server] if server else [], "readers": readers}
        used = {name: sum(each.cpu_seconds() for each in group) for name, group in groups.items()}
        ask(readers)
        began = time.monotonic()
        time.sleep(seconds)
        took = time.monotonic() - began
        for name, group in groups.items():
            cpu = sum(each.cpu_seconds() for each in group) - used[name]
            if group:
                figures.add("cores", cpu / took, case.name, f"{name} cores")
        published = sum(daemon.status().frames_published for daemon in daemons) - sum(before)
        told = ask(readers)
        memory = sum(each.info.memory_full_info().uss for each in daemons)
    problems = [each for answer in told for each in answer["problems"]]
    received = sum(answer["frames"] for answer in told)
    expected = published * case.readers * (1 if case.on_nats else case.matches)
    latency = np.concatenate([np.array(answer["latency"], dtype=float) for answer in told]) / 1e6
    figures.add("frames/s", received / took / case.matches / case.readers, case.name, "frames/s")
    figures.add("problems", len(problems), case.name, "problems")
    figures.add("MB", memory / 1e6 / len(daemons), case.name, "MB a daemon")
    for quantile, percent in (("p50", 50), ("p99", 99)):
        figures.add("ms", float(np.percentile(latency, percent)), case.name, quantile)
    lag = 1 - received / max(1, expected)
    kept_up = not problems and abs(lag) < 0.02
    cpu = ", ".join(f"{name} {figures.text(case.name, f'{name} cores')}" for name, group in groups.items() if group)
    print(
        f"{case.name}: {received} of {expected} frames, p50 {np.percentile(latency, 50):.2f} ms, "
        f"p99 {np.percentile(latency, 99):.2f} ms; cores: {cpu}; {problems[:3] or 'no gap'}",
        flush=True,
    )
    return kept_up


def write(options: argparse.Namespace, figures: Figures, faults: dict[str, Any]) -> str:
    """Write what has been measured; returns the page."""
    text = page(figures, faults, CASES, AUDIENCES, SATURATION, seconds=options.seconds, rounds=options.rounds)
    save(options.output, {"machine": machine(), "figures": figures.to_json(), "faults": faults}, text)
    (options.output / "figures.json").write_text(json.dumps(figures.by_name(), indent=1) + "\n")
    return text


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="dotnet make.cs bench relay", description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0, help="seconds a case (default: 20)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (default: 3)")
    parser.add_argument("--away", type=float, default=30.0, help="seconds that NATS is away (default: 30)")
    parser.add_argument("--kills", type=int, default=LEADER_KILLS, help=f"killed leaders (default: {LEADER_KILLS})")
    parser.add_argument(
        "--daemon", type=Path, default=PUBLISHED, help="the daemon to measure (default: the program that users get)"
    )
    parser.add_argument("--only", default="", help="only cases whose name has this text")
    parser.add_argument(
        "--output", type=Path, default=LOCAL / f"{datetime.date.today()}-relay", help="folder of the results"
    )
    options = parser.parse_args()
    if options.seconds <= 0 or options.rounds < 1 or options.away <= 0 or options.kills < 1:
        parser.error("--seconds, --rounds, --away and --kills are positive")
    program = shutil.which("nats-server")
    if program is None:
        print("relay: nats-server is not installed (Debian: apt-get install nats-server)", file=sys.stderr)
        return 1
    processes.DAEMON = options.daemon
    figures = Figures()
    faults: dict[str, Any] = {}
    try:
        recording = make_elite()
        for number in range(options.rounds):
            print(f"round {number + 1} of {options.rounds}", flush=True)
            for case in (*CASES, *AUDIENCES):
                if options.only in case.name:
                    run(case, recording, program, options.seconds, figures)
        if not options.only or options.only in "leaders":
            faults["leaders"] = asyncio.run(leaders(recording, program, options.kills))
        if not options.only or options.only in "away":
            faults["away"] = asyncio.run(away(recording, program, options.away))
        write(options, figures, faults)
        for case in SATURATION:
            if options.only in case.name:
                try:
                    if not run(case, recording, program, options.seconds, figures):
                        break
                except MeasureError as error:
                    # So many that begin at once do not even begin.
                    print(f"{case.name}: {error}", flush=True)
                    break
                write(options, figures, faults)
    except MeasureError as error:
        print(f"relay: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(write(options, figures, faults))
    print(f"results in {options.output.relative_to(ROOT) if options.output.is_relative_to(ROOT) else options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
