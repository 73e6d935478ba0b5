"""Ratings with a seat term against statsmodels, the mix that cannot be exploited, cycles and what chance shows of them."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from terrors.analysis.questions.matchups import Groups
from terrors.analysis.questions.metagame import Ordered, cycles, metagame_tables, most_even, nash, ordered, ratings
from terrors.analysis.source.pair_sums import PairSums
from terrors.analysis.source.source import NamedCell
from terrors.analysis.stats.bradley_terry import ELO
from terrors.analysis.stats.intervals import Looks
from terrors.simulator.runs.stopping import mixture
from tests.support.fake_lottery import Effects, play

NAMES = ["Ann", "Bob", "Cat", "Dan"]
ALL_MEET = [(a, b) for i, a in enumerate(NAMES) for b in NAMES[i + 1 :]]


def sums_of(rates: dict[tuple[str, str], tuple[float, float]], deals: int, seed: int = 1, correlation: float = 0.5) -> tuple[PairSums, np.ndarray]:
    """Sums of made-up deals. `rates`: by match-up, the chance of a as first and as second. And the games: (a, b, leg, deal, points of the first player)."""
    luck = np.random.default_rng(seed)
    cells = [NamedCell(a, b, "s", "s") for a, b in rates]
    sums = PairSums(cells, ["s"], np.zeros(len(cells), int))
    games = []
    for m, ((a, b), (as_first, as_second)) in enumerate(rates.items()):
        shared = luck.random((deals, 1))  # luck is by seat: who is lucky as first in one leg is so in the other
        own = np.where(luck.random((deals, 2)) < correlation, shared, luck.random((deals, 2)))
        f, s = (own[:, 0] < as_first) * 1.0, (own[:, 1] >= 1 - as_second) * 1.0
        for quantity, value in enumerate(((f + s) / 2, f, s, (f + 1 - s) / 2, (f + s) / 2)):
            for number in (0, 1):
                sums.sums[number, m, quantity] = [deals, value.sum(), (value**2).sum()]
        sums.pairs[:, m] = deals
        deal = m * deals + np.arange(deals)
        i, j = NAMES.index(a), NAMES.index(b)
        games += [np.stack([np.full(deals, i), np.full(deals, j), deal, f], 1), np.stack([np.full(deals, j), np.full(deals, i), deal, 1 - s], 1)]
    return sums, np.concatenate(games)


def logit_rates(strength: np.ndarray, seat: float) -> dict[tuple[str, str], tuple[float, float]]:
    def chance(gap: float) -> float:
        return float(1 / (1 + np.exp(-gap)))

    gaps = {(a, b): strength[NAMES.index(a)] - strength[NAMES.index(b)] for a, b in ALL_MEET}
    return {pair: (chance(gap + seat), chance(gap - seat)) for pair, gap in gaps.items()}


def test_ratings_and_errors_are_those_of_statsmodels():
    """A logistic regression on all games, errors clustered by deal."""
    sums, games = sums_of(logit_rates(np.array([0.6, 0.1, -0.2, -0.5]), 0.15), 1500)
    found = ratings(ordered(sums, 0, NAMES), 4)
    design = np.zeros((len(games), 4))  # Ann is 0
    rows = np.arange(len(games))
    for k, sign in ((0, 1), (1, -1)):
        who = games[:, k].astype(int)
        design[rows[who > 0], who[who > 0] - 1] += sign
    design[:, 3] = 1
    model = sm.GLM(games[:, 3], design, family=sm.families.Binomial())
    expected = model.fit(cov_type="cluster", cov_kwds={"groups": games[:, 2].astype(int), "use_correction": False})
    centre = np.vstack([np.full(3, -1 / 4), np.eye(3) - 1 / 4])
    assert np.allclose(found.value[:4], ELO * centre @ expected.params[:3], atol=1e-4)
    assert found.value[4] == pytest.approx(ELO * expected.params[3], abs=1e-4)
    # Two deals that were not played are in our variances, so that they are a little larger; the clusters of a GLM are around the model, not around the mean.
    assert np.allclose(np.sqrt(np.diag(found.covariance)[:4]), ELO * np.sqrt(np.diag(centre @ expected.cov_params()[:3, :3] @ centre.T)), rtol=0.01)
    assert np.sqrt(found.covariance[4, 4]) == pytest.approx(ELO * expected.bse[3], rel=0.01)


def test_covariances_of_the_seats_have_the_right_sign():
    """Luck by seat: whoever goes first does well in both legs or in none, so the shares of the first players go together."""
    one = ordered(sums_of({("Ann", "Bob"): (0.5, 0.5)}, 4000, correlation=0.8)[0], 0, NAMES)[0]
    assert np.allclose(one.share, 0.5, atol=0.03)
    assert one.covariance[0, 1] / one.covariance[0, 0] == pytest.approx(0.64, abs=0.04)
    by_hand, games = sums_of({("Ann", "Bob"): (0.7, 0.4)}, 300)
    legs = games[:, 3].reshape(2, 300)
    expected = np.cov(np.hstack([legs, [[1, 0], [0, 1]]])) / 300  # one deal won by Ann from both seats, one lost
    assert np.allclose(ordered(by_hand, 0, NAMES)[0].covariance, expected)


def test_the_misfit_is_chi_squared_when_the_model_holds_and_large_when_not():
    rates = logit_rates(np.array([0.5, 0.1, -0.1, -0.5]), 0.2)
    p = []
    for seed in range(150):
        found = ratings(ordered(sums_of(rates, 400, seed, 0.8)[0], 0, NAMES), 4)
        assert found.freedom == 12 - 4
        p.append(float(stats.chi2.sf(found.misfit, found.freedom)))
    assert stats.kstest(p, "uniform").pvalue > 0.01
    cyclic = dict.fromkeys(ALL_MEET, (0.5, 0.5)) | {("Ann", "Bob"): (0.6, 0.6), ("Bob", "Cat"): (0.6, 0.6), ("Ann", "Cat"): (0.4, 0.4)}
    found = ratings(ordered(sums_of(cyclic, 1500)[0], 0, NAMES), 4)
    assert stats.chi2.sf(found.misfit, found.freedom) < 1e-6


def test_somebody_who_never_lost_has_a_rating_too():
    found = ratings([Ordered(0, 1, np.array([1.0, 0.0]), np.eye(2) * 0.01, 50)], 2)
    assert np.isfinite(found.value).all()
    assert found.value[:2] == pytest.approx(np.array([1, -1]) * ELO * np.log(99) / 2)  # as if half a deal had been lost: 49.5 of 50


# The mix


def test_rock_paper_scissors_is_mixed_evenly():
    assert np.allclose(nash(np.array([[0, 0.1, -0.1], [-0.1, 0, 0.1], [0.1, -0.1, 0]])), 1 / 3, atol=1e-6)


def test_uneven_rock_paper_scissors_by_hand():
    """Rock beats scissors by 3, paper rock by 2, scissors paper by 1: each is played as much as the other two hurt each other: 1, 3, 2 of 6."""
    assert np.allclose(nash(np.array([[0, -0.2, 0.3], [0.2, 0, -0.1], [-0.3, 0.1, 0]])), [1 / 6, 3 / 6, 2 / 6], atol=1e-6)


def test_who_beats_all_others_is_always_chosen():
    assert np.allclose(nash(np.array([[0, 0.1, 0.02], [-0.1, 0, 0.1], [-0.02, -0.1, 0]])), [1, 0, 0], atol=1e-6)


def test_of_several_mixes_the_most_even_one():
    assert np.allclose(nash(np.zeros((4, 4))), 1 / 4)


@pytest.mark.parametrize("seed", range(5))
def test_no_choice_beats_the_mix(seed):
    gaps = np.triu(np.random.default_rng(seed).normal(0, 0.1, (6, 6)), 1)
    gaps -= gaps.T
    assert (nash(gaps) @ gaps).min() > -1e-6


@pytest.mark.parametrize("size", range(3, 9))
def test_where_there_is_but_one_mix_it_is_the_most_even_one(size):
    for seed in range(20):
        gaps = np.triu(np.random.default_rng([size, seed]).normal(0, 0.1, (size, size)), 1)
        gaps -= gaps.T
        assert np.allclose(nash(gaps), most_even(gaps), atol=1e-6)


def test_two_who_are_exactly_even_are_weighed_as_evenly_as_can_be():
    """Four: the first two are even with each other and beat the others, so that any mix of theirs is best."""
    gaps = np.array([[0, 0, 0.1, 0.2], [0, 0, 0.3, 0.1], [-0.1, -0.3, 0, 0], [-0.2, -0.1, 0, 0]])
    assert np.allclose(nash(gaps), [0.5, 0.5, 0, 0], atol=1e-6)


# Cycles

PAIRS = [(i, j) for i in range(4) for j in range(i + 1, 4)]


def share(gaps: list[float], ends: list[tuple[int, int]], n: int, se: float = 1e-6) -> float:
    return cycles(np.array(gaps), np.full(len(gaps), se), ends, n, np.random.default_rng(1))[0]


def test_cyclic_shares_by_hand():
    triangle = [(0, 1), (1, 2), (0, 2)]
    assert share([0.1, 0.1, -0.1], triangle, 3) == pytest.approx(1)  # rock, paper, scissors
    assert share([0.1, 0.1, 0.2], triangle, 3) == pytest.approx(0, abs=1e-12)  # a ranking
    # 0.2 and 0.1 and 0 from a to c: the best ranking is off by 0.1 in each, so 3 · 0.01 of 0.05.
    assert share([0.2, 0.1, 0.0], triangle, 3) == pytest.approx(0.03 / 0.05)
    assert share([0.2, 0.1], [(0, 1), (1, 2)], 3) == 0  # nobody met in a circle


def test_chance_alone_stays_below_the_noise_floor_in_95_of_100_sets():
    """A ranking of four and no cycle, 500 pairs a match-up; a ranking that is hardly there; nothing at all."""
    luck = np.random.default_rng(2)
    for size in (0.2, 0.03, 0.0):
        strength = size * np.array([1, 0.3, -0.3, -1.0])
        straight = np.array([strength[i] - strength[j] for i, j in PAIRS])
        above, covered = 0, 0
        for _ in range(150):
            found, (low, _), floor = cycles(straight + 0.016 * luck.standard_normal(6), np.full(6, 0.016), PAIRS, 4, luck)
            above += found > floor
            covered += low == 0
        assert above <= 0.1 * 150
        assert covered >= 0.9 * 150


def test_a_cycle_is_found_and_its_interval_covers():
    luck = np.random.default_rng(3)
    strength = 0.05 * np.array([1, 0.3, -0.3, -1.0])
    gaps = np.array([strength[i] - strength[j] for i, j in PAIRS]) + 0.06 * np.array([1, -1, 0, 1, 0, 0])
    truth = share(list(gaps), PAIRS, 4)
    assert 0.2 < truth < 0.8
    found = [cycles(gaps + 0.012 * luck.standard_normal(6), np.full(6, 0.012), PAIRS, 4, luck) for _ in range(600)]
    assert np.mean([one > floor for one, _, floor in found]) > 0.95
    assert 0.93 <= np.mean([low <= truth <= high for _, (low, high), _ in found]) <= 0.98
    assert all(one - low >= high - one - 1e-12 for one, (low, high), _ in found if low > 0 and high < 1)  # chance only adds, so that it reaches down farther
    pure = share([0.1, -0.1, 0.0, 0.1, 0.0, 0.0], PAIRS, 4)
    assert pure == pytest.approx(1)
    held = [cycles(np.array([0.1, -0.1, 0, 0.1, 0, 0]) + 0.012 * luck.standard_normal(6), np.full(6, 0.012), PAIRS, 4, luck)[1][1] == 1 for _ in range(100)]
    assert np.mean(held) > 0.88


# The tables


def test_the_tables_say_it_for_every_group_and_widen_for_repeated_looks(monkeypatch):
    monkeypatch.setattr("terrors.analysis.questions.metagame.DRAWS", 40)
    cells = [NamedCell(a, b, "s", "s") for a, b in ALL_MEET] + [NamedCell("Eve", "Eve", "s", "s")]
    games = play(cells, Effects(np.zeros(1)), 150, blocks=1)
    sums = PairSums.of(games.source)
    for block in games.blocks:
        sums.add(block)
    groups = Groups(games.source, ())
    once = metagame_tables(sums, groups, Looks())
    again = metagame_tables(sums, groups, Looks(150, mixture(700, 0.05)))
    assert once["ratings"].height == 2 * 5  # four overlords and the seat; Eve met only herself
    assert "Eve" not in once["ratings"]["overlord"].to_list()
    assert all(low < rating < high for rating, low, high in once["ratings"].select("rating", "low", "high").rows())
    assert once["ratings"].filter(group="s", overlord="")["rating"].item() == pytest.approx(again["ratings"].filter(group="s", overlord="")["rating"].item())
    for name, table in once.items():
        if name != "metagame":
            assert ((again[name]["high"] - again[name]["low"]) >= (table["high"] - table["low"])).all()
    assert once["nash"].filter(group="s")["weight"].sum() == pytest.approx(100)
    assert 0 <= once["metagame"]["cyclic"].min() <= once["metagame"]["cyclic"].max() <= 100
    assert all(0 < p <= 1 for p in once["metagame"]["fit_p"])


def test_two_overlords_and_a_seat_fit_exactly_so_that_nothing_is_said_of_the_fit():
    games = play([NamedCell("Ann", "Bob", "s", "s")], Effects(np.zeros(1)), 60, blocks=1)
    sums = PairSums.of(games.source)
    sums.add(games.blocks[0])
    assert metagame_tables(sums, Groups(games.source, ()), Looks())["metagame"]["fit_p"].to_list() == [None, None]
