"""Statistics against cases worked by hand, against SciPy, and against what they promise."""

from math import isclose, sqrt

import numpy as np
import pytest
from scipy import stats

from terrors.analysis.stats.intervals import Z_95, Estimate, pair_estimate, wilson


def test_95_per_cent_lie_within_z():
    assert isclose(Z_95, stats.norm.ppf(0.975), abs_tol=1e-12)


def test_wilson_by_hand():
    """8 of 10 with z = 2: centre (0.8 + 0.2) / 1.4 = 5/7, half 2/1.4 · √(0.016 + 0.01)."""
    low, high = wilson(0.8, 10, z=2.0)
    assert isclose(low, 5 / 7 - sqrt(0.026) * 10 / 7, abs_tol=1e-12)
    assert isclose(high, 5 / 7 + sqrt(0.026) * 10 / 7, abs_tol=1e-12)
    assert (round(low, 4), round(high, 4)) == (0.4839, 0.9446)


@pytest.mark.parametrize(("won", "n"), [(0, 1), (0, 20), (1, 3), (5, 10), (19, 20), (20, 20), (570, 1000), (1, 100_000)])
def test_wilson_as_scipy_has_it(won, n):
    expected = stats.binomtest(won, n).proportion_ci(0.95, method="wilson")
    assert np.allclose(wilson(won / n, n), (expected.low, expected.high), atol=1e-12)


def test_nothing_played_says_nothing():
    assert wilson(0.5, 0) == (0.0, 1.0)
    assert pair_estimate(np.array([]), np.array([])) == Estimate(0.5, 0.0, 1.0, 0)


def test_pairs_by_hand():
    """Pair scores 1, ½, ½, 0: mean ½, variance 1/6 over 4 = 1/24; ¼ / (1/24) = 6 games' worth."""
    found = pair_estimate(np.array([1, 1, 0, 0]), np.array([1, 0, 1, 0]))
    assert (found.share, found.pairs) == (0.5, 4)
    expected = stats.binomtest(3, 6).proportion_ci(0.95, method="wilson")
    assert np.allclose((found.low, found.high), (expected.low, expected.high), atol=1e-12)


def test_draws_count_half():
    found = pair_estimate(np.array([0.5, 1.0]), np.array([0.5, 0.0]))
    assert found.share == 0.5


@pytest.mark.parametrize(("leg", "share"), [(1, 1.0), (0, 0.0), (0.5, 0.5)])
def test_pairs_that_all_came_out_alike_count_as_one_game_each(leg, share):
    found = pair_estimate(np.full(9, leg), np.full(9, leg))
    assert (found.share, found.pairs) == (share, 9)
    assert np.allclose((found.low, found.high), wilson(share, 9), atol=1e-12)


def test_a_single_pair():
    assert pair_estimate(np.array([1]), np.array([0])) == Estimate(0.5, *wilson(0.5, 1), 1)


def correlated_pairs(luck: np.random.Generator, pairs: int, share: float, correlation: float) -> tuple[np.ndarray, np.ndarray]:
    """Legs that are each won with that probability and have that correlation: with it the second leg is the first (or its opposite), else its own."""
    first = luck.random(pairs) < share
    own = luck.random(pairs) < share
    if correlation >= 0:
        return first, np.where(luck.random(pairs) < correlation, first, own)
    assert share == 0.5
    return first, np.where(luck.random(pairs) < -correlation, ~first, own)


@pytest.mark.parametrize(("share", "correlation"), [(0.5, 0.0), (0.5, 0.5), (0.5, -0.5), (0.6, 0.3), (0.8, 0.6)])
def test_the_interval_holds_the_truth_95_times_of_100(share, correlation):
    """Measured with 4000 runs of 200 pairs each; chance alone moves it by 0.7 points (two standard errors)."""
    luck = np.random.default_rng(5)
    held = 0
    for _ in range(4000):
        found = pair_estimate(*correlated_pairs(luck, 200, share, correlation))
        held += found.low <= share <= found.high
    assert 0.93 < held / 4000 < 0.97


def test_pairs_that_agree_tell_less_than_pairs_that_do_not():
    """The same wins in each leg: with swapped luck (−) the interval is narrower than that of independent games, with shared luck (+) wider."""
    luck = np.random.default_rng(7)
    widths = []
    for correlation in (-0.6, 0.0, 0.6):
        found = pair_estimate(*correlated_pairs(luck, 2000, 0.5, correlation))
        widths.append(found.high - found.low)
    low, high = wilson(0.5, 4000)
    assert widths[0] < 0.75 * widths[1]  # √(1 + correlation)
    assert widths[1] < 0.85 * widths[2]
    assert isclose(widths[1], high - low, rel_tol=0.05)
