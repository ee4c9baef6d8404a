"""Names of units beside or in place of their numbers, also for a recording without game data."""

from __future__ import annotations

import json
import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

import abathur
import pytest
from browsers import OpenPage, needs_browser
from programs import SKIRMISH, Play, run_daemon
from s2clientprotocol import sc2api_pb2


def browser(test: Any) -> Any:
    """A test in a browser."""
    for mark in needs_browser:
        test = mark(test)
    return test


@pytest.fixture(scope="module")
def nameless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The start of the committed recording without game info and game data."""
    folder = tmp_path_factory.mktemp("nameless")
    observations, recording = folder / "match.obs", folder / "match.mcap"
    for arguments in (
        ["export", str(SKIRMISH), "-o", str(observations), "--stop", "9060"],
        ["import", str(observations), "-o", str(recording)],
    ):
        done = run_daemon(*arguments)
        assert done.returncode == 0, done.stderr
    return recording


def names_by_id() -> dict[int, str]:
    """As the recording's game data has them."""
    with abathur.open(SKIRMISH) as match:
        data = match.game_data()
    assert data is not None
    return {unit.unit_id: unit.name for unit in data.units if unit.name}


def test_info_names_the_units_of_the_first_frame(nameless: Path) -> None:
    with abathur.open(SKIRMISH) as match:
        frame = next(match.frames())
    names = names_by_id()
    expected = Counter(names[unit.unit_type] for unit in frame.observation.raw_data.units)
    for recording in (SKIRMISH, nameless):
        printed = json.loads(run_daemon("info", str(recording), "--json").stdout)
        assert printed["first_frame_units"] == expected
        text = " ".join(run_daemon("info", str(recording)).stdout.split())
        name, count = expected.most_common(1)[0]
        assert f"{sum(expected.values())} units: {count} {name}" in text


def test_cat_adds_names_and_changes_nothing_else(nameless: Path) -> None:
    fields = ["--fields", "observation.raw_data.units.unit_type,observation.raw_data.units.orders", "--limit", "3"]
    names = names_by_id()
    for recording in (SKIRMISH, nameless):
        plain, named = (
            [json.loads(line) for line in run_daemon("cat", str(recording), *fields, *more).stdout.splitlines()]
            for more in ([], ["--names"])
        )
        found = Counter[str]()

        def without_names(value: Any, found: Counter[str] = found) -> Any:
            if isinstance(value, list):
                return [without_names(each) for each in value]
            if not isinstance(value, dict):
                return value
            if "unitTypeName" in value:
                assert value["unitTypeName"] == names[value["unitType"]]
                found["units"] += 1
            if "abilityName" in value:
                assert value["abilityName"] and value["abilityId"] > 0
                found["abilities"] += 1
            return {key: without_names(each) for key, each in value.items() if not key.endswith("Name")}

        assert [without_names(line) for line in named] == plain and len(plain) == 3
        assert found["units"] > 100 and found["abilities"] > 10


def test_names_of_cat_need_fields() -> None:
    done = run_daemon("cat", str(SKIRMISH), "--names")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "abathur-sync: --names needs --fields: without it, no message is printed\n"


def test_info_of_an_address_names_the_command() -> None:
    done = run_daemon("info", "127.0.0.1:22400")
    assert (done.returncode, done.stdout) == (3, "")
    expected = "abathur-sync: there is no file 127.0.0.1:22400; `abathur-sync status` shows a running daemon\n"
    assert done.stderr == expected


def test_the_daemon_serves_its_tables(play: Play) -> None:
    daemon = play(SKIRMISH, "--start-paused")
    with urllib.request.urlopen(f"{daemon.addresses['http']}/game_data.binpb") as answer:
        data = sc2api_pb2.ResponseData.FromString(answer.read())
    assert {unit.unit_id: unit.name for unit in data.units if unit.name} == names_by_id()


@browser
def test_the_dashboard_names_units_without_game_data(play: Play, open_page: OpenPage, nameless: Path) -> None:
    daemon = play(nameless, "--loop")
    page = open_page(daemon)
    page.wait("[...document.querySelectorAll('#units button')].some((each) => each.innerText.includes('Drone'))")
    assert "unit type" not in page.text("#units")
