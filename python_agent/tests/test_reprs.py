"""Public objects say what they are, in a terminal and in a notebook."""

from __future__ import annotations

import inspect
from html.parser import HTMLParser
from pathlib import Path

import abathur
import pytest
from abathur import columns
from google.protobuf.message import Message
from programs import SKIRMISH
from s2clientprotocol import raw_pb2, sc2api_pb2
from test_events import record

PUBLIC = {
    name: value
    for module in (abathur, abathur.drawing, abathur.events, abathur.dataset, columns)
    for name in getattr(module, "__all__", ())
    if inspect.isclass(value := getattr(module, name))
}


#: The base class of events, which are dataclasses.
del PUBLIC["Event"]


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_no_public_class_has_the_default_repr(name: str) -> None:
    kind = PUBLIC[name]
    assert kind.__repr__ is not object.__repr__ or issubclass(kind, Message)


class Cells(HTMLParser):
    """The texts in a table, and its elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.elements: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.elements.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_units_are_a_table_of_twenty_rows_in_a_notebook() -> None:
    units = abathur.Units.from_proto([raw_pb2.Unit(tag=each, unit_type=48, alliance=1) for each in range(1, 31)])
    shown = Cells(units._repr_html_())
    assert shown.texts[0] == "30 units" and shown.texts[-1] == "and 10 more"
    assert shown.elements.count("tr") == 21
    assert shown.texts[7:13] == ["MARINE", "self", "0.0", "0.0", "0", "1"]
    assert Cells(units[:1]._repr_html_()).texts[0] == "1 unit"


def test_frames_and_recordings_are_tables_in_a_notebook() -> None:
    with abathur.open(SKIRMISH) as match:
        shown = Cells(match._repr_html_()).texts
        frame = match[300]
    assert shown[:3] == ["skirmish.mcap", "map", "Synthetic LE"]
    assert shown[shown.index("player 1") + 1] == "Synthetic Zerg, Zerg, victory"
    assert shown[shown.index("game time of the last frame") + 1] == "7:39"
    texts = Cells(frame._repr_html_()).texts
    assert texts[:5] == ["Frame 301", "game loop", "9260", "game time", "6:53"]
    assert int(texts[texts.index("self units") + 1]) == (frame.units.alliance == 1).sum()
    assert repr(frame.grids).startswith("<Grids: visibility (")


def test_foreign_text_is_escaped(tmp_path: Path) -> None:
    """Names of players come from others, and a notebook runs scripts."""
    info = sc2api_pb2.ResponseGameInfo(map_name="<b>Map</b>")
    info.player_info.add(player_id=1, type=1, player_name="<script>alert(1)</script>\x1b[2J")
    with abathur.open(SKIRMISH) as match:
        observations = [match[0].response]
    with abathur.open(record(tmp_path, observations, info=info)) as match:
        html = match._repr_html_()
    assert set(Cells(html).elements) == {"table", "caption", "tbody", "tr", "th", "td"}
    assert "&lt;script&gt;" in html and "\\x1b" in html


def test_a_damaged_recording_is_shown(tmp_path: Path) -> None:
    """A notebook shows its value after each cell, also of one that has just failed."""
    damaged = tmp_path / "damaged.mcap"
    data = bytearray(SKIRMISH.read_bytes())
    data[len(data) // 3 : len(data) // 3 + 2000] = bytes(2000)
    damaged.write_bytes(data)
    with abathur.open(damaged) as match:
        assert "damaged.mcap" in match._repr_html_() and "damaged.mcap" in repr(match)
