"""Tables of cards: the cost curve, pairs of cards, corrections over groups; by hand and against statsmodels."""

import numpy as np
import pytest
import statsmodels.api as sm

from terrors.analysis.questions.card_tables import _towards_nothing, cost_curve, pairs_table
from terrors.analysis.questions.lottery import PairTerms
from terrors.analysis.stats.intervals import Looks


def test_the_cost_curve_is_a_weighted_line_and_names_who_stands_out():
    luck = np.random.default_rng(1)
    cost, se = luck.integers(1, 8, 60) * 1.0, luck.uniform(0.2, 0.8, 60)
    value = 0.5 * cost - 1 + luck.normal(0, 0.6, 60) + se * luck.standard_normal(60)
    value[7] += 8
    found = cost_curve(cost, value, se, Looks())
    assert np.flatnonzero(found["outlier"].astype(bool)).tolist() == [7]
    residual = value - found["expected"].astype(float)
    assert np.allclose(found["surplus"].astype(float), residual)
    assert np.allclose((found["surplus_high"] - found["surplus_low"]).astype(float), 2 * 1.959964 * se)
    # The scatter that makes the weighted squares as large as expected gives the line of statsmodels.
    slope = (found["expected"].astype(float)[cost == 5][0] - found["expected"].astype(float)[cost == 2][0]) / 3
    scatter = np.linspace(0, 4, 4_001)
    design = sm.add_constant(cost)
    squares = []
    for s in scatter[::20]:
        fit = sm.WLS(value, design, weights=1 / (se**2 + s)).fit()
        squares.append((fit.resid**2 / (se**2 + s)).sum() - 58)
    at = scatter[::20][int(np.argmin(np.abs(squares)))]
    assert slope == pytest.approx(sm.WLS(value, design, weights=1 / (se**2 + at)).fit().params[1], rel=0.01)


def test_the_scatter_of_few_cards_is_not_cut_short():
    """Four cards known exactly: the scatter is what is left over two degrees of freedom, 2 · 2² of them over 2 here, so that nobody stands out."""
    found = cost_curve(np.array([1.0, 1.0, 2.0, 2.0]), np.array([-2.0, 2.0, -2.0, 2.0]), np.full(4, 1e-3), Looks())
    assert not found["outlier"].any()
    assert np.allclose(found["expected"].astype(float), 0)


def test_a_curve_needs_costs():
    assert cost_curve(np.array([np.nan, 1, 1, 1]), np.zeros(4), np.ones(4), Looks())["expected"].tolist() == [None] * 4
    found = cost_curve(np.array([np.nan, 1, 2, 3, 4]), np.array([9.0, 1, 2, 3, 4]), np.full(5, 0.1), Looks())
    assert found["expected"][0] is None
    assert np.allclose(found["expected"][1:].astype(float), [1, 2, 3, 4])


def test_pairs_are_drawn_towards_nothing_by_hand():
    """Values ±2 with errors of 1: a spread of 3, so three quarters are left. With errors of 2 there is nothing but chance."""
    assert np.allclose(_towards_nothing(np.array([2.0, -2.0]), np.ones(2)), [1.5, -1.5])
    assert np.allclose(_towards_nothing(np.array([2.0, -2.0]), np.full(2, 2.0)), 0)


class FakeSecond:
    """Terms by hand: cards 0 and 1 hurt each other; card 2 counters card 0."""

    class lottery:  # noqa: N801
        @staticmethod
        def known(group):
            return np.array([True, True, True, False])

    def terms(self, kind: int) -> PairTerms:
        value = np.zeros((4, 4))
        if kind == 0:
            value[0, 1] = value[1, 0] = -0.08
        else:
            value[2, 0], value[0, 2] = 0.06, -0.06
        return PairTerms(value, np.full((4, 4), 0.01), np.full((4, 4), 500.0))


def test_a_counter_is_named_as_the_card_that_counters():
    class Names:
        market = ["a", "b", "c", "never known"]

    rows = pairs_table(Names(), FakeSecond(), Looks()).to_dicts()
    assert len(rows) == 6
    worse, counter = rows[:2]
    assert (worse["kind"], worse["card"], worse["other"], worse["value"]) == ("synergy", "a", "b", pytest.approx(-8))
    assert (counter["kind"], counter["card"], counter["other"], counter["value"]) == ("counter", "c", "a", pytest.approx(6))
    assert counter["low"] == pytest.approx(6 - 1.959964)
    assert counter["high"] == pytest.approx(6 + 1.959964)
    assert counter["p"] < counter["q"] <= 3 * counter["p"] + 1e-15
