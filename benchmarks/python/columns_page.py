"""The page of `dotnet make.cs bench columns`."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import pages
from figures import Figure, Figures, ratio, table
from pages import Ratio, figure_table, made, section

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
    made: list[Goal] = []

    def figure(*key: str | int) -> Figure | None:
        return figures.find(name, *key)

    def add(what: str, found: Figure | None, limit: float, unit: str, *, is_most: bool) -> None:
        if found is not None:
            words = f"{'at most' if is_most else 'at least'} {limit:,g}{unit}"
            is_reached = found.median <= limit if is_most else found.median >= limit
            made.append(Goal(what, words, f"{found.text()}{unit}", is_reached))

    def add_times(what: str, above: Figure | None, below: Figure | None, limit: float, *, is_most: bool) -> None:
        if above is not None and below is not None and len(above.rounds) == len(below.rounds):
            add(what, ratio(above, below), limit, " times", is_most=is_most)

    for read in ("nothing", "all"):
        numpy, compiled = (figure("columns", decoder, read) for decoder in ("numpy", "compiled"))
        add_times(f"`columns`, {_COLUMNS[read]}: NumPy / compiled", numpy, compiled, 8, is_most=False)
    compiled, size = figure("protobuf", "compiled all"), figure("message")
    if size is not None and size.median <= _SMALL_KB:
        add("protobuf, all columns", compiled, 50, " µs", is_most=True)
    parser = figure("protobuf", "parse")
    add_times("protobuf, all columns / protobuf's parser", compiled, parser, 1, is_most=True)
    for form, rate in (("compact", 12_000), ("full", 10_000)):
        found = figure("recording", form, "compiled", "per_core")
        add(f"frames of a {form} recording, of one core", found, rate, " frames/s", is_most=False)
    for pace, encoding, read in product(PACES, ENCODINGS, ("four", "all")):
        found = figure("client", pace, "socket", "blocking", encoding, "compiled", read)
        what = f"socket, `{encoding}`, {PACES[pace]}, to {_COLUMNS[read]}: processor time"
        add(what, found, 150, " µs", is_most=True)
    return made


def page(figures: Figures, names: list[str], counts: Counts, rounds: int) -> str:
    """The README of the results."""
    sizes = " and ".join(f"`{name}` ({figures.text(name, 'message')} KB a frame in protobuf)" for name in names)
    reached = [
        [f"{name}: {goal.name}", goal.limit, goal.text, "yes" if goal.is_reached else "no"]
        for name in names
        for goal in goals(figures, name)
    ]
    return pages.page(
        "The compiled decoder",
        made("columns"),
        f"{counts.recorded:,} frames of each match: {sizes}. `elite` is generated; the other, if there is one, was "
        "rebuilt from a replay of a real game. *Compiled* is the library; *NumPy* is the package without it, where "
        "protobuf's parser reads messages. Times are processor time of the process. Decoders take turns, and each "
        f"measurement is a process of its own. Rounds: {rounds}; the median, and the lowest and highest. Ratios are "
        f"of the same round. The library's file has {figures.text('library')} bytes.",
        section("Goals", table(["", "goal", "measured", "reached"], reached)),
        section(
            "Single frames in `columns`",
            f"The first {counts.columns:,} frames of a subscription in encoding `columns`, decompressed, decoded in "
            "order; then columns of the units as arrays, with the units' section. Microseconds a frame.",
            figure_table(
                figures,
                "",
                {f"{name}, {what}": (name, "columns", ..., read) for name in names for read, what in _COLUMNS.items()},
                {"compiled": "compiled", "NumPy": "numpy", "NumPy / compiled": Ratio("numpy", "compiled")},
            ),
        ),
        section(
            "Single frames in protobuf",
            f"The first {counts.messages:,} serialized observations. Microseconds a frame, and times of *compiled, "
            "all 42 columns*. The six are x, y, health, tag, unit_type and alliance. python-sc2 does not compute "
            "the distances between units here, and gets a small grid of creep where it cannot read the frame's.",
            figure_table(
                figures,
                "",
                {f"{name}, {what}": (name, "protobuf", way) for name in names for way, what in WAYS.items()},
                {
                    "µs": (),
                    "beside compiled": lambda row: pages.ratio(figures, row, (*row[:2], "compiled all")),
                },
            ),
        ),
        section(
            "Recordings",
            "`abathur.open(path).frames()` with the columns x, y, health and unit_type, without the first "
            f"{WARM_FRAMES} frames. Of one core: frames / processor time.",
            figure_table(
                figures,
                "recording, decoder",
                {
                    f"{name}, {form}, {NAMES[decoder]}": (name, "recording", form, decoder)
                    for name, form, decoder in product(names, _FORMS, DECODERS)
                },
                {"frames/s of one core": "per_core", "frames/s by the clock": "clock", "µs a frame": "cpu"},
            ),
        ),
        section(
            "From a daemon",
            "A daemon plays the full recording to one reader (`every`) on the same machine: at full speed, or at a "
            "pace at which the reader waits before each frame. Processor time of the reader in µs a frame, over "
            f"{counts.client:,} frames, with receiving. *Nothing*: frames are taken, and none of their units is "
            "read; of a frame in columns the units' section is decoded even then.",
            figure_table(
                figures,
                "",
                {
                    f"{name}, {encoding}, {PACES[pace]}, {scheme}, {api}": (name, "client", pace, scheme, api, encoding)
                    for name, encoding, pace, scheme, api in product(names, ENCODINGS, PACES, SCHEMES, APIS)
                },
                {
                    "nothing": ("compiled", "nothing"),
                    **{
                        f"{'all 42' if read == 'all' else read}, {NAMES[decoder]}": (decoder, read)
                        for read, decoder in product(("four", "all"), DECODERS)
                    },
                },
            ),
        ),
        section(
            "Datasets",
            "`abathur dataset build --workers 1`, with the start of all processes. Processor time is that of all of "
            "them.",
            figure_table(
                figures,
                "",
                {
                    f"{name}, {form}, `--every {every}`": (name, "dataset", form, every)
                    for name, form, every in product(names, _FORMS, EVERY)
                },
                {
                    f"{unit}, {NAMES[decoder]}": (decoder, what)
                    for (what, unit), decoder in product({"rate": "rows/s", "cpu": "µs a row"}.items(), DECODERS)
                },
            ),
        ),
    )
