"""An agent under `every` that stays, in a process of its own: `python churn_reference.py URL`.

Prints ``reading`` at its first frame. Told to stop by a line on its standard input, it prints what it got, a line of
JSON: ``published`` and ``latency`` (published to received) of each frame in ns, and ``error``: empty, or why it is not
whole.
"""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import dataclass, field

import abathur


@dataclass
class Reference:
    """What the agent gets."""

    address: str
    frames: int = 0
    error: str = ""
    published: list[int] = field(default_factory=list)
    latency: list[int] = field(default_factory=list)

    def run(self, stop: threading.Event) -> None:
        """Read until told to stop; any gap is an error."""
        try:
            with abathur.connect_blocking(self.address) as game:
                last = 0
                for frame in game.frames(policy="every", encoding="proto", name="reference"):
                    if frame.dropped or (last and frame.sequence != last + 1):
                        self.error = f"frame {frame.sequence} came after {last}, {frame.dropped} dropped"
                        return
                    last = frame.sequence
                    self.published.append(frame.timing.published)
                    self.latency.append(frame.timing.received - frame.timing.published)
                    self.frames += 1
                    if stop.is_set():
                        return
            self.error = "the stream ended"
        except abathur.AbathurError as error:
            self.error = str(error)


def _main(address: str) -> None:
    reference, stop = Reference(address), threading.Event()
    reading = threading.Thread(target=reference.run, args=(stop,))
    reading.start()
    while reading.is_alive() and not reference.frames:
        reading.join(0.01)
    print("reading", flush=True)
    sys.stdin.readline()
    stop.set()
    reading.join()
    print(
        json.dumps({"published": reference.published, "latency": reference.latency, "error": reference.error}),
        flush=True,
    )


if __name__ == "__main__":
    _main(sys.argv[1])
