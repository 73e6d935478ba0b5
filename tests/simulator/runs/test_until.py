"""When a run may stop: intervals that hold at every look, and looks that depend on the plan alone."""

from itertools import pairwise
from math import log, sqrt

import numpy as np
import pytest
from scipy.stats import norm

from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate
from terrors.simulator.runs.stopping import FIRST_LOOK, GROWTH, Z_95, Stopper, half_widths, means, sequence_half_widths, variances
from tests.support.places import FROZEN


def sums(points: np.ndarray) -> np.ndarray:
    """(pairs, points, squares) of cells, from the points of their pairs: a row a cell."""
    return np.stack([np.full(len(points), points.shape[1]), points.sum(1), (points**2).sum(1)], 1)


def test_a_case_worked_by_hand():
    """Three pairs with 4, 2 and 1 points of 4, and two that were not played with 0 and 4: five scores of 1, ½, ¼, 0, 1; mean 0.55, variance 0.8 / 4."""
    found = sums(np.array([[4, 2, 1]]))
    assert found.tolist() == [[3, 7, 21]]
    scores = np.array([1, 0.5, 0.25, 0, 1])
    assert variances(found)[0] == pytest.approx(scores.var(ddof=1)) == pytest.approx(0.2)
    assert means(found)[0] == pytest.approx(7 / 12)  # 7 of 12 points: what is shown is what was won
    assert means(np.array([[0, 0, 0], [1, 3, 9]])).tolist() == [0.5, 0.75]
    assert half_widths(found)[0] == pytest.approx(0.5)  # 1.96 · √(0.2 / 3) is 0.506, and half is the most
    assert norm.ppf(0.975) == pytest.approx(Z_95)


def test_the_sequence_is_the_published_one():
    """The two-sided boundary of Waudby-Smith and others (2021), eq. 2.3, and its rule for ρ, written out."""
    found = sums(np.tile([[0, 1, 2, 3, 4]], (1, 200)))
    n, miss, tuned_for = 1000, 0.05, 700
    rho = sqrt((-2 * log(miss) + log(-2 * log(miss) + 1)) / tuned_for)
    sigma = sqrt(variances(found)[0])
    expected = sigma * sqrt(2 * (n * rho**2 + 1) / (n**2 * rho**2) * log(sqrt(n * rho**2 + 1) / miss))
    assert sequence_half_widths(found, tuned_for, miss)[0] == pytest.approx(expected)
    assert 1.3 < expected / half_widths(found)[0] < 1.7


def test_the_sequence_is_narrowest_for_what_it_is_tuned_for():
    found = sums(np.tile([[0, 4, 2, 1, 3]], (1, 400)))
    here = sequence_half_widths(found, 2000)[0]
    assert here < sequence_half_widths(found, 20)[0]
    assert here < sequence_half_widths(found, 200_000)[0]


def test_pairs_that_all_came_out_alike_do_not_end_a_run():
    alike = sums(np.full((1, FIRST_LOOK), 4))
    assert sequence_half_widths(alike, 100)[0] > 0.02
    assert half_widths(alike)[0] > 0.01
    assert sequence_half_widths(sums(np.full((1, FIRST_LOOK - 1), 4)), 100)[0] == 0.5


@pytest.mark.parametrize("rate", [0.5, 0.62, 0.9])
def test_the_intervals_hold_at_all_looks_together(rate):
    """4,000 runs of up to 3,000 pairs that are looked at after every 25: the sequence misses the truth at some look in at most 5 of 100.

    The ordinary interval misses it in far more, which is why it may not be used to stop.
    """
    luck = np.random.default_rng(11)
    points = 2 * luck.binomial(2, rate, (4_000, 3_000)).astype(np.int64)
    looks = np.arange(FIRST_LOOK, 3_001, 25)
    n, s, q = looks[None, :], points.cumsum(1)[:, looks - 1], (points**2).cumsum(1)[:, looks - 1]
    flat = np.stack([np.broadcast_to(n, s.shape).ravel(), s.ravel(), q.ravel()], 1)
    gap = np.abs(means(flat) - rate).reshape(s.shape)
    sequence = (gap > sequence_half_widths(flat, 700).reshape(s.shape)).any(1).mean()
    ordinary = (gap > half_widths(flat).reshape(s.shape)).any(1).mean()
    assert sequence < 0.05
    assert ordinary > 0.2


def test_looks_depend_on_the_plan_alone():
    looks = Stopper(Plan(games=100_000, until="±1"), cells=6).looks(100_000, 12)
    assert looks[0] == 2 * 6 * FIRST_LOOK
    assert looks[-1] == 100_000
    assert all(a < b and a % 12 == 0 for a, b in pairwise(looks))
    assert all(b <= GROWTH * a + 12 for a, b in pairwise(looks))  # none is left out, at the end neither
    assert Stopper(Plan(games=999), cells=6).looks(1000, 12) == [1000]


def test_what_is_decided():
    """Fair: inside the margin with all of its interval. Lopsided: outside it with all of its interval. Else it goes on."""
    stopper = Stopper(Plan(until="decided", margin=8), cells=3)
    patterns = [2, 2, 2, 1, 3, 2, 0, 4] * 50, [4, 4, 4, 2, 4, 4, 3, 4] * 50, ([2] * 17 + [3] * 8) * 16
    found = sums(np.tile(patterns, (1, 20)))
    assert means(found).round(2).tolist() == [0.5, 0.91, 0.58]
    assert stopper.open_cells(found).tolist() == [False, False, True]
    assert not stopper.enough(found)
    assert stopper.enough(found[:2])
    assert not Stopper(Plan(), 3).enough(found)


def test_a_promised_width_is_asked_of_each_match_up():
    """Tuned for (1.5 · 1.96 · 0.35 / 0.05)² pairs; a verdict over three match-ups may miss a third of 5 in 100 in each."""
    stopper = Stopper(Plan(until="±5"), cells=3)
    few, many = sums(np.tile([[0, 1, 2, 3, 4]], (1, 30))), sums(np.tile([[0, 1, 2, 3, 4]], (1, 600)))
    found = np.concatenate([few, sums(np.tile([[0, 1, 2, 3, 4]], (1, 85))), many])
    width = stopper.widths(found)
    assert width[0] > 0.08 > width[1] > 0.05 > width[2]  # the second is known to be fair within ±8, and yet not to ±5
    assert stopper.open_cells(found).tolist() == [True, True, False]
    assert stopper.rho == pytest.approx((-2 * log(0.05) + log(1 - 2 * log(0.05))) / (1.5 * Z_95 * 0.35 / 0.05) ** 2)
    miss = 0.05 / 3
    assert Stopper(Plan(until="decided", margin=10), cells=3).rho == pytest.approx((-2 * log(miss) + log(1 - 2 * log(miss))) / (1.5 * Z_95 * 0.35 / 0.05) ** 2)


def test_a_run_stops_when_it_knows_enough_and_always_at_the_same_game(tmp_path):
    plan = Plan(games=40_000, cards=str(FROZEN), until="±5", overlords=("Fenris", "Lilith", "Azazael"))
    one = simulate(plan, tmp_path / "one", jobs=1)
    two = simulate(plan, tmp_path / "two", jobs=2, chunk=74)
    games = one.info["tallies"]["games"]
    assert games == two.info["tallies"]["games"] < 10_000
    assert games in Stopper(plan, 3).looks(2 * ((plan.games + 1) // 2), 6)
    assert one.games.collect().equals(two.games.collect())
    found = np.array(one.info["pairs"])
    stopper = Stopper(plan, 3)
    assert (stopper.widths(found) <= 0.05).all()
    before = (looks := stopper.looks(2 * ((plan.games + 1) // 2), 6))[looks.index(games) - 1]
    assert before < games


def test_a_run_ends_with_its_plan_when_it_never_knows_enough(tmp_path):
    run = simulate(Plan(games=3_000, cards=str(FROZEN), until="±0.1"), tmp_path / "run")
    assert run.info["tallies"]["games"] == 3_000
    assert run.info["status"] == "done"
