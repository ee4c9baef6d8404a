"""The benchmark of the proxy's delay: it runs, and everything that it compares took part."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from programs import ROOT


@pytest.mark.benchmarks
@pytest.mark.skipif(shutil.which("socat") is None, reason="socat, the bare relay, is not installed")
def test_a_quick_run_compares_all_ways(tmp_path: Path) -> None:
    program = ROOT / "benchmarks" / "python" / "proxy_delay.py"
    done = subprocess.run(
        [sys.executable, str(program), "--quick", "--output", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n| ") == 8
    results = json.loads((tmp_path / "results.json").read_text())["results"]
    assert list(results) == ["1 KB", "80 KB", "160 KB"]
    for each in results.values():
        assert each["agents"] == 10
        # Each request that went through the proxy, those before the measurement and the first included.
        assert each["recorded"] == 1 + 20 + 25 + 2 + 2 * 10 + 2 * (50 + 5)
        assert each["not recorded"] == 0
        for pace in ("22.4 Hz", "back to back"):
            assert all(each[pace][way]["p50"]["us"] > 0 for way in ("direct", "socat", "socat -b", "proxy"))
