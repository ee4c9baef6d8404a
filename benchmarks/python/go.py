"""Codecs of Go over the frames of a recording: see benchmarks/go/README.md."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from abathur.bench.schema.model import messages
from languages import builds, go_source
from languages.command import Language, Work, main
from languages.measured import Measured

SOURCES = builds.ROOT / "benchmarks" / "go"
SCHEMA = builds.ROOT / "benchmarks" / "schemas" / "observation.fbs"
_PLUGINS = (
    "google.golang.org/protobuf/cmd/protoc-gen-go",
    "github.com/gogo/protobuf/protoc-gen-gogofast",
    "github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto",
)
_LIBRARIES = (
    "github.com/google/flatbuffers/go",
    "github.com/json-iterator/go",
    "google.golang.org/protobuf/encoding/protojson",
)
_EXE = ".exe" if sys.platform == "win32" else ""


_CODECS = {
    "encoding-json": "encoding/json, plain structs",
    "json-iterator": "json-iterator, plain structs",
    "protobuf": "google.golang.org/protobuf",
    "gogo": "gogo/protobuf (gogofast)",
    "vtprotobuf": "vtprotobuf",
    "flatbuffers": "FlatBuffers, object API",
    "flatbuffers-read": "FlatBuffers, read in place",
    "protojson": "protojson (google.golang.org/protobuf)",
}


def unavailable(names: Sequence[str]) -> dict[str, str]:
    """All rows without Go, those of FlatBuffers without flatc."""
    try:
        builds.find("go", "golang-go")
        names = [name for name in names if name.startswith("flatbuffers")]
        builds.flatc()
    except builds.UnavailableError as error:
        return dict.fromkeys(names, str(error))
    return {}


def measure(work: Work) -> Measured:
    """Build and run."""
    go = builds.find("go", "golang-go")
    try:
        flatc: str | None = builds.flatc()
    except builds.UnavailableError:
        flatc = None
    out = work.folder / "measured.json"
    options = ["-frames", str(work.frames), "-codecs", ",".join(work.codecs), "-out", str(out)]
    options += ["-rounds", str(work.rounds), "-seed", str(work.seed)]
    options += ["-level-time", "1ms" if work.quick else "1s", "-warm-up", "1ms" if work.quick else "200ms"]
    options += [] if work.levels is None else ["-levels", str(work.levels)]
    program = _built(go, flatc) / f"bench{_EXE}"
    done = subprocess.run([str(program), *options], stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise builds.BuildError(f"the program of Go ended with code {done.returncode}", "")
    found = json.loads(out.read_text(encoding="utf-8"))
    return Measured(
        runtimes={"Go": found["runtime"].removeprefix("go")},
        packages=_modules() | ({"flatc": builds.FLATC_VERSION} if flatc else {}),
        clock=found["clock"],
        codecs=found["codecs"],
        levels=found["levels"],
    )


def _built(go: str, flatc: str | None) -> Path:
    types = messages()
    sources = builds.files(SOURCES, "*.go", "*/*.go", "go.mod", "go.sum")
    sources["gen/plain/plain.go"] = go_source.structs(types).encode()
    for name, text in go_source.touches(types, flatbuffers=flatc is not None).items():
        sources[f"gen/touch/{name}"] = text.encode()
    sources["gen/observation.fbs"] = re.sub(
        r"^namespace .*;$", "namespace flat;", SCHEMA.read_text(encoding="utf-8"), flags=re.M
    ).encode()
    version = subprocess.check_output([go, "version"], text=True)
    return builds.built("go", sources, [version, flatc or ""], lambda folder, _: _build(folder, go, flatc))


def _build(folder: Path, go: str, flatc: str | None) -> None:
    print("go.py: building", file=sys.stderr)
    environment = {**os.environ, **builds.go_proxy(), "GOFLAGS": "-mod=readonly"}
    plugins = folder / "plugins"
    plugins.mkdir()
    try:
        # Nothing of ours: what fails here is a download.
        builds.run([go, "build", "-o", f"{plugins}{os.sep}", *_PLUGINS, *_LIBRARIES], cwd=folder, env=environment)
    except builds.BuildError as error:
        reason = error.output.strip().splitlines()[-1]
        raise builds.UnavailableError(f"the modules of Go cannot be downloaded: {reason}") from None
    for kind, package in (("go", "pb"), ("go-vtproto", "pb"), ("gogofast", "gogo")):
        out = folder / "out" / package
        out.mkdir(parents=True, exist_ok=True)
        builds.protoc(*_plugin_options(plugins, kind, package, out))
    # The plugins make a folder for the one that the protos are in.
    for package in ("pb", "gogo"):
        (folder / "out" / package / "s2clientprotocol").replace(folder / "gen" / package)
    if flatc is not None:
        # flatc makes a folder of the namespace.
        builds.run([flatc, "--go", "--gen-object-api", "-o", "gen", "gen/observation.fbs"], cwd=folder)
    tags = ["-tags", "flatbuffers"] if flatc is not None else []
    builds.run([go, "build", *tags, "-o", f"bench{_EXE}", "."], cwd=folder, env=environment)


def _plugin_options(plugins: Path, kind: str, package: str, out: Path) -> list[str]:
    path = f"{go_source.MODULE}/gen/{package}"
    # The protos have no `go_package`.
    options = ["paths=source_relative"]
    options += [f"M{proto.relative_to(builds.PROTOS).as_posix()}={path}" for proto in builds.SC2_PROTOS]
    if kind == "go-vtproto":
        options.append("features=marshal+unmarshal+size")
    return [
        f"--plugin=protoc-gen-{kind}={plugins / f'protoc-gen-{kind}{_EXE}'}",
        f"--{kind}_out={out}",
        f"--{kind}_opt={','.join(options)}",
    ]


def _modules() -> dict[str, str]:
    required = re.findall(r"^\t(\S+) v(\S+)$", (SOURCES / "go.mod").read_text(encoding="utf-8"), re.M)
    return {module: version.removesuffix("+incompatible") for module, version in required}


if __name__ == "__main__":
    sys.exit(main(Language("go", _CODECS, unavailable, measure)))
