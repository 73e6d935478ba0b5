"""Verdicts on hand cases, and that they are right as often as they say."""

import numpy as np
import pytest
from scipy.stats import norm

from terrors.analysis.contract.findings_schema import FAIR, OFF, TOO_STRONG, TOO_WEAK, UNDECIDED
from terrors.analysis.contract.sentences import about
from terrors.analysis.stats.intervals import Looks, benjamini_hochberg, holm
from terrors.analysis.verdicts.judge import chance_of_verdict, games_missing, judge, lean_of, next_level, worded
from terrors.simulator.runs.stopping import mixture


@pytest.mark.parametrize(
    ("gap", "se", "state", "lean"),
    [
        (0.0, 1.0, FAIR, ""),  # 3 standard errors from the margin
        (1.0, 1.0, FAIR, ""),  # 2: a two-sided 5 % is 1.96
        (1.1, 1.0, UNDECIDED, "leans fair"),
        (-1.0, 1.0, FAIR, ""),
        (0.0, 2.0, UNDECIDED, "leans fair"),  # nothing was found, and that is not balance
        (3.2, 1.5, UNDECIDED, "leans strong"),  # clearly off even, but the interval crosses the margin
        (-3.2, 1.5, UNDECIDED, "leans weak"),
        (2.9, 0.5, UNDECIDED, "leans fair"),
        (5.0, 1.0, TOO_STRONG, ""),
        (-5.0, 1.0, TOO_WEAK, ""),
        (4.9, 1.0, UNDECIDED, "leans strong"),
        (3.0, 0.0, UNDECIDED, "leans fair"),  # just at the margin
        (0.0, 0.0, FAIR, ""),
    ],
)
def test_one_gap_against_a_margin_of_3(gap, se, state, lean):
    """What is said can be read off the 95 % interval: inside the margin, beyond it, or across."""
    found = judge(np.array([gap]), np.array([se]), 3.0)[0]
    assert (found.state, found.lean) == (state, lean)
    assert (found.more is None) == (state != UNDECIDED)
    low, high = abs(gap) - 1.959964 * se, abs(gap) + 1.959964 * se
    assert (state == FAIR) == (high < 3)
    assert (state in OFF) == (low > 3)


def test_a_margin_may_be_less_than_a_point():
    assert [lean_of(gap, 0.5) for gap in (0.8, -0.8, 0.5, -0.5)] == ["leans strong", "leans weak", "leans fair", "leans fair"]


def test_a_spread_between_pilots_widens_what_is_judged_and_no_number_of_games_mends_it():
    assert judge(np.array([5.0]), np.array([0.4]), 3.0, spread=0.5)[0].state == TOO_STRONG
    open_ = judge(np.array([5.0]), np.array([0.4]), 3.0, spread=1.5)[0]
    assert (open_.state, open_.lean, open_.more) == (UNDECIDED, "leans strong", np.inf)
    assert judge(np.array([5.0]), np.array([2.0]), 3.0, spread=0.5)[0].more < 20


def test_families_have_words_of_their_own():
    strong, weak, fair = judge(np.array([9.0, -9.0, 0.0]), np.full(3, 0.5), 3.0)
    assert [worded(one, "overlords") for one in (strong, weak, fair)] == ["too strong", "too weak", "fair"]
    assert [worded(one, "matchups") for one in (strong, weak, fair)] == ["lopsided", "lopsided", "fair"]
    assert [worded(one, "first") for one in (strong, weak, fair)] == ["pays", "costs", "fair"]


def test_each_question_may_have_a_margin_of_its_own():
    assert [one.state for one in judge(np.array([5.0, 5.0]), np.full(2, 0.5), np.array([3.0, 9.0]))] == [TOO_STRONG, FAIR]


def test_p_values_of_a_hand_case():
    """A gap of 2 known to ±1: 2 standard errors off even, 1 inside of the margin."""
    found = judge(np.array([2.0]), np.array([1.0]), 3.0)[0]
    assert found.p == pytest.approx(2 * norm.sf(2))
    assert found.p_fair == pytest.approx(2 * norm.sf(1))
    assert found.p_beyond == 1.0


def test_a_family_is_corrected_together():
    """1 ± 1 is fair alone; of two such, both p-values of 0.0455 are doubled. Cards are corrected by Benjamini and Hochberg, where both pass together."""
    two = np.array([1.0, 1.0]), np.ones(2)
    assert [one.state for one in judge(*two, 3.0)] == [UNDECIDED, UNDECIDED]
    assert [one.state for one in judge(*two, 3.0, correct=benjamini_hochberg)] == [FAIR, FAIR]
    assert [one.state for one in judge(np.array([0.0, 1.0]), np.array([0.5, 1.0]), 3.0)] == [FAIR, FAIR]  # Holm: the clearest one does not count again


def test_repeated_looks_ask_for_more():
    looks = Looks(700, mixture(700, 0.05))
    assert judge(np.array([0.0]), np.array([1.5]), 3.0)[0].state == FAIR
    assert judge(np.array([0.0]), np.array([1.5]), 3.0, looks)[0].state == UNDECIDED
    assert judge(np.array([0.0]), np.array([0.9]), 3.0, looks)[0].state == FAIR


def test_whoever_is_just_at_the_margin_is_rarely_called_anything():
    """Six gaps at the margin: in at most 5 of 100 families any of them is called fair, and in no more any is called too strong."""
    luck = np.random.default_rng(1)
    families = [judge(3 + luck.standard_normal(6), np.ones(6), 3.0) for _ in range(1_000)]
    for wrong in (FAIR, TOO_STRONG):
        assert np.mean([any(one.state == wrong for one in family) for family in families]) <= 0.04


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
        right = np.abs(seen) + later.z(level) * now <= margin
    else:
        right = seen - later.z(level) * now >= margin
    assert 0.78 < right.mean() < (0.82 if not 2.7 < gap < 3.3 else 1)


def test_the_chance_of_a_verdict_by_hand():
    """Even, known to ±1, margin 3: fair if within 3 − 1.96. Off by 5, known to ±1: too strong if above 3 + 1.96."""
    assert chance_of_verdict(0.0, 1.0, 3.0, Looks(), 0.05) == pytest.approx(1 - 2 * norm.sf(3 - norm.isf(0.025)))
    assert chance_of_verdict(5.0, 1.0, 3.0, Looks(), 0.05) == pytest.approx(norm.cdf(2 - norm.isf(0.025)))
    assert chance_of_verdict(1.0, 2.0, 3.0, Looks(), 0.05) == 0.0
    inside = 3 - norm.isf(0.025)  # just at the margin it is fair still, and hardly ever called so
    assert chance_of_verdict(3.0, 1.0, 3.0, Looks(), 0.05) == pytest.approx(norm.cdf(inside - 3) - norm.cdf(-inside - 3), rel=1e-6)


def test_what_the_next_one_must_pass():
    """Of three questions one has passed. Holm asks the next for a half of the level, Benjamini and Hochberg for two thirds."""
    assert next_level(np.array([0.001, 0.2, 0.9]), 0.05, holm) == pytest.approx(0.05 / 2)
    assert next_level(np.array([0.001, 0.2, 0.9]), 0.05, benjamini_hochberg) == pytest.approx(0.05 * 2 / 3)
    assert next_level(np.array([0.2]), 0.05, holm) == next_level(np.array([]), 0.05, holm) == 0.05


def test_more_games_by_hand():
    """Even and known to ±3: with r times the games, 3√r / 3 − 1.96 must be 1.2816, where 80 of 100 lie on either side; √r = 3.2415."""
    assert games_missing(0.0, 3.0, 3.0, Looks(), 0.05) == pytest.approx(3.2415**2 - 1, rel=0.005)
    assert games_missing(3.0001, 0.1, 3.0, Looks(), 0.05) >= 0.1
    assert games_missing(2.99, 3.0, 3.0, Looks(), 0.05) == pytest.approx(games_missing(2.7, 3.0, 3.0, Looks(), 0.05))


@pytest.mark.parametrize(("games", "said"), [(None, None), (float("inf"), None), (0.4, 0), (7.6, 8), (2_871.0, 2_900), (123_456.0, 120_000)])
def test_numbers_of_games_have_two_digits(games, said):
    assert about(games) == said
