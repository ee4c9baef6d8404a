"""Unit events of generated frames, beside a naive comparison by dictionaries and beside BotAI itself."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import abathur
from abathur import Frame
from abathur._events.event_stream import LATE_LOOP, EventStream
from abathur._events.structures import STRUCTURES
from abathur._recording.recorded_frames import Observation
from bot_events import BotEvents, Told, ordered, ours
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from programs import SKIRMISH, Play, runs
from s2clientprotocol import raw_pb2, sc2api_pb2
from test_events import record

MARINE, DRONE, LARVA, SCV = 48, 104, 151, 45
BARRACKS, ORBITAL, HATCHERY = 21, 132, 59
WATCHTOWER, KD8, FORCE_FIELD, PARASITIC = 149, 830, 135, 824
FAKE = {KD8, FORCE_FIELD, PARASITIC}

UNITS = st.fixed_dictionaries(
    {
        "tag": st.integers(1, 9),
        "unit_type": st.sampled_from(
            [MARINE, DRONE, LARVA, SCV, BARRACKS, ORBITAL, HATCHERY, WATCHTOWER, KD8, FORCE_FIELD, PARASITIC]
        ),
        "alliance": st.sampled_from([1, 1, 1, 2, 3, 4, 4]),
        "owner": st.integers(1, 2),
        "display_type": st.sampled_from([1, 1, 1, 2, 3, 4]),
        "is_blip": st.sampled_from([False, False, False, True]),
        "health": st.sampled_from([0.0, 0.1, 0.30000001192092896, 45.0, 44.99, 1500.5]),
        "shield": st.sampled_from([0.0, 0.1, 20.0, 19.75]),
        "build_progress": st.sampled_from([0.0, 0.1, 0.9999, 1.0, 1.0]),
    }
)
FRAMES = st.lists(
    st.tuples(
        st.lists(UNITS, max_size=7),
        st.lists(st.integers(1, 9), max_size=3),
        st.sets(st.sampled_from([4, 7, 8, 9]), max_size=3),
    ),
    min_size=1,
    max_size=8,
)


@cache
def sample() -> tuple[sc2api_pb2.ResponseGameInfo, sc2api_pb2.ResponseData, sc2api_pb2.ResponseObservation]:
    with abathur.open(SKIRMISH) as match:
        info, data = match.game_info(), match.game_data()
        assert info is not None and data is not None
        first = next(match.frames()).response
    del first.observation.raw_data.units[:]
    first.observation.raw_data.ClearField("event")
    first.observation.ClearField("alerts")
    return info, data, first


def observations(frames: list[Any], first_loop: int) -> list[sc2api_pb2.ResponseObservation]:
    made = []
    for number, (units, dead, upgrades) in enumerate(frames):
        each = sc2api_pb2.ResponseObservation()
        each.CopyFrom(sample()[2])
        each.observation.game_loop = first_loop + number
        raw = each.observation.raw_data
        # BotAI needs a unit to start.
        raw.units.add(tag=1000, unit_type=WATCHTOWER, alliance=3, display_type=1)
        for unit in units:
            raw.units.add(**unit)
        raw.event.dead_units.extend(dead)
        raw.player.upgrade_ids[:] = upgrades
        made.append(each)
    return made


def stream(observations: list[sc2api_pb2.ResponseObservation]) -> Iterator[Frame]:
    """As a recording gives them."""
    events = EventStream()
    for number, each in enumerate(observations, 1):
        frame = Observation(number, each.observation.game_loop, 0, 0, each.SerializeToString()).frame("")
        events.follow(frame)
        yield frame


class Naive:
    """The rules of docs/agents.md, unit by unit."""

    def __init__(self) -> None:
        self.known: set[int] | None = None
        self.last: list[raw_pb2.Unit] = []
        self.upgrades: set[int] = set()

    def step(self, response: sc2api_pb2.ResponseObservation) -> list[Told]:
        raw = response.observation.raw_data
        units = [unit for unit in raw.units if not unit.is_blip and unit.unit_type not in FAKE]
        if self.known is None:
            late = response.observation.game_loop >= LATE_LOOP
            self.known = {unit.tag for unit in units if kind(unit) == "own unit"} if late else set()
            self.last, self.upgrades = units, set(raw.player.upgrade_ids)
        told = self._told(units, set(raw.event.dead_units), set(raw.player.upgrade_ids))
        self.last, self.upgrades = units, set(raw.player.upgrade_ids)
        return told

    def _told(self, units: list[raw_pb2.Unit], dead: set[int], upgrades: set[int]) -> list[Told]:
        assert self.known is not None
        told: list[Told] = [("destroyed", tag) for tag in sorted(dead & {unit.tag for unit in self.last})]
        for unit in units:
            if kind(unit) != "own unit":
                continue
            if (old := self._before(unit)) is not None:
                told += changes(unit, old)
            elif unit.tag not in self.known:
                self.known.add(unit.tag)
                told.append(("created", unit.tag))
        for unit in units:
            if kind(unit) != "own structure":
                continue
            if (old := self._before(unit)) is None:
                told.append(("started" if unit.build_progress < 1 else "complete", unit.tag))
                continue
            told += changes(unit, old)
            if unit.build_progress == 1 and old.build_progress < 1:
                told.append(("complete", unit.tag))
        told += [("upgrade", each) for each in sorted(upgrades - self.upgrades)]
        for which in ("enemy unit", "enemy structure"):
            told += [("entered", unit.tag) for unit in units if kind(unit) == which and self._before(unit) is None]
        for which in ("enemy unit", "enemy structure"):
            now = {unit.tag for unit in units if kind(unit) == which}
            told += [("left", tag) for tag in sorted({unit.tag for unit in self.last if kind(unit) == which} - now)]
        return told

    def _before(self, unit: raw_pb2.Unit) -> raw_pb2.Unit | None:
        same = [each for each in self.last if each.tag == unit.tag and kind(each) == kind(unit)]
        return same[-1] if same else None


def kind(unit: raw_pb2.Unit) -> str:
    if unit.display_type == raw_pb2.Placeholder or unit.alliance not in (raw_pb2.Self, raw_pb2.Enemy):
        return "other"
    whose = "own" if unit.alliance == raw_pb2.Self else "enemy"
    return f"{whose} structure" if unit.unit_type in STRUCTURES else f"{whose} unit"


def changes(unit: raw_pb2.Unit, old: raw_pb2.Unit) -> Iterator[Told]:
    if unit.health < old.health or unit.shield < old.shield:
        yield "damage", unit.tag, old.health - unit.health + old.shield - unit.shield
    if unit.unit_type != old.unit_type:
        yield "type", unit.tag, unit.unit_type, old.unit_type


@settings(max_examples=runs(200), deadline=None)
@given(frames=FRAMES, first_loop=st.sampled_from([0, LATE_LOOP]))
def test_generated_frames_have_the_events_of_a_naive_comparison(frames: list[Any], first_loop: int) -> None:
    naive = Naive()
    made = observations(frames, first_loop)
    for frame, response in zip(stream(made), made, strict=True):
        assert ordered(ours(frame)) == ordered(naive.step(response))


@settings(max_examples=runs(25), deadline=None)
@given(frames=FRAMES)
async def test_generated_frames_have_the_events_of_botai(frames: list[Any]) -> None:
    bot = BotEvents(*sample()[:2], 1)
    made = observations(frames, 0)
    # A BotAI takes these for new.
    made[0].observation.raw_data.player.ClearField("upgrade_ids")
    for frame, response in zip(stream(made), made, strict=True):
        assert ordered(ours(frame)) == ordered(await bot.step(response))


@settings(
    max_examples=runs(10),
    deadline=None,
    suppress_health_check=[*settings().suppress_health_check, HealthCheck.function_scoped_fixture],
)
@given(matches=st.lists(FRAMES, min_size=6, max_size=6), first_loop=st.sampled_from([0, LATE_LOOP]))
def test_generated_frames_in_columns_have_the_events_of_a_naive_comparison(
    play: Play, tmp_path: Path, matches: list[Any], first_loop: int
) -> None:
    frames = [frame for match in matches for frame in match]
    daemon = play(record(tmp_path, observations(frames, first_loop)), "--wait-agents", "1", "--rate", "unlimited")
    naive, count = Naive(), 0
    with abathur.connect_blocking(daemon.grpc) as game:
        for frame in game.frames(policy="every", encoding="columns", compression="zstd-stream"):
            mine = ordered(ours(frame))
            # The order of the units is that of the columns.
            assert mine == ordered(naive.step(frame.response))
            count += 1
    assert count == len(frames)
