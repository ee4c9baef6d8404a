"""The unit events of `Abathur.Client` (C#) beside those of burnysc2's own BotAI, on the same observations."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import abathur
import pytest
from programs import ROOT, SHARED, matrix, run_daemon
from s2clientprotocol import sc2api_pb2

PROGRAM = ROOT / "artifacts" / "bin" / "Abathur.ClientEvents" / "release" / "Abathur.ClientEvents.dll"
#: A first frame from this game loop on is a late join.
LATE_LOOP = 224
CARRYING = range(271, 276)
UNORDERED = ("UnitDestroyed", "UpgradeComplete", "EnemyUnitLeftVision")
SEQUENCES = (
    "abyssal-zvp-shuffled",
    "berlingrad-zvz-mid",
    "hardwire-tvt-mid",
    "kairos-pvp-mid",
    "lostandfound-pvz-step8-bot",
    "proxima-pvt-late-creep8",
)
#: Game loop, name, tag, and the amount, the previous type, or the upgrade.
Event = tuple[int, str, int, float]

pytestmark = pytest.mark.skipif(not (SHARED / "sequences").is_dir(), reason=f"{SHARED}/sequences does not exist")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sequences")


def imported(name: str, folder: Path) -> Path:
    recording = folder / f"{name}.mcap"
    if not recording.exists():
        done = run_daemon("import", str(SHARED / "sequences" / f"{name}.obs.zst"), "-o", str(recording), timeout=120)
        assert done.returncode == 0, done.stderr
    return recording


def events_in_csharp(recording: Path, every: int) -> list[Event]:
    """Without the alerts, which BotAI has no callback for."""
    line = ["dotnet", str(PROGRAM), str(recording), str(every)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=120, check=True)
    events = [text.split() for text in done.stdout.splitlines()]
    return [(int(loop), name, int(tag), float(detail)) for loop, name, tag, detail in events if name != "Alert"]


def frames(recording: Path, every: int) -> Iterator[sc2api_pb2.ResponseObservation]:
    """One frame in so many game loops, and the last one, with the dead units of those between, as a game."""
    dead: list[int] = []
    last: int | None = None
    excluded: sc2api_pb2.ResponseObservation | None = None
    with abathur.open(recording) as match:
        for payload in match.payloads():
            observation = sc2api_pb2.ResponseObservation.FromString(payload)
            loop = observation.observation.game_loop
            event = observation.observation.raw_data.event
            dead += event.dead_units
            del event.dead_units[:]
            event.dead_units.extend(dead)
            if last is not None and loop - last < every:
                excluded = observation
                continue
            last = loop
            dead, excluded = [], None
            yield observation
    if excluded is not None:
        yield excluded


def events_of_botai(recording: Path, every: int) -> list[Event]:
    """BotAI's own events, without the documented differences at a late join."""
    from sc2.bot_ai import BotAI
    from sc2.data import Race
    from sc2.game_data import GameData
    from sc2.game_state import GameState

    class Recorder(BotAI):  # type: ignore[misc]
        def add(self, name: str, tag: int, detail: float = 0.0) -> None:
            events.append((self.state.game_loop, name, tag, detail))

        async def on_unit_destroyed(self, unit_tag: int) -> None:
            self.add("UnitDestroyed", unit_tag)

        async def on_unit_created(self, unit: Any) -> None:
            carries = is_late and any(buff in CARRYING for buff in unit._proto.buff_ids)
            if unit.tag not in known and not carries:
                self.add("UnitCreated", unit.tag)

        async def on_unit_took_damage(self, unit: Any, amount_damage_taken: float) -> None:
            self.add("UnitTookDamage", unit.tag, amount_damage_taken)

        async def on_unit_type_changed(self, unit: Any, previous_type: Any) -> None:
            self.add("UnitTypeChanged", unit.tag, previous_type.value)

        async def on_building_construction_started(self, unit: Any) -> None:
            self.add("BuildingConstructionStarted", unit.tag)

        async def on_building_construction_complete(self, unit: Any) -> None:
            self.add("BuildingConstructionComplete", unit.tag)

        async def on_upgrade_complete(self, upgrade: Any) -> None:
            self.add("UpgradeComplete", 0, upgrade.value)

        async def on_enemy_unit_entered_vision(self, unit: Any) -> None:
            self.add("EnemyUnitEnteredVision", unit.tag)

        async def on_enemy_unit_left_vision(self, unit_tag: int) -> None:
            self.add("EnemyUnitLeftVision", unit_tag)

    events: list[Event] = []
    known: set[int] = set()
    is_late = False
    data = sc2api_pb2.ResponseData.FromString((SHARED / "observations" / "game_data.binpb").read_bytes())
    bot = Recorder()
    bot._initialize_variables()
    bot.distance_calculation_method = 0
    bot.game_data, bot.game_info = GameData(data), SimpleNamespace()
    bot.race, bot.enemy_race, bot.player_id, bot.base_build = Race.Terran, Race.Terran, 1, -1
    # It takes a grid from each answer.
    grid = sc2api_pb2.Response()
    grid.game_info.start_raw.pathing_grid.bits_per_pixel = 1
    grid.game_info.start_raw.pathing_grid.size.x, grid.game_info.start_raw.pathing_grid.size.y = 8, 1
    grid.game_info.start_raw.pathing_grid.data = b"\0"

    async def run() -> None:
        nonlocal is_late
        is_first = True
        for observation in frames(recording, every):
            # It reads creep with one bit a cell only.
            observation.observation.raw_data.map_state.creep.CopyFrom(grid.game_info.start_raw.pathing_grid)
            state = GameState(observation)
            bot._prepare_step(state, grid)
            if is_first:
                is_first = False
                is_late = state.game_loop >= LATE_LOOP
                if is_late:
                    known.update(unit.tag for unit in bot.units)
                bot._previous_upgrades = state.upgrades
                # As its own loop does: what stands in the first frame has no events.
                bot._prepare_step(state, grid)
            await bot.issue_events()

    asyncio.run(run())
    return events


def arranged(events: list[Event]) -> list[tuple[int, str, list[Event]]]:
    """The events in runs of a kind: BotAI takes some of them from sets, whose order means nothing."""
    runs: list[tuple[int, str, list[Event]]] = []
    for event in events:
        kind = event[1] if event[1] in UNORDERED else "in the order of the units"
        if not runs or runs[-1][:2] != (event[0], kind):
            runs.append((event[0], kind, []))
        runs[-1][2].append(event)
    return [(loop, kind, sorted(each) if kind in UNORDERED else each) for loop, kind, each in runs]


@pytest.mark.timeout(180)
@pytest.mark.parametrize("every", matrix(4, 1, 22))
@pytest.mark.parametrize("name", matrix(*SEQUENCES))
def test_the_events_are_those_of_botai(name: str, every: int, folder: Path) -> None:
    recording = imported(name, folder)
    ours = events_in_csharp(recording, every)
    theirs = events_of_botai(recording, every)
    assert len(ours) > 0
    assert arranged(ours) == arranged(theirs)


@pytest.mark.matrix
@pytest.mark.timeout(300)
@pytest.mark.parametrize("every", [1, 4, 22])
def test_the_events_of_a_whole_match_are_those_of_botai(every: int, folder: Path) -> None:
    recording = imported("odyssey-zvp-full", folder)
    ours = events_in_csharp(recording, every)
    assert len(ours) > 1000
    assert arranged(ours) == arranged(events_of_botai(recording, every))
