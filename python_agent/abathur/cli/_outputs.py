"""Files that a command writes: complete, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from abathur.errors import AbathurError


def check(output: Path, *, force: bool) -> None:
    """Refuse an output that cannot be written, before the work starts.

    Raises:
        AbathurError: its folder does not exist, or the file exists, without `force`.
    """
    if not output.absolute().parent.is_dir():
        raise AbathurError(f"cannot write {output}: the folder {output.parent} does not exist")
    if output.is_dir():
        raise AbathurError(f"cannot write {output}: it is a folder")
    if output.exists() and not force:
        raise AbathurError(f"{output} already exists; use --force to overwrite it")


@contextmanager
def replacing(output: Path) -> Iterator[Path]:
    """A file beside the output, which takes its place at the end. After an error it is removed."""
    part = output.with_name(f"{output.name}.part")
    try:
        yield part
        part.replace(output)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
