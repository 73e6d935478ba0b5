"""Versions of one card set, played on the same deals: every version is the set with other values of its numbers, and its box is patched, not made anew.

Luck is keyed, so that what a version does not change stays as it was. What is played depends on the seed, the values and the rounds alone: the number of
threads changes nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from terrors.analysis.trials.trials import bank
from terrors.simulator.cards.card_numbers import Number
from terrors.simulator.play.match import Match, MatchRecords, points
from terrors.simulator.play.movable import MovableBox
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.schedule import Schedule

PILOT = "tuned"  # the strongest strategy that is fast enough for hundreds of thousands of games: what numbers do is asked of able hands
JUDGE = "expert"  # whose games say whether a set is fair where nobody else is asked for: as in the reports, the best hands that are not slow
T = TypeVar("T")
R = TypeVar("R")


def settled(job: Job) -> Job:
    """Return the same job with the changes of its plan (`--set`) made in the cards themselves, so that numbers are named as they are now."""
    return replace(job, cards=job.box.cards, plan=job.plan.but(set=(), until="", games=10**9))


class Versions:
    """A set and who plays it, ready to be played with other numbers. Seeds come from a bank of this purpose."""

    def __init__(self, job: Job, numbers: Sequence[Number], purpose: str, jobs: int = 1) -> None:
        """Take a job that is settled, and the numbers whose values will be given."""
        self.job, self.numbers, self.purpose, self.jobs = job, list(numbers), purpose, jobs
        self.plan = job.plan.but(seed=bank(purpose, job.plan.seed))
        self._local = threading.local()
        self.schedule = Schedule(self.plan, job.box, list(job.strategies))
        self.cells = len(self.schedule.cells)
        self.games_a_round = 2 * self.cells
        self._group = np.array([self.schedule.groups.index((cell.a_strategy, cell.b_strategy)) for cell in self.schedule.cells])
        for player in job.players:
            player.compiled  # noqa: B018  once, and not in every thread

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what travels to another process: the rest is made there."""
        return Versions, (self.job, self.numbers, self.purpose)

    @property
    def usual(self) -> tuple[int, ...]:
        """The values as they are."""
        return tuple(number.value for number in self.numbers)

    def play(self, values: Sequence[int], first_round: int, rounds: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the first player's points and the turns of some rounds of a version, by round, cell and leg."""
        if not hasattr(self._local, "box"):
            self._local.box = MovableBox(self.job.cards, self.plan.ruleset(), self.numbers, self.plan.interventions())
            self._local.desk, self._local.deals = MatchRecords(), None
        box, desk = self._local.box.box(values), self._local.desk
        deals = self.games_a_round * first_round, self.games_a_round * (first_round + rounds)
        if self._local.deals != deals:  # a mirror has those of its block
            self._local.deals, self._local.rows = deals, self.schedule.rows(*deals)
            self._local.rows["cell"] = 0
        rows = self._local.rows.copy()
        group = np.tile(np.repeat(self._group, 2), rounds)
        desk.log.keep_turns = desk.log.keep_purchases = desk.log.keep_counts = 0
        desk.clear_log()
        for number, (one, two) in enumerate(self.schedule.groups):
            mine = np.flatnonzero(group == number)
            rows[mine] = Match(box, self.job.players[one], self.job.players[two], desk).play_all(rows[mine])
        shape = rounds, self.cells, 2
        return points(rows["winner"]).reshape(shape), rows["turns"].astype(float).reshape(shape)

    def each(self, tasks: Iterable[T], play: Callable[[T], R]) -> Generator[R, None, None]:
        """Yield what comes of the tasks, in their order, some threads playing at a time: the engine lets go of Python's lock."""
        coming, waiting = iter(tasks), list[Future[R]]()
        with ThreadPoolExecutor(self.jobs) as pool:
            try:
                waiting += [pool.submit(play, task) for task in islice(coming, 2 * self.jobs)]
                while waiting:
                    done = waiting.pop(0).result()
                    waiting += [pool.submit(play, task) for task in islice(coming, 1)]
                    yield done
            finally:
                for future in waiting:
                    future.cancel()
