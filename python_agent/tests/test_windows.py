"""The build for Windows, run by Wine: it plays to agents, records, recovers, and does without libzstd."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import abathur
import pytest
from programs import PATIENCE, ROOT, SKIRMISH

MINUTES = 600
WINE = shutil.which("wine64") or next((path for path in ("/usr/lib/wine/wine64",) if Path(path).exists()), None)
pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="on Windows itself all other tests run it"),
    pytest.mark.skipif(WINE is None, reason="needs Wine (Debian: apt-get install wine64)"),
    pytest.mark.timeout(MINUTES),
]


class Windows:
    """A Windows program on this machine."""

    def __init__(self, program: Path, prefix: Path) -> None:
        assert WINE is not None
        self._command = [WINE, str(program)]
        # Wine cannot map memory twice, as .NET does to keep code from being written to.
        own = {"WINEPREFIX": str(prefix), "WINEDEBUG": "-all", "DISPLAY": "", "DOTNET_EnableWriteXorExecute": "0"}
        self._environment = {**os.environ, **own}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*self._command, *arguments]
        return subprocess.run(
            command, env=self._environment, capture_output=True, text=True, timeout=PATIENCE * 2, check=False
        )

    def start(self, *arguments: str) -> tuple[subprocess.Popen[str], dict[str, str]]:
        """A daemon and its addresses."""
        process = subprocess.Popen(
            [*self._command, *arguments, "--grpc-port", "0", "--socket-port", "0", "--stop-with-parent"],
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None and process.stderr is not None
        ready = process.stdout.readline().split()
        assert ready[:1] == ["ready"], process.stderr.read()
        return process, dict(item.split("=") for item in ready[1:])


def path(file: Path) -> str:
    """How a Windows program sees a file of this machine."""
    return "Z:" + str(file).replace("/", "\\")


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windows]:
    folder = tmp_path_factory.mktemp("windows")
    publish = ["dotnet", "publish", "Abathur.Sync", "-c", "Release", "-r", "win-x64", "--self-contained", "-v", "quiet"]
    subprocess.run(
        [*publish, "--nologo", "-p:RunAnalyzers=false", "-o", str(folder / "program")],
        cwd=ROOT, check=True, timeout=MINUTES, capture_output=True,
    )  # fmt: skip
    made = Windows(folder / "program" / "abathur-sync.exe", folder / "prefix")
    # The first program makes the prefix as well.
    made.run("--version")
    yield made
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def recording(windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("made") / "plain.mcap"
    done = windows.run("synth", "--steps", "150", "-o", path(file))
    assert done.returncode == 0, done.stderr
    return file


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Close its input, as the end of its parent would."""
    _, said = process.communicate(timeout=PATIENCE)
    return process.returncode, said


def test_without_libzstd_it_says_so_where_it_is_needed_and_does_without_elsewhere(
    windows: Windows, recording: Path
) -> None:
    done = windows.run("info", path(SKIRMISH))
    assert done.returncode == 1
    assert done.stderr.startswith("abathur-sync: libzstd is not installed: install it (")
    assert "Windows: put libzstd.dll" in done.stderr
    shown = windows.run("info", path(recording))
    assert shown.returncode == 0
    assert "none" in next(line for line in shown.stdout.splitlines() if line.startswith("chunks"))


@pytest.mark.parametrize("transport", ["grpc", "socket"])
def test_it_plays_to_an_agent(windows: Windows, recording: Path, transport: str) -> None:
    with abathur.open(recording) as match:
        expected = [frame.response for frame in match.frames()]
    process, addresses = windows.start("play", path(recording), "--rate", "unlimited", "--wait-agents", "1")
    with abathur.connect_blocking(f"{transport}://{addresses[transport]}") as game:
        frames = list(game.frames(policy="every", encoding="proto"))
    assert [frame.response for frame in frames] == expected
    assert sum(frame.dropped for frame in frames) == 0
    code, said = end(process)
    assert (code, said) == (0, "")


def test_streams_and_refused_compression(windows: Windows, recording: Path) -> None:
    with abathur.open(recording) as match:
        expected = [frame.response for frame in match.frames()]
    process, addresses = windows.start("play", path(recording), "--rate", "unlimited", "--wait-agents", "1")
    with abathur.connect_blocking(addresses["grpc"]) as game:
        with pytest.raises(abathur.RequestError, match="libzstd"):
            next(iter(game.frames(compression="zstd-stream")))
        frames = game.frames(policy="every", encoding="columns", compression="br-stream")
        assert [frame.to_observation() for frame in frames] == expected
    assert end(process)[0] == 0


def test_what_a_killed_recorder_left_is_recovered(windows: Windows, recording: Path, tmp_path: Path) -> None:
    file, whole = tmp_path / "match.mcap", tmp_path / "whole.mcap"
    process, addresses = windows.start("serve", "-o", path(file), "--chunk-size", "1000000")
    with abathur.open(recording) as match:
        observations = [frame.response.SerializeToString() for frame in match.frames()]
    with abathur.connect_blocking(addresses["grpc"]) as game:
        bot = abathur.publisher_blocking(f"socket://{addresses['socket']}", map_name="X")
        with pytest.raises(abathur.AbathurError), bot:
            for number, observation in enumerate(observations * 10):
                bot.publish(observation)
                if number == 120:
                    while game.status().recording.frames < 100:
                        pass
                    process.kill()
    process.communicate(timeout=PATIENCE)
    (left,) = tmp_path.glob("*.mcap*")
    done = windows.run("recover", path(left), "-o", path(whole))
    assert done.returncode == 0, done.stderr
    from mcap.reader import make_reader

    with whole.open("rb") as stream:
        messages = [message.data for _, _, message in make_reader(stream).iter_messages(topics=["/observation"])]
    assert len(messages) > 50
    assert messages == observations[: len(messages)]


def test_paths_and_words_of_windows(windows: Windows, tmp_path: Path) -> None:
    missing = windows.run("play", r"Z:\nowhere\at\all.mcap")
    assert (missing.returncode, missing.stderr.count("\n")) == (3, 1)
    assert r"there is no file Z:\nowhere\at\all.mcap" in missing.stderr
    folder = windows.run("play", path(tmp_path))
    assert folder.returncode == 3 and "is a folder" in folder.stderr
