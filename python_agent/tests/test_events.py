"""Unit events, beside those of burnysc2's own BotAI on the same frames."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import abathur
import pytest
from abathur import AbathurError, events
from abathur._events.event_stream import LATE_LOOP
from bot_events import BotEvents, Told, compare, compare_sequence, ours, recorded
from emulators import delimited
from programs import SKIRMISH, Play, crossed, matrix, needs_sequences, run_daemon
from s2clientprotocol import sc2api_pb2

WINDOWS = [
    "abyssal-zvp-shuffled",
    "berlingrad-zvz-mid",
    "hardwire-tvt-mid",
    "kairos-pvp-mid",
    "lostandfound-pvz-step8-bot",
    "proxima-pvt-late-creep8",
]
#: Buffs of workers that carry something.
CARRYING = {271, 272, 273, 274, 275}


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("recordings")


def existed(path: Path, late: list[tuple[int, Told]]) -> None:
    """Check that what only a BotAI tells after a late join is from before it."""
    with abathur.open(path) as match:
        first = next(match.frames())
        upgrades = set(first.observation.raw_data.player.upgrade_ids)
        own = {unit.tag for unit in first.observation.raw_data.units if unit.alliance == 1}
        for loop, told in late:
            if told[0] == "upgrade":
                assert (loop, told[1] in upgrades) == (first.game_loop, True)
                continue
            assert told[0] == "created"
            if told[1] not in own:
                frame = next(match.frames(start=loop))
                (unit,) = [each for each in frame.observation.raw_data.units if each.tag == told[1]]
                assert CARRYING & set(unit.buff_ids), told


@needs_sequences
@pytest.mark.parametrize("every", matrix(4, 1, 22))
@pytest.mark.parametrize("name", matrix(*WINDOWS))
async def test_events_equal_those_of_botai(recordings: Path, name: str, every: int) -> None:
    """`python tests/system/support/bot_events.py` does the same with the whole of odyssey."""
    counts, late = await compare_sequence(name, recordings, every)
    assert sum(counts.values()) > 20
    path = recorded(name, recordings)
    existed(path, late)
    with abathur.open(path) as match:
        is_late = next(match.frames()).game_loop >= LATE_LOOP
    assert is_late or not late


@needs_sequences
@pytest.mark.parametrize(("every", "stop", "least"), matrix((22, 15_400, 3_500), (1, 3_500, 100), (4, 15_400, 4_300)))
async def test_events_of_a_match_from_its_start_equal_those_of_botai(
    recordings: Path, every: int, stop: int, least: int
) -> None:
    counts, late = await compare_sequence("odyssey-zvp-full", recordings, every, stop)
    assert not late and sum(counts.values()) >= least


async def test_events_of_the_sample_equal_those_of_botai() -> None:
    """This runs everywhere: the other comparisons need recordings of real matches."""
    for every in (1, 4, 22):
        with abathur.open(SKIRMISH) as match:
            info, data = match.game_info(), match.game_data()
            assert info is not None and data is not None
            counts, late = await compare(match.frames(every=every), BotEvents(info, data, 1))
        existed(SKIRMISH, late)
        assert counts["destroyed"] > 50 and counts["damage"] > 20 and counts["entered"] and counts["left"]


@crossed(encoding=["proto", "json", "columns"], transport=["grpc", "socket"])
def test_events_are_the_same_in_every_encoding(play: Play, transport: str, encoding: Any) -> None:
    daemon = play(SKIRMISH, "--wait-agents", "1", "--rate", "unlimited")
    with abathur.open(SKIRMISH) as match:
        wanted = [ours(frame) for frame in match.frames(stop=9400)]
    with abathur.connect_blocking(daemon.addresses[transport]) as game:
        got = []
        for frame in game.frames(policy="every", encoding=encoding):
            if frame.game_loop >= 9400:
                break
            got.append(ours(frame))
    assert len(got) == len(wanted) and sum(map(len, got)) > 200
    for mine, other in zip(got, wanted, strict=True):
        # Columns keep another order of units.
        assert (mine == other) if encoding != "columns" else Counter(mine) == Counter(other)
        assert [each[0] for each in mine if each[0] == "destroyed"] == [each[0] for each in mine][: _dead(mine)]


def _dead(told: list[Told]) -> int:
    return sum(each[0] == "destroyed" for each in told)


def test_what_was_skipped_comes_with_the_next_frame() -> None:
    with abathur.open(SKIRMISH) as match:
        every_frame = [frame.response for frame in match.frames()]
        for every in (4, 22):
            place, destroyed = 0, 0
            for frame in match.frames(every=every):
                between = []
                while every_frame[place].observation.game_loop < frame.game_loop:
                    between.append(every_frame[place])
                    place += 1
                place += 1
                got = frame.skipped_events or sc2api_pb2.ResponseObservation()
                for name in ("actions", "action_errors", "chat", "player_result"):
                    assert list(getattr(got, name)) == [each for one in between for each in getattr(one, name)]
                assert list(got.observation.alerts) == [each for one in between for each in one.observation.alerts]
                dead = [tag for one in between for tag in one.observation.raw_data.event.dead_units]
                assert list(got.observation.raw_data.event.dead_units) == dead
                assert (frame.skipped_events is None) == (not got.ByteSize())
                destroyed += sum(isinstance(each, events.UnitDestroyed) for each in frame.events)
            # As many as a reader of every frame learns of, but for those that were born in between.
            assert destroyed > 50


class Notes(abathur.Agent):
    """Notes what happens, in its order."""

    policy = "every"

    def __init__(self) -> None:
        self.notes: list[tuple[Any, ...]] = []
        self.events: list[events.Event] = []

    async def on_step(self, frame: abathur.Frame) -> None:
        self.notes.append(("step", frame.game_loop))
        self.events += frame.events

    async def on_unit_destroyed(self, tag: int) -> None:
        self.notes.append(("destroyed", tag))

    async def on_unit_created(self, unit: abathur.UnitView) -> None:
        self.notes.append(("created", unit.tag))

    async def on_unit_took_damage(self, unit: abathur.UnitView, amount: float) -> None:
        self.notes.append(("damage", unit.tag, amount))

    async def on_unit_type_changed(self, unit: abathur.UnitView, previous_type: int) -> None:
        self.notes.append(("type", unit.tag, unit.unit_type, previous_type))

    async def on_building_construction_started(self, unit: abathur.UnitView) -> None:
        self.notes.append(("started", unit.tag))

    async def on_building_construction_complete(self, unit: abathur.UnitView) -> None:
        self.notes.append(("complete", unit.tag))

    async def on_upgrade_complete(self, upgrade: int) -> None:
        self.notes.append(("upgrade", upgrade))

    async def on_enemy_unit_entered_vision(self, unit: abathur.UnitView) -> None:
        self.notes.append(("entered", unit.tag))

    async def on_enemy_unit_left_vision(self, tag: int) -> None:
        self.notes.append(("left", tag))

    async def on_alert(self, alert: int) -> None:
        self.notes.append(("alert", alert))


def unit(tag: int, **fields: Any) -> dict[str, Any]:
    """A marine at (0, 0), but for its fields."""
    return {"tag": tag, "unit_type": 48, "alliance": 1, "owner": 1, "health": 45, "build_progress": 1, **fields}


def observation(loop: int, units: list[dict[str, Any]], **more: Any) -> sc2api_pb2.ResponseObservation:
    """An observation of a few units."""
    made = sc2api_pb2.ResponseObservation()
    made.observation.game_loop = loop
    for each in units:
        made.observation.raw_data.units.add(**{"display_type": 1, **each})
    made.observation.raw_data.event.dead_units.extend(more.get("dead", ()))
    made.observation.raw_data.player.upgrade_ids.extend(more.get("upgrades", ()))
    made.observation.alerts.extend(more.get("alerts", ()))
    return made


def record(
    folder: Path,
    observations: list[sc2api_pb2.ResponseObservation],
    name: str = "small",
    info: sc2api_pb2.ResponseGameInfo | None = None,
) -> Path:
    """Observations as a recording."""
    stream = folder / f"{name}.obs"
    stream.write_bytes(delimited([each.SerializeToString() for each in observations]))
    path = folder / f"{name}.mcap"
    options = []
    if info is not None:
        (folder / "info.binpb").write_bytes(info.SerializeToString())
        options = ["--game-info", str(folder / "info.binpb")]
    done = run_daemon("import", str(stream), "-o", str(path), "--force", *options)
    assert done.returncode == 0, done.stderr
    return path


COMMAND_CENTER, BARRACKS, ORBITAL = 18, 21, 132


def story() -> list[sc2api_pb2.ResponseObservation]:
    """Each event once, in the order of a step."""
    before = [
        unit(1),
        unit(2, health=45.5, shield=10),
        unit(3, unit_type=BARRACKS, build_progress=0.5, health=400),
        unit(4, unit_type=COMMAND_CENTER, health=1500),
        unit(5, alliance=4, owner=2),
        unit(6, alliance=4, owner=2, unit_type=BARRACKS),
    ]
    after = [
        unit(9, alliance=4, owner=2, unit_type=BARRACKS),
        unit(2, unit_type=49, health=40.25, shield=10.125),
        unit(3, unit_type=BARRACKS, health=399.5),
        unit(4, unit_type=ORBITAL, health=1500),
        unit(7, health=45),
        unit(8, unit_type=BARRACKS, build_progress=0.1),
        unit(10, unit_type=BARRACKS),
        unit(6, alliance=4, owner=2, unit_type=BARRACKS),
        unit(11, alliance=4, owner=2),
    ]
    return [
        observation(100, before, upgrades=[7]),
        observation(101, after, dead=[1, 5, 999, 1], upgrades=[7, 9, 8], alerts=[3]),
        observation(102, [unit(3, unit_type=BARRACKS, health=399.5)], upgrades=[9], alerts=[4, 4]),
    ]


STORY = [
    ("step", 100),
    ("destroyed", 1),
    ("destroyed", 5),
    ("damage", 2, 5.125),
    ("type", 2, 49, 48),
    ("created", 7),
    ("damage", 3, 0.5),
    ("complete", 3),
    ("type", 4, ORBITAL, COMMAND_CENTER),
    ("started", 8),
    ("complete", 10),
    ("upgrade", 8),
    ("upgrade", 9),
    ("entered", 11),
    ("entered", 9),
    ("left", 5),
    ("alert", 3),
    ("step", 101),
    ("left", 11),
    ("left", 9),
    ("left", 6),
    ("alert", 4),
    ("alert", 4),
    ("step", 102),
]


@pytest.mark.parametrize("encoding", ["proto", "json"])
def test_callbacks_are_called_before_the_step_in_the_order_of_botai(play: Play, tmp_path: Path, encoding: Any) -> None:
    daemon = play(record(tmp_path, story()), "--wait-agents", "1", "--rate", "unlimited")
    agent = Notes()
    agent.run(daemon.grpc, encoding=encoding)
    # Tags 9 and 6 were last seen as they stood in the second observation.
    assert agent.notes == STORY
    assert [type(each).__name__ for each in agent.events][:3] == ["UnitDestroyed", "UnitDestroyed", "UnitTookDamage"]
    first = agent.events[0]
    assert isinstance(first, events.UnitDestroyed) and (first.unit.tag, first.unit.health) == (1, 45)


def test_a_callback_that_raises_ends_the_run(play: Play, tmp_path: Path) -> None:
    class Breaks(abathur.Agent):
        policy = "every"

        async def on_unit_created(self, unit: abathur.UnitView) -> None:
            raise ZeroDivisionError(unit.tag)

    daemon = play(record(tmp_path, story()), "--wait-agents", "1", "--rate", "unlimited")
    with pytest.raises(ZeroDivisionError, match="7"):
        Breaks().run(daemon.grpc)


def test_an_agent_without_callbacks_computes_no_events(play: Play, tmp_path: Path) -> None:
    active = []

    class Steps(abathur.Agent):
        policy = "every"

        async def on_step(self, frame: abathur.Frame) -> None:
            assert frame._step is not None
            active.append(frame._step._stream.active)

    daemon = play(record(tmp_path, story()), "--wait-agents", "1", "--rate", "unlimited")
    Steps().run(daemon.grpc)
    assert active == [False] * 3


def test_a_late_join_fires_nothing_for_what_was_there(tmp_path: Path) -> None:
    transport = [{"tag": 20, "health": 45, "health_max": 45, "unit_type": 48}]
    frames = [
        observation(5000, [unit(1), unit(2, unit_type=54, passengers=transport)], upgrades=[7]),
        observation(5001, [unit(2, unit_type=54)], upgrades=[7]),
        # Unit 1 comes back, 20 leaves the transport, 21 comes out of a refinery, and 22 is new.
        observation(5002, [unit(1), unit(20), unit(21, buff_ids=[273]), unit(22)], upgrades=[7, 8]),
    ]
    with abathur.open(record(tmp_path, frames)) as match:
        got = [ours(frame) for frame in match.frames()]
    assert got == [[], [], [("created", 22), ("upgrade", 8)]]
    # From the start of a match it is as with BotAI: who was never created is, when it comes back.
    for each in frames:
        each.observation.game_loop -= 5000 - LATE_LOOP + 1
    with abathur.open(record(tmp_path, frames, "early")) as match:
        got = [ours(frame) for frame in match.frames()]
    assert got == [[], [], [*[("created", tag) for tag in (1, 20, 21, 22)], ("upgrade", 8)]]


def test_events_begin_again_where_the_game_loop_goes_back(play: Play, tmp_path: Path) -> None:
    frames = [
        observation(5000, [unit(1)], upgrades=[7]),
        observation(5001, [unit(1, health=40), unit(2)], upgrades=[7, 8]),
    ]
    daemon = play(record(tmp_path, frames), "--wait-agents", "1", "--rate", "unlimited", "--loop")
    got = []
    with abathur.connect_blocking(daemon.grpc) as game:
        for frame in game.frames(policy="every"):
            got.append((frame.game_loop, ours(frame)))
            if len(got) == 6:
                break
    second = [("damage", 1, 5.0), ("created", 2), ("upgrade", 8)]
    assert got == [(5000, []), (5001, second)] * 3


def test_frames_whose_events_are_not_read_still_count() -> None:
    with abathur.open(SKIRMISH) as match:
        all_read = [ours(frame) for frame in match.frames(stop=9200)]
        some_read = [ours(frame) for number, frame in enumerate(match.frames(stop=9200)) if number % 5 == 0]
        kept = list(match.frames(stop=9200))
    assert some_read == all_read[::5]
    # Where the frames are kept, their events can be read later.
    assert [ours(frame) for frame in kept] == all_read
    assert kept[7].events is kept[7].events


def test_events_cannot_be_read_when_the_frame_before_is_gone() -> None:
    with abathur.open(SKIRMISH) as match:
        frames = match.frames()
        next(frames)
        second = next(frames)
        next(frames)
    with pytest.raises(AbathurError, match="the events of frame 2 cannot be computed any more: read them before"):
        _ = second.events


def test_copies_of_frames_have_no_events() -> None:
    with abathur.open(SKIRMISH) as match:
        frame = next(match.frames())
    for made in (copy.copy(frame), pickle.loads(pickle.dumps(frame))):
        assert made.game_loop == frame.game_loop
        with pytest.raises(AbathurError, match=r"frame 1 is a copy, .*: only the frames of a stream have events"):
            _ = made.events
    assert frame.events == ()


def test_a_damaged_frame_that_is_skipped_is_reported(tmp_path: Path) -> None:
    from mcap.reader import make_reader
    from mcap.writer import Writer

    source, path = record(tmp_path, story()), tmp_path / "damaged.mcap"
    with source.open("rb") as given, path.open("wb") as made:
        writer = Writer(made)
        writer.start()
        schema = writer.register_schema("SC2APIProtocol.ResponseObservation", "protobuf", b"")
        channel = writer.register_channel("/observation", "protobuf", schema)
        for number, (_, _, message) in enumerate(make_reader(given).iter_messages(topics=["/observation"])):
            data = b"\xff" if number == 1 else message.data
            writer.add_message(channel, message.log_time, data, message.publish_time, number)
        writer.finish()
    with abathur.open(path) as match, pytest.raises(abathur.RecordingError, match=r"damaged\.mcap is damaged: "):
        list(match.frames(every=2))


def test_damaged_json_is_reported() -> None:
    from abathur._events.event_stream import EventStream
    from abathur._transport import frames

    for damage in ({"alerts": 5}, {"rawData": []}, {"rawData": {"event": {"deadUnits": ["x"]}}}):
        message = {"sequence": 3, "observation": {"observation": damage}}
        frame = frames.from_json(message, received=0, size=0)
        EventStream().follow(frame)
        with pytest.raises(abathur.ProtocolError, match="frame 3"):
            _ = frame.events
