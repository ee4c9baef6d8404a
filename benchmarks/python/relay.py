"""Many matches and many readers on NATS, beside the daemon alone: `dotnet make.cs bench relay`."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import processes
from figures import Figures
from load import percentile, reading, window
from nats_server import NatsServer
from pages import figure_table, made, page, section
from processes import PUBLISHED, AgentProcess, Daemon, MeasureError, Process
from readers import Subscription
from runs import arguments, rounds, run

from recordings import make_elite

#: Where the frames are large, in seconds of the match.
_START = "400"
_SETTLE_SECONDS = 3.0
_MAX_SETTLE_SECONDS = 45.0
_SETTLED_MS = 200
#: Matches, and readers of one, of a process of readers.
_MATCHES_A_PROCESS = 50
_READERS_A_PROCESS = 250
_COLUMNS = {
    **{name: name for name in ("frames/s", "p50", "p99")},
    **{f"{name} CPU": f"{name} cores" for name in ("daemons", "NATS", "readers")},
    "MB a daemon": "MB a daemon",
    "gaps, errors": "problems",
}


@dataclass(frozen=True)
class Case:
    """What runs at once.

    Attributes:
        name: Its name in the results.
        matches: Matches at 22.4 Hz.
        readers: Readers of each match.
        mode: What the readers do: see `TRANSPORTS`.
    """

    name: str
    matches: int
    readers: int
    mode: str

    @property
    def on_nats(self) -> bool:
        """Whether there are relays and a NATS server, or the daemon alone."""
        return not self.mode.startswith("daemon")


#: Transport, and whether readers decode: ordered consumers on NATS, the same from the daemon, plain subscriptions.
TRANSPORTS = {
    "every": ("nats-every", False),
    "decode": ("nats", True),
    "plain": ("nats-plain", False),
    "daemon": ("grpc", False),
    "daemon-decode": ("grpc", True),
}
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


def shares(count: int, most: int) -> list[int]:
    """Parts of at most `most`."""
    return [min(most, count - begin) for begin in range(0, count, most)]


def readers_of(case: Case, where: str, stack: ExitStack) -> list[tuple[AgentProcess, list[Subscription]]]:
    """Who reads: every match as many times."""
    options: dict[str, Any] = {"policy": "every", "encoding": "columns", "compression": "zstd-stream"}
    transport, decode = TRANSPORTS[case.mode]
    places = [where] * case.matches
    if case.on_nats:
        places = [f"{where}/{_name(number)}" for number in range(case.matches)]
    reading = [Subscription(transport, place, decode=decode, **options) for place in places]
    parts = [
        part * count
        for part in _parts(reading, _MATCHES_A_PROCESS)
        for count in shares(case.readers, _READERS_A_PROCESS)
    ]
    return [(stack.enter_context(AgentProcess()), part) for part in parts]


def measure(case: Case, recording: Path, seconds: float, figures: Figures) -> bool:
    """Measure a case; whether the readers kept up."""
    with ExitStack() as stack:
        servers: list[Process] = []
        playing = ["--start-offset", _START, "--loop"]
        if case.on_nats:
            nats = NatsServer(Path(stack.enter_context(tempfile.TemporaryDirectory())))
            servers.append(stack.enter_context(nats))
            where = nats.address()
            relays = [["--relay", f"{nats.url}/{_name(number)}"] for number in range(case.matches)]
            daemons = [stack.enter_context(Daemon(recording, *playing, *relay)) for relay in relays]
        else:
            daemons = [stack.enter_context(Daemon(recording, *playing))]
            where = daemons[0].address("grpc")
        servers += daemons
        readers = readers_of(case, where, stack)
        stack.enter_context(reading(servers, readers))
        deadline = time.monotonic() + _MAX_SETTLE_SECONDS
        time.sleep(_SETTLE_SECONDS)
        # What came before the readers began is read.
        while percentile(window(servers, readers, 1.0).latency, 50) > _SETTLED_MS:
            if time.monotonic() > deadline:
                print(f"{case.name}: readers do not catch up with the matches", flush=True)
                return False
        load = window(servers, readers, seconds, moment="received")
        memory = sum(each.info.memory_full_info().uss for each in daemons)
    cores = {"daemons": sum(load.cpus[-len(daemons) :]), "readers": load.client_cpu}
    if case.on_nats:
        cores["NATS"] = load.cpus[0]
    for name, cpu in cores.items():
        figures.add("cores", cpu / seconds, case.name, f"{name} cores")
    problems = sum(each["gaps"] for each in load.answers)
    expected = load.published * case.readers * (1 if case.on_nats else case.matches)
    figures.add("frames/s", load.received / seconds / case.matches / case.readers, case.name, "frames/s")
    figures.add("problems", problems, case.name, "problems")
    figures.add("MB", memory / 1e6 / len(daemons), case.name, "MB a daemon")
    for percent in (50, 99):
        figures.add("ms", percentile(load.latency, percent), case.name, f"p{percent}")
    print(f"{case.name}: {load.received} of {expected} frames, {problems} gaps", flush=True)
    return not problems and abs(load.received / max(1, expected) - 1) < 0.02


def _name(number: int) -> str:
    """Of a match on NATS."""
    return f"m{number}"


def _parts(values: list[Subscription], most: int) -> list[list[Subscription]]:
    return [values[begin : begin + most] for begin in range(0, len(values), most)]


def saturate(recording: Path, options: Any, figures: Figures) -> None:
    """More and more matches, until the readers do not keep up."""
    for case in SATURATION:
        if options.only in case.name:
            try:
                if not measure(case, recording, options.seconds, figures):
                    return
            except MeasureError as error:
                # So many that begin at once do not even begin.
                print(f"{case.name}: {error}", flush=True)
                return


def main() -> int:
    """Measure, and write the page."""
    more = {
        "--daemon": {"type": Path, "default": PUBLISHED, "help": "the daemon (default: the program that users get)"},
        "--only": {"default": "", "help": "only cases whose name has this text"},
    }
    options = arguments("relay", __doc__, more, seconds=(20.0, "seconds a case"), rounds=(3, "rounds"))
    if shutil.which("nats-server") is None:
        print("relay: nats-server is not installed (Debian: apt-get install nats-server)", file=sys.stderr)
        return 1
    processes.DAEMON = options.daemon

    def measured(figures: Figures) -> None:
        recording = make_elite()
        for _ in rounds(options.rounds):
            for case in (*CASES, *AUDIENCES):
                if options.only in case.name:
                    measure(case, recording, options.seconds, figures)
        saturate(recording, options, figures)

    return run(options, measured, lambda figures: written(figures, options))


def written(figures: Figures, options: Any) -> str:
    """The page."""

    def cases(chosen: Iterable[Case]) -> str:
        return figure_table(figures, "", {case.name: (case.name,) for case in chosen}, _COLUMNS, measured=True)

    return page(
        "Matches on NATS",
        made("relay"),
        "Daemons play the generated match `elite` from its sixth minute (150 KB a frame, about 0.5 KB as `columns` "
        "with `zstd-stream`) at 22.4 Hz: one for each match on NATS, with `--relay`, or one for all readers. The "
        "server is one `nats-server` with file storage. Readers share processes, 50 matches each. They are in "
        "Python, read under `every` and check each sequence number; decoding readers make the units of each frame. "
        f"{options.seconds:g} s a case, {options.rounds} rounds: the median, and the lowest and highest. Times are "
        "from published by the daemon to received, ms; CPU in cores.",
        section(
            "Matches and readers",
            cases(CASES),
            "A daemon encodes once, and sends to each reader, or once to NATS. MB are the memory of a daemon alone.",
        ),
        section(
            "More matches, until it saturates",
            "One round. It ends where readers do not catch up with the matches, all of which begin at once.",
            cases(SATURATION),
        ),
        section(
            "Readers of one match",
            "Plain subscriptions (as `latest` uses them), a connection each, undecoded, each sequence number "
            "checked; 250 readers a process, without a library.",
            cases(AUDIENCES),
        ),
    )


if __name__ == "__main__":
    sys.exit(main())
