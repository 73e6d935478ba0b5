"""Tests for mutants only, in plain Python: games against the naive implementation, and a very small run against what watched games say.

Compiled, the suite has the same at greater length (test_differential.py, test_tables.py).
"""

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from terrors.simulator.engine import entry_points
from terrors.simulator.engine.decision_log import MOST_CARDS, log_decision
from terrors.simulator.engine.log import LAST_NOW, has_room
from terrors.simulator.kernel import layout
from terrors.simulator.kernel.decision_columns import DECISION_CARDS, DECISION_ROWS
from terrors.simulator.play.box import Interventions, make_box
from terrors.simulator.rules.actions import sum_of_table
from terrors.simulator.rules.legal import may_buy_acolyte, may_horde
from terrors.simulator.rules.market import denied_to
from terrors.simulator.rules.options import plan
from terrors.simulator.rules.play_area import close_up, enter_play
from terrors.simulator.runs.checks.verify import refereed
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, simulate
from terrors.simulator.terms.enums import Action, Pile, Purpose, Question
from tests.naive import luck
from tests.simulator.kernel.test_rng import test_columns_of_luck_are_those_of_the_naive_implementation  # noqa: F401
from tests.simulator.rules import test_plans
from tests.simulator.rules.test_differential import test_both_play_the_same_game_on_a_set_of_very_many_cards  # noqa: F401
from tests.simulator.rules.test_plans import (  # noqa: F401
    test_a_whole_turn_is_one_answer,
    test_each_reason_to_be_asked_again_is_heard_by_its_own_name_and_no_other,
    test_whatever_changes_the_hand_is_news,
    wild,
)
from tests.simulator.runs import test_tables
from tests.simulator.runs.test_tables import (  # on the run below
    test_a_watched_game_is_the_one_that_was_written_down as watched,
)
from tests.simulator.runs.test_tables import (
    test_hordes_in_the_events_are_chains_from_left_to_right,  # noqa: F401
    test_influences_are_those_that_were_chosen,  # noqa: F401
    test_purchases_say_what_was_paid_and_where_it_went,  # noqa: F401
    test_the_cards_table_counts_what_the_other_tables_show,  # noqa: F401
    test_turns_add_up,  # noqa: F401
)
from tests.support.cardsets import random_cards
from tests.support.watching import all_pairs
from tests.trust.diary import diary_problems
from tests.trust.differential import RECORDS, EngineGame, Match, ReadyBox, card_file, card_set, plan_of, play_both, ready_box
from tests.trust.differential import Plan as Game

test_tables.CELLS = 3  # that six games come to
test_tables.EVERY_SORT |= {"games": 6, "strategies": ("random",)}
MOST_IN_A_ROW = DECISION_CARDS - MOST_CARDS  # so many cards are in a log that still has room for the largest row
HORDE_ACTIONS = (Action.HORDE, Action.HORDE_LEFT, Action.HORDE_RIGHT)
GAMES = [*(("random", n) for n in range(0, 1024, 24)), ("reference", 0), ("reference", 1), *(("extreme", n) for n in range(64) if n < 8 or n % 8 > 4)]
TOLD = [("random", n) for n in (8, 16, 32, 56, 104, 128, 152, 168, 216, 520, 656)] + [("reference", 0)]
SILENT = [("random", n) for n in (40, 88, 112, 136, 224, 232, 720)] + [("extreme", 19)]  # the last: somebody may own no more cards


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    return simulate(Plan(**test_tables.EVERY_SORT), tmp_path_factory.mktemp("run") / "run", jobs=1)


@pytest.mark.parametrize(("kind", "number"), GAMES)
def test_both_play_the_same_game(kind, number):
    assert play_both(plan_of(kind, number)).failures == []


@pytest.mark.parametrize("number", [*range(12, 252, 32), 36, 177])
def test_both_play_the_same_game_whatever_card_comes_first(number):
    """The first card of a file has the number 0; elsewhere it is an Influence card, here one of the Market."""
    assert play_both(turned_round(plan_of("random", number))).failures == []


def test_the_log_is_right_whatever_card_comes_first():
    assert diary_problems(turned_round(plan_of("random", 32)), told=True) == []


def turned_round(played: Game) -> Game:
    """The same game with the last card of the file first."""
    head, *rows = played.cards.splitlines(keepends=True)
    return replace(played, cards="".join([head, *reversed(rows)]))


@pytest.mark.parametrize(("kind", "number", "told"), [*((*game, True) for game in TOLD), *((*game, False) for game in SILENT)])
def test_the_log_is_what_the_naive_one_has_in_its_diary(kind, number, told):
    assert diary_problems(plan_of(kind, number), told) == []


def test_a_plan_has_no_more_steps_than_there_is_room_for():
    options = layout.record(layout.OPTIONS_RECORD)
    for card in range(layout.THEN + 2):
        plan(options, Action.PLAY, card, 0, 0, 0)
    assert [step.card for step in options.then][: options.then_n] == list(range(layout.THEN))


def test_influence_cards_that_are_given_are_dealt_without_asking():
    """S3: the first and second of the one player, the first and third of the other."""
    game = EngineGame(ready_box(card_file("reference", 0), ()), "Fenris", "Azazael", 1)
    ready = game.ready
    overlords = [ready.names.index(name) for name in ("Fenris", "Azazael")]
    game.entry_point(RECORDS.raw_game, ready, RECORDS.raw_options, entry_points.BEGIN, 0, 1, *overlords, 0b011, 0b101)
    for p, overlord, given in zip(RECORDS.raw_game.record.player, overlords, ((0, 1), (0, 2)), strict=True):
        dealt = Counter(ready.kinds[card] for pile in (p.hand, p.deck) for card in pile.card[: pile.n])
        assert [i for i, kind in enumerate(ready.record.own[overlord].kind[:4]) if dealt[kind]] == list(given)
        assert p.influences == sum(1 << i for i in given)


def test_the_denial_lottery_is_that_of_the_naive_luck():
    """Each kind of market card with this probability, to the one or to the other."""
    ready = ReadyBox(make_box(card_set(card_file("reference", 0)), None, Interventions(lottery=0.3)))
    market = [kind for kind in range(ready.record.kinds) if ready.record.card[kind].pile == Pile.MARKET]
    found = []
    for seed in range(1, 9):
        EngineGame(ready, "Fenris", "Azazael", seed)
        for kind in market:
            lot = luck.mix(luck.stream(seed, Purpose.DENY, 0, 0) ^ luck.key(ready.names[kind], 0))
            found.append(1 << (luck.mix(lot) & 1) if lot < 0.3 * 2**64 else 0)
            with np.errstate(over="ignore"):  # luck is modulo 2**64
                assert denied_to(RECORDS.raw_game.record, ready.record, kind) == found[-1]
    assert set(found) == {0, 1, 2}


def test_the_sum_of_a_table_changes_with_whatever_changes_on_it():
    """One number more or less, and one that goes from one place to another, as a card from the hand to the discard pile."""
    game = layout.record(layout.GAME)
    places = [(player, name) for player in game.player for name in ("health", "coin", "power", "regeneration", "tokens", "claims", "converts", "slots")]
    places += [(getattr(player, pile), "n") for player in game.player for pile in ("hand", "deck", "discard", "removed")]
    places += [(game, "haunt_tokens"), (game.market, "n"), (game.tally, "horde_activations")]
    for number, (record, name) in enumerate(places):
        setattr(record, name, 3 + number % 5)
    before = sum_of_table(game)
    for number, (one, name) in enumerate(places):
        setattr(one, name, getattr(one, name) + 1)
        assert sum_of_table(game) != before, name
        for its_number, (other, its_name) in enumerate(places):
            if number != its_number:
                setattr(other, its_name, getattr(other, its_name) - 1)
                assert sum_of_table(game) != before, (name, its_name)
                setattr(other, its_name, getattr(other, its_name) + 1)
        setattr(one, name, getattr(one, name) - 1)
    assert sum_of_table(game) == before


class HordesLookedUp(Match):
    """A game in which every Horde Action that one can think of is legal by itself just when it is on the list."""

    def option_problems(self) -> list[str]:
        found, engine = super().option_problems(), self.engine
        if engine.over or engine.game["question"] != Question.ACTION:
            return found
        p = RECORDS.raw_game.record.player[engine.game["active"]]
        listed = {(action, slot, other) for action, _, slot, other, *_ in engine.options}
        for a, action in product([s for s, slot in enumerate(engine.slots[engine.game["active"]]) if slot[0] >= 0], HORDE_ACTIONS):
            for b in range(-1, p.slots + 1):
                if may_horde(p, action, a, b) != ((action, a, b) in listed):
                    found.append(f"{Action(action).name} of slot {a} with {b} is {'not ' * bool(may_horde(p, action, a, b))}listed")
        return found


@pytest.mark.parametrize(("kind", "number"), [("reference", 8), ("reference", 9), *(("random", n) for n in (16, 57, 104, 224, 513))])
def test_a_horde_action_is_legal_just_when_it_is_listed(kind, number):
    plan = replace(plan_of(kind, number), habits={"horde": 30.0, "attack": 0.1})
    assert HordesLookedUp(plan).play() == []


@pytest.mark.parametrize(("acolytes", "coin", "owned", "may"), [(1, 0, -1, True), (0, 0, -1, False), (1, -1, -1, False), (1, 0, 0, False)])
def test_an_acolyte_is_for_who_has_the_coin_and_may_own_one_more_card(acolytes, coin, owned, may):
    """B1, E2: Coin more than it costs, and cards more than one may own."""
    box = EngineGame(ready_box(card_file("reference", 0), ()), "Fenris", "Azazael", 1).ready.record
    game = RECORDS.raw_game.record
    game.acolytes.n, game.player[0].coin, game.player[0].owned = acolytes, box.rules.acolyte_cost + coin, layout.OWNED + owned
    assert may_buy_acolyte(game, box, 0) == may


def test_cards_that_move_together_stay_neighbours():
    """Slots 1, 2 and 4 are empty; 5, 0 and 3 are a horde from left to right, and 6 is in none."""
    p = layout.record(layout.GAME).player[0]
    cards = [10, -1, -1, 13, -1, 15, 16]
    for s, card in enumerate(cards):
        p.play[s].card, p.play[s].left, p.play[s].right, p.play[s].marks = card, -1, -1, 100 + s
    for left, right in ((5, 0), (0, 3)):
        p.play[left].right, p.play[right].left = right, left
    p.slots = len(cards)
    close_up(p)
    found = [(int(slot.card), int(slot.left), int(slot.right), int(slot.marks)) for slot in list(p.play)[: p.slots]]
    assert found == [(10, 2, 1, 100), (13, 0, -1, 103), (15, -1, 0, 105), (16, -1, -1, 106)]


def test_cards_in_play_keep_their_slots_until_all_are_used_up():
    box = ready_box(card_file("reference", 0), ()).record
    game = layout.record(layout.GAME)
    p = game.player[0]
    for s in range(layout.SLOTS):
        p.play[s].card = s if s in (0, 2) else -1
    for slots, entered in ((3, 3), (layout.SLOTS, 3)):  # at first slot 1 stays empty; then three cards move together
        p.slots = slots
        assert enter_play(game, box, 0, 10) == entered
    assert [slot.card for slot in p.play][: p.slots] == [0, 2, 10, 10]


def test_a_log_has_room_just_when_the_longest_game_fits_into_it():
    """As many turns as the rules allow, the cards that both may own, each kind denied to both; of decisions half the room, since a game may take the rest."""
    game, log = EngineGame(ready_box(card_file("reference", 0), ()), "Fenris", "Azazael", 1), layout.record(layout.LOG)
    box = game.ready.record
    turns, kinds = int(box.rules.max_turns), int(box.kinds)
    full = {"turns_n": layout.TURN_ROWS - turns, "purchases_n": layout.PURCHASE_ROWS - 2 * layout.OWNED, "denials_n": layout.DENIAL_ROWS - 2 * kinds,
            "now": LAST_NOW - 1, "decisions_n": DECISION_ROWS // 2, "decision_cards_n": DECISION_CARDS // 2}  # fmt: skip
    for name, most in full.items():
        setattr(log, name, most)
        assert has_room(log, box), name
        setattr(log, name, most + 1)
        assert not has_room(log, box), name
        setattr(log, name, 0)


@pytest.mark.parametrize(("rows", "cards", "fits"), [(DECISION_ROWS - 1, 0, 1), (DECISION_ROWS, 0, 0), (0, MOST_IN_A_ROW, 1), (0, MOST_IN_A_ROW + 1, 0)])
def test_a_decision_is_written_or_counted_as_left_out(rows, cards, fits):
    game, log = EngineGame(ready_box(card_file("reference", 0), ()), "Fenris", "Azazael", 1), layout.record(layout.LOG)
    log.decisions_n, log.decision_cards_n = rows, cards
    log_decision(log, RECORDS.raw_game.record, game.ready.record, RECORDS.raw_options.record, -1)
    assert (log.decisions_n - rows, log.decisions_cut) == (fits, 1 - fits)


def test_the_referee_agrees(run):
    assert refereed(run).violations == []


@pytest.mark.parametrize("number", [0, 3])
def test_a_watched_game_is_the_one_that_was_written_down(run, number):
    watched(run, number)


@pytest.mark.parametrize("number", [1, 2, 4, 29])
def test_a_step_is_taken_just_when_it_is_on_the_list(wild, number):  # noqa: F811
    box = make_box(card_set(random_cards(number)))
    games = all_pairs(box, 1, seed=number)[:2]
    (silent, counts), (told, told_counts) = test_plans.played(box, wild, games, 0), test_plans.played(box, wild, games, 1)
    assert silent[list(test_plans.FIELDS)].tolist() == told[list(test_plans.FIELDS)].tolist()
    assert (counts == told_counts).all()
