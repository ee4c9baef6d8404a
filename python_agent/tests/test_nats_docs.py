"""What docs/nats.md and the wire contract show, run: commands, examples, configuration, the contract by other means."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import abathur
import nats_credentials
import pytest
from abathur import RequestError
from nats_servers import RelayProcess, Server, free_ports, needs_nats, running
from programs import FREE_PORTS, ROOT, SKIRMISH, Play, daemon_command
from programs import abathur as run_abathur
from test_docs import blocks, make_certificate

pytestmark = needs_nats

PAGE = ROOT / "docs" / "nats.md"
CONTRACT = ROOT / "libraries" / "Abathur.Client.Nats" / "README.md"
EXAMPLES = [*blocks(PAGE, "python"), *blocks(CONTRACT, "python")]
ADDRESS = "nats://127.0.0.1:4222"


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example_reads_a_match(play: Play, server: Server, number: int) -> None:
    """The second one is a client that knows only the wire contract."""
    daemon = play(SKIRMISH, "--start-paused", "--playback-duration", "5")
    relay = RelayProcess(server.url, "--address", daemon.grpc, "--match", "ladder-1")
    with relay, abathur.connect_blocking(daemon.grpc) as game:
        game.playback.resume()
        code = EXAMPLES[number].replace(ADDRESS, server.url)
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60, check=False
        )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "Synthetic LE"
    assert len(lines) >= 100
    if number == 1:
        sequences = [int(line.split()[0]) for line in lines[1:-1]]
        assert sequences == list(range(1, len(sequences) + 1))
        assert lines[-1] == "OK the match is over"


def commands() -> list[str]:
    return [line for block in blocks(PAGE, "sh") for line in block.splitlines()]


def test_commands_run_as_shown(server: Server) -> None:
    shown = [line.replace(ADDRESS, server.url) for line in commands()]
    assert shown[0] == "nats-server -js"
    playing, matches, watch, dashboard = (shlex.split(line) for line in shown[1:])
    ports = [*FREE_PORTS, "--loop", "--stop-with-parent"]
    with subprocess.Popen(
        [sys.executable, "-m", *playing, *ports],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as daemon:
        assert daemon.stdin is not None and daemon.stderr is not None
        while "relaying" not in daemon.stderr.readline():
            pass
        listed = run_abathur(*matches[1:])
        assert re.search(r"^ladder-1 +running .*Synthetic LE", listed.stdout, re.M), listed.stdout
        watched = run_abathur(*watch[1:], "--seconds", "2")
        assert "nats columns ladder-1" in watched.stdout, watched.stderr
        assert shows_frames([*dashboard[1:], "--seconds", "20"])
        daemon.stdin.close()


def shows_frames(arguments: list[str]) -> bool:
    """Whether the daemon of a dashboard publishes what it gets."""
    with subprocess.Popen([sys.executable, "-m", "abathur", *arguments], stdout=subprocess.PIPE, text=True) as showing:
        assert showing.stdout is not None
        address = re.search(r"^Dashboard: (http://127\.0\.0\.1:\d+/)$", showing.stdout.readline())
        assert address is not None
        published = 0
        while published < 10 and showing.poll() is None:
            with urllib.request.urlopen(f"{address[1]}v1/status", timeout=10) as answer:
                published = int(json.load(answer).get("framesPublished", 0))
        showing.terminate()
    return published >= 10


class Access:
    """The server with the configuration of the page, and two matches on it."""

    def __init__(self, folder: Path, port: int) -> None:
        self.ca = str(folder / "cert.pem")
        self.host = f"127.0.0.1:{port}"
        self.config = blocks(PAGE, "conf")[0]
        self.passwords = dict(re.findall(r'user: ([\w-]+), password: "([\w-]+)"', self.config))

    def address(self, user: str, match: str = "ladder-1") -> str:
        return f"natss://{user}:{self.passwords[user]}@{self.host}/{match}"


@pytest.fixture(scope="module")
def access(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Access]:
    """Started in a folder of its own, with the certificate of docs/security.md; only the port differs."""
    folder = tmp_path_factory.mktemp("access")
    make_certificate(folder)
    (port,) = free_ports(1)
    access = Access(folder, port)
    server = Server(folder, access.config.replace("0.0.0.0:4222", access.host), port)
    before = Path.cwd()
    os.chdir(folder)
    try:
        server.start()
    finally:
        os.chdir(before)
    line = daemon_command(
        "play", str(SKIRMISH), "--loop", "--grpc-port", "0", "--socket-port", "0", "--stop-with-parent"
    )
    daemon = subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert daemon.stdout is not None and daemon.stdin is not None
    ready = dict(word.split("=", 1) for word in daemon.stdout.readline().split()[1:])
    environment = {"ABATHUR_CA": access.ca, "ABATHUR_NATS_PASSWORD": access.passwords["relay"]}
    relays = [
        RelayProcess(f"natss://relay@{access.host}/{name}", "--address", ready["grpc"], **environment)
        for name in ("ladder-1", "ladder-2")
    ]
    yield access
    for relay in relays:
        relay.close()
    daemon.stdin.close()
    daemon.wait(30)
    daemon.stdout.close()
    server.stop()


async def test_with_an_account_for_each_match_no_message_reaches_another_one(play: Play, tmp_path: Path) -> None:
    config, accounts = blocks(PAGE, "conf")
    second = "".join(
        found[0].replace(f"{name} =", f"{name}_2 =").replace("ladder-1", "ladder-2")
        for name in ("WATCHER", "ACTOR")
        if (found := re.search(rf"^{name} = .*?^}}\n", config, re.M | re.S)) is not None
    )
    options = re.sub(r"^(listen|server_name|jetstream|tls) .*\n|^(listen|server_name):.*\n", "", config, flags=re.M)
    options = re.sub(r"^authorization .*", "", options, flags=re.M | re.S) + second + accounts
    passwords = dict(re.findall(r'user: ([\w-]+), password: "([\w-]+)"', accounts))
    with running(tmp_path / "nats", options) as server:

        def address(user: str, match: str = "") -> str:
            return f"nats://{user}:{passwords[user]}@127.0.0.1:{server.port}/{match}".rstrip("/")

        daemons = [play(SKIRMISH, "--loop") for _ in range(2)]
        relays = [
            RelayProcess(address(f"relay-{number}", f"ladder-{number}"), "--address", daemon.grpc)
            for number, daemon in enumerate(daemons, 1)
        ]
        for user, match in (("watcher-1", "ladder-1"), ("actor-2", "ladder-2")):
            async with abathur.connect(address(user, match)) as game:
                assert len([frame async for frame in game.frames(max_frames=3)]) == 3
        seen = await copies_that_arrive(address("watcher-1"), address("watcher-2"))
        for relay in relays:
            relay.close()
    assert len(seen) > 20 and set(seen) == {"ABATHUR_ladder-2"}


async def copies_that_arrive(of: str, at: str) -> list[str]:
    """The streams of the messages at the subject of one match while a watcher of another sends copies there."""
    import nats

    seen: list[str] = []

    async def receive(message: nats.aio.msg.Msg) -> None:
        seen.append((message.headers or {}).get("Nats-Expected-Stream", ""))

    attacker = await nats.connect(of, inbox_prefix=b"_INBOX.abathur.ladder-1")
    reader = await nats.connect(at)
    await reader.subscribe("abathur.ladder-2.frames", cb=receive)
    await reader.flush()
    settings = {"deliver_subject": "abathur.ladder-2.frames", "deliver_policy": "all", "ack_policy": "none"}
    asked = json.dumps({"stream_name": "ABATHUR_ladder-1", "config": settings}).encode()
    answer = await attacker.request("$JS.API.CONSUMER.CREATE.ABATHUR_ladder-1", asked, timeout=10)
    assert b'"error"' not in answer.data, answer.data
    async with asyncio.timeout(30):
        while len(seen) <= 20:
            await asyncio.sleep(0.05)
    await attacker.close()
    await reader.close()
    return seen


@pytest.mark.parametrize("user", ["watcher-1", "actor-1"])
@pytest.mark.parametrize("policy", ["every", "latest"])
async def test_a_user_reads_its_match(access: Access, user: str, policy: str) -> None:
    async with abathur.connect(access.address(user), ca=access.ca) as game:
        frames = [frame async for frame in game.frames(policy=policy, max_frames=5)]  # type: ignore[arg-type]
        assert len(frames) == 5
        assert (await game.frame_at(frames[0].game_loop)).game_loop == frames[0].game_loop
        match = await game.match()
        assert match is not None and match.map_name == "Synthetic LE"
        assert (await game.status()).frames_published > 0
        assert len(await game.timeline()) > 0


async def test_a_watcher_cannot_act(access: Access) -> None:
    async with abathur.connect(access.address("watcher-1"), ca=access.ca) as game:
        for request in (game.draw([]), game.act([]), game.playback.pause()):
            with pytest.raises(RequestError, match=r"PERMISSION_DENIED: .* may not publish to abathur\.ladder-1\.act"):
                await request


async def test_an_actor_reaches_the_daemon(access: Access) -> None:
    async with abathur.connect(access.address("actor-1"), ca=access.ca) as game:
        await game.draw([], layer="test")
        with pytest.raises(RequestError, match="FAILED_PRECONDITION"):
            await game.act([])


@pytest.mark.parametrize("user", ["watcher-1", "actor-1"])
async def test_a_user_cannot_read_another_match(access: Access, user: str) -> None:
    async with abathur.connect(access.address(user, "ladder-2"), ca=access.ca) as game:
        for options in ({"policy": "latest"}, {"policy": "every"}, {"start": "oldest"}):
            with pytest.raises(RequestError, match="PERMISSION_DENIED"):
                async for _ in game.frames(**options):  # type: ignore[arg-type]
                    raise AssertionError("read a frame")
        for request in (game.status(), game.match()):
            with pytest.raises(RequestError, match="PERMISSION_DENIED"):
                await request


@pytest.mark.parametrize("subject", ["abathur.ladder-2.frames", "abathur.>", "_INBOX.>", "$KV.ABATHUR.>", "$JS.>"])
async def test_a_watcher_cannot_subscribe_to_other_subjects(access: Access, subject: str) -> None:
    denied = await violation(access, "subscribe", subject)
    assert f'permissions violation for subscription to "{subject.lower()}"' in denied


@pytest.mark.parametrize(
    "subject",
    [
        "abathur.ladder-1.frames",
        "abathur.ladder-2.watch.status",
        "$KV.ABATHUR.ladder-1",
        "$JS.API.STREAM.DELETE.ABATHUR_ladder-1",
        "$JS.API.STREAM.PURGE.ABATHUR_ladder-1",
        "$JS.API.STREAM.MSG.GET.ABATHUR_ladder-2",
        "$JS.API.DIRECT.GET.ABATHUR_ladder-2",
        "$JS.API.CONSUMER.CREATE.ABATHUR_ladder-2",
        "$JS.API.CONSUMER.CREATE.KV_ABATHUR",
        "_INBOX.relay.x",
    ],
)
async def test_a_watcher_cannot_publish(access: Access, subject: str) -> None:
    denied = await violation(access, "publish", subject)
    assert f'permissions violation for publish to "{subject.lower()}"' in denied


async def violation(access: Access, action: str, subject: str) -> str:
    """What the server answers to another client with the watcher's login."""
    import ssl

    import nats

    told: asyncio.Queue[str] = asyncio.Queue()

    async def on_error(error: Exception) -> None:
        await told.put(str(error))

    user, password = "watcher-1", access.passwords["watcher-1"]
    connection = await nats.connect(
        f"tls://{access.host}",
        user=user,
        password=password,
        tls=ssl.create_default_context(cafile=access.ca),
        error_cb=on_error,
    )
    if action == "publish":
        await connection.publish(subject, b"{}")
    else:
        await connection.subscribe(subject)
    async with asyncio.timeout(10):
        answer = await told.get()
    await connection.close()
    return answer


def test_the_lister_lists(access: Access) -> None:
    listed, refused = (
        run_abathur(
            "matches", f"natss://{user}@{access.host}", "--ca", access.ca, ABATHUR_NATS_PASSWORD=access.passwords[user]
        )
        for user in ("lister", "watcher-1")
    )
    assert re.search(r"^ladder-1 +running", listed.stdout, re.M), listed.stderr
    assert access.passwords["lister"] not in listed.stdout
    assert refused.returncode == 1
    assert "PERMISSION_DENIED: this user may not list the matches" in refused.stderr


async def test_a_wrong_login_is_refused(access: Access) -> None:
    for address, ca, problem in (
        (f"natss://watcher-1:wrong@{access.host}/ladder-1", access.ca, "refuses the login"),
        (f"natss://{access.host}/ladder-1", access.ca, "refuses the login"),
        (access.address("watcher-1"), None, "TLS with the NATS server fails"),
    ):
        began = time.monotonic()
        async with abathur.connect(address, ca=ca) as game:
            with pytest.raises(RequestError, match=f"UNAUTHENTICATED: .*{problem}"):
                async for _ in game.frames():
                    raise AssertionError("read a frame")
        assert time.monotonic() - began < 10


async def test_no_login_is_sent_to_a_server_without_tls(server: Server) -> None:
    async with abathur.connect(f"natss://user:secret@127.0.0.1:{server.port}/m") as game:
        with pytest.raises(RequestError, match="the server does not offer TLS"):
            await game.match()


@pytest.fixture
def with_token(tmp_path: Path) -> Iterator[Server]:
    with running(tmp_path / "nats", 'authorization { token: "a-token" }\n') as server:
        yield server


async def test_a_token_opens_a_server(play: Play, with_token: Server) -> None:
    daemon = play(SKIRMISH, "--loop")
    address = f"{with_token.url}/m"
    with RelayProcess(address, "--address", daemon.grpc, ABATHUR_NATS_TOKEN="a-token"):
        async with abathur.connect(address, token="a-token") as game:
            assert len([frame async for frame in game.frames(max_frames=3)]) == 3
        async with abathur.connect(address, token="another") as game:
            with pytest.raises(RequestError, match="UNAUTHENTICATED"):
                await game.match()


@pytest.fixture
def nkeys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package that signs with the keys of credentials; where it is not installed, openssl does it."""
    if importlib.util.find_spec("nkeys") is None:
        folder = tmp_path / "packages"
        folder.mkdir()
        (folder / "nkeys.py").write_text(Path(nats_credentials.__file__).read_text(encoding="utf-8"), encoding="utf-8")
        monkeypatch.syspath_prepend(str(folder))
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
async def test_credentials_open_a_server(play: Play, tmp_path: Path, nkeys: None) -> None:
    options, credentials = nats_credentials.configure()
    file = tmp_path / "member.creds"
    file.write_text(credentials)
    with running(tmp_path / "nats", options) as server:
        daemon = play(SKIRMISH, "--loop")
        with RelayProcess(f"{server.url}/m", "--address", daemon.grpc, "--creds", str(file)):
            async with abathur.connect(f"{server.url}/m", creds=file) as game:
                assert len([frame async for frame in game.frames(max_frames=3)]) == 3
            async with abathur.connect(f"{server.url}/m") as game:
                with pytest.raises(RequestError, match="UNAUTHENTICATED"):
                    await game.match()
            (tmp_path / "other.creds").write_text("not credentials")
            async with abathur.connect(f"{server.url}/m", creds=tmp_path / "other.creds") as game:
                with pytest.raises(abathur.AbathurError, match=r"other\.creds' has no credentials of NATS"):
                    await game.match()
