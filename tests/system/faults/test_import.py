"""Input that is more than it seems: `import` ends with an error that states the limit, and leaves nothing."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path

import pytest
import zstandard
from programs import SKIRMISH, run_daemon

GIBIBYTE = 1 << 30
#: The shortest observation that is one: an empty `observation`, with its length.
SHORTEST = b"\x02\x1a\x00"


def zstd(path: Path, block: bytes, least: int) -> Path:
    """A file that decompresses to a block again and again."""
    with path.open("wb") as file, zstandard.ZstdCompressor(level=1).stream_writer(file) as writer:
        for _ in range(-(-least // len(block))):
            writer.write(block)
    return path


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        (bytes(1 << 20), "frame 0 (byte offset 1, 0 bytes) is not a serialized ResponseObservation"),
        (SHORTEST * 300_000, "more than 2000000 observations: --max-frames allows more"),
    ],
    ids=["zeros", "shortest"],
)
def test_four_gibibytes_in_a_small_zstd_file_are_refused(tmp_path: Path, block: bytes, problem: str) -> None:
    bomb = zstd(tmp_path / "bomb.obs.zst", block, 4 * GIBIBYTE)
    assert bomb.stat().st_size < 1_000_000
    done = run_daemon("import", str(bomb), "-o", str(tmp_path / "out.mcap"))
    assert (done.returncode, done.stderr) == (3, f"abathur-sync: {bomb}: {problem}\n")
    assert list(tmp_path.iterdir()) == [bomb]


def test_limits_count_all_inputs_together_and_can_be_raised(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(4):
        (folder / f"observation{number}.binpb").write_bytes(SHORTEST[1:])
    zstd(folder / "z.obs.zst", SHORTEST, 6 * len(SHORTEST))
    out = tmp_path / "out.mcap"
    for limit, problem in (
        (("--max-frames", "9"), "z.obs.zst: more than 9 observations: --max-frames allows more"),
        (("--max-bytes", "19"), "z.obs.zst: frame 5: more than 19 bytes of observations: --max-bytes allows more"),
    ):
        done = run_daemon("import", str(folder), "-o", str(out), *limit)
        assert done.returncode == 3 and problem in done.stderr, done.stderr
        assert not out.exists()
    done = run_daemon("import", str(folder), "-o", str(out), "--max-frames", "10", "--max-bytes", "20")
    assert done.returncode == 0 and "10 observations" in done.stderr, done.stderr


def test_a_single_observation_and_game_data_are_bounded(tmp_path: Path) -> None:
    bomb = zstd(tmp_path / "bomb.binpb.zst", bytes(1 << 20), GIBIBYTE)
    done = run_daemon("import", str(bomb), "-o", str(tmp_path / "out.mcap"))
    assert done.returncode == 3 and "larger than a message can be (134217728 bytes)" in done.stderr, done.stderr
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(GIBIBYTE)
    done = run_daemon("import", str(SKIRMISH), "-o", str(tmp_path / "out.mcap"), "--game-data", str(large))
    assert done.returncode == 3 and "larger than a message can be" in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (gzip.compress(SHORTEST), "is compressed with gzip, which is not supported"),
        (bz2.compress(SHORTEST), "is an archive (bzip2, xz or zip), which is not supported"),
        (lzma.compress(SHORTEST), "is an archive (bzip2, xz or zip), which is not supported"),
        (zstandard.compress(SHORTEST), "is compressed with zstd: give it a name that ends in .zst"),
        (SKIRMISH.read_bytes(), "is an MCAP file, not a stream of observations"),
    ],
    ids=["gzip", "bzip2", "xz", "zstd", "mcap"],
)
def test_other_formats_are_named(tmp_path: Path, data: bytes, problem: str) -> None:
    file = tmp_path / "match.obs"
    file.write_bytes(data)
    done = run_daemon("import", str(file), "-o", str(tmp_path / "out.mcap"))
    assert done.returncode == 3 and f"{file} {problem}" in done.stderr, done.stderr
    assert list(tmp_path.iterdir()) == [file]
    # The commands that read recordings report what they expect.
    if "MCAP" not in problem:
        for name in ("info", "play"):
            done = run_daemon(name, str(file))
            assert done.returncode == 3 and "not an MCAP file" in done.stderr, done.stderr
