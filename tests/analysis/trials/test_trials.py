"""Trials: differences deal by deal, early stopping that may look at any time, the fair hand, what confirms a pair of cards."""

from types import SimpleNamespace

import numpy as np
import pytest

from terrors.analysis.trials.confirm_pairs import granted, interaction, pair_words
from terrors.analysis.trials.handicap import _interval, crossing, handicap
from terrors.analysis.trials.trials import FIRST_LOOK, Arm, Difference, Trial, bank, by_deal, looks_at, until_decided
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.plan import Plan
from tests.support.places import FROZEN

PLAN = Plan(cards=str(FROZEN), overlords=("Fenris", "Lilith"), turns=False)


def test_a_mean_over_deals_by_hand():
    """Deals of two and three games: means ½ and −⅓. With one deal more that is half a game off, squares of ¼, 1/9 and ¼ around the mean of three."""
    values = by_deal(np.array([0, 1, 0, 1, 1]), np.array([1.0, 0.0, 0.0, -1.0, 0.0]))
    assert values.tolist() == pytest.approx([0.5, -1 / 3])
    found = Difference()
    found.add(values)
    assert (found.mean, found.deals) == (pytest.approx(1 / 12), 2)
    assert found.se == pytest.approx(((0.25 + 1 / 9 + 0.25) / 3 - (1 / 6 / 3) ** 2) ** 0.5)
    assert found.interval == pytest.approx((1 / 12 - 1.959964 * found.se, 1 / 12 + 1.959964 * found.se))


def test_differences_added_in_pieces_are_the_same():
    values = np.random.default_rng(1).integers(-2, 3, 500) / 2
    one, other = Difference(), Difference()
    one.add(values)
    for piece in np.array_split(values, 7):
        other.add(piece)
    assert (one.mean, one.se, one.deals) == pytest.approx((other.mean, other.se, other.deals))
    assert one.se == pytest.approx(values.std(ddof=1) / 500**0.5, rel=0.01)


def test_deals_that_all_came_out_alike_are_not_certain():
    found = Difference()
    found.add(np.zeros(200))
    assert 0.001 < found.se < 0.01
    assert found.p == 1.0


def test_where_one_looks_depends_on_nothing_that_was_seen():
    looks = list(looks_at(1_000))
    assert looks[0] == (0, FIRST_LOOK)
    assert sum(rounds for _, rounds in looks) == 1_000
    assert [first for first, _ in looks] == [0, *np.cumsum([rounds for _, rounds in looks])[:-1]]


def trial_of(mean: float, luck: np.random.Generator):
    """Deals that differ in one of three: −1, 0 or 1 with that mean."""
    chances = [1 / 6 - mean / 2, 2 / 3, 1 / 6 + mean / 2]
    return lambda first, rounds: luck.choice([-1.0, 0.0, 1.0], rounds, p=chances)


def test_stopping_early_is_wrong_in_fewer_than_5_of_100():
    """At the margin of 3 points, *fair* is wrong; with nothing there, *lopsided* is. And intervals hold the truth where they stop."""
    luck = np.random.default_rng(2)
    at_the_margin = [until_decided(trial_of(0.03, luck), 0.03, 6_000) for _ in range(250)]
    assert np.mean([abs(one.mean) < 0.03 - one.looks.z() * one.se for one in at_the_margin]) < 0.05
    assert np.mean([one.interval[0] <= 0.03 <= one.interval[1] for one in at_the_margin]) > 0.95
    nothing = [until_decided(trial_of(0.0, luck), 0.05, 6_000) for _ in range(250)]
    assert np.mean([one.p < 0.05 for one in nothing]) < 0.05
    assert np.mean([one.deals < 6_000 for one in nothing]) > 0.8  # and most stop before the end


def test_a_large_difference_is_decided_at_the_first_look_unless_a_width_is_wanted():
    luck = np.random.default_rng(3)
    assert until_decided(trial_of(0.25, luck), 0.03, 6_000).deals == FIRST_LOOK
    narrow = until_decided(trial_of(0.25, luck), 0.03, 20_000, width=0.02)
    assert FIRST_LOOK < narrow.deals < 20_000
    assert narrow.looks.z() * narrow.se <= 0.02


def test_banks_are_apart():
    seeds = {bank(purpose, seed) for purpose in ("handicap", "card Ghoul", "card Ghoul ", "confirm a b") for seed in range(50)}
    assert len(seeds) == 200
    assert all(0 <= seed < 2**63 for seed in seeds)


# The fair hand


@pytest.mark.parametrize(
    ("rates", "fair"),
    [
        ([0.4, 0.45, 0.55], 4.5),
        ([0.4, 0.5, 0.6], 4.0),
        ([0.6, 0.55, 0.45], 4.5),  # second hands: the rate falls
        ([0.5, 0.6, 0.7], 3.0),
        ([0.4, 0.44, 0.49], 5.2),  # the last line goes on: 0.05 a card
        ([0.52, 0.56, 0.66], 2.5),  # and the first one
        ([0.55, 0.65, 0.7], 2.5),
        ([0.3, 0.32, 0.34], None),  # more than a card beyond
        ([0.6, 0.6, 0.6], None),
    ],
)
def test_where_a_rate_crosses_even(rates, fair):
    assert crossing(np.array([3.0, 4.0, 5.0]), np.array(rates)) == (pytest.approx(fair) if fair is not None else None)


def test_the_interval_of_the_fair_hand_covers(monkeypatch):
    """Three sizes on the same deals of two match-ups, the truth at 4.5; 250 times."""
    monkeypatch.setattr("terrors.analysis.trials.handicap.BOOTSTRAP", 300)
    luck = np.random.default_rng(5)
    sizes, chances, held = np.array([3.0, 4.0, 5.0]), np.array([0.44, 0.48, 0.52]), []
    match_up = np.arange(1_200) % 2
    for _ in range(250):
        uniform = luck.random((2, 1_200))
        shares = (uniform[:, None, :] < (chances[:, None] + np.where(match_up == 0, 0.05, -0.05))).mean(0)
        low, high, _ = _interval(sizes, shares, match_up)
        held.append(low is not None and low <= 4.5 <= high)
    assert 0.92 <= np.mean(held) <= 0.98


def test_what_lies_beyond_the_sizes_widens_the_interval():
    """Half of the draws have no fair point within a card of what was tried: the interval reaches to there, and not to where the others end."""
    luck = np.random.default_rng(6)
    shares = (luck.random((3, 400)) < np.array([[0.40], [0.42], [0.465]])) * 1.0
    low, high, found = _interval(np.array([3.0, 4.0, 5.0]), shares, np.zeros(400, int))
    assert found < 0.9
    assert high == 6.0
    assert low < 6.0


# With games


def test_arms_are_the_same_deals_and_the_same_arm_gives_the_same_games():
    job = Job.of(PLAN, "")
    plan = job.plan.but(seed=bank("test", 1), games=10**9)
    trial = Trial(job, [Arm(plan), Arm(plan), Arm(plan.but(rules={"first_hand": 6}))], jobs=2)
    played = trial.play(3, 40)
    assert [len(rows) for rows in played.rows] == [80] * 3
    assert (played.rows[0] == played.rows[1]).all()
    assert (played.rows[0]["seed"] == played.rows[2]["seed"]).all()
    assert (played.rows[0]["winner"] != played.rows[2]["winner"]).any()
    assert played.deal.max() + 1 == 40
    whole = trial.play(0, 43)
    assert (whole.rows[0]["winner"][6:] == played.rows[0]["winner"]).all()


def test_a_larger_first_hand_helps_the_first_player_and_the_fair_hand_lies_where_it_should():
    found = handicap(Job.of(PLAN, ""), "first_hand", [2, 5, 6], 1_600)
    shares = [rate.share for rate in found.rates]
    assert shares == sorted(shares)
    assert [rate.n for rate in found.rates] == [800] * 3
    if found.fair is not None and found.low is not None:
        assert found.low <= found.fair <= found.high


def test_an_interaction_has_the_sign_of_the_definition(monkeypatch):
    """None − one − the other + both, by deal: 0.9 − 0.6 − 0.7 + 0.6 is +0.2, worth more together. A counter denies the other card to the rival."""
    asked = []

    class Fake:
        cells = 1
        schedule = (SimpleNamespace(groups=[(0, 0)]),)

        def __init__(self, job, arms, jobs):
            asked[:] = [arm.plan.deny for arm in arms]

        def play(self, first, rounds):
            means = (0.9, 0.6, 0.7, 0.6)
            return SimpleNamespace(deal=np.arange(4), points=lambda arm: np.full(4, means[arm]))

    monkeypatch.setattr("terrors.analysis.trials.confirm_pairs.Trial", Fake)
    found = interaction(SimpleNamespace(plan=PLAN), {"card": "Ghoul", "other": "Werewolf", "kind": "synergy"}, 4, 1)
    assert found.mean == pytest.approx(0.2)
    assert asked == [(), ("Ghoul:first",), ("Werewolf:first",), ("Ghoul:first", "Werewolf:first")]
    interaction(SimpleNamespace(plan=PLAN), {"card": "Ghoul", "other": "Werewolf", "kind": "counter"}, 4, 1)
    assert asked[3] == ("Ghoul:first", "Werewolf:second")


def test_two_great_cards_are_no_combination_because_nobody_wins_more_than_all(monkeypatch):
    """Each alone wins 80 of 100, which is 4 to 1; both, if neither helps the other, win 16 to 1, 94 of 100. In points that would be −16."""
    shares = {(): 0.5, ("Ghoul",): 0.8, ("Werewolf",): 0.8, ("Ghoul", "Werewolf"): 16 / 17}

    class Fake:
        cells = 1

        def __init__(self, job, arms, jobs):
            self.grants = [arm.plan.grant for arm in arms]

        def play(self, first, rounds):
            def points(arm):
                share = shares[tuple(text.split(":")[0] for text in self.grants[arm])]
                return np.full(4, share if self.grants[arm][0].endswith("first") else 1 - share)

            return SimpleNamespace(deal=np.arange(4), points=points)

    monkeypatch.setattr("terrors.analysis.trials.confirm_pairs.Trial", Fake)
    assert granted(SimpleNamespace(plan=PLAN), "Ghoul", "Werewolf", 4, 1).mean == pytest.approx(0)
    shares["Ghoul", "Werewolf"] = 0.99  # 99 to 1: more than six times the odds
    assert granted(SimpleNamespace(plan=PLAN), "Ghoul", "Werewolf", 4, 1).mean == pytest.approx(np.log(99 / 16) / 4)


def test_what_fresh_games_say_of_pairs_is_told_in_words():
    row = {"card": "Ghoul", "other": "Werewolf", "kind": "synergy", "confirmed": 2.0, "confirmed_low": 1.2, "confirmed_high": 2.8,
           "granted": None, "granted_low": None, "granted_high": None}  # fmt: skip
    assert pair_words([row]) == ["Ghoul and Werewolf: a combination (points beyond the sum of both: denied on purpose +2 (+1 to +3))."]
    small = row | {"confirmed": 0.1, "confirmed_low": -0.3, "confirmed_high": 0.5, "granted": 0.5, "granted_low": -1.0, "granted_high": 2.0}
    assert "no more together than apart" in pair_words([small])[0]
    assert "against Werewolf: worth less" in pair_words([small | {"kind": "counter", "granted": -4.0, "granted_low": -5.0, "granted_high": -3.1}])[0]
    assert pair_words([row | {"confirmed": None}]) == []
