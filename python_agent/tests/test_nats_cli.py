"""`abathur relay`, `matches`, `--relay` and addresses of NATS: what they say when they are used wrongly."""

from __future__ import annotations

import json
import re

import abathur
import pytest
from abathur._program import address as _address
from abathur._transport.nats.client import Client
from nats_servers import RelayProcess, Server, eventually, free_ports, needs_nats
from programs import SKIRMISH, Play
from programs import abathur as run_abathur


@pytest.mark.parametrize(
    ("text", "servers", "match", "user", "tls"),
    [
        ("nats://host/m", ("host:4222",), "m", None, False),
        ("natss://a:1,b,[::1]:2/m-1", ("a:1", "b:4222", "[::1]:2"), "m-1", None, True),
        ("nats://me:p%40ss@host", ("host:4222",), "", "me", False),
    ],
)
def test_addresses(text: str, servers: tuple[str, ...], match: str, user: str | None, tls: bool) -> None:
    address = _address.parse(text)
    assert (address.servers, address.match, address.user, address.tls) == (servers, match, user, tls)
    if user:
        assert address.password == "p@ss"
        assert "p@ss" not in str(address) + repr(address)
    assert _address.parse(str(address)).servers == servers


@pytest.mark.parametrize("text", ["nats://", "nats:///m", "nats://host:port/m", "nats://host/a.b", "nats://host/a/b"])
def test_other_addresses_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not an address: expected nats://HOST:PORT/MATCH"):
        abathur.connect(text)


def test_a_token_of_a_daemon_is_not_for_nats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ABATHUR_TOKEN", "of-the-daemon")
    assert _address.parse("nats://host/m").token is None
    monkeypatch.setenv("ABATHUR_NATS_TOKEN", "of-nats")
    assert _address.parse("nats://host/m").token == "of-nats"


def test_an_address_without_a_match_is_refused() -> None:
    with pytest.raises(ValueError, match=r"nats://host:4222 names no match: .*`abathur matches nats:"):
        abathur.connect("nats://host")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("relay", "nats://HOST:PORT[/NAME] is missing"),
        ("relay 127.0.0.1:4222", "'127.0.0.1:4222' is not the address of a NATS server: expected nats://HOST:PORT"),
        ("relay nats://127.0.0.1 --match a.b", "--match must be 1 to 64 letters, digits, '_' and '-'"),
        ("relay nats://127.0.0.1 --keep 2", "--keep must be a time such as 90s, 30m, 2h or 7d"),
        ("relay nats://127.0.0.1 --keep 0s", "--keep must be a time such as"),
        ("relay nats://127.0.0.1 --replicas 2", "--replicas must be 1, 3 or 5"),
        ("relay nats://127.0.0.1 --storage disk", "--storage must be file or memory, not 'disk'"),
        ("relay nats://127.0.0.1 --match-mb 0", "--match-mb must be 1 to 1000000"),
        ("relay nats://127.0.0.1 --adress x", "Unknown option --adress (did you mean --address?)"),
        ("relay nats://127.0.0.1 --address socket://127.0.0.1:1", "is not the gRPC address of a daemon"),
        ("matches 127.0.0.1:22400", "'127.0.0.1:22400' is not the address of a NATS server"),
        ("watch nats://127.0.0.1", "names no match"),
        ("watch 127.0.0.1:22400 --dashboard", "--dashboard shows one match from NATS"),
        ("play --relay", "Required argument missing for option: '--relay'"),
        ("play --relay 127.0.0.1:4222", "--relay: '127.0.0.1:4222' is not the address of a NATS server"),
        ("live --map x --relay=nats://a/b.c", "is not an address: expected nats://HOST:PORT/MATCH"),
    ],
)
def test_wrong_usage_is_explained(line: str, problem: str) -> None:
    done = run_abathur(*line.split())
    assert done.returncode == 2, done.stderr
    assert problem in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", ["relay", "matches"])
def test_a_server_that_is_not_there(command: str) -> None:
    (port,) = free_ports(1)
    done = run_abathur(command, f"nats://127.0.0.1:{port}")
    assert done.returncode == 1
    assert f"cannot connect to nats://127.0.0.1:{port}: " in done.stderr
    assert "Is the server running?" in done.stderr


@needs_nats
def test_a_match_that_is_not_there(server: Server) -> None:
    with (
        abathur.connect_blocking(f"{server.url}/nothing", reconnect_timeout=0) as game,
        pytest.raises(abathur.ConnectError, match="there is no match 'nothing'"),
    ):
        next(game.frames())
    done = run_abathur("matches", server.url)
    assert (done.returncode, done.stdout) == (0, f"no matches at {server.url}\n")


@needs_nats
def test_the_port_of_nats_is_recognized(server: Server) -> None:
    done = run_abathur("watch", f"127.0.0.1:{server.port}")
    assert done.returncode == 1
    assert f"127.0.0.1:{server.port} is a NATS server: use nats://127.0.0.1:{server.port}/MATCH" in done.stderr


@needs_nats
def test_a_second_relay_is_refused(play: Play, server: Server) -> None:
    daemon = play(SKIRMISH, "--loop")
    with RelayProcess(server.url, "--address", daemon.grpc):
        done = run_abathur("relay", server.url, "--address", daemon.grpc)
        assert done.returncode == 1
        assert "the match 'skirmish-7' has a relay already" in done.stderr
        listed = json.loads(run_abathur("matches", server.url, "--json").stdout)
    assert [(each["match"], each["state"]) for each in listed] == [("skirmish-7", "running")]


@needs_nats
def test_what_a_server_cannot_store_is_explained(play: Play, server: Server) -> None:
    daemon = play(SKIRMISH, "--loop")
    done = run_abathur("relay", server.url, "--address", daemon.grpc, "--replicas", "3")
    assert done.returncode == 1
    assert "JetStream refuses the stream of the match 'skirmish-7', for which it reserves 64 MB" in done.stderr
    assert "on 3 servers (--replicas): replicas > 1 not supported in non-clustered mode" in done.stderr


@needs_nats
def test_a_relay_that_is_stopped_says_so(play: Play, server: Server) -> None:
    daemon = play(SKIRMISH, "--loop")
    with RelayProcess(server.url, "--address", daemon.grpc) as relay:
        pass
    assert relay.process.returncode == 0
    (listed,) = json.loads(run_abathur("matches", server.url, "--json").stdout)
    assert (listed["state"], listed["reason"]) == ("lost", "the relay was stopped")


@needs_nats
async def test_a_relay_removes_what_is_left_of_old_matches(play: Play, server: Server) -> None:
    daemon = play(SKIRMISH, "--loop")
    client = await Client.connect(_address.parse(server.url), "_INBOX.test", 10, "test")
    with RelayProcess(f"{server.url}/old", "--address", daemon.grpc, "--keep", "1s"):
        await eventually(lambda: messages_of(client, "old"))

    async def is_empty() -> bool:
        return await messages_of(client, "old") == 0

    await eventually(is_empty)
    with RelayProcess(f"{server.url}/new", "--address", daemon.grpc):

        async def is_removed() -> bool:
            return await streams(client) == ["ABATHUR_new", "KV_ABATHUR"]

        await eventually(is_removed)
    await client.close()


async def messages_of(client: Client, match: str) -> int:
    count: int = (await client.api(f"STREAM.INFO.ABATHUR_{match}"))["state"]["messages"]
    return count


async def streams(client: Client) -> list[str]:
    return sorted(each["config"]["name"] for each in (await client.api("STREAM.LIST"))["streams"])


@pytest.mark.parametrize("command", ("play", "serve", "proxy", "live"))
def test_the_help_of_the_daemons_commands_has_the_option(command: str) -> None:
    done = run_abathur(command, "--help")
    assert done.returncode == 0
    assert re.search(r"^  --relay nats://HOST:PORT", done.stdout, re.M)
    assert "Usage: abathur" in done.stdout
