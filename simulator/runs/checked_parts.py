"""Whether parts are what their run says, looked at when they are read: a byte that has changed would change numbers without a word.

Each part's checksum is worked out once. What came of it is noted in the user's own cache, with the size, the times and the place of the file, so that the next
command only looks whether these are as they were. It is not noted in the run's folder: that may be a stranger's, who could note what he likes, or read-only.
What fails to be noted is worked out again. (Whoever changes a part between the look and the reading is not found out.)
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from terrors.simulator.kernel import jit
from terrors.simulator.runs.storage import Folder, sha256
from terrors.simulator.terms.errors import RunError

NOTES = "checked_parts"  # the folder of the cache
KEEP_DAYS = 90  # notes on runs that nobody has looked at for so long are thrown away
State = list[int | str]


class CheckedParts:
    """The parts of one folder that were looked at."""

    def __init__(self, folder: Folder) -> None:
        """Take a folder; nothing is looked at yet."""
        self.folder = folder
        self.right: dict[str, str] = {}  # the checksums of the parts that were read and are right, by name
        self._noted: dict[str, tuple[State, str]] | None = None
        place = os.path.realpath(folder.everywhere) if type(folder) is Folder else folder.everywhere
        self._notes = jit.CACHE_ROOT / NOTES / hashlib.sha256(place.encode()).hexdigest()[:32]

    def expect(self, files: Iterable[tuple[str, dict[str, Any]]]) -> None:
        """Raise a RunError if one of these parts is not what its record says."""
        new = []
        for name, file in files:
            state = self.folder.state(name)
            if state is None or self.noted.get(name) != (state, file["sha256"]):
                self._look(name, file)
                if state is not None and state == self.folder.state(name):
                    self.noted[name] = (state, file["sha256"])
                    new.append(json.dumps([name, state, file["sha256"]]))
            self.right[name] = file["sha256"]
        if new:
            self._note(new)

    def _look(self, name: str, file: dict[str, Any]) -> None:
        """Raise a RunError if a part has not the content that was written."""
        data = self.folder.read(name)
        if data is None:
            what = "missing"
        elif len(data) != file["bytes"]:
            what = f"damaged ({len(data):,} bytes instead of {file['bytes']:,})"
        elif sha256(data) != file["sha256"]:
            what = "damaged (its content has changed since it was written)"
        else:
            return
        raise RunError(f"{self.folder.address}/{name}: this part is {what}; the command that made the run plays it again.")

    @property
    def noted(self) -> dict[str, tuple[State, str]]:
        """The states and checksums of parts that were right, by name, as they were noted; a line that makes no sense is no note."""
        if self._noted is None:
            self._noted = {}
            with suppress(OSError):
                for line in self._notes.read_text(encoding="utf-8", errors="replace").splitlines():
                    with suppress(ValueError, TypeError, RecursionError):
                        name, state, checksum = json.loads(line)
                        self._noted[str(name)] = (state, checksum)
        return self._noted

    def _note(self, lines: list[str]) -> None:
        """Add lines to the notes, in one piece, so that two commands do not mix theirs."""
        with suppress(OSError):
            if not self._notes.exists():
                _forget_old(self._notes.parent)
            self._notes.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self._notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(handle, "".join(f"{line}\n" for line in lines).encode())
            finally:
                os.close(handle)

    def as_data(self) -> dict[str, Any]:
        """Return which parts were read, for those who want to know what a number was made from: how many, and one checksum over all of theirs."""
        together = "".join(f"{checksum}  {name}\n" for name, checksum in sorted(self.right.items()))
        return {"parts": len(self.right), "sha256": sha256(together.encode())}


def _forget_old(folder: Path) -> None:
    """Take away the notes on runs that nobody has looked at for long."""
    with suppress(OSError):
        for path in folder.iterdir():
            if path.stat().st_mtime < time.time() - 86400 * KEEP_DAYS:
                path.unlink(missing_ok=True)
