"""Many questions at once, rates over cells, repeated looks, shrinkage and ranks: against statsmodels, SciPy, cases worked by hand, and what they promise."""

from math import isclose, sqrt

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from terrors.analysis.stats.intervals import Looks, Rate, benjamini_hochberg, holm, one_sided, pair_estimate, rank_intervals, rate_of, shrink, two_sided, wilson
from terrors.simulator.runs.stopping import FIRST_LOOK, mixture

P_VALUES = [
    [0.04], [0.01, 0.04, 0.03, 0.005], [0.5, 0.5, 0.5], [1.0, 0.0, 0.2], [0.02, 0.02, 0.02], list(np.random.default_rng(2).random(68) ** 2), [],
]  # fmt: skip


@pytest.mark.parametrize("p", P_VALUES)
@pytest.mark.parametrize(("own", "name"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
def test_corrections_are_those_of_statsmodels(p, own, name):
    expected = multipletests(p, method=name)[1] if p else []
    assert np.allclose(own(np.array(p)), expected, atol=1e-12)


def test_corrections_by_hand():
    """0.01, 0.03, 0.04: Holm 3 · 0.01, 2 · 0.03, and not less than that; Benjamini and Hochberg 3/1 · 0.01, then 3/2 · 0.03 = 0.045, but 0.04 for the last."""
    assert np.allclose(holm(np.array([0.04, 0.01, 0.03])), [0.06, 0.03, 0.06])
    assert np.allclose(benjamini_hochberg(np.array([0.04, 0.01, 0.03])), [0.04, 0.03, 0.04])


def test_tails_are_those_of_scipy():
    z = np.array([-3.0, -0.5, 0.0, 1.0, 2.5, 9.0])
    assert np.allclose(two_sided(z), 2 * stats.norm.sf(np.abs(z)))
    assert np.allclose(one_sided(z), stats.norm.sf(z))
    assert np.allclose(Looks().p_squares(z**2, 3), stats.chi2.sf(z**2, 3))
    assert np.allclose(Looks().p_squares(z**2, 1), Looks().p(z))


# Rates


def test_a_rate_over_cells_by_hand():
    """Two rivals, 3 deals won of 4 and 1 of 2: mean (¾ + ½) / 2. With one won and one lost more: 4/6 and 2/4, variances 6/5 · 2/9 / 4 and 4/3 · ¼ / 2."""
    found = rate_of(np.array([[4, 3, 3], [2, 1, 1], [0, 0, 0]]))
    variance = (6 / 5 * 2 / 9 / 4 + 4 / 3 / 4 / 2) / 4
    assert found.share == pytest.approx(0.625)
    assert found.se == pytest.approx(sqrt(variance))
    middle = (4 / 6 + 2 / 4) / 2
    assert np.allclose((found.low, found.high), wilson(0.625, middle * (1 - middle) / variance))
    assert found.n == 6
    assert found.gap == pytest.approx(0.125)


def test_a_rate_of_nothing():
    assert rate_of(np.zeros((3, 3))) == Rate(0.5, 0.5, 0.0, 1.0, 0)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_deals_that_all_came_out_alike_do_not_prove_that_they_never_differ(share):
    found = rate_of(np.array([[20, 20 * share, 20 * share]]))
    assert found.se > 0
    assert 0.05 < found.high - found.low < 0.3
    assert found.low <= share <= found.high


def test_of_many_pairs_a_rate_is_the_estimate_of_pairs():
    luck = np.random.default_rng(1)
    legs = luck.integers(0, 3, (2, 4_000)) / 2
    scores = legs.mean(0)
    one, other = pair_estimate(*legs), rate_of(np.array([[4_000, scores.sum(), (scores**2).sum()]]))
    assert one.share == pytest.approx(other.share)
    assert np.allclose((one.low, one.high), (other.low, other.high), atol=1e-4)


@pytest.mark.parametrize("share", [0.5, 0.7, 0.92])
@pytest.mark.parametrize("n", [30, 200])
def test_intervals_of_rates_cover_on_coins(share, n):
    """An overlord's mean over three rivals of different strength, in pairs whose legs are correlated: 3,000 runs; chance moves it by 0.8 points."""
    luck = np.random.default_rng(4)
    rates = np.clip(share + np.array([-0.06, 0.0, 0.06]), 0, 1)
    same = luck.random((3_000, 3, n)) < 0.4
    one, two = np.where(luck.random((2, 3_000, 3, n)) < rates[:, None], 1.0, 0.0)
    scores = (one + np.where(same, one, two)) / 2
    sums = np.stack([np.full((3_000, 3), n), scores.sum(-1), (scores**2).sum(-1)], -1)
    found = [rate_of(row) for row in sums]
    covered = np.mean([rate.low <= rates.mean() <= rate.high for rate in found])
    assert 0.93 <= covered <= 0.97


# Repeated looks


def test_z_and_p_are_each_the_others_inverse():
    for looks in (Looks(), Looks(1200, mixture(700, 0.05)), Looks(150, mixture(700, 0.01))):
        for miss in (0.2, 0.05, 0.001):
            assert isclose(float(looks.p(looks.z(miss))), miss, rel_tol=1e-9)
            assert isclose(float(looks.p_above(looks.z_above(miss))), miss, rel_tol=1e-9)
            assert isclose(float(looks.p_squares(looks.z(miss) ** 2, 1)), miss, rel_tol=1e-9)
    assert Looks(700, mixture(700, 0.05)).z() > 1.3 * Looks().z()
    assert float(Looks(100, 0.01).p(0.0)) == 1.0
    assert float(Looks(100, 0.01).p_above(-3.0)) == 1.0


def test_over_many_looks_fewer_than_5_in_100_miss():
    """Coins that are looked at again and again, in one dimension and as a sum of squares in four; and the usual p-value, which must fail."""
    luck, rho = np.random.default_rng(6), mixture(700, 0.05)
    looks = np.arange(FIRST_LOOK, 2_001, 100)
    steps = luck.choice([-1.0, 1.0], (1_200, 2_000, 4)).cumsum(1)[:, looks - 1] / np.sqrt(looks)[None, :, None]
    one = np.stack([Looks(int(n), rho).p(steps[:, k, 0]) for k, n in enumerate(looks)], 1)
    four = np.stack([Looks(int(n), rho).p_squares((steps[:, k] ** 2).sum(-1), 4) for k, n in enumerate(looks)], 1)
    assert (one <= 0.05).any(1).mean() < 0.05
    assert (four <= 0.05).any(1).mean() < 0.05
    assert (Looks().p(steps[:, :, 0]) <= 0.05).any(1).mean() > 0.15


# Shrinkage and ranks


def test_shrinkage_by_hand():
    """Errors of 1 each, values −2, 0, 2: their variance of 4 is a spread of 3 and the errors' 1. Three quarters of each distance is kept."""
    values, sds, mean, spread = shrink(np.array([-2.0, 0.0, 2.0]), np.ones(3))
    assert np.allclose(values, [-1.5, 0, 1.5])
    assert np.allclose(sds, sqrt(0.75))
    assert (mean, spread) == pytest.approx((0.0, sqrt(3)))


def test_values_that_differ_by_chance_alone_are_all_their_mean():
    values, sds, mean, spread = shrink(np.array([1.0, 1.1, 0.9]), np.array([1.0, 1.0, 2.0]))
    assert spread == 0
    assert mean == pytest.approx((1.0 + 1.1 + 0.9 / 4) / 2.25)
    assert np.allclose(values, mean)
    assert np.allclose(sds, 0)
    rank, low, high = rank_intervals(values, sds)
    assert (low == 1).all()
    assert (high == 3).all()
    assert sorted(rank) == [1, 2, 3]


def test_the_spread_is_where_values_lie_as_far_apart_as_expected():
    """Paule and Mandel's equation holds with unequal errors too."""
    luck = np.random.default_rng(8)
    ses = luck.uniform(0.3, 2, 60)
    found = shrink(luck.normal(3, 1.5, 60) + ses * luck.standard_normal(60), ses)
    values = found[2] + (found[0] - found[2]) * (found[3] ** 2 + ses**2) / found[3] ** 2  # as they were
    weights = 1 / (ses**2 + found[3] ** 2)
    assert ((values - (weights * values).sum() / weights.sum()) ** 2 * weights).sum() == pytest.approx(59)
    assert 1.0 < found[3] < 2.0


def test_shrunk_values_are_nearer_to_the_truth_and_ranks_cover():
    luck = np.random.default_rng(9)
    better, held, width = [], [], []
    for _ in range(150):
        ses = luck.uniform(0.5, 1.5, 40)
        truth = luck.normal(0, 1, 40)
        seen = truth + ses * luck.standard_normal(40)
        shrunk, sds, _, _ = shrink(seen, ses)
        better.append(((shrunk - truth) ** 2).mean() < ((seen - truth) ** 2).mean())
        _, low, high = rank_intervals(shrunk, sds, draws=800)
        rank = (-truth).argsort().argsort() + 1
        held.append((low <= rank) & (rank <= high))
        width.append((high - low).mean())
    assert np.mean(better) > 0.95
    assert 0.93 <= np.mean(held) <= 0.975
    assert np.mean(width) < 30


def test_no_difference_at_all_has_rank_intervals_that_say_so():
    luck = np.random.default_rng(10)
    narrow = 0
    for _ in range(100):
        shrunk, sds, _, _ = shrink(luck.standard_normal(20), np.ones(20))
        _, low, high = rank_intervals(shrunk, sds, draws=400)
        narrow += bool(((high - low) < 10).any())
    assert narrow <= 10
