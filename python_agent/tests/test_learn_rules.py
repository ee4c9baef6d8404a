"""What a window is: which frames are sampled, and which unit has which slot."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from abathur import learn
from abathur._frame.frame import Frame
from abathur._frame.source import MessageSource
from abathur.learn._sampling import Sampling
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import runs
from s2clientprotocol import raw_pb2, sc2api_pb2

OWN, ALLY, NEUTRAL, ENEMY = 1, 2, 3, 4


def frame(
    loop: int, units: Sequence[raw_pb2.Unit] = (), *, sequence: int = 2, dead: Sequence[int] = (), run: str = "a"
) -> Frame:
    response = sc2api_pb2.ResponseObservation()
    response.observation.game_loop = loop
    response.observation.raw_data.units.extend(units)
    response.observation.raw_data.event.dead_units.extend(dead)
    made = Frame(MessageSource(response))
    made.game_loop, made.sequence, made.run_id, made.match_id = loop, sequence, run, "m"
    return made


def unit(tag: int, alliance: int = OWN, **fields: float) -> raw_pb2.Unit:
    made = raw_pb2.Unit(tag=tag, alliance=alliance, unit_type=100 + tag % 7)  # type: ignore[arg-type]
    made.health = fields.get("health", tag)
    made.pos.x = fields.get("x", 0)
    return made


def windows(spec: learn.Spec, frames: Sequence[Frame]) -> list[learn.Window]:
    rolling = learn.Rolling(spec)
    return [window for each in frames if (window := rolling.push(each)) is not None]


def tags(window: learn.Window) -> list[int]:
    return [tag for tag in window["tags"].tolist() if tag]


def test_slots_are_sorted_by_neutral_first_frame_alliance_and_tag() -> None:
    spec = learn.Spec(frames=2, every=8, slots=10, units=["health"])
    first = [unit(9, NEUTRAL), unit(7, ENEMY), unit(8), unit(5, ALLY)]
    second = [unit(1), unit(8), unit(3, ENEMY), unit(2, NEUTRAL), unit(9, NEUTRAL)]
    window = windows(spec, [frame(0, first, sequence=1), frame(8, second)])[-1]
    assert tags(window) == [8, 5, 7, 1, 3, 9, 2]
    assert window["mask"].tolist() == [
        [True, True, True, False, False, True, False, False, False, False],
        [True, False, False, True, True, True, True, False, False, False],
    ]
    assert window["units"][:, :, 0].tolist() == [[8, 5, 7, 0, 0, 9, 0, 0, 0, 0], [8, 0, 0, 1, 3, 9, 2, 0, 0, 0]]
    assert window["types"][1].tolist() == [101, 0, 0, 101, 103, 102, 102, 0, 0, 0]
    assert window["loops"].tolist() == [0, 8] and window["overflow"] == 0


def test_units_without_a_slot_are_counted_once() -> None:
    spec = learn.Spec(frames=2, every=8, slots=2, units=["health"])
    units = [unit(tag) for tag in (4, 3, 2, 1)]
    window = windows(spec, [frame(0, units, sequence=1), frame(8, [*units, unit(5)])])[-1]
    assert tags(window) == [1, 2] and window["overflow"] == 3
    assert window["mask"].all()


def test_the_order_of_units_and_repeated_tags_change_nothing() -> None:
    spec = learn.Spec(frames=1, every=1, slots=8, units=["health", "x"])
    units = [unit(1), unit(2, health=5, x=3), unit(2, health=5, x=2), unit(0), unit(3, ENEMY), unit(2**63 + 1)]
    expected = windows(spec, [frame(0, units, sequence=1)])[0]
    assert expected["units"][0, 2].tolist() == [5, 2]
    assert expected["tags"][3] == 1 - 2**63
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(len(units))
        found = windows(spec, [frame(0, [units[each] for each in order], sequence=1)])[0]
        assert all(found[name].tobytes() == expected[name].tobytes() for name in expected)


def test_kept_slots_are_free_after_death() -> None:
    spec = learn.Spec(frames=1, every=2, slots="match", match_slots=3, units=["health"])
    made = windows(
        spec,
        [
            frame(0, [unit(5), unit(6, NEUTRAL)], sequence=1),
            frame(1, dead=[5]),
            frame(2, [unit(6, NEUTRAL), unit(8)]),
            # Out of sight, which keeps the slot, and no slot is left for one of two.
            frame(4, [unit(9), unit(7)]),
            # The death of another one, in a frame that is not sampled.
            frame(5, dead=[8, 1000]),
            frame(6, [unit(6, NEUTRAL), unit(9)]),
        ],
    )
    assert [each["tags"].tolist() for each in made] == [[5, 6, 0], [8, 6, 0], [8, 6, 7], [9, 6, 7]]
    assert [each["overflow"].item() for each in made] == [0, 0, 1, 0]
    assert made[2]["mask"].tolist() == [[False, False, True]]


def test_a_scale_divides_and_alliances_are_features() -> None:
    spec = learn.Spec(frames=1, every=1, slots=2, units={"health": 4, "is_own": 1, "is_enemy": 1})
    window = windows(spec, [frame(0, [unit(1, health=10), unit(2, ENEMY, health=3)], sequence=1)])[0]
    assert window["units"][0].tolist() == [[2.5, 1, 0], [0.75, 0, 1]]
    assert [each.scale for each in spec.unit_features] == [4, 1, 1]


def test_gaps_and_losses_begin_again() -> None:
    spec = learn.Spec(frames=2, every=4, slots=1)

    def loops(*frames: Frame) -> list[list[int]]:
        return [each["loops"].tolist() for each in windows(spec, frames)]

    start = frame(0, sequence=1)
    assert loops(start, frame(4), frame(8)) == [[-1, 0], [0, 4], [4, 8]]
    assert loops(start, frame(4), frame(12), frame(16)) == [[-1, 0], [0, 4], [12, 16]], "a gap"
    assert loops(start, frame(5), frame(9)) == [[-1, 0], [0, 5], [5, 9]], "the first at or after a multiple"
    assert loops(start, frame(4), frame(0), frame(4)) == [[-1, 0], [0, 4], [0, 4]], "backwards"
    assert loops(start, frame(4), frame(4), frame(8)) == [[-1, 0], [0, 4], [4, 8]], "the last one again"
    assert loops(frame(5), frame(8), frame(12)) == [[8, 12]], "in the middle of a match"
    lost, again = frame(9), frame(9)
    lost.dropped, again.reconnected = 1, True
    assert loops(start, frame(4), lost, frame(12), frame(16)) == [[-1, 0], [0, 4], [12, 16]]
    assert loops(start, frame(4), again, frame(12), frame(16)) == [[-1, 0], [0, 4], [12, 16]]
    assert loops(start, frame(4), frame(0, run="b", sequence=1)) == [[-1, 0], [0, 4], [-1, 0]], "the next match"
    whole = replace(spec, pad=False)
    assert [each["loops"].tolist() for each in windows(whole, [start, frame(4)])] == [[0, 4]]


@given(
    st.lists(st.integers(-30, 12), max_size=60),
    st.integers(0, 40),
    st.integers(1, 5),
    st.integers(1, 5),
    st.booleans(),
    st.integers(1, 3),
)
@settings(max_examples=runs(500), deadline=None)
def test_all_at_once_is_one_after_the_other(
    steps: list[int], first: int, frames: int, every: int, pad: bool, stride: int
) -> None:
    loops = np.maximum(np.cumsum([first, *steps]), 0)
    spec = learn.Spec(frames=frames, every=every, slots=1, pad=pad)
    rolling = learn.Rolling(spec)
    expected = []
    for number, loop in enumerate(loops.tolist()):
        window = rolling.push(frame(loop, sequence=number + 1))
        if window is not None and loop // every % stride == 0:
            expected.append(window["loops"].tolist())
    found = Sampling.of(loops, spec, stride * every, 0)
    assert found.with_target.all()
    made = []
    for end in found.ends.tolist():
        inside = found.loops[max(end - frames + 1, found.begins[end]) : end + 1].tolist()
        made.append([-1] * (frames - len(inside)) + inside)
    assert made == expected


def test_a_spec_is_a_value() -> None:
    spec = learn.Spec(frames=4, units=learn.scaled("x", "health"), players={"minerals": 1000}, grids=["creep"])
    assert pickle.loads(pickle.dumps(spec)) == spec == replace(spec) and hash(spec) == hash(replace(spec))
    assert spec != replace(spec, units=["x", "health"])
    assert [(each.name, each.unit, each.scale) for each in spec.unit_features] == [
        ("x", "map cells", 200),
        ("health", "points", 400),
    ]
    assert spec.player_features == (learn.Feature("minerals", "observation.player_common.minerals", 1000),)
    assert "4 frames" in repr(spec) and "['x', 'health']" in repr(spec)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"units": ["heath"]}, ValueError, "units have no feature 'heath'; did you mean 'health'"),
        ({"units": ["tag"]}, ValueError, "a tag has 64 bits"),
        ({"units": "health"}, TypeError, r"units takes a list of names: units=\['health'\]"),
        ({"units": ["x", "x"]}, ValueError, "a name is twice in units"),
        ({"units": {"x": 0}}, ValueError, "the scale of x is 0"),
        ({"players": ["mineral"]}, ValueError, "did you mean 'minerals'"),
        ({"grids": ["visible"]}, ValueError, "did you mean 'visibility'"),
        ({"slots": 0}, ValueError, "slots is 0; it must be 1 to 65536"),
        ({"slots": "all"}, ValueError, 'slots is a number, or "match"'),
        ({"frames": 2.5}, TypeError, "frames is a number, not 2.5"),
        ({"every": 0}, ValueError, "every is 0"),
        ({"grid_size": (1, 2, 3)}, ValueError, "grid_size is rows and columns"),
    ],
)
def test_wrong_specs_are_refused(options: dict[str, object], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        learn.Spec(**options)  # type: ignore[arg-type]
