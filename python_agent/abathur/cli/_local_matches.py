"""The matches on this machine, for ``abathur matches``."""

from __future__ import annotations

import json
import os
import ssl
import urllib.request
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from abathur._program.directory import LocalMatch, matches
from abathur._values.malformed import MALFORMED

_ANSWER_SECONDS = 2.0
_MAX_ANSWER_BYTES = 4 * 1024 * 1024


def show(*, as_json: bool) -> None:
    """Print the matches that this user's daemons publish on this machine."""
    found = [(each, _status(each)) for each in matches()]
    if as_json:
        print(json.dumps([{**asdict(each), **_facts(status)} for each, status in found], indent=2))
        return
    if not found:
        print("no matches on this machine: `abathur demo`, `play`, `proxy`, `live` and `serve` publish one")
        return
    from rich.console import Console

    from abathur.cli._fitting_table import Column, FittingTable

    facts = [_facts(status) for _, status in found]
    columns = [
        Column("match", [each.name for each, _ in found], keep=10, is_text=True),
        Column("by", [each.command for each, _ in found], keep=5, is_text=True),
        Column("since", [ago(datetime.fromisoformat(each.started)) for each, _ in found], keep=6),
        Column("map", [_text(each["map"]) for each in facts], keep=4, is_text=True),
        Column("loop", [_text(each["game_loop"]) for each in facts], keep=8),
        Column("readers", [_text(each["readers"]) for each in facts], keep=7),
        Column("address", [each.address for each, _ in found], keep=3, is_text=True),
    ]
    Console().print(FittingTable("Matches on this machine", columns, "abathur watch match:NAME"))


def ago(since: datetime) -> str:
    """How long ago, e.g. 3 min."""
    seconds = max(0, round((datetime.now(UTC) - since).total_seconds()))
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 7200 else f"{seconds // 3600} h"


def _text(value: object) -> str:
    return "-" if value is None else f"{value}"


def _facts(status: dict[str, Any] | None) -> dict[str, Any]:
    """What a daemon says of itself; None for what it does not say, or not to this user."""
    if status is None:
        return {"map": None, "game_loop": None, "readers": None}
    try:
        loop = status.get("history", {}).get("lastGameLoop", status.get("playback", {}).get("gameLoop"))
        name, readers = status.get("match", {}).get("mapName") or None, len(status.get("subscribers", []))
    except MALFORMED:
        return _facts(None)
    return {"map": name, "game_loop": loop, "readers": readers}


def _status(match: LocalMatch) -> dict[str, Any] | None:
    """The status of a daemon; None if it does not give one: it needs another token, or hangs."""
    http = match.addresses.get("http")
    if http is None:
        return None
    token = os.environ.get("ABATHUR_TOKEN")
    request = urllib.request.Request(f"{http}/v1/status")
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    # No proxy: the token must only reach this address.
    handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]
    try:
        if http.startswith("https:"):
            context = ssl.create_default_context(cafile=os.environ.get("ABATHUR_CA") or None)
            handlers.append(urllib.request.HTTPSHandler(context=context))
        with urllib.request.build_opener(*handlers).open(request, timeout=_ANSWER_SECONDS) as response:
            answer = json.loads(response.read(_MAX_ANSWER_BYTES))
    except (OSError, ValueError):
        return None
    return answer if isinstance(answer, dict) else None
