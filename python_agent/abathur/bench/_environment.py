"""The machine and the versions of a result."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from google.protobuf.internal import api_implementation

_PACKAGES = (
    "protobuf", "orjson", "msgspec", "msgpack", "cbor2", "fastavro", "flatbuffers", "brotli", "zstandard", "numpy",
)  # fmt: skip
_CLOCK_SAMPLES = 100_001


def describe() -> dict[str, Any]:
    """The `environment` object of a result."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "commit": _commit(),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "os": platform.platform(),
        "load": list(os.getloadavg()) if hasattr(os, "getloadavg") else [],
        "runtimes": {platform.python_implementation(): platform.python_version()},
        "packages": {name: version for name in _PACKAGES if (version := _version(name)) is not None},
        "settings": {"protobuf": api_implementation.Type()},
        "clock": clock(),
    }


def clock() -> dict[str, float]:
    """The overhead of the clock, which every sample contains: smallest step, and median of an empty section."""
    read = time.perf_counter_ns
    samples = []
    for _ in range(_CLOCK_SAMPLES):
        start = read()
        samples.append(read() - start)
    samples.sort()
    steps = [sample for sample in samples if sample > 0]
    return {"resolution_ns": float(steps[0] if steps else 1), "read_ns": float(samples[_CLOCK_SAMPLES // 2])}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _commit() -> str:
    """Commit of the checkout of this file; "unknown" for an installed package."""
    here = Path(__file__).resolve().parent
    command = ["git", "-C", str(here), "rev-parse", "HEAD"]
    try:
        tracked = subprocess.run(
            [*command[:3], "ls-files", "--error-unmatch", __file__], capture_output=True, check=False
        )
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return done.stdout.strip() if tracked.returncode == 0 and done.returncode == 0 else "unknown"


def _cpu() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
