"""The set as a whole: ratings with a seat term, the mix of overlords that cannot be exploited, and how much rock-paper-scissors there is.

Everything comes from the mean results of the match-ups and their covariances (pair_sums.py). What chance alone would show is always beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from terrors.analysis.questions.matchups import Groups, Row, overlords_of, table
from terrors.analysis.source.pair_sums import AS_FIRST, AS_SECOND, BOTH, PairSums
from terrors.analysis.stats.bradley_terry import ELO, fit
from terrors.analysis.stats.intervals import Looks, rate_of
from terrors.simulator.play.pilot_game import NOTHING, solve
from terrors.simulator.runs.stopping import Z_95

DRAWS = 200  # of the bootstrap
CYCLES = 1000  # sets, for the noise floor


@dataclass
class Ordered:
    """A match-up's two ways to sit, with the covariance of their means: a goes first, b goes first; the share of the player who goes first."""

    a: int
    b: int
    share: np.ndarray  # 2
    covariance: np.ndarray  # 2 × 2
    deals: int


def ordered(sums: PairSums, number: int, overlords: list[str]) -> list[Ordered]:
    """Return all match-ups of a group, mirrors left out. Two deals never played, one won and one lost by a in both seats, are counted into the variance."""
    found = []
    for m, (a, b) in enumerate(sums.match_ups):
        n = sums.sums[number, m, BOTH, 0]
        if a == b or not n:
            continue
        first, second, both = (sums.sums[number, m, quantity] for quantity in (AS_FIRST, AS_SECOND, BOTH))
        mean = np.array([first[1], second[1]]) / n
        cross = (4 * both[2] - first[2] - second[2]) / 2  # since (f + s)² = f² + 2 f s + s²
        around = (np.array([first[1], second[1]]) + 1) / (n + 2)
        square = (np.array([[first[2], cross], [cross, second[2]]]) + 1) / (n + 2)
        covariance = (square - np.outer(around, around)) * (n + 2) / (n + 1) / n
        covariance[0, 1] = covariance[1, 0] = -covariance[0, 1]  # b's share when b goes first is 1 - a's share as second
        found.append(Ordered(overlords.index(a), overlords.index(b), np.array([mean[0], 1 - mean[1]]), covariance, int(n)))
    return found


@dataclass
class SeatRatings:
    """Ratings in Elo points around a mean of 0, and what going first is worth (the last entry); with their covariance and how well the model fits."""

    value: np.ndarray
    covariance: np.ndarray
    misfit: float  # chi-squared
    freedom: int


def ratings(match_ups: list[Ordered], overlords: int) -> SeatRatings:
    """Return Bradley and Terry's model with a seat term: logit of the first player's chance = rating − rating of the rival + seat. Variance by the sandwich."""
    rows, share = [], []
    for one in match_ups:
        for i, j in ((one.a, one.b), (one.b, one.a)):
            row = np.zeros(overlords + 1)
            row[i], row[j], row[-1] = 1, -1, 1
            rows.append(row)
        share += [min(max(s, 0.5 / one.deals), 1 - 0.5 / one.deals) for s in one.share]
    x, y = np.array(rows).reshape(-1, overlords + 1), np.array(share)
    weight = np.repeat([float(one.deals) for one in match_ups], 2)
    covariance = np.zeros((len(y), len(y)))  # of the shares: match-ups have luck of their own
    for k, one in enumerate(match_ups):
        covariance[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = one.covariance
    found = fit(x, y, weight, covariance)  # the level of all ratings is free and stays where it began, so that their mean is 0
    left = np.eye(len(y)) - (found.expected * (1 - found.expected))[:, None] * (x @ found.influence)  # what a share moves in what the model leaves unexplained
    freedom = len(y) - int(np.linalg.matrix_rank(x)) if len(y) else 0
    misfit = _squares((left @ covariance @ left.T), y - found.expected, freedom)
    return SeatRatings(ELO * found.strength, ELO**2 * found.covariance, misfit, freedom)


def _squares(covariance: np.ndarray, rest: np.ndarray, freedom: int) -> float:
    """Return what is left, squared in its own standard errors, in as many directions as it is free in: chi-squared if nothing but chance is left."""
    values, vectors = np.linalg.eigh(covariance)
    along, size = vectors[:, len(rest) - freedom :].T @ rest, values[len(rest) - freedom :]
    return float((along[size > 0] ** 2 / size[size > 0]).sum())


def nash(gaps: np.ndarray) -> np.ndarray:
    """Return the mix of a symmetric zero-sum game (gaps[i, j]: what i gains against j) that no other choice beats; of several the most even one.

    There is one unless some are exactly even. The value is 0; the most even mix is found by shrinking the largest weight.
    """
    n = len(gaps)
    alone = np.flatnonzero((gaps + np.eye(n) > 0).all(1))  # somebody who beats all others is the whole answer
    if len(alone):
        return np.eye(n)[alone[0]]
    mix = solve(gaps).rows
    return mix if _is_only(mix, gaps) else most_even(gaps)


def most_even(gaps: np.ndarray) -> np.ndarray:
    """Return the most even of the best mixes."""
    from scipy.optimize import linprog  # here, since it takes long to load, and is needed only where some are exactly even

    n = len(gaps)
    # Variables: the weights and the largest of them. Against every rival at least 0.
    upper = np.hstack([-gaps.T, np.zeros((n, 1))])
    largest = np.hstack([np.eye(n), -np.ones((n, 1))])
    found = linprog(
        np.r_[np.zeros(n), 1.0], A_ub=np.vstack([upper, largest]), b_ub=np.r_[np.full(n, 1e-12), np.zeros(n)],
        A_eq=np.r_[np.ones(n), 0.0][None, :], b_eq=[1.0], bounds=[(0, 1)] * (n + 1), method="highs",
    )  # fmt: skip
    weights = np.maximum(found.x[:n], 0)
    return weights / weights.sum()


def _is_only(mix: np.ndarray, gaps: np.ndarray) -> bool:
    """Whether there is no other best mix: whoever is not in it loses to it, and those in it are even with it in one way alone."""
    there = mix > NOTHING
    return bool((gaps[~there] @ mix < -NOTHING).all() and np.linalg.matrix_rank(gaps[np.ix_(there, there)]) == there.sum() - 1)


def _matrix(values: np.ndarray, ends: list[tuple[int, int]], n: int) -> np.ndarray:
    found = np.zeros((n, n))
    for (i, j), value in zip(ends, values, strict=True):
        found[i, j], found[j, i] = value, -value
    return found


def metagame_tables(sums: PairSums, groups: Groups, looks: Looks, seed: int = 1) -> dict[str, pl.DataFrame]:
    """Return the tables `ratings`, `nash` and `metagame`."""
    overlords = overlords_of(sums)
    rated: list[Row] = []
    mixed: list[Row] = []
    whole: list[Row] = []
    mirrors = [number for number in groups.single if len(set(groups.strategies[number])) == 1]
    shown = {*(mirrors or groups.single), len(groups.names) - 1}  # what overlords are worth when two strategies meet says little about either
    for number, group in enumerate(groups.names):
        match_ups = ordered(sums, number, overlords) if number in shown else []
        if not match_ups:
            continue
        found = ratings(match_ups, len(overlords))
        z = looks.z()
        met = {i for one in match_ups for i in (one.a, one.b)} | {len(overlords)}  # whoever only met itself has no rating
        for i, name in enumerate([*overlords, ""]):
            if i not in met:
                continue
            half = z * max(0.0, float(found.covariance[i, i])) ** 0.5
            rated.append({"group": group, "overlord": name, "rating": float(found.value[i]), "low": found.value[i] - half, "high": found.value[i] + half})
        fit_p = float(looks.p_squares(found.misfit, found.freedom)) if found.freedom else None
        weights, cycles = _mix_and_cycles(sums, number, overlords, looks, np.random.default_rng(seed))
        mixed += [{"group": group, "overlord": name} | row for name, row in zip(overlords, weights, strict=True)]
        whole.append({"group": group, "fit_p": fit_p} | cycles)
    return {"ratings": table("ratings", rated), "nash": table("nash", mixed), "metagame": table("metagame", whole, fit_p=pl.Float64)}


def _mix_and_cycles(sums: PairSums, number: int, overlords: list[str], looks: Looks, luck: np.random.Generator) -> tuple[list[Row], Row]:
    """Return Nash weights and cyclic share with bootstrap intervals, and the noise floor. Match-ups have luck of their own, so they are drawn independently."""
    ends, gaps, ses = [], [], []
    for m, (a, b) in enumerate(sums.match_ups):
        if a != b and sums.pairs[number, m]:
            rate = rate_of(sums.sums[number, m, BOTH])
            ends.append((overlords.index(a), overlords.index(b)))
            gaps.append(rate.gap)
            ses.append(rate.se * looks.z() / Z_95)  # whoever looked again and again knows less
    n, gap, se = len(overlords), np.array(gaps), np.array(ses)
    # Drawn gaps are never even, so that there is one mix and no need to ask for the most even one.
    mixes = np.array([solve(_matrix(row, ends, n)).rows for row in gap + se * luck.standard_normal((DRAWS, len(gap)))])
    centre = nash(_matrix(gap, ends, n))
    low, high = np.percentile(mixes, [2.5, 97.5], axis=0)
    weights = [{"weight": 100 * float(centre[i]), "low": 100 * min(low[i], centre[i]), "high": 100 * max(high[i], centre[i])} for i in range(n)]
    share, ends_of_share, floor = cycles(gap, se, ends, n, luck)
    return weights, {"cyclic": 100 * share, "low": 100 * ends_of_share[0], "high": 100 * ends_of_share[1], "noise_floor": 100 * floor}


def cycles(gap: np.ndarray, se: np.ndarray, ends: list[tuple[int, int]], n: int, luck: np.random.Generator) -> tuple[float, tuple[float, float], float]:
    """Return the cyclic share of n overlords, its 95 % interval, and what chance alone shows without any cycle (in 95 of 100 such sets no more than that).

    The cyclic share is the part of the squared gaps that no ranking explains: what is left after the best fit of r_i − r_j (Hodge decomposition).
    Noise adds to both parts of the gaps, so that a bootstrap never comes back to a share of 0 or 1. So an interval reaches to 0 if the share is not above
    the noise floor, and to 1 if the ranking is not above its own.
    """
    x = np.zeros((len(ends), n))
    for row, (i, j) in enumerate(ends):
        x[row, i], x[row, j] = 1, -1
    if np.linalg.matrix_rank(x) == len(ends):
        return 0.0, (0.0, 0.0), 0.0  # nobody met in a circle
    ranking = x @ np.linalg.pinv(x)  # the part of the gaps that a ranking explains; the rest are cycles

    def shares(rows: np.ndarray) -> np.ndarray:
        whole = (rows**2).sum(-1)
        return np.divide(((rows - rows @ ranking) ** 2).sum(-1), whole, out=np.zeros(len(rows)), where=whole > 0)

    def around(middle: np.ndarray) -> np.ndarray:
        return shares(middle + se * luck.standard_normal((CYCLES, len(gap))))

    def without_noise(part: np.ndarray, projection: np.ndarray) -> np.ndarray:
        """Return a part of the gaps, made smaller by what chance adds to it: noise upon noise would show too little."""
        square, noise = float((part**2).sum()), float((np.diag(projection) * se**2).sum())
        return part * max(0.0, 1 - noise / square) ** 0.5 if square else part

    straight = ranking @ gap
    share = float(shares(gap[None])[0])
    floor = float(np.percentile(around(without_noise(straight, ranking)), 95))
    floor_of_ranking = float(np.percentile(1 - around(without_noise(gap - straight, np.eye(len(gap)) - ranking)), 95))
    low, high = np.percentile(around(gap), [2.5, 97.5])
    low = 0.0 if share <= floor else max(0.0, min(low, share, 2 * share - high))
    high = 1.0 if 1 - share <= floor_of_ranking else max(high, share)
    return share, (float(low), float(high)), floor
