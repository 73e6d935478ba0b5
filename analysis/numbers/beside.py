"""The number lottery played by processes of their own, while this one analyses games and draws: neither waits for the other.

The processes are those that have just played the run, if there are any: they have the engine ready. Blocks depend on seed and number alone, so that who plays
them changes nothing.
"""

from __future__ import annotations

import hashlib
import pickle
import signal
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import suppress
from itertools import islice

import numpy as np
from joblib.externals.loky import get_reusable_executor

from terrors.analysis.numbers.number_lottery import NumberLottery
from terrors.analysis.numbers.study import NumberStudy, study_numbers
from terrors.simulator.runs.job import Job, WorkerError

AT_A_TIME = 8  # blocks: a tenth of a second
AHEAD = 2  # pieces of work that wait for each process

_lotteries: dict[str, NumberLottery] = {}  # of a process that plays: the one that it was sent last, by its checksum


def play_blocks(key: str, sent: bytes, blocks: Sequence[int]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Play some blocks of a lottery, in a process of its own: the parent decides what an interrupt means."""
    if threading.current_thread() is threading.main_thread():
        with suppress(ValueError):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
    if key not in _lotteries:
        _lotteries.clear()
        _lotteries[key] = pickle.loads(sent)  # our own parent has sent it
    return [_lotteries[key].play_block(block) for block in blocks]


class StudyBeside:
    """A study of numbers that goes on beside what this process does; used in a `with` block, at whose end what is not done is given up."""

    def __init__(self, job: Job, games: int, jobs: int, only: Sequence[str]) -> None:
        """Take what to play; it begins with the block."""
        self._order, self._jobs = (job, games, jobs, only), jobs
        self._waiting, self._given_up = ThreadPoolExecutor(1), threading.Event()
        self._study: Future[NumberStudy]

    def __enter__(self) -> StudyBeside:
        self._study = self._waiting.submit(study_numbers, *self._order, each=self._each)
        return self

    def __exit__(self, *exception: object) -> None:
        if not self._study.done():
            self._given_up.set()
            get_reusable_executor(reuse=True).shutdown(wait=False, kill_workers=True)
        self._waiting.shutdown()

    def result(self) -> NumberStudy:
        """Wait for the study. WorkerError if it cannot be."""
        try:
            return self._study.result()
        except BrokenExecutor:
            raise WorkerError(
                "a worker that moved numbers was killed or ran out of memory; the games are kept: give the same command again, perhaps with fewer --jobs."
            ) from None

    def _each(self, lottery: NumberLottery, blocks: range) -> Generator[tuple[np.ndarray, np.ndarray], None, None]:
        """Yield what comes of the blocks, in their order."""
        executor = get_reusable_executor(self._jobs, reuse=True)
        sent = pickle.dumps(lottery)
        key = hashlib.sha256(sent).hexdigest()
        pieces = iter([blocks[at : at + AT_A_TIME] for at in range(0, len(blocks), AT_A_TIME)])
        waiting = [executor.submit(play_blocks, key, sent, piece) for piece in islice(pieces, AHEAD * self._jobs)]
        while waiting and not self._given_up.is_set():
            yield from waiting.pop(0).result()
            waiting += [executor.submit(play_blocks, key, sent, piece) for piece in islice(pieces, 1)]
