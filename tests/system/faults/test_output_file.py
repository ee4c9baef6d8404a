"""Nothing that a recording meets on its disk makes it lose a byte, or another file lose one."""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import abathur
import pytest
from programs import FREE_PORTS, SKIRMISH, TIMEOUT, Daemon, Launch, crossed, daemon_command, pause, run_daemon
from publishing import end, publish

needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither SIGKILL nor these file types")
CHUNK_BYTES = 100_000
FRAMES = 120


@pytest.fixture(scope="module")
def observations() -> list[bytes]:
    with abathur.open(SKIRMISH) as match:
        return [frame.response.SerializeToString() for frame, _ in zip(match.frames(), range(FRAMES * 4), strict=False)]


def serve(launch: Launch, file: Path, *arguments: str) -> Daemon:
    return launch("serve", "--once", *FREE_PORTS, "-o", str(file), "--chunk-size", str(CHUNK_BYTES), *arguments)


def connect(daemon: Daemon) -> socket.socket:
    return socket.create_connection(("127.0.0.1", daemon.socket_port))


def record(daemon: Daemon, observations: list[bytes], meanwhile: Callable[[], None] = lambda: None) -> tuple[int, str]:
    """Publish a whole match, doing something in the middle of it: exit code and standard error."""
    with connect(daemon) as bot:
        publish(bot, observations[: len(observations) // 2])
        wait_for_frames(daemon, len(observations) // 2)
        meanwhile()
        publish(bot, observations[len(observations) // 2 :], first=False)
        end(bot)
    _, told = daemon.process.communicate(timeout=TIMEOUT)
    return daemon.process.returncode, told


def wait_for_frames(daemon: Daemon, count: int) -> None:
    with abathur.connect_blocking(daemon.grpc) as game:
        while game.status().recording.frames < count:
            pause()
            assert daemon.process.poll() is None


def kill(daemon: Daemon) -> str:
    """SIGKILL; what the daemon had told until then."""
    daemon.process.send_signal(signal.SIGKILL)
    _, told = daemon.process.communicate(timeout=TIMEOUT)
    assert daemon.process.returncode == -signal.SIGKILL
    return told


def frames_of(file: Path) -> list[bytes]:
    with abathur.open(file) as match:
        return [frame.response.SerializeToString() for frame in match.frames()]


def killed_with(launch: Launch, file: Path, observations: list[bytes]) -> str:
    """A run that is killed when some of its frames have reached the file."""
    part = file.with_name(file.name + ".part")
    daemon = serve(launch, file)
    with connect(daemon) as bot:
        publish(bot, observations)
        wait_for_frames(daemon, len(observations))
        assert part.stat().st_size > 0
        return kill(daemon)


def command_of(told: str) -> str:
    found = re.search("recover it with: (.*)", told)
    assert found is not None, told
    return found[1]


@needs_posix
def test_restarts_after_three_kills_keep_all_and_the_printed_commands_recover_it(
    launch: Launch, tmp_path: Path, observations: list[bytes]
) -> None:
    """What the systemd unit of docs/operations.md does: the same command, again after each SIGKILL."""
    folder = tmp_path / "it's a folder"
    folder.mkdir()
    file = folder / "my match.mcap"
    matches = [observations[FRAMES * i : FRAMES * (i + 1)] for i in range(4)]
    told = [killed_with(launch, file, match) for match in matches[:3]]
    assert told[0] == ""
    code, last = record(serve(launch, file), matches[3])
    assert code == 0, last
    assert frames_of(file) == matches[3]
    assert sorted(each.name for each in folder.glob("*.part")) == [
        f"my match.mcap.killed-{number}.part" for number in (1, 2, 3)
    ]
    for match, line in zip(matches[:3], [*told[1:], last], strict=True):
        command = command_of(line)
        done = subprocess.run(command, shell=True, cwd="/", capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        back = frames_of(Path(shlex.split(command)[-1]))
        assert len(back) > 0 and back == match[: len(back)]


@pytest.mark.parametrize("left_by_killed_run", [False, True])
def test_of_two_daemons_that_start_at_once_one_records_and_one_is_refused(
    tmp_path: Path, observations: list[bytes], left_by_killed_run: bool
) -> None:
    for number in range(10):
        file = tmp_path / f"{number}.mcap"
        part = file.with_name(file.name + ".part")
        if left_by_killed_run:
            part.write_bytes(b"precious")
        command = daemon_command("serve", "--once", *FREE_PORTS, "-o", str(file), "--stop-with-parent")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        both = [subprocess.Popen(command, text=True, **pipes) for _ in range(2)]  # type: ignore[call-overload]
        ready = [each for each in both if each.stdout.readline().startswith("ready")]
        assert len(ready) == 1
        (refused,) = (each for each in both if each is not ready[0])
        _, told = refused.communicate(timeout=TIMEOUT)
        assert refused.returncode == 3
        assert f"{part} is being written by another process: end that process" in told.splitlines()[-1], told
        ready[0].communicate(timeout=TIMEOUT)
        assert ready[0].returncode == 0
        aside = file.with_name(file.name + ".killed-1.part")
        assert aside.exists() == left_by_killed_run
        if left_by_killed_run:
            assert aside.read_bytes() == b"precious"
        assert not part.exists()


def test_a_second_daemon_is_refused_and_the_first_records_on(
    launch: Launch, tmp_path: Path, observations: list[bytes]
) -> None:
    file = tmp_path / "match.mcap"
    part = file.with_name("match.mcap.part")

    def second() -> None:
        for force in ([], ["--force"]):
            done = run_daemon("serve", *FREE_PORTS, "-o", str(file), *force)
            assert done.returncode == 3 and done.stdout == ""
            expected = f"{part} is being written by another process: end that process, or name another output file"
            assert done.stderr == f"abathur-sync: {expected}\n"
        # Readers are let in.
        assert run_daemon("info", str(part)).returncode == 0
        assert part.read_bytes()

    assert record(serve(launch, file), observations, second)[0] == 0
    assert frames_of(file) == observations


@needs_posix
def test_a_reader_of_what_a_killed_run_left_does_not_stop_a_restart(
    launch: Launch, tmp_path: Path, observations: list[bytes]
) -> None:
    file = tmp_path / "match.mcap"
    killed_with(launch, file, observations)
    part = file.with_name("match.mcap.part")
    reading = launch("play", str(part), *FREE_PORTS, "--start-paused")
    code, told = record(serve(launch, file), observations)
    assert code == 0, told
    assert frames_of(file) == observations
    assert reading.stop() == 0


def folder(place: Path, _: Path) -> None:
    place.mkdir()


def pipe(place: Path, _: Path) -> None:
    os.mkfifo(place)


def link(place: Path, victim: Path) -> None:
    place.symlink_to(victim)


def dangling(place: Path, victim: Path) -> None:
    place.symlink_to(victim.with_name("nowhere"))


def unix_socket(place: Path, _: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place))


@needs_posix
@crossed(make=[folder, pipe, link, dangling, unix_socket], command=["serve", "synth", "import", "export", "recover"])
def test_what_is_no_file_at_the_working_name_is_refused_and_no_link_is_followed(
    tmp_path: Path, command: str, make: Callable[[Path, Path], None]
) -> None:
    victim, stream = tmp_path / "victim", tmp_path / "empty.obs"
    victim.write_bytes(b"precious")
    assert run_daemon("export", str(SKIRMISH), "-o", str(stream), "--stop", "8962").returncode == 0
    arguments = {
        "serve": ["serve", *FREE_PORTS],
        "synth": ["synth", "--steps", "2"],
        "import": ["import", str(stream)],
        "export": ["export", str(SKIRMISH)],
        "recover": ["recover", str(SKIRMISH)],
    }[command]
    make(tmp_path / "m.mcap.part", victim)
    before = sorted(tmp_path.iterdir())
    done = run_daemon(*arguments, "-o", str(tmp_path / "m.mcap"))
    assert done.returncode == 3, done.stderr
    assert "m.mcap.part is a" in done.stderr and "remove it, or name another output file" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert victim.read_bytes() == b"precious"
    assert sorted(tmp_path.iterdir()) == before


@needs_posix
def test_names_of_killed_runs_that_are_taken_are_passed_over(
    launch: Launch, tmp_path: Path, observations: list[bytes]
) -> None:
    file, victim = tmp_path / "match.mcap", tmp_path / "victim"
    victim.write_bytes(b"precious")
    for number, make in enumerate((folder, pipe, link, dangling), start=1):
        make(tmp_path / f"match.mcap.killed-{number}.part", victim)
    part = tmp_path / "match.mcap.part"
    part.write_bytes(b"what was there")
    code, told = record(serve(launch, file), observations)
    assert (code, victim.read_bytes()) == (0, b"precious")
    assert (tmp_path / "match.mcap.killed-5.part").read_bytes() == b"what was there"
    # It is no recording: there is no command that recovers it.
    assert f"what it wrote is now {tmp_path / 'match.mcap.killed-5.part'}\n" in told


def write_target(target: Path) -> None:
    target.write_bytes(b"precious")


def link_target(target: Path) -> None:
    target.symlink_to("nowhere")


@pytest.mark.parametrize(
    "make", [write_target, Path.mkdir, pytest.param(link_target, marks=needs_posix, id="dangling link")]
)
def test_a_target_that_appears_meanwhile_stays_and_the_recording_is_beside_it(
    launch: Launch, tmp_path: Path, observations: list[bytes], make: Callable[[Path], None]
) -> None:
    target = tmp_path / "match.mcap"
    (tmp_path / "match-1.mcap").write_bytes(b"precious too")
    code, told = record(serve(launch, target), observations, lambda: make(target))
    saved = tmp_path / "match-2.mcap"
    assert code == 1
    assert (
        f"{target} was created by another program meanwhile and was not replaced: the complete file is {saved}" in told
    )
    assert f"recording: {saved}, {len(observations)} frames, 0 dropped" in told
    assert frames_of(saved) == observations
    assert (tmp_path / "match-1.mcap").read_bytes() == b"precious too"
    if make is write_target:
        assert target.read_bytes() == b"precious"
    assert not (tmp_path / "match.mcap.part").exists() and not (tmp_path / "nowhere").exists()


def test_a_target_that_appears_meanwhile_is_replaced_with_force(
    launch: Launch, tmp_path: Path, observations: list[bytes]
) -> None:
    target = tmp_path / "match.mcap"
    code, told = record(serve(launch, target, "--force"), observations, lambda: write_target(target))
    assert code == 0, told
    assert frames_of(target) == observations
    assert list(tmp_path.iterdir()) == [target]


@needs_posix
def test_force_replaces_a_link_and_not_what_it_leads_to(
    launch: Launch, tmp_path: Path, observations: list[bytes]
) -> None:
    target, victim = tmp_path / "match.mcap", tmp_path / "victim"
    victim.write_bytes(b"precious")
    target.symlink_to(victim)
    assert record(serve(launch, target, "--force"), observations)[0] == 0
    assert not target.is_symlink() and victim.read_bytes() == b"precious"
    assert frames_of(target) == observations


def delete(part: Path) -> None:
    part.unlink()


def replace(part: Path) -> None:
    part.unlink()
    part.write_bytes(b"precious")


def replace_by_link(part: Path) -> None:
    part.rename(part.with_name("moved"))
    part.symlink_to("moved")


@needs_posix
@pytest.mark.parametrize("do", [delete, replace, replace_by_link])
def test_a_working_file_that_is_deleted_or_replaced_is_told_and_saved(
    launch: Launch, tmp_path: Path, observations: list[bytes], do: Callable[[Path], None]
) -> None:
    target, part = tmp_path / "match.mcap", tmp_path / "match.mcap.part"
    code, told = record(serve(launch, target), observations, lambda: do(part))
    saved = tmp_path / "match-1.mcap"
    assert code == 1
    assert f"{part} was deleted, renamed or replaced by another program while it was written" in told
    assert f"the complete file is {saved}" in told and "   at " not in told
    assert frames_of(saved) == observations
    assert not target.exists()
    if do is replace:
        assert part.read_bytes() == b"precious"


@needs_posix
def test_a_working_file_that_is_deleted_is_told_during_the_match(
    launch: Launch, tmp_path: Path, observations: list[bytes]
) -> None:
    part = tmp_path / "match.mcap.part"
    daemon = serve(launch, tmp_path / "match.mcap")
    with connect(daemon) as bot, abathur.connect_blocking(daemon.grpc) as game:
        publish(bot, observations[:1])
        wait_for_frames(daemon, 1)
        part.unlink()
        # A look a second, when something is written.
        while not (error := game.status().recording.error):
            publish(bot, observations[1:2], first=False)
        assert "was deleted, renamed or replaced by another program; the recording continues" in error


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a folder for files below /dev")
def test_a_regular_file_below_dev_is_no_device() -> None:
    file = Path("/dev/shm") / f"abathur-{os.getpid()}.mcap"
    file.write_bytes(b"precious")
    try:
        done = run_daemon("synth", "--steps", "2", "-o", str(file))
        assert (done.returncode, file.read_bytes()) == (3, b"precious"), done.stderr
        assert "exists: use --force to replace it" in done.stderr
    finally:
        file.unlink()


def test_a_file_for_actions_is_replaced_only_when_that_is_asked_for(tmp_path: Path, launch: Launch) -> None:
    file = tmp_path / "actions.ndjson"
    file.write_bytes(b"precious")
    done = run_daemon("emulate", str(SKIRMISH), "--listen", "0", "--actions", str(file))
    assert (done.returncode, file.read_bytes()) == (3, b"precious"), done.stderr
    assert done.stderr == f"abathur-sync: {file} exists: use --force to replace it\n"
    launch("emulate", str(SKIRMISH), "--listen", "0", "--actions", str(file), "--force")
    assert file.read_bytes() == b""
