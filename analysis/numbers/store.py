"""What was played is kept: blocks and rounds in a folder, so that the same command goes on where it was interrupted."""

from __future__ import annotations

import hashlib
import io
import json
from typing import Any

import numpy as np

from terrors.analysis.numbers.number_lottery import Blocks
from terrors.simulator.cards.card_numbers import Number
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.storage import Folder


def key_of(job: Job, numbers: list[Number], *more: Any) -> str:
    """Return a short text that is another one if anything is that decides the results: cards, rules, strategies, engine, numbers."""
    identity = job.identity() | {"cards": job.cards.sha256, "numbers": [(number.name, number.value, number.step) for number in numbers], "more": list(more)}
    return hashlib.sha256(json.dumps(identity, sort_keys=True, default=str).encode()).hexdigest()[:16]


class Kept:
    """Arrays by name in one folder, each whole or not there."""

    def __init__(self, folder: Folder, key: str) -> None:
        """Take the folder, and the key of what is played: what was kept for another key is not read."""
        self.folder, self.key = folder, key

    def save(self, name: str, **arrays: np.ndarray) -> None:
        """Keep arrays under a name."""
        out = io.BytesIO()
        np.savez_compressed(out, key=np.array(self.key), **arrays)  # type: ignore[arg-type]
        self.folder.write(self._file(name), out.getvalue())

    def _file(self, name: str) -> str:
        """Return the file of a name; what belongs to other games has files of its own."""
        return f"{name}-{self.key[:8]}.npz"

    def load(self, name: str) -> dict[str, np.ndarray] | None:
        """Return what was kept under a name; None if that is nothing, or belongs to other games."""
        data = self.folder.read(self._file(name))
        if data is None:
            return None
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as found:
                return {key: found[key] for key in found.files if key != "key"} if str(found["key"]) == self.key else None
        except (ValueError, KeyError, OSError, EOFError):
            return None  # half a file of a version before this one: played again


def keep_blocks(kept: Kept, blocks: Blocks) -> None:
    """Keep the blocks of a lottery."""
    if len(blocks):
        kept.save("blocks", moves=np.array(blocks.moves, np.int8), results=np.array(blocks.results), rounds=np.array(blocks.rounds))


def kept_blocks(kept: Kept, rounds: int) -> Blocks:
    """Return the blocks that were kept, none if they were of another size."""
    found = kept.load("blocks")
    if found is None or int(found["rounds"]) != rounds:
        return Blocks(rounds=rounds)
    return Blocks(list(found["moves"]), list(found["results"]), rounds)
