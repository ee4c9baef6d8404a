"""The page of `dotnet make.cs bench columns`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from figures import Figure, Figures, machine, paragraph, ratio, table

if TYPE_CHECKING:
    from columns import Counts

#: Values of ABATHUR_DECODER, and their names on the page.
NAMES = {"compiled": "compiled", "numpy": "NumPy"}
DECODERS = tuple(NAMES)
#: Frames before those that count, where a stream of frames is read.
WARM_FRAMES = 100
#: Multiples of the tick rate at which the daemon plays, and what the page says; 0: unlimited.
PACES = {20: "at 20 times the game's rate", 0: "at full speed"}
SCHEMES = ("grpc", "socket")
APIS = ("blocking", "asyncio")
ENCODINGS = ("proto", "columns+zstd-stream")
#: What a client reads of each frame. "nothing" is measured with the first decoder only.
READS = ("nothing", "four", "all")
#: Game loops between the frames of a dataset.
EVERY = (1, 4)
_FORMS = ("compact", "full")
_COLUMNS = {
    "nothing": "units' section",
    "four": "x, y, health, unit_type",
    "six": "these, tag, alliance",
    "all": "all 42",
}
#: Ways to read messages, and their names on the page.
WAYS = {
    "compiled six": "compiled, six columns",
    "compiled all": "compiled, all 42 columns",
    "parse": "protobuf's parser alone",
    "messages six": "protobuf's parser, and attributes to six columns",
    "messages all": "protobuf's parser, and attributes to all 42 columns",
    "python-sc2": "protobuf's parser, and python-sc2's `GameState` and `_prepare_step`",
    "python-sc2 six": "these, and six attributes of each of its units",
}
#: Bytes of a message up to which the goal for 70 KB is meant.
_SMALL_KB = 90
_FASTER = 8


class Goal(NamedTuple):
    """What is to be reached by one figure of a match.

    Attributes:
        name: What is measured.
        limit: The figure that is just good enough, in words.
        text: The figure, with the spread.
        is_reached: Whether the median is as good.
    """

    name: str
    limit: str
    text: str
    is_reached: bool


def goals(figures: Figures, name: str) -> list[Goal]:
    """The goals for a match, of what was measured."""

    def figure(*key: str | int) -> Figure:
        found = figures.find(name, *key)
        assert found is not None, key
        return found

    def goal(what: str, found: Figure, limit: float, unit: str, *, is_most: bool) -> Goal:
        words = f"{'at most' if is_most else 'at least'} {limit:,g}{unit}"
        is_reached = found.median <= limit if is_most else found.median >= limit
        return Goal(what, words, f"{found.text()}{unit}", is_reached)

    made = []
    for read in ("nothing", "all"):
        faster = ratio(figure("columns", "numpy", read), figure("columns", "compiled", read))
        what = f"`columns`, {_COLUMNS[read]}: NumPy / compiled"
        made.append(goal(what, faster, _FASTER, " times", is_most=False))
    compiled = figure("protobuf", "compiled all")
    if figure("message").median <= _SMALL_KB:
        made.append(goal("protobuf, all columns", compiled, 50, " µs", is_most=True))
    beside = ratio(compiled, figure("protobuf", "parse"))
    made.append(goal("protobuf, all columns / protobuf's parser", beside, 1, " times", is_most=True))
    for form, rate in (("compact", 12_000), ("full", 10_000)):
        found = figure("recording", form, "compiled", "per_core")
        made.append(goal(f"frames of a {form} recording, of one core", found, rate, " frames/s", is_most=False))
    for pace, encoding, read in product(PACES, ENCODINGS, ("four", "all")):
        found = figure("client", pace, "socket", "blocking", encoding, "compiled", read)
        what = f"socket, `{encoding}`, {PACES[pace]}, to {_COLUMNS[read]}: processor time"
        made.append(goal(what, found, 150, " µs", is_most=True))
    return made


def page(figures: Figures, names: list[str], counts: Counts, rounds: int) -> str:
    """The README of the results."""
    about = machine()
    sizes = " and ".join(f"`{name}` ({figures.text(name, 'message')} KB a frame in protobuf)" for name in names)
    made = paragraph(
        f"Made by `dotnet make.cs bench columns` on {about['date']}: {about['cpu']}, {about['cores']} cores,",
        f"{about['os']}, Python {about['python']}, protobuf {about['protobuf']}, grpcio {about['grpcio']}, .NET",
        f"{about['dotnet']}, commit {about['commit']}, load {about['load']} at the end.",
    )
    what = paragraph(
        f"{counts.recorded:,} frames of each match: {sizes}. `elite` is generated; the other, if there is one, was",
        "rebuilt from a replay of a real game. *Compiled* is the library; *NumPy* is the package without it, where",
        "protobuf's parser reads messages. Times are processor time of the process. Decoders take turns, and each",
        f"measurement is a process of its own. Rounds: {rounds}; the median, and the lowest and highest. Ratios are of",
        f"the same round. The library's file has {figures.text('library')} bytes.",
    )
    parts: list[Callable[[Figures, list[str], Counts], str]]
    parts = [_goals, _columns, _messages, _recordings, _clients, _datasets]
    return "\n".join(["# The compiled decoder\n", made, what, *(each(figures, names, counts) for each in parts)])


def _goals(figures: Figures, names: list[str], counts: Counts) -> str:
    rows = [
        [f"{name}: {goal.name}", goal.limit, goal.text, "yes" if goal.is_reached else "no"]
        for name in names
        for goal in goals(figures, name)
    ]
    return f"## Goals\n\n{table(['', 'goal', 'measured', 'reached'], rows)}"


def _columns(figures: Figures, names: list[str], counts: Counts) -> str:
    text = paragraph(
        f"The first {counts.columns:,} frames of a subscription in encoding `columns`, decompressed, decoded in order;",
        "then columns of the units as arrays, with the units' section. Microseconds a frame.",
    )
    rows = [
        [f"{name}, {what}", *_both(figures, name, "columns", read)] for name in names for read, what in _COLUMNS.items()
    ]
    return f"## Single frames in `columns`\n\n{text}\n{table(['', 'compiled', 'NumPy', 'NumPy / compiled'], rows)}"


def _messages(figures: Figures, names: list[str], counts: Counts) -> str:
    text = paragraph(
        f"The first {counts.messages:,} serialized observations. Microseconds a frame, and times of *compiled, all 42",
        "columns*. The six are x, y, health, tag, unit_type and alliance. python-sc2 does not compute the distances",
        "between units here, and gets a small grid of creep where it cannot read the frame's.",
    )
    rows = [
        [
            f"{name}, {what}",
            figures.text(name, "protobuf", way),
            figures.ratio((name, "protobuf", way), _all_of(name)),
        ]
        for name in names
        for way, what in WAYS.items()
    ]
    return f"## Single frames in protobuf\n\n{text}\n{table(['', 'µs', 'beside compiled'], rows)}"


def _all_of(name: str) -> tuple[str, ...]:
    """The key of what other ways to read messages are compared with."""
    return (name, "protobuf", "compiled all")


def _recordings(figures: Figures, names: list[str], counts: Counts) -> str:
    text = paragraph(
        "`abathur.open(path).frames()` with the columns x, y, health and unit_type, without the first",
        f"{WARM_FRAMES} frames. Of one core: frames / processor time.",
    )
    rows = [
        [
            f"{name}, {form}, {NAMES[decoder]}",
            *(figures.text(name, "recording", form, decoder, what) for what in ("per_core", "clock", "cpu")),
        ]
        for name, form, decoder in product(names, _FORMS, DECODERS)
    ]
    head = ["recording, decoder", "frames/s of one core", "frames/s by the clock", "µs a frame"]
    return f"## Recordings\n\n{text}\n{table(head, rows)}"


def _clients(figures: Figures, names: list[str], counts: Counts) -> str:
    text = paragraph(
        "A daemon plays the full recording to one reader (`every`) on the same machine: at full speed, or at a pace at",
        "which the reader waits before each frame. Processor time of the reader in µs a frame, over",
        f"{counts.client:,} frames, with receiving. *Nothing*: frames are taken, and none of",
        "their units is read; of a frame in columns the units' section is decoded even then.",
    )
    cells = [("compiled", "nothing"), *product(DECODERS, ("four", "all"))]
    cells.sort(key=lambda cell: READS.index(cell[1]))
    rows = [
        [
            f"{name}, {encoding}, {PACES[pace]}, {scheme}, {api}",
            *(figures.text(name, "client", pace, scheme, api, encoding, *cell) for cell in cells),
        ]
        for name, encoding, pace, scheme, api in product(names, ENCODINGS, PACES, SCHEMES, APIS)
    ]
    head = ["", "nothing", *(f"{read}, {decoder}" for read, decoder in product(("four", "all 42"), NAMES.values()))]
    return f"## From a daemon\n\n{text}\n{table(head, rows)}"


def _datasets(figures: Figures, names: list[str], counts: Counts) -> str:
    text = paragraph(
        "`abathur dataset build --workers 1`, with the start of all processes. Processor time is that of all of them.",
    )
    rows = [
        [
            f"{name}, {form}, `--every {every}`",
            *(
                figures.text(name, "dataset", form, every, decoder, what)
                for what in ("rate", "cpu")
                for decoder in DECODERS
            ),
        ]
        for name, form, every in product(names, _FORMS, EVERY)
    ]
    head = ["", "rows/s, compiled", "rows/s, NumPy", "µs a row, compiled", "µs a row, NumPy"]
    return f"## Datasets\n\n{text}\n{table(head, rows)}"


def _both(figures: Figures, name: str, question: str, read: str) -> list[str]:
    keys = [(name, question, decoder, read) for decoder in DECODERS]
    compiled, plain = keys
    return [*(figures.text(*key) for key in keys), figures.ratio(plain, compiled)]
