"""A connection to NATS servers, with the few requests of JetStream that matches need."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import importlib.util
import json
import re
import ssl
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from abathur._program.address import Address
from abathur.errors import AbathurError, LostError, RequestError

if TYPE_CHECKING:
    from nats.aio.client import Client as NatsClient
    from nats.aio.msg import Msg
    from nats.aio.subscription import Subscription

_QUOTED = re.compile(r'"([^"]*)"')
#: Seconds between attempts to connect again, and between pings that find a connection without a peer.
_RECONNECT_SECONDS = 0.25
_PING_SECONDS = 5
#: JetStream answers at once, or not at all: while a cluster elects a leader. Callers try again.
_API_SECONDS = 2.0
_NOT_FOUND = 404
#: A subscription holds at most these until they are taken; what is beyond is read from the stream.
PENDING_MESSAGES = 65_536
PENDING_BYTES = 64 * 1024 * 1024


class ApiError(Exception):
    """JetStream refused a request.

    Attributes:
        code: Of HTTP: 404 where something does not exist.
        number: The server's own number of the error.
    """

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(str(error.get("description", error)))
        self.code = int(error.get("code", 0))
        self.number = int(error.get("err_code", 0))

    @property
    def is_missing(self) -> bool:
        """Whether there is no such stream, message or entry."""
        return self.code == _NOT_FOUND


class NoRelayError(LostError):
    """Nothing answers requests on a subject."""


class Client:
    """A connection, which is made again when it breaks. Made by `connect`."""

    def __init__(self, address: Address, timeout: float) -> None:
        """Use `connect`."""
        nats = _library()
        self.nats: NatsClient = _client_of(nats, needs_tls=address.tls)
        self._errors = nats.errors
        self._address = address
        self._timeout = timeout
        self._refusal: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._failures = 0
        #: What is called when the server denies a subject, by the subject in lower case, as it is reported.
        self._denied: dict[str, Callable[[RequestError], None]] = {}
        #: Called after a reconnection.
        self.on_reconnect: list[Callable[[], None]] = []

    @classmethod
    async def connect(cls, address: Address, inbox: str, timeout: float, name: str) -> Client:
        """Connect to one of the servers.

        Args:
            address: The servers, and how to log in.
            inbox: Prefix of the subjects at which answers are received.
            timeout: Seconds for the connection, and for each request.
            name: Shown by the server.

        Raises:
            AbathurError: nats-py is not installed, or what the credentials need; or the file has no credentials.
            LostError: no server answers.
            RequestError: UNAUTHENTICATED: it refuses the login.
        """
        _check_credentials(address)
        client = cls(address, timeout)
        connecting = asyncio.ensure_future(client._connect(inbox, name))
        try:
            async with asyncio.timeout(timeout):
                await asyncio.wait([connecting, client._refusal], return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            pass
        if connecting.done() and connecting.exception() is None:
            client._refusal.cancel()
            return client
        connecting.cancel()
        with contextlib.suppress(Exception, asyncio.CancelledError):
            await connecting
        await client.close()
        if client._refusal.done():
            client._refusal.result()
        if not connecting.cancelled() and (error := connecting.exception()) is not None:
            raise LostError(str(error) or type(error).__name__) from None
        raise LostError(f"it did not answer within {timeout:g} s (connect_timeout)")

    async def _connect(self, inbox: str, name: str) -> None:
        address = self._address
        await self.nats.connect(
            servers=[f"nats://{server}" for server in address.servers],
            name=name,
            user=address.user,
            password=address.password,
            token=address.token,
            user_credentials=address.creds,
            tls=_tls(address),
            inbox_prefix=inbox,
            error_cb=self._on_error,
            reconnected_cb=self._on_reconnect,
            max_reconnect_attempts=-1,
            reconnect_time_wait=_RECONNECT_SECONDS,  # type: ignore[arg-type]
            ping_interval=_PING_SECONDS,
            connect_timeout=max(1, round(self._timeout)),
        )

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection now."""
        return bool(self.nats.is_connected)

    async def close(self) -> None:
        """Send what is to be sent, and close the connection."""
        with contextlib.suppress(Exception):
            async with asyncio.timeout(1.0):
                await self.nats.flush()
        with contextlib.suppress(Exception):
            await self.nats.close()

    async def publish(self, subject: str, data: bytes = b"", reply: str = "") -> None:
        """Publish, without an answer."""
        with contextlib.suppress(self._errors.Error):
            await self.nats.publish(subject, data, reply=reply)

    async def subscribe(self, subject: str, receive: Callable[[Msg], Awaitable[None]]) -> Subscription:
        """Call a function with each message on a subject. `watch_denial` tells whether the server denies it."""
        return await self.nats.subscribe(
            subject, cb=receive, pending_msgs_limit=PENDING_MESSAGES, pending_bytes_limit=PENDING_BYTES
        )

    def watch_denial(self, subject: str, tell: Callable[[RequestError], None]) -> None:
        """Call a function if the server denies a subject to this user."""
        self._denied[subject.lower()] = tell

    async def request(
        self, subject: str, data: bytes = b"", headers: dict[str, str] | None = None, timeout: float | None = None
    ) -> Msg:
        """Ask, and wait for the answer.

        Raises:
            NoRelayError: nothing answers on this subject.
            LostError: there was no answer in time.
            RequestError: PERMISSION_DENIED.
        """
        seconds = self._timeout if timeout is None else timeout
        denied: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def deny(error: RequestError) -> None:
            if not denied.done():
                denied.set_exception(error)

        self.watch_denial(subject, deny)
        asking = asyncio.ensure_future(self.nats.request(subject, data, timeout=seconds, headers=headers))
        try:
            either: list[asyncio.Future[Any]] = [asking, denied]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if denied.done():
                denied.result()
            return asking.result()
        except self._errors.NoRespondersError:
            raise NoRelayError(f"nothing answers on {subject}") from None
        except (self._errors.Error, TimeoutError) as error:
            raise LostError(f"no answer on {subject} within {seconds:g} s ({type(error).__name__})") from None
        finally:
            asking.cancel()
            denied.cancel()

    async def api(self, call: str, body: Mapping[str, object] | None = None) -> dict[str, Any]:
        """A request to JetStream: ``STREAM.INFO.NAME`` and others.

        Raises:
            ApiError: it is refused.
            LostError: there was no answer, or the server has no JetStream.
            RequestError: PERMISSION_DENIED.
        """
        try:
            answer = await self.request(
                f"$JS.API.{call}", json.dumps(body).encode() if body else b"", None, _API_SECONDS
            )
        except NoRelayError:
            raise RequestError("FAILED_PRECONDITION", "JetStream is not enabled on the NATS server") from None
        parsed: dict[str, Any] = json.loads(answer.data)
        if "error" in parsed:
            raise ApiError(parsed["error"])
        return parsed

    async def message(self, stream: str, position: int) -> tuple[int, dict[str, str], bytes] | None:
        """A message of a stream that has some: its position, headers and data; None if it does not exist.

        Where a stream may not be made yet, ask ``STREAM.INFO`` first: nats-server 2.9 ends where it is asked for a
        message of a stream while another client makes it.

        Raises:
            ApiError, LostError, RequestError: as `api`.
        """
        try:
            found = (await self.api(f"STREAM.MSG.GET.{stream}", {"seq": position}))["message"]
        except ApiError as error:
            if error.is_missing:
                return None
            raise
        headers = _headers(base64.b64decode(found.get("hdrs", "")))
        return int(found["seq"]), headers, base64.b64decode(found.get("data", ""))

    async def entry(self, stream: str, subject: str) -> bytes | None:
        """The newest value of a key of a bucket, from any server that has it; None if it does not exist."""
        try:
            answer = await self.request(f"$JS.API.DIRECT.GET.{stream}.{subject}")
        except NoRelayError:
            return None
        return None if answer.headers and "Status" in answer.headers else bytes(answer.data)

    async def subjects(self, stream: str, pattern: str) -> list[str]:
        """The subjects of a stream that match a pattern. Raises as `api` does."""
        state = (await self.api(f"STREAM.INFO.{stream}", {"subjects_filter": pattern}))["state"]
        return list(state.get("subjects") or ())

    async def _on_error(self, error: Exception) -> None:
        text = str(error)
        if "permissions violation" in text.lower() and (subject := _QUOTED.search(text)) is not None:
            tell = self._denied.get(subject[1])
            if tell is not None:
                what = "publish to" if "publish to" in text else "subscribe to"
                tell(RequestError("PERMISSION_DENIED", f"this user of the NATS server may not {what} {subject[1]}"))
            return
        if self._refusal.done():
            return
        if isinstance(error, self._errors.AuthorizationError) or "authorization" in text.lower():
            self._refusal.set_exception(RequestError("UNAUTHENTICATED", "the NATS server refuses the login"))
        elif isinstance(error, ssl.SSLError):
            reason = error.args[-1] if error.args else text
            self._refusal.set_exception(RequestError("UNAUTHENTICATED", f"TLS with the NATS server fails: {reason}"))
        elif isinstance(error, (OSError, self._errors.Error)):
            self._failures += 1
            if self._failures >= len(self._address.servers):
                self._refusal.set_exception(LostError(text or type(error).__name__))

    async def _on_reconnect(self) -> None:
        for tell in self.on_reconnect:
            tell()


def _headers(raw: bytes) -> dict[str, str]:
    """The headers of a stored message."""
    lines = raw.decode(errors="replace").split("\r\n")[1:]
    return {key: value.strip() for key, colon, value in (line.partition(":") for line in lines) if colon}


def _tls(address: Address) -> ssl.SSLContext | None:
    try:
        return address.ssl_context()
    except OSError as error:
        raise LostError(f"cannot read the certificates in {address.ca!r}: {error}") from None


def _check_credentials(address: Address) -> None:
    if address.creds is None:
        return
    if importlib.util.find_spec("nkeys") is None:
        raise AbathurError("a credentials file of NATS needs the package nkeys: pip install nkeys")
    try:
        text = Path(address.creds).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AbathurError(f"cannot read the credentials in {address.creds!r}: {error}") from None
    if "BEGIN NATS USER JWT" not in text or "BEGIN USER NKEY SEED" not in text:
        raise AbathurError(f"{address.creds!r} has no credentials of NATS: it needs a user's JWT and an NKEY seed")


def _client_of(nats: Any, *, needs_tls: bool) -> NatsClient:
    """A client. Where TLS is required it sends no login without: nats-py leaves that to the server."""

    class Checked(nats.aio.client.Client):  # type: ignore[misc]
        async def _process_info(self, info: dict[str, Any], initial_connection: bool = False) -> None:
            if needs_tls and initial_connection and not info.get("tls_required"):
                raise ssl.SSLError("the server does not offer TLS; without TLS the address begins with nats://")
            await super()._process_info(info, initial_connection=initial_connection)

    made: NatsClient = Checked()
    return made


def _library() -> Any:
    try:
        import nats
        import nats.aio.client
        import nats.errors
    except ImportError:
        raise AbathurError("nats:// needs the package nats-py: pip install abathur-agent[nats]") from None
    return nats
