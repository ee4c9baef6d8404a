"""Generated files are what their generators make."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

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
