"""The tables of gamedata/ and what `synth` makes of them: the game's own data, for every lookup that a bot makes."""

from __future__ import annotations

import subprocess
import sys
from operator import attrgetter
from pathlib import Path
from typing import Any

import abathur
import pytest
from emulators import emulated, short_match
from programs import ROOT, SHARED, SKIRMISH, needs_observations, run_daemon
from s2clientprotocol import data_pb2, sc2api_pb2
from sc2.bot_ai import BotAI
from sc2.data import Race, Result
from sc2.game_data import GameData
from sc2.ids.ability_id import AbilityId
from sc2.ids.unit_typeid import UnitTypeId
from sc2.ids.upgrade_id import UpgradeId
from sc2.main import play_from_websocket
from sc2.player import Bot

# python-sc2 passes aiohttp a timeout in the old way.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:sc2", "ignore:parameter 'timeout':DeprecationWarning"
)

REAL = SHARED / "observations" / "game_data.binpb"
TABLES = ("units", "abilities", "upgrades", "buffs", "effects")


def committed() -> sc2api_pb2.ResponseData:
    with abathur.open(SKIRMISH) as match:
        data = match.game_data()
    assert data is not None
    return data


@needs_observations
def test_the_tables_are_what_their_generator_makes_of_the_real_data(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(ROOT / "gamedata" / "extract.py"), str(REAL), str(tmp_path)], check=True)
    for name in TABLES:
        assert (tmp_path / f"{name}.tsv").read_text() == (ROOT / "gamedata" / f"{name}.tsv").read_text(), name


@needs_observations
@pytest.mark.parametrize("preset", ["skirmish", "elite"])
def test_synth_writes_game_data_equal_to_the_real_game(tmp_path: Path, preset: str) -> None:
    file = tmp_path / "match.mcap"
    assert run_daemon("synth", "--preset", preset, "--steps", "1", "-o", str(file)).returncode == 0
    real = sc2api_pb2.ResponseData.FromString(REAL.read_bytes())
    with abathur.open(file) as match:
        assert match.game_data() == real
    assert committed() == real


def test_the_committed_recording_has_every_entity() -> None:
    data = committed()
    assert [len(getattr(data, name)) for name in TABLES] == [2005, 4134, 306, 303, 13]
    for name in TABLES:
        entities = getattr(data, name)
        key = entities[0].DESCRIPTOR.fields[0].name
        assert key.endswith("_id")
        assert [getattr(entity, key) for entity in entities] == list(range(len(entities)))
    marine, ultralisk = data.units[48], data.units[109]
    assert (marine.name, marine.mineral_cost, marine.food_required, marine.build_time) == ("Marine", 50, 1, 400)
    assert [data_pb2.Attribute.Name(each) for each in ultralisk.attributes] == ["Armored", "Biological", "Massive"]
    assert [data.units[101].name, list(data.units[101].tech_alias)] == ["Hive", [86, 100]]


def lookups(data: GameData) -> dict[str, Any]:
    """All that python-sc2 derives from game data, for everything that it has a name for."""
    found: dict[str, Any] = {}
    for number, unit in data.units.items():
        ability = unit.creation_ability
        found[f"unit {number}"] = (
            unit.id, unit.name, unit.cost, unit.cost_zerg_corrected, unit.morph_cost, unit.attributes, unit.cargo_size,
            unit.race, unit.tech_alias, unit.unit_alias, unit.tech_requirement, unit.footprint_radius,
            unit.has_minerals, unit.has_vespene,
            ability and (ability.id, ability.exact_id, ability.cost, ability.is_free_morph),
        )  # fmt: skip
    for number, each in data.abilities.items():
        names = (each.link_name, each.button_name, each.friendly_name)
        found[f"ability {number}"] = (each.exact_id, *names, each.is_free_morph)
    for number, upgrade in data.upgrades.items():
        ability = upgrade.research_ability
        found[f"upgrade {number}"] = (upgrade.name, upgrade.cost, ability and ability.exact_id)
    return found


@needs_observations
def test_python_sc2_derives_the_same_from_the_committed_recording_as_from_the_real_game() -> None:
    real = lookups(GameData(sc2api_pb2.ResponseData.FromString(REAL.read_bytes())))
    assert lookups(GameData(committed())) == real
    assert len(real) > 2500


class AsksForEverything(BotAI):
    """Asks BotAI about every unit type, upgrade and ability that the game has, whatever its race."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.failed: list[str] = []
        self.result: Result | None = None

    async def on_step(self, iteration: int) -> None:
        if iteration > 0:
            return
        for unit in map(UnitTypeId, sorted(self.game_data.units)):
            for ask in (
                self.calculate_cost, self.calculate_supply_cost, self.calculate_unit_value, self.can_afford,
                self.can_feed, self.already_pending, self.tech_requirement_progress, self.structure_type_build_progress,
            ):  # fmt: skip
                self.ask(ask, unit)
        for upgrade in UpgradeId:
            if upgrade.value in self.game_data.upgrades:
                for ask in (self.calculate_cost, self.can_afford, self.already_pending_upgrade):
                    self.ask(ask, upgrade)
        for ability in AbilityId:
            if ability.value in self.game_data.abilities:
                self.ask(self.calculate_cost, ability)
        for mine in self.all_own_units:
            for name in (
                "tech_alias",
                "unit_alias",
                "is_armored",
                "footprint_radius",
                "ground_dps",
                "air_range",
                "race",
            ):
                self.ask(attrgetter(name), mine)
            for enemy in self.enemy_units:
                self.ask(mine.calculate_damage_vs_target, enemy)

    def ask(self, question: Any, about: Any) -> None:
        self.asked += 1
        try:
            question(about)
        except Exception as e:  # each one is reported with its question
            self.failed.append(f"{question}({about}): {type(e).__name__}: {e}")

    async def on_end(self, game_result: Result) -> None:
        self.result = game_result


async def test_a_bot_that_asks_about_everything_gets_an_answer_to_everything(tmp_path: Path) -> None:
    bot = AsksForEverything()
    with emulated(short_match(tmp_path, 8)) as game:
        await play_from_websocket(game.url, Bot(Race.Zerg, bot), False, None)
    assert bot.failed == []
    assert bot.asked > 8000
