"""The relay: publishes the frames of a daemon to NATS as they are, and passes requests of readers to it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio

from abathur import _grpc
from abathur._address import Address
from abathur._nats import _directory, _wire
from abathur._nats._client import ApiError, Client, NoRelayError
from abathur._nats._requests import Requests
from abathur._nats._stream import MatchStream
from abathur._nats._sweep import sweep
from abathur._nats._wire import Stamp
from abathur._nats._writer import StreamWriter, WriteError
from abathur._timeouts import Timeouts
from abathur.errors import AbathurError, ConnectError, LostError, RequestError, StoppingError
from abathur.sync.v1 import sync_pb2

#: How often the entry in the directory is renewed, and its constant data, which the bucket keeps for a day.
_ENTRY_SECONDS = 5.0
_INFO_SECONDS = 6 * 3600.0
#: Delay before another attempt after a failure of the servers or of the daemon.
_RETRY_SECONDS = 0.25
#: Frames that may wait in the daemon.
_BUFFER_FRAMES = 1024
#: Seconds without an answer of the daemon after which readers are told.
_LOST_SECONDS = 2.0


@dataclass(frozen=True)
class Options:
    """How a match is kept on the servers.

    Attributes:
        keep_seconds: How long a frame is kept.
        max_bytes: How many bytes are kept; the oldest are removed first. The server reserves them.
        replicas: On how many servers of a cluster.
        storage: ``file`` or ``memory``.
    """

    keep_seconds: float = 2 * 3600.0
    max_bytes: int = 64 * 1024 * 1024
    replicas: int = 1
    storage: str = "file"


class Relay:
    """Publishes the match of one daemon.

    Attributes:
        name: Name of the match on NATS.
        frames: Frames that were stored.
    """

    def __init__(
        self,
        client: Client,
        daemon: Address,
        name: str | None,
        options: Options,
        *,
        timeouts: Timeouts,
        reconnect_timeout: float,
        say: Callable[[str], None],
    ) -> None:
        """With a connection to NATS, which other relays may use as well."""
        self._client = client
        self._daemon = daemon
        self._options = options
        self._timeouts = timeouts
        self._reconnect_timeout = reconnect_timeout
        self._say = say
        self._channel = _grpc.async_channel(daemon)
        self._connection = _grpc.AsyncGrpcConnection(daemon, timeouts)
        self._entry = _directory.Entry("")
        self._match = sync_pb2.Match()
        self._requests: Requests | None = None
        self._told = ""
        self.name = name or ""
        self.frames = 0

    async def run(self) -> None:
        """Publish until the match is over, or the daemon shuts down.

        Raises:
            AbathurError: the daemon is lost, or the servers refuse what a relay needs.
        """
        try:
            await self._begin()
            keeping = asyncio.create_task(self._keep_entry())
            sweeping = asyncio.create_task(sweep(self._client))
            try:
                end, reason = await self._publish()
                await self._finish(end, reason)
            except asyncio.CancelledError:
                self._entry.state, self._entry.reason = "lost", "the relay was stopped"
                with contextlib.suppress(AbathurError):
                    await self._put_entry(with_match=False)
                raise
            finally:
                keeping.cancel()
                sweeping.cancel()
                await asyncio.gather(keeping, sweeping, return_exceptions=True)
        finally:
            if self._requests is not None:
                await self._requests.end()
            await self._channel.close()
            await self._connection.close()

    async def _begin(self) -> None:
        self._match = await self._wait_for_daemon()
        self.name = self.name or _wire.name_of(self._match.match_id)
        await self._refuse_second()
        await self._wait_for_streams()
        match = self._match
        self._entry = _directory.Entry(
            match=self.name,
            match_id=match.match_id,
            run_id=match.run_id,
            since=time.time(),
            map_name=match.map_name,
            tick_hz=match.tick_hz,
            source=sync_pb2.SourceKind.Name(match.source),
            actions_allowed=match.actions_allowed,
            players=_directory.players(match.game_info),
        )
        self._requests = Requests(self._client, self.name, self._channel, _grpc.metadata(self._daemon), self._timeouts)
        await self._requests.begin()
        await self._put_entry(with_match=True)
        self._say(f"{self.name}: relaying {match.map_name or 'a match'} from {self._daemon}")

    async def _wait_for_daemon(self) -> sync_pb2.Match:
        """The match, as soon as there is one."""
        give_up = time.monotonic() + self._reconnect_timeout
        while True:
            try:
                return await self._connection.match()
            except LostError as error:
                if time.monotonic() > give_up:
                    raise ConnectError(str(self._daemon), str(error)) from None
            await asyncio.sleep(_RETRY_SECONDS)

    async def _refuse_second(self) -> None:
        """Two relays of one match would get in each other's way."""
        with contextlib.suppress(NoRelayError):
            await self._client.request(_wire.call(self.name, _wire.HERE), b"", _wire.REQUEST)
            raise AbathurError(
                f"the match {self.name!r} has a relay already; if this is another match, name it with --match NAME"
            )

    async def _wait_for_streams(self) -> None:
        """Make the streams, when the servers answer: many relays may begin at once, or a cluster elect a leader."""
        give_up = time.monotonic() + self._reconnect_timeout
        while True:
            try:
                await self._create_streams()
                return
            except LostError as error:
                if time.monotonic() > give_up:
                    raise AbathurError(f"NATS does not make the stream of the match {self.name!r}: {error}") from None
                self._tell(f"NATS: {error}; tries again")
            await asyncio.sleep(_RETRY_SECONDS)

    async def _create_streams(self) -> None:
        options = self._options
        try:
            await _directory.create(self._client, options.replicas)
            await self._client.create_stream(
                {
                    "name": _wire.stream(self.name),
                    "subjects": [_wire.frames(self.name)],
                    "retention": "limits",
                    "discard": "old",
                    "max_age": int(options.keep_seconds * 1e9),
                    "max_bytes": options.max_bytes,
                    "duplicate_window": int(min(options.keep_seconds, 120.0) * 1e9),
                    "storage": options.storage,
                    "num_replicas": options.replicas,
                    "deny_delete": True,
                }
            )
        except ApiError as error:
            megabytes = options.max_bytes // (1024 * 1024)
            raise AbathurError(
                f"JetStream refuses the stream of the match {self.name!r}, for which it reserves {megabytes} MB "
                f"(--match-mb) on {options.replicas} servers (--replicas): {error}"
            ) from None

    async def _publish(self) -> tuple[str, str]:
        """Publish until there is a reason to end: the name of a gRPC status, and a text."""
        while True:
            try:
                position, last = await self._stored()
                async with aclosing(self._frames(last)) as frames:
                    await self._copy(frames, position, last)
                return "OK", "the match is over"
            except WriteError as error:
                self._tell(f"NATS: {error}; continues after the stored frames")
            except StoppingError as error:
                return "CANCELLED", str(error) or "the daemon is shutting down"
            except LostError as error:
                if not await self._is_back(str(error)):
                    return "UNAVAILABLE", f"the daemon does not answer: {error}"
            except RequestError as error:
                # Too slow for a live match: what was dropped is in the history.
                if error.code != "RESOURCE_EXHAUSTED":
                    return error.code, error.message
                self._tell(f"the daemon: {error.message}; continues from its history")
            await asyncio.sleep(_RETRY_SECONDS)

    async def _stored(self) -> tuple[int, Stamp | None]:
        """The newest position of the stream, and the newest message; waits until the servers answer."""
        while True:
            try:
                position, last = await MatchStream(self._client, self.name).newest()
                self._tell("")
                return position, last if last is not None and last.run == self._match.run_id else None
            except LostError as error:
                self._tell(f"NATS: {error}; tries again")
                # An administrator may have deleted the stream.
                with contextlib.suppress(AbathurError):
                    await self._create_streams()
            await asyncio.sleep(_RETRY_SECONDS)

    async def _frames(self, last: Stamp | None) -> AsyncGenerator[tuple[bytes, sync_pb2.Frame], None]:
        """Frames from the one after a stored one: their bytes, and as messages whose payload nothing reads."""
        wanted = last.sequence + 1 if last is not None else 0
        request = sync_pb2.SubscribeRequest(
            policy=sync_pb2.every,
            encoding=_wire.ENCODING,
            compression=_wire.COMPRESSION,
            buffer_frames=_BUFFER_FRAMES,
            name="relay",
        )
        await self._set_start(request, last)
        call: Any = self._channel.unary_stream(
            _grpc.SERVICE + "Subscribe", request_serializer=sync_pb2.SubscribeRequest.SerializeToString
        )(request, metadata=_grpc.metadata(self._daemon))
        is_first = True
        try:
            async for data in call:
                frame = sync_pb2.Frame.FromString(data)
                if is_first and not request.WhichOneof("start") and wanted and frame.sequence > wanted:
                    # Frames came between: they are in the history now.
                    raise WriteError(f"frame {wanted} was published meanwhile")
                is_first = False
                yield data, frame
        except grpc.RpcError as error:
            raise _grpc.translate(error) from None
        finally:
            call.cancel()

    async def _set_start(self, request: sync_pb2.SubscribeRequest, last: Stamp | None) -> None:
        """Begin after a stored frame; without one with the oldest that the daemon keeps; live where it keeps none."""
        status = await self._connection.status()
        history = status.history
        if not status.HasField("history"):
            return
        if last is None or (history.HasField("last_game_loop") and history.last_game_loop < last.game_loop):
            # Nothing is stored, or a playback went back.
            request.start_oldest = True
        elif history.last_game_loop > last.game_loop:
            request.start_game_loop = max(last.game_loop + 1, history.first_game_loop)

    async def _copy(
        self, frames: AsyncGenerator[tuple[bytes, sync_pb2.Frame], None], position: int, last: Stamp | None
    ) -> None:
        """Append frames to the stream, until they end and all are stored."""
        writer = StreamWriter(self._client, self.name)
        await writer.begin()
        try:
            first = last.first if last is not None else 0
            keyframe = 0
            loop = last.game_loop if last is not None else 0
            async for data, frame in frames:
                if last is not None and frame.sequence <= last.sequence:
                    raise WriteError(f"frame {frame.sequence} is stored already")
                position += 1
                if frame.keyframe:
                    keyframe = position
                if first == 0 or frame.game_loop < loop:
                    first = position
                loop = frame.game_loop
                stamp = Stamp(self._match.run_id, frame.sequence, loop, position, keyframe, first)
                await writer.append(stamp, data)
                entry = self._entry
                entry.game_loop, entry.sequence, entry.position = loop, frame.sequence, position
                self.frames += 1
                if self.frames == 1:
                    # The directory shows at once where the match is.
                    with contextlib.suppress(AbathurError):
                        await self._put_entry(with_match=False)
            await writer.flush()
        finally:
            await writer.end()

    async def _is_back(self, reason: str) -> bool:
        """Whether the daemon answers again; readers are told meanwhile."""
        give_up = time.monotonic() + self._reconnect_timeout
        tell_at = time.monotonic() + _LOST_SECONDS
        told = False
        while time.monotonic() < give_up:
            try:
                status = await self._connection.status()
            except StoppingError:
                return False
            except AbathurError as error:
                reason = str(error)
            else:
                if status.match.run_id == self._match.run_id:
                    return True
                reason = "it is another match now"
                give_up = 0.0
            if not told and time.monotonic() > tell_at:
                told = True
                self._tell(f"the daemon does not answer: {reason}")
                await self._append_end("UNAVAILABLE", f"the daemon does not answer: {reason}")
                self._entry.state, self._entry.reason = "lost", reason
            await asyncio.sleep(_RETRY_SECONDS)
        return False

    async def _finish(self, end: str, reason: str) -> None:
        """Say at the end of the stream and in the directory why no frame follows."""
        await self._append_end(end, reason)
        states = {"OK": "ended", "CANCELLED": "stopped"}
        self._entry.state, self._entry.reason = states.get(end, "lost"), reason
        await self._put_entry(with_match=False)
        self._say(f"{self.name}: {reason}; {self.frames} frames relayed")
        if end not in states:
            raise AbathurError(f"the match {self.name!r} broke off: {reason}")

    async def _append_end(self, end: str, reason: str) -> None:
        for _ in range(40):
            try:
                position, last = await MatchStream(self._client, self.name).newest()
                if last is None or (last.end == end and last.run == self._match.run_id):
                    return
                writer = StreamWriter(self._client, self.name)
                await writer.begin()
                try:
                    stamp = Stamp(
                        self._match.run_id, last.sequence, last.game_loop, position + 1, last.keyframe, last.first, end
                    )
                    await writer.append(stamp, reason.encode())
                    await writer.flush()
                finally:
                    await writer.end()
                return
            except (LostError, WriteError):
                await asyncio.sleep(_RETRY_SECONDS)

    async def _keep_entry(self) -> None:
        renew = time.monotonic() + _INFO_SECONDS
        while True:
            await asyncio.sleep(_ENTRY_SECONDS)
            with_match = time.monotonic() > renew
            if with_match:
                renew = time.monotonic() + _INFO_SECONDS
            with contextlib.suppress(AbathurError, ApiError):
                await self._put_entry(with_match=with_match)

    async def _put_entry(self, *, with_match: bool) -> None:
        assert self._requests is not None
        self._entry.updated = time.time()
        self._entry.readers = self._requests.readers()
        with contextlib.suppress(LostError):
            if with_match:
                await self._client.request(_wire.info_key(self.name), _directory.pack(self._match))
            await self._client.request(_wire.key(self.name), self._entry.to_json())

    def _tell(self, text: str) -> None:
        """Say something once, until it changes."""
        if text != self._told and text:
            self._say(f"{self.name}: {text}")
        self._told = text
