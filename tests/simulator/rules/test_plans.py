"""Plans: what a strategy names in advance is done as if it had been asked each time."""

import pytest

from terrors.simulator.play.box import make_box
from terrors.simulator.play.game import Game
from terrors.simulator.play.match import Match
from terrors.simulator.story.position import lay_table
from terrors.simulator.story.transcript import Driver, strategy_chooser, take_step
from terrors.simulator.terms.enums import Action, Look
from terrors.strategies import find
from tests.support.cardsets import random_cards
from tests.support.watching import all_pairs
from tests.trust.differential import card_set

# Names up to five steps, any that are on the list now, whether they will be legal then or not, and any reason to be asked again.
WILD = '''
"""Plans wildly."""
from terrors.simulator.kernel.rng import chance_below
from terrors.simulator.rules.options import plan
from terrors.simulator.terms.enums import Action, Question
from terrors.strategies import strategy


@strategy
def choose(game, box, options, work, me):
    if game.asked != game.active and options.then_n:
        return -1  # it sees what the rival has in mind
    i = chance_below(game, me, options.n)
    if game.question == Question.ACTION:
        for _ in range(chance_below(game, me, 6)):
            option = options.at[chance_below(game, me, options.n)]
            unless = 1 << chance_below(game, me, 6) if chance_below(game, me, 3) == 0 else 0
            plan(options, option.action, option.card, option.slot, option.other, unless)
            options.then[options.then_n - 1].amount = chance_below(game, me, 3)
        at = options.at[i]
        if Action.HORDE <= at.action <= Action.HORDE_RIGHT and options.then_n < 8 and chance_below(game, me, 4) > 0:
            options.then_n = 0
            s = at.slot if chance_below(game, me, 2) else at.other
            plan(options, Action.ABILITY, box.kind_of[game.player[me].play[s].card], s, 0, 0)
            options.then[0].amount = chance_below(game, me, 2)
            if chance_below(game, me, 4) == 0:
                options.then[0].action = Action.DECLINE
            plan(options, Action.ATTACK, -1, 0, 0, 0)
            plan(options, Action.PASS, -1, 0, 0, 0)
    elif game.asked == game.active and chance_below(game, me, 9) == 0:
        options.then_n = 0
    return i
'''


@pytest.fixture(scope="module")
def wild(tmp_path_factory):
    path = tmp_path_factory.mktemp("wild") / "wild.py"
    path.write_text(WILD, encoding="utf-8")
    return find(str(path))


FIELDS = ("winner", "turns", "actions", "decisions", "limits", "first_health", "second_health")


def played(box, plan, rows, told):
    rows = rows.copy()
    rows["told"] = told
    match = Match(box, plan, plan)
    match.log.keep_counts = match.log.keep_purchases = 1
    match.play_all(rows)
    return rows, match.counts


@pytest.mark.parametrize("number", range(16))
def test_a_step_is_taken_just_when_it_is_on_the_list(wild, frozen_box, number):
    """Silently a step is checked by itself; in a game that is told it is looked up on the list of what is legal."""
    box = frozen_box if number == 0 else make_box(card_set(random_cards(number)))
    rows = all_pairs(box, 12, seed=number)
    silent, counts = played(box, wild, rows, 0)
    told, told_counts = played(box, wild, rows, 1)
    for name in FIELDS:
        assert (silent[name] == told[name]).all(), name
    assert (counts == told_counts).all()


def test_a_game_that_is_watched_keeps_to_the_plan_too(wild, frozen_box):
    rows, _ = played(frozen_box, wild, all_pairs(frozen_box, 1, seed=3), 0)
    for row in rows:
        game = Game(frozen_box, frozen_box.names[row["first"]], frozen_box.names[row["second"]], int(row["seed"]))
        driver = Driver([strategy_chooser(wild.compiled, wild.work(frozen_box)) for _ in range(2)])
        while not game.over:
            game.apply_index(*driver.answer(game))
        assert (game.turn, game.record.total_actions) == (row["turns"], row["actions"])


# Reasons to be asked again, each by hand


def steps_of(cards, table: dict, first: str, then: list[tuple]) -> tuple[list[str], int]:
    """What is done when Fenris answers with `first` and plans the rest, up to the end of the turn; and how often it was asked for an action in it."""
    game, me = lay_table(make_box(cards), table)
    asked = 0

    def choose(record, box, options, work, seat):
        nonlocal asked
        if not game.is_action:
            return 0
        asked += 1
        if asked > 1:
            return next((i for i in range(options.n) if options.at[i].action == Action.PASS), 0)
        for i, (action, card, unless) in enumerate(then):
            options.then[i] = (action, game.box.kind(card) if card else -1, 0, 0, 0, unless)
        options.then_n = len(then)
        return game.legal_actions().index(first)

    driver = Driver([strategy_chooser(choose, None)] * 2)
    done = []
    while not game.over and game.record.active == me:
        done.append(take_step(game, *driver.answer(game)).text)
    return done, asked


HAND = {"you": {"overlord": "Fenris", "hand": ["Cultist", "Cultist", "Fanatic"]}, "opponent": {"overlord": "Azazael"}, "table": {"street": ["Ghoul"]}}


def test_a_whole_turn_is_one_answer(frozen_cards):
    then = [(Action.PLAY, "Cultist", 0), (Action.PLAY, "Fanatic", 0), (Action.BUY, "Ghoul", 0), (Action.ATTACK, "", 0), (Action.PASS, "", 0)]
    done, asked = steps_of(frozen_cards, HAND, "play Cultist", then)
    assert done == ["play Cultist", "play Cultist", "play Fanatic", "buy Ghoul", "attack 1", "pass"]
    assert asked == 1


REASONS = {
    Look.HAND: ("play Highgate Vampire", {"hand": ["Highgate Vampire", "Fanatic"], "deck": ["Cultist"]}, {}),
    Look.PLAY: ("buy Doctor's Black Bag", {"hand": ["Fanatic"], "pool": {"coin": 2}}, {}),
    Look.TRIGGER: ("play Cultist", {"hand": ["Cultist", "Fanatic"], "play": ["King in the Barrow"]}, {}),
    Look.RIVAL: ("play Cock Lane Ghost", {"hand": ["Cock Lane Ghost", "Fanatic"]}, {"hand": ["Cultist", "Fanatic"]}),
    Look.CAN_BUY: ("play Cultist", {"hand": ["Cultist", "Fanatic"], "pool": {"coin": 1}}, {}),
    Look.CAN_KILL: ("play Fanatic", {"hand": ["Fanatic", "Fanatic"]}, {"health": 1}),
}


@pytest.mark.parametrize("reason", Look)
def test_each_reason_to_be_asked_again_is_heard_by_its_own_name_and_no_other(frozen_cards, reason):
    first, you, opponent = REASONS[reason]
    table = {"you": {"overlord": "Fenris", **you}, "opponent": {"overlord": "Azazael", **opponent}, "table": {"street": ["Doctor's Black Bag"]}}
    for unless in Look:
        done, asked = steps_of(frozen_cards, table, first, [(Action.PLAY, "Fanatic", unless), (Action.PASS, "", 0)])
        assert done[0] == first
        assert (asked > 1) == (unless == reason), unless


AFTER_A_SHUFFLE = {"overlord": "Fenris", "hand": ["Highgate Vampire", "Fanatic"], "deck": [], "discard": ["Cultist"]}
SACRIFICED = {"overlord": "Azazael", "hand": ["Long Vigil", "Cultist", "Fanatic", "Fanatic"]}


@pytest.mark.parametrize(("first", "you"), [("play Highgate Vampire", AFTER_A_SHUFFLE), ("play Long Vigil", SACRIFICED)], ids=["drawn", "sacrificed"])
def test_whatever_changes_the_hand_is_news(frozen_cards, first, you):
    table = {"you": you, "opponent": {"overlord": "Methuselah"}, "table": {"street": []}}
    for unless, again in ((Look.HAND, True), (Look.TRIGGER, False)):
        assert (steps_of(frozen_cards, table, first, [(Action.PLAY, "Fanatic", unless), (Action.PASS, "", 0)])[1] > 1) == again
