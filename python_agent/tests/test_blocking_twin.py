"""The blocking API says what the asynchronous one says: it is generated from it."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import abathur
import pytest

TOOL = Path(__file__).resolve().parents[1] / "tools" / "make_blocking.py"


def test_the_generated_file_is_what_the_tool_makes_of_its_source() -> None:
    done = subprocess.run([sys.executable, str(TOOL), "--check"], capture_output=True, text=True)
    assert done.returncode == 0, f"run `dotnet make.cs protos`\n{done.stderr}"


@pytest.mark.parametrize("name", sorted(each for each in vars(abathur.Game) if not each.startswith("_")))
def test_each_method_has_a_twin_with_the_same_parameters(name: str) -> None:
    method, twin = getattr(abathur.Game, name), getattr(abathur.BlockingGame, name)
    assert inspect.signature(method).parameters == inspect.signature(twin).parameters
    assert not inspect.iscoroutinefunction(twin)
    assert "await" not in inspect.getsource(twin)


async def test_an_option_that_does_not_exist_is_named() -> None:
    with pytest.raises(TypeError, match="unknown option 'policies'; known: policy, encoding, "):
        next(abathur.connect_blocking("127.0.0.1:1").frames(policies="every"))  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unknown option 'policies'"):
        await anext(abathur.connect("127.0.0.1:1").frames(policies="every"))  # type: ignore[call-arg]
