"""Opens recordings by their path, and says what to write for other paths."""

from __future__ import annotations

import os
from difflib import get_close_matches
from glob import has_magic
from pathlib import Path
from typing import Literal, overload

from abathur._recording.followed import FollowedRecording
from abathur._recording.recording import Recording
from abathur._values import arguments
from abathur.errors import RecordingError

_REPLAY = ".sc2replay"
_RECORDING = "*.mcap"


@overload
def open_recording(path: str | os.PathLike[str], *, follow: Literal[False] = False) -> Recording: ...


@overload
def open_recording(path: str | os.PathLike[str], *, follow: Literal[True]) -> FollowedRecording: ...


def open_recording(path: str | os.PathLike[str], *, follow: bool = False) -> Recording | FollowedRecording:
    """Open a recording: ``with abathur.open("match.mcap") as recording``.

    Args:
        path: The file.
        follow: Read a recording that is still being written (``match.mcap.part``) up to its last chunk, wait for more,
            and end with the match. What is complete is read as well.

    Raises:
        RecordingError: it is missing, damaged, or not a recording; or the `mcap` package is not installed.
        TypeError: it is not a path.
    """
    if hasattr(path, "read"):
        raise TypeError("abathur.open takes the path of a recording, not an open file: write abathur.open(file.name)")
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"abathur.open takes the path of a recording, not {arguments.shown(path)}")
    file = Path(path)
    if problem := _problem(os.fspath(path), file, follow):
        raise RecordingError(f"cannot open {path}: {problem}")
    return FollowedRecording(file) if follow else Recording(file)


def _problem(given: str, file: Path, follow: bool) -> str:
    """Why it is not a recording, and what to write; empty if it may be one."""
    if "://" in given:
        return f"it is an address: write abathur.connect_blocking({given!r})"
    if not given or file.is_dir():
        found = sorted(each.name for each in file.glob(_RECORDING)) if given else []
        some = f" (of {len(found)} recordings in it the first is {found[0]})" if found else ""
        return f"it is a folder{some}: for each recording, `for path in pathlib.Path({given!r}).glob({_RECORDING!r})`"
    if file.suffix.lower() == _REPLAY:
        return f"it is a replay, which has no observations: `abathur dataset record {given} -o recordings` makes them"
    if file.exists() or follow:
        return ""
    if has_magic(given):
        return f"no file has this name: for each recording of a pattern, `for path in glob.glob({given!r})`"
    if file.with_name(f"{file.name}.part").exists():
        return "it is still being written: write abathur.open(path, follow=True)"
    names = [each.name for each in file.parent.glob(_RECORDING)] if file.parent.is_dir() else []
    close = get_close_matches(file.name, names, n=1)
    return f"No such file or directory{f'; did you mean {file.with_name(close[0])}?' if close else ''}"
