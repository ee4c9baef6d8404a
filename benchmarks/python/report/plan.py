"""What a report measures: programs to run one after the other, with the time that each is given."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import figures
from end_to_end import SOURCES
from processes import BENCHMARKS, ROOT

from recordings import SEQUENCES, SKIRMISH, Sequences
from report.others import PROGRAMS
from report.results import is_whole

#: What says how small each encoding is: of every frame, because a match run takes as many as its time allows.
_SIZES = (
    "protobuf", "protobuf+zstd", "protojson", "columns", "columns+zstd", "zstd-stream", "br-stream",
    "columns+zstd-stream", "columns+br-stream",
)  # fmt: skip
BROWSER = ROOT / "benchmarks" / "browser"
_CSHARP = (*figures.DAEMON_SOURCES, "benchmarks/Abathur.Benchmarks")
_PYTHON = (*figures.DAEMON_SOURCES, "python_agent/abathur")
_BROWSER = (*figures.DAEMON_SOURCES, "benchmarks/browser", "benchmarks/schemas")
_COMPRESSED = {
    "csharp": ("protobuf", "protojson", "system-text-json", "cbor"),
    "python": ("protobuf", "orjson", "msgspec-msgpack", "fastavro"),
}
CODECS = {
    "csharp": (
        "protobuf", "protobuf-buffer", "projection", "protojson", "protojson-google", "protojson-google-wire",
        "system-text-json", "system-text-json-reflection", "newtonsoft-json", "servicestack-text", "cbor",
    ),
    "python": (
        "protobuf", "protobuf-arrays", "protobuf-scan", "protojson-google", "protojson-google-indented", "json",
        "orjson", "msgspec-json", "msgspec-msgpack", "msgpack", "cbor2", "fastavro", "flatbuffers", "flatbuffers-read",
        "flatbuffers-scan",
    ),
}  # fmt: skip
#: Each frame depends on those since the last keyframe.
STREAMS = ("columns", "zstd-stream", "br-stream", "columns+zstd-stream", "columns+br-stream")
#: Columns, each payload compressed by itself.
_PACKED_COLUMNS = ("columns+gzip", "columns+br", "columns+zstd")
#: The four rows of the post of 2018.
_POST = {"csharp": ("protobuf", "protojson-google"), "python": ("protobuf", "protojson-google")}
_QUICK_BROWSER = ("json", "protobufjs", "pbf", "protobuf-es", "flatbuffers-read", "msgpackr", "avsc", "bebop")
COMPRESSIONS = ("gzip", "br", "zstd")


#: BenchmarkDotNet's own is 500. The page shows each error beside its mean.
_ITERATION_MS = 100


@dataclass(frozen=True)
class Part:
    """One program: its command, the file or folder that it writes, and about how many seconds it takes.

    Attributes:
        shows: Whether its output is for people to see; else only its errors are.
        quiet: Whether it waits for a quiet machine.
        environment: Variables that differ from those of the report.
        sources: What it measures: committed files and folders. It is measured again when they change.
    """

    title: str
    command: list[str | Path]
    output: Path
    seconds: float
    shows: bool = False
    quiet: bool = False
    environment: dict[str, str] = field(default_factory=dict)
    sources: tuple[str, ...] = figures.DAEMON_SOURCES

    @property
    def code(self) -> str:
        """Digest of the sources."""
        return figures.code(*self.sources)


@dataclass
class Plan:
    """Parts in their order, and what is omitted and why."""

    parts: list[Part] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """About how long it all takes."""
        return sum(part.seconds for part in self.parts)


def codecs(language: str, *, compressed: bool) -> list[str]:
    """Names for a match run: every codec, and the main ones compressed as well."""
    names = [*CODECS[language], *STREAMS]
    if compressed:
        names += _PACKED_COLUMNS
        names += [f"{name}+{each}" for name in _COMPRESSED[language] for each in COMPRESSIONS]
    return names


def matching(language: str, pattern: str) -> list[str]:
    """Codecs whose name matches a glob, whatever its case; compressed ones only where the pattern has a plus sign."""
    names = list(CODECS[language])
    if "+" in pattern:
        names = [f"{name}+{each}" for name in names for each in COMPRESSIONS]
    return [name for name in (*names, *STREAMS) if fnmatchcase(name, pattern.lower())]


def matching_in_browser(pattern: str) -> list[str]:
    """The same of the browser's codecs; none where they are not installed."""
    if browser_missing() is not None or not (BROWSER / "node_modules").is_dir():
        return []
    done = subprocess.run(["node", BROWSER / "run.mjs", "--list"], capture_output=True, text=True, check=False)
    return [name for name in done.stdout.split() if fnmatchcase(name, pattern.lower())]


def match_run(
    language: str,
    recording: Path,
    folder: Path,
    names: list[str],
    *,
    budget: float | None,
    rounds: int = 3,
    frames: int | None = None,
    seconds: float | None = None,
    kind: str = "match",
    environment: dict[str, str] | None = None,
) -> Part:
    """A match run in C# or Python, of about so many seconds; without a budget every frame is taken."""
    output = folder / f"{kind}-{recording.stem}-{language}.json"
    program: list[str | Path] = (
        ["dotnet", BENCHMARKS, "match"]
        if language == "csharp"
        else [sys.executable, "-m", "abathur", "bench", "--force"]
    )
    options: list[str | Path] = ["--codecs", ",".join(names), "--rounds", str(rounds)]
    if budget is not None:
        options += ["--budget", str(budget)]
    if frames is not None:
        options += ["--frames", str(frames)]
    title = f"{recording.stem}, {'C#' if language == 'csharp' else 'Python'}{'' if kind == 'match' else f' ({kind})'}"
    command = [*program, recording, *options, "--json", output]
    sources = _CSHARP if language == "csharp" else _PYTHON
    return Part(title, command, output, seconds or (budget or 0) + 3, environment=environment or {}, sources=sources)


def browser_run(
    recording: Path,
    folder: Path,
    *,
    frames: int,
    rounds: int,
    seconds: float,
    names: list[str] | None = None,
    browser: str = "chromium",
) -> Part:
    """A match run in Chromium or Firefox."""
    language = "browser" if browser == "chromium" else browser
    output = folder / f"match-{recording.stem}-{language}.json"
    command: list[str | Path] = ["node", BROWSER / "run.mjs", recording, "--browser", browser, "--frames", str(frames)]
    chosen = ["--codecs", ",".join(names)] if names else []
    command += ["--rounds", str(rounds), *chosen, "--json", output]
    return Part(f"{recording.stem}, {browser.capitalize()}", command, output, seconds, sources=_BROWSER)


def other_run(
    language: str, recording: Path, folder: Path, *, frames: int, rounds: int, levels: Path | None, seconds: float
) -> Part:
    """A match run in Java or Go; where the runtime is missing, the result says so."""
    output = folder / f"match-{recording.stem}-{language}.json"
    program = ROOT / "benchmarks" / "python" / f"{language}.py"
    options: list[str | Path] = ["--frames", str(frames), "--rounds", str(rounds), "--json", output]
    options += [] if levels is None else ["--levels", levels]
    title = f"{recording.stem}, {'Java' if language == 'jvm' else 'Go'}"
    sources = (f"benchmarks/{language}", f"benchmarks/python/{language}.py", "benchmarks/python/languages", "protos")
    return Part(title, [sys.executable, program, recording, *options], output, seconds, sources=sources)


def end_to_end(folder: Path, *, quick: bool, seconds: float, rounds: int = 3, frames: str = "2000,500") -> Part:
    """The transports' end-to-end measurement."""
    output = folder / "end-to-end.json"
    program = ROOT / "benchmarks" / "python" / "end_to_end.py"
    options = ["--quick"] if quick else ["--rounds", str(rounds), "--frames", frames]
    command: list[str | Path] = [sys.executable, program, "--output", output, *options]
    return Part("end to end", command, output, seconds, shows=True, quiet=not quick, sources=SOURCES)


def other(title: str, folder: Path, recording: Path, seconds: float) -> Part:
    """Another benchmark, with few rounds; its page and figures in a folder of its own."""
    name, *options = (each.format(recording=recording) for each in PROGRAMS[title])
    output = folder / name
    command: list[str | Path] = [sys.executable, ROOT / "benchmarks" / "python" / f"{name}.py", *options]
    return Part(title, [*command, "--output", output], output / "README.md", seconds, sources=_PYTHON)


def single_operations(
    artifacts: Path, folder: Path, patterns: Iterable[str], name: str, seconds: float, scale: float
) -> Part:
    """BenchmarkDotNet's default job. Its reports are taken from its artifacts to the folder of the report."""
    target = artifacts / name
    command: list[str | Path] = ["dotnet", BENCHMARKS, "--artifacts", target, "--filter", *patterns]
    command += ["--stopOnFirstError", "--iterationTime", str(round(_ITERATION_MS * max(scale, 0.5)))]
    title = f"single operations: {name}"
    output = folder / artifacts.name / name
    return Part(title, command, output, seconds, shows=True, quiet=True, sources=_CSHARP)


def short_operations(artifacts: Path, pattern: str, seconds: float) -> Part:
    """BenchmarkDotNet's short job, with short iterations."""
    command: list[str | Path] = ["dotnet", BENCHMARKS, "--artifacts", artifacts, "--filter", pattern]
    command += ["--job", "short", "--iterationTime", "100", "--stopOnFirstError"]
    return Part("single operations (BenchmarkDotNet)", command, artifacts / "results", seconds, shows=True)


def browser_missing() -> str | None:
    """Why nothing can be measured in a browser; None if it can. Chromium is looked for by the run itself."""
    if not (BROWSER / "run.mjs").exists():
        return "browser: benchmarks/browser/run.mjs is not there"
    if shutil.which("node") is None:
        return "browser: node is not installed (Debian: apt-get install nodejs npm)"
    if not (BROWSER / "node_modules").is_dir() and shutil.which("npm") is None:
        return "browser: npm is not installed, which fetches the codecs (Debian: apt-get install npm)"
    return None


def quick(folder: Path, elite: Path) -> Plan:
    """Under five minutes: the small recording, a few frames of `elite`, no single operations."""
    plan = Plan()
    plan.parts.append(match_run("csharp", SKIRMISH, folder, codecs("csharp", compressed=True), budget=35, frames=120))
    plan.parts.append(match_run("python", SKIRMISH, folder, codecs("python", compressed=True), budget=40, frames=120))
    plan.parts.append(match_run("csharp", elite, folder, codecs("csharp", compressed=False), budget=20, frames=120))
    run = browser_run(SKIRMISH, folder, frames=20, rounds=2, seconds=35, names=list(_QUICK_BROWSER))
    # Less warm-up, and two seconds of end to end at 22.4 Hz.
    run.command.extend(["--warm-up", "100", "--end-to-end-frames", "45"])
    _browser(plan, [run])
    plan.parts.append(other_run("go", SKIRMISH, folder, frames=20, rounds=1, levels=None, seconds=40))
    plan.parts.append(end_to_end(folder, quick=True, seconds=75))
    plan.missing.append(
        "single operations (BenchmarkDotNet), Java, Firefox, the whole match and the windows: --quick leaves them out"
    )
    return plan


def full(folder: Path, elite: Path, sequences: Sequences, artifacts: Path, levels: Path, *, scale: float = 1) -> Plan:
    """Everything. About a hundred minutes times `scale`, on a machine that does nothing else.

    Each language reads one whole match; other recordings are there for sizes and for encoding in C#, which differ. What
    varies least is repeated least. `scale` is applied to budgets, frames and rounds, and to BenchmarkDotNet's
    iterations, at least half.
    """
    plan = Plan()
    wholes = [path for path in sequences.plain if is_whole(path.stem)]
    others = [elite, *(path for path in sequences.plain if path not in wholes)] if wholes else []
    if not sequences.plain:
        plan.missing.append(f"the whole match and the windows of others: there is no {SEQUENCES.parent.name}/sequences")
    main = wholes[0] if wholes else elite
    for language, budget, more in (("csharp", 170, 10), ("python", 150, 70)):
        names = codecs(language, compressed=True)
        run = match_run(language, main, folder, names, budget=round(budget * scale), seconds=(budget + more) * scale)
        plan.parts.append(run)
    for path in others:
        names = codecs("csharp", compressed=False)
        plan.parts.append(match_run("csharp", path, folder, names, budget=round(15 * scale), seconds=20 * scale))
    for path in (main, *others, *sequences.noisy):
        is_long = path == elite or is_whole(path.stem.removesuffix("-noisy"))
        plan.parts.append(
            match_run("csharp", path, folder, [*_SIZES], budget=None, rounds=1, frames=_frames(1, scale),
                      seconds=(110 if is_long else 12) * scale, kind="sizes")
        )  # fmt: skip
    frames = max(20, round(50 * scale))
    for browser in ("chromium", "firefox"):
        run = browser_run(main, folder, frames=frames, rounds=2, seconds=225, browser=browser)
        # Warming up 30 codecs is most of the time.
        run.command.extend(["--warm-up", "200", "--end-to-end-frames", "112"])
        _browser(plan, [run])
    for language, rounds, seconds in (("go", 2, 350), ("jvm", 1, 420)):
        plan.parts.append(
            other_run(language, main, folder, frames=frames, rounds=rounds, levels=levels, seconds=seconds * scale)
        )
    _post(plan, folder, dict.fromkeys([elite, main]), scale)
    plan.parts.append(
        end_to_end(
            folder,
            quick=False,
            seconds=1950 * scale,
            rounds=max(1, round(5 * scale)),
            frames=f"{max(100, round(120 * scale))},{max(50, round(60 * scale))}",
        )
    )
    for title, seconds in zip(PROGRAMS, (150, 135, 40, 40), strict=True):
        plan.parts.append(other(title, folder, main, seconds))
    # BenchmarkDotNet writes its results at the end of a run, so what is interrupted is lost; before each run it builds.
    for operation in ("Encode", "Decode", "DecodeAndTouch"):
        patterns = [f"*CodecBenchmarks.{operation}(Level: {level},*" for level in ("Small", "Late")]
        plan.parts.append(single_operations(artifacts, folder, patterns, operation.lower(), 250, scale))
    plan.parts.append(single_operations(artifacts, folder, ["*TranscoderBenchmarks*"], "transcoder", 250, scale))
    return plan


def _frames(of: int, scale: float) -> int | None:
    """One of so many frames, times that share, of the longest match's 16,860; None: every frame."""
    return None if scale == of == 1 else max(50, round(16_860 * scale / of))


def _post(plan: Plan, folder: Path, recordings: Iterable[Path], scale: float) -> None:
    """One frame of ten in the four rows of the post of 2018; one of 300 with protobuf in pure Python, which is slow."""
    pure = {"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"}
    for recording in recordings:
        for language, seconds in (("csharp", 20), ("python", 140)):
            plan.parts.append(
                match_run(language, recording, folder, [*_POST[language]], budget=None, rounds=1,
                          frames=_frames(10, scale), seconds=seconds * scale, kind="post")
            )  # fmt: skip
        plan.parts.append(
            match_run("python", recording, folder, ["protobuf"], budget=None, rounds=1, frames=_frames(300, scale),
                      seconds=10 * scale, kind="post-pure", environment=pure)
        )  # fmt: skip


def _browser(plan: Plan, parts: list[Part]) -> None:
    why = browser_missing()
    if why is None:
        plan.parts += parts
    else:
        plan.missing.append(why)
