"""What a worker process was playing when it crashed: a strategy that does not ship may do that, and its author wants to know where.

The game that a worker plays lies in a file in memory, which outlives it. Python notes a segmentation fault in another one (faulthandler), so that a worker that
crashed can be told from those that were ended with it.
"""

from __future__ import annotations

import faulthandler
import mmap
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from terrors.simulator.kernel import layout
from terrors.simulator.kernel.records import with_attributes

if TYPE_CHECKING:
    from terrors.simulator.runs.job import Job

GAME, CHUNK = with_attributes(layout.GAME), np.dtype([("start", "i8"), ("stop", "i8")])


class LastWords:
    """The files of one worker, as long as it lives."""

    def __init__(self, folder: str) -> None:
        """Make them in a folder that the one who started the run looks into."""
        self.folder = folder
        place = Path(folder) / str(os.getpid())
        self._fault = open(place.with_suffix(".fault"), "w", encoding="utf-8")  # noqa: SIM115  it is held open
        faulthandler.enable(self._fault)
        with open(place.with_suffix(".game"), "w+b") as file:
            file.truncate(CHUNK.itemsize + GAME.itemsize)
            self._memory = mmap.mmap(file.fileno(), 0)
        self._chunk = np.frombuffer(self._memory, CHUNK, 1)
        self.game = np.frombuffer(self._memory, GAME, 1, CHUNK.itemsize)[0]  # to be played on

    def begin(self, start: int, stop: int) -> None:
        """Note which games are being played."""
        self._chunk[0] = (start, stop)


def crash(folder: str, job: Job) -> str:
    """Return in words in which game a worker crashed, and who was deciding; empty if none of those with files in the folder did."""
    for fault in Path(folder).glob("*.fault"):
        if not fault.stat().st_size:
            continue
        data = fault.with_suffix(".game").read_bytes()
        (start, stop), game = np.frombuffer(data, CHUNK, 1)[0], np.frombuffer(data, GAME, 1, CHUNK.itemsize)[0]
        rows = job.schedule.rows(int(start), int(stop))
        found = np.flatnonzero((rows["seed"] == game.seed) & (rows["first"] == game.player[0].overlord))
        if not len(found):
            continue
        number = int(start) + int(found[0])
        name = job.strategies[job.schedule.strategies_of(number)[int(game.asked)]]
        what = fault.read_text(encoding="utf-8").splitlines()[0].removeprefix("Fatal Python error: ")
        return f"game {number}, turn {int(game.turn)}: strategy {name} crashed the worker that played it ({what.lower()})"
    return ""
