"""Statistics as pure functions on arrays. The unit is the seat-swapped pair of games: its two legs share their luck and are not independent."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist

import numpy as np
from scipy.special import chdtrc
from scipy.special import erfc as _erfc

from terrors.simulator.runs.stopping import Z_95

NORMAL = NormalDist()


@dataclass(frozen=True)
class Estimate:
    """A share with its 95 % interval and the number of pairs behind it."""

    share: float
    low: float
    high: float
    pairs: int

    def as_data(self) -> dict[str, float]:
        """Return the share and its interval, as JSON knows them."""
        return {"share": self.share, "low": self.low, "high": self.high}


def wilson(share: float, n: float, z: float = Z_95) -> tuple[float, float]:
    """Return the Wilson interval of a share out of n: inside 0 to 1, and honest near the ends, where the usual ± is not."""
    if n <= 0:
        return 0.0, 1.0
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def pair_estimate(first_leg: np.ndarray, second_leg: np.ndarray) -> Estimate:
    """Return the share of games won from pairs of legs (1 won, 0.5 drawn, 0 lost in each leg).

    The interval is Wilson's for as many independent games as would vary as much as these pairs do. Pairs that all came out alike say nothing about how much
    pairs vary: then each pair counts as one game, which is cautious.
    """
    scores = (np.asarray(first_leg, float) + np.asarray(second_leg, float)) / 2
    pairs = len(scores)
    if pairs == 0:
        return Estimate(0.5, 0.0, 1.0, 0)
    share = float(scores.mean())
    variance = float(scores.var(ddof=1)) / pairs if pairs > 1 else 0.0
    effective = share * (1 - share) / variance if variance > 0 else float(pairs)
    return Estimate(share, *wilson(share, effective), pairs)


@dataclass(frozen=True)
class Looks:
    """The number of times that one may have looked: once, at a size that was fixed beforehand, or again and again (`--until`), with wider intervals.

    With `rounds`, intervals and p-values are those of the confidence sequence that the run stopped by (runs/stopping.py): they hold at every look together.
    """

    rounds: int = 0  # pairs of each cell when the run stopped; 0 = its size was fixed beforehand
    rho: float = 0.0  # of the mixture

    def z(self, miss: float = 0.05) -> float:
        """Return how many standard errors an interval reaches on either side."""
        if not self.rounds:
            return NORMAL.inv_cdf(1 - miss / 2)
        a = self.rounds * self.rho
        return sqrt(2 * (a + 1) / a * log(sqrt(a + 1) / miss))

    def p(self, z: np.ndarray | float) -> np.ndarray:
        """Return the chance to be so many standard errors off or more, on either side."""
        z = np.abs(np.asarray(z, float))
        if not self.rounds:
            return two_sided(z)
        a = self.rounds * self.rho
        return np.minimum(1.0, sqrt(a + 1) * np.exp(-z * z * a / (2 * (a + 1))))

    def p_above(self, z: np.ndarray | float) -> np.ndarray:
        """Return the chance to be so many standard errors above or more. For repeated looks the two-sided one, which is cautious."""
        z = np.asarray(z, float)
        return np.where(z > 0, self.p(z), 1.0) if self.rounds else one_sided(z)

    def z_above(self, miss: float = 0.05) -> float:
        """Return how many standard errors above one must be for `p_above` to be as small as that."""
        return self.z(miss) if self.rounds else NORMAL.inv_cdf(1 - miss)

    def p_squares(self, squares: np.ndarray | float, freedom: int) -> np.ndarray:
        """Return the chance of a sum of squares of so many independent standard errors (chi-squared). For repeated looks the mixture in as many dimensions."""
        squares = np.asarray(squares, float)
        if not self.rounds:
            return chdtrc(freedom, squares)
        a = self.rounds * self.rho
        return np.minimum(1.0, np.exp(freedom / 2 * log(a + 1) - squares * a / (2 * (a + 1))))

    def after(self, times: float) -> Looks:
        """Return the looks when so many times as much has been played."""
        return Looks(max(1, round(self.rounds * times)), self.rho) if self.rounds else self


def two_sided(z: np.ndarray | float) -> np.ndarray:
    """Return the chance of a normal number at least so far from 0."""
    return _erfc(np.abs(np.asarray(z, float)) / sqrt(2))


def one_sided(z: np.ndarray | float) -> np.ndarray:
    """Return the chance of a normal number at least so large."""
    return _erfc(np.asarray(z, float) / sqrt(2)) / 2


@dataclass(frozen=True)
class Rate:
    """A win rate: its mean, its standard error, and what Wilson's interval needs to stay inside 0 to 1."""

    share: float
    se: float
    low: float
    high: float
    n: int  # observations: deals or pairs

    @property
    def gap(self) -> float:
        """The distance from even."""
        return self.share - 0.5


def rate_of(sums: np.ndarray, looks: Looks | None = None) -> Rate:
    """Return the mean over cells with equal weights, from (observations, sum of shares, sum of squares) by cell.

    Two observations that were not made, one won and one lost, are counted into each cell's variance: observations that all came out alike do not prove that
    they never differ. The interval is Wilson's for as many independent games as would vary as much.
    """
    looks = looks or Looks()
    sums = np.atleast_2d(np.asarray(sums, float))
    sums = sums[sums[:, 0] > 0]
    if not len(sums):
        return Rate(0.5, 0.5, 0.0, 1.0, 0)
    n, total, squares = sums.T
    mean = float((total / n).mean())
    around = (total + 1) / (n + 2)
    variance = np.maximum((squares + 1) / (n + 2) - around**2, 0) * (n + 2) / (n + 1) / n
    of_mean = float(variance.sum()) / len(n) ** 2
    middle = float(around.mean())
    effective = middle * (1 - middle) / of_mean if of_mean > 0 else float(n.sum())
    return Rate(mean, sqrt(of_mean), *wilson(mean, effective, looks.z()), int(n.sum()))


# Many questions at once


def holm(p: np.ndarray) -> np.ndarray:
    """Return p-values with Holm's correction: the chance of any false alarm in the family stays below the level."""
    p = np.asarray(p, float)
    order = np.argsort(p, kind="stable")
    factors = len(p) - np.arange(len(p))
    found = np.empty(len(p))
    found[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * factors))
    return found


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Return p-values with Benjamini and Hochberg's correction: of all alarms, no more than the level is false on average."""
    p = np.asarray(p, float)
    if not np.isfinite(p).all():
        return np.full(len(p), np.nan)  # one that is not known may be any, and they are corrected together
    order = np.argsort(p, kind="stable")[::-1]  # the largest first
    found = np.empty(len(p))
    found[order] = np.minimum(1.0, np.minimum.accumulate(p[order] * len(p) / np.arange(len(p), 0, -1)))
    return found


def shrink(values: np.ndarray, ses: np.ndarray) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Return values drawn towards their common mean as far as they are uncertain (empirical Bayes, normal).

    The shrunk values, their standard deviations, and the mean and standard deviation of the true values. The spread is found by Paule and Mandel's method:
    the one at which the values lie as far from their mean as spread and errors together make one expect.
    """
    values, variances = np.asarray(values, float), np.asarray(ses, float) ** 2
    if len(values) < 2:
        return values.copy(), np.sqrt(variances), float(values.mean()) if len(values) else 0.0, 0.0

    def excess(spread: float) -> tuple[float, float]:
        weights = 1 / (variances + spread)
        mean = float((weights * values).sum() / weights.sum())
        return float((weights * (values - mean) ** 2).sum()) - (len(values) - 1), mean

    low, high = 0.0, float(values.var(ddof=1)) + float(variances.max())
    if excess(0.0)[0] <= 0:
        high = 0.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle)[0] > 0 else (low, middle)
    spread, mean = high, excess(high)[1] if high > 0 else excess(0.0)[1]
    keep = spread / (spread + variances)
    return mean + keep * (values - mean), np.sqrt(keep * variances), mean, sqrt(spread)


def rank_intervals(means: np.ndarray, sds: np.ndarray, draws: int = 4000, seed: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ranks (1 = the largest) by the means, and between which ranks 95 % of the draws lie when each value varies by its own uncertainty.

    Values that are the same have their order by lot: if no value differs from another as far as one can tell (`shrink` then says so), any rank is plausible.
    """
    luck = np.random.default_rng(seed)
    means = np.asarray(means, float)
    least = 1e-9 * max(1.0, float(np.abs(means).max(initial=0)))  # for lots only
    drawn = means + np.maximum(sds, least) * luck.standard_normal((draws, len(means)))
    ranks = (-drawn).argsort(1, kind="stable").argsort(1, kind="stable") + 1
    low, high = np.percentile(ranks, [2.5, 97.5], axis=0, method="nearest")
    rank = (-means).argsort(kind="stable").argsort(kind="stable") + 1
    return rank, np.minimum(low, rank).astype(int), np.maximum(high, rank).astype(int)
