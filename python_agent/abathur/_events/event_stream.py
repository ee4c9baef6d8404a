"""Unit events along the frames of one subscription or recording. docs/agents.md has the rules."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Final

import numpy as np

from abathur._events.event_rows import (
    ENEMY_STRUCTURE,
    ENEMY_UNIT,
    HIDDEN,
    OWN_STRUCTURE,
    OWN_UNIT,
    ColumnsSnapshot,
    Difference,
    Row,
    Snapshot,
    UnitsSnapshot,
)
from abathur._frame.frame import Frame
from abathur.errors import AbathurError
from abathur.events import (
    Alert,
    BuildingConstructionComplete,
    BuildingConstructionStarted,
    EnemyUnitEnteredVision,
    EnemyUnitLeftVision,
    Event,
    UnitCreated,
    UnitDestroyed,
    UnitTookDamage,
    UnitTypeChanged,
    UpgradeComplete,
)

#: A first frame before this game loop (10 s) is the start of a match: nothing can have been built or hidden before.
LATE_LOOP: Final = 224
#: Buffs of workers that carry minerals, rich minerals, or gas (of any race): a new worker carries nothing.
_CARRYING: Final = (271, 272, 273, 274, 275)


class EventStream:
    """The events of one reader's frames.

    Comparison starts with the first frame whose events are read: it is compared with the frame before it, and from
    then on each frame with its previous one, whether its events are read or not. Until then the stream keeps the
    newest frame, and does nothing else.
    """

    def __init__(self, *, active: bool = False) -> None:
        """Before the first frame. With `active`, events are computed from the first frame on."""
        self.active = active
        self._last: Frame | None = None
        self._match = _Match()

    def follow(self, frame: Frame) -> None:
        """Give a frame its events. Called for each frame, in order."""
        last, self._last = self._last, frame
        if last is not None and last._step is not None:
            if self.active:
                last._step.events(last)
            last._step.release()
        if last is not None and (frame.game_loop < last.game_loop or not frame._is_of_run(last)):
            last, self._match = None, _Match()
        frame._step = Step(self, self._match, last)


class Step:
    """From one frame of a stream to the next."""

    def __init__(self, stream: EventStream, match: _Match, previous: Frame | None) -> None:
        """The frame before, if there is one in this match."""
        self._stream = stream
        self._match = match
        self._previous = previous
        self._weak: weakref.ref[Frame] | None = None
        self._events: tuple[Event, ...] | None = None
        self._snapshot: ColumnsSnapshot | UnitsSnapshot | None = None

    def events(self, frame: Frame) -> tuple[Event, ...]:
        """The events of the frame of this step. Raises AbathurError if the previous frame is gone."""
        if self._events is None:
            self._stream.active = True
            previous = self._previous
            if previous is None and self._weak is not None:
                previous = self._weak()
                if previous is None:
                    raise AbathurError(
                        f"the events of frame {frame.sequence} cannot be computed any more: read them before the next "
                        "frame, or keep the frame before it"
                    )
            self._events = self._match.events(frame, previous or frame)
            self._previous = self._weak = None
        return self._events

    def release(self) -> None:
        """Keep the previous frame only as long as others keep it."""
        if self._previous is not None:
            self._weak, self._previous = weakref.ref(self._previous), None


def _snapshot(frame: Frame) -> ColumnsSnapshot | UnitsSnapshot:
    made = frame.__dict__.get("_snapshot")
    if made is None:
        columns = frame._source.columns
        made = UnitsSnapshot(frame.units) if columns is None else ColumnsSnapshot(columns)
        frame.__dict__["_snapshot"] = made
    return made


class _Match:
    """What is known of a match beyond two frames."""

    def __init__(self) -> None:
        #: Own units that have been created; None before the first frame that is compared.
        self._known: set[int] | None = None
        self._upgrades: set[int] = set()
        self._is_late = False

    def events(self, frame: Frame, previous: Frame) -> tuple[Event, ...]:
        """What happened from the previous frame (or from the same, if it is the first) to a frame."""
        new, old = _snapshot(frame), _snapshot(previous)
        if self._known is None:
            self._join(previous, old)
        dead, alerts, upgrades = _once(frame)
        # Not seen by this reader: what was in them once is handed over with this frame.
        if (skipped := frame.skipped_events) is not None:
            dead = [*skipped.observation.raw_data.event.dead_units, *dead]
            alerts = [*skipped.observation.alerts, *alerts]
        events: list[Event] = []
        if dead:
            events += _destroyed(old, dead)
        if isinstance(new, ColumnsSnapshot) and isinstance(old, ColumnsSnapshot):
            difference = new.since(old)
        else:
            difference = _as_units(new).since(_as_units(old))
        if difference.now or difference.left:
            events += self._own_units(new, difference)
            events += _own_structures(new, difference)
            completed = upgrades - self._upgrades
            events += map(UpgradeComplete, sorted(completed))
            events += _vision(new, old, difference)
        else:
            events += map(UpgradeComplete, sorted(upgrades - self._upgrades))
        self._upgrades = upgrades
        events += map(Alert, alerts)
        return tuple(events)

    def _join(self, first: Frame, snapshot: Snapshot) -> None:
        self._known = set()
        self._upgrades = _once(first)[2]
        self._is_late = first.game_loop >= LATE_LOOP
        if self._is_late:
            self._known = {row.tag for row in snapshot.rows() if row.kind == OWN_UNIT}
            self._known.update(snapshot.units[snapshot.units.alliance == 1].passengers.tag.tolist())

    def _own_units(self, new: Snapshot, difference: Difference) -> Iterator[Event]:
        assert self._known is not None
        for row, last in difference.now:
            if row.kind != OWN_UNIT:
                continue
            if last is None:
                if row.tag not in self._known:
                    self._known.add(row.tag)
                    unit = new.view(row)
                    if not (self._is_late and _carries(new, unit)):
                        yield UnitCreated(unit)
            else:
                yield from _changed(new, row, last)


def _as_units(snapshot: Snapshot) -> UnitsSnapshot:
    return snapshot if isinstance(snapshot, UnitsSnapshot) else UnitsSnapshot(snapshot.units)


def _destroyed(old: Snapshot, dead: list[int]) -> Iterator[Event]:
    for tag in dict.fromkeys(dead):
        rows = [row for row in old.having(tag) if row.kind != HIDDEN]
        if rows:
            yield UnitDestroyed(tag, old.view(rows[-1]))


def _changed(new: Snapshot, row: Row, last: Row) -> Iterator[Event]:
    if row.health < last.health or row.shield < last.shield:
        # In this order, as BotAI does: the result is the same to the last bit.
        yield UnitTookDamage(new.view(row), last.health - row.health + last.shield - row.shield)
    if row.unit_type != last.unit_type:
        yield UnitTypeChanged(new.view(row), last.unit_type)


def _own_structures(new: Snapshot, difference: Difference) -> Iterator[Event]:
    for row, last in difference.now:
        if row.kind != OWN_STRUCTURE:
            continue
        if last is None:
            kind = BuildingConstructionStarted if row.progress < 1 else BuildingConstructionComplete
            yield kind(new.view(row))
        else:
            yield from _changed(new, row, last)
            if row.progress == 1 and last.progress < 1:
                yield BuildingConstructionComplete(new.view(row))


def _vision(new: Snapshot, old: Snapshot, difference: Difference) -> Iterator[Event]:
    for kind in (ENEMY_UNIT, ENEMY_STRUCTURE):
        for row, last in difference.now:
            if row.kind == kind and last is None:
                yield EnemyUnitEnteredVision(new.view(row))
    for kind in (ENEMY_UNIT, ENEMY_STRUCTURE):
        for row in difference.left:
            if row.kind == kind:
                yield EnemyUnitLeftVision(row.tag, old.view(row))


def _carries(new: Snapshot, unit: object) -> bool:
    """Whether a unit carries minerals or gas."""
    row: int = unit._row  # type: ignore[attr-defined]
    buffs = new.units.buffs
    return bool(np.isin(buffs.buff_id[buffs.offsets[row] : buffs.offsets[row + 1]], _CARRYING).any())


def _once(frame: Frame) -> tuple[list[int], list[int], set[int]]:
    """Dead units, alerts and upgrades of a frame."""
    observation = frame._without_units().observation
    raw = observation.raw_data
    return list(raw.event.dead_units), list(observation.alerts), set(raw.player.upgrade_ids)
