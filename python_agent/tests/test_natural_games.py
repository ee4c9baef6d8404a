"""Calls of games and publishers that users write without reading the documentation: they work, or say what to write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import abathur
import numpy as np
import pytest
from abathur import actions, drawing
from programs import SKIRMISH, Daemon, Launch, Play
from s2clientprotocol import sc2api_pb2

Call = Callable[[Any], Any]


@pytest.fixture(params=["grpc", "socket"])
def game(request: pytest.FixtureRequest, play: Play) -> Iterator[abathur.BlockingGame]:
    daemon = play(SKIRMISH, "--loop")
    with abathur.connect_blocking(daemon.addresses[request.param]) as connected:
        yield connected


@pytest.mark.parametrize(
    ("given", "kind", "text"),
    [
        (22400, TypeError, 'an address is a text, such as "127.0.0.1:22400", not 22400'),
        (("127.0.0.1", 22400), TypeError, r"not \('127.0.0.1', 22400\)"),
        (":22400", ValueError, "':22400' is not an address: expected HOST:PORT"),
        ("http://127.0.0.1:22400", ValueError, "expected HOST:PORT, grpc://HOST:PORT"),
    ],
)
def test_what_is_not_an_address(given: Any, kind: type[Exception], text: str) -> None:
    for connect in (abathur.connect, abathur.connect_blocking, abathur.publisher, abathur.publisher_blocking):
        with pytest.raises(kind, match=text):
            connect(given)


def test_a_game_tells_where_it_is() -> None:
    assert repr(abathur.connect_blocking("localhost:5")) == "<BlockingGame at grpc://localhost:5>"
    assert repr(abathur.connect("socket://localhost:5")) == "<Game at socket://localhost:5>"
    assert repr(abathur.connect("localhost").playback).startswith("<Playback: pause, resume, step")
    assert repr(abathur.publisher("localhost:5")) == "<Publisher to grpc://localhost:5, not open, 0 frames>"
    assert repr(abathur.Agent()) == "<Agent, not running>"


def test_a_game_is_a_table_in_a_notebook(game: abathur.BlockingGame) -> None:
    loop = next(game.frames()).game_loop
    shown = game._repr_html_()
    assert f"<td>{game.address}</td>" in shown and f"<td>{loop}</td>" in shown and "<td>open</td>" in shown


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("step", r"no attribute 'step': write game\.playback\.step\(\)"),
        ("pause", r"game\.playback\.pause\(\)"),
        ("map_name", r"no attribute 'map_name': write game\.match\(\)\.map_name"),
        ("units", r"no attribute 'units': write frame\.units of each frame of game\.frames\(\)"),
        ("frame", r"write the next frame of game\.frames\(\), or game\.frame_at\(game_loop\)"),
        ("zerglings", "no attribute 'zerglings'$"),
    ],
)
def test_what_is_elsewhere(name: str, text: str) -> None:
    for connect in (abathur.connect, abathur.connect_blocking):
        with pytest.raises(AttributeError, match=text):
            getattr(connect("localhost"), name)


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"policy": "newest"}, ValueError, "unknown policy 'newest'; known: latest, every, lockstep"),
        ({"encoding": "protobuf"}, ValueError, "unknown encoding 'protobuf'; known: auto, proto, json, columns"),
        ({"every": "1s"}, TypeError, "every is an integer, not '1s'"),
        ({"max_frames": 2.5}, TypeError, "max_frames is an integer, not 2.5"),
        ({"fields": "observation"}, ValueError, r"fields is a list of paths: \['observation'\]"),
        ({"start": "now"}, ValueError, "start is 'now'; it is 'live', 'oldest', a game loop, or a game time"),
        ({"start": -1}, ValueError, "start is -1; it is 'live'"),
        ({"start": 1.5}, ValueError, "start is 1.5; it is 'live'"),
        ({"fps": 3}, TypeError, "unknown option 'fps'; known: policy"),
    ],
)
def test_options_that_are_not_ones(options: dict[str, Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        next(abathur.connect_blocking("127.0.0.1:1").frames(**options))


def test_a_game_time_is_a_place_in_a_match(game: abathur.BlockingGame) -> None:
    frames = game.frames(policy="every", start="6:40")
    first = next(frames)
    assert (first.game_loop, first.time) == (8960, 400)
    assert game.frame_at("6:40").game_loop == 8960
    game.playback.pause()
    game.playback.seek("6:45")
    assert game.playback.step().paused
    # The answer may come before the frame.
    assert next(frame for frame in frames if frame.game_loop >= 9072).game_loop == 9072
    assert game.frame_at("6:45").game_loop == 9072


def test_one_message_is_enough(game: abathur.BlockingGame) -> None:
    units = next(game.frames(max_frames=1)).units
    assert game.draw(drawing.circle(next(iter(units)), 3, color=(255, 0, 0))).shapes == 1
    with pytest.raises(abathur.RequestError, match="a playback takes no actions"):
        game.act(actions.stop(units))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda game: game.act(None), "expected Action messages, or one, not None"),
        (lambda game: game.act("attack"), "expected Action messages, or one, not 'attack'"),
        (lambda game: game.act([drawing.point((1, 2))]), "expected Action messages, not .* among them"),
        (lambda game: game.draw([(1, 2)]), r"expected Shape messages, not \(1, 2\) among them"),
        (lambda game: game.plot("threat", None), "the value of 'threat' is a number, not None"),
        (lambda game: game.plot("threat", "3"), "the value of 'threat' is a number, not '3'"),
        (lambda game: game.plot("threat", np.array([1.0, 2.0])), "the value of 'threat' is a number, not array"),
    ],
)
def test_what_is_no_message_is_not_sent(call: Call, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        call(abathur.connect_blocking("127.0.0.1:1"))


def test_a_color_is_given_in_three_ways() -> None:
    colors = ("#ff0080", 0xFF0080, (255, 0, 128), np.int64(0xFF0080))
    assert {drawing.point((1, 2), color=color).color for color in colors} == {0xFF0080}  # type: ignore[arg-type]
    for wrong in ("red", (256, 0, 0), (1, 2), -1, None, 0.5):
        with pytest.raises(ValueError, match=r'a color is "#rrggbb", 0xRRGGBB or \(red, green, blue\), not'):
            drawing.point((1, 2), color=wrong)  # type: ignore[arg-type]


def test_a_timeline_has_its_columns_as_attributes_and_as_a_table(game: abathur.BlockingGame) -> None:
    timeline = game.timeline()
    assert timeline.minerals is timeline["minerals"]
    pytest.importorskip("pandas")
    table = timeline.to_pandas()
    assert list(table.columns) == list(timeline) and list(table.index) == timeline.game_loops.tolist()
    with pytest.raises(AttributeError, match="a timeline has no 'gold'; it has minerals, vespene"):
        _ = timeline.gold


def test_a_closed_game_says_so(game: abathur.BlockingGame) -> None:
    assert game.status().match.run_id
    game.close()
    game.close()
    for call in (game.status, game.match, lambda: next(game.frames()), game.playback.pause, game.timeline):
        with pytest.raises(abathur.AbathurError, match="is closed: connect again"):
            call()
    assert repr(game).endswith(", closed>")


async def test_a_closed_asynchronous_game_says_so(play: Play) -> None:
    async with abathur.connect(play(SKIRMISH, "--loop").grpc) as game:
        await game.status()
    with pytest.raises(abathur.AbathurError, match="is closed: connect again"):
        await game.status()
    with pytest.raises(abathur.AbathurError, match="is closed: connect again"):
        await anext(game.frames())


@pytest.fixture
def served(launch: Launch) -> Daemon:
    return launch("serve")


def test_a_publisher_takes_frames_and_single_actions(served: Daemon) -> None:
    with abathur.open(SKIRMISH) as recording, abathur.connect_blocking(served.grpc) as game:
        frames = [frame for frame, _ in zip(recording.frames(), range(3), strict=False)]
        with abathur.publisher_blocking(served.grpc) as publisher:
            for frame in frames:
                publisher.publish(frame)
            publisher.actions(actions.stop(frames[-1].units))
        assert publisher.frames == 3
        assert game.matches()[0].last_game_loop == frames[-1].game_loop


@pytest.mark.parametrize("given", [None, {}, 5, "frame", sc2api_pb2.Response()])
def test_what_is_no_observation_is_not_published(served: Daemon, given: Any) -> None:
    with (
        pytest.raises(TypeError, match="expected a ResponseObservation, its bytes, or a frame, not"),
        abathur.publisher_blocking(served.grpc) as publisher,
    ):
        publisher.publish(given)


def test_a_publisher_that_is_not_open_says_so() -> None:
    with pytest.raises(abathur.AbathurError, match="the publisher is not open: use it inside its `with` block"):
        abathur.publisher_blocking("127.0.0.1:1").publish(b"")
