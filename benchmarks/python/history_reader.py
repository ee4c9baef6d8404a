"""Reads the history of a daemon over and over: `python history_reader.py HOST:PORT SUBSCRIBE FRAMES RATE`.

SUBSCRIBE is the JSON of a subscription on the socket, without `start` and `maxFrames`. It reads at most RATE frames a
second (0: as fast as they come), and decodes nothing. Told to stop by a line on its standard input, it prints
``{"frames": N, "seconds": S}``.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator

_BUFFER = 4 * 1024 * 1024
#: Seconds that it is ahead of the rate before it waits.
_AHEAD = 0.001


def _frames(address: str, subscribe: dict[str, object], count: int, rate: float) -> Iterator[bytes]:
    """One pass over the kept frames."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port))) as connection:
        line = json.dumps({"subscribe": {**subscribe, "startOldest": True, "maxFrames": str(count)}})
        connection.sendall(line.encode() + b"\n")
        stream = connection.makefile("rb", _BUFFER)
        stream.readline()
        started = time.perf_counter()
        # Not until the daemon closes: it waits for the client to do that.
        for number in range(count):
            yield stream.read(int.from_bytes(stream.read(4), "little"))
            if rate > 0 and (ahead := started + number / rate - time.perf_counter()) > _AHEAD:
                time.sleep(ahead)


def _main(address: str, subscribe: str, count: str, rate: str) -> None:
    # As on a machine of its own: what the daemon does for it is measured, not what it takes from the other reader.
    if hasattr(os, "nice"):
        os.nice(19)
    stop = threading.Event()

    def wait() -> None:
        sys.stdin.readline()
        stop.set()

    threading.Thread(target=wait, daemon=True).start()
    print("reading", flush=True)
    frames, started = 0, time.perf_counter()
    while not stop.is_set():
        for _ in _frames(address, json.loads(subscribe), int(count), float(rate)):
            frames += 1
            if stop.is_set():
                break
    print(json.dumps({"frames": frames, "seconds": time.perf_counter() - started}), flush=True)


if __name__ == "__main__":
    _main(*sys.argv[1:])
