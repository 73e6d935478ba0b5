"""Forks: two branches of one game, the same up to a purchase."""

import numpy as np
import pytest

from terrors.simulator.play.box import make_box
from terrors.simulator.play.match import Match, play_rows
from terrors.simulator.terms.enums import Fork
from terrors.strategies import find
from tests.support.watching import all_pairs


def branches(box, card: str, seat: int = 0, first_turn: int = 1, pairs: int = 40, plan: str = "tuned") -> list[np.ndarray]:
    """The same games without a fork, with the card bought, and with it left."""
    found = []
    for fork in Fork:
        rows = all_pairs(box, pairs, seed=11)
        rows["fork"], rows["fork_kind"], rows["fork_seat"], rows["fork_from"] = fork, box.kind(card), seat, first_turn
        found.append(play_rows(box, rows, find(plan), find(plan)))
    return found


@pytest.mark.parametrize(("seat", "first_turn"), [(0, 1), (1, 1), (0, 9)])
def test_both_branches_fork_at_the_same_decision(frozen_box, seat, first_turn):
    _, bought, left = branches(frozen_box, "Werewolf", seat, first_turn)
    forked = bought["forked"] > 0
    assert 0.1 < forked.mean() < 0.95
    assert (bought["forked"] == left["forked"]).all()
    assert (bought["fork_wanted"] == left["fork_wanted"]).all()
    assert (bought["forked"][forked] >= first_turn).all()
    assert (bought["forked"][forked] % 2 == 1 - seat).all()  # in that player's own turns


def test_a_game_that_does_not_fork_is_the_game_as_it_was(frozen_box):
    plain, bought, left = branches(frozen_box, "Werewolf")
    never = bought["forked"] == 0
    for branch in (bought, left):
        for field in ("winner", "turns", "actions", "first_health", "second_health"):
            assert (plain[field] == branch[field])[never].all()


def test_a_branch_that_does_what_the_strategy_wanted_is_the_game_as_it_was(frozen_box):
    plain, bought, _ = branches(frozen_box, "Werewolf")
    wanted = (bought["forked"] > 0) & (bought["fork_wanted"] == 1)
    assert wanted.sum() > 20
    for field in ("winner", "turns", "actions", "first_health", "second_health"):
        assert (plain[field] == bought[field])[wanted].all()


@pytest.mark.parametrize("plan", ["greedy", "tuned"])
def test_the_card_is_bought_in_one_branch_and_not_in_that_turn_of_the_other(frozen_box, plan):
    """Told by the log of purchases."""
    kind = frozen_box.kind("Werewolf")
    bought_then = {}
    for fork in (Fork.BUY, Fork.LEAVE):
        rows = all_pairs(frozen_box, 40, seed=11)
        rows["fork"], rows["fork_kind"], rows["fork_seat"], rows["fork_from"] = fork, kind, 0, 5
        match = Match(frozen_box, find(plan), find(plan))
        match.log.keep_purchases = 1
        match.desk.clear_log()
        match.log.row = 0
        assert match.play(rows) == len(rows)
        log = match.log.purchases
        n = int(match.log.purchases_n)
        game, turn, card = (np.asarray(log[name])[:n] for name in ("row", "turn", "kind"))
        forked = np.flatnonzero(rows["forked"] > 0)
        bought_then[fork] = [int(((game == g) & (turn == rows["forked"][g]) & (card == kind)).sum()) for g in forked]
    assert min(bought_then[Fork.BUY]) >= 1
    assert max(bought_then[Fork.LEAVE]) == 0


def test_afterwards_the_card_may_be_bought_again(frozen_box):
    """Left once, it is for sale in the next turn: some of those games have it bought later, and the denials of the plan hold as before."""
    from terrors.simulator.play.box import Interventions

    box = make_box(frozen_box.cards, interventions=Interventions(deny=(("Werewolf", 1),)))
    rows = all_pairs(box, 40, seed=11)
    rows["fork"], rows["fork_kind"], rows["fork_seat"], rows["fork_from"] = Fork.LEAVE, box.kind("Werewolf"), 0, 1
    match = Match(box, find("tuned"), find("tuned"))
    match.log.keep_purchases = 1
    match.desk.clear_log()
    match.log.row = 0
    match.play(rows)
    n = int(match.log.purchases_n)
    mine = np.asarray(match.log.purchases["kind"])[:n] == box.kind("Werewolf")
    game, turn, seat = (np.asarray(match.log.purchases[name])[:n][mine] for name in ("row", "turn", "seat"))
    assert (turn > rows["forked"][game])[rows["forked"][game] > 0].all()
    assert (rows["forked"][game] > 0).any()
    assert (seat == 0).all()
