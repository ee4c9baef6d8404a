"""Which units of a match are known, and what happened when: the rules of the daemon's timeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from s2clientprotocol import raw_pb2, sc2api_pb2

from abathur._events.structures import STRUCTURES
from abathur._events.unit_costs import COSTS
from abathur.sync.v1 import sync_pb2

#: Town halls, with those in the air; and workers, with burrowed ones.
_BASES = frozenset((18, 36, 59, 86, 100, 101, 130, 132, 134))
_WORKERS = frozenset((45, 84, 104, 116))
_STRUCTURES = frozenset(STRUCTURES)
#: Limits of the daemon.
_MAX_UNITS = 4096
_FIGHT_LOOPS = 224
_FIGHT_CELLS = 25.0
_LEAST_FIGHT_VALUE = 150.0
_MAX_MESSAGES = 1024
_MAX_MESSAGE_LENGTH = 255
#: A match that is seen from here on is seen from its beginning.
_BEGINNING_LOOPS = 224


@dataclass
class Mark:
    """Something that happened at a moment of a match.

    Attributes:
        kind: ``fight``; ``base``, ``enemy_base``: a new town hall; ``base_lost``, ``enemy_base_lost``; ``upgrade``;
            ``drawing``: a layer that is drawn again; ``chat``: a message of a player.
        game_loop: When it began.
        last_game_loop: Of a fight, when the last unit died; else as `game_loop`.
        id: Unit type of a base, the upgrade, or the player that wrote.
        own_lost: Of a fight, resources that were lost, as far as their cost is known.
        enemy_lost: Of a fight, resources that the enemy lost.
        at: Where it was, (x, y) in cells; None for upgrades, drawings, chat.
        name: Layer of a drawing, or text of a message.
    """

    kind: str
    game_loop: int
    last_game_loop: int
    id: int = 0
    own_lost: float = 0.0
    enemy_lost: float = 0.0
    at: tuple[float, float] | None = None
    name: str = ""


@dataclass(frozen=True)
class _Known:
    unit_type: int
    is_enemy: bool
    x: float
    y: float
    row: int


def mark_from_message(message: sync_pb2.Timeline.Mark) -> Mark:
    """A mark from the daemon's message."""
    at = (message.at.x, message.at.y) if message.HasField("at") else None
    return Mark(
        message.kind,
        message.game_loop,
        message.last_game_loop,
        message.id,
        message.own_lost,
        message.enemy_lost,
        at,
        message.name,
    )


class KnownUnits:
    """The units that were seen and are not known to be dead, and the marks.

    Args:
        game_data: Of the match, for costs; None: those of the package.
    """

    #: Columns of `row`.
    COLUMNS = ("base_count", "enemy_army_value", "enemy_food_army", "enemy_worker_count", "enemy_base_count")

    def __init__(self, game_data: sc2api_pb2.ResponseData | None) -> None:
        """Nothing is known yet."""
        self._costs: Mapping[int, tuple[float, float]] = COSTS
        if game_data is not None and game_data.units:
            self._costs = {
                unit.unit_id: (unit.mineral_cost + unit.vespene_cost, unit.food_required) for unit in game_data.units
            }
        self._units: dict[int, _Known] = {}
        self._marks: list[Mark] = []
        self._upgrades: set[int] | None = None
        self._row = 0
        self._drawn: set[str] = set()
        self._marked: dict[str, int] = {}
        self._messages = 0

    @property
    def marks(self) -> list[Mark]:
        """What happened, oldest first; fights of some size only."""
        return [
            mark
            for mark in self._marks
            if mark.kind != "fight" or mark.own_lost + mark.enemy_lost >= _LEAST_FIGHT_VALUE
        ]

    def bury(self, game_loop: int, tags: Iterable[int]) -> None:
        """Take dead units off, and add their deaths to fights."""
        for tag in tags:
            unit = self._units.pop(tag, None)
            if unit is None or not self._value(unit):
                continue
            if unit.unit_type in _BASES:
                kind = "enemy_base_lost" if unit.is_enemy else "base_lost"
                self._marks.append(Mark(kind, game_loop, game_loop, unit.unit_type, at=(unit.x, unit.y)))
            self._add_death(game_loop, unit)

    def draw(self, game_loop: int, layers: Iterable[str]) -> None:
        """Mark the layers that are drawn now and were not before, each at most once in the time of a fight."""
        now = list(dict.fromkeys(layers))
        for layer in now:
            marked = self._marked.get(layer)
            if layer not in self._drawn and (marked is None or game_loop - marked > _FIGHT_LOOPS):
                self._marks.append(Mark("drawing", game_loop, game_loop, name=layer))
                self._marked[layer] = game_loop
        self._drawn = set(now)

    def hear(self, game_loop: int, chat: Iterable[sc2api_pb2.ChatReceived]) -> None:
        """Mark the messages of players."""
        for said in chat:
            if self._messages == _MAX_MESSAGES:
                return
            self._messages += 1
            text = said.message[:_MAX_MESSAGE_LENGTH]
            self._marks.append(Mark("chat", game_loop, game_loop, said.player_id, name=text))

    def look(self, game_loop: int, raw: raw_pb2.ObservationRaw) -> None:
        """Update what is known from an observation."""
        is_first = self._row == 0
        self._row += 1
        for unit in raw.units:
            if unit.alliance not in (raw_pb2.Self, raw_pb2.Enemy) or unit.display_type == raw_pb2.Placeholder:
                continue
            is_new = unit.tag not in self._units
            if is_new and len(self._units) == _MAX_UNITS:
                continue
            known = _Known(unit.unit_type, unit.alliance == raw_pb2.Enemy, unit.pos.x, unit.pos.y, self._row)
            self._units[unit.tag] = known
            if is_new and not is_first and known.unit_type in _BASES:
                kind = "enemy_base" if known.is_enemy else "base"
                self._marks.append(Mark(kind, game_loop, game_loop, known.unit_type, at=(known.x, known.y)))
        # A structure that is not shown is gone; an enemy unit may be out of sight; an own one is in another, or is it.
        self._units = {
            tag: unit
            for tag, unit in self._units.items()
            if unit.row == self._row or (unit.is_enemy and unit.unit_type not in _STRUCTURES)
        }
        self._look_at_upgrades(game_loop, raw.player.upgrade_ids)

    def row(self) -> Iterator[float]:
        """The numbers of a row, in the order of `COLUMNS`."""
        enemies = [unit for unit in self._units.values() if unit.is_enemy]
        army = [unit for unit in enemies if self._is_army(unit)]
        yield sum(not unit.is_enemy and unit.unit_type in _BASES for unit in self._units.values())
        yield sum(self._value(unit) for unit in army)
        yield sum(self._costs[unit.unit_type][1] for unit in army)
        yield sum(unit.unit_type in _WORKERS for unit in enemies)
        yield sum(unit.unit_type in _BASES for unit in enemies)

    def _value(self, unit: _Known) -> float:
        return self._costs.get(unit.unit_type, (0.0, 0.0))[0]

    def _is_army(self, unit: _Known) -> bool:
        food = self._costs.get(unit.unit_type, (0.0, 0.0))[1]
        return food > 0 and unit.unit_type not in _WORKERS and unit.unit_type not in _STRUCTURES

    def _look_at_upgrades(self, game_loop: int, upgrades: Iterable[int]) -> None:
        before = self._upgrades if self._upgrades is not None or game_loop >= _BEGINNING_LOOPS else set[int]()
        now = list(dict.fromkeys(upgrades))
        if before is not None:
            new = [upgrade for upgrade in now if upgrade not in before]
            self._marks.extend(Mark("upgrade", game_loop, game_loop, upgrade) for upgrade in new)
        self._upgrades = (before or set()) | set(now)

    def _add_death(self, game_loop: int, unit: _Known) -> None:
        value = self._value(unit)
        fight = next((mark for mark in reversed(self._marks) if _is_same_fight(mark, game_loop, unit)), None)
        if fight is None:
            fight = Mark("fight", game_loop, game_loop, at=(unit.x, unit.y))
            self._marks.append(fight)
        fight.last_game_loop = game_loop
        share = value / (fight.own_lost + fight.enemy_lost + value)
        assert fight.at is not None
        fight.at = (fight.at[0] + (unit.x - fight.at[0]) * share, fight.at[1] + (unit.y - fight.at[1]) * share)
        if unit.is_enemy:
            fight.enemy_lost += value
        else:
            fight.own_lost += value


def _is_same_fight(mark: Mark, game_loop: int, unit: _Known) -> bool:
    if mark.kind != "fight" or mark.at is None or game_loop - mark.last_game_loop > _FIGHT_LOOPS:
        return False
    return (mark.at[0] - unit.x) ** 2 + (mark.at[1] - unit.y) ** 2 <= _FIGHT_CELLS**2
