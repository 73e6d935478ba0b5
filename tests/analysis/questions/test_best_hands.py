"""In the best hands: planted pilots whose worth is known, drawn by coin, and what the value of their game must be."""

from dataclasses import dataclass

import numpy as np
import pytest

from terrors.analysis.contract.findings_schema import CLUB, EXPERTS, FAIR, LEARNERS
from terrors.analysis.contract.margins import Margins
from terrors.analysis.questions.best_hands import BestHands, HandSums, rate_from
from terrors.analysis.questions.hands_tables import hands_words, whose_play
from terrors.analysis.source.pair_sums import BOTH, GOING_FIRST
from terrors.analysis.source.source import NamedCell
from terrors.analysis.stats.intervals import Looks
from terrors.analysis.verdicts.judge import judge
from terrors.simulator.kernel.rng import key_of
from terrors.simulator.kernel.seeds import mixed

OVERLORDS = ("Ash", "Birch")


@dataclass
class World:
    """Two overlords, pilots by name, and what Ash wins when the first named plays it against the second."""

    pilots: tuple[str, ...]
    entries: np.ndarray
    deals: int = 600
    seed: int = 1

    def hands(self) -> BestHands:
        cells = [NamedCell(*OVERLORDS, s, t) for s in self.pilots for t in self.pilots]
        sums = HandSums(type("Cells", (), {"cells": cells})())
        seeds = mixed(np.arange(self.deals, dtype=np.uint64) + np.uint64(key_of("deals", self.seed)))
        for number, cell in enumerate(cells):
            s, t = self.pilots.index(cell.a_strategy), self.pilots.index(cell.b_strategy)
            name = f"{self.seed} {cell.a_strategy.removesuffix(' again')} {cell.b_strategy.removesuffix(' again')}"  # a copy decides as the original does
            luck = np.random.default_rng(key_of(name, 0)).random((self.deals, 2))
            won = luck < self.entries[s, t]
            points = np.stack([won[:, 0], ~won[:, 1]], 1).astype(float).ravel()
            sums.add(Block(np.repeat(seeds, 2), np.full(2 * self.deals, number), points))
        return BestHands(sums, Looks())


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
    assert [pilot.band for pilot in World(("a", "b", "c"), entries, deals=1_000).hands().pilots] == [EXPERTS, CLUB, LEARNERS]
