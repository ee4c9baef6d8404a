"""The benchmark of the stream encodings, run as it is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from programs import ROOT, SKIRMISH

SCRIPT = ROOT / "benchmarks" / "python" / "streams.py"


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True, timeout=300)


@pytest.mark.benchmarks
def test_it_measures_all_of_it(tmp_path: Path) -> None:
    done = bench(str(SKIRMISH), "--quick", "--output", str(tmp_path))
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    size = {each["figure"]: each["median"] for each in results["figures"]}
    bytes_of = {name.split("/")[-1]: value for name, value in size.items() if name.startswith("skirmish/bytes/")}
    assert bytes_of["columns+zstd-stream"] < bytes_of["zstd-stream"] < bytes_of["protobuf+zstd"] < bytes_of["protobuf"]
    assert bytes_of["columns+zstd-stream"] < 1000
    assert results["encoded"]["skirmish"]["frames"] == 300
    assert {"skirmish/encode/columns+zstd-stream", "joined/columns+zstd-stream", "back/proto+br-stream"} <= set(size)
    assert "| skirmish |" in (tmp_path / "README.md").read_text()


def test_wrong_usage_is_told(tmp_path: Path) -> None:
    for arguments, code, message in (
        (["missing.mcap"], 2, "no such recording: missing.mcap"),
        ([str(SKIRMISH), "--frames", "0"], 2, "--frames is positive"),
        ([str(ROOT / "README.md")], 3, "is not an MCAP file"),
    ):
        done = bench(*arguments, "--output", str(tmp_path))
        assert (done.returncode, done.stdout) == (code, "") and message in done.stderr
        assert "Traceback" not in done.stderr
