"""Codecs of the JVM over the frames of a recording, and HTTP between two JVMs: see benchmarks/jvm/README.md."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from abathur.bench.schema.model import messages
from languages import builds, java_source, jmh
from languages.command import Language, Work, main, write_delimited
from languages.measured import Measured

SOURCES = builds.ROOT / "benchmarks" / "jvm"
_JAVA = "src/main/java"
#: Beside the names of levels, which have no dots.
_RECORDING = "recording.frames"
_TOOLS = {"java": "openjdk-17-jdk-headless", "javac": "openjdk-17-jdk-headless", "mvn": "maven"}
# By its whole name: the short one would be looked up in the registry.
_WRITE_CLASSPATH = "org.codehaus.mojo:exec-maven-plugin:exec"
_NOT_DOWNLOADED = re.compile(r"(?:Could not (?:transfer|find) artifact|Plugin \S+ or one of its)[^\n]*?(?= -> |\n)")


_CODECS = {
    "jackson": "Jackson, plain objects",
    "jackson-afterburner": "Jackson with Afterburner, plain objects",
    "jackson-blackbird": "Jackson with Blackbird, plain objects",
    "protobuf": "protobuf-java",
    "protobuf-plain": "protobuf-java, from and to plain objects",
    "protojson": "protobuf-java-util JsonFormat",
    "protobuf+gzip": "protobuf-java, gzip",
    "jackson+gzip": "Jackson, plain objects, gzip",
}


def unavailable(names: Sequence[str]) -> dict[str, str]:
    """All rows without a JDK, Maven, or a protoc for Java."""
    try:
        for tool, package in _TOOLS.items():
            builds.find(tool, package)
        builds.find_protoc()
    except builds.UnavailableError as error:
        return dict.fromkeys(names, str(error))
    return {}


def measure(work: Work) -> Measured:
    """Build, check, and run JMH for each codec and round in a process of its own."""
    build = _built()
    classpath = os.pathsep.join((build / "classpath.txt").read_text(encoding="utf-8").splitlines())
    java = [builds.find("java", _TOOLS["java"]), "-cp", classpath]
    names = _write_frames(work)
    checked = work.folder / "checked.json"
    builds.run(
        [*java, "abathur.bench.Check", str(work.folder), str(checked), ",".join(names), ",".join(work.codecs)],
        cwd=work.folder,
    )
    found = json.loads(checked.read_text(encoding="utf-8"))
    rows: dict[str, dict[str, Any]] = found["rows"]
    order = random.Random(work.seed)
    codecs = list(work.codecs)
    for number in range(1, work.rounds + 1):
        order.shuffle(codecs)
        for batch, group, options in _batches(codecs, rows, quick=work.quick):
            print(f"round {number} of {work.rounds}: timing {', '.join(batch)}", file=sys.stderr, flush=True)
            jmh.run(java, work.folder, batch, group, rows, options)
    jmh.add_allocated(work.folder, rows)
    http = {}
    if {"jackson", "protobuf"} <= set(work.codecs):
        print("timing HTTP", file=sys.stderr, flush=True)
        http = jmh.measure_http(java, work.folder, _RECORDING, rounds=work.rounds, seed=work.seed, quick=work.quick)
    return Measured(
        runtimes={"Java": found["java"]},
        packages=_packages(),
        codecs=rows.pop(_RECORDING),
        levels=rows,
        extra={"http": http},
    )


def _batches(
    codecs: Sequence[str], rows: dict[str, dict[str, dict[str, Any]]], *, quick: bool
) -> Iterator[tuple[list[str], list[str], Sequence[str]]]:
    """Codecs, names of frames and options of each run of JMH. What failed its check is not timed."""
    if quick:
        carried = [codec for codec in codecs if not any(of_name[codec].get("error") for of_name in rows.values())]
        if carried:
            yield carried, list(rows), jmh.QUICK
        return
    for codec in codecs:
        names = [name for name, of_name in rows.items() if not of_name[codec].get("error")]
        for is_recording, options in ((True, jmh.FRAMES), (False, jmh.LEVELS)):
            group = [name for name in names if (name == _RECORDING) == is_recording]
            if group:
                yield [codec], group, options


def _write_frames(work: Work) -> list[str]:
    """Put every file of frames into the folder, delimited; returns their names."""
    work.frames.replace(work.folder / f"{_RECORDING}.binpb")
    levels = sorted(work.levels.glob("*.binpb")) if work.levels is not None else []
    for level in levels:
        write_delimited(work.folder / level.name, [level.read_bytes()])
    return [_RECORDING, *(level.stem for level in levels)]


def _built() -> Path:
    sources = builds.files(SOURCES, f"{_JAVA}/**/*.java", "pom.xml")
    for path, text in java_source.sources(messages()).items():
        sources[f"{_JAVA}/abathur/bench/{path}"] = text.encode()
    versions = subprocess.run(
        [builds.find("java", _TOOLS["java"]), "-version"], capture_output=True, text=True, check=True
    ).stderr
    return builds.built("jvm", sources, [versions], _build)


def _build(folder: Path, target: Path) -> None:
    print("jvm.py: building", file=sys.stderr)
    builds.protoc(f"--java_out={folder / _JAVA}", program=[builds.find_protoc()])
    mvn = [builds.find("mvn", _TOOLS["mvn"]), "-q", "-B", "-Dstyle.color=never", *builds.maven_settings(folder)]
    try:
        builds.run([*mvn, "compile", _WRITE_CLASSPATH], cwd=folder)
    except builds.BuildError as error:
        if found := _NOT_DOWNLOADED.search(error.output):
            raise builds.UnavailableError(f"the packages of the JVM cannot be downloaded: {found[0]}") from None
        raise
    # The folder of the classes, which is the other entry, is about to move.
    lines = (folder / "classpath.txt").read_text(encoding="utf-8").splitlines()
    jars = [line for line in lines if line.endswith(".jar")]
    (folder / "classpath.txt").write_text("\n".join([str(target / "target" / "classes"), *jars]), encoding="utf-8")


def _packages() -> dict[str, str]:
    text = (SOURCES / "pom.xml").read_text(encoding="utf-8")
    versions = dict(re.findall(r"<(\w+)\.version>([^<]+)<", text))
    artifacts = re.findall(r"<artifactId>([\w-]+)</artifactId>\s*<version>\$\{(\w+)\.version\}", text)
    return {artifact: versions[name] for artifact, name in artifacts}


if __name__ == "__main__":
    sys.exit(main(Language("jvm", _CODECS, unavailable, measure)))
