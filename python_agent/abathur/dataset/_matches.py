"""The table `matches`: a row for each match, of the entries of all its recordings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from abathur._recording.match_facts import RecordedPlayer
from abathur.dataset import _tables
from abathur.dataset._entry import Entry
from abathur.dataset._store import Store

if TYPE_CHECKING:
    import pyarrow as pa

FILE = "matches/matches.parquet"


def write(store: Store) -> int:
    """Write the table of all complete recordings; returns the number of rows."""
    rows = [_row(entries) for entries in together(store.entries())]
    target = store.root / FILE
    target.parent.mkdir(exist_ok=True)
    with store.temporary("matches") as folder:
        part = folder / target.name
        with _tables.writer(part, _schema()) as writer:
            writer.write_table(_table(rows))
        part.replace(target)
    return len(rows)


def check(entry: Entry) -> None:
    """Check that the table can have an entry: one that does not fit would end each build.

    Raises:
        ValueError: it has a value that does not fit.
    """
    try:
        _table([_row([entry])])
    except (ArithmeticError, TypeError, ValueError) as error:
        raise ValueError(f"the table matches cannot have it: {error}") from None


def together(entries: Iterable[Entry]) -> list[list[Entry]]:
    """The recordings of each match, in the order of the matches' ids; of one match in the order of the players.

    Recordings are of one match if they have its id and its map: ids that the daemon makes are unique.
    """
    matches: dict[tuple[str, str, str], list[Entry]] = {}
    for entry in entries:
        matches.setdefault((entry.match_id, entry.map_name, entry.game_version), []).append(entry)
    return [sorted(matches[key], key=lambda each: (each.player_id, each.sha256)) for key in sorted(matches)]


def _table(rows: list[dict[str, Any]]) -> pa.Table:
    import pyarrow as pa

    return pa.Table.from_pylist(rows, _schema())


def _schema() -> pa.Schema:
    import pyarrow as pa

    text, loop = pa.string(), pa.uint32()
    player = {"player_id": pa.int32(), "name": text, "kind": text, "race": text, "result": text}
    recording = {
        "player_id": pa.int32(),
        "sha256": text,
        "files": pa.list_(text),
        "bytes": pa.int64(),
        "frames": pa.int64(),
        "sampled": pa.int64(),
        "first_game_loop": loop,
        "last_game_loop": loop,
    }
    return pa.schema(
        {
            "match_id": text,
            "map_name": text,
            "game_version": text,
            "source": text,
            "simulated": pa.bool_(),
            "matchup": text,
            "winner": pa.int32(),
            "tick_hz": pa.float64(),
            "first_game_loop": loop,
            "last_game_loop": loop,
            "duration_seconds": pa.float64(),
            "players": pa.list_(pa.struct(player)),
            "recordings": pa.list_(pa.struct(recording)),
        }
    )


def _row(entries: list[Entry]) -> dict[str, Any]:
    first = entries[0]
    players = _players(entries)
    playing = [player for player in players if player.kind != "observer"]
    winners = [player.player_id for player in playing if player.result == "victory"]
    last = max((each.last_game_loop for each in entries if each.last_game_loop is not None), default=None)
    return {
        "match_id": first.match_id,
        "map_name": first.map_name,
        "game_version": first.game_version,
        "source": first.source,
        "simulated": first.simulated,
        "matchup": "v".join(sorted(player.race[0] if player.race else "?" for player in playing)) or None,
        "winner": winners[0] if len(winners) == 1 else None,
        "tick_hz": first.tick_hz,
        "first_game_loop": min(
            (each.first_game_loop for each in entries if each.first_game_loop is not None), default=None
        ),
        "last_game_loop": last,
        "duration_seconds": None if last is None else last / first.tick_hz,
        "players": [_named(player, ("player_id", "name", "kind", "race", "result")) for player in players],
        "recordings": [_named(each, _RECORDING) for each in entries],
    }


_RECORDING = ("player_id", "sha256", "files", "bytes", "frames", "sampled", "first_game_loop", "last_game_loop")


def _named(value: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


def _players(entries: list[Entry]) -> list[RecordedPlayer]:
    """What the recordings together know: of an opponent who chose random, only its own recording has the race."""
    known: dict[int, RecordedPlayer] = {}
    for entry in entries:
        for player in entry.players:
            found = known.get(player.player_id, player)
            known[player.player_id] = replace(
                found,
                name=found.name or player.name,
                race=found.race or player.race,
                result=found.result or player.result,
            )
    return [known[number] for number in sorted(known)]
