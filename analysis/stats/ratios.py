"""Ratios with intervals that know that games of one deal are not independent.

Nearly everything that is said about the feel of games is a ratio of two sums over games: dead turns over turns, comebacks over games, the slope of a line
through the origin. `ratio` gives it by group and for all groups with equal weights. Its variance comes from how much whole deals differ (the linearised ratio,
summed by deal): the legs of a pair, and the same deal in several groups, count as one observation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt

import numpy as np

from terrors.analysis.stats.intervals import wilson
from terrors.simulator.runs.stopping import Z_95


@dataclass(frozen=True)
class Value:
    """A number, its standard error, and what it was taken from."""

    value: float
    error: float
    deals: int
    games: int

    def interval(self, share: bool) -> tuple[float, float]:
        """Return the 95 % interval. A share gets Wilson's, for as many independent games as would vary as much as these deals do."""
        if not np.isfinite(self.value):
            return nan, nan
        if not share:
            return self.value - Z_95 * self.error, self.value + Z_95 * self.error
        spread = self.value * (1 - self.value)
        games = spread / self.error**2 if 0 < self.error < inf and spread > 0 else 1.0 if self.error == inf else float(self.deals)
        low, high = wilson(self.value, games)
        return min(low, self.value), max(high, self.value)  # at 0 and 1 rounding may put the end on the wrong side


@dataclass(frozen=True)
class Term:
    """One ratio of sums over games; games that do not count have 0 in both. `sign` is its weight in a sum of ratios."""

    numerator: np.ndarray
    denominator: np.ndarray
    sign: float = 1.0


def ratio(terms: Sequence[Term], group: np.ndarray, deal: np.ndarray, groups: int) -> list[Value]:
    """Return the sum of the terms' ratios for each group, and at last the mean over all groups that have one. `deal` and `group` by game, numbered from 0."""
    deals = int(deal.max(initial=-1)) + 1
    everywhere, found = np.zeros(deals), []
    counted = np.any([(term.denominator != 0) | (term.numerator != 0) for term in terms], axis=0)
    for g in range(groups):
        mine = np.flatnonzero((group == g) & counted)
        value, moved = _one(terms, mine)
        by_deal = np.bincount(deal[mine], moved, deals)
        n = _count(deal[mine])
        found.append(Value(value, _error(by_deal, n), n, len(mine)))
        if np.isfinite(value):
            everywhere += by_deal
    whole = [one for one in found if np.isfinite(one.value)]
    among = np.isin(group, [g for g in range(groups) if np.isfinite(found[g].value)]) & counted
    n = _count(deal[among])
    mean = float(np.mean([one.value for one in whole])) if whole else nan
    return [*found, Value(mean, _error(everywhere / max(1, len(whole)), n), n, int(among.sum()))]


def _count(deals: np.ndarray) -> int:
    """Return the number of different deals; faster than sorting them."""
    return int(np.count_nonzero(np.bincount(deals)))


def _one(terms: Sequence[Term], games: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the value for these games, and by how much each of them moves it."""
    value, moved = 0.0, np.zeros(len(games))
    for term in terms:
        numerator, denominator = np.asarray(term.numerator, float)[games], np.asarray(term.denominator, float)[games]
        total = denominator.sum()
        if total == 0:
            return nan, np.zeros(len(games))
        one = numerator.sum() / total
        value += term.sign * one
        moved += term.sign * (numerator - one * denominator) / total
    return float(value), moved


def _error(by_deal: np.ndarray, deals: int) -> float:
    """Return the standard error from the sums by deal. One deal alone says nothing about how much deals differ."""
    return sqrt(float((by_deal**2).sum()) * deals / (deals - 1)) if deals > 1 else inf


def quantile(values: np.ndarray, group: np.ndarray, deal: np.ndarray, groups: int, share: float) -> list[tuple[float, float, float, int]]:
    """Return the value that `share` of the games do not exceed, its interval, and the games; by group, and at last for all groups with equal weights.

    The interval is Woodruff's: that of the share of games that do not exceed the quantile, read off as values again.
    """
    out = []
    sizes = np.bincount(group, minlength=groups)
    weights = 1 / np.maximum(sizes, 1)[group]
    for g in range(groups + 1):
        mine = np.flatnonzero(group == g) if g < groups else np.arange(len(values))
        if not len(mine):
            out.append((nan, nan, nan, 0))
            continue
        order = np.argsort(values[mine], kind="stable")
        sorted_values, cumulated = values[mine][order], np.cumsum(weights[mine][order])
        cumulated /= cumulated[-1]
        middle = _read_off(sorted_values, cumulated, share)
        below = ratio([Term((values[mine] <= middle).astype(float), np.ones(len(mine)))], group[mine], deal[mine], groups)[-1]
        half = Z_95 * below.error
        out.append((middle, _read_off(sorted_values, cumulated, share - half), _read_off(sorted_values, cumulated, share + half), len(mine)))
    return out


def _read_off(values: np.ndarray, cumulated: np.ndarray, share: float) -> float:
    """Return the smallest value that so large a share does not exceed."""
    return float(values[min(len(values) - 1, int(np.searchsorted(cumulated, min(max(share, 0.0), 1.0) - 1e-12)))])
