"""The fair opening: how many cards the first player should begin with, so that going first neither pays nor costs.

First hands (or second hands) of several sizes are played on the same deals. The first player's rate rises with the hand; the fair point is where a line
between two sizes crosses even, and its interval comes from the deals themselves (a bootstrap over deals, which all arms share).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from terrors.analysis.stats.intervals import Rate, rate_of
from terrors.analysis.trials.trials import Arm, Trial, bank, by_deal
from terrors.simulator.runs.job import Job
from terrors.simulator.terms.errors import AnalysisError

BOOTSTRAP = 2000


@dataclass
class Handicap:
    """The results of the sizes that were tried."""

    rule: str
    sizes: list[int]
    rates: list[Rate]  # of the first player
    fair: float | None  # size of the hand at which going first is even; None if that lies more than a card outside of what was tried
    low: float | None
    high: float | None
    games: int
    found: float  # share of the draws in which there was a fair point

    def as_data(self) -> dict[str, Any]:
        """Return the results as JSON knows them."""
        rows = [
            {"size": size, "rate": 100 * r.share, "low": 100 * r.low, "high": 100 * r.high, "deals": r.n}
            for size, r in zip(self.sizes, self.rates, strict=True)
        ]
        return {"rule": self.rule, "sizes": rows, "fair": self.fair, "low": self.low, "high": self.high, "games": self.games}


def handicap(job: Job, rule: str, sizes: Sequence[int], games: int, jobs: int = 1, tell: Callable[[str], None] | None = None) -> Handicap:
    """Play the sizes, `games` games each, and return the results."""
    sizes = sorted(set(sizes))
    if len(sizes) < 2:
        raise AnalysisError("a handicap needs at least two sizes of the hand to compare; give --sizes 3,4,5.")
    seed = bank("handicap", job.plan.seed)
    plan = job.plan.but(seed=seed, until="", games=10**9)
    trial = Trial(job, [Arm(plan.but(rules={**plan.rules, rule: size})) for size in sizes], jobs)
    rounds = max(2, games // (2 * trial.cells))  # one deal says nothing about how much deals differ
    if tell:
        tell(f"Playing {len(sizes) * rounds * 2 * trial.cells:,} games …")
    played = trial.play(0, rounds)
    shares = np.array([by_deal(played.deal, played.points(arm)) for arm in range(len(sizes))])
    match_up = _match_up_of_deal(trial, played.deal, rounds)
    rates = [rate_of(_sums(row, match_up)) for row in shares]
    fair = crossing(np.array(sizes, float), np.array([rate.share for rate in rates]))
    low, high, found = _interval(np.array(sizes, float), shares, match_up)
    if found <= 0.5:
        low = high = None
    return Handicap(rule, list(sizes), rates, fair, low, high, len(sizes) * rounds * 2 * trial.cells, found)


def _match_up_of_deal(trial: Trial, deal: np.ndarray, rounds: int) -> np.ndarray:
    """Return by deal the number of its match-up."""
    cells = trial.schedule[0].cells
    match_ups = sorted({(cell.a, cell.b) for cell in cells})
    of_cell = np.array([match_ups.index((cell.a, cell.b)) for cell in cells])
    of_game = of_cell[(np.arange(len(deal)) // 2) % len(cells)]
    found = np.zeros(deal.max() + 1, int)
    found[deal] = of_game
    return found


def _sums(shares: np.ndarray, match_up: np.ndarray) -> np.ndarray:
    return np.stack([np.bincount(match_up, shares**power) for power in range(3)], 1)


def crossing(sizes: np.ndarray, rates: np.ndarray, beyond: float = 1.0) -> float | None:
    """Return where the rate crosses even, on the lines between neighbouring sizes; the outermost lines go on for one card more. None if it does not."""
    lines = list(zip(sizes[:-1], sizes[1:], rates[:-1] - 0.5, rates[1:] - 0.5, strict=True))
    for a, b, x, y in lines:
        if x == 0:
            return float(a)
        if x * y < 0 or y == 0:
            return float(a + (b - a) * x / (x - y))
    for (a, b, x, y), low, high in ((lines[0], sizes[0] - beyond, sizes[0]), (lines[-1], sizes[-1], sizes[-1] + beyond)):
        at = float(a + (b - a) * x / (x - y)) if x != y else np.inf
        if low <= at <= high:
            return at
    return None


def _interval(sizes: np.ndarray, shares: np.ndarray, match_up: np.ndarray, seed: int = 1) -> tuple[float | None, float | None, float]:
    """Return 95 % of the crossings when deals are drawn anew within each match-up. Means over many deals are nearly normal, so their covariance does."""
    mean, covariance, groups = np.zeros(len(shares)), np.zeros((len(shares), len(shares))), np.unique(match_up)
    for group in groups:
        mine = shares[:, match_up == group]
        mean += mine.mean(1) / len(groups)
        with_two_more = np.hstack([mine, np.ones((len(shares), 1)), np.zeros((len(shares), 1))])  # as in `rate_of`: deals that came out alike prove nothing
        covariance += np.atleast_2d(np.cov(with_two_more)) / mine.shape[1] / len(groups) ** 2
    drawn = np.random.default_rng(seed).multivariate_normal(mean, covariance, BOOTSTRAP)
    found = [crossing(sizes, row) for row in drawn]
    known = [value for value in found if value is not None]
    if not known:
        return None, None, 0.0
    # Draws without a fair point lie farther out, and count as that: without them the interval would end too early.
    ends = sizes[0] - 1.0, sizes[-1] + 1.0
    nearer = np.abs(drawn[:, -1] - 0.5) < np.abs(drawn[:, 0] - 0.5)
    low, high = np.percentile([ends[int(late)] if value is None else value for value, late in zip(found, nearer, strict=True)], [2.5, 97.5])
    return float(low), float(high), len(known) / len(found)
