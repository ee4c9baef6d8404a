"""Actions and drawings take what the library itself returns, and what python-sc2 has."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import abathur
import numpy as np
import pytest
from abathur import actions, drawing
from abathur.ids import AbilityId
from programs import SKIRMISH, Play, crossed
from s2clientprotocol import common_pb2, raw_pb2, sc2api_pb2

MESSAGES = [
    raw_pb2.Unit(
        tag=2**40 + number,
        alliance=raw_pb2.Self if number < 3 else raw_pb2.Enemy,
        pos={"x": 10 + number, "y": 20, "z": 8},
        rally_targets=[{"point": {"x": 5, "y": 6}}, {"point": {"x": 7, "y": 8}, "tag": 2**40 + 4}],
    )
    for number in range(1, 5)
]
FIRST, SECOND, THIRD, FOURTH = (each.tag for each in MESSAGES)


def units() -> abathur.Units:
    return abathur.Units.from_proto(MESSAGES)


def view(number: int = 0) -> abathur.UnitView:
    return list(units())[number]


def bot_unit(number: int = 0) -> Any:
    """A unit of python-sc2."""
    unit = pytest.importorskip("sc2.unit").Unit
    return unit(MESSAGES[number], SimpleNamespace(state=SimpleNamespace(game_loop=1)))


def bot_units() -> Any:
    return pytest.importorskip("sc2.units").Units([bot_unit(0), bot_unit(1)], None)


def point2(*coordinates: float) -> Any:
    position = pytest.importorskip("sc2.position")
    return position.Point2(coordinates) if len(coordinates) == 2 else position.Point3(coordinates)


ONE: list[Callable[[], Any]] = [
    lambda: FIRST,
    lambda: np.uint64(FIRST),
    lambda: np.int64(FIRST),
    lambda: units().tag[0],
    lambda: units().tag[:1],
    lambda: np.array(FIRST),
    lambda: view(),
    lambda: units()[0],
    lambda: units().by_tag(FIRST),
    lambda: units().by_tag(view()),
    lambda: MESSAGES[0],
    lambda: bot_unit(),
]
TWO: list[Callable[[], Any]] = [
    lambda: [FIRST, SECOND],
    lambda: (np.uint64(FIRST), SECOND),
    lambda: (tag for tag in (FIRST, SECOND)),
    lambda: {FIRST: "x", SECOND: "y"},
    lambda: units().tag[:2],
    lambda: units().tag[units().alliance == 1],
    lambda: units().tag[:2].astype(np.int64),
    lambda: units().tag[:2].astype(object),
    lambda: units().tag[:2].tolist(),
    lambda: units().tag[:2].reshape(2, 1),
    lambda: units()[:2],
    lambda: units().where(alliance="self"),
    lambda: list(units())[:2],
    lambda: iter(units()[:2]),
    lambda: [units()[0], units()[1]],
    lambda: MESSAGES[:2],
    lambda: [view(), SECOND],
    bot_units,
]
NONE: list[Callable[[], Any]] = [
    list,
    tuple,
    lambda: units().tag[:0],
    lambda: units()[:0],
    lambda: np.array([]),
    lambda: np.zeros(0, np.int8),
]
#: Points at (11, 20).
POINTS: list[Callable[[], Any]] = [
    lambda: (11, 20),
    lambda: [11.0, 20.0],
    lambda: (11, 20, 8),
    lambda: (np.float32(11), np.int16(20)),
    lambda: np.array([11, 20]),
    lambda: units().pos[0],
    lambda: units().pos[0, :2],
    lambda: units().pos[:1],
    lambda: units()[:1].pos.mean(axis=0),
    lambda: view().position,
    lambda: view().pos,
    lambda: point2(11, 20),
    lambda: point2(11, 20, 8),
    lambda: common_pb2.Point2D(x=11, y=20),
    lambda: MESSAGES[0].pos,
]


def unit_tags(action: sc2api_pb2.Action) -> list[int]:
    raw = action.action_raw
    return list(raw.unit_command.unit_tags or raw.toggle_autocast.unit_tags)


def target_of(action: sc2api_pb2.Action) -> Any:
    command = action.action_raw.unit_command
    if command.HasField("target_unit_tag"):
        return command.target_unit_tag
    at = command.target_world_space_pos
    return (at.x, at.y) if command.HasField("target_world_space_pos") else None


@pytest.mark.parametrize(
    ("make", "tags"),
    [*((make, [FIRST]) for make in ONE), *((make, [FIRST, SECOND]) for make in TWO), *((make, []) for make in NONE)],
)
def test_units_are_tags_arrays_and_objects(make: Callable[[], Any], tags: list[int]) -> None:
    assert unit_tags(actions.stop(make())) == tags
    assert unit_tags(actions.toggle_autocast(5, make())) == tags
    assert unit_tags(actions.gather(make(), FOURTH)) == tags


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_arrays_of_tags_have_any_type_of_integer(dtype: Any) -> None:
    assert unit_tags(actions.stop(np.array([3, 100], dtype))) == [3, 100]
    assert target_of(actions.attack(1, np.array([3, 100], dtype)[1])) == 100


@pytest.mark.parametrize("make", ONE)
def test_a_target_is_a_tag_or_an_object_with_one(make: Callable[[], Any]) -> None:
    assert target_of(actions.attack(1, make())) == FIRST
    assert target_of(actions.gather(1, make())) == FIRST


@pytest.mark.parametrize("make", POINTS)
def test_a_target_is_a_point_of_two_or_three_coordinates(make: Callable[[], Any]) -> None:
    for order in (actions.move, actions.attack, actions.patrol, actions.smart):
        assert target_of(order(1, make())) == (11, 20)
    at = actions.move_camera(make()).action_raw.camera_move.center_world_space
    assert (at.x, at.y) == (11, 20)
    shape = drawing.line(make(), make())
    assert (shape.line.to.x, shape.line.to.y) == (11, 20)


def test_a_camera_and_a_drawing_are_at_units() -> None:
    for unit in (view(), units()[0], bot_unit(), MESSAGES[0]):
        at = actions.move_camera(unit).action_raw.camera_move.center_world_space
        assert (at.x, at.y) == (11, 20)
        shape = drawing.circle(unit, np.float32(2.5), lifetime=np.int64(3))
        assert (shape.circle.at.x, shape.circle.at.y, shape.circle.radius) == (11, 20, 2.5)
    assert drawing.point(view()).point.at.z == 8
    assert not drawing.point((11, 20)).point.at.HasField("z")


def test_a_target_is_what_a_unit_is_sent_to() -> None:
    point, unit = view().rally_targets
    assert target_of(actions.move(1, point)) == (5, 6)
    assert target_of(actions.move(1, unit)) == FOURTH


def test_abilities_have_numbers_and_names() -> None:
    assert actions.command(AbilityId.STOP_STOP, 1).action_raw.unit_command.ability_id == 4
    ids = pytest.importorskip("sc2.ids.ability_id").AbilityId
    assert actions.command(ids.STOP_STOP, 1).action_raw.unit_command.ability_id == 4
    assert actions.toggle_autocast(ids.STOP_STOP, 1).action_raw.toggle_autocast.ability_id == 4


@pytest.mark.parametrize(
    ("units", "error", "words"),
    [
        (-5, ValueError, "-5"),
        ([7, -5], ValueError, "-5"),
        (np.array([7, -5]), ValueError, "-5"),
        (np.int8(-5), ValueError, "-5"),
        (2**64, ValueError, str(2**64)),
        (1.5, TypeError, r"not 1\.5"),
        (np.array([1.5, 2.0]), TypeError, r"not float64: array\(\[1\.5, 2"),
        (np.array([True, False]), TypeError, r"tags are integers, not bool"),
        ([True], TypeError, "not True"),
        ("QUEEN", TypeError, "not 'QUEEN'"),
        (["7"], TypeError, "not '7'"),
        (None, TypeError, "not None"),
        ([None], TypeError, "not None"),
    ],
)
def test_what_is_not_a_unit_is_an_error_with_the_value(units: Any, error: type[Exception], words: str) -> None:
    for make in (actions.stop, lambda given: actions.toggle_autocast(5, given)):
        with pytest.raises(error, match=words):
            make(units)


PLACES: list[tuple[Any, type[Exception], str]] = [
    ((float("nan"), 3), ValueError, r"\(nan, 3\)"),
    ((3, float("inf")), ValueError, r"\(3, inf\)"),
    ((3, -float("inf")), ValueError, r"\(3, -inf\)"),
    (np.array([1, np.nan], np.float32), ValueError, r"array\(\[ 1\., nan\]"),
    ((1e300, 3), ValueError, r"\(1e\+300, 3\)"),
    ((1, 2, 3, 4), ValueError, r"\(1, 2, 3, 4\)"),
    ((1,), ValueError, r"not \(1,\)"),
    ((), ValueError, r"not \(\)"),
    (("1", "2"), TypeError, r"\('1', '2'\)"),
    ((True, False), TypeError, r"\(True, False\)"),
    ("12", TypeError, "not '12'"),
    (np.zeros((2, 3)), TypeError, r"not array"),
    (4.5, TypeError, r"not 4\.5"),
    ({1, 2}, TypeError, r"not \{1, 2\}"),
]


@pytest.mark.parametrize(("place", "error", "words"), PLACES)
def test_what_is_not_a_place_is_an_error_with_the_value(place: Any, error: type[Exception], words: str) -> None:
    for make in (lambda at: actions.move(1, at), actions.move_camera, drawing.point):
        with pytest.raises(error, match=words):
            make(place)


@pytest.mark.parametrize(
    ("target", "error", "words"),
    [
        (-5, ValueError, "-5"),
        (np.int64(-5), ValueError, "-5"),
        (units(), ValueError, "one unit is needed, not 4: 4 units"),
        (units()[:0], ValueError, "one unit is needed, not 0: 0 units"),
        (True, TypeError, "a target is a point .*, not True"),
        ("enemy", TypeError, "a target is a point .*, not 'enemy'"),
        ([7], ValueError, r"a target is a point .*, not \[7\]"),
    ],
)
def test_what_is_not_a_target_is_an_error_with_the_value(target: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        actions.attack(1, target)
    with pytest.raises((TypeError, ValueError)):
        actions.gather(1, (3, 4))


@crossed(encoding=["proto", "json", "columns"], transport=["grpc", "socket"])
def test_what_a_frame_has_is_taken(play: Play, transport: str, encoding: Any) -> None:
    """Also by requests that take game loops."""
    daemon = play(SKIRMISH, "--start-paused")
    with (
        abathur.connect_blocking(daemon.grpc) as control,
        abathur.connect_blocking(daemon.addresses[transport]) as game,
    ):
        control.playback.step(np.int64(30))
        frames = game.frames(policy="every", encoding=encoding, start="oldest")
        frame = next(frames)
        own = frame.units[frame.units.alliance == 1]
        assert unit_tags(actions.attack(own, frame.units.pos[0])) == own.tag.tolist()
        assert unit_tags(actions.attack(own.tag, own.pos[0])) == own.tag.tolist()
        unit = next(iter(own))
        order = next(each for each in own if each.orders and each.orders[0].target_unit_tag).orders[0]
        assert target_of(actions.attack(unit, order.target_unit_tag)) == order.target_unit_tag
        camera = frame.observation.raw_data.player.camera
        assert actions.move_camera(camera).action_raw.camera_move.center_world_space.x == camera.x
        assert game.draw([drawing.circle(unit, unit.radius), drawing.point(own.pos[0])]).shapes == 2
        while frame.sequence < 30:
            frame = next(frames)
        loops = game.timeline().game_loops
        assert game.frame_at(loops[0]).game_loop == loops[0]
        assert next(game.frames(policy="every", start=loops[-1], max_frames=np.int32(1))).game_loop == loops[-1]
        game.plot("health", own.health[0])
        assert game.plots()[0].values[-1] == own.health[0]
        game.playback.seek(loops[0])
        game.playback.set_rate(own.facing[0] + np.float32(1))
    with abathur.open(SKIRMISH) as match:
        assert next(match.frames(start=loops[-1], stop=loops[-1] + 1)).game_loop == loops[-1]
