"""Connections go to the address that was given, whatever web proxy the environment names."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from emulators import emulated
from programs import ROOT, SKIRMISH, Play, abathur, run_daemon

#: Of a proxy that nothing listens for.
NOWHERE = "http://127.0.0.1:9"
PROXY = {
    variable: NOWHERE
    for name in ("http_proxy", "https_proxy", "ws_proxy", "wss_proxy", "grpc_proxy", "all_proxy")
    for variable in (name, name.upper())
} | {"no_proxy": "", "NO_PROXY": ""}
#: What opens connections through the proxy of the environment or the system, unless it is told not to.
CLIENTS = re.compile(r"\bnew (ClientWebSocket|HttpClient|HttpClientHandler|SocketsHttpHandler)\b|\bGrpcChannel\.")
WITHOUT_PROXY = re.compile(r"\b(UseProxy = false|Options\.Proxy = null)\b")


def test_live_does_not_use_a_web_proxy() -> None:
    with emulated() as game:
        done = run_daemon(
            *("live", "--sc2", game.address, "--map", "Any.SC2Map", "--opponent", "ai:zerg", "--step", "500"),
            *("--ports", "auto", "--connect-timeout", "0"),
            env={**os.environ, **PROXY},
        )
    assert (done.returncode, done.stdout.startswith("ready ")) == (0, True), done.stderr


@pytest.mark.parametrize("transport", ["grpc", "socket"])
def test_clients_do_not_use_a_web_proxy(play: Play, tmp_path: Path, transport: str) -> None:
    daemon = play(SKIRMISH, "--loop", "--name", "proxied")
    seen = abathur("watch", daemon.addresses[transport], "--seconds", "0.5", **PROXY)
    assert seen.returncode == 0, seen.stderr
    listed = abathur("matches", **PROXY)
    assert "proxied" in listed.stdout and "Synthetic LE" in listed.stdout, listed.stdout + listed.stderr
    status = run_daemon("status", daemon.addresses["http"], env={**os.environ, **PROXY})
    assert status.returncode == 0, status.stderr


def test_each_client_in_the_code_is_told_to_use_none() -> None:
    files = [*(ROOT / "Abathur.Sync").rglob("*.cs"), *(ROOT / "libraries").rglob("*.cs")]
    texts = {file: file.read_text("utf-8") for file in files}
    clients = {file for file, text in texts.items() if CLIENTS.search(text)}
    assert {file.name for file in clients} >= {"GameClient.cs", "StatusClient.cs"}
    assert not [file for file in clients if not WITHOUT_PROXY.search(texts[file])]
