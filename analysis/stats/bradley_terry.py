"""Ratings from games between many: Bradley and Terry's model, with intervals that know that a pair of games is one observation.

The chance that i beats j is 1 / (1 + exp(r_j - r_i)). Ratings are those under which the points that were made are the most likely ones; half a pair won and
half a pair lost is added to each encounter, so that somebody who never won has a rating too. The intervals come from the variance of the pairs as it was seen
(a sandwich estimate), not from the model's own idea of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np

from terrors.simulator.runs.stopping import Z_95

ELO = 400 / log(10)  # points of the scale that chess players know


@dataclass(frozen=True)
class StrengthFit:
    """The likeliest strengths, on the scale of log odds, and what was needed to find them."""

    strength: np.ndarray
    expected: np.ndarray  # the shares under these strengths
    influence: np.ndarray  # what each share moves in each strength
    covariance: np.ndarray  # of the strengths


def fit(design: np.ndarray, shares: np.ndarray, weights: np.ndarray, covariance: np.ndarray, ridge: float = 0.0) -> StrengthFit:
    """Return strengths under which the logit of a share is its row of the design times them; their variance from that of the shares, as it was seen (sandwich).

    `weights`: on how many observations each share stands. What the shares say nothing about stays 0, and with a ridge it gets a huge variance.
    """
    strength = np.zeros(design.shape[1])
    for _ in range(200):  # Newton's method; the likelihood is concave
        expected = 1 / (1 + np.exp(-design @ strength))
        step = _inverse(design, weights * expected * (1 - expected), ridge) @ (design.T @ (weights * (shares - expected)))
        strength += np.clip(step, -2, 2)
        if np.abs(step).max(initial=0) < 1e-12:
            break
    expected = 1 / (1 + np.exp(-design @ strength))
    inverse = _inverse(design, weights * expected * (1 - expected), ridge)
    influence = inverse @ (design * weights[:, None]).T
    return StrengthFit(strength, expected, influence, influence @ covariance @ influence.T + ridge * inverse @ inverse)  # a ridge knows next to nothing


def _inverse(design: np.ndarray, weights: np.ndarray, ridge: float) -> np.ndarray:
    information = design.T @ (design * weights[:, None])
    return np.linalg.inv(information + ridge * np.eye(len(information))) if ridge else np.linalg.pinv(information, hermitian=True)


@dataclass(frozen=True)
class Encounter:
    """The results of the pairs of games between two players."""

    a: int
    b: int
    pairs: int
    mean: float  # the share of points that a made
    variance: float  # of a pair's share


@dataclass
class Ratings:
    """Ratings, in Elo points, relative to one of the players."""

    rating: np.ndarray
    covariance: np.ndarray

    def difference(self, i: int, j: int) -> tuple[float, float]:
        """Return how far i is above j, and the ± of it (95 %)."""
        variance = self.covariance[i, i] + self.covariance[j, j] - 2 * self.covariance[i, j]
        return float(self.rating[i] - self.rating[j]), Z_95 * float(max(variance, 0.0)) ** 0.5


def rate(players: int, encounters: list[Encounter], zero: int = 0) -> Ratings:
    """Return ratings of all players; `zero` has the rating 0. Players who have not met, not even through others, get huge intervals."""
    a = np.array([e.a for e in encounters])
    b = np.array([e.b for e in encounters])
    n = np.array([e.pairs + 1.0 for e in encounters])
    mean = np.array([(e.pairs * e.mean + 0.5) / (e.pairs + 1) for e in encounters])
    variance = np.maximum([e.variance for e in encounters], mean * (1 - mean) / 4)  # encounters that all came out alike do not prove that they never differ
    design = np.zeros((len(encounters), players))
    design[np.arange(len(encounters)), a] = 1
    design[np.arange(len(encounters)), b] -= 1
    free = [i for i in range(players) if i != zero]
    found = fit(design[:, free], mean, n, np.diag(variance / n), ridge=1e-9)
    rating, covariance = np.zeros(players), np.zeros((players, players))
    rating[free] = ELO * found.strength
    covariance[np.ix_(free, free)] = ELO**2 * found.covariance
    return Ratings(rating, covariance)


def expected_share(difference: float) -> float:
    """Return the share of points that somebody makes who is so many Elo points above the other."""
    return float(1 / (1 + 10 ** (-difference / 400)))
