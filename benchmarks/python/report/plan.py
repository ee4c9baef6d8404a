"""What a report measures: programs to run one after the other, with the time that each is given."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from processes import BENCHMARKS, ROOT

from recordings import SEQUENCES, SKIRMISH

BROWSER = ROOT / "benchmarks" / "browser"
_COMPRESSED = {
    "csharp": ("protobuf", "protojson", "system-text-json", "cbor"),
    "python": ("protobuf", "orjson", "msgspec-msgpack", "fastavro"),
}
CODECS = {
    "csharp": (
        "protobuf", "protobuf-buffer", "projection", "protojson", "protojson-google", "protojson-google-wire",
        "system-text-json", "cbor",
    ),
    "python": (
        "protobuf", "protobuf-scan", "protojson-google", "protojson-google-indented", "json", "orjson", "msgspec-json",
        "msgspec-msgpack", "msgpack", "cbor2", "fastavro", "flatbuffers", "flatbuffers-read", "flatbuffers-scan",
    ),
}  # fmt: skip
#: Each frame depends on those since the last keyframe.
STREAMS = {
    "csharp": ("columns", "zstd-stream", "br-stream", "columns+zstd-stream", "columns+br-stream"),
    "python": (),
}
_QUICK_BROWSER = ("json", "protobufjs", "pbf", "protobuf-es", "flatbuffers-read", "msgpackr", "avsc", "bebop")
COMPRESSIONS = ("gzip", "br", "zstd")


@dataclass(frozen=True)
class Part:
    """One program: its command, the file that it writes, and about how many seconds it takes.

    `shows` says whether its output is for people to see; else only its errors are.
    """

    title: str
    command: list[str | Path]
    output: Path
    seconds: float
    shows: bool = False


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
    names = [*CODECS[language], *STREAMS[language]]
    if compressed:
        names += [f"{name}+{each}" for name in _COMPRESSED[language] for each in COMPRESSIONS]
    return names


def matching(language: str, pattern: str) -> list[str]:
    """Codecs whose name matches a glob, whatever its case; compressed ones only where the pattern has a plus sign."""
    names = list(CODECS[language])
    if "+" in pattern:
        names = [f"{name}+{each}" for name in names for each in COMPRESSIONS]
    return [name for name in (*names, *STREAMS[language]) if fnmatchcase(name, pattern.lower())]


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
    budget: float,
    rounds: int = 3,
    frames: int | None = None,
) -> Part:
    """A match run in C# or Python."""
    output = folder / f"match-{recording.stem}-{language}.json"
    program: list[str | Path] = (
        ["dotnet", BENCHMARKS, "match"]
        if language == "csharp"
        else [sys.executable, "-m", "abathur", "bench", "--force"]
    )
    options: list[str | Path] = ["--codecs", ",".join(names), "--rounds", str(rounds), "--budget", str(budget)]
    if frames is not None:
        options += ["--frames", str(frames)]
    title = f"{recording.stem}, {'C#' if language == 'csharp' else 'Python'}"
    return Part(title, [*program, recording, *options, "--json", output], output, budget + 3)


def browser_run(
    recording: Path, folder: Path, *, frames: int, rounds: int, seconds: float, names: list[str] | None = None
) -> Part:
    """A match run in Chromium."""
    output = folder / f"match-{recording.stem}-browser.json"
    command: list[str | Path] = ["node", BROWSER / "run.mjs", recording, "--frames", str(frames)]
    chosen = ["--codecs", ",".join(names)] if names else []
    command += ["--rounds", str(rounds), *chosen, "--json", output]
    return Part(f"{recording.stem}, browser", command, output, seconds)


def end_to_end(folder: Path, *, quick: bool, seconds: float) -> Part:
    """The transports' end-to-end measurement."""
    output = folder / "end-to-end.json"
    program = ROOT / "benchmarks" / "python" / "end_to_end.py"
    command: list[str | Path] = [sys.executable, program, "--output", output, *(["--quick"] if quick else [])]
    return Part("end to end", command, output, seconds, shows=True)


def single_operations(artifacts: Path, patterns: tuple[str, ...], seconds: float) -> Part:
    """BenchmarkDotNet's short job, with short iterations."""
    command: list[str | Path] = ["dotnet", BENCHMARKS, "--artifacts", artifacts, "--filter", *patterns]
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
    plan.parts.append(match_run("python", elite, folder, codecs("python", compressed=False), budget=30, frames=120))
    names = list(_QUICK_BROWSER)
    run = browser_run(SKIRMISH, folder, frames=20, rounds=2, seconds=35, names=names)
    # Less warm-up, and two seconds of end to end at 22.4 Hz.
    run.command.extend(["--warm-up", "100", "--end-to-end-frames", "45"])
    _browser(plan, [run])
    plan.parts.append(end_to_end(folder, quick=True, seconds=55))
    plan.missing.append("single operations (BenchmarkDotNet), the whole match and the windows: --quick leaves them out")
    return plan


def full(folder: Path, elite: Path, sequences: list[Path], artifacts: Path, *, scale: float = 1) -> Plan:
    """`elite`, a whole match and windows of others, browser, end to end, single operations.

    About 45 minutes times `scale`: budgets and the browser's frames are scaled, the rest takes what it takes.
    """
    plan = Plan()
    _browser(plan, [browser_run(elite, folder, frames=round(100 * scale), rounds=3, seconds=300 * scale)])
    if not sequences:
        plan.missing.append(f"the whole match and the windows of others: there is no {SEQUENCES.parent.name}/sequences")
    for path in sorted(sequences, key=lambda each: "full" not in each.stem):
        whole = "full" in path.stem
        for language, seconds in (("csharp", 150 if whole else 20), ("python", 150 if whole else 25)):
            names = codecs(language, compressed=whole)
            plan.parts.append(match_run(language, path, folder, names, budget=round(seconds * scale)))
    for language in CODECS:
        names = codecs(language, compressed=True)
        plan.parts.append(match_run(language, elite, folder, names, budget=round(450 * scale), rounds=2))
    plan.parts.append(end_to_end(folder, quick=False, seconds=380))
    patterns = ("*TranscoderBenchmarks*", "*CodecBenchmarks.Encode(*", "*CodecBenchmarks.Decode(*")
    plan.parts.append(single_operations(artifacts, patterns, 400))
    return plan


def _browser(plan: Plan, parts: list[Part]) -> None:
    why = browser_missing()
    if why is None:
        plan.parts += parts
    else:
        plan.missing.append(why)
