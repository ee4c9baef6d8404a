"""Unchanged bots of python-sc2 on frames: recorded, played back, live and pushed."""

from __future__ import annotations

import asyncio
import itertools
import logging
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import abathur
import pytest
from abathur import AbathurError
from abathur.sc2 import BotResult, run, run_async
from bot_events import MAPS, BotEvents, match_data, recorded
from emulator_bot import Watcher
from emulators import FIRST_LOOP, LAST_LOOP, emulated
from mcap.writer import Writer
from programs import (
    FREE_PORTS,
    SHARED,
    SKIRMISH,
    WATCH,
    Launch,
    Play,
    crossed,
    matrix,
    needs_sequences,
    token_options,
    wait_until,
)
from s2clientprotocol import common_pb2, error_pb2, query_pb2, sc2api_pb2
from sc2.bot_ai import BotAI
from sc2.data import Race, Result
from sc2.ids.unit_typeid import UnitTypeId
from sc2.main import play_from_websocket
from sc2.player import Bot
from sc2_bots import ALL, Census, Macro, Noting, Painter

# python-sc2 passes aiohttp a timeout in the old way.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning:sc2", "ignore:parameter 'timeout':DeprecationWarning"
)
STEPS = list(range(FIRST_LOOP, LAST_LOOP + 1, 4))
#: In its first step a bot looks for expansions. On a busy machine that is longer than a reader may take nothing.
PATIENT = ("--stall-timeout", "120")


class Loops(Noting):
    """Notes the game loop of each step, and who died."""

    step = 4

    def __init__(self) -> None:
        super().__init__()
        self.destroyed: list[int] = []
        self.distance_calculation_method = 0

    async def on_start(self) -> None:
        self.client.game_step = self.step

    async def on_step(self, iteration: int) -> None:
        assert iteration == len(self.notes)
        self.notes.append(self.state.game_loop)

    async def on_unit_destroyed(self, unit_tag: int) -> None:
        self.destroyed.append(unit_tag)


class EachLoop(Loops):
    step = 1


async def played(bot: Any) -> Any:
    """A bot that has played the sample on the emulator, by python-sc2's own client."""
    with emulated() as game:
        await play_from_websocket(game.url, Bot(Race.Zerg, bot), False, None)
    return bot


@pytest.mark.parametrize("kind", ALL)
async def test_a_bot_on_frames_is_as_in_the_game(kind: type[Noting]) -> None:
    """All that it notes is equal to what it notes when it plays the same match on the emulator."""
    on_frames, in_game = kind(), await played(kind())
    told = await run_async(on_frames, SKIRMISH)
    assert (told.steps, told.result, on_frames.result) == (len(STEPS), Result.Victory, Result.Victory)
    assert on_frames.notes and (on_frames.notes == in_game.notes or kind is Macro)
    assert told.game_loop == LAST_LOOP


@crossed(transport=["grpc", "socket"], encoding=["proto", "columns", "json"])
async def test_a_bot_on_a_playback_sees_what_is_in_the_recording(play: Play, transport: str, encoding: Any) -> None:
    daemon = play(SKIRMISH, *PATIENT, "--wait-agents", "1", "--rate", "unlimited", "--playback-duration", "15")
    bot, other = Watcher(), Watcher()
    told = await run_async(bot, daemon.addresses[transport], policy="every", encoding=encoding)
    await run_async(other, SKIRMISH)
    steps = len(bot.loops)
    assert bot.loops == STEPS[:steps] and steps > 80 and told.result == Result.Undecided
    assert bot.minerals_seen == other.minerals_seen[:steps] and bot.tags_seen == other.tags_seen[:steps]
    assert bot.destroyed and set(bot.destroyed) <= set(other.destroyed)
    assert told.actions_withheld > 6


async def test_queries_are_answered_as_in_the_game(play: Play) -> None:
    daemon = play(SKIRMISH, *PATIENT, "--wait-agents", "1", "--rate", "unlimited", "--playback-duration", "1")
    bot, in_game = Watcher(), await played(Watcher())
    told = await run_async(bot, daemon.grpc, policy="lockstep")
    assert told.queries_unanswered == 0
    # What does not depend on the start location, which is another one in python-sc2: the sample begins late.
    for name in ("walk", "walks", "abilities"):
        assert bot.first[name] == in_game.first[name]
    assert max(bot.first["walks"]) > 50 and any(bot.first["abilities"])
    assert bot.first["on hall"] == [False] and bot.first["spot"] is not None


async def test_bots_on_a_recording_let_the_event_loop_run() -> None:
    bots = [Loops() for _ in range(3)]
    turns = []

    async def count() -> None:
        while True:
            turns.append([len(bot.notes) for bot in bots])
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    await asyncio.gather(*(run_async(bot, SKIRMISH) for bot in bots))
    counting.cancel()
    assert all(bot.notes == STEPS for bot in bots)
    # They go on side by side, and another task has its turn at least once a step.
    assert max(max(each) - min(each) for each in turns) <= 1
    assert len(turns) > len(STEPS)


async def test_a_bot_on_a_recording_can_be_cancelled() -> None:
    bot = EachLoop()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(run_async(bot, SKIRMISH), 0.5)
    assert len(bot.notes) < len(STEPS)


def test_ctrl_c_ends_a_bot_on_a_recording() -> None:
    program = f"""
        import abathur.sc2
        from pathlib import Path
        from sc2.bot_ai import BotAI

        class Bot(BotAI):
            async def on_step(self, iteration):
                print(iteration, flush=True)

        abathur.sc2.run(Bot(), Path({str(SKIRMISH)!r}))
    """
    line = [sys.executable, "-c", textwrap.dedent(program)]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "0\n"
        process.send_signal(signal.SIGINT)
        said, error = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in error
    assert len(said.splitlines()) < len(STEPS) / 2


class Fork(BotAI):
    """As bots of forks of python-sc2 are: some methods are coroutine functions, and others are none."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    async def _prepare_step(self, state: Any, proto_game_info: Any) -> None:  # type: ignore[override]
        await asyncio.sleep(0)
        super()._prepare_step(state, proto_game_info)
        self.calls.append("prepare")

    async def _prepare_first_step(self) -> None:  # type: ignore[override]
        super()._prepare_first_step()
        self.calls.append("first")

    def on_before_start(self) -> None:  # type: ignore[override]
        self.calls.append("before")

    def on_start(self) -> None:  # type: ignore[override]
        self.calls.append("start")

    def on_step(self, iteration: int) -> None:  # type: ignore[override]
        assert self.state.game_loop == STEPS[iteration] and self.townhalls
        if iteration < 2:
            self.calls.append(f"step {iteration}")

    def on_end(self, game_result: Result) -> None:  # type: ignore[override]
        self.calls.append(str(game_result))


async def test_bots_of_forks_run() -> None:
    bot = Fork()
    told = await run_async(bot, SKIRMISH)
    assert told.steps == len(STEPS)
    assert bot.calls[:7] == ["prepare", "before", "first", "start", "prepare", "step 0", "prepare"]
    assert bot.calls[7] == "step 1" and bot.calls[-1] == "Result.Victory"


async def test_the_base_build_of_a_recording_is_passed_on(tmp_path: Path) -> None:
    path = tmp_path / "match.mcap"
    with abathur.open(SKIRMISH) as match:
        first, info, data = next(match.payloads()), match.game_info(), match.game_data()
    assert info is not None and data is not None
    messages = {
        "ResponseGameInfo": ("/game_info", info.SerializeToString()),
        "ResponseData": ("/game_data", data.SerializeToString()),
        "ResponseObservation": ("/observation", first),
    }
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start()
        writer.add_metadata("abathur.match", {"base_build": "75689"})
        for number, (schema, (topic, message)) in enumerate(messages.items()):
            of = writer.register_schema(f"SC2APIProtocol.{schema}", "protobuf", b"")
            writer.add_message(writer.register_channel(topic, "protobuf", of), number, message, number)
        writer.finish()
    bot = Loops()
    await run_async(bot, path)
    assert bot.base_build == 75689


async def test_ten_bots_in_one_loop_see_each_frame(play: Play) -> None:
    daemon = play(SKIRMISH, *PATIENT, "--wait-agents", "10", "--rate", "unlimited", "--playback-duration", "3")
    bots = [EachLoop() for _ in range(10)]
    told = await asyncio.gather(*(run_async(bot, daemon.grpc, policy="every") for bot in bots))
    with abathur.open(SKIRMISH) as match:
        loops = [frame.game_loop for frame in match.frames()][: len(bots[0].notes)]
    assert len(loops) > 60
    assert all(bot.notes == loops for bot in bots)
    assert [each.steps for each in told] == [len(loops)] * 10


class Standing(EachLoop):
    """Stands still in its first step until it is released."""

    def __init__(self, released: asyncio.Event) -> None:
        super().__init__()
        self.released = released

    async def on_step(self, iteration: int) -> None:
        await super().on_step(iteration)
        await self.released.wait()


async def test_ten_bots_that_stand_still_do_not_slow_the_source(play: Play) -> None:
    """Under `latest` it publishes all that it has meanwhile; then they go on with the newest frame."""
    daemon = play(SKIRMISH, *PATIENT, "--wait-agents", "11", "--rate", "unlimited", "--playback-duration", "8")
    released = asyncio.Event()
    bots = [Standing(released) for _ in range(10)]

    async def published() -> list[int]:
        async with abathur.connect(daemon.grpc) as game:
            loops = [frame.game_loop async for frame in game.frames(policy="every", fields=["observation.game_loop"])]
        released.set()
        return loops

    loops, *told = await asyncio.gather(published(), *(run_async(bot, daemon.grpc, policy="latest") for bot in bots))
    assert loops == list(range(FIRST_LOOP, FIRST_LOOP + 180))
    for bot, each in zip(bots, told, strict=True):
        assert bot.notes == sorted(set(bot.notes) & set(loops)) and bot.notes[-1] == loops[-1]
        # Besides the first and the last: what was on the way to it.
        assert each.steps == len(bot.notes) < 20


@needs_sequences
@pytest.mark.parametrize(("name", "loop"), matrix(("proxima-pvt-late-creep8", 14_500), ("odyssey-zvp-full", 15_000)))
async def test_a_late_join_knows_the_map(tmp_path: Path, name: str, loop: int) -> None:
    """As at the start of the match, although the town halls are gone and patches are mined out."""
    info, data = match_data(name)
    folder = SHARED / "observations" / MAPS[name]
    start = sc2api_pb2.ResponseObservation.FromString((folder / "observation.binpb").read_bytes())
    early = BotEvents(info, data, start.observation.player_common.player_id)
    await early.step(start)
    path = recorded(name, tmp_path)
    late = BotEvents(info, data, start.observation.player_common.player_id)
    with abathur.open(path) as match:
        from abathur.sc2._driver import own_response

        frame = next(match.frames(start=loop))
        await late.step(own_response(frame.response, None))
    bot, first = late.bot, early.bot
    assert bot.start_location == first.start_location == first.townhalls.first.position
    assert set(bot.expansion_locations_list) == set(first.expansion_locations_list)
    assert bot.main_base_ramp.top_center == first.main_base_ramp.top_center
    assert bot.mineral_field.amount == sum(
        unit.alliance == 3 and "Mineral" in data.units[unit.unit_type].name for unit in frame.observation.raw_data.units
    )
    assert bot.units.amount + bot.structures.amount == bot.all_own_units.amount > 20
    assert {len(bot.expansion_locations_dict)} == {len(bot.expansion_locations_list)}


@needs_sequences
def test_every_map_shows_where_the_player_started() -> None:
    from abathur.sc2._start import find_start

    count = 0
    for folder in (SHARED / "observations").glob("*/"):
        if not (folder / "game_info.binpb").exists():
            continue
        info = sc2api_pb2.ResponseGameInfo.FromString((folder / "game_info.binpb").read_bytes())
        start = sc2api_pb2.ResponseObservation.FromString((folder / "observation.binpb").read_bytes())
        (hall,) = [
            unit.pos
            for unit in start.observation.raw_data.units
            if unit.alliance == 1 and unit.unit_type in (UnitTypeId.HATCHERY.value, 18, 59)
        ]
        found = find_start(info, [(hall.x, hall.y)] if len(info.start_raw.start_locations) > 1 else [])
        assert found is not None and found.start == pytest.approx((hall.x, hall.y), abs=0.6), folder.name
        count += 1
    assert count > 70


async def test_what_was_skipped_reaches_the_bot() -> None:
    class Slow(Loops):
        step = 22

        def __init__(self) -> None:
            super().__init__()
            self.dead: set[int] = set()

        async def on_step(self, iteration: int) -> None:
            await super().on_step(iteration)
            # Also in the message itself, for bots that read it.
            assert set(self.state.observation_raw.event.dead_units) == self.state.dead_units
            self.dead |= self.state.dead_units

    bot, merged = Slow(), Slow()
    await run_async(bot, SKIRMISH)
    await run_async(merged, SKIRMISH, every=22)
    with abathur.open(SKIRMISH) as match:
        dead = [
            tag for frame in match.frames(stop=bot.notes[-1] + 1) for tag in frame.observation.raw_data.event.dead_units
        ]
    assert bot.notes == merged.notes == list(range(FIRST_LOOP, LAST_LOOP + 1, 22))
    assert bot.dead == merged.dead == set(dead) and len(dead) > 50
    assert bot.destroyed == merged.destroyed


async def test_a_playback_that_goes_back_makes_a_new_bot(play: Play, caplog: pytest.LogCaptureFixture) -> None:
    daemon = play(SKIRMISH, *PATIENT, "--wait-agents", "1", "--rate", "unlimited")
    made: list[Loops] = []

    class Seeks(Loops):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

        async def on_step(self, iteration: int) -> None:
            await super().on_step(iteration)
            if iteration == 50 and len(made) == 1:
                async with abathur.connect(daemon.grpc) as game:
                    await game.playback.seek(9000)

    with caplog.at_level(logging.WARNING, "abathur"):
        told = await run_async(Seeks, daemon.grpc, policy="lockstep")
    first, second = made
    back = first.notes[-1]
    assert told.bots == 2 and told.bot is second and told.steps == len(first.notes) + len(second.notes)
    assert first.notes[0] == FIRST_LOOP and first.result is None
    assert second.notes[0] == 9000 and second.result == Result.Victory
    (told_back,) = caplog.messages[-1:]
    assert told_back == f"the playback went back from game loop {back} to 9000: a new Seeks begins there"


async def test_a_bot_without_a_factory_cannot_go_back(play: Play) -> None:
    daemon = play(SKIRMISH, *PATIENT, "--wait-agents", "1", "--rate", "unlimited", "--loop")
    bot = Loops()
    with pytest.raises(AbathurError, match=rf"the playback went back from game loop 10280 to {FIRST_LOOP}, and a bot"):
        await run_async(bot, daemon.grpc, policy="every", every=22 * 30)
    assert bot.result is None


class Never(BotAI):
    """Must not be started."""

    async def on_before_start(self) -> None:
        raise AssertionError("started")

    async def on_end(self, game_result: Result) -> None:
        raise AssertionError("ended")


def _sample() -> tuple[sc2api_pb2.ResponseGameInfo, sc2api_pb2.ResponseData, sc2api_pb2.ResponseObservation]:
    with abathur.open(SKIRMISH) as match:
        info, data = match.game_info(), match.game_data()
        assert info is not None and data is not None
        return info, data, next(match.frames()).response


def _no_players(info: Any, data: Any, response: Any) -> None:
    info.ClearField("player_info")


def _random_race(info: Any, data: Any, response: Any) -> None:
    info.player_info[0].race_requested = 4
    info.player_info[0].ClearField("race_actual")


def _no_grid(info: Any, data: Any, response: Any) -> None:
    info.start_raw.ClearField("placement_grid")


def _other_size(info: Any, data: Any, response: Any) -> None:
    info.start_raw.map_size.x += 8


def _unknown_type(info: Any, data: Any, response: Any) -> None:
    response.observation.raw_data.units[0].unit_type = 60_000


def _no_units(info: Any, data: Any, response: Any) -> None:
    del response.observation.raw_data.units[:]


def _no_info(info: Any, data: Any, response: Any) -> None:
    info.Clear()


def _no_data(info: Any, data: Any, response: Any) -> None:
    data.Clear()


def _bad_creep(info: Any, data: Any, response: Any) -> None:
    response.observation.raw_data.map_state.creep.data = b"x"


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (_no_players, "the game info has no player 1, who observes this match; it has none"),
        (_random_race, "player 1 has race 4 in the game info, not terran, zerg or protoss"),
        (_no_grid, "placement_grid of the game info has 0 bytes for 0x0 cells of 1 bits"),
        (_other_size, "pathing_grid of the game info has "),
        (_unknown_type, "the game data lacks unit type 60000, which is in the observation at game loop 89"),
        (_no_units, "the first observation has no units; subscribe without `fields`"),
        (_no_info, "the match has no game info: "),
        (_no_data, "the match has no game data: "),
        (_bad_creep, "creep of the observation has 1 bytes for "),
    ],
)
async def test_what_a_bot_cannot_run_on_is_said_before_it_starts(launch: Launch, damage: Any, reason: str) -> None:
    """Of a match that another bot publishes."""
    info, data, response = _sample()
    damage(info, data, response)
    daemon = launch("serve", "--once", *FREE_PORTS)
    async with abathur.publisher(daemon.grpc, game_info=info, game_data=data, player_id=1) as publisher:
        running = asyncio.create_task(run_async(Never(), daemon.grpc))
        with pytest.raises(AbathurError, match="a BotAI cannot run on this match: ") as raised:
            while not running.done():
                await publisher.publish(response)
                await asyncio.wait([running], timeout=0.05)
                response.observation.game_loop += 1
            await running
    assert reason in str(raised.value)


async def test_bots_see_the_frames_that_another_bot_publishes(launch: Launch) -> None:
    info, data, _ = _sample()
    daemon = launch("serve", "--once", *FREE_PORTS)
    with abathur.open(SKIRMISH) as match:
        frames = [frame.response for frame in match.frames(stop=FIRST_LOOP + 120)]
    bots = [EachLoop() for _ in range(3)]
    async with abathur.publisher(daemon.grpc, game_info=info, game_data=data, player_id=1) as publisher:
        # All frames may wait: the bots run in this loop, too, and a published frame does not wait for them.
        running = [asyncio.create_task(run_async(bot, daemon.grpc, policy="every", buffer=200)) for bot in bots]
        async with abathur.connect(daemon.grpc) as game:
            await publisher.publish(frames[0])
            await wait_until(game, lambda status: len(status.subscribers) == len(bots))
        for frame in frames[1:]:
            await publisher.publish(frame)
    told = await asyncio.gather(*running)
    assert [each.result for each in told] == [Result.Undecided] * 3
    for bot in bots:
        first = bot.notes[0]
        assert first <= FIRST_LOOP + 1 and bot.notes == list(range(first, FIRST_LOOP + 120))


async def test_each_match_has_a_new_bot(launch: Launch) -> None:
    info, data, _ = _sample()
    daemon = launch("serve", *FREE_PORTS)
    with abathur.open(SKIRMISH) as match:
        frames = [frame.response for frame in itertools.islice(match.frames(), 12)]
    bots: list[EachLoop] = []
    ended = asyncio.Semaphore(0)

    class Ending(EachLoop):
        async def on_end(self, game_result: Result) -> None:
            await super().on_end(game_result)
            ended.release()

    def make() -> EachLoop:
        bots.append(Ending())
        return bots[-1]

    with pytest.raises(AbathurError, match="a bot has one match: with follow, give"):
        await run_async(EachLoop(), daemon.grpc, follow=True)
    running = asyncio.create_task(run_async(make, daemon.grpc, policy="every", follow=True))
    async with abathur.connect(daemon.grpc) as game:
        await wait_until(game, lambda status: len(status.subscribers) == 1)
    for number in range(3):
        async with abathur.publisher(daemon.grpc, game_info=info, game_data=data, player_id=1) as publisher:
            for frame in frames[4 * number : 4 * number + 4]:
                await publisher.publish(frame)
            if number == 1:
                # This bot ends with the result; the frames after it are of no bot.
                frame.player_result.add(player_id=1, result=sc2api_pb2.Victory)
                frame.observation.game_loop += 1
                await publisher.publish(frame)
        await ended.acquire()
    assert await asyncio.to_thread(daemon.stop) == 0
    told = await running
    loops = [frame.observation.game_loop for frame in frames]
    assert [bot.notes for bot in bots] == [loops[0:4], [*loops[4:7], loops[7] - 1], loops[8:12]]
    assert [bot.result for bot in bots] == [Result.Undecided, Result.Victory, Result.Undecided]
    assert (told.bot, told.bots, told.result, told.steps) == (bots[2], 3, Result.Undecided, 12)


async def test_a_type_that_appears_later_is_said_too(launch: Launch) -> None:
    info, data, response = _sample()
    daemon = launch("serve", "--once", *FREE_PORTS)
    bot = EachLoop()
    async with abathur.publisher(daemon.grpc, game_info=info, game_data=data, player_id=1) as publisher:
        running = asyncio.create_task(run_async(bot, daemon.grpc))
        with pytest.raises(AbathurError, match="lacks unit type 60000"):
            while not running.done():
                await publisher.publish(response)
                await asyncio.wait([running], timeout=0.05)
                if bot.notes:
                    response.observation.raw_data.units[0].unit_type = 60_000
                response.observation.game_loop += 1
            await running
    assert bot.notes and bot.result is None


async def test_an_exception_of_a_callback_ends_the_run() -> None:
    class Breaks(Loops):
        async def on_step(self, iteration: int) -> None:
            if iteration == 2:
                raise ZeroDivisionError("here")
            await super().on_step(iteration)

    bot = Breaks()
    with pytest.raises(ZeroDivisionError, match="here"):
        await run_async(bot, SKIRMISH)
    assert len(bot.notes) == 2 and bot.result is None

    class BreaksAtStart(Loops):
        async def on_start(self) -> None:
            raise KeyError("start")

    with pytest.raises(KeyError, match="start"):
        await run_async(BreaksAtStart(), SKIRMISH)


async def test_a_bot_that_resigns_ends_alone() -> None:
    class Resigns(Loops):
        async def on_step(self, iteration: int) -> None:
            await super().on_step(iteration)
            if iteration == 3:
                await self.client.leave()

    bot = Resigns()
    told = await run_async(bot, SKIRMISH)
    assert (len(bot.notes), bot.result, told.result) == (4, Result.Defeat, Result.Defeat)


async def test_actions_that_are_not_accepted_are_counted_and_reported_once(caplog: pytest.LogCaptureFixture) -> None:
    class Attacks(Loops):
        async def on_step(self, iteration: int) -> None:
            await super().on_step(iteration)
            for worker in self.workers[:2]:
                worker.attack(self.enemy_start_locations[0])
            if iteration == 0:
                await self.client.debug_create_unit([[UnitTypeId.ZERGLING, 2, self.game_info.map_center, 1]])

    with caplog.at_level(logging.WARNING, "abathur"):
        told = await run_async(Attacks(), SKIRMISH)
    assert (told.actions_sent, told.debug_withheld) == (0, 1)
    assert told.actions_withheld > 300
    withheld = [each for each in caplog.messages if "accepts no actions" in each]
    assert withheld == ["Attacks acts, but this source accepts no actions: they are withheld"]


async def test_actions_and_drawings_reach_a_game_that_accepts_them(launch: Launch) -> None:
    class Both(Painter):
        async def on_step(self, iteration: int) -> None:
            await super().on_step(iteration)
            if iteration < 3:
                self.workers.first.move(self.game_info.map_center)

    bot = Both()
    with emulated() as game:
        live = launch(
            "live", "--sc2", game.address, "--map", "Any.SC2Map", "--opponent", "ai:terran:easy",
            "--allow-actions", "--wait-agents", "1", *FREE_PORTS,
        )  # fmt: skip
        told = await run_async(bot, live.grpc, policy="lockstep")
        assert await asyncio.to_thread(live.wait) == 0
        ordered = game.actions()
        drawn = game.debug_commands()
    assert bot.notes == ["talked"] and bot.result == Result.Victory
    assert told.actions_withheld == 0 and told.actions_sent == len(ordered)
    moves = [action.action_raw.unit_command for _, action in ordered if action.action_raw.HasField("unit_command")]
    assert moves and all(move.target_world_space_pos.x > 0 for move in moves)
    assert any(action.action_chat.message == "hello" for _, action in ordered)
    assert drawn[0][1].draw.spheres and drawn[0][1].draw.lines


async def test_queries_without_the_right_to_act_get_estimates(
    play: Play, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Asks(Loops):
        async def on_step(self, iteration: int) -> None:
            await super().on_step(iteration)
            target = self.game_info.map_center
            self.walks = await self.client.query_pathings([[unit, target] for unit in self.workers])

    daemon = play(
        SKIRMISH, "--wait-agents", "1", "--rate", "unlimited", "--playback-duration", "1", *token_options(tmp_path)
    )
    bot = Asks()
    with caplog.at_level(logging.WARNING, "abathur"):
        told = await run_async(bot, daemon.grpc, policy="every", token=WATCH)
    assert told.queries_unanswered == told.steps > 4
    assert caplog.messages == ["Asks gets estimates: this source does not answer its queries"]
    assert bot.walks == [pytest.approx(each.distance_to(bot.game_info.map_center)) for each in bot.workers]


async def test_too_many_queries_are_asked_again(play: Play) -> None:
    """More than are let through in a game loop: the bot waits, and gets each answer."""

    class Asks(Loops):
        async def on_step(self, iteration: int) -> None:
            await super().on_step(iteration)
            place = self.workers.first.position
            walks = [self.client.query_pathing(place, self.game_info.map_center) for _ in range(12)]
            self.answers = await asyncio.gather(*walks)
            # Before the match ends, after which no query is answered.
            if iteration == 3:
                await self.client.leave()

    daemon = play(SKIRMISH, "--wait-agents", "1", "--loop")
    told = await run_async(bot := Asks(), daemon.grpc)
    assert told.queries_unanswered == 0 and told.steps == 4
    assert len(bot.answers) == 12 and len(set(bot.answers)) == 1


def test_estimates_are_those_of_the_map() -> None:
    from abathur.sc2._estimates import Estimates

    info, data, response = _sample()
    hall = next(u for u in response.observation.raw_data.units if u.unit_type == UnitTypeId.HATCHERY.value)
    walker = next(u for u in response.observation.raw_data.units if u.alliance == 1 and u.unit_type == 104)
    hatchery = next(each.ability_id for each in data.units if each.unit_id == UnitTypeId.HATCHERY.value)
    query = query_pb2.RequestQuery()
    query.pathing.add(unit_tag=walker.tag).end_pos.CopyFrom(_point(walker.pos))
    query.pathing.add(start_pos=_point(hall.pos)).end_pos.CopyFrom(_point(hall.pos, 3.5, 0))
    query.abilities.add(unit_tag=walker.tag)
    places = [(x + 0.5, y + 0.5) for x, y in itertools.product(range(20, 100, 4), range(20, 100, 4))]
    query.placements.add(ability_id=hatchery).target_pos.CopyFrom(_point(hall.pos))
    for x, y in places:
        place = query.placements.add(ability_id=hatchery).target_pos
        place.x, place.y = x, y
    answer = Estimates(info, data).answer(query, response)
    assert answer.pathing[0].distance == 0 and answer.abilities[0].unit_type_id == 104
    assert [len(answer.placements), answer.placements[0].result] == [
        len(places) + 1,
        error_pb2.CantBuildLocationInvalid,
    ]
    free = [each.result == error_pb2.Success for each in answer.placements]
    assert 20 < sum(free) < len(places)


def _point(position: Any, dx: float = 0, dy: float = 0) -> common_pb2.Point2D:
    return common_pb2.Point2D(x=position.x + dx, y=position.y + dy)


def _python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60, check=False
    )


def test_without_burnysc2_the_error_names_the_extra() -> None:
    done = _python("""
        import sys
        sys.modules["sc2"] = None
        import abathur
        try:
            abathur.sc2.run(object, "127.0.0.1:1")
        except abathur.AbathurError as error:
            print(error)
        """)
    assert done.stdout.strip() == "bots of python-sc2 need burnysc2: pip install abathur-agent[sc2]", done.stderr


def test_handlers_of_loguru_stay() -> None:
    done = _python(f"""
        import sys
        from loguru import logger
        before = dict(logger._core.handlers)
        logger.add(lambda message: None)
        added = dict(logger._core.handlers)
        import abathur.sc2
        from sc2.bot_ai import BotAI
        class Quiet(BotAI):
            async def on_step(self, iteration):
                await self.client.leave()
        told = abathur.sc2.run(Quiet(), {str(SKIRMISH)!r})
        print(told.steps, dict(logger._core.handlers) == added, "sc2.main" in sys.modules)
        """)
    assert done.stdout.strip() == "1 True False", done.stderr


async def test_wrong_arguments_are_reported() -> None:
    with pytest.raises(TypeError, match="a bot is a BotAI, or a class or function that makes one"):
        await run_async(lambda: 5, SKIRMISH)  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match="a recording has no option 'policy'; it has every"):
        await run_async(Loops(), SKIRMISH, policy="every")
    with pytest.raises(TypeError, match="unknown option 'polcy'"):
        await run_async(Loops(), "127.0.0.1:1", polcy="every")  # type: ignore[call-arg]
    with pytest.raises(abathur.RecordingError, match=r"cannot open .*missing\.mcap"):
        await run_async(Loops(), "missing.mcap")
    with pytest.raises(TypeError, match="an address is a string, and a recording a path, not 5"):
        await run_async(Loops(), 5)  # type: ignore[arg-type]


def test_run_is_for_programs_without_a_loop() -> None:
    told = run(Census, SKIRMISH, every=100)
    assert isinstance(told, BotResult) and isinstance(told.bot, Census)
    assert (told.steps, told.result, told.bots) == (14, Result.Victory, 1)
