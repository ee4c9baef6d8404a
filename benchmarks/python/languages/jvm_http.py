"""HTTP between two JVMs: GET and POST of frames, as protobuf and as JSON, with gzip and without."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from languages import builds
from languages.measured import sizes, summary

_WARM_UP_MS = 2_000
_TIMEOUT_SECONDS = 30


def measure(
    java: list[str], folder: Path, name: str, *, rounds: int, seed: int, quick: bool
) -> dict[str, dict[str, Any]]:
    """Run server and client.

    Args:
        java: Command and classpath.
        folder: Has the frames.
        name: Of the frames.
        rounds: Passes over the frames, for each kind of request in another order.
        seed: Start of the order.
        quick: Whether to do without warming up.

    Returns:
        Rows by kind: ``bytes`` of the body, ``total_ns``, and of that ``server_codec_ns`` and ``server_gzip_ns``.
    """
    out = folder / "http.json"
    # Without it, an answer of more than one packet waits for the client's delayed acknowledgement: 40 ms.
    server = [java[0], "-Dsun.net.httpserver.nodelay=true", *java[1:], "abathur.bench.FrameServer", str(folder), name]
    with subprocess.Popen(server, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            ready = process.stdout.readline().split()
            if ready[:1] != ["ready"]:
                raise builds.BuildError(f"the HTTP server did not start: {' '.join(ready)}", "")
            client = ["abathur.bench.FrameClient", str(folder), name, f"http://127.0.0.1:{ready[1]}", str(out)]
            client += [str(rounds), str(seed), str(0 if quick else _WARM_UP_MS)]
            builds.run([*java, *client], cwd=folder)
        finally:
            process.stdin.close()
            try:
                process.wait(_TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
    found: dict[str, dict[str, Any]] = json.loads(out.read_text(encoding="utf-8"))
    return {kind: _row(row, is_compressed=kind.endswith("-gzip")) for kind, row in found.items()}


def _row(row: dict[str, Any], *, is_compressed: bool) -> dict[str, Any]:
    return {
        "bytes": sizes(row["bytes"]),
        "total_ns": summary(row["total"]),
        "server_codec_ns": summary(row["server_codec"]),
        "server_gzip_ns": summary(row["server_gzip"]) if is_compressed else None,
    }
