"""The events of burnysc2's own BotAI and ours over the same frames, in one form."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import abathur
from abathur import events
from abathur._frame.frame import Frame
from abathur.sc2._client import FrameClient
from abathur.sc2._driver import BotDriver, own_response
from abathur.sc2._estimates import Estimates
from abathur.sc2._result import BotResult
from programs import SHARED, run_daemon
from s2clientprotocol import sc2api_pb2
from sc2.bot_ai import BotAI
from sc2.data import Result

#: The map of each sequence.
MAPS = {
    "abyssal-zvp-shuffled": "AbyssalReefLE",
    "berlingrad-zvz-mid": "BerlingradAIE",
    "hardwire-tvt-mid": "HardwireAIE",
    "kairos-pvp-mid": "KairosJunctionLE",
    "lostandfound-pvz-step8-bot": "LostandFoundLE",
    "odyssey-zvp-full": "OdysseyLE",
    "proxima-pvt-late-creep8": "ProximaStationLE",
}

#: An event: its name, then a tag, number, or both.
Told = tuple[Any, ...]
#: Of what python-sc2 keeps in sets, the order means nothing.
_UNORDERED = {"destroyed", "left", "upgrade"}


class Teller(BotAI):
    """Notes every callback."""

    def __init__(self) -> None:
        self.told: list[Told] = []
        #: Method 0 has no matrix of distances, which no event needs.
        self.distance_calculation_method = 0
        super().__init__()

    async def on_step(self, iteration: int) -> None:
        pass

    async def on_unit_destroyed(self, unit_tag: int) -> None:
        self.told.append(("destroyed", unit_tag))

    async def on_unit_created(self, unit: Any) -> None:
        self.told.append(("created", unit.tag))

    async def on_unit_took_damage(self, unit: Any, amount_damage_taken: float) -> None:
        self.told.append(("damage", unit.tag, amount_damage_taken))

    async def on_unit_type_changed(self, unit: Any, previous_type: Any) -> None:
        self.told.append(("type", unit.tag, unit._proto.unit_type, previous_type.value))

    async def on_building_construction_started(self, unit: Any) -> None:
        self.told.append(("started", unit.tag))

    async def on_building_construction_complete(self, unit: Any) -> None:
        self.told.append(("complete", unit.tag))

    async def on_upgrade_complete(self, upgrade: Any) -> None:
        self.told.append(("upgrade", upgrade.value))

    async def on_enemy_unit_entered_vision(self, unit: Any) -> None:
        self.told.append(("entered", unit.tag))

    async def on_enemy_unit_left_vision(self, unit_tag: int) -> None:
        self.told.append(("left", unit_tag))


class BotEvents:
    """What a BotAI tells, frame by frame."""

    def __init__(self, info: sc2api_pb2.ResponseGameInfo, data: sc2api_pb2.ResponseData, player_id: int) -> None:
        self.bot = Teller()
        client = FrameClient(object(), Estimates(info, data), BotResult(self.bot, Result.Undecided), "", 22.4)  # type: ignore[arg-type]
        self._driver = BotDriver(self.bot, client, info, data, player_id)
        self._begun = False

    async def step(self, response: sc2api_pb2.ResponseObservation) -> list[Told]:
        """Drive the next observation, whose message is changed."""
        if not self._begun:
            self._begun = True
            await self._driver.start(response)
        await self._driver.step(response)
        told, self.bot.told[:] = self.bot.told[:], []
        return told


def ours(frame: Frame) -> list[Told]:
    """The same of a frame's events."""
    return [_told(each) for each in frame.events if not isinstance(each, events.Alert)]


def _told(event: events.Event) -> Told:
    match event:
        case events.UnitDestroyed(tag):
            return "destroyed", tag
        case events.UnitCreated(unit):
            return "created", unit.tag
        case events.UnitTookDamage(unit, amount):
            return "damage", unit.tag, amount
        case events.UnitTypeChanged(unit, previous_type):
            return "type", unit.tag, unit.unit_type, previous_type
        case events.BuildingConstructionStarted(unit):
            return "started", unit.tag
        case events.BuildingConstructionComplete(unit):
            return "complete", unit.tag
        case events.UpgradeComplete(upgrade):
            return "upgrade", upgrade
        case events.EnemyUnitEnteredVision(unit):
            return "entered", unit.tag
        case events.EnemyUnitLeftVision(tag):
            return "left", tag
        case _:
            raise AssertionError(event)


def ordered(told: Iterable[Told]) -> list[Told]:
    """Events with neighbors of one kind, which come from a set, in the order of their numbers."""
    groups: list[list[Told]] = []
    for each in told:
        if groups and each[0] in _UNORDERED and groups[-1][0][0] == each[0]:
            groups[-1].append(each)
        else:
            groups.append([each])
    return [each for group in groups for each in sorted(group)]


def match_data(name: str) -> tuple[sc2api_pb2.ResponseGameInfo, sc2api_pb2.ResponseData]:
    """Game info and game data of a sequence's map."""
    folder = SHARED / "observations"
    info = sc2api_pb2.ResponseGameInfo.FromString((folder / MAPS[name] / "game_info.binpb").read_bytes())
    return info, sc2api_pb2.ResponseData.FromString((folder / "game_data.binpb").read_bytes())


def recorded(name: str, folder: Path) -> Path:
    """A sequence as a recording with game info and game data."""
    path = folder / f"{name}.mcap"
    if not path.exists():
        observations = SHARED / "observations"
        options = ["--game-info", str(observations / MAPS[name] / "game_info.binpb")]
        options += ["--game-data", str(observations / "game_data.binpb")]
        done = run_daemon("import", str(SHARED / "sequences" / f"{name}.obs.zst"), "-o", str(path), *options)
        assert done.returncode == 0, done.stderr
    return path


async def compare(frames: Iterable[Frame], bot: BotEvents) -> tuple[dict[str, int], list[tuple[int, Told]]]:
    """Compare ours with a BotAI's, frame by frame.

    Returns:
        How many of each kind are equal, and what only the BotAI tells, with its game loop.
    """
    counts: dict[str, int] = {}
    only: list[tuple[int, Told]] = []
    for frame in frames:
        mine = ordered(ours(frame))
        response = sc2api_pb2.ResponseObservation()
        response.CopyFrom(frame.response)
        its = ordered(await bot.step(own_response(response, frame.skipped_events)))
        if mine != its:
            extra = [each for each in its if each not in mine]
            assert [each for each in its if each in mine] == mine, (frame, mine, its)
            only += [(frame.game_loop, each) for each in extra]
        for each in mine:
            counts[each[0]] = counts.get(each[0], 0) + 1
    return counts, only


async def compare_sequence(
    name: str, folder: Path, every: int, stop: int | None = None
) -> tuple[dict[str, int], list[tuple[int, Told]]]:
    """The same of a sequence, read from a recording."""
    info, data = match_data(name)
    with abathur.open(recorded(name, folder)) as match:
        first = next(match.frames())
        bot = BotEvents(info, data, first.observation.player_common.player_id)
        return await compare(match.frames(every=every, stop=stop), bot)


if __name__ == "__main__":
    import asyncio
    import tempfile

    kept = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.mkdtemp())
    for each_name in sys.argv[2:] or MAPS:
        for step in (1, 4, 22):
            print(each_name, step, *asyncio.run(compare_sequence(each_name, kept, step)), flush=True)
