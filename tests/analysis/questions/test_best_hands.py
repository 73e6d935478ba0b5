"""In the best hands: planted pilots whose worth is known, drawn by coin, and what the value of their game must be."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from terrors.analysis.contract.findings_schema import CLUB, EXPERTS, FAIR, LEARNERS
from terrors.analysis.contract.margins import Margins
from terrors.analysis.questions.best_hands import (
    COUNTED,
    FAR_BELOW,
    USUAL_SPREAD,
    BestHands,
    HandSums,
    _square,
    _weighed,
    elo_of,
    group_of,
    rate_from,
    weaker_bands,
)
from terrors.analysis.questions.hands_tables import hands_words, whose_play
from terrors.analysis.questions.matchups import Answer
from terrors.analysis.source.pair_sums import BOTH, GOING_FIRST
from terrors.analysis.source.source import NamedCell
from terrors.analysis.stats.intervals import Looks, wilson
from terrors.analysis.verdicts.judge import judge
from terrors.simulator.kernel.rng import key_of
from terrors.simulator.kernel.seeds import mixed

OVERLORDS = ("Ash", "Birch")


@dataclass
class World:
    """Overlords that meet, pilots by name, and what the first overlord wins when the first named plays it against the second."""

    pilots: tuple[str, ...]
    entries: np.ndarray
    deals: int = 600
    seed: int = 1
    match_ups: tuple[tuple[str, str], ...] = (OVERLORDS,)
    points: dict[NamedCell, np.ndarray] = field(default_factory=dict)  # by deal, of whoever goes first: the first overlord, then the second

    @property
    def seeds(self) -> np.ndarray:
        return mixed(np.arange(self.deals, dtype=np.uint64) + np.uint64(key_of("deals", self.seed)))

    def hands(self) -> BestHands:
        cells = [NamedCell(a, b, s, t) for a, b in self.match_ups for s in self.pilots for t in self.pilots]
        sums = HandSums(type("Cells", (), {"cells": cells})())
        for number, cell in enumerate(cells):
            s, t = self.pilots.index(cell.a_strategy), self.pilots.index(cell.b_strategy)
            name = f"{self.seed} {cell.a_strategy.removesuffix(' again')} {cell.b_strategy.removesuffix(' again')}"  # a copy decides as the original does
            where = "" if self.match_ups == (OVERLORDS,) else f" {cell.a} {cell.b}"
            luck = np.random.default_rng(key_of(name + where, 0)).random((self.deals, 2))
            won = luck < self.entries[s, t]
            self.points[cell] = np.stack([won[:, 0], ~won[:, 1]], 1).astype(float)
            sums.add(Block(np.repeat(self.seeds, 2), np.full(2 * self.deals, number), self.points[cell].ravel()))
        return BestHands(sums, Looks())

    def share(self, a: str, b: str, s: str, t: str, part: np.ndarray | slice = slice(None)) -> float:
        """What the first overlord won in a cell, of all deals or of some."""
        first, second = self.points[NamedCell(a, b, s, t)][part].mean(0)
        return float(first + 1 - second) / 2


@dataclass
class Block:
    """What of a block is counted."""

    seed: np.ndarray
    cell: np.ndarray
    points: np.ndarray
    stage: str = "whole"


def value(hands: BestHands) -> tuple[float, float]:
    draws, match_ups = hands.of_overlord("Ash")
    rate, _ = rate_from(draws, match_ups, BOTH, Looks(), hands.spread("overlords"))
    return rate.share, rate.se


RPS = np.array([[0.5, 0.8, 0.3], [0.1, 0.5, 0.9], [0.7, 0.2, 0.5]])


def test_rock_paper_scissors_of_pilots_gives_the_mixed_value():
    from scipy.optimize import linprog

    found = linprog(np.r_[np.zeros(3), -1], A_ub=np.c_[-RPS.T, np.ones(3)], b_ub=np.zeros(3), A_eq=[[1, 1, 1, 0]], b_eq=[1], bounds=[(0, 1)] * 3 + [(0, 1)])
    truth = -found.fun
    share, se = value(World(("rock", "paper", "scissors"), RPS, deals=2_000).hands())
    assert abs(share - truth) < 3 * se < 0.03
    assert "rock" in whose_play(World(("rock", "paper", "scissors"), RPS).hands())[0]


def strong_and_weak(weak: int = 0, copies: int = 0) -> World:
    """An able pilot with whom Ash wins 60; any number of weak ones, who lose with either overlord, and of copies of the able one or of the first weak one."""
    pilots = ("able", *(f"able{' again' * (i + 1)}" for i in range(copies)), *(f"weak {i}" for i in range(weak)))
    skill = np.array([0.0] * (1 + copies) + [-0.3] * weak)
    return World(pilots, np.clip(0.6 + skill[:, None] - skill[None, :], 0.02, 0.98))


def numbers(hands: BestHands) -> tuple:
    rate, luck = rate_from(*hands.of_overlord("Ash"), BOTH, Looks(), hands.spread("overlords"))
    first, _ = rate_from(*hands.of_first(), GOING_FIRST, Looks(), hands.spread("first"))
    return rate, luck, first, [m.pairs for m in hands.match_ups]


def test_copies_and_weak_pilots_change_nothing_to_the_last_digit():
    alone = numbers(strong_and_weak().hands())
    assert numbers(strong_and_weak(weak=1).hands()) == alone
    assert numbers(strong_and_weak(weak=3).hands()) == alone
    assert numbers(strong_and_weak(copies=1).hands()) == alone
    assert numbers(strong_and_weak(weak=2, copies=1).hands()) == alone


def test_a_copy_is_known_by_its_results_and_left_out():
    hands = strong_and_weak(weak=1, copies=1).hands()
    assert hands.copies == {"able again": "able"}
    assert "able again plays exactly as able does, and is left out." in whose_play(hands)
    assert [pilot.band for pilot in hands.pilots] == [EXPERTS, EXPERTS, LEARNERS]


def test_one_dominated_pilot_five_times_over_changes_nothing():
    once = World(("able", "weak"), np.array([[0.5, 0.7], [0.3, 0.5]]))
    entries = np.array([[0.5] + [0.7] * 5, *([0.3] + [0.5] * 5 for _ in range(5))])
    five = World(("able", "weak", *(f"weak{' again' * k}" for k in range(1, 5))), entries)
    assert numbers(five.hands()) == numbers(once.hands())


def test_able_pilots_who_differ_make_the_interval_wider():
    """Two pilots of equal strength against each other: with one Ash wins 66 in its own hands, with the other 54. That is no matter of luck."""
    entries = np.array([[0.66, 0.60], [0.60, 0.54]])
    hands = World(("one", "other"), entries, deals=4_000).hands()
    assert {pilot.band for pilot in hands.pilots} == {EXPERTS}
    spread = hands.spread("overlords")
    assert spread is not None
    assert 0.06 < spread < 0.15  # of the mean of two that are 0.085 apart (a standard deviation): 0.06, and more, since two are few
    alike = World(("one", "other"), np.full((2, 2), 0.6), deals=4_000).hands()
    assert alike.spread("overlords") < 0.01
    assert World(("one",), np.array([[0.6]])).hands().spread("overlords") is None


def test_intervals_cover_the_planted_value():
    """Near ties are the hard case: two pilots who are nearly as good for one side, so that who is chosen is luck. Over 60 sets."""
    entries = np.array([[0.60, 0.36], [0.60, 0.35]])  # the columns' second pilot is better; the rows' two are nearly alike
    truth, hits, gaps = 0.36, 0, []
    for seed in range(60):
        hands = World(("one", "two"), entries, deals=300, seed=seed).hands()
        draws, match_ups = hands.of_overlord("Ash")
        rate, luck = rate_from(draws, match_ups, BOTH, Looks(), None)
        hits += abs(rate.share - truth) <= 1.96 * luck
        gaps.append(rate.share - truth)
    assert 52 <= hits <= 60
    assert abs(np.mean(gaps) + 0.01) < 0.006  # who is better by so little is not chosen


def test_who_plays_an_overlord_far_below_its_own_level_says_nothing_about_it():
    entries = np.array([[0.5, 0.62], [0.1, 0.4]])  # clumsy loses 12 points with Birch and 40 with Ash
    hands = World(("able", "clumsy"), entries, deals=3_000).hands()
    assert hands.pilots[1].far_below == ["Ash"]
    assert "clumsy plays Ash far below its own level, and says nothing about it." in whose_play(hands)


@pytest.mark.parametrize(
    ("excess", "error", "silent"),
    [(0.3, 0.12, ["Ash"]), (0.3, 0.16, []), (0.25, 0.125, []), (FAR_BELOW + 1e-9, 0.0, ["Ash"]), (FAR_BELOW, 0.0, []), (-0.3, 0.0, ["Birch"])],
)
def test_far_below_is_more_than_a_fifth_and_more_than_two_standard_errors(excess, error, silent):
    """Beside the best one clumsy loses so much more with Ash than with Birch; the draws of it lie one standard error above and below."""
    hands = World(("able", "clumsy"), np.array([[0.5, 0.9], [0.1, 0.5]])).hands()
    entries = np.full((3, 2, 2), 0.5)
    entries[:, 1, 0] -= np.array([excess, excess + error, excess - error])
    hands._plain = [type("Known", (), {"square": hands._known[0].square, "entries": entries})()]
    assert hands._far_below(1) == silent


def test_overlords_against_themselves_say_nothing_about_who_plays_best():
    match_ups = (("Ash", "Birch"), ("Ash", "Cedar"))
    entries = np.array([[0.5, 0.7], [0.3, 0.5]])
    plain, mirrored = (World(("able", "weak"), entries, match_ups=some).hands() for some in (match_ups, (*match_ups, ("Ash", "Ash"))))
    assert mirrored.pilots == plain.pilots
    assert (mirrored.of_first()[0] == plain.of_first()[0]).all()


@pytest.mark.parametrize(
    ("strong", "weak", "said"),
    [
        (0.63, 0.50, "Too strong in experts' hands (63), fair in learners' (50). 50 → 63: stronger the better both play."),
        (0.50, 0.63, "Fair in experts' hands (50), too strong in learners' (63). 63 → 50: weaker the better both play."),
        (0.63, 0.45, "Too strong in experts' hands (63), too weak in learners' (45). 45 → 63: stronger the better both play. "
                     "The other way round with novice (45)."),
        (0.63, 0.63, "Too strong in all hands: experts 63, learners 63."),
    ],
)  # fmt: skip
def test_an_overlord_that_is_strong_only_in_some_hands_gets_that_very_sentence(strong, weak, said):
    import polars as pl

    from terrors.analysis.questions.hands_tables import _answer, _questions, table
    from terrors.analysis.questions.hands_tables import hands_table as frame_of

    entries = np.array([[strong, (strong + weak) / 2 + 0.35], [(strong + weak) / 2 - 0.35, weak]])
    hands = World(("able", "novice"), entries, deals=20_000).hands()
    assert [pilot.band for pilot in hands.pilots] == [EXPERTS, LEARNERS]
    tables = {}
    for family, name in (("overlords", "overlords"), ("matchups", "matchups"), ("first", "seats")):
        rows = []
        for question in (one for one in _questions(hands, Margins()) if one.family == family):
            own = {"group": "best hands", "overlord": question.overlord, "rival": question.rival, "seat": "both"}
            rows.append(own | _answer(hands, question, question.draws(None)))
        tables[name] = table(name, rows).with_columns(pl.col("lean").cast(pl.String))
    words = hands_words(frame_of(hands, Margins(), tables), hands.pilots, 3.0, "overlords", "Ash")
    assert words == said


def test_a_fair_match_up_with_three_bad_scripts_in_the_panel_is_fair():
    """With the scripts Ash wins 70 in their own hands; in able hands 50. Nobody who chooses well chooses them."""
    skill = np.array([0.0, -0.25, -0.3, -0.35])
    entries = 0.5 + skill[:, None] - skill[None, :]
    entries[1:, 1:] += 0.2
    hands = World(("able", "one", "two", "three"), np.clip(entries, 0.05, 0.95), deals=3_000).hands()
    share, se = value(hands)
    assert judge(np.array([100 * share - 50]), np.array([100 * se]), 3.0)[0].state == FAIR
    assert [pilot.share for pilot in hands.pilots] == [1, 0, 0, 0]


def test_able_pilots_take_turns_and_leaving_one_out_tells_what_hangs_on_it():
    """Three of equal strength: with them Ash wins 55, 60 and 65 in their own hands. The value is the mean of all nine pairings."""
    own = np.array([-0.025, 0.0, 0.025])
    entries = 0.6 + own[:, None] + own[None, :]  # who plays Ash better plays Birch worse by as much
    hands = World(("one", "two", "three"), entries, deals=4_000).hands()
    assert len(hands.able) == 3
    assert hands.match_ups[0].weights == pytest.approx(np.full((3, 3), 1 / 9))
    assert "one, two and three, who play equally well and take turns" in whose_play(hands)[0]
    share, _ = value(hands)
    assert abs(share - 0.6) < 0.01
    assert 0.029 < hands.spread("overlords") < 0.06  # of the mean of three that are 0.05 apart: 0.029, and more, since three are few


def test_club_and_learners_are_told_apart():
    """Wins of 30 and of 10 against the best one are 147 and 382 Elo below it."""
    entries = np.array([[0.5, 0.7, 0.9], [0.3, 0.5, 0.7], [0.1, 0.3, 0.5]])
    pilots = World(("a", "b", "c"), entries, deals=1_000).hands().pilots
    assert [pilot.band for pilot in pilots] == [EXPERTS, CLUB, LEARNERS]
    assert [pilot.elo for pilot in pilots] == pytest.approx([0, -147, -382], abs=30)


# Worked out again, plainly


def test_who_is_chosen_by_one_half_of_the_deals_is_valued_on_the_other():
    """Halves by the groups of the deals. The value is the mean of both ways, the mix that of both choices."""
    world = World(("rock", "paper", "scissors"), RPS, deals=500)
    hands = world.hands()
    half = group_of(world.seeds) < 128
    games = [np.array([[world.share(*OVERLORDS, s, t, part) for t in world.pilots] for s in world.pilots]) for part in (half, ~half)]
    mixes = [np.outer(row_mix(game), row_mix(1 - game.T)) for game in games]
    assert hands.match_ups[0].draws[0, 0] == pytest.approx(((games[0] * mixes[1]).sum() + (games[1] * mixes[0]).sum()) / 2)
    assert hands.match_ups[0].weights == pytest.approx((mixes[0] + mixes[1]) / 2, abs=1e-6)


def row_mix(game: np.ndarray) -> np.ndarray:
    """The mix of rows that wins most, whatever column answers: a linear programme."""
    from scipy.optimize import linprog

    n = len(game)
    found = linprog(np.r_[np.zeros(n), -1], A_ub=np.c_[-game.T, np.ones(n)], b_ub=np.zeros(n), A_eq=[[1] * n + [0]], b_eq=[1], bounds=[(0, 1)] * (n + 1))
    return found.x[:n]


def test_what_hangs_on_who_plays_is_the_jackknife(monkeypatch):
    """Three able pilots, three overlords: each pilot is left out on both sides; the variances are pooled, and weighed against what is usual."""
    asked: list[tuple] = []
    monkeypatch.setattr("terrors.analysis.questions.best_hands.spread_between", lambda *given: asked.append(given) or 0.01)
    own = np.array([-0.03, 0.0, 0.02])
    trio = ("one", "two", "three")
    world = World(trio, 0.55 + own[:, None] + 0.8 * own[None, :], deals=700, match_ups=(("Ash", "Birch"), ("Ash", "Cedar"), ("Birch", "Cedar")))
    hands = world.hands()
    assert len(hands.able) == 3
    left = [[name for name in trio if name != out] for out in trio]

    def without(a: str, b: str) -> np.ndarray:
        return np.array([np.mean([world.share(a, b, s, t) for s in some for t in some]) for some in left])

    of = {match_up: without(*match_up) for match_up in world.match_ups}
    overlords = [np.mean([won if name == a else 1 - won for (a, b), won in of.items() if name in (a, b)], axis=0) for name in ("Ash", "Birch", "Cedar")]
    luck = {"overlords": [hands.of_overlord(name)[0] for name in ("Ash", "Birch", "Cedar")], "matchups": [m.draws[0] for m in hands.match_ups]}
    for family, subjects in (("overlords", overlords), ("matchups", list(of.values()))):
        assert hands.spread(family) == 0.01
        seen, noise, freedom, of_luck, usual, z = asked.pop()
        assert seen == pytest.approx(4 / 3 * np.mean([one.var(ddof=1) for one in subjects]), rel=1e-6)
        assert of_luck == pytest.approx(np.mean([draws[1:].var() for draws in luck[family]]))
        assert freedom == 2 * 2  # three pilots, and three subjects that add up to a given sum
        assert usual == pytest.approx(USUAL_SPREAD[family] / 3**0.5)
        assert z == pytest.approx(1.96, abs=1e-3)
        alike = World(trio, np.full((3, 3), 0.55), deals=700, match_ups=world.match_ups).hands()
        alike.spread(family)
        by_luck = asked.pop()  # of pilots who do not differ luck alone is seen
        assert by_luck[1] == pytest.approx(noise, rel=0.3)
        assert 0.1 * noise < by_luck[0] < 4 * noise


def test_what_going_first_hangs_on_is_what_luck_does_not_explain():
    """With one pilot going first wins 68 of 100 games against itself, with the other 52; or 60 with both."""
    for chances, low, high in (((0.68, 0.52), 0.056, 0.2), ((0.60, 0.60), 0.0, 0.012)):
        world = World(("one", "other"), np.full((2, 2), 0.5), deals=3_000)
        cells = [NamedCell(*OVERLORDS, s, t) for s in world.pilots for t in world.pilots]
        sums = HandSums(type("Cells", (), {"cells": cells})())
        for number, cell in enumerate(cells):
            chance = np.mean([chances[world.pilots.index(name)] for name in (cell.a_strategy, cell.b_strategy)])
            points = (np.random.default_rng(number).random(2 * world.deals) < chance).astype(float)
            sums.add(Block(np.repeat(world.seeds, 2), np.full(2 * world.deals, number), points))
        hands = BestHands(sums, Looks())
        assert low <= hands.spread("first") <= high  # of the mean of two that are 0.08 apart (a standard deviation): 0.056, and more, since two are few


def test_an_overlord_against_itself_is_seen_from_both_sides():
    """What one pilot wins there the other loses; whoever goes first, goes first for both. As if the games had been written down for either."""
    deals = np.arange(40, dtype=np.uint64)
    luck = np.random.default_rng(5)
    points = luck.choice([0.0, 0.5, 1.0], (40, 2))
    mirror, both_ways = ([NamedCell("Ash", b, s, t) for s, t in pairs] for b, pairs in (("Ash", [("s", "t")]), ("Birch", [("s", "t"), ("t", "s")])))
    found = []
    for cells in (mirror, both_ways):
        sums = HandSums(type("Cells", (), {"cells": cells})())
        for number, cell in enumerate(cells):
            mine = points if cell.a_strategy == "s" else points[:, ::-1]  # the other's games as first are this one's as second
            sums.add(Block(np.repeat(deals, 2), np.full(80, number), mine.ravel()))
        found.append(_square(sums, cells[0].a, cells[0].b, ["s", "t"]))
    for name in ("n", "total", "squares", "screen"):
        assert getattr(found[0], name) == pytest.approx(getattr(found[1], name)), name


def test_who_says_nothing_about_an_overlord_takes_turns_with_the_other_one_only():
    """Odd is as able as the best on the whole, but plays Ash far below its own level: with Ash nobody chooses it, with Birch both take turns."""
    world = World(("even", "odd"), np.array([[0.50, 0.36], [0.28, 0.14]]), deals=3_000)  # with Ash it loses 22 points, with Birch it wins 14
    hands = world.hands()
    assert (hands.able, hands.pilots[1].far_below) == ([0, 1], ["Ash"])
    assert hands.match_ups[0].weights.tolist() == [[0.5, 0.5], [0.0, 0.0]]
    assert [pilot.share for pilot in hands.pilots] == [0.75, 0.25]  # of both sides
    assert hands.spread("overlords") is None  # without even nobody is left to play Ash
    turns = (world.share(*OVERLORDS, "even", "even") + world.share(*OVERLORDS, "even", "odd")) / 2
    assert hands.match_ups[0].draws[0, 0] == pytest.approx(turns)


def test_intervals_and_elo_by_hand():
    """Ten of eleven games are 400 points. An interval is Wilson's for as many games as would vary as much."""
    assert [elo_of(10 / 11), elo_of(1 / 11), elo_of(0.5)] == pytest.approx([400, -400, 0])
    hands = World(("one",), np.array([[0.6]])).hands()
    for quantity in (BOTH, GOING_FIRST):
        draws = hands.match_ups[0].draws[COUNTED.index(quantity)]
        rate, luck = rate_from(draws, hands.match_ups, quantity, Looks(), 0.03)
        assert rate.se == pytest.approx(np.hypot(luck, 0.03))
        assert (rate.low, rate.high) == pytest.approx(wilson(draws[0], draws[0] * (1 - draws[0]) / (luck**2 + 0.03**2)))


def test_a_row_says_what_luck_and_what_who_plays_make_of_the_interval():
    hands = World(("one", "other"), np.array([[0.66, 0.60], [0.60, 0.54]]), deals=1_000).hands()
    found = Answer.in_best_hands({"group": "best hands"}, hands, hands.of_overlord("Ash"), BOTH, "overlords")
    assert found.row["spread"] == pytest.approx(100 * 1.959964 * hands.spread("overlords"))
    assert found.row["luck"] == pytest.approx(100 * 1.959964 * found.luck)
    assert (found.row["pairs"], found.row["games"]) == (4_000, 8_000)


def test_who_is_not_chosen_may_be_unknown():
    assert _weighed(np.array([[[[0.6, np.nan], [0.2, np.nan]]]]), np.array([[[0.75, 0.0], [0.25, 0.0]]])) == pytest.approx(0.5)


def test_sums_that_stand_for_the_best_hands_are_known_as_well_as_these_are():
    hands = World(("able", "weak"), np.array([[0.62, 0.9], [0.3, 0.5]]), deals=800).hands()
    (m,) = hands.match_ups
    for at, sums in enumerate(hands.as_sums()[OVERLORDS]):
        n, total, squares = sums
        assert total / n == pytest.approx(m.draws[at, 0])
        assert (squares / n - (total / n) ** 2) / n == pytest.approx(max(m.draws[at, 1:].std(), m.least[at]) ** 2)
    assert weaker_bands(hands) == [LEARNERS]
    assert weaker_bands(World(("one",), np.array([[0.6]])).hands()) == []
