"""Every estimator by itself, on cases small enough to be worked out by hand."""

import tracemalloc
from math import exp, inf, isnan, log, sqrt

import numpy as np
import pytest

from terrors.analysis.stats import logistic
from terrors.analysis.stats.bradley_terry import ELO, Encounter, Ratings, expected_share, rate
from terrors.analysis.stats.bradley_terry import fit as fit_strengths
from terrors.analysis.stats.intervals import Looks, Rate, benjamini_hochberg, holm, one_sided, rank_intervals, rate_of, shrink, two_sided, wilson
from terrors.analysis.stats.ratios import Term, Value, quantile, ratio
from terrors.simulator.runs.stopping import Z_95

approx = pytest.approx
AGAIN = Looks(rounds=100, rho=0.03)  # rounds · rho = 3, so that √(a + 1) = 2 and a / (2(a + 1)) = 3/8


def test_one_look_is_the_normal_distribution():
    once = Looks()
    assert [once.z(0.05), once.z(0.01), once.z_above(0.05)] == approx([1.959963985, 2.575829304, 1.644853627])
    assert [*once.p([1.96, -2]), *once.p_above([2, -2, 0])] == approx([0.0499957903, 0.0455002639, 0.0227501319, 0.9772498681, 0.5])
    assert [once.p_squares(3.841458821, 1), once.p_squares(5.991464547, 2)] == approx([0.05, 0.05])
    assert once.after(3) is once
    assert [two_sided(-1.0), one_sided(1.0), one_sided(-1.0)] == approx([0.3173105079, 0.1586552539, 0.8413447461])


def test_many_looks_are_the_mixture():
    """z² = 2(a + 1)/a · ln(√(a + 1) / 0.05) = 8/3 · ln 40; p = 2 exp(−3/8 z²), 1 at most; in d dimensions 4^(d/2) exp(−3/8 Q)."""
    assert AGAIN.z(0.05) == approx(sqrt(8 / 3 * log(40)))
    assert AGAIN.z_above(0.05) == AGAIN.z(0.05)
    assert AGAIN.p([2.0, -2.0, 1.0]) == approx([2 * exp(-1.5), 2 * exp(-1.5), 1.0])
    assert AGAIN.p_above([2.0, -2.0, 0.0]) == approx([2 * exp(-1.5), 1.0, 1.0])
    assert [AGAIN.p_squares(8.0, 2), AGAIN.p_squares(8.0, 4), AGAIN.p_squares(1.0, 2)] == approx([4 * exp(-3), 16 * exp(-3), 1.0])
    assert AGAIN.p(AGAIN.z(0.01)) == approx(0.01)
    assert AGAIN.after(2.5) == Looks(250, 0.03)
    assert AGAIN.after(0.001) == Looks(1, 0.03)


def test_a_rate_of_one_cell():
    """3 of 4 won, and one won and one lost that were not played: around 4/6, variance (4/6 − 4/9) · 6/5 / 4 = 1/15, worth (2/9) / (1/15) = 10/3 games."""
    assert rate_of(np.array([4, 3, 3])) == Rate(0.75, approx(sqrt(1 / 15)), *map(approx, wilson(0.75, 10 / 3)), 4)
    assert rate_of(np.array([4, 3, 3])).gap == 0.25
    wide = rate_of(np.array([4, 3, 3]), AGAIN)
    assert (wide.low, wide.high) == approx(wilson(0.75, 10 / 3, AGAIN.z()))


def test_cells_have_equal_weights_and_empty_ones_none():
    """The second cell: 0 of 2, around 1/4, variance (1/4 − 1/16) · 4/3 / 2 = 1/8. Mean 3/8, variance (1/15 + 1/8) / 4 = 23/480, around 11/24."""
    found = rate_of(np.array([[4, 3, 3], [2, 0, 0], [0, 0, 0]]))
    assert found == Rate(0.375, approx(sqrt(23 / 480)), *map(approx, wilson(0.375, 143 / 576 / (23 / 480))), 6)
    assert rate_of(np.zeros((2, 3))) == Rate(0.5, 0.5, 0.0, 1.0, 0)
    assert rate_of(np.array([2, 1, 0.5])).se == approx(sqrt(1 / 12))  # two draws: (1.5/4 − 1/4) · 4/3 / 2


def test_who_has_not_met_anybody_is_not_known():
    """Ann beat Bob, Cat beat Dan: how far Dan is below Cat is known as well as Bob below Ann, and how far Cat is from Ann not at all."""
    found = rate(5, [Encounter(0, 1, 100, 0.6, 0.2), Encounter(2, 3, 100, 0.6, 0.2)])
    assert found.difference(3, 2) == approx(found.difference(1, 0), rel=1e-3)
    assert min(found.difference(2, 0)[1], found.difference(4, 0)[1], found.difference(4, 2)[1]) > 1e6


def test_no_games_have_no_ratio():
    none = np.zeros(0, int)
    assert [(isnan(one.value), one.error, one.deals, one.games) for one in ratio([Term(none, none)], none, none, 1)] == [(True, inf, 0, 0)] * 2


def test_holm_and_benjamini_hochberg():
    assert holm([0.01, 0.04, 0.03]) == approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.4]) == approx([0.8, 0.8])
    assert holm([0.6, 0.9]) == approx([1.0, 1.0])
    assert benjamini_hochberg([0.01, 0.04, 0.03, 0.005]) == approx([0.02, 0.04, 0.04, 0.02])
    assert np.isnan(benjamini_hochberg([0.01, np.nan])).all()
    assert len(benjamini_hochberg([])) == 0


def test_values_are_drawn_to_their_mean_as_far_as_they_are_uncertain():
    """Errors 1 and a variance of 4: the true spread is √3, and 3/4 of each distance stays."""
    values, sds, mean, spread = shrink([0, 2, 4], [1, 1, 1])
    assert (list(values), list(sds)) == (approx([0.5, 2, 3.5]), approx([sqrt(0.75)] * 3))
    assert (mean, spread) == approx((2, sqrt(3)))
    assert shrink([0, 2], [1, 1])[3] == approx(1)  # a variance of 2, 1 of which is error


def test_values_that_lie_no_farther_apart_than_their_errors_are_all_the_mean():
    values, sds, mean, spread = shrink([0, 1], [1, 2])  # weights 1 and 1/4
    assert (list(values), list(sds), mean, spread) == (approx([0.2, 0.2]), [0, 0], approx(0.2), 0)
    assert shrink([5.0], [2.0]) == ([5.0], [2.0], 5.0, 0.0)
    assert shrink([], [])[2:] == (0.0, 0.0)


def test_the_spread_is_the_one_at_which_values_lie_as_far_apart_as_expected():
    values, variances = np.array([0.0, 3.0, 10.0]), np.array([1.0, 4.0, 1.0])
    _, _, mean, spread = shrink(values, np.sqrt(variances))
    weights = 1 / (variances + spread**2)
    assert (weights * (values - mean) ** 2).sum() == approx(2)  # three values, one of them for the mean
    assert mean == approx((weights * values).sum() / weights.sum())


@pytest.mark.parametrize(
    ("means", "sds", "rank", "low", "high"),
    [
        ([3, 1, 2], [0, 0, 0], [1, 3, 2], [1, 3, 2], [1, 3, 2]),
        ([10, 0, 0], [0.1, 1, 1], [1, 2, 3], [1, 2, 2], [1, 3, 3]),
        ([0, 0], [0, 0], [1, 2], [1, 1], [2, 2]),  # by lot
        ([1.8 * sqrt(2), 0], [1, 1], [1, 2], [1, 1], [2, 2]),  # the other way round in 3.6 % of the draws
        ([2.2 * sqrt(2), 0], [1, 1], [1, 2], [1, 2], [1, 2]),  # in 1.4 %
    ],
)
def test_ranks_between_which_95_per_cent_lie(means, sds, rank, low, high):
    assert [list(part) for part in rank_intervals(means, sds)] == [rank, low, high]


# Ratios

GROUP, DEAL = np.array([0, 0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 0, 2, 5])
WON, PLAYED = np.array([1.0, 0, 1, 1, 0, 1, 0]), np.array([1.0, 1, 1, 1, 1, 2, 0])  # the last game does not count


def test_ratios_vary_as_whole_deals_do():
    """Group 0: 3/4; deals move it by ∓1/8, so √(2/64 · 2/1) = 1/4. Group 1: 1/3, ∓1/9, 2/9. Both: −17/72, 9/72 and 8/72, halved, · 3/2. Group 2 is empty."""
    one, two, none, both = ratio([Term(WON, PLAYED)], GROUP, DEAL, 3)
    assert (one, two) == (Value(0.75, approx(0.25), 2, 4), Value(approx(1 / 3), approx(2 / 9), 2, 2))
    assert (isnan(none.value), none.deals, none.games) == (True, 0, 0)
    assert both == Value(approx(13 / 24), approx(sqrt(434 / 72**2 / 4 * 3 / 2)), 3, 6)


def test_terms_are_added_with_their_signs_and_one_deal_says_nothing_about_deals():
    twice = ratio([Term(WON, PLAYED), Term(WON, PLAYED, sign=-3.0)], GROUP, DEAL, 1)[0]
    assert twice == Value(approx(-1.5), approx(0.5), 2, 4)
    assert ratio([Term(WON, PLAYED)], GROUP, np.zeros(7, int), 1)[0].error == inf
    assert isnan(ratio([Term(np.zeros(7), np.zeros(7))], GROUP, DEAL, 1)[-1].value)


def test_the_interval_of_a_value():
    assert Value(2.0, 0.5, 9, 9).interval(share=False) == approx((2 - 0.5 * Z_95, 2 + 0.5 * Z_95))
    assert Value(0.5, 0.1, 9, 9).interval(share=True) == approx(wilson(0.5, 25))
    assert Value(0.5, inf, 1, 2).interval(share=True) == approx(wilson(0.5, 1))
    assert Value(1.0, 0.0, 9, 18).interval(share=True) == approx(wilson(1.0, 9))
    assert Value(0.5, 0.0, 9, 18).interval(share=True) == approx(wilson(0.5, 9))
    assert all(isnan(end) for end in Value(np.nan, 0.1, 0, 0).interval(share=True))


def test_a_quantile_and_its_interval_are_values_that_occurred():
    """1 to 100: the middle is 50, its share has the error √(100 · 0.005² · 100/99) = 0.0503, so that the interval is read off at 40.2 % and 59.8 %."""
    everything = np.arange(1.0, 101), np.zeros(100, int), np.arange(100)
    assert quantile(*everything, 1, 0.5) == [(50, 41, 60, 100)] * 2
    assert quantile(*everything, 1, 0.9)[0][0] == 90
    assert quantile(np.array([1.0, 2, 3, 4]), np.zeros(4, int), np.arange(4), 1, 0.5)[0] == (2, 1, 4, 4)


def test_quantiles_of_all_groups_give_each_the_same_weight():
    values, group = np.array([1.0, 1, 1, 1, 10]), np.array([0, 0, 0, 0, 2])
    by_group = quantile(values, group, np.arange(5), 3, 0.6)
    assert [found[0] for found in by_group] == approx([1, np.nan, 10, 10], nan_ok=True)
    assert [found[3] for found in by_group] == [4, 0, 1, 5]
    assert quantile(values, group, np.arange(5), 3, 0.5)[-1][0] == 1


# Ratings


@pytest.mark.parametrize(("mean", "variance", "share", "of_pair"), [(0.75, 0.1, 0.6875, 0.1), (1.0, 0.0, 0.875, 0.875 * 0.125 / 4)])
def test_two_who_met(mean, variance, share, of_pair):
    """Three pairs, and half of one that was not played: (3 · mean + 1/2) / 4. The logit has the variance of the share over (share (1 − share))²."""
    found = rate(2, [Encounter(0, 1, 3, mean, variance)])
    assert list(found.rating) == approx([0, -ELO * log(share / (1 - share))])
    assert found.difference(0, 1) == approx((ELO * log(share / (1 - share)), Z_95 * ELO * sqrt(of_pair / 4) / (share * (1 - share))))
    assert rate(2, [Encounter(0, 1, 3, mean, variance)], zero=1).rating[0] == approx(-found.rating[1])


def test_a_third_is_rated_through_the_second():
    found = rate(3, [Encounter(0, 1, 9, 0.7, 0.1), Encounter(2, 1, 9, 0.2, 0.1)])
    logits = log(0.68 / 0.32), log(0.23 / 0.77)  # (9 · 0.7 + ½) / 10 and (9 · 0.2 + ½) / 10
    assert list(found.rating) == approx([0, -ELO * logits[0], ELO * (logits[1] - logits[0])])
    assert found.difference(2, 1)[0] == approx(ELO * logits[1])
    assert found.difference(2, 0)[1] > found.difference(2, 1)[1]


def test_differences_know_what_two_ratings_have_in_common():
    ratings = Ratings(np.array([0.0, 10, 30]), np.array([[0.0, 0, 0], [0, 4, 1], [0, 1, 9]]))
    assert ratings.difference(2, 1) == approx((20, Z_95 * sqrt(11)))
    assert [expected_share(400), expected_share(0), expected_share(-400)] == approx([10 / 11, 0.5, 1 / 11])


def test_strengths_that_shares_cannot_tell_apart_are_alike():
    found = fit_strengths(np.array([[1.0, 1.0, 0.0]]), np.array([0.999]), np.array([50.0]), np.array([[0.01]]))
    assert list(found.strength) == approx([log(999) / 2, log(999) / 2, 0])
    assert (found.expected[0], found.influence[2, 0]) == approx((0.999, 0))
    assert found.covariance[0, 0] == approx(0.01 / (2 * 0.999 * 0.001) ** 2)


# Logistic regression


def test_a_chance_is_never_too_large_to_be_told():
    assert logistic.chance(np.array([0, log(3), -log(3), 1000, -1000])) == approx([0.5, 0.75, 0.25, 1, 0])


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_the_likeliest_line_balances_gain_and_penalty(kind, monkeypatch):
    """At the top Σ (y − p) = 0 and Σ x (y − p) = ridge · variance · coefficient; block by block, and with an eighth asked first, it is the same."""
    luck = np.random.default_rng(3)
    x = np.c_[luck.normal(0, 3, 90), luck.normal(5, 0.5, 90), np.ones(90)].astype(kind)
    y = (luck.random(90) < logistic.chance(x[:, 0] - 0.4 * x[:, 1])).astype(float)
    intercept, found = logistic.fit(x, y, ridge=2.0)
    left = y - logistic.chance(intercept + x @ found)
    assert left.sum() == approx(0, abs=1e-4)
    assert x[:, :2].T @ left == approx(2 * x[:, :2].var(axis=0) * found[:2], abs=2e-3 if kind is np.float32 else 1e-6)
    monkeypatch.setattr(logistic, "BLOCK", 7)
    monkeypatch.setattr(logistic, "MANY", 89)
    again = logistic.fit(x, y, ridge=2.0)
    assert (again[0], *again[1]) == approx((intercept, *found), rel=1e-3 if kind is np.float32 else 1e-7, abs=1e-6)
    assert found[2] == approx(0, abs=1e-6)  # it never changes


def test_two_groups_have_their_logits():
    x = np.repeat([0.0, 1.0], [4, 10])[:, None]
    y = np.r_[[1, 0, 0, 0], np.repeat([1.0, 0.0], [8, 2])]
    intercept, found = logistic.fit(x, y, ridge=1e-9)
    assert (intercept, found[0]) == approx((log(1 / 3), log(4) - log(1 / 3)), rel=1e-5)
    assert np.isfinite(logistic.fit(np.array([[0.0], [1.0]]), np.array([0.0, 1.0]))[1]).all()


def test_columns_are_measured_without_a_second_copy_of_them():
    x = (3 + np.random.default_rng(8).standard_normal((100_000, 21)) * np.arange(1, 22)).astype(np.float32)
    tracemalloc.start()
    found = logistic.deviations(x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.tolist() == x.std(axis=0, dtype=np.float64).tolist()
    assert peak < x.nbytes / 2
    assert logistic.deviations(x[:50]).tolist() == x[:50].std(axis=0, dtype=np.float64).tolist()
