"""`abathur dataset build`: the rows are those of the recordings, for any recording, and read in parts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import abathur
import numpy as np
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest
from abathur import dataset
from abathur._frame import bytes_units
from abathur._frame.unit_columns import COLUMNS
from abathur.events import Alert, UnitTookDamage, UnitTypeChanged, UpgradeComplete
from datasets import TABLES, contents, parts, rows, synthesize, write_recording
from decoders import needs_library
from hypothesis import given, settings
from hypothesis import strategies as st
from programs import SKIRMISH, runs
from s2clientprotocol import common_pb2, raw_pb2, sc2api_pb2

KEY = "3ad9b6cf9e0d49bd"


@pytest.fixture(scope="module", params=[1, 8])
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The committed recording at each loop, and at every eighth."""
    folder = tmp_path_factory.mktemp("dataset") / "data"
    result = dataset.build(SKIRMISH, folder, every=request.param)
    assert (result.converted, result.kept, result.failures, result.frames) == (1, 0, [], 1344)
    return folder, request.param


def test_units_are_those_of_the_frames(built: tuple[Path, int]) -> None:
    folder, every = built
    table = pq.read_table(parts(folder, "units")[0], partitioning=None)
    with abathur.open(SKIRMISH) as match:
        frames = [(frame.game_loop, frame.units) for frame in match.frames(every=every)]
    expected = {name: np.concatenate([getattr(units, name) for _, units in frames]) for name in COLUMNS}
    loops = np.repeat([loop for loop, _ in frames], [len(units) for _, units in frames])
    # Row groups of 384 samples, in which the rows of a unit are beside each other.
    order = np.lexsort((loops, expected["tag"], loops // (384 * every)))
    assert table.column_names == ["game_loop", *COLUMNS, "name"]
    np.testing.assert_array_equal(table["game_loop"].to_numpy(), loops[order])
    for name, (dtype, _) in COLUMNS.items():
        column = table[name].to_numpy()
        assert column.dtype == np.dtype(dtype), name
        np.testing.assert_array_equal(column, expected[name][order], name)
    names = dict(zip(table["unit_type"].to_pylist(), table["name"].to_pylist(), strict=True))
    assert names[104] == "DRONE" and None not in names.values()


def test_players_events_and_actions_are_those_of_the_frames(built: tuple[Path, int]) -> None:
    folder, every = built
    players: list[dict[str, Any]] = []
    events: list[tuple[Any, ...]] = []
    actions: list[bytes] = []
    with abathur.open(SKIRMISH) as match:
        for frame in match.frames(every=every):
            players.append({"game_loop": frame.game_loop, **numbers(frame.observation)})
            events += [described(frame.game_loop, event) for event in frame.events]
        actions += [each.SerializeToString() for sent in match.action_requests() for each in sent.actions]
    assert rows(folder, "players") == players
    found = rows(folder, "events")
    assert [described_row(row) for row in found] == events
    assert {row["event"] for row in found} >= {"UnitDestroyed", "UnitTookDamage", "UnitCreated"}
    sent = [row for row in rows(folder, "actions") if row["origin"] == "sent"]
    assert [row["action"] for row in sent] == actions
    assert all(row["ability"] and row["unit_tags"] for row in sent if row["kind"] == "unit_command")
    assert {row["kind"] for row in sent} == {"unit_command", "camera_move", "chat"}


def numbers(observation: sc2api_pb2.Observation) -> dict[str, float]:
    """Resources and score, by the protocol's names."""
    player = {
        field.name: getattr(observation.player_common, field.name)
        for field in observation.player_common.DESCRIPTOR.fields
        if field.name != "player_id"
    }
    found: dict[str, float] = {"score_type": observation.score.score_type, "score": observation.score.score}
    for field in observation.score.score_details.DESCRIPTOR.fields:
        value = getattr(observation.score.score_details, field.name)
        if field.message_type is None:
            found[field.name] = value
        else:
            found.update((f"{field.name}_{each.name}", getattr(value, each.name)) for each in field.message_type.fields)
    return {**player, **found}


def described(game_loop: int, event: Any) -> tuple[Any, ...]:
    unit = getattr(event, "unit", None)
    values = None if unit is None else (unit.tag, unit.unit_type, unit.name, unit.owner, unit.x, unit.y, unit.health)
    match event:
        case UnitTookDamage(_, amount):
            more: Any = np.float32(amount)
        case UnitTypeChanged(_, previous):
            more = previous
        case UpgradeComplete(number) | Alert(number):
            more = number
        case _:
            more = None
    return game_loop, type(event).__name__, values, more


def described_row(row: dict[str, Any]) -> tuple[Any, ...]:
    names = ("tag", "unit_type", "name", "owner", "x", "y", "health")
    values = None if row["tag"] is None else tuple(row[name] for name in names)
    given = [row[name] for name in ("amount", "previous_type", "upgrade", "alert") if row[name] is not None]
    return row["game_loop"], row["event"], values, given[0] if given else None


def test_the_match_has_its_players_and_its_recording(built: tuple[Path, int]) -> None:
    folder, every = built
    (row,) = pq.read_table(folder / "matches" / "matches.parquet").to_pylist()
    assert (row["match_id"], row["map_name"], row["source"], row["simulated"]) == (
        "skirmish-7", "Synthetic LE", "synth", True,
    )  # fmt: skip
    assert (row["matchup"], row["winner"], row["first_game_loop"], row["last_game_loop"]) == ("PvZ", 1, 8960, 10303)
    assert row["duration_seconds"] == pytest.approx(10303 / 22.4)
    # The results are in the last observation, which is not an eighth one.
    assert [(each["player_id"], each["race"], each["result"]) for each in row["players"]] == [
        (1, "Zerg", "victory"), (2, "Protoss", "defeat"),
    ]  # fmt: skip
    (recording,) = row["recordings"]
    assert recording["sha256"].startswith(KEY) and recording["files"] == ["skirmish.mcap"]
    assert (recording["frames"], recording["sampled"]) == (1344, 1344 // every + (every > 1))


def test_it_is_found_by_match_and_player(built: tuple[Path, int]) -> None:
    folder, _ = built
    assert parts(folder, "units") == [folder / "units" / "match_id=skirmish-7" / "player_id=1" / f"{KEY}.parquet"]
    found = pads.dataset(folder / "units", partitioning="hive")
    wanted = (pads.field("match_id") == "skirmish-7") & (pads.field("name") == "QUEEN")
    table = found.to_table(filter=wanted, columns=["match_id", "player_id", "game_loop", "health"])
    assert set(table["player_id"].to_pylist()) == {1} and len(table)
    assert found.to_table(filter=pads.field("match_id") == "other").num_rows == 0


@pytest.mark.parametrize("built", [1], indirect=True)
def test_one_loop_range_is_read_without_the_rest(built: tuple[Path, int], tmp_path: Path) -> None:
    folder, _ = built
    whole = parts(folder, "units")[0]
    metadata = pq.read_metadata(whole)
    assert metadata.num_row_groups == 4
    group = metadata.row_group(1)
    loops = group.column(0).statistics
    assert (loops.min // 384, loops.max - loops.min) == (loops.max // 384, 383)
    columns = [group.column(number) for number in range(group.num_columns)]
    starts = [each.dictionary_page_offset or each.data_page_offset for each in columns]
    begin, end = min(starts), max(at + each.total_compressed_size for at, each in zip(starts, columns, strict=True))
    # All other row groups are damaged.
    damaged = bytearray(whole.read_bytes())
    last = metadata.row_group(metadata.num_row_groups - 1).column(0)
    data_end = max(
        (column.dictionary_page_offset or column.data_page_offset) + column.total_compressed_size
        for number in range(metadata.num_row_groups)
        for column in [metadata.row_group(number).column(index) for index in range(group.num_columns)]
    )
    assert last.data_page_offset < data_end < len(damaged)
    damaged[4:begin], damaged[end:data_end] = bytes(begin - 4), bytes(data_end - end)
    copy = tmp_path / "damaged.parquet"
    copy.write_bytes(damaged)
    wanted = (pads.field("game_loop") >= loops.min) & (pads.field("game_loop") <= loops.max)
    read = pads.dataset(copy).to_table(filter=wanted)
    assert read.equals(pads.dataset(whole).to_table(filter=wanted)) and read.num_rows == group.num_rows
    with pytest.raises(OSError):
        pads.dataset(copy).to_table()


def test_types_and_encodings_are_chosen_for_size(built: tuple[Path, int]) -> None:
    folder, _ = built
    group = pq.read_metadata(parts(folder, "units")[0]).row_group(0)
    columns = {group.column(number).path_in_schema: group.column(number) for number in range(group.num_columns)}
    assert {each.compression for each in columns.values()} == {"ZSTD"}
    assert "BYTE_STREAM_SPLIT" in columns["x"].encodings and "DELTA_BINARY_PACKED" in columns["game_loop"].encodings
    assert [name for name, each in columns.items() if each.has_dictionary_page] == ["name"]


@needs_library
def test_the_compiled_decoder_and_the_parser_make_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset.build(SKIRMISH, tmp_path / "compiled")
    monkeypatch.setattr(bytes_units, "_units", None)
    dataset.build(SKIRMISH, tmp_path / "parsed")
    assert contents(tmp_path / "compiled") == contents(tmp_path / "parsed")


def unit() -> st.SearchStrategy[raw_pb2.Unit]:
    small, number = st.integers(1, 4), st.integers(0, 2**31 - 1)
    real = st.floats(width=32, allow_nan=False)
    return st.builds(
        raw_pb2.Unit,
        # Few tags, so that they repeat in a frame and from frame to frame.
        tag=st.one_of(st.integers(1, 6), st.integers(2**62, 2**64 - 1)),
        unit_type=st.sampled_from([104, 126, 59, 830, 4_000_000_000]),
        alliance=small,
        display_type=small,
        owner=st.integers(0, 16),
        pos=st.builds(common_pb2.Point, x=real, y=real, z=real),
        health=st.one_of(st.none(), real),
        build_progress=st.sampled_from([0, 0.5, 1]),
        mineral_contents=st.one_of(st.none(), number),
        is_blip=st.one_of(st.none(), st.booleans()),
    )


def observation(units: list[raw_pb2.Unit], alerts: list[int]) -> bytes:
    response = sc2api_pb2.ResponseObservation()
    response.observation.raw_data.units.extend(units)
    response.observation.alerts.extend(alerts)
    return response.SerializeToString()


@settings(max_examples=runs(12))
@given(
    steps=st.lists(st.tuples(st.sampled_from([0, 0, 1, 1, 7]), st.lists(unit(), max_size=5)), min_size=1, max_size=25),
    every=st.sampled_from([1, 2]),
)
def test_any_recording_has_all_its_rows(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, list[raw_pb2.Unit]]], every: int
) -> None:
    """Repeated game loops, repeated tags, frames without units: from the compiled decoder and from the parser."""
    folder = tmp_path_factory.mktemp("any")
    loop, observations = 1000, []
    for step, units in steps:
        loop += step
        observations.append((loop, observation(units, [3 + len(units) % 3])))
    recording = write_recording(folder / "match.mcap", observations, match_id="any")
    dataset.build(recording, folder / "compiled", every=every, group_loops=8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bytes_units, "_units", None)
        dataset.build(recording, folder / "parsed", every=every, group_loops=8)
    assert contents(folder / "compiled") == contents(folder / "parsed")
    assert dataset.check(folder / "compiled", [recording]) == []
    with abathur.open(recording) as match:
        expected = sorted(
            (frame.game_loop, each.tag, each.unit_type, each.health)
            for frame in match.frames(every=every)
            for each in frame.observation.raw_data.units
        )
    found = rows(folder / "compiled", "units")
    assert sorted((row["game_loop"], row["tag"], row["unit_type"], row["health"]) for row in found) == expected


def test_columns_and_fields_are_chosen(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    fields = "observation.player_common.minerals,observation.raw_data.player.camera"
    dataset.build(SKIRMISH, folder, every=100, columns="health, x", fields=fields)
    assert list(rows(folder, "units")[0]) == ["game_loop", "tag", "x", "health"]
    names = ["minerals", "raw_data_player_camera_x", "raw_data_player_camera_y", "raw_data_player_camera_z"]
    assert list(rows(folder, "players")[0]) == ["game_loop", *names]
    # The same columns in another order are the same dataset.
    again = dataset.build(SKIRMISH, folder, every=100, columns=["x", "health"], fields=fields)
    assert (again.converted, again.kept) == (0, 1)


def test_recordings_of_one_match_are_joined(tmp_path: Path) -> None:
    """Each player knows its own race only, if both chose random."""
    with abathur.open(SKIRMISH) as match:
        observations = [(frame.game_loop, frame.response.SerializeToString()) for frame in match.frames(stop=8980)]
    for player in (1, 2):
        info = sc2api_pb2.ResponseGameInfo(map_name="Somewhere LE")
        for number, race in ((1, 1), (2, 3)):
            known = race if number == player else 0
            info.player_info.add(player_id=number, type=1, race_requested=4, race_actual=known)
        write_recording(
            tmp_path / f"player{player}.mcap", observations, game_info=info,
            match_id="a/b: 7", player_id=str(player), map_name="Somewhere LE",
        )  # fmt: skip
    # The same id, of another map, is another match.
    write_recording(tmp_path / "other.mcap", observations, match_id="a/b: 7", player_id="1", map_name="Elsewhere LE")
    result = dataset.build(tmp_path, tmp_path / "_data")
    assert (result.converted, result.matches) == (3, 2)
    other, joined = pq.read_table(tmp_path / "_data" / "matches" / "matches.parquet").to_pylist()
    assert (other["map_name"], len(other["recordings"])) == ("Elsewhere LE", 1)
    assert (joined["match_id"], joined["matchup"]) == ("a/b: 7", "PvT")
    assert [(each["player_id"], each["race"]) for each in joined["players"]] == [(1, "Terran"), (2, "Protoss")]
    assert [(each["player_id"], each["files"]) for each in joined["recordings"]] == [
        (1, ["player1.mcap"]), (2, ["player2.mcap"]),
    ]  # fmt: skip
    units = pads.dataset(tmp_path / "_data" / "units", partitioning="hive").to_table()
    assert set(units["match_id"].to_pylist()) == {"a/b: 7"} and set(units["player_id"].to_pylist()) == {1, 2}


def test_a_second_build_adds_what_is_new(tmp_path: Path) -> None:
    first, second = synthesize(tmp_path, seeds=(1, 2), steps=50)
    folder = tmp_path / "data"
    dataset.build(first, folder)
    before = contents(folder)
    copy = tmp_path / "copy.mcap"
    copy.write_bytes(first.read_bytes())
    result = dataset.build([tmp_path / "*.mcap"], folder)
    assert (result.converted, result.kept, result.matches) == (1, 2, 2)
    after = contents(folder)
    assert {name for name in before if after[name] != before[name]} == {
        "matches/matches.parquet",
        # The copy's name.
        next(name for name in before if name.startswith("_manifest/")),
    }
    dataset.build([first, second, copy], tmp_path / "at-once")
    assert contents(tmp_path / "at-once") == after


def test_no_table_is_missing_where_there_are_no_rows(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "empty.mcap", [(5, b"")])
    dataset.build(recording, tmp_path / "data")
    assert {table: len(rows(tmp_path / "data", table)) for table in TABLES} == {
        "units": 0, "players": 1, "events": 0, "actions": 0,
    }  # fmt: skip
    (match,) = pq.read_table(tmp_path / "data" / "matches" / "matches.parquet").to_pylist()
    # Without metadata, the recording's content is the id.
    assert match["match_id"] == match["recordings"][0]["sha256"][:16] and match["players"] == []
    assert json.loads((tmp_path / "data" / "_dataset.json").read_text())["format"] == 1
