"""The matches on NATS servers, for ``abathur matches``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime

from abathur._address import Address
from abathur._nats import _directory
from abathur._nats._client import ApiError, Client
from abathur._nats._directory import Entry
from abathur._timeouts import CONNECT_TIMEOUT
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

    columns = [
        Column("match", [each.match for each in found], keep=10, is_text=True),
        Column("state", [each.shown_state for each in found], keep=9, is_text=True),
        Column("since", [ago(datetime.fromtimestamp(each.since, UTC)) for each in found], keep=5),
        Column("players", [_players(each) for each in found], keep=3, is_text=True),
        Column("map", [each.map_name or "-" for each in found], keep=4, is_text=True),
        Column("loop", [f"{each.game_loop}" for each in found], keep=8),
        Column("readers", [f"{each.readers}" for each in found], keep=7),
    ]
    Console().print(FittingTable(f"Matches at {servers}", columns, f"abathur watch {servers}/MATCH"))


async def _read(servers: Address) -> Sequence[Entry]:
    try:
        client = await Client.connect(servers, "_INBOX.directory", CONNECT_TIMEOUT, "abathur matches")
    except LostError as error:
        raise ConnectError(str(servers), str(error), "server") from None
    try:
        return await _directory.entries(client)
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
