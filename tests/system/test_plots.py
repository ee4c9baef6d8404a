"""Numbers that agents plot: to the daemon, into the recording, and back."""

from __future__ import annotations

import json
import threading
import urllib.request
from pathlib import Path

import abathur
import pytest
from abathur.errors import RequestError
from programs import ACT, FREE_PORTS, SKIRMISH, WATCH, Daemon, Launch, Play, pause, token_options
from s2clientprotocol import sc2api_pb2

pytestmark = pytest.mark.timeout(120)


def points(series: list[abathur.PlotSeries]) -> dict[str, list[tuple[int, float]]]:
    """The points of each series, by "agent/name"."""
    return {
        f"{each.agent}/{each.name}": list(zip(each.game_loops.tolist(), each.values.tolist(), strict=True))
        for each in series
    }


class Plotter(abathur.Agent):
    """Plots the minerals of each frame."""

    policy = "every"

    async def on_step(self, frame: abathur.Frame) -> None:
        result = await self.plot("minerals", frame.observation.player_common.minerals)
        assert result.game_loop == frame.game_loop


@pytest.mark.parametrize("transport", ["grpc", "socket"])
def test_an_agent_plots(play: Play, transport: str) -> None:
    daemon = play(SKIRMISH, "--rate", "5", "--wait-agents", "1")
    address = daemon.grpc if transport == "grpc" else daemon.socket
    with abathur.connect_blocking(address) as game:
        wanted = []
        for frame in game.frames(policy="every"):
            result = game.plot("minerals", frame.observation.player_common.minerals, agent="Bot")
            game.plot_all({"loop": frame.game_loop, "half": frame.game_loop / 2}, agent="Bot")
            assert result.game_loop == frame.game_loop
            wanted.append((frame.game_loop, frame.observation.player_common.minerals))
            if len(wanted) == 30:
                found = points(game.plots())
                later = points(game.plots(after=wanted[19][0]))
                break
    assert found["Bot/minerals"] == wanted
    assert found["Bot/loop"] == [(loop, float(loop)) for loop, _ in wanted]
    assert found["Bot/half"] == [(loop, loop / 2) for loop, _ in wanted]
    assert later["Bot/minerals"] == wanted[20:]


def test_a_class_of_agent_plots_under_its_name(play: Play) -> None:
    daemon = play(SKIRMISH, "--rate", "5", "--wait-agents", "2")
    with abathur.connect_blocking(daemon.grpc) as game:
        frames = game.frames(policy="every", fields=["observation.game_loop"])
        thread = threading.Thread(target=Plotter().run, args=(daemon.grpc,), kwargs={"max_frames": 20})
        thread.start()
        first = next(frames).game_loop
        thread.join()
        found = points(game.plots())["Plotter/minerals"]
    assert [loop for loop, _ in found] == list(range(first, first + 20))


def test_only_who_may_act_plots(play: Play, tmp_path: Path) -> None:
    daemon = play(SKIRMISH, "--start-paused", *token_options(tmp_path))
    with abathur.connect_blocking(daemon.grpc, token=ACT) as game:
        game.plot("x", 1.0)
    with abathur.connect_blocking(daemon.grpc, token=WATCH) as game:
        assert [(series.name, series.values.tolist()) for series in game.plots()] == [("x", [1.0])]
        with pytest.raises(RequestError, match="this token is for watching") as raised:
            game.plot("x", 2.0)
        assert raised.value.code == "PERMISSION_DENIED"


def test_what_is_wrong_is_told(paused: Daemon) -> None:
    with abathur.connect_blocking(paused.grpc) as game:
        for name, value, problem in (
            ("", 1.0, "name has 0 characters"),
            ("n" * 65, 1.0, "name has 65 characters"),
            ("x", float("nan"), "only finite numbers"),
            ("x", float("inf"), "only finite numbers"),
        ):
            with pytest.raises(RequestError, match=problem) as raised:
                game.plot(name, value)
            assert raised.value.code == "INVALID_ARGUMENT"
        with pytest.raises(RequestError, match="1 to 64 are allowed"):
            game.plot_all({f"s{i}": 1.0 for i in range(65)})
        for i in range(4):
            game.plot_all({f"s{each}": 1.0 for each in range(64)}, agent=f"agent {i}")
        with pytest.raises(RequestError, match="more than 64 series of agent") as raised:
            game.plot("another", 1.0, agent="agent 0")
        assert raised.value.code == "RESOURCE_EXHAUSTED"
        with pytest.raises(RequestError, match="more than 256 series of all agents"):
            game.plot("another", 1.0, agent="other")


def test_plots_are_recorded_and_come_back(launch: Launch, play: Play, tmp_path: Path) -> None:
    path = tmp_path / "plots.mcap"
    daemon = launch("serve", "--once", *FREE_PORTS, "-o", str(path))
    with (
        abathur.connect_blocking(daemon.grpc) as game,
        abathur.publisher_blocking(daemon.grpc, map_name="Test LE", player_id=1) as bot,
    ):
        frames = game.frames(policy="every", start="oldest")
        for loop in range(1, 21):
            observation = sc2api_pb2.Observation(game_loop=loop)
            bot.publish(sc2api_pb2.ResponseObservation(observation=observation))
            assert next(frames).game_loop == loop
            if loop % 2:
                game.plot("threat", loop / 4, agent="Bot")
    daemon.wait()
    wanted = {"Bot/threat"}
    with abathur.open(path) as match:
        recorded = points(match.plots())
    assert set(recorded) == wanted and len(recorded["Bot/threat"]) == 10
    assert [value for _, value in recorded["Bot/threat"]] == [loop / 4 for loop in range(1, 21, 2)]
    replay = play(path, "--start-paused")
    with abathur.connect_blocking(replay.grpc) as game:
        assert points(game.plots()) == {}
        game.playback.step(5)
        while game.status().playback.game_loop != 5:
            pause()
        early = points(game.plots())["Bot/threat"]
        assert 0 < len(early) < 10 and early == recorded["Bot/threat"][: len(early)]
    with urllib.request.urlopen(f"{replay.addresses['http']}/v1/plots?whole=1") as answer:
        (series,) = json.load(answer)["series"]
    assert series["recorded"] is True
    assert list(zip(series["gameLoops"], series["values"], strict=True)) == recorded["Bot/threat"]


def test_the_timeline_of_a_whole_recording(paused: Daemon) -> None:
    with urllib.request.urlopen(f"{paused.addresses['http']}/v1/timeline?whole=1") as answer:
        whole = json.load(answer)
    with urllib.request.urlopen(f"{paused.addresses['http']}/v1/timeline") as answer:
        so_far = json.load(answer)
    with abathur.open(SKIRMISH) as match:
        timeline = match.timeline()
    assert whole["gameLoops"] == timeline.game_loops.tolist()
    columns = {column["name"]: column["values"] for column in whole["columns"]}
    for name in timeline:
        assert columns[name] == pytest.approx(timeline[name].tolist()), name
    assert len(so_far.get("gameLoops", [])) == 1
    assert [(mark["kind"], mark["gameLoop"], mark["lastGameLoop"]) for mark in whole["marks"]] == [
        (mark.kind, mark.game_loop, mark.last_game_loop) for mark in timeline.marks
    ]
    for mark, ours in zip(whole["marks"], timeline.marks, strict=True):
        lost = (mark.get("ownLost", 0), mark.get("enemyLost", 0))
        assert lost == pytest.approx((ours.own_lost, ours.enemy_lost))
        assert (mark.get("id", 0), mark.get("name", "")) == (ours.id, ours.name)
        if ours.at is not None:
            assert (mark["at"]["x"], mark["at"]["y"]) == pytest.approx(ours.at, abs=0.01)
    assert {mark["kind"] for mark in whole["marks"]} >= {"fight", "chat"}
    assert all(mark["ownLost"] + mark["enemyLost"] >= 150 for mark in whole["marks"] if mark["kind"] == "fight")
