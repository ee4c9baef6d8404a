"""A connection to the daemon's socket, TCP or Unix domain. tools/make_blocking.py generates the blocking twin.

A connection of the socket has one subscription; requests (act, control) use it while its match runs, and have a
connection of their own otherwise.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator

from abathur._frame.frame import Frame
from abathur._program.address import Address
from abathur._transport.reading import MatchStart
from abathur._transport.socket_requests import ask, match_of
from abathur._transport.socket_session import OverError
from abathur._transport.socket_subscriptions import AsyncSubscription
from abathur._transport.timeouts import Timeouts
from abathur.errors import LostError, StoppingError
from abathur.sync.v1 import sync_pb2


class AsyncSocketConnection:
    """A daemon's socket: a connection for each subscription. Requests use the newest, or their own."""

    def __init__(self, address: Address, timeouts: Timeouts) -> None:
        """Connect with `subscribe` or the first request."""
        self._address = address
        self._timeouts = timeouts
        self._streams: list[AsyncSubscription] = []
        self._match: MatchStart | None = None

    async def close(self) -> None:
        """Close all connections."""
        for stream in self._streams.copy():
            await stream.close()

    async def match(self, run_id: str) -> sync_pb2.Match | None:
        """The constant data of a match; of any, it is known once frames are being read."""
        # In a thread: other tasks of the event loop have their turn.
        return await asyncio.to_thread(match_of, self._match, run_id, self._address, self._timeouts)

    async def request(self, message: sync_pb2.ClientMessage) -> sync_pb2.Result:
        """The answer to a request."""
        if self._streams and self._streams[-1].takes_requests:
            with contextlib.suppress(OverError):
                return await self._streams[-1].request(message)
        return await asyncio.to_thread(ask, self._address, self._timeouts, message)

    async def subscribe(
        self, request: sync_pb2.SubscribeRequest, limit: int
    ) -> AsyncGenerator[Frame | sync_pb2.MatchEnded, None]:
        """Frames until the match ends, or the ends of matches between them; payloads of up to `limit` bytes."""
        stream = await AsyncSubscription.open(self._address, self._timeouts, _without_maximum(request), limit)
        self._streams.append(stream)
        given = 0
        try:
            self._match = await stream.start()
            while (event := await stream.next()) is not None:
                if isinstance(event, MatchStart):
                    self._match = event
                    continue
                yield event
                if isinstance(event, Frame):
                    given += 1
                    if given == request.max_frames:
                        return
                    stream.acknowledge(event)
        except StoppingError:
            return
        except OSError as error:
            raise LostError(str(error)) from None
        finally:
            self._streams.remove(stream)
            await stream.close()


def _without_maximum(request: sync_pb2.SubscribeRequest) -> sync_pb2.SubscribeRequest:
    """What to ask the daemon for: under `latest` it counts frames that this client drops, so the client counts."""
    if request.policy != sync_pb2.latest or not request.max_frames:
        return request
    asked = sync_pb2.SubscribeRequest()
    asked.CopyFrom(request)
    asked.ClearField("max_frames")
    return asked
