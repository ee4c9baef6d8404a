"""The build for Windows, run by Wine: it plays to agents, records, recovers, and does without libzstd."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import abathur
import pytest
from programs import ACT, FREE_PORTS, ROOT, SKIRMISH, TIMEOUT, WATCH, pause, pip_settings, token_options
from test_columns import ordered

MINUTES = 600
WINE = shutil.which("wine64") or next((path for path in ("/usr/lib/wine/wine64",) if Path(path).exists()), None)
pytestmark = [
    pytest.mark.wine,
    pytest.mark.skipif(sys.platform != "linux", reason="on Windows itself all other tests run it"),
    pytest.mark.skipif(WINE is None, reason="needs Wine (Debian: apt-get install wine64)"),
    pytest.mark.timeout(MINUTES),
]


class Windows:
    """A Windows program on this machine."""

    def __init__(self, program: Path, prefix: Path) -> None:
        assert WINE is not None
        self._command = [WINE, str(program)]
        self._libzstd = program.with_name("libzstd.dll")
        # Wine cannot map memory twice, as .NET does to keep code from being written to.
        own = {"WINEPREFIX": str(prefix), "WINEDEBUG": "-all", "DISPLAY": "", "DOTNET_EnableWriteXorExecute": "0"}
        self._environment = {**os.environ, **own}

    @contextlib.contextmanager
    def without_libzstd(self) -> Iterator[None]:
        """Take away the library that comes with the program."""
        aside = self._libzstd.rename(self._libzstd.with_suffix(".aside"))
        try:
            yield
        finally:
            aside.rename(self._libzstd)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [*self._command, *arguments]
        return subprocess.run(
            command, env=self._environment, capture_output=True, text=True, timeout=TIMEOUT * 2, check=False
        )

    @contextlib.contextmanager
    def daemon(
        self, *arguments: str, code: int = 0, told: list[str] | None = None
    ) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
        """A daemon and its addresses. In the end its input is closed, as its parent's end would; it must end well.

        Args:
            code: What it is to end with, unless it is killed.
            told: Takes the lines of its standard error; without it there must be none.
        """
        with subprocess.Popen(
            [*self._command, *arguments, *FREE_PORTS, "--stop-with-parent"],
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            try:
                assert process.stdout is not None and process.stderr is not None
                ready = process.stdout.readline().split()
                assert ready[:1] == ["ready"], process.stderr.read()
                yield process, dict(item.split("=") for item in ready[1:])
                _, said = process.communicate(timeout=TIMEOUT)
                if told is not None:
                    told += said.splitlines()
                    said = ""
                assert process.returncode == -signal.SIGKILL or (process.returncode, said) == (code, "")
            finally:
                process.kill()


def path(file: Path) -> str:
    """How a Windows program sees a file of this machine."""
    return "Z:" + str(file).replace("/", "\\")


@pytest.fixture(scope="module")
def windows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Windows]:
    """The daemon of the wheel for Windows."""
    folder = tmp_path_factory.mktemp("windows")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder)],
        cwd=ROOT, check=True, timeout=MINUTES, capture_output=True,
        env={**os.environ, **pip_settings(), "ABATHUR_WHEEL": "win-x64"},
    )  # fmt: skip
    (wheel,) = folder.glob("*-py3-none-win_amd64.whl")
    assert wheel.stat().st_size < 45e6
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    made = Windows(folder / "abathur" / "_daemon" / "abathur-sync.exe", folder / "prefix")
    # The first program makes the prefix as well.
    made.run("--version")
    yield made
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def recording(windows: Windows, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("made") / "match.mcap"
    done = windows.run("synth", "--steps", "150", "-o", path(file))
    assert done.returncode == 0, done.stderr
    return file


def test_without_libzstd_it_says_so_where_it_is_needed_and_does_without_elsewhere(
    windows: Windows, tmp_path: Path
) -> None:
    plain = tmp_path / "plain.mcap"
    with windows.without_libzstd():
        refused = windows.run("info", path(SKIRMISH))
        assert windows.run("synth", "--steps", "20", "-o", path(plain)).returncode == 0
        with (
            windows.daemon("play", path(plain)) as (_, addresses),
            abathur.connect_blocking(addresses["grpc"]) as game,
            pytest.raises(abathur.RequestError, match="libzstd"),
        ):
            next(iter(game.frames(compression="zstd-stream")))
    assert refused.returncode == 1
    assert refused.stderr.startswith("abathur-sync: libzstd is not installed: install it (")
    assert "Windows: put libzstd.dll" in refused.stderr
    shown = windows.run("info", path(plain))
    assert shown.returncode == 0
    assert "none" in next(line for line in shown.stdout.splitlines() if line.startswith("chunks"))


@pytest.mark.parametrize("transport", ["grpc", "socket"])
def test_it_plays_to_an_agent(windows: Windows, recording: Path, transport: str) -> None:
    with abathur.open(recording) as match:
        expected = [frame.response for frame in match.frames()]
    with windows.daemon("play", path(recording), "--rate", "unlimited", "--wait-agents", "1") as (_, addresses):
        with abathur.connect_blocking(f"{transport}://{addresses[transport]}") as game:
            frames = list(game.frames(policy="every", encoding="proto"))
        assert [frame.response for frame in frames] == expected
        assert sum(frame.dropped for frame in frames) == 0


@pytest.mark.parametrize("compression", ["br-stream", "zstd-stream"])
def test_it_compresses_streams(
    windows: Windows, recording: Path, compression: Literal["br-stream", "zstd-stream"]
) -> None:
    with abathur.open(recording) as match:
        expected = [ordered(frame.response) for frame in match.frames()]
    arguments = ("play", path(recording), "--rate", "unlimited", "--wait-agents", "1")
    with windows.daemon(*arguments) as (_, addresses), abathur.connect_blocking(addresses["grpc"]) as game:
        frames = game.frames(policy="every", encoding="columns", compression=compression)
        assert [ordered(frame.to_observation()) for frame in frames] == expected


def test_what_a_killed_recorder_left_is_recovered(windows: Windows, recording: Path, tmp_path: Path) -> None:
    file, whole = tmp_path / "match.mcap", tmp_path / "whole.mcap"
    with abathur.open(recording) as match:
        observations = [frame.response.SerializeToString() for frame in match.frames()]
    arguments = ("serve", "--once", "-o", path(file), "--chunk-size", "1000000")
    with windows.daemon(*arguments) as (process, addresses), abathur.connect_blocking(addresses["grpc"]) as game:
        bot = abathur.publisher_blocking(f"socket://{addresses['socket']}", map_name="X")
        with pytest.raises(abathur.AbathurError), bot:
            for observation in observations:
                bot.publish(observation)
            while game.status().recording.frames < len(observations):
                pause()
            process.kill()
            while True:
                bot.publish(observations[-1])
    (left,) = tmp_path.glob("*.mcap*")
    done = windows.run("recover", path(left), "-o", path(whole))
    assert done.returncode == 0, done.stderr
    from mcap.reader import make_reader

    with whole.open("rb") as stream:
        messages = [message.data for _, _, message in make_reader(stream).iter_messages(topics=["/observation"])]
    assert len(messages) > len(observations) / 2
    assert messages == observations[: len(messages)]


def test_nothing_that_is_in_the_way_of_a_recording_is_lost(windows: Windows, recording: Path, tmp_path: Path) -> None:
    file, part = tmp_path / "match.mcap", tmp_path / "match.mcap.part"
    part.write_bytes(recording.read_bytes())
    with abathur.open(recording) as match:
        observations = [frame.response.SerializeToString() for frame in match.frames()]
    told: list[str] = []
    with windows.daemon("serve", "--once", "-o", path(file), code=1, told=told) as (_, addresses):
        assert (tmp_path / "match.mcap.killed-1.part").read_bytes() == recording.read_bytes()
        for force in ([], ["--force"]):
            second = windows.run("serve", *FREE_PORTS, "-o", path(file), *force)
            assert second.returncode == 3
            assert f"{path(part)} is being written by another process" in second.stderr
        with abathur.publisher_blocking(f"socket://{addresses['socket']}", map_name="X") as bot:
            for observation in observations:
                bot.publish(observation)
            file.write_bytes(b"precious")
    assert f"recover {path(tmp_path / 'match.mcap.killed-1.part')} -o " in told[0]
    assert any("was created by another program meanwhile and was not replaced" in line for line in told), told
    assert file.read_bytes() == b"precious" and not part.exists()
    with abathur.open(tmp_path / "match-1.mcap") as match:
        assert [frame.response.SerializeToString() for frame in match.frames()] == observations


def test_watchers_see_the_match_later(windows: Windows, recording: Path, tmp_path: Path) -> None:
    with abathur.open(recording) as match:
        observations = [frame.response for frame in match.frames()][:60]
    expected = [ordered(each) for each in observations]
    sent: list[float] = []
    # The end of the match waits as long as a frame.
    with windows.daemon("serve", "--once", *token_options(tmp_path, path), "--delay", "2s", told=[]) as (_, addresses):
        watcher = abathur.connect_blocking(addresses["grpc"], token=WATCH)
        with watcher, abathur.publisher_blocking(addresses["grpc"], token=ACT, map_name="X") as bot:
            for observation in observations:
                sent.append(time.monotonic())
                bot.publish(observation)
            with abathur.connect_blocking(addresses["grpc"], token=ACT) as agent:
                early = agent.frames(policy="every", start="oldest", max_frames=len(observations))
                assert [ordered(frame.response) for frame in early] == expected
            seen = []
            for frame in watcher.frames(policy="every", start="oldest", max_frames=len(observations)):
                assert time.monotonic() - sent[len(seen)] >= 2
                assert frame.timing.published - frame.timing.captured >= 2e9
                seen.append(ordered(frame.response))
            assert watcher.status().delay.seconds == 2
    assert seen == expected


def test_paths_and_words_of_windows(windows: Windows, tmp_path: Path) -> None:
    missing = windows.run("play", r"Z:\nowhere\at\all.mcap")
    assert (missing.returncode, missing.stderr.count("\n")) == (3, 1)
    assert r"there is no file Z:\nowhere\at\all.mcap" in missing.stderr
    folder = windows.run("play", path(tmp_path))
    assert folder.returncode == 3 and "is a folder" in folder.stderr
