"""The spread between a few draws: weighed against what is usual."""

import numpy as np
import pytest

from terrors.analysis.stats.between import MOST, spread_between

Z = 1.96


def test_intervals_hold_what_they_promise_over_worlds_as_they_usually_are():
    """600 worlds whose spread is drawn as is supposed, seen through luck: 95 of 100 truths are inside, within what 600 can tell."""
    luck = np.random.default_rng(7)
    usual, noise, of_luck, freedom, inside = 0.006, 0.004**2, 0.005**2, 6, 0
    for _ in range(600):
        spread = min(MOST, usual * abs(luck.standard_cauchy()))
        seen = (spread**2 + noise) * luck.chisquare(freedom) / freedom
        half = Z * np.hypot(spread_between(seen, noise, freedom, of_luck, usual, Z), of_luck**0.5)
        inside += abs(luck.normal(0, np.hypot(spread, of_luck**0.5))) <= half
    assert 0.93 <= inside / 600 <= 0.97


def test_many_draws_are_believed_and_few_are_not():
    """A hundred draws that are 0.02 apart: that it is. Luck that drowns them: what is usual counts, whatever was seen."""
    assert spread_between(0.02**2, 1e-8, 100, 1e-8, 0.006, Z) == pytest.approx(0.02, rel=0.05)
    drowned = [spread_between(seen, 0.1**2, 2, 0.005**2, 0.002, Z) for seen in (0.0, 0.1**2, 2 * 0.1**2)]
    assert max(drowned) < 1.6 * min(drowned)


def test_the_further_apart_the_wider():
    found = [spread_between(seen**2, 0.004**2, 6, 0.005**2, 0.006, Z) for seen in (0.004, 0.01, 0.02, 0.05)]
    assert found == sorted(found)
    assert found[0] < 0.006
    assert 0.05 < found[-1] < 0.08  # a little more than was seen: six gaps may understate it
