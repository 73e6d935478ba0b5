"""*Save*: the one moment at which the card file is written. The old one is kept beside it, and an edit that somebody else made meanwhile is not lost.

Only changed cells are written anew (cards/csv_patch.py). What was written is read again before it takes the place of the file: if it is not the set of the
page, nothing is changed.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from terrors.lab.sheet import Edit, EditedSet, OpenedSet, digest_of
from terrors.simulator.cards.card_set import CardSet, load_cards
from terrors.simulator.cards.csv_patch import patched_csv
from terrors.simulator.terms.errors import WordedError

KEPT = ".before"  # cards.csv.before-1, -2 …: the file as it was before each Save


class SaveError(WordedError):
    """Raised for a Save that is refused, in one sentence."""


def save(opened: OpenedSet, edits: Sequence[Edit], found: EditedSet) -> tuple[OpenedSet, Path]:
    """Write the edited set into its file, and return it as opened anew, with the place where the old file is kept."""
    path = opened.path
    if opened.shipped:
        raise SaveError("this is the set that ships with terrors, and is not changed; `terrors new my-game` makes a folder with a set of your own.")
    if path.suffix.lower() != ".csv":
        raise SaveError(f"{path.name} is no CSV file and is not written; save it as CSV in the spreadsheet, and open that file in the lab.")
    if found.broken:
        raise SaveError("some cells cannot be read yet; mend them or take them back, then save.")
    if digest_of(path) != opened.digest:
        raise SaveError(f"{path.name} was changed on disk after it was opened here; take it up first (Reload), then save.")
    try:
        raw = path.read_bytes()
        new = patched_csv(path, opened.cards, [f"{edit.card}.{edit.column}={edit.value}" for edit in edits])
        kept = _keep(path, raw)
        try:
            _replace(path, new, found.cards)
        except BaseException:
            kept.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise SaveError(f"{path}: {error.strerror or error}; nothing was saved.") from None
    return OpenedSet.read(path), kept


def _replace(path: Path, data: bytes, expected: CardSet) -> None:
    """Put the data in the place of the file in one step, if it reads as the set that is expected."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.stem}-", suffix=path.suffix, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if load_cards(name).sha256 != expected.sha256:
            raise SaveError("what would be written does not read back as the set of this page; nothing was saved. Make the edits in the file itself.")
        with suppress(OSError):
            os.chmod(name, path.stat().st_mode & 0o777)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _keep(path: Path, data: bytes) -> Path:
    """Write the old file beside the new one, under the first name that is free."""
    number = 1
    while True:
        kept = path.with_name(f"{path.name}{KEPT}-{number}")
        with suppress(FileExistsError), open(kept, "xb") as file:
            file.write(data)
            return kept
        number += 1
