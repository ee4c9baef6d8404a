"""The folder of a dataset: its files, and the manifest that knows what is complete.

::

    DIR/matches/matches.parquet                             a row for each match
    DIR/units/match_id=ID/player_id=N/HASH.parquet          of one recording; also players, events, actions
    DIR/_dataset.json                                       the options, the same for all recordings
    DIR/_manifest/HASH.json                                 an entry for each recording that is complete
    DIR/_parts/                                             files that are being written
    DIR/failures.jsonl                                      recordings of the last run that could not be read
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from abathur.dataset._entry import Entry, Part
from abathur.dataset._options import Options
from abathur.errors import AbathurError

FORMAT = 1
OPTIONS = "_dataset.json"
FAILURES = "failures.jsonl"
_MANIFEST = "_manifest"
_PARTS = "_parts"
_LOCK = "_lock"
#: Characters of a content hash in the name of a file.
_HASH_CHARACTERS = 16
#: Longer ones are replaced by their hash: a name of a file has at most 255 bytes.
_MAX_MATCH_ID = 100
_BLOCK_BYTES = 1 << 20


class Store:
    """A dataset's folder."""

    def __init__(self, root: Path) -> None:
        """Use a folder, which need not exist."""
        self.root = root

    @classmethod
    def open(cls, root: Path) -> Store:
        """Use a dataset that exists.

        Raises:
            AbathurError: it is not a dataset.
        """
        store = cls(root)
        if not (root / OPTIONS).is_file():
            raise AbathurError(f"{root} is not a dataset: it has no {OPTIONS}; `abathur dataset build` makes one")
        store.options()
        return store

    def check(self, options: Options) -> None:
        """Check that a dataset with these options can be made or continued. Changes nothing.

        Raises:
            AbathurError: the folder has other files, or a dataset with other options.
        """
        if not (self.root / OPTIONS).is_file():
            if self.root.exists() and not self._is_empty():
                raise AbathurError(f"{self.root} already exists and is not a dataset: name a new or an empty folder")
        elif (found := self.options()) != options:
            wrong = next(name for name in options.to_json() if getattr(found, name) != getattr(options, name))
            was, now = (_shown(getattr(each, wrong)) for each in (found, options))
            raise AbathurError(
                f"{self.root} was built with {wrong} {was}, not {now}: use the same options, or another folder"
            )

    def create(self, options: Options) -> None:
        """Make the dataset, or continue it.

        Raises:
            AbathurError: see `check`.
        """
        self.check(options)
        if not (self.root / OPTIONS).is_file():
            _write_json(self.root / OPTIONS, {"format": FORMAT, **options.to_json()})
        (self.root / _MANIFEST).mkdir(exist_ok=True)

    def _is_empty(self) -> bool:
        # A killed build has left at most these.
        return self.root.is_dir() and all(
            each.name == _LOCK or each.name.endswith(".part") for each in self.root.iterdir()
        )

    def options(self) -> Options:
        """The options of the dataset.

        Raises:
            AbathurError: they are damaged, or of a newer version.
        """
        file = self.root / OPTIONS
        try:
            values = json.loads(file.read_text(encoding="utf-8"))
            if values["format"] != FORMAT:
                raise AbathurError(f"{file} has format {values['format']}; this version of the package reads {FORMAT}")
            return Options.from_json(values)
        except (ValueError, KeyError, TypeError) as error:
            raise AbathurError(f"{file} is damaged: {error}") from None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other builds out of the folder, which is made. The lock ends with the process.

        Raises:
            AbathurError: another build is writing there.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        with (self.root / _LOCK).open("ab") as file:
            try:
                _lock(file.fileno())
            except OSError:
                raise AbathurError(f"another build is writing to {self.root}: wait until it ends") from None
            yield

    def entry(self, sha256: str) -> Entry | None:
        """The entry of a recording; None if it is not complete."""
        file = self.entry_file(sha256)
        return _read_entry(file) if file.is_file() else None

    def entries(self) -> list[Entry]:
        """All entries, in the order of their hashes."""
        return [_read_entry(file) for file in sorted((self.root / _MANIFEST).glob("*.json"))]

    def add(self, entry: Entry) -> None:
        """Write an entry: from now on, the recording is complete."""
        _write_json(self.entry_file(entry.sha256), entry.to_json())

    @contextmanager
    def temporary(self, sha256: str) -> Iterator[Path]:
        """A folder for files that are being written. It is removed at the end."""
        # Two workers may have the same recording, if one of them was given up.
        folder = self.root / _PARTS / f"{sha256[:_HASH_CHARACTERS]}-{secrets.token_hex(4)}"
        folder.mkdir(parents=True)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def remove_temporary(self) -> None:
        """Remove what killed workers have left."""
        shutil.rmtree(self.root / _PARTS, ignore_errors=True)

    def place(self, table: str, file: Path, entry: Entry, rows: int) -> Part:
        """Move a complete file of a recording to its place, over the same one of a killed run."""
        match_id, player = quote(entry.match_id, safe=""), entry.player_id
        place = self.root / table / f"match_id={match_id}" / f"player_id={player}"
        target = place / f"{entry.sha256[:_HASH_CHARACTERS]}.parquet"
        part = Part(target.relative_to(self.root).as_posix(), rows, file.stat().st_size, digest(file))
        target.parent.mkdir(parents=True, exist_ok=True)
        file.replace(target)
        return part

    def write_failures(self, failures: Sequence[dict[str, Any]]) -> None:
        """Replace the list of failures; remove it if there are none."""
        file = self.root / FAILURES
        if failures:
            _write(file, "".join(json.dumps(each, sort_keys=True) + "\n" for each in failures))
        else:
            file.unlink(missing_ok=True)

    def failures(self) -> list[dict[str, Any]]:
        """The failures of the last run."""
        file = self.root / FAILURES
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.is_file() else []

    def entry_file(self, sha256: str) -> Path:
        """The file of the entry of a recording."""
        return self.root / _MANIFEST / f"{sha256}.json"


def match_id(given: str, sha256: str) -> str:
    """The id of a match as the dataset has it: not empty, and not too long for the name of a folder."""
    if not given:
        return sha256[:_HASH_CHARACTERS]
    return given if len(quote(given, safe="")) <= _MAX_MATCH_ID else hashlib.sha256(given.encode()).hexdigest()


def digest(file: Path) -> str:
    """SHA-256 of a file's content in hexadecimal digits."""
    found = hashlib.sha256()
    with file.open("rb") as content:
        while block := content.read(_BLOCK_BYTES):
            found.update(block)
    return found.hexdigest()


def _read_entry(file: Path) -> Entry:
    try:
        return Entry.from_json(json.loads(file.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError) as error:
        raise AbathurError(f"{file} is damaged: {error}. Delete it, and build again") from None


def _write_json(file: Path, values: dict[str, Any]) -> None:
    _write(file, json.dumps(values, indent=1, sort_keys=True) + "\n")


def _write(file: Path, text: str) -> None:
    """Write a file whole: a killed process leaves the old one, or the new one."""
    part = file.with_name(f"{file.name}.{secrets.token_hex(4)}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        part.replace(file)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _lock(descriptor: int) -> None:
    if os.name == "nt":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
