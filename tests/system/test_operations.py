"""What operators use: metrics, health, status, logs, completion."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import abathur
import pytest
from abathur.sync.v1 import sync_pb2
from google.protobuf import json_format
from programs import FREE_PORTS, SKIRMISH, TIMEOUT, Daemon, Launch, Play, daemon_command, run_daemon, wait_until

TOKEN = "operations-token-0123456789"
PARSER = """
import json, sys
from prometheus_client.parser import text_string_to_metric_families
out = []
for family in text_string_to_metric_families(sys.stdin.read()):
    samples = [[s.name, s.labels, s.value] for s in family.samples]
    out.append([family.name, family.type, family.documentation, samples])
print(json.dumps(out))
"""


def url(daemon: Daemon, path: str) -> str:
    return daemon.addresses["http"] + path


def get(daemon: Daemon, path: str, method: str = "GET", **headers: str) -> tuple[int, str, str]:
    """Status, content type and body."""
    request = urllib.request.Request(url(daemon, path), method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.headers["Content-Type"], error.read().decode()


KIND = (
    ("abathur_compression", "none"),
    ("abathur_encoding", "columns"),
    ("abathur_policy", "every"),
    ("abathur_transport", "grpc"),
)
Samples = dict[str, dict[tuple[tuple[str, str], ...], float]]


def parsed(text: str) -> tuple[dict[str, str], Samples]:
    """Types of the families and the samples, as a public library reads them."""
    done = subprocess.run(
        ["/usr/bin/python3", "-c", PARSER], input=text, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    if "ModuleNotFoundError" in done.stderr:
        pytest.skip("needs the package python3-prometheus-client of the system")
    assert done.returncode == 0, done.stderr
    families = json.loads(done.stdout)
    samples: Samples = {}
    for _, _, _, found in families:
        for name, labels, value in found:
            samples.setdefault(name, {})[tuple(sorted(labels.items()))] = value
    return {name: kind for name, kind, _, _ in families}, samples


@pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="needs the system's Python")
async def test_metrics_are_what_happened(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    async with abathur.connect(daemon.grpc) as game, abathur.connect(daemon.grpc) as controller:
        frames = game.frames(policy="every", encoding="columns", name='a"b\\c')
        reading = asyncio.ensure_future(anext(frames))
        await wait_until(controller, lambda status: bool(status.subscribers))
        await controller.playback.step(10)
        await reading
        for _ in range(9):
            await anext(frames)
        status = await controller.status()
        types, samples = parsed(get(daemon, "/metrics")[2])
        await frames.aclose()
        while (await controller.status()).subscribers:
            await asyncio.sleep(0.01)
        # It is told from what was known a moment ago.
        while (after := parsed(get(daemon, "/metrics")[2])[1])["abathur_subscriptions"] != {KIND: 0}:
            await asyncio.sleep(0.01)
    assert samples["abathur_source_frames_total"] == {(): 10}
    assert samples["abathur_source_io_bytes_total"] == {(): status.bytes_published}
    assert samples["abathur_subscriptions"] == {KIND: 1}
    assert samples["abathur_subscription_frames_sent_total"] == {KIND: 10}
    assert samples["abathur_subscription_io_bytes_total"] == {KIND: status.subscribers[0].bytes_sent}
    assert samples["abathur_encoding_duration_seconds_count"] == {KIND[:2]: 10}
    buckets = [value for _, value in sorted(samples["abathur_encoding_duration_seconds_bucket"].items())]
    assert max(buckets) == 10
    assert types["abathur_source_frames"] == "counter"
    assert types["abathur_subscriptions"] == "gauge"
    assert types["abathur_encoding_duration_seconds"] == "histogram"
    assert samples["dotnet_process_memory_working_set_bytes"][()] > 1e6
    # A disconnected client is not a subscriber any more; its frames stay counted.
    assert after["abathur_subscription_frames_sent_total"] == {KIND: 10}


def test_health_and_readiness(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    assert get(daemon, "/healthz") == (200, "text/plain; charset=utf-8", "ok\n")
    assert get(daemon, "/readyz") == (200, "text/plain; charset=utf-8", "ready\n")
    assert get(daemon, "/healthz", "HEAD") == (200, "text/plain; charset=utf-8", "")
    for path in ("/healthz", "/readyz", "/metrics", "/v1/status"):
        assert get(daemon, path, "POST")[0] == 405
        assert get(daemon, path, Origin="http://evil.example")[0] == 403
        assert get(daemon, path, Host="evil.example")[0] == 403


def test_status_is_the_same_as_by_grpc(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    _, kind, body = get(daemon, "/v1/status")
    assert kind == "application/json"
    told = json_format.Parse(body, sync_pb2.Status())
    with abathur.connect_blocking(daemon.grpc) as game:
        by_grpc = game.status()
    assert (told.match, told.playback) == (by_grpc.match, by_grpc.playback)


def test_what_tells_of_the_match_needs_a_token(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN)
    file.chmod(0o600)
    daemon = play(SKIRMISH, "--start-paused", "--watch-token-file", str(file))
    for path in ("/metrics", "/v1/status"):
        assert get(daemon, path)[0] == 401
        assert get(daemon, path, Authorization="Bearer wrong-token-0123456789")[0] == 401
        assert get(daemon, path, Authorization=f"Bearer {TOKEN}")[0] == 200
    assert get(daemon, "/healthz")[0] == get(daemon, "/readyz")[0] == 200
    address = daemon.addresses["http"]
    assert "401: a token is needed" in run_daemon("status", address).stderr
    assert run_daemon("status", address, "--token-file", str(file)).returncode == 0
    assert run_daemon("status", address, env={**os.environ, "ABATHUR_TOKEN": TOKEN}).returncode == 0


async def test_status_shows_a_table(play: Play) -> None:
    daemon = play(SKIRMISH, "--loop")
    async with abathur.connect(daemon.socket) as game:
        async for _ in game.frames(name="scout"):
            break
        frames = game.frames(name="scout")
        await anext(frames)
        done = await asyncio.to_thread(run_daemon, "status", daemon.addresses["http"].removeprefix("http://"))
        as_json = await asyncio.to_thread(run_daemon, "status", daemon.addresses["http"], "--json")
        await frames.aclose()
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert re.search(r"match +Synthetic LE, playback \(simulated\), 22.4 loops/s", done.stdout)
    assert re.search(r"scout +socket +latest +proto +\d+", done.stdout)
    told = json_format.Parse(as_json.stdout, sync_pb2.Status())
    assert [each.name for each in told.subscribers] == ["scout"]


def test_status_keeps_up_on_a_terminal(play: Play) -> None:
    daemon = play(SKIRMISH, "--loop")
    leader, follower = pty.openpty()
    try:
        command = daemon_command("status", daemon.addresses["http"])
        process = subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, close_fds=True)
        shown, loops = b"", set[bytes]()
        deadline = time.monotonic() + TIMEOUT
        while len(loops) < 3 and time.monotonic() < deadline:
            if select.select([leader], [], [], 1)[0]:
                shown += os.read(leader, 65536)
                loops = set(re.findall(rb"game loop (\d+)", shown))
        assert len(loops) >= 3, shown
        process.send_signal(2)
        assert process.wait(TIMEOUT) == 0
    finally:
        os.close(leader)
        os.close(follower)


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["127.0.0.1:1"], 1, "no daemon answers at http://127.0.0.1:1: "),
        (["ftp://127.0.0.1"], 2, "is not the address of a daemon"),
        (["http://u:p@127.0.0.1"], 2, "is not the address of a daemon"),
        (["127.0.0.1:1", "--token-file", "/nowhere"], 2, "--token-file: Could not find"),
        (["https://127.0.0.1:1", "--ca", "/nowhere"], 2, "--ca: Could not find"),
        (["a", "b"], 2, "Unexpected argument 'b'"),
    ],
)
def test_status_used_wrongly_says_why(arguments: list[str], code: int, expected: str) -> None:
    done = run_daemon("status", *arguments)
    assert (done.returncode, len(done.stderr.splitlines())) == (code, 1), done.stderr
    assert expected in done.stderr


async def test_json_logs_are_an_object_on_each_line(launch: Launch, tmp_path: Path) -> None:
    agent = tmp_path / "agent.py"
    agent.write_text("print('hello')\n")
    python = shutil.which("python3") or "python3"
    daemon = launch(
        "play", str(SKIRMISH), *FREE_PORTS, "--rate", "unlimited", "--wait-agents", "1",
        "--log-format", "json", "--log-level", "information", "--agent", f'"{python}" "{agent}"',
    )  # fmt: skip
    async with abathur.connect(daemon.grpc) as game:
        frames = [frame async for frame in game.frames(policy="every", name="scout")]
    assert await asyncio.to_thread(daemon.wait) == 0
    assert daemon.process.stderr is not None
    lines = [json.loads(line) for line in daemon.process.stderr.read().splitlines()]
    assert {"time", "level", "source", "message"} <= set.intersection(*(set(line) for line in lines))
    assert next(line for line in lines if line["source"] == "agent")["message"] == "hello"
    came = next(line for line in lines if line.get("event") == "Subscribed")
    assert (came["name"], came["transport"], came["policy"], came["level"]) == ("scout", "grpc", "Every", "information")
    gone = next(line for line in lines if line.get("event") == "Unsubscribed")
    assert (gone["id"], gone["frames_sent"], gone["frames_dropped"]) == (came["id"], len(frames), 0)


def test_errors_are_json_as_well_where_that_was_asked_for(tmp_path: Path) -> None:
    for arguments, code in (
        (["play", str(tmp_path / "missing.mcap")], 3),
        (["play"], 2),
        (["play", "x", "--rate", "y"], 2),
    ):
        done = run_daemon(*arguments, "--log-format", "json")
        assert done.returncode == code
        assert json.loads(done.stderr)["level"] == "critical"
    done = run_daemon("play", "x", "--log-format", "xml")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--log-format must be text or json, not" in done.stderr


PROGRAMS = {"abathur-sync": daemon_command, "abathur": lambda: [sys.executable, "-m", "abathur"]}


def with_program(folder: Path, name: str) -> dict[str, str]:
    """The environment of a shell that finds a program as users name it."""
    program = folder / name
    program.write_text("#!/bin/sh\nexec " + " ".join(f"'{word}'" for word in PROGRAMS[name]()) + ' "$@"\n')
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_and_options(tmp_path: Path, program: str) -> None:
    script = """
source <(PROGRAM completion bash)
complete_line() {
    COMP_LINE="$1"; COMP_POINT=${#1}; read -ra COMP_WORDS <<< "$1"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _FUNCTION; printf '%s\\n' "${COMPREPLY[@]}"; echo --
}
complete_line "PROGRAM reco"
complete_line "PROGRAM play --ra"
"""
    done = subprocess.run(
        ["bash", "-c", script.replace("PROGRAM", program).replace("FUNCTION", program.replace("-", "_"))],
        env=with_program(tmp_path, program),
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=True,
    )
    assert done.stdout.split("\n--\n")[:2] == ["recover", "--rate"]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
def test_zsh_completes_commands_options_and_files(tmp_path: Path, program: str) -> None:
    """In a terminal, by the Tab key, as it is described: the line in the shell's start file."""
    (tmp_path / "match one.mcap").touch()
    (tmp_path / ".zshrc").write_text(
        """
PS1='ready> '
autoload -Uz compinit
compinit -u -D
source <(PROGRAM completion zsh)
show() { print -r -- "<$BUFFER>"; BUFFER=; zle -I; zle reset-prompt }
zle -N show
bindkey '^X' show
""".replace("PROGRAM", program)
    )
    environment = {**with_program(tmp_path, program), "ZDOTDIR": str(tmp_path), "TERM": "dumb"}
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        ["zsh", "-i"], cwd=tmp_path, env=environment, stdin=follower, stdout=follower, stderr=follower,
        start_new_session=True,
    )  # fmt: skip
    try:
        shown = read_until(leader, rb"ready> ")
        for typed, wanted in (
            (f"{program} reco", f"{program} recover "),
            (f"{program} play --ra", f"{program} play --rate "),
            (f"true | {program} reco", f"true | {program} recover "),
            (f"{program} play matc", f"{program} play match\\ one.mcap "),
        ):
            os.write(leader, f"{typed}\t\x18".encode())
            shown = read_until(leader, rb"<([^>]*)>")
            assert shown.split(b"<")[-1].split(b">")[0].decode() == wanted
    finally:
        process.kill()
        process.wait(TIMEOUT)
        os.close(leader)
        os.close(follower)


def read_until(terminal: int, pattern: bytes) -> bytes:
    """What a terminal shows until it shows this."""
    shown = b""
    deadline = time.monotonic() + TIMEOUT
    while not re.search(pattern, shown):
        assert time.monotonic() < deadline, shown
        if select.select([terminal], [], [], 1)[0]:
            shown += os.read(terminal, 65536)
    return shown


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
def test_fish_completes_commands_options_and_files(tmp_path: Path, program: str) -> None:
    (tmp_path / "match one.mcap").touch()
    script = """
PROGRAM completion fish | source
for line in "PROGRAM reco" "PROGRAM play --ra" "true | PROGRAM reco" "PROGRAM play matc"
    complete -C $line
end
"""
    done = subprocess.run(
        ["fish", "--no-config", "-c", script.replace("PROGRAM", program)],
        cwd=tmp_path,
        env={**with_program(tmp_path, program), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=True,
    )
    assert (done.stdout.split("\n"), done.stderr) == (["recover", "--rate", "recover", "match one.mcap", ""], "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "pwsh"])
def test_completion_names_the_program(shell: str) -> None:
    done = run_daemon("completion", shell)
    assert done.returncode == 0
    assert "abathur-sync" in done.stdout and "[suggest:" in done.stdout
    assert run_daemon("completion", "csh").returncode == 2
