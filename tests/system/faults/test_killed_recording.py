"""A recording whose process is killed: what had reached the file is brought back, to the byte."""

from __future__ import annotations

import random
import signal
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import abathur
import pytest
from mcap.reader import make_reader
from mcap.records import Channel, Chunk, McapRecord, Message
from mcap.stream_reader import StreamReader, breakup_chunk
from programs import FREE_PORTS, SKIRMISH, TIMEOUT, in_thread, matrix, random_seed, run_daemon, start
from publishing import publish

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
KILLS = 50
CHUNK_BYTES = 200_000
FRAMES = 250
#: The file has some more when all is published.
MOST_BYTES = 400_000


@pytest.fixture(scope="module")
def observations() -> list[bytes]:
    with abathur.open(SKIRMISH) as match:
        return [frame.response.SerializeToString() for frame, _ in zip(match.frames(), range(FRAMES), strict=False)]


def record_and_kill(path: Path, observations: list[bytes], size: int) -> None:
    """Publish as fast as the daemon takes it, and kill it as soon as the file has a size, whatever it does then."""
    daemon = start("serve", "--once", *FREE_PORTS, "-o", str(path), "--chunk-size", str(CHUNK_BYTES))
    try:
        with socket.create_connection(("127.0.0.1", daemon.socket_port)) as bot:
            publishing = in_thread(lambda: publish(bot, observations))
            part = path.with_name(path.name + ".part")
            while part.stat().st_size < size:
                assert daemon.process.poll() is None
            daemon.process.send_signal(signal.SIGKILL)
            assert daemon.process.wait() == -signal.SIGKILL
            publishing.join(TIMEOUT)
    finally:
        daemon.process.kill()
        daemon.process.communicate()


def records(file: Path) -> Iterator[McapRecord]:
    """Records of a file, up to where it is cut off, chunks as a whole."""
    with file.open("rb") as stream:
        try:
            yield from StreamReader(stream, emit_chunks=True).records
        except Exception:  # the package has several for a file that is cut off
            return


def observations_in_whole_chunks(file: Path) -> int:
    inside = [record for chunk in records(file) if isinstance(chunk, Chunk) for record in breakup_chunk(chunk)]
    channels = {each.id for each in inside if isinstance(each, Channel) and each.topic == "/observation"}
    return sum(isinstance(each, Message) and each.channel_id in channels for each in inside)


def check(folder: Path, observations: list[bytes], size: int, number: int) -> tuple[int, int]:
    """One kill: frames in whole chunks, and frames that came back."""
    part, back = folder / f"{number}.mcap.part", folder / f"{number}.mcap"
    record_and_kill(back, observations, size)
    whole = observations_in_whole_chunks(part)
    done = run_daemon("recover", str(part), "-o", str(back))
    if done.returncode == 3:
        # Not even the first observation had been written.
        assert whole == 0, done.stderr
        assert "no observation was recovered" in done.stderr or len(done.stderr.splitlines()) == 1, done.stderr
        part.unlink()
        back.unlink(missing_ok=True)
        return 0, 0
    assert done.returncode == 0, done.stderr
    with back.open("rb") as file:
        messages = [
            message.data for _, _, message in make_reader(file, validate_crcs=True).iter_messages("/observation")
        ]
    assert messages == observations[: len(messages)]
    assert whole <= len(messages)
    if messages:
        with abathur.open(back) as match:
            assert match.frame_count == len(messages)
    part.unlink()
    back.unlink()
    return whole, len(messages)


@pytest.mark.parametrize("part", matrix(*range(5)))
def test_killed_at_random_moments_every_whole_chunk_comes_back(
    tmp_path: Path, observations: list[bytes], part: int
) -> None:
    draw = random.Random(random_seed())
    moments = [draw.randrange(MOST_BYTES) for _ in range(KILLS // 5)]
    print(f"killed with {moments} bytes in the file")
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda each: check(tmp_path, observations, each[1], each[0]), enumerate(moments)))
    # Not in vain: most of them had written something.
    assert sum(whole > 0 for whole, _ in results) >= KILLS // 10, results
