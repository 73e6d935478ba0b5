"""Sums, tables, mixes and cycles on cases small enough to be worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from terrors.analysis.contract.findings_schema import FAIR, UNDECIDED
from terrors.analysis.contract.groups import BEST
from terrors.analysis.contract.sentences import about
from terrors.analysis.questions.matchups import Answer, Groups, _difference_p, influences_table, matchups_table, overlords_table, seats_table, strategies_table
from terrors.analysis.questions.metagame import _matrix, cycles, metagame_tables, nash
from terrors.analysis.source.pair_sums import BOTH, GOING_FIRST, InfluenceSums, PairSums, put_headline
from terrors.analysis.source.source import Block, NamedCell
from terrors.analysis.stats.intervals import Looks, Rate, rate_of, two_sided
from terrors.analysis.verdicts.judge import LEANS, judge
from tests.support.fake_lottery import source_of

approx = pytest.approx
A, B, C = "Ann", "Bob", "Cat"


def source_for(cells: list[NamedCell]) -> SimpleNamespace:
    source = source_of(cells, 1)
    source.card = lambda name: SimpleNamespace(faction=None, name=name)
    source.influences = {5: "owl", 6: "cat", 7: "eel"}
    source.runs = [SimpleNamespace(plan=SimpleNamespace(influences="all"))]
    return source


def filled(cells: list[NamedCell], groups: list[str], group_of: list[int], rows: dict[tuple[int, int], tuple[int, float, float, int]]) -> PairSums:
    """Sums by hand: by group and match-up the deals, the sum and the sum of squares (the same for each quantity), and the games drawn; a deal is a pair."""
    sums = PairSums(cells, groups, np.array(group_of))
    for (group, match_up), (n, total, squares, drawn) in rows.items():
        sums.sums[group, match_up] = n, total, squares
        sums.pairs[group, match_up], sums.drawn[group, match_up] = n, drawn
    return sums


TWO = [NamedCell(A, B, "s", "s"), NamedCell(C, A, "s", "s")]
ROWS = {(group, m): row for group in (0, 1) for m, row in enumerate([(40, 26.0, 20.0, 4), (60, 27.0, 18.0, 9)])}


def test_an_overlord_is_the_mean_of_its_match_ups_whichever_side_it_is_on():
    """Ann has 26/40 against Bob and 1 − 27/60 against Cat: 65 and 55, so 60; 13 drawn of 200 games; Cat's only rival gives 45."""
    sums, source = filled(TWO, ["s"], [0, 0], ROWS), source_for(TWO)
    found = {row["overlord"]: row for row in overlords_table(sums, source, Groups(source, ()), 3.0, Looks()).filter(group="s").to_dicts()}
    assert [found[name]["rate"] for name in (A, B, C)] == approx([60, 35, 45])
    assert [(found[name]["rivals"], found[name]["pairs"]) for name in (A, B, C)] == [(2, 100), (1, 40), (1, 60)]
    assert [found[name]["drawn"] for name in (A, B, C)] == approx([50 * 13 / 100, 50 * 4 / 40, 50 * 9 / 60])
    both = rate_of(np.array([[40, 26, 20], [60, 33, 60 - 2 * 27 + 18]]))
    assert (found[A]["low"], found[A]["high"]) == approx((100 * both.low, 100 * both.high))


def test_with_one_pilot_all_that_is_uncertain_is_luck():
    rate = rate_of(np.array([40, 26, 20]))
    assert Answer.of({"group": BEST}, rate).row["luck"] == approx(50 * (rate.high - rate.low))
    assert "luck" not in Answer.of({"group": "s"}, rate).row


def test_match_ups_and_seats_say_how_much_was_played():
    sums, source = filled(TWO, ["s"], [0, 0], ROWS), source_for(TWO)
    row = matchups_table(sums, Groups(source, ()), 8.0, Looks()).filter(group="s", overlord=A, rival=C, seat="both").row(0, named=True)
    assert (row["rate"], row["pairs"], row["drawn"]) == approx((55, 60, 50 * 9 / 60))
    cat = rate_of(np.array([60, 27, 18]))
    assert (row["low"], row["high"]) == approx((100 - 100 * cat.high, 100 - 100 * cat.low))
    sums.pairs[0, 0] = 41  # a deal may have several pairs
    seats = seats_table(sums, Groups(source, ()), 2.0, Looks()).filter(group="s")
    assert seats.filter(overlord="", rival="")["pairs"].item() == 101
    assert seats.filter(overlord="", rival="")["rate"].item() == approx(100 * (26 / 40 + 27 / 60) / 2)
    assert seats.filter(overlord=A, rival=B).select("rate", "pairs").row(0) == approx((65, 41))


def test_games_that_are_missing_are_so_many_times_those_that_were_played():
    """Two match-ups of one group, judged together; then Ann, Bob and Cat."""
    sums, source = filled(TWO, ["s"], [0, 0], ROWS), source_for(TWO)
    rates = [rate_of(np.array(row[:3])) for row in (ROWS[0, 0], ROWS[0, 1])]
    verdicts = judge(np.array([100 * rate.gap for rate in rates]), np.array([100 * rate.se for rate in rates]), 8.0)
    found = matchups_table(sums, Groups(source, ()), 8.0, Looks()).filter(group="s", seat="both")
    said = [found.filter(overlord=a, rival=b)["more_games"].item() for a, b in ((A, B), (C, A))]
    assert said == [verdict.more and about(verdict.more * 2 * n) for verdict, n in zip(verdicts, (40, 60), strict=True)]
    cat = np.array([60, 33, 60 - 2 * 27 + 18])  # from Ann's side
    rates = [rate_of(np.array([[40, 26, 20], cat])), rate_of(np.array([40, 14, 40 - 2 * 26 + 20])), rate_of(np.array([60, 27, 18]))]
    verdicts = judge(np.array([100 * rate.gap for rate in rates]), np.array([100 * rate.se for rate in rates]), 3.0)
    said = overlords_table(sums, source, Groups(source, ()), 3.0, Looks()).filter(group="s").sort("overlord")["more_games"].to_list()
    assert said == [verdict.more and about(verdict.more * 2 * n) for verdict, n in zip(verdicts, (100, 40, 60), strict=True)]


def test_a_mix_that_is_known_well_has_a_narrow_interval():
    """Rock, paper, scissors with gaps of 10, 20 and 10 points over a million deals: a quarter, a half, a quarter, each to a point."""
    cells = [NamedCell(A, B, "s", "s"), NamedCell(A, C, "s", "s"), NamedCell(B, C, "s", "s")]
    n = 1_000_000
    shares = (0.6, 0.3, 0.6)
    sums = filled(cells, ["s"], [0] * 3, {(g, m): (n, n * share, n * (share**2 + 0.2), 0) for g in (0, 1) for m, share in enumerate(shares)})
    found = metagame_tables(sums, Groups(source_for(cells), ()), Looks())["nash"].filter(group="s").sort("overlord")
    assert found["weight"].to_list() == approx([25, 50, 25])
    assert ((found["high"] - found["low"]) < 2).all()
    beaten = filled(cells, ["s"], [0] * 3, {(g, m): (n, n * share, n * (share**2 + 0.2), 0) for g in (0, 1) for m, share in enumerate((0.6, 0.7, 0.6))})
    found = metagame_tables(beaten, Groups(source_for(cells), ()), Looks())["nash"].filter(group="s", overlord=A)
    assert found.select("weight", "low", "high").row(0) == approx((100, 100, 100))  # she beats all others, for sure


def test_a_strategy_is_judged_where_it_met_another():
    cells = [NamedCell(A, B, "s", "t"), NamedCell(A, B, "t", "s"), NamedCell(A, B, "s", "s")]
    source = source_for(cells)
    sums = filled(cells, source.groups, list(source.group_of), {(0, 0): (10, 7.0, 6.0, 0), (1, 0): (10, 5.0, 3.0, 0)})
    found = strategies_table(sums, Groups(source, ()), Looks()).to_dicts()
    assert [(row["strategy"], row["rival_strategy"], row["rate"], row["pairs"]) for row in found] == [("s", "t", approx(70), 10), ("t", "s", approx(30), 10)]


def test_all_groups_are_undecided_where_one_of_them_says_otherwise():
    """s: even for sure; t: far off; all: even on the whole, but it does not hold with each."""
    cells = [NamedCell(A, B, s, s) for s in "st"]
    source = source_for(cells)
    even, off = (9_000, 4_500.0, 2_700.0, 0), (9_000, 6_300.0, 4_860.0, 0)
    for second, state in ((off, UNDECIDED), (even, FAIR)):
        sums = filled(cells, ["s", "t"], [0, 1], {(0, 0): even, (1, 0): second, (2, 0): (9_000, 4_590.0, 2_790.0, 0)})
        found = matchups_table(sums, Groups(source, ()), 8.0, Looks()).filter(group="all", overlord=A, seat="both").row(0, named=True)
        assert found["verdict"] == state
    sums = filled(cells, ["s", "t"], [0, 1], {(0, 0): even, (1, 0): off, (2, 0): (9_000, 5_400.0, 3_600.0, 0)})
    found = matchups_table(sums, Groups(source, ()), 8.0, Looks()).filter(group="all", seat="both").to_dicts()
    assert {row["overlord"]: row["lean"] for row in found} == {A: LEANS[1], B: LEANS[-1]}
    sums.sums[2, 0] = 9_000, 0.5795 * 9_000, 3_600.0  # by 7.95 points, within the margin of 8
    found = matchups_table(sums, Groups(source, ()), 8.0, Looks()).filter(group="all", seat="both").to_dicts()
    assert {row["lean"] for row in found} == {LEANS[0]}


def test_a_match_up_in_which_groups_differ_says_nothing_about_another():
    cells = [NamedCell(*pair, s, s) for s in "st" for pair in ((A, C), (B, C))]
    even, off = (9_000, 4_500.0, 2_700.0, 0), (9_000, 6_300.0, 4_860.0, 0)
    rows = {(group, m): even for group in range(3) for m in range(2)} | {(1, 1): off}
    sums = filled(cells, ["s", "t"], [0, 0, 1, 1], rows)
    found = matchups_table(sums, Groups(source_for(cells), ()), 8.0, Looks()).filter(group="all", rival=C, seat="both")
    assert dict(zip(found["overlord"], found["verdict"], strict=True)) == {A: FAIR, B: UNDECIDED}


def test_the_headline_takes_the_place_of_all():
    """In the best hands only the cell of s is played; its pairs and draws are those of its group."""
    cells = [NamedCell(A, B, s, s) for s in "st"]
    sums = filled(cells, ["s", "t"], [0, 1], {(0, 0): (10, 6.0, 5.0, 2), (1, 0): (20, 4.0, 3.0, 5), (2, 0): (30, 10.0, 8.0, 7)})
    put_headline(sums, {(A, B): np.array([[8, 7.0, 6.5], [8, 3.0, 2.0]])}, np.array([True, False]))
    assert sums.sums[2, 0, :3].tolist() == [[8, 7.0, 6.5], [8, 3.0, 2.0], [30, 10.0, 8.0]]
    assert (sums.pairs[2, 0], sums.drawn[2, 0]) == (10, 2)
    put_headline(sums, {(A, B): np.zeros((1, 3))}, np.array([True, True]))
    assert (sums.pairs[2, 0], sums.drawn[2, 0]) == (30, 7)
    assert sums.sums[0, 0, BOTH].tolist() == [10, 6.0, 5.0]


def test_a_pair_of_strategies_with_two_cells_counts_once_in_all():
    cells = [NamedCell(A, B, "s", "t"), NamedCell(A, B, "t", "s"), NamedCell(A, B, "s", "s"), NamedCell(A, C, "s", "s")]
    sums = PairSums(cells, ["s – t", "s"], np.array([0, 0, 1, 1]))
    assert sums.weight.tolist() == [0.5, 0.5, 1, 1]
    assert sums.turned.tolist() == [False, True, False, False]
    assert sums.match_up_of.tolist() == [0, 0, 0, 1]


# Influence cards


def block_of(influences: list[tuple[int, int]], deal: list[int], points: list[float]) -> Block:
    """Games of cell 0, first and second leg in turn: what first and second player chose, by game."""
    n, none = len(points), np.zeros(len(points), bool)
    taken = tuple(np.array([pair[seat] for pair in influences]) for seat in (0, 1))
    numbers, deals = np.arange(n), np.array(deal)
    found = Block(numbers, deals, np.zeros(n, int), numbers % 2, np.array(points), none, none, none, numbers, deals, max(deal) + 1)
    found.influences = taken
    return found


def test_influences_by_hand():
    """Ann goes first in even games. She takes 5 in deal 0 (won, lost: a half) and 6 in deals 1 and 2 (1 and ½); Bob always takes 7."""
    source = source_for([NamedCell(A, B, "s", "s")])
    sums = InfluenceSums(source)
    sums.add(block_of([(5, 7), (7, 5), (6, 7), (7, 6)], [0, 0, 1, 1], [1, 1, 1, 0]))
    sums.add(block_of([(6, 7), (7, 6)], [0, 0], [0, 0]))
    assert {key: list(value) for key, value in sums.sums.items() if key[0] == 0} == {
        (0, 0, 5, 1): [1, 0.5, 0.25],
        (0, 0, 6, 1): [2, 1.5, 1.25],
        (0, 1, 7, 0): [3, 1.0, 0.5],
    }
    assert [list(sums.sums[1, *key[1:]]) for key in sums.sums if key[0] == 0] == [list(cell) for key, cell in sums.sums.items() if key[0] == 0]
    found = influences_table(sums, source, Groups(source, ()), Looks()).filter(group="s").to_dicts()
    assert [(row["overlord"], row["influences"], row["pairs"], row["share"]) for row in found] == [
        (A, "owl", 1, approx(100 / 3)),
        (A, "cat", 2, approx(200 / 3)),
        (B, "eel", 3, 100),
    ]
    one, two = rate_of(np.array([1, 0.5, 0.25])), rate_of(np.array([2, 1.5, 1.25]))
    p = float(Looks().p((one.share - two.share) / (one.se**2 + two.se**2) ** 0.5))
    assert [row["p"] for row in found] == approx([min(1, 3 * p), min(1, 3 * p), 1])
    assert [row["randomised"] for row in found] == [True] * 3


def test_a_choice_is_beside_the_mean_of_the_others():
    """0.7 beside 0.5 and 0.6: 0.15 from 0.55. The variance is 0.03² + (0.04² + 0.03²) / 4."""
    one, rest = Rate(0.7, 0.03, 0.6, 0.8, 50), [Rate(0.5, 0.04, 0.4, 0.6, 40), Rate(0.6, 0.03, 0.5, 0.7, 60)]
    assert _difference_p(one, rest, Looks()) == approx(two_sided(0.15 / 0.001525**0.5))
    assert _difference_p(one, [], Looks()) == 1


def test_choices_of_several_strategies_are_told_apart_unless_they_were_drawn_by_lot():
    source = source_for([NamedCell(A, B, "s", "s"), NamedCell(A, B, "t", "t")])
    sums = InfluenceSums(source)
    sums.add(block_of([(5, 7), (7, 5)], [0, 0], [1, 1]))
    groups = Groups(source, ())
    assert set(influences_table(sums, source, groups, Looks())["group"]) == {"s", "all"}
    source.runs[0].plan.influences = "choose"
    assert set(influences_table(sums, source, groups, Looks())["group"]) == {"s"}
    alone = source_for([NamedCell(A, B, "s", "s")])
    alone.runs = source.runs
    sums = InfluenceSums(alone)
    sums.add(block_of([(5, 7), (7, 5)], [0, 0], [1, 1]))
    assert set(influences_table(sums, alone, Groups(alone, ()), Looks())["group"]) == {"s", "all"}


# Mixes and cycles


def test_rock_paper_scissors():
    """Rock loses to paper by 2, the others by 1: each is played as often as the two others' gap is large: 1 : 1 : 2 in the order of what beats what."""
    gaps = _matrix(np.array([1.0, -2.0, 1.0]), [(0, 1), (0, 2), (1, 2)], 3)  # 0 beats 1 by 1, 2 beats 0 by 2, 1 beats 2 by 1
    assert gaps.tolist() == [[0, 1, -2], [-1, 0, 1], [2, -1, 0]]
    assert nash(gaps) == approx([1 / 4, 1 / 2, 1 / 4])
    assert nash(np.array([[0, 1, 1], [-1, 0, 5], [-1, -5, 0.0]])) == approx([1, 0, 0])
    assert nash(np.zeros((3, 3))) == approx([1 / 3] * 3)  # of many the most even one
    assert nash(np.array([[0, 0, 1], [0, 0, 1], [-1, -1, 0.0]])) == approx([0.5, 0.5, 0])


def test_the_cyclic_share_is_what_no_ranking_explains():
    """Gaps 1, 1 and −1 around a triangle: ratings r with r_i − r_j = 1/3, 1/3, 2/3 … the circulation is 1 + 1 + 1 = 3, a third on each side, of 3 in all."""
    ends, tiny = [(0, 1), (1, 2), (0, 2)], np.full(3, 1e-9)
    luck = np.random.default_rng(1)
    share, (low, high), _ = cycles(np.array([1.0, 1.0, -1.0]), tiny, ends, 3, luck)
    assert (share, low, high) == approx((1, 1, 1))
    share, (low, high), floor = cycles(np.array([1.0, 1.0, 2.0]), tiny, ends, 3, luck)
    assert (share, low, high, floor) == approx((0, 0, 0, 0), abs=1e-6)
    share, (low, high), _ = cycles(np.zeros(3), tiny, ends, 3, luck)
    assert (share, low, high > 0.9) == (0, 0, True)  # where nobody is ahead, nearly all may be cycles
    share, (low, high), _ = cycles(np.array([1.0, 1.0, 0.5]), tiny, ends, 3, luck)  # circulation 1.5: 3 · 0.5² = 0.75 of 2.25
    assert (share, low, high) == approx((1 / 3, 1 / 3, 1 / 3), abs=1e-6)


def test_going_first_is_its_own_quantity():
    sums = filled(TWO, ["s"], [0, 0], ROWS)
    sums.sums[0, :, GOING_FIRST] = (40, 22.0, 14.0), (60, 36.0, 25.0)
    found = seats_table(sums, Groups(source_for(TWO), ()), 2.0, Looks()).filter(group="s", overlord="", rival="")
    assert found["rate"].item() == approx(100 * (22 / 40 + 36 / 60) / 2)
