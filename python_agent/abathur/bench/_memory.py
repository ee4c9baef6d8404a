"""Peak memory of one encoding and decoding, in a separate process: ``python -m abathur.bench._memory CODEC``.

On Linux this is the peak resident set of the process, which includes the memory of C libraries (protobuf's messages are
not in Python's memory). Elsewhere it is tracemalloc's peak.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import tracemalloc
from pathlib import Path

from s2clientprotocol import sc2api_pb2

from abathur.bench._catalog import create
from abathur.bench._frames import RecordedFrame

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"
_TIMEOUT = 120


def method() -> str:
    """How it is measured here: "resident set" or "tracemalloc"."""
    return "resident set" if _can_reset() else "tracemalloc"


def peak_memory(name: str, observation: bytes) -> int | None:
    """Bytes that one encoding and one decoding of an observation take at most; None if that fails."""
    done = subprocess.run(
        [sys.executable, "-m", "abathur.bench._memory", name], input=observation, capture_output=True, timeout=_TIMEOUT
    )
    return int(done.stdout) if done.returncode == 0 else None


def _measure(name: str, observation: bytes) -> int:
    codec = create(name)
    # One unit first, so that initialization on first use does not count for the frame.
    small = sc2api_pb2.ResponseObservation()
    small.observation.raw_data.units.add().tag = 1
    source = codec.prepare(small, RecordedFrame(0, small.SerializeToString()).plain)
    codec.decode(codec.encode(source))
    frame = RecordedFrame(0, observation)
    source = codec.prepare(frame.message(), frame.plain)
    gc.collect()
    if not _can_reset():
        tracemalloc.start()
        decoded = codec.decode(codec.encode(source))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        del decoded
        return peak
    _trim()
    _CLEAR.write_text(_RESET_PEAK)
    before = _status("VmRSS")
    decoded = codec.decode(codec.encode(source))
    peak = _status("VmHWM") - before
    del decoded
    return max(peak, 0)


def _trim() -> None:
    """Return freed memory to the system, so that later use is counted."""
    import ctypes

    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):
        # Not glibc: memory that was freed before may be reused without being counted.
        return


def _can_reset() -> bool:
    try:
        _CLEAR.write_text(_RESET_PEAK)
    except OSError:
        return False
    return _STATUS.exists()


def _status(key: str) -> int:
    for line in _STATUS.read_text().splitlines():
        if line.startswith(f"{key}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"{_STATUS} has no {key}")


if __name__ == "__main__":
    print(_measure(sys.argv[1], sys.stdin.buffer.read()))
