"""Statistics as pure functions on arrays. The unit is the seat-swapped pair of games: its two legs share their luck and are not independent."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from simulator.until import Z_95


@dataclass(frozen=True)
class Estimate:
    """A share with its 95 % interval and the number of pairs behind it."""

    share: float
    low: float
    high: float
    pairs: int


def wilson(share: float, n: float, z: float = Z_95) -> tuple[float, float]:
    """The Wilson interval of a share out of n: inside 0 to 1, and honest near the ends, where the usual ± is not."""
    if n <= 0:
        return 0.0, 1.0
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, centre - half), min(1.0, centre + half)


def pair_estimate(first_leg: np.ndarray, second_leg: np.ndarray) -> Estimate:
    """The share of games won from pairs of legs (1 won, 0.5 drawn, 0 lost in each leg).

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
