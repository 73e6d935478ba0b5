"""Verdicts on hand cases, and that they are right as often as they say."""

import numpy as np
import pytest
from scipy.stats import norm

from terrors.analysis.contract.findings_schema import FAIR, LOPSIDED, UNDECIDED
from terrors.analysis.contract.sentences import about
from terrors.analysis.stats.intervals import Looks, benjamini_hochberg
from terrors.analysis.verdicts.judge import chance_of_verdict, games_missing, judge
from terrors.simulator.runs.stopping import mixture


@pytest.mark.parametrize(
    ("gap", "se", "state"),
    [
        (0.0, 1.0, FAIR),  # 3 standard errors from the margin
        (1.3, 1.0, FAIR),  # 1.7: one-sided 5 % is 1.645
        (1.4, 1.0, UNDECIDED),
        (-1.3, 1.0, FAIR),
        (0.0, 2.0, UNDECIDED),  # nothing was found, and that is not balance
        (3.2, 1.5, LOPSIDED),  # clearly off even, and beyond the margin as far as one can tell
        (-3.2, 1.5, LOPSIDED),
        (3.2, 1.7, UNDECIDED),
        (2.9, 0.5, UNDECIDED),  # clearly off even, but perhaps within the margin
        (5.0, 0.5, LOPSIDED),
        (3.0, 0.0, UNDECIDED),  # just at the margin
        (0.0, 0.0, FAIR),
    ],
)
def test_one_gap_against_a_margin_of_3(gap, se, state):
    found = judge(np.array([gap]), np.array([se]), 3.0)[0]
    assert found.state == state
    assert (found.more is None) == (state != UNDECIDED)


def test_p_values_of_a_hand_case():
    """A gap of 2 known to ±1: 2 standard errors off even, 1 inside of the margin."""
    found = judge(np.array([2.0]), np.array([1.0]), 3.0)[0]
    assert found.p == pytest.approx(2 * norm.sf(2))
    assert found.p_fair == pytest.approx(norm.sf(1))
    assert found.p_beyond == pytest.approx(norm.sf(-1))


def test_a_family_is_corrected_together():
    """1.3 ± 1 is fair alone; of two such, both p-values of 0.0446 are doubled. Cards are corrected by Benjamini and Hochberg, where both pass together."""
    two = np.array([1.3, 1.3]), np.ones(2)
    assert [one.state for one in judge(*two, 3.0)] == [UNDECIDED, UNDECIDED]
    assert [one.state for one in judge(*two, 3.0, correct=benjamini_hochberg)] == [FAIR, FAIR]
    assert [one.state for one in judge(np.array([0.0, 1.3]), np.array([0.5, 1.0]), 3.0)] == [FAIR, FAIR]  # Holm: the clearest one does not count again


def test_repeated_looks_ask_for_more():
    looks = Looks(700, mixture(700, 0.05))
    assert judge(np.array([0.0]), np.array([1.5]), 3.0)[0].state == FAIR
    assert judge(np.array([0.0]), np.array([1.5]), 3.0, looks)[0].state == UNDECIDED
    assert judge(np.array([0.0]), np.array([0.9]), 3.0, looks)[0].state == FAIR


def test_whoever_is_just_at_the_margin_is_rarely_called_fair():
    """Six gaps at the margin: in at most 5 of 100 families any of them is called fair. And of six that are even, any is called lopsided hardly ever."""
    luck = np.random.default_rng(1)
    wrong = np.mean([any(one.state == FAIR for one in judge(3 + luck.standard_normal(6), np.ones(6), 3.0)) for _ in range(1_000)])
    assert wrong <= 0.06
    wrong = np.mean([any(one.state == LOPSIDED for one in judge(2 * luck.standard_normal(6), np.full(6, 2.0), 3.0)) for _ in range(1_000)])
    assert wrong <= 0.06


@pytest.mark.parametrize("gap", [0.0, 0.5, 1.5, 2.5, 3.4, 5.0])
@pytest.mark.parametrize("family", [1, 6])
@pytest.mark.parametrize("looks", [Looks(), Looks(300, mixture(700, 0.05))])
def test_that_many_more_games_decide_four_times_of_five(gap, family, looks):
    """The gap is what it looks like; played as often again as is said, it gets its verdict in about 80 of 100 runs, not in far more or fewer."""
    luck = np.random.default_rng(int(10 * gap) + family)
    se, margin = 3.0, 3.0
    gaps = np.full(family, gap)  # all alike: the first of a family to be decided has to pass the whole correction
    undecided = judge(gaps, np.full(family, se), margin, looks)[0]
    assert undecided.state == UNDECIDED
    times = 1 + undecided.more
    now, later = se / np.sqrt(times), looks.after(times)
    level = 0.05 / family
    seen = gap + now * luck.standard_normal(4_000)
    if gap <= margin:
        right = later.p_above((margin - np.abs(seen)) / now) <= level
    else:
        right = (later.p(seen / now) <= level) & (seen > margin)
    assert 0.78 < right.mean() < (0.82 if not 2.7 < gap < 3.3 else 1)


def test_the_chance_of_a_verdict_by_hand():
    """Even, known to ±1, margin 3: fair if within 3 − 1.645. Off by 5, known to ±1: lopsided if above 3."""
    assert chance_of_verdict(0.0, 1.0, 3.0, Looks(), 0.05) == pytest.approx(1 - 2 * norm.sf(3 - norm.isf(0.05)))
    assert chance_of_verdict(5.0, 1.0, 3.0, Looks(), 0.05) == pytest.approx(norm.cdf(2))
    assert chance_of_verdict(1.0, 2.0, 3.0, Looks(), 0.05) == 0.0


def test_more_games_by_hand():
    """Even and known to ±3: with r times the games, 3√r / 3 − 1.645 must be 1.2816, where 80 of 100 lie on either side; √r = 2.9265."""
    assert games_missing(0.0, 3.0, 3.0, Looks(), 0.05) == pytest.approx(2.9265**2 - 1, rel=0.005)
    assert games_missing(3.0001, 0.1, 3.0, Looks(), 0.05) >= 0.1
    assert games_missing(2.99, 3.0, 3.0, Looks(), 0.05) == pytest.approx(games_missing(2.7, 3.0, 3.0, Looks(), 0.05))


@pytest.mark.parametrize(("games", "said"), [(None, None), (float("inf"), None), (0.4, 0), (7.6, 8), (2_871.0, 2_900), (123_456.0, 120_000)])
def test_numbers_of_games_have_two_digits(games, said):
    assert about(games) == said
