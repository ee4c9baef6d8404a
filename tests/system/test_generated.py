"""Generated files are what their generators make."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from grpc_tools import protoc
from programs import ROOT

PROTOS = ROOT / "protos"


def export_tool():  # type: ignore[no-untyped-def]
    spec = importlib.util.spec_from_file_location("export", PROTOS / "export_s2clientprotocol.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_notices_name_the_packages_of_the_daemon(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "python_agent" / "packaging" / "notices.py", tmp_path / "new"], check=True)
    committed = (ROOT / "Abathur.Sync" / "NOTICES.txt").read_text(encoding="utf-8")
    assert (tmp_path / "new").read_text(encoding="utf-8") == committed
    assert {"Google.Protobuf", "Grpc.AspNetCore.Server", "Spectre.Console"} <= set(committed.split("\n"))


def test_s2clientprotocol_files_are_what_the_tool_writes() -> None:
    tool = export_tool()
    descriptors = tool.descriptors()
    assert len(descriptors) == 10
    for name, file in descriptors.items():
        assert (PROTOS / name).read_text(encoding="utf-8") == tool.to_source(file), name


def test_s2clientprotocol_files_compile_to_the_packages_descriptors(tmp_path: Path) -> None:
    output = tmp_path / "set.binpb"
    arguments = ["protoc", f"-I{PROTOS}", "--include_imports", f"-o{output}", "s2clientprotocol/sc2api.proto"]
    assert protoc.main(arguments) == 0
    compiled = FileDescriptorSet.FromString(output.read_bytes())
    expected = export_tool().descriptors()
    assert {file.name for file in compiled.file} == set(expected)
    for file in compiled.file:
        for each in (file, expected[file.name]):
            forget_json_names(each.message_type)
        assert file == expected[file.name], file.name


def forget_json_names(messages) -> None:  # type: ignore[no-untyped-def]
    """protoc fills them in; generated modules leave them out."""
    for message in messages:
        for field in message.field:
            field.ClearField("json_name")
        forget_json_names(message.nested_type)


def test_python_modules_are_what_protoc_generates(tmp_path: Path) -> None:
    subprocess.run([sys.executable, ROOT / "python_agent" / "tools" / "make_protos.py", tmp_path], check=True)
    for name in ("sync_pb2.py", "sync_pb2.pyi"):
        generated = (tmp_path / "abathur" / "sync" / "v1" / name).read_text(encoding="utf-8")
        committed = (ROOT / "python_agent" / "abathur" / "sync" / "v1" / name).read_text(encoding="utf-8")
        assert committed == generated, f"{name}: run `dotnet make.cs protos`"


def make_names(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, folder / "make_names.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_names_of_the_dashboard_are_made_from_the_tables() -> None:
    done = make_names(ROOT / "gamedata", "--check")
    assert done.returncode == 0, f"run `dotnet make.cs gamedata` {done.stderr}"


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("units\tSpawningPuddle\tPuddle", "gamedata has no units SpawningPuddle"),
        ("upgrades\tZergGroundArmorsLevel9\tCarapace", "gamedata has no upgrades ZergGroundArmorsLevel9"),
        ("units\tSpawningPool\tSpawning Pool", "SpawningPool needs no row: a rule gives Spawning Pool"),
        ("units\tRoach\tZergling", "units 105, 110 are all Zergling"),
        ("upgrades\tBurrow\tCharge", "upgrades 64, 86 are all Charge"),
        ("units\tThorAP\tThor", "ThorAP is there twice"),
    ],
)
def test_rows_that_cannot_be_meant_are_errors(tmp_path: Path, row: str, complaint: str) -> None:
    folder = tmp_path / "gamedata"
    shutil.copytree(ROOT / "gamedata", folder)
    with (folder / "shown_names.tsv").open("a", encoding="utf-8") as file:
        file.write(f"{row}\n")
    done = make_names(folder, "--check")
    assert done.returncode == 1 and complaint in done.stderr, done.stderr
