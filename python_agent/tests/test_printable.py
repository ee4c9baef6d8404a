"""What others have named or said, as it is printed: nothing of it acts on the terminal."""

from __future__ import annotations

import io
import json
import socket
from pathlib import Path

import pytest
from abathur._program import address as _address
from abathur._transport.nats import directory, wire
from abathur._transport.nats.client import Client
from abathur._values.printable import printable
from abathur.cli import dataset
from abathur.cli._fitting_table import Column, FittingTable
from abathur.cli._local_matches import _facts
from datasets import write_recording
from hostile import hostile
from nats_servers import needs_nats, running
from nats_writes import create_directory, to_json
from programs import abathur as run_abathur
from rich.console import Console
from s2clientprotocol import sc2api_pb2

#: Clears the screen, sets the title, goes back in the line, changes the direction, ends the line; and markup of rich.
EVIL = "\x1b[2J\x1b]0;owned\x07\r\x9b1A\u202etxt\u2028\n[red]all is well[/red][/]"
SHOWN = r"\x1b[2J\x1b]0;owned\x07\r\x9b1A\u202etxt\u2028\n[red]all is well[/red][/]"


def acts(text: str) -> list[str]:
    """Characters that act on a terminal, besides the ends of lines."""
    return [each for each in text.replace("\n", "") if not each.isprintable()]


def test_characters_that_act_are_shown_as_escapes() -> None:
    assert printable(EVIL) == SHOWN
    assert printable("\ud800 \x00\x7f\u200b") == r"\ud800 \x00\x7f\u200b"
    for text in ("King's Cove LE", "에이지", "Ødegård, 10 %", "", "😀", "a\u3000b"):
        assert printable(text) == text


def test_cells_titles_and_hints_of_tables() -> None:
    columns = [Column("match", [EVIL, "x"], keep=10, is_text=True), Column("map", ["y", EVIL], keep=5, is_text=True)]
    for width in (300, 70):
        output = io.StringIO()
        Console(file=output, width=width, force_terminal=False).print(FittingTable(EVIL, columns, EVIL))
        assert not acts(output.getvalue())
        assert "all is well[/red][/]" in output.getvalue()


def test_what_a_dataset_says(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    dataset._complain([f"{EVIL}: {EVIL}"], 1, "more")
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1 and not acts(said) and SHOWN in said
    for number in range(2):
        observation = sc2api_pb2.ResponseObservation()
        observation.observation.game_loop = number
        data = observation.SerializeToString()
        write_recording(tmp_path / f"{number}.mcap", [(number, data)], match_id="\x1b[2J[red]", map_name=EVIL)
    done = run_abathur("dataset", "build", str(tmp_path), "-o", str(tmp_path / "data"))
    assert done.returncode == 0, done.stderr
    done = run_abathur("dataset", "info", str(tmp_path / "data"))
    assert r"match \x1b[2J[red]: one player has several recordings" in done.stdout
    assert not acts(done.stdout)


def test_errors_of_a_hostile_daemon() -> None:
    line = json.dumps({"error": {"code": f"ABORTED{EVIL}", "message": EVIL, "fatal": True}}).encode() + b"\n"

    def refuse(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(line)

    with hostile(refuse) as address:
        done = run_abathur("watch", address, "--seconds", "1", "--encoding", "json")
    assert done.returncode == 1
    assert not acts(done.stderr) and done.stdout.strip() == ""
    assert len(done.stderr.splitlines()) == 1 and SHOWN in done.stderr


@needs_nats
async def test_matches_of_a_directory(tmp_path: Path) -> None:
    with running(tmp_path / "nats") as server:
        client = await Client.connect(_address.parse(server.url), "_INBOX.test", 5, "test")
        await create_directory(client)
        players = [directory.Player(1, EVIL, EVIL)]
        entry = directory.Entry("evil", map_name=EVIL, state=EVIL, reason=EVIL, players=players)
        await client.publish(wire.key("evil"), to_json(entry))
        await client.close()
        listed = run_abathur("matches", server.url, COLUMNS="500")
    assert listed.returncode == 0, listed.stderr
    assert not acts(listed.stdout)
    assert SHOWN in listed.stdout


@pytest.mark.parametrize("status", [{"history": []}, {"match": "x"}, {"subscribers": 5}, {"playback": 1}])
def test_a_status_of_another_form_is_not_shown(status: dict[str, object]) -> None:
    assert _facts(status) == {"map": None, "game_loop": None, "readers": None}
