"""What passes through `abathur-sync proxy` on the wire, byte by byte, between a bot and a game made by hand."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import abathur
import pytest
from programs import TIMEOUT, pause
from proxies import HandMadeGame, Peer, Proxy, answer, begin, masked, observation, proxied, unmasked
from s2clientprotocol import sc2api_pb2
from s2clientprotocol.sc2api_pb2 import Request, Response
from websockets_by_hand import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, Connection, close, frame

OBSERVE = Request(observation=sc2api_pb2.RequestObservation(), id=1).SerializeToString()
MEGABYTE = 1024 * 1024


@pytest.fixture
def game() -> Iterator[HandMadeGame]:
    with HandMadeGame() as game:
        yield game


@pytest.fixture
def proxy(game: HandMadeGame) -> Iterator[Proxy]:
    with proxied(game.address) as proxy:
        yield proxy


def passes_up(bot: Connection, peer: Peer, sent: bytes) -> None:
    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(bot.send, sent)
        assert peer.read_raw(len(sent)) == sent
        sending.result(TIMEOUT)


def passes_down(peer: Peer, bot: Connection, sent: bytes) -> None:
    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(peer.send, sent)
        assert bot.read_raw(len(sent)) == sent
        sending.result(TIMEOUT)


def fragments(payload: bytes, sizes: random.Random, *, masked: bool, between: bytes) -> bytes:
    """One message in many frames, with a control frame between each two."""
    cuts = sorted(sizes.sample(range(1, len(payload)), min(9, len(payload) - 1)))
    pieces = [payload[start:end] for start, end in zip([0, *cuts], [*cuts, len(payload)], strict=True)]
    frames = [
        frame(BINARY if at == 0 else CONTINUATION, piece, fin=at == len(pieces) - 1, masked=masked)
        for at, piece in enumerate(pieces)
    ]
    return between.join(frames)


def test_fragmented_messages_pass_and_become_frames(game: HandMadeGame, proxy: Proxy) -> None:
    chance = random.Random(5)
    bot, peer = game.meet(proxy)
    seen = sc2api_pb2.ResponseObservation.FromString(observation(7, chance.randbytes(200_000)))
    with bot, abathur.connect_blocking(proxy.daemon.grpc) as agent:
        passes_up(bot, peer, fragments(OBSERVE, random.Random(2), masked=True, between=frame(PING, b"up")))
        first = answer(observation=seen, id=1)
        passes_down(peer, bot, fragments(first, chance, masked=False, between=frame(PONG, b"down" * 31, masked=False)))
        peer.introduce_itself()
        match = agent.match()
        assert match is not None and match.map_name == "By Hand"
        with ThreadPoolExecutor(1) as pool:
            frames = agent.frames(policy="every")
            taking = pool.submit(next, frames)
            while not agent.status().subscribers:
                pause()
            # While its own request is unanswered, the proxy holds messages back; these are cut into single bytes.
            seen.observation.game_loop = 8
            small = fragments(answer(observation=seen, id=1), chance, masked=False, between=b"")
            passes_down(peer, bot, small)
            assert taking.result(TIMEOUT).response == seen


def test_control_frames_pass_both_ways(game: HandMadeGame, proxy: Proxy) -> None:
    bot, peer = game.meet(proxy)
    with bot:
        passes_up(bot, peer, frame(PING, b"are you there"))
        passes_down(peer, bot, frame(PONG, b"are you there", masked=False))
        passes_down(peer, bot, frame(PING, masked=False))
        passes_up(bot, peer, frame(PONG))


@pytest.mark.parametrize("code", [1000, 1001, 1011, 4000])
def test_close_codes_pass(game: HandMadeGame, proxy: Proxy, code: int) -> None:
    bot, peer = game.meet(proxy)
    with bot:
        passes_up(bot, peer, close(code, b"good game"))
        passes_down(peer, bot, frame(CLOSE, struct.pack(">H", code) + b"good game", masked=False))
        peer.close()
        assert bot.read() is None


def test_messages_that_cannot_be_parsed_are_not_said_to_be_the_machines_fault(game: HandMadeGame, proxy: Proxy) -> None:
    bot, peer = game.meet(proxy)
    with bot:
        for _ in range(3):
            passes_up(bot, peer, frame(TEXT, b"\xff" * 50))
        passes_down(peer, bot, unmasked(b"\xff" * 50))
        begin(bot, peer)
    code, said = proxy.end()
    assert code == 1
    assert "cannot be parsed as protobuf of the StarCraft II API: 4" in said
    assert "too slow" not in said


def test_text_and_bytes_that_are_no_protobuf_pass(game: HandMadeGame, proxy: Proxy) -> None:
    bot, peer = game.meet(proxy)
    garbage = b"\xff" * 50
    with bot:
        for payload in (b"hello", garbage, b""):
            passes_up(bot, peer, frame(TEXT, payload))
            passes_up(bot, peer, frame(BINARY, payload))
            passes_down(peer, bot, frame(TEXT, payload, masked=False))
            passes_down(peer, bot, unmasked(payload))
        # A broken observation, in a response that is whole.
        passes_down(peer, bot, unmasked(b"\x52\x03\xff\xff\xff"))
        passes_up(bot, peer, masked(OBSERVE))
    code, said = proxy.stop()
    assert code == 0, said


def test_unknown_fields_and_response_types_pass(game: HandMadeGame, proxy: Proxy) -> None:
    unknown_field = b"\xfa\x3f\x05later"
    unknown_kind = b"\xd2\x02\x04\x08\x01\x10\x02" + Response(id=3, status=sc2api_pb2.in_game).SerializeToString()
    unknown_status = b"\x98\x06\x2a"
    bot, peer = game.meet(proxy)
    with bot, abathur.connect_blocking(proxy.daemon.grpc) as agent:
        passes_up(bot, peer, masked(OBSERVE + unknown_field))
        passes_down(peer, bot, unmasked(answer(observation=observed(1), id=1) + unknown_field))
        peer.introduce_itself()
        assert agent.match() is not None
        for sent in (unknown_kind, unknown_kind + unknown_status, unknown_kind):
            passes_up(bot, peer, masked(b"\xd2\x02\x00"))
            passes_down(peer, bot, unmasked(sent))
        with ThreadPoolExecutor(1) as pool:
            taking = pool.submit(next, agent.frames(policy="every"))
            while not agent.status().subscribers:
                pause()
            newer = observation(2) + unknown_field
            passes_down(peer, bot, unmasked(b"\x52" + bytes([len(newer)]) + newer))
            assert taking.result(TIMEOUT).response.SerializeToString() == newer


def observed(loop: int) -> sc2api_pb2.ResponseObservation:
    return sc2api_pb2.ResponseObservation.FromString(observation(loop))


def test_messages_of_64_megabytes_pass_and_are_seen_and_larger_ones_pass_unseen(
    game: HandMadeGame, proxy: Proxy
) -> None:
    bot, peer = game.meet(proxy)
    with bot, abathur.connect_blocking(proxy.daemon.grpc) as agent:
        passes_up(bot, peer, masked(OBSERVE))
        passes_down(peer, bot, unmasked(answer(observation=observed(1), id=1)))
        peer.introduce_itself()
        assert agent.match() is not None
        passes_up(bot, peer, masked(bytes(64 * MEGABYTE)))
        passes_up(bot, peer, masked(bytes(70 * MEGABYTE)))
        largest = answer(
            observation=sc2api_pb2.ResponseObservation.FromString(observation(2, bytes(64 * MEGABYTE - 99)))
        )
        assert 64 * MEGABYTE - 99 < len(largest) <= 64 * MEGABYTE
        passes_down(peer, bot, unmasked(largest))
        too_large = answer(observation=sc2api_pb2.ResponseObservation.FromString(observation(3, bytes(64 * MEGABYTE))))
        passes_down(peer, bot, unmasked(too_large))
        passes_down(peer, bot, unmasked(answer(observation=observed(4))))
        while (status := agent.status()).frames_published < 3:
            pause()
        assert status.frames_published == 3
        assert 64 * MEGABYTE - 99 < status.bytes_published < 64 * MEGABYTE + 1000


def test_a_large_message_passes_while_the_proxy_waits_for_an_answer(game: HandMadeGame, proxy: Proxy) -> None:
    bot, peer = game.meet(proxy)
    with bot, abathur.connect_blocking(proxy.daemon.grpc) as agent:
        passes_up(bot, peer, masked(OBSERVE))
        passes_down(peer, bot, unmasked(answer(observation=observed(1), id=1)))
        asked = peer.request()
        for size in (1000, 300_000, 70 * MEGABYTE):
            passes_down(peer, bot, unmasked(answer(game_info=sc2api_pb2.ResponseGameInfo(map_name="x" * size), id=2)))
        # Its own answer does not come through, whatever stands around it in the same packet.
        own = unmasked(answer(asked, ping=sc2api_pb2.ResponsePing(game_version="1")))
        before, after = unmasked(answer(id=3)), unmasked(answer(id=4))
        peer.send(before, own, after)
        assert bot.read_raw(len(before) + len(after)) == before + after
        for kind in ("game_info", "data"):
            asked = peer.request()
            peer.respond(asked, **{kind: getattr(Response(), kind)})
        match = agent.match()
        assert match is not None and match.game_version == "1"


def test_the_bots_request_goes_to_the_game_as_it_is_but_for_extensions(game: HandMadeGame, proxy: Proxy) -> None:
    bot, peer = game.meet(proxy)
    with bot:
        assert peer.head.startswith("GET /sc2api HTTP/1.1\r\n")
        assert f"Host: {game.address}\r\n" in peer.head
        assert "Extensions" not in peer.head
