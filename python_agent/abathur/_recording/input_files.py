"""The recordings that a command line names: files, folders, globs and URLs."""

from __future__ import annotations

import glob
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from abathur.errors import AbathurError, RecordingError

RECORDINGS = ".mcap"
_MAGIC = "*?["


def find(inputs: Sequence[str], suffix: str = RECORDINGS) -> list[str]:
    """Absolute paths and URLs of the files that some inputs name, sorted, without repetitions.

    Args:
        inputs: Files; folders, of which all files with the suffix are taken, those in subfolders too; globs; and each
            of these as a URL of fsspec.
        suffix: In lower case.

    Raises:
        AbathurError: an input names no file, or fsspec is not installed or fails.
    """
    found: set[str] = set()
    for each in inputs:
        files = _remote(each, suffix) if is_url(each) else _local(each, suffix)
        if not files:
            raise AbathurError(f"no file found: {each} names no {suffix} file")
        found.update(files)
    return sorted(found)


def is_url(text: str) -> bool:
    """Whether an input is for fsspec."""
    return "://" in text or "::" in text


def name(source: str) -> str:
    """The name of a file without its folder."""
    return source.rstrip("/").rpartition("/")[2] if is_url(source) else Path(source).name


@contextmanager
def local(source: str) -> Iterator[Path]:
    """A file that can be opened by its path: a remote one is copied to a temporary file.

    Raises:
        RecordingError: the copy failed.
    """
    if not is_url(source):
        yield Path(source)
        return
    with tempfile.TemporaryDirectory(prefix="abathur-") as folder:
        copy = Path(folder) / name(source)
        try:
            fsspec = _fsspec()
            system, path = fsspec.core.url_to_fs(source)
            system.get_file(path, str(copy))
        except AbathurError:
            raise
        # Each file system of fsspec has errors of its own.
        except Exception as error:
            raise RecordingError(f"cannot copy {source}: {type(error).__name__}: {error}") from None
        yield copy


def _local(text: str, suffix: str) -> list[str]:
    path = Path(text)
    if path.is_dir():
        return [str(each.resolve()) for each in path.rglob("*") if _is_wanted(each, path, suffix)]
    if path.is_file():
        return [str(path.resolve())]
    if any(each in text for each in _MAGIC):
        # Not of pathlib, which takes no absolute patterns.
        matches = glob.iglob(text, recursive=True)  # noqa: PTH207
        return [str(Path(each).resolve()) for each in matches if Path(each).is_file()]
    return []


def _is_wanted(file: Path, folder: Path, suffix: str) -> bool:
    # What begins so is hidden, or being written.
    names = file.relative_to(folder).parts
    return file.suffix.lower() == suffix and not any(name[0] in "._" for name in names) and file.is_file()


def _remote(url: str, suffix: str) -> list[str]:
    fsspec = _fsspec()
    try:
        system, path = fsspec.core.url_to_fs(url)
        if any(each in path for each in _MAGIC):
            paths = system.glob(path)
        elif system.isdir(path):
            paths = [each for each in system.find(path) if each.lower().endswith(suffix)]
        else:
            paths = [path] if system.exists(path) else []
    except Exception as error:
        raise AbathurError(f"cannot list {url}: {type(error).__name__}: {error}") from None
    return [url if each == path else str(system.unstrip_protocol(each)) for each in paths]


def _fsspec() -> Any:
    try:
        import fsspec
    except ImportError:
        raise AbathurError("URLs need fsspec: pip install abathur-agent[datasets]") from None
    return fsspec
