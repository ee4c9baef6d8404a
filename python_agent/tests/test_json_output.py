"""`--json` prints one object on standard output, and nothing besides it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import abathur
import pytest
from programs import SKIRMISH, run_daemon


def run_json(*arguments: str, code: int = 0, error: str = "") -> dict[str, Any]:
    """The object that a command prints."""
    done = run_daemon(*arguments, "--json")
    assert (done.returncode, done.stderr) == (code, error)
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def test_export_and_import(tmp_path: Path) -> None:
    observations, recording = tmp_path / "match.obs", tmp_path / "match.mcap"
    exported = run_json("export", str(SKIRMISH), "-o", str(observations), "--start", "9000", "--stop", "9100")
    assert exported == {"file": str(observations), "file_bytes": observations.stat().st_size, "frames": 100}
    imported = run_json("import", str(observations), "-o", str(recording))
    # Of each observation, the file has its length in two or three bytes.
    assert 0 < observations.stat().st_size - imported.pop("observation_bytes") <= 3 * 100
    assert imported == {
        "file": str(recording),
        "file_bytes": recording.stat().st_size,
        "frames": 100,
        "first_game_loop": 9000,
        "last_game_loop": 9099,
        "interrupted": False,
    }


def test_import_of_a_truncated_file_says_where_it_ends(tmp_path: Path) -> None:
    observations, recording = tmp_path / "match.obs", tmp_path / "match.mcap"
    run_json("export", str(SKIRMISH), "-o", str(observations), "--stop", "8970")
    observations.write_bytes(observations.read_bytes()[:-1])
    done = run_daemon("import", str(observations), "-o", str(recording), "--json")
    printed = json.loads(done.stdout)
    assert done.returncode == 3 and printed["damage"] in done.stderr
    assert (printed["frames"], printed["last_game_loop"], printed["interrupted"]) == (9, 8968, False)


def test_recover(tmp_path: Path) -> None:
    cut, recovered = tmp_path / "cut.mcap", tmp_path / "cut.recovered.mcap"
    cut.write_bytes(SKIRMISH.read_bytes()[:-200])
    printed = run_json("recover", str(cut))
    topics = printed.pop("messages_by_topic")
    assert topics["/observation"] == 1344 and sum(topics.values()) == printed.pop("messages")
    assert printed.pop("lost_bytes") >= 0 and printed.pop("complete_chunks") >= 1
    assert printed == {
        "file": str(recovered),
        "file_bytes": recovered.stat().st_size,
        "truncated_chunk_messages": 0,
        "damaged_records": 0,
        "was_complete": False,
    }
    with abathur.open(recovered) as match:
        assert match.frame_count == 1344


def test_export_to_standard_output_has_no_room_for_it() -> None:
    done = run_daemon("export", str(SKIRMISH), "-o", "-", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--json needs -o FILE: standard output has the data" in done.stderr


@pytest.mark.parametrize("name", ["import", "export", "recover", "info", "status"])
def test_each_command_that_reports_has_it(name: str) -> None:
    assert "--json" in run_daemon(name, "--help").stdout
