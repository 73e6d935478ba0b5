"""Who wins: sums of deals and the tables made from them, against games counted one by one."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from terrors.analysis.contract.findings_schema import FAIR, LOPSIDED
from terrors.analysis.questions.matchups import Groups, groups_table, matchups_table, overlords_table, seats_table, strategies_table
from terrors.analysis.questions.metagame import ordered
from terrors.analysis.source.pair_sums import AS_FIRST, AS_SECOND, BOTH, GOING_FIRST, STRATEGY, PairSums, turned
from terrors.analysis.source.source import Block, NamedCell
from terrors.analysis.stats.intervals import Looks, rate_of
from terrors.simulator.runs.stopping import mixture
from tests.support.fake_lottery import Effects, Games, play, source_of

A, B, C = "Ann", "Bob", "Cat"
PANEL = [NamedCell(a, b, s, t) for a, b in ((A, B), (A, C), (B, C)) for s in "st" for t in "st"] + [
    NamedCell(A, A, "s", "s"),
    NamedCell(A, A, "s", "t"),
    NamedCell(A, A, "t", "t"),
]


def block(cell: list[int], deal: list[int], points: list[float]) -> Block:
    """Pairs of games by hand: `cell` and `deal` by pair, `points` of the first player by game."""
    n = len(points)
    none = np.zeros(n, bool)
    numbers = np.arange(n)
    drawn = np.array(points) == 0.5
    return Block(numbers, np.repeat(deal, 2), np.repeat(cell, 2), numbers % 2, np.array(points), drawn, none, none, numbers, np.repeat(deal, 2), max(deal) + 1)


def added(games: Games) -> PairSums:
    sums = PairSums.of(games.source)
    for one in games.blocks:
        sums.add(one)
    return sums


class Cards:
    def by_name(self, name):
        from types import SimpleNamespace

        return SimpleNamespace(faction=None, name=name)


def with_box(source):
    from types import SimpleNamespace

    source.box = SimpleNamespace(cards=Cards())
    source.card = source.box.cards.by_name
    return source


def test_sums_by_hand():
    """Two deals of Ann against Bob. In the first both strategies' pairs; in the second only one.

    Deal 0: s against itself: Ann wins as first, loses as second (leg 1: Bob, first, wins: 1): shares 1 and 0. t: wins both. Deal 1: s: two draws.
    """
    cells = [NamedCell(A, B, "s", "s"), NamedCell(A, B, "t", "t")]
    sums = PairSums(cells, ["s", "t"], np.array([0, 1]))
    sums.add(block([0, 1, 0], [0, 0, 1], [1, 1, 1, 0, 0.5, 0.5]))
    assert sums.sums[0, 0, BOTH].tolist() == [2, 1, 0.5]  # ½ and ½
    assert sums.sums[0, 0, AS_FIRST].tolist() == [2, 1.5, 1.25]
    assert sums.sums[0, 0, AS_SECOND].tolist() == [2, 0.5, 0.25]
    assert sums.sums[0, 0, GOING_FIRST].tolist() == [2, 1.5, 1.25]
    assert sums.sums[1, 0, BOTH].tolist() == [1, 1, 1]
    assert sums.sums[2, 0, BOTH].tolist() == [2, 1.25, 0.75**2 + 0.25]  # a deal is one observation, whoever played it
    assert sums.pairs.tolist() == [[2], [1], [3]]
    assert sums.drawn[:, 0].tolist() == [2, 0, 2]
    assert sums.games.tolist() == [[4, 2, 0, 0], [2, 0, 0, 0]]


def test_two_strategies_against_each_other_by_hand():
    """Strategy s beats t in all four games of a deal, whoever has which overlord: no overlord is better, and s wins all."""
    cells = [NamedCell(A, B, "s", "t"), NamedCell(A, B, "t", "s")]
    sums = PairSums(cells, ["s – t"], np.zeros(2, int))
    sums.add(block([0, 1], [0, 0], [1, 0, 0, 1]))
    assert sums.sums[0, 0, BOTH].tolist() == [1, 0.5, 0.25]
    assert sums.sums[0, 0, STRATEGY].tolist() == [1, 1, 1]
    assert sums.sums[0, 0, GOING_FIRST].tolist() == [1, 0.5, 0.25]


def test_a_strategy_that_wins_with_one_overlord_only_by_hand():
    """With Ann s wins all, with Bob t does: so Ann wins all, and each strategy half."""
    cells = [NamedCell(A, B, "s", "t"), NamedCell(A, B, "t", "s")]
    sums = PairSums(cells, ["s – t"], np.zeros(2, int))
    sums.add(block([0, 1], [0, 0], [1, 0, 1, 0]))
    assert sums.sums[0, 0, BOTH].tolist() == [1, 1, 1]
    assert sums.sums[0, 0, STRATEGY].tolist() == [1, 0.5, 0.25]


def test_the_two_ways_to_sit_by_hand():
    """Three deals with draws: Ann first has 1, ½ and 1; as second ½, 1 and 0, so that Bob first has ½, 0 and 1."""
    sums = PairSums([NamedCell(A, B, "s", "s")], ["s"], np.zeros(1, int))
    sums.add(block([0, 0, 0], [0, 1, 2], [1, 0.5, 0.5, 0, 1, 1]))
    (found,) = ordered(sums, 0, [A, B])
    assert found.share.tolist() == pytest.approx([2.5 / 3, 1.5 / 3])
    ann, bob = np.array([1, 0.5, 1, 0, 1]), np.array([0.5, 0, 1, 1, 0])  # and two deals never played, one won and one lost by Ann in both seats
    assert found.covariance == pytest.approx(np.cov(ann, bob) / 3)


def test_the_other_side_of_a_share():
    shares = np.array([0.25, 1.0, 0.5])
    sums = [3, shares.sum(), (shares**2).sum()]
    assert np.allclose(turned(np.array(sums)), [3, (1 - shares).sum(), ((1 - shares) ** 2).sum()])


@pytest.fixture(scope="module")
def panel() -> Games:
    return play(PANEL, Effects(np.zeros(1), shared=0.5), 200, blocks=3)


def test_every_group_counts_the_same_in_all(panel):
    """Though s and t against each other have two cells of a match-up, and each against itself one."""
    sums = added(panel)
    share = np.where(panel.leg == 0, panel.points, 1 - panel.points)
    at = np.array([(cell.a, cell.b) == (A, B) for cell in PANEL])[panel.cell]
    groups = panel.source.group_of[panel.cell]
    means = [share[at & (groups == g)].mean() for g in range(3)]
    n, total, _ = sums.sums[-1, sums.match_ups.index((A, B)), BOTH]
    assert n == 200
    assert total / n == pytest.approx(np.mean(means))


def test_tables_are_the_games_counted_one_by_one(panel):
    sums, source = added(panel), with_box(panel.source)
    groups = Groups(source, ("t",))
    assert groups.names == ["s", "s – t", "t", "all"]
    assert groups.serious == [True, False, False]
    first = np.array([(c.a, c.b)[leg] for c in PANEL for leg in (0, 1)])[panel.place]
    second = np.array([(c.b, c.a)[leg] for c in PANEL for leg in (0, 1)])[panel.place]
    mine = panel.source.group_of[panel.cell] == 0

    def won(overlord: str, rival: str, seats: tuple[int, ...] = (0, 1)) -> float:
        parts = [panel.points[mine & (first == overlord) & (second == rival)], 1 - panel.points[mine & (second == overlord) & (first == rival)]]
        return 100 * float(np.concatenate([parts[seat] for seat in seats]).mean())

    overlords = overlords_table(sums, source, groups, 3.0, Looks()).filter(group="s")
    for row in overlords.iter_rows(named=True):
        rivals = [name for name in (A, B, C) if name != row["overlord"]]
        assert row["rate"] == pytest.approx(np.mean([won(row["overlord"], rival) for rival in rivals]))
        assert (row["rivals"], row["pairs"]) == (2, 400)
    match_ups = matchups_table(sums, groups, 8.0, Looks()).filter(group="s")
    assert match_ups.height == 6 * 3
    for row in match_ups.iter_rows(named=True):
        seats = {"both": (0, 1), "first": (0,), "second": (1,)}[row["seat"]]
        assert row["rate"] == pytest.approx(won(row["overlord"], row["rival"], seats)), row
        assert row["low"] < row["rate"] < row["high"]
        assert (row["verdict"] is None) == (row["seat"] != "both")
    seats = seats_table(sums, groups, 2.0, Looks()).filter(group="s")
    overall = seats.filter(overlord="", rival="")["rate"].item()
    plain = mine & (first != second)
    assert overall == pytest.approx(100 * panel.points[plain].mean())  # all match-ups were played equally often
    assert seats.filter(overlord=A, rival="")["rate"].item() == pytest.approx(np.mean([won(A, rival, (0,)) for rival in (B, C)]))
    assert seats.filter(overlord=A, rival=A)["rate"].item() == pytest.approx(100 * panel.points[mine & (first == second)].mean())
    strategies = strategies_table(sums, groups, Looks())
    assert strategies["rate"].sum() == pytest.approx(100)
    assert strategies["pairs"].to_list() == [7 * 200] * 2
    counted = groups_table(sums, groups)
    assert counted["games"].to_list() == [4 * 400, 7 * 400, 4 * 400]
    assert counted["drawn"].to_list() == pytest.approx([100 * (panel.points[panel.source.group_of[panel.cell] == g] == 0.5).mean() for g in range(3)])


def test_a_run_of_mirrors_alone_still_says_whether_going_first_pays():
    games = play([NamedCell(A, A, "s", "s")], Effects(np.zeros(1)), 300)
    seats = seats_table(added(games), Groups(games.source, ()), 2.0, Looks()).filter(group="s")
    assert seats["rate"].to_list() == pytest.approx([100 * games.points.mean()] * 2)
    assert seats["pairs"].to_list() == [300, 300]


def test_deals_that_several_groups_share_are_counted_once():
    """Three strategies that play alike on the same deals know no more than one of them: the interval of all is that of each."""
    cells = [NamedCell(A, B, s, s) for s in "stu"]
    points = np.random.default_rng(3).integers(0, 2, (200, 2)) * 1.0
    sums = PairSums(cells, ["s", "t", "u"], np.arange(3))
    sums.add(block([0, 1, 2] * 200, [d for d in range(200) for _ in range(3)], np.repeat(points, 3, axis=0).ravel().tolist()))
    rates = [rate_of(sums.sums[number, 0, BOTH]) for number in range(4)]
    assert rates[3].se == pytest.approx(rates[0].se)
    assert (rates[3].low, rates[3].high) == pytest.approx((rates[0].low, rates[0].high))


def test_repeated_looks_widen_every_interval(panel):
    sums, groups = added(panel), Groups(with_box(panel.source), ())
    once, again = (overlords_table(sums, panel.source, groups, 3.0, looks) for looks in (Looks(), Looks(200, mixture(700, 0.05))))
    assert ((again["high"] - again["low"]) > 1.3 * (once["high"] - once["low"])).all()
    assert (again["p"] >= once["p"]).all()


def test_families_are_all_groups_together_and_all_by_itself():
    """A gap of 2.2 standard errors is clear in `all`, where it is one of one; among three groups it is not."""
    cells = [NamedCell(A, B, s, s) for s in "stu"]
    sums = PairSums(cells, ["s", "t", "u"], np.arange(3))
    for number in range(4):
        sums.sums[number, 0, BOTH] = [1_000, 535, 535 - 250 + 35]
        sums.sums[number, 0, AS_FIRST] = sums.sums[number, 0, AS_SECOND] = sums.sums[number, 0, BOTH]
    sums.pairs[:] = 1_000
    p = matchups_table(sums, Groups(source_of(cells, 1), ()), 3.0, Looks()).filter(pl.col("seat") == "both", overlord=A)
    alone = p.filter(group="all")["p"].item()
    assert p.filter(group="s")["p"].item() == pytest.approx(min(1, 3 * alone))


def test_verdicts_in_tables():
    cells = [NamedCell(A, B, "s", "s"), NamedCell(A, C, "s", "s")]
    sums = PairSums(cells, ["s"], np.zeros(2, int))
    for number in (0, 1):
        for quantity in range(5):
            sums.sums[number, 0, quantity] = [5_000, 2_500, 1_500]
            sums.sums[number, 1, quantity] = [5_000, 3_500, 2_700]
    sums.pairs[:] = 5_000
    found = matchups_table(sums, Groups(source_of(cells, 1), ()), 8.0, Looks()).filter(pl.col("seat") == "both", group="all")
    assert dict(zip(found["rival"], found["verdict"], strict=True)) == {B: FAIR, A: LOPSIDED, C: LOPSIDED}
    assert found.filter(overlord=C)["rate"].item() == pytest.approx(30)


def test_p_values_of_match_ups_and_seats_are_uniform_where_nothing_is_off():
    """Legs of a pair share their luck; 120 runs of 60 deals a match-up. The same made-up games with a planted gap are told apart."""
    p, planted = [], []
    for seed in range(120):
        luck = np.random.default_rng(seed)
        shared = luck.random((60, 1))
        own = np.where(luck.random((60, 2)) < 0.6, shared, luck.random((60, 2)))
        for found, chance in ((p, 0.5), (planted, 0.62)):
            legs = (own < np.array([chance, 1 - chance])) * 1.0  # points of the first player in each leg
            sums = PairSums([NamedCell(A, B, "s", "s")], ["s"], np.zeros(1, int))
            sums.add(block([0] * 60, list(range(60)), legs.ravel().tolist()))
            for quantity in (BOTH, GOING_FIRST):
                rate = rate_of(sums.sums[0, 0, quantity])
                found.append(float(Looks().p(rate.gap / rate.se)))
    assert stats.kstest(p[::2], "uniform").pvalue > 0.01
    assert stats.kstest(p[1::2], "uniform").pvalue > 0.01
    assert stats.kstest(planted[::2], "uniform").pvalue < 1e-6
