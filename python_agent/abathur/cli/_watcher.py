"""One watching agent in its own process, so that agents do not slow each other down."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import time
from contextlib import aclosing
from dataclasses import dataclass
from multiprocessing.connection import Connection

from abathur._client.game import Game, connect
from abathur._client.options import SubscribeOptions
from abathur._program import address as _address
from abathur.cli._stats import Counter
from abathur.errors import AbathurError

_REPORT_SECONDS = 0.25
#: How long to wait for the first frame. The time to watch begins with it: a daemon may wait for other agents.
_FIRST_FRAME_SECONDS = 20.0


@dataclass(frozen=True)
class Options:
    """What to watch."""

    address: str | None
    subscription: SubscribeOptions
    #: From the first frame on; None: until the match ends.
    seconds: float | None
    #: Seconds for a daemon that is not there yet.
    wait: float = 0.0

    @property
    def label(self) -> str:
        """The name of the agent in tables."""
        address = _address.parse(self.address)
        if address.transport == "nats":
            return f"nats columns {address.match}"
        encoding: str = self.subscription["encoding"]
        compression = self.subscription["compression"]
        if encoding == "auto":
            encoding = "proto"
        if compression != "none":
            encoding += f"+{compression}"
        where = address.path or f"{'' if address.host == '127.0.0.1' else address.host}:{address.port}"
        return f"{address.transport} {encoding} {where}"


def run(options: Options, reports: Connection) -> None:
    """Watch until the match ends or the time is up; send snapshots. The entry point of the process."""
    # All processes of the terminal get Ctrl-C: the parent handles it and closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    counter = Counter(options.label)
    error = ""
    try:
        asyncio.run(_watch(options, counter, reports))
    except AbathurError as failure:
        error = str(failure)
    except (BrokenPipeError, ConnectionError):
        return
    with contextlib.suppress(BrokenPipeError):
        reports.send(counter.snapshot(error=error, is_over=True))


async def _tell_rate(game: Game, counter: Counter) -> None:
    match = await game.match()
    counter.tick_hz = match.tick_hz if match is not None else 0.0


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError, AbathurError):
        await task


async def _watch(options: Options, counter: Counter, reports: Connection) -> None:
    seconds = options.seconds
    first_within = None if seconds is None else max(seconds, _FIRST_FRAME_SECONDS)
    with contextlib.suppress(TimeoutError):
        async with (
            connect(options.address, wait=options.wait, reconnect_timeout=5.0) as game,
            asyncio.timeout(first_within) as limit,
        ):
            frames = game.frames(**options.subscription)
            next_report = 0.0
            async with aclosing(frames), contextlib.AsyncExitStack() as stack:
                async for frame in frames:
                    if counter.frames == 0:
                        if seconds is not None:
                            limit.reschedule(asyncio.get_running_loop().time() + seconds)
                        # Beside the frames: reading the match takes longer than one frame.
                        stack.push_async_callback(_end, asyncio.create_task(_tell_rate(game, counter)))
                    counter.add(frame)
                    now = time.monotonic()
                    if now >= next_report:
                        next_report = now + _REPORT_SECONDS
                        reports.send(counter.snapshot())
