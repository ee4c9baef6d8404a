"""The first command of the README, and what builds use of what others have built."""

from __future__ import annotations

import pytest
from programs import run_with_children


@pytest.mark.timeout(900)
def test_the_demo_shows_two_agents() -> None:
    done = run_with_children(["dotnet", "make.cs", "demo", "--seconds", "2"], timeout=800)
    assert done.returncode == 0, done.stderr
    assert "grpc proto" in done.stdout and "socket proto" in done.stdout
