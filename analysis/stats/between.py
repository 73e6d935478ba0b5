"""How much a mean over a few draws hangs on which were drawn: pilots of equal strength are draws of an able pilot, and there are only two or three of them.

What the few tell of that is little, and part of it is luck. So it is weighed against what is usual: before anything was seen, the spread is taken to be about
`usual`, or less, and now and then far more (half of a Cauchy distribution, the customary choice for a spread of which little is known). How far apart the
draws are then makes some spreads likelier than others, and the interval is what holds 95 of 100 over all of them, each by its weight.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy.special import ndtr

SPREADS = 400  # that are weighed
MOST = 0.3  # no larger one


def spread_between(seen: float, noise: float, freedom: int, luck: float, usual: float, z: float) -> float:
    """Return the standard error to be added to that of luck, so that intervals of `z` standard errors hold what they promise.

    `seen`: the variance of the mean by how far the draws are apart, `noise`: what luck alone would show of it, `freedom`: how many independent gaps that is
    the mean of; `luck`: the variance of the mean by luck.
    """
    spreads = np.minimum(MOST, usual * np.tan(np.pi / 2 * (np.arange(SPREADS) + 0.5) / SPREADS))  # equally likely at first
    variance = spreads**2 + max(noise, 1e-12)
    likelihood = -freedom / 2 * (np.log(variance) + seen / variance)
    weights = np.exp(likelihood - likelihood.max())
    weights /= weights.sum()
    errors, outside = np.sqrt(spreads**2 + luck), float(ndtr(-z))
    low, high = 0.0, 10 * z * float(errors.max())
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if float(weights @ ndtr(-middle / errors)) > outside else (low, middle)
    return sqrt(max(0.0, (high / z) ** 2 - luck))
