"""The matches on NATS servers, for ``abathur matches``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import NamedTuple

from abathur._program.address import Address
from abathur._transport.nats import directory
from abathur._transport.nats.client import ApiError, Client
from abathur._transport.nats.directory import Entry
from abathur._transport.timeouts import CONNECT_TIMEOUT
from abathur.cli._local_matches import ago
from abathur.errors import AbathurError, ConnectError, LostError, RequestError


def show(servers: Address, *, as_json: bool) -> None:
    """Print the matches in the directory.

    Raises:
        ConnectError: no server answers.
        RequestError: it refuses the login, or this user may not read the directory.
    """
    found = asyncio.run(_read(servers))
    if as_json:
        print(json.dumps([{**asdict(each), "state": each.shown_state} for each in found], indent=2))
        return
    if not found:
        print(f"no matches at {servers}")
        return
    from rich.console import Console

    from abathur.cli._fitting_table import Column, FittingTable

    rows = [row for each in found for row in _rows(each)]
    columns = [
        Column("match", [row.match for row in rows], keep=10, is_text=True),
        Column("state", [row.state for row in rows], keep=9, is_text=True),
        Column("since", [ago(datetime.fromtimestamp(row.since, UTC)) for row in rows], keep=5),
        Column("players", [row.players for row in rows], keep=3, is_text=True),
        Column("map", [row.map_name or "-" for row in rows], keep=4, is_text=True),
        Column("loop", [f"{row.game_loop}" for row in rows], keep=8),
        Column("readers", [row.readers for row in rows], keep=7),
    ]
    Console().print(FittingTable(f"Matches at {servers}", columns, f"abathur watch {servers}/MATCH"))


class _Row(NamedTuple):
    """A match in the table."""

    match: str
    state: str
    since: float
    players: str
    map_name: str
    game_loop: int
    readers: str


def _rows(entry: Entry) -> Iterator[_Row]:
    """The match that a name has, and those that it had before, newest first."""
    newest = f"{entry.readers}"
    yield _Row(entry.match, entry.shown_state, entry.since, _players(entry), entry.map_name, entry.game_loop, newest)
    for run in reversed(entry.former):
        yield _Row("  earlier", run.state, run.since, "", run.map_name, run.game_loop, "")


async def _read(servers: Address) -> Sequence[Entry]:
    try:
        client = await Client.connect(servers, "_INBOX.directory", CONNECT_TIMEOUT, "abathur matches")
    except LostError as error:
        raise ConnectError(str(servers), str(error), "server") from None
    try:
        return await directory.entries(client)
    except LostError as error:
        raise ConnectError(str(servers), str(error), "server") from None
    except ApiError as error:
        raise AbathurError(f"the directory of {servers} cannot be read: {error}") from None
    except RequestError as error:
        if error.code != "PERMISSION_DENIED":
            raise
        raise RequestError(error.code, f"this user may not list the matches of {servers}: {error.message}") from None
    finally:
        await client.close()


def _players(entry: Entry) -> str:
    shown = [f"{each.name} ({each.race[:1]})" if each.name else each.race for each in entry.players]
    return " - ".join(each for each in shown if each) or "-"
