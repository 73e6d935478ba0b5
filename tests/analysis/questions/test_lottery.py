"""The lottery's regression against statsmodels, against a case worked by hand, and against planted truth."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from terrors.analysis.questions.card_tables import _against_others, overlord_extremes
from terrors.analysis.questions.lottery import LEAST_DENIALS, Lottery, _market_keys, comes_early
from terrors.analysis.source.source import NamedCell
from terrors.analysis.stats.intervals import Looks
from terrors.simulator.kernel.rng import key_of
from terrors.simulator.terms.enums import Pile
from tests.support.fake_lottery import Effects, Games, play
from tests.support.watching import dealer, market_order, seeds

A, B, C = "Ann", "Bob", "Cat"
# Three match-ups and a mirror, two strategies against each other and themselves: cells that share deals, groups of different size.
PANEL = [NamedCell(a, b, s, t) for a, b in ((A, B), (A, C), (B, C)) for s in "st" for t in "st"] + [
    NamedCell(A, A, "s", "s"),
    NamedCell(A, A, "s", "t"),
    NamedCell(A, A, "t", "t"),
]
ONE = [NamedCell(A, B, "s", "s"), NamedCell(A, C, "s", "s"), NamedCell(B, C, "s", "s")]
VALUES = np.array([0.0, 0.04, -0.05, 0.1, 0.0, 0.02, -0.02, 0.15])


@pytest.fixture(scope="module")
def panel() -> Games:
    return play(PANEL, Effects(VALUES, overlord={(1, A): 0.1}), 300)


def members(games: Games, group: int) -> tuple[np.ndarray, np.ndarray]:
    """Which games belong to a group, and their weights: in `all` every group of a match-up counts the same."""
    if group < len(games.source.groups):
        return games.source.group_of[games.cell] == group, np.ones(len(games.cell))
    alike = np.array([sum((o.a, o.b, o.group) == (c.a, c.b, c.group) for o in games.source.cells) for c in games.source.cells])
    return np.ones(len(games.cell), bool), 1 / alike[games.cell]


def least_squares(games: Games, group: int, y: np.ndarray):
    """statsmodels: dummies for places, errors clustered by deal."""
    mine, weight = members(games, group)
    places = np.unique(games.place[mine])
    design = np.hstack([games.x[mine], games.place[mine][:, None] == places])
    model = sm.WLS(y[mine], design.astype(float), weights=weight[mine])
    return model.fit(cov_type="cluster", cov_kwds={"groups": games.deal[mine], "use_correction": False})


@pytest.mark.parametrize("group", range(4))
def test_values_and_errors_are_those_of_statsmodels(panel, group):
    second = panel.fitted()
    fit = second.fits()[group]
    expected = least_squares(panel, group, panel.points)
    cards = len(VALUES)
    assert np.allclose(fit.value, expected.params[:cards], atol=1e-10)
    small = fit.deals / (fit.deals - cards - 4)  # four match-ups
    assert fit.deals == len(np.unique(panel.deal[members(panel, group)[0]]))
    assert np.allclose(fit.covariance, small * expected.cov_params()[:cards, :cards], rtol=1e-8, atol=1e-12)
    assert np.allclose(fit.se, np.sqrt(small) * expected.bse[:cards], rtol=1e-8)


@pytest.mark.parametrize("group", [0, 3])
def test_what_a_denial_moves_is_a_regression_of_purchases(panel, group):
    fit = panel.fitted().fits()[group]
    small = fit.deals / (fit.deals - len(VALUES) - 4)
    for c in (0, 3):
        expected = least_squares(panel, group, panel.bought[:, c])
        assert fit.moved[c] == pytest.approx(expected.params[c], abs=1e-10)
        assert fit.moved_se[c] == pytest.approx(np.sqrt(small) * expected.bse[c], rel=0.01)  # a deal's games have slightly different means
        assert 0.7 < fit.moved[c] < 0.9


def test_a_purchase_is_worth_what_two_stages_by_hand_say():
    """Two-stage least squares with one instrument: (z'N)⁻¹ z'y, z being the card's lots without the places' means and the other cards."""
    games = play(ONE, Effects(VALUES), 1500)
    fit = games.fitted().fits()[-1]
    mine = games.x
    dummies = (games.place[:, None] == np.arange(6)).astype(float)
    for c in (3, 7):
        others = np.hstack([np.delete(mine, c, 1), dummies])
        z = mine[:, c] - others @ np.linalg.lstsq(others, mine[:, c], rcond=None)[0]
        per = (z @ games.points) / (z @ games.bought[:, c])
        assert fit.per_purchase[c] == pytest.approx(per, rel=1e-9)
        left = games.points - per * games.bought[:, c]
        left -= others @ np.linalg.lstsq(others, left, rcond=None)[0]
        by_deal = np.bincount(games.deal, z * left)
        assert fit.per_purchase_se[c] == pytest.approx(np.sqrt((by_deal**2).sum()) / abs(z @ games.bought[:, c]), rel=0.02)


def test_the_error_of_a_purchase_is_that_of_a_bootstrap_over_deals():
    games = play(ONE, Effects(VALUES), 700, q=0.3)
    fit = games.fitted().fits()[-1]
    luck, c, found = np.random.default_rng(3), 7, []
    demeaned = [column - np.array([column[games.place == p].mean(0) for p in range(6)])[games.place] for column in (games.x, games.points, games.bought)]
    x, y, n = (np.array([np.bincount(games.deal, column) for column in np.atleast_2d(one.T)]).T for one in demeaned)  # legs of a deal have the same lots
    for _ in range(400):
        drawn = luck.integers(0, len(x), len(x))
        inverse = np.linalg.pinv(x[drawn].T @ x[drawn])
        found.append((inverse @ x[drawn].T @ y[drawn])[c, 0] / (inverse @ x[drawn].T @ n[drawn])[c, c])
    assert fit.per_purchase_se[c] == pytest.approx(np.std(found), rel=0.12)


def test_a_case_worked_by_hand():
    """One card, one cell. Denied to the second player the first wins 0.7, denied to the first 0.4, else 0.5: access is worth 15 points."""
    games = play([NamedCell(A, B, "s", "s")], Effects(np.zeros(1)), 500)
    x = games.blocks[0].denied
    for block in games.blocks:
        x = block.denied[1][block.deal, 0].astype(int) - block.denied[0][block.deal, 0]
        block.points = np.select([x == 1, x == -1], [0.7, 0.4], 0.5)
    fit = games.fitted().fits()[-1]
    xs = games.x[:, 0]
    y = np.select([xs == 1, xs == -1], [0.7, 0.4], 0.5)
    expected = [np.cov(xs[games.leg == leg], y[games.leg == leg], bias=True)[0] for leg in (0, 1)]
    assert fit.value[0] == pytest.approx(sum(c[1] for c in expected) / sum(c[0] for c in expected))
    assert fit.value[0] == pytest.approx(0.15, abs=0.005)
    assert fit.denials[0] == np.count_nonzero(xs)


def test_intervals_of_values_cover():
    """95 % intervals of 8 cards in 150 small lotteries of 180 deals, legs of a deal being correlated; chance moves it by 1.3 points (two standard errors)."""
    held = []
    for seed in range(150):
        fit = play(ONE, Effects(VALUES, shared=0.6), 60, seed=100 + seed, q=0.3, blocks=1).fitted().fits()[-1]
        held.append(np.abs(fit.value - VALUES) <= 1.96 * fit.se)
    assert 0.93 < np.mean(held) < 0.97


def test_p_values_are_uniform_where_there_is_nothing():
    p = []
    for seed in range(60):
        fit = play(ONE, Effects(np.zeros(6), shared=0.6), 60, seed=900 + seed, q=0.3, blocks=1).fitted().fits()[-1]
        p += list(Looks().p(fit.value / fit.se))
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_too_little_is_not_known_rather_than_certain():
    """A card that was denied once is fitted without any error; and with as many cards as deals everything is."""
    games = play(ONE, Effects(VALUES), 400, q=0.25)
    deal = int(games.deal[0])
    for block in games.blocks:
        for seat in (0, 1):
            block.denied[seat][:, 0] = False
    games.blocks[0].denied[0][deal, 0] = True
    fit = games.fitted().fits()[-1]
    assert fit.se[0] < 0.1  # two games, and known to less than a tenth of one, where a coin varies by a third: which is why
    assert fit.known.tolist() == [False] + [True] * 7
    few = play(ONE, Effects(VALUES), 5).fitted().fits()[-1]
    assert not few.known.any()
    assert not play(ONE, Effects(VALUES), 160, q=0.05).fitted().fits()[-1].known.any()  # about twenty-four denials of each card


def test_fifty_denials_and_as_many_deals_to_spare_as_cards_are_enough():
    lottery = Lottery(play(ONE, Effects(np.zeros(2)), 1).source)
    lottery.denied_deals[0] = LEAST_DENIALS - 1, LEAST_DENIALS
    for spare, known in ((2, [False, True]), (1, [False, False])):
        lottery.deals[0] = 2 + 3 + spare  # two cards and three match-ups are fitted
        assert lottery.known(0).tolist() == known


def test_one_game_at_each_place_says_nothing_about_a_level():
    """What a place has in common is taken away, and with one game that is all of it."""
    second = play(ONE, Effects(np.zeros(3)), 1, q=0.9).fitted()
    for at in (np.arange(3), np.arange(3, 5)):
        assert second.level[0, at, 1].any()
        assert second._level_squares(0, at) == pytest.approx(0)


def test_values_by_overlord_and_seat_are_those_of_a_regression_on_them(panel):
    second = panel.fitted()
    group = len(panel.source.groups)
    levels = {(level.by, level.level): level for level in second.by_level(group)}
    _, weight = members(panel, group)
    first, second_denied = (panel.x < 0), (panel.x > 0)
    cells = panel.source.cells
    owner = [np.array([(c.a, c.b)[leg ^ seat] for c in cells for leg in (0, 1)])[panel.place] for seat in (0, 1)]
    dummies = panel.place[:, None] == np.arange(2 * len(cells))
    c = 1
    for by, names in (("overlord", (A, B, C)), ("seat", ("first", "second"))):
        z = []
        for k, name in enumerate(names):
            mine = (owner[0] == name, owner[1] == name) if by == "overlord" else (k == 0, k == 1)
            z.append(second_denied[:, c] * mine[1] * 1.0 - first[:, c] * mine[0])
        design = np.hstack([np.array(z).T, np.delete(panel.x, c, 1), dummies]).astype(float)
        expected = sm.WLS(panel.points, design, weights=weight).fit(cov_type="cluster", cov_kwds={"groups": panel.deal, "use_correction": False})
        for k, name in enumerate(names):
            level = levels[by, name]
            assert level.value[c] == pytest.approx(expected.params[k], abs=0.1 * expected.bse[k])
            assert level.se[c] == pytest.approx(expected.bse[k], rel=0.02)
        covariance = np.array([levels[by, name].covariance[:, c] for name in names])
        assert np.allclose(covariance, covariance.T)
        gap = np.zeros(len(design.T))
        gap[0], gap[1] = 1, -1
        mine = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
        assert mine == pytest.approx(gap @ expected.cov_params() @ gap, rel=0.04)


def test_levels_find_what_was_planted():
    """A card worth 10 points more to Ann than to others, and one worth 8 more to the first player and 8 less to the second."""
    games = play(ONE, Effects(np.full(5, 0.03), overlord={(0, A): 0.1}, seat={1: 0.08}), 3000, q=0.4)
    levels = {(level.by, level.level): level for level in games.fitted().by_level(1)}
    for key, c, truth in (
        (("overlord", A), 0, 0.13), (("overlord", B), 0, 0.03), (("overlord", C), 0, 0.03), (("overlord", A), 2, 0.03),
        (("seat", "first"), 1, 0.11), (("seat", "second"), 1, -0.05), (("market", "early"), 0, 0.03 + 0.1 / 3), (("market", "late"), 1, 0.03),
    ):  # fmt: skip
        assert abs(levels[key].value[c] - truth) < 3 * levels[key].se[c] < 0.04, key
    every = list(levels.values())
    found = overlord_extremes(every, Looks(), np.arange(5))
    assert found.keys() == {0}
    assert found[0]["best_overlord"] == A


def test_levels_that_share_deals_are_compared_as_such():
    """Without any difference, p-values of one overlord against the other are uniform, though the legs of a deal have the same luck."""
    p, mistaken, false_alarms = [], [], 0
    for seed in range(120):
        levels = play(ONE[:1], Effects(np.zeros(6), shared=0.8), 150, seed=300 + seed, q=0.4, blocks=1).fitted().by_level(0)
        one, other = (level for level in levels if level.by == "overlord")
        p += [_against_others(c, one, [other], Looks()) for c in range(6)]
        mistaken += list(Looks().p((one.value - other.value) / np.hypot(one.se, other.se)))
        false_alarms += len(overlord_extremes(levels, Looks(), np.arange(6))) > 0
    assert stats.kstest(p, "uniform").pvalue > 0.01
    assert stats.kstest(mistaken, "uniform").pvalue < 0.001  # as if they were independent
    assert false_alarms < 0.1 * 120


def test_pair_terms_find_what_was_planted_with_the_right_sign():
    """Cards 0 and 1 are worth 20 points more together; card 2 is worth 16 more against a rival who may have card 3. Not less because a third is denied."""
    effects = Effects(np.array([0.05, 0.05, 0.0, 0.0, 0.05]), synergy={(0, 1): 0.2}, counter={(2, 3): 0.16}, shared=0.1)
    second = play(ONE, effects, 6000, q=0.4).fitted(pairs=True)
    synergy, counter = second.terms(0), second.terms(1)
    assert abs(synergy.value[0, 1] - 0.2) < 2.5 * synergy.se[0, 1] < 0.06
    assert synergy.value[0, 1] == pytest.approx(synergy.value[1, 0])
    assert abs(counter.value[2, 3] - 0.16) < 2.5 * counter.se[2, 3] < 0.06
    assert counter.value[3, 2] == pytest.approx(-counter.value[2, 3])
    for terms, planted in ((synergy, {(0, 1)}), (counter, {(2, 3)})):
        rest = [terms.value[i, j] / terms.se[i, j] for i in range(5) for j in range(i + 1, 5) if (i, j) not in planted]
        assert np.abs(rest).max() < 3.5


def test_pair_terms_are_those_of_a_regression_with_both():
    games = play(ONE, Effects(VALUES, synergy={(1, 3): 0.1}), 1500, q=0.3)
    terms = games.fitted(pairs=True).terms(0)
    dummies = games.place[:, None] == np.arange(6)
    for i, j in ((1, 3), (0, 5)):
        z = ((games.x[:, i] < 0) & (games.x[:, j] < 0)) * 1.0 - ((games.x[:, i] > 0) & (games.x[:, j] > 0))
        model = sm.OLS(games.points, np.hstack([z[:, None], games.x, dummies]).astype(float))
        expected = model.fit(cov_type="cluster", cov_kwds={"groups": games.deal, "use_correction": False})
        assert terms.value[i, j] == pytest.approx(expected.params[0], abs=0.15 * expected.bse[0])
        assert terms.se[i, j] == pytest.approx(expected.bse[0], rel=0.06)


def test_p_values_of_pairs_are_uniform_where_there_is_nothing():
    p = []
    for seed in range(40):
        second = play(ONE, Effects(np.full(6, 0.03), shared=0.5), 150, seed=seed, q=0.4, blocks=1).fitted(pairs=True)
        i, j = np.triu_indices(6, 1)
        for kind in (0, 1):
            terms = second.terms(kind)
            p += list(Looks().p(terms.value[i, j] / terms.se[i, j]))
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_blocks_do_not_matter(panel):
    whole, pieces = (play(PANEL, Effects(VALUES), 60, blocks=n).fitted(pairs=True) for n in (1, 7))
    for one, other in zip(whole.fits(), pieces.fits(), strict=True):
        assert np.allclose(one.value, other.value)
        assert np.allclose(one.covariance, other.covariance)
        assert np.allclose(one.per_purchase_se, other.per_purchase_se)
    assert np.allclose(whole.terms(1).se, pieces.terms(1).se, equal_nan=True)


def test_early_is_the_upper_third_of_the_market(frozen_cards):
    """The luck that the analysis works out from a deal's seed is the order in which the engine lays out the Market: those that come early lie on top."""
    table = dealer(frozen_cards)
    names = sorted({card.name for card in frozen_cards.cards if card.pile == Pile.MARKET})
    keys = [[key_of(name, copy) for copy in range(1, 1 + frozen_cards.by_name(name).copies)] for name in names]
    numbers = seeds(40)
    cut = []
    for seed, flags in zip(numbers, comes_early(np.array(numbers, np.uint64), keys), strict=True):
        order = [table.box.names[table.box.record.kind_of[card]] for card in market_order(table.deal(seed))]
        early = {name for name, flag in zip(names, flags, strict=True) if flag}
        tops = [k for k in range(len(order) + 1) if set(order[:k]) == early]
        assert tops
        cut.append(tops[0] / len(order))
    assert 0.28 < np.mean(cut) < 0.38


def test_copies_are_known_by_name_and_number(panel):
    """The made-up cards have one copy and two in turn."""
    assert _market_keys(panel.source)[:2] == [[key_of("card 0", 1)], [key_of("card 1", 1), key_of("card 1", 2)]]


def test_a_group_of_two_cells_counts_as_one_in_all(panel):
    lottery = Lottery(panel.source)
    assert lottery.members[-1].reshape(-1, 2)[:, 0].tolist() == [1, 0.5, 0.5, 1] * 3 + [1, 1, 1]
