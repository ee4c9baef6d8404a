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

_BUFFER = 4 * 1024 * 1024


def _read(address: str, subscribe: dict[str, object], count: int, rate: float, stop: threading.Event) -> int:
    """One pass over the kept frames; how many came."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port))) as connection:
        line = json.dumps({"subscribe": {**subscribe, "startOldest": True, "maxFrames": str(count)}})
        connection.sendall(line.encode() + b"\n")
        buffer = memoryview(bytearray(_BUFFER))
        filled = frames = 0
        has_match = False
        started = time.perf_counter()
        # Not until the daemon closes: it waits for the client to do that.
        while frames < count and not stop.is_set():
            received = connection.recv_into(buffer[filled:])
            if received == 0:
                break
            filled += received
            at = 0
            if not has_match:
                end = bytes(buffer[:filled]).find(b"\n")
                if end < 0:
                    continue
                has_match, at = True, end + 1
            while filled - at >= 4:
                size = int.from_bytes(buffer[at : at + 4], "little") + 4
                if filled - at < size:
                    break
                at += size
                frames += 1
            buffer[: filled - at] = buffer[at:filled]
            filled -= at
            if rate > 0:
                time.sleep(max(0.0, started + frames / rate - time.perf_counter()))
        return min(frames, count)


def _main(address: str, subscribe: str, count: str, rate: str) -> None:
    # As on a machine of its own: what the daemon does for it is measured, not what it takes from the other reader.
    if hasattr(os, "nice"):
        os.nice(19)
    stop = threading.Event()
    frames = 0
    started = time.perf_counter()

    def read() -> None:
        nonlocal frames
        while not stop.is_set():
            frames += _read(address, json.loads(subscribe), int(count), float(rate), stop)

    reading = threading.Thread(target=read)
    reading.start()
    print("reading", flush=True)
    sys.stdin.readline()
    stop.set()
    reading.join()
    print(json.dumps({"frames": frames, "seconds": time.perf_counter() - started}), flush=True)


if __name__ == "__main__":
    _main(*sys.argv[1:])
