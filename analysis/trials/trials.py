"""Trials: the same deals played under several arms (a card denied, another opening hand, a fork), compared deal by deal.

Luck is keyed, so what an arm does not change stays as it was, and most of the noise drops out of the difference. Seeds come from banks of their own: what is
tried here was never used to find the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import joblib
import numpy as np

from terrors.analysis.contract.findings_schema import UNDECIDED
from terrors.analysis.stats.intervals import Looks
from terrors.analysis.verdicts.judge import LEVEL, judge
from terrors.simulator.kernel.rng import key_of
from terrors.simulator.play.box import make_box
from terrors.simulator.play.match import Match, MatchRecords, Ready, points
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.schedule import Schedule
from terrors.simulator.runs.stopping import mixture

FIRST_LOOK = 200  # deals
GROWTH = 1.5
Change = Callable[[np.ndarray], None]  # what an arm changes in the rows before they are played


def bank(purpose: str, seed: int) -> int:
    """Return the seed of a bank: far from the run's own seeds and from every other bank."""
    return key_of(f"bank {purpose} {seed}", 0) >> 1


@dataclass
class Arm:
    """One way to play the deals: a plan, and what is written into the rows (forks)."""

    plan: Plan
    change: Change | None = None


@dataclass
class PlayedArms:
    """Arms played: rows by arm and game; pairs and legs follow each other as in a run."""

    rows: list[np.ndarray]
    deal: np.ndarray  # by game
    first: int = 0  # number of the first game

    def points(self, arm: int) -> np.ndarray:
        """Return the points of the first player, by game."""
        return points(self.rows[arm]["winner"])


class Trial:
    """Plays arms on the same deals, in threads: the engine lets go of Python's lock."""

    def __init__(self, job: Job, arms: Sequence[Arm], jobs: int = 1) -> None:
        """Make the schedules of all arms. `job`: cards and strategies. All arms must have the same cells."""
        self.jobs = jobs
        self.schedule, self.players = [], []
        for arm in arms:
            box = make_box(job.cards, arm.plan.ruleset(), arm.plan.interventions())
            self.schedule.append(Schedule(arm.plan, box, [source.name for source in job.sources]))
            self.players.append([Ready(player, box) for player in job.players])  # now, and not in every thread
        self.arms = list(arms)
        self.cells = len(self.schedule[0].cells)

    def play(self, first_round: int, rounds: int) -> PlayedArms:
        """Play some rounds: each is a pair of games of every cell."""
        start, stop = 2 * self.cells * first_round, 2 * self.cells * (first_round + rounds)
        pieces = [(arm, a, min(a + 2 * self.cells * max(1, rounds // self.jobs), stop)) for arm in range(len(self.arms)) for a in
                  range(start, stop, 2 * self.cells * max(1, rounds // self.jobs))]  # fmt: skip
        done = joblib.Parallel(n_jobs=self.jobs, backend="threading")(joblib.delayed(self._play)(*piece) for piece in pieces)
        rows = [np.concatenate([part for (which, _, _), part in zip(pieces, done, strict=True) if which == arm]) for arm in range(len(self.arms))]
        return PlayedArms(rows, np.unique(rows[0]["seed"], return_inverse=True)[1], start)

    def _play(self, arm: int, start: int, stop: int) -> np.ndarray:
        schedule = self.schedule[arm]
        rows = schedule.rows(start, stop)
        if (change := self.arms[arm].change) is not None:
            change(rows)
        cell = (np.arange(start, stop) // 2) % self.cells
        group = np.array([schedule.groups.index((one.a_strategy, one.b_strategy)) for one in schedule.cells])[cell]
        desk = MatchRecords()
        for number, (one, two) in enumerate(schedule.groups):
            mine = np.flatnonzero(group == number)
            part = rows[mine]
            match, done = Match(schedule.box, self.players[arm][one], self.players[arm][two], desk), 0
            part["cell"] = 0
            desk.log.keep_turns = desk.log.keep_purchases = desk.log.keep_counts = 0
            desk.clear_log()
            while done < len(part):
                done += match.play(part[done:])
                desk.clear_log()
            rows[mine] = part
        return rows


@dataclass
class Difference:
    """A mean over deals, and what is needed to judge it."""

    total: float = 0.0
    square: float = 0.0
    deals: int = 0
    looks: Looks = field(default_factory=Looks)
    most: float = 1.0  # no deal can differ by more

    def add(self, by_deal: np.ndarray) -> None:
        """Count deals in."""
        self.total += float(by_deal.sum())
        self.square += float((by_deal**2).sum())
        self.deals += len(by_deal)

    @property
    def mean(self) -> float:
        """The mean over deals."""
        return self.total / max(1, self.deals)

    @property
    def se(self) -> float:
        """The standard error of the mean. Deals that all came out alike do not prove that none differs: one that does is counted in."""
        n = self.deals + 1
        variance = max(0.0, (self.square + 0.25) / n - (self.total / n) ** 2)
        return (variance / max(1, self.deals - 1)) ** 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval; for all looks together if there were several."""
        half = self.looks.z() * self.se
        return max(-self.most, self.mean - half), min(self.most, self.mean + half)

    @property
    def p(self) -> float:
        """The chance of such a mean if there is no difference."""
        return float(self.looks.p(self.mean / self.se)) if self.se else 1.0


def by_deal(deal: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Return the mean over each deal's games."""
    return np.bincount(deal, values) / np.bincount(deal)


def looks_at(most: int) -> Iterator[tuple[int, int]]:
    """Yield the rounds to play between two looks: from, how many. Where one looks depends on nothing that was seen."""
    done, size = 0, float(FIRST_LOOK)
    while done < most:
        stop = min(most, int(size))
        yield done, stop - done
        done, size = stop, size * GROWTH


def until_decided(
    play: Callable[[int, int], np.ndarray], margin: float, most: int, width: float = 0.0, tell: Callable[[Difference], None] | None = None
) -> Difference:
    """Add deals until the mean is known to be within the margin or beyond it (and to ±width, if that is given); at most so many rounds. All are shares."""
    found = Difference()
    rho = mixture(float(max(FIRST_LOOK, most // 4)), LEVEL)
    for first, rounds in looks_at(most):
        found.add(play(first, rounds))
        found.looks = Looks(found.deals, rho)
        if tell:
            tell(found)
        low, high = found.interval
        if width and (high - low) / 2 > width:
            continue
        if judge(np.array([found.mean]), np.array([found.se]), margin, found.looks)[0].state != UNDECIDED:
            break
    return found
