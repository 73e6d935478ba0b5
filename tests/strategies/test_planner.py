"""Strategies that look ahead: what they find that greedy does not, and that trying things out leaves no trace."""

import numpy as np
import pytest

from terrors.analysis.stats.intervals import pair_estimate
from terrors.simulator.kernel.work_layout import LOOKAHEAD
from terrors.simulator.play.box import make_box
from terrors.simulator.play.match import Match, play_rows
from terrors.simulator.story.position import lay_table
from terrors.simulator.terms.ruleset import Rules
from terrors.strategies import find
from terrors.strategies.formats.thinker import USUAL, Thinker
from tests.support.watching import all_pairs

pytestmark = pytest.mark.slow

STARTERS = ["Cultist"] * 3 + ["Fanatic"] * 2
THINKERS = ["planner", "sage"]


def laid(cards, you: dict, opponent: dict | None = None, table: dict | None = None):
    """A table with decks for both, so that the next turns can be played out."""
    data = {"you": {"deck": STARTERS, **you}, "opponent": {"deck": [*STARTERS, *STARTERS], **(opponent or {})}, "table": {"turn": 9, **(table or {})}}
    return lay_table(make_box(cards), data)[0]


def ask(name: str, game) -> str:
    """What a strategy does there, in words."""
    strategy = find(name)
    index = strategy.compiled(game.record, game.box.record, game.options, strategy.work(game.box), int(game.record.asked))
    return game.legal_actions()[index]


def play_turn(name: str, game):
    """Let it play to the end of its turn, or of the game."""
    strategy, seat = find(name), int(game.record.active)
    work = strategy.work(game.box)
    while not game.over and game.record.active == seat:
        index = 0
        if game.options.n > 1:
            index = strategy.compiled(game.record, game.box.record, game.options, work, int(game.record.asked))
        game.apply_index(int(index), int(game.options.spend))
    return game


@pytest.mark.parametrize("one", ["planner", "expert"])
def test_a_game_does_not_depend_on_what_was_played_before_it(frozen_cards, one):
    """The work area is the same from game to game; whoever remembers in it what another table was like plays otherwise than in a replay."""
    box = make_box(frozen_cards, Rules(influences=0))  # so that a game begins with a turn
    rows = all_pairs(box, 2, seed=17)[:8]
    together = Match(box, find(one), find(one)).play_all(rows.copy())
    for number, row in enumerate(together):
        alone = Match(box, find(one), find(one)).play_all(rows[number : number + 1].copy())
        assert [alone[0][name] for name in ("winner", "turns", "decisions", "actions")] == [row[name] for name in ("winner", "turns", "decisions", "actions")]


# Lethal turns

PACK = {"overlord": "Fenris", "hand": ["Call of the Pack", "Rat-Catcher", "Rat-Catcher", "Rat-Catcher"]}


@pytest.mark.parametrize("name", THINKERS)
def test_the_order_of_play_that_kills_is_found(frozen_cards, name):
    """Three times 2 Power, 1 and 1 for the Influence card, and 1 for each Beast played after it: it must come second, and greedy plays it last."""
    health = 10
    assert not play_turn("greedy", laid(frozen_cards, PACK, {"health": health})).over
    game = play_turn(name, laid(frozen_cards, PACK, {"health": health}))
    assert game.winner == "first"


@pytest.mark.parametrize("name", THINKERS)
def test_the_resource_that_kills_is_chosen(frozen_cards, name):
    """Early in a game greedy takes 2 Coin from a RAGE, whatever the rival's Health."""
    swine = {"overlord": "Fenris", "hand": ["Black Swine of Hampstead"], "pool": {"power": 1}}
    assert not play_turn("greedy", laid(frozen_cards, swine, {"health": 3}, {"turn": 1})).over
    assert play_turn(name, laid(frozen_cards, swine, {"health": 3}, {"turn": 1})).winner == "first"


@pytest.mark.parametrize("name", THINKERS)
def test_an_attack_that_kills_is_made_at_once(frozen_cards, name):
    game = laid(frozen_cards, {"overlord": "Fenris", "hand": ["Fanatic"] * 3, "pool": {"power": 4, "coin": 5}}, {"health": 4}, {"acolytes": 3})
    assert ask(name, game) == "attack"


# Other choices


@pytest.mark.parametrize("name", THINKERS)
def test_it_draws_before_it_decides_what_to_discard(frozen_cards, name):
    deck = ["Werewolf", "Cock Lane Ghost", "Werewolf", "Cock Lane Ghost", "Werewolf", "Werewolf", "Werewolf", "Werewolf"]
    game = laid(frozen_cards, {"overlord": "Lilith", "hand": ["Cultist", "Thames Drowner", "Cultist"], "deck": deck})
    assert ask(name, game) == "play Thames Drowner"


BIG = ["Lich of Lincoln's Inn", "King in the Barrow", "Great Wyrm of the Thames", "The Wild Hunt", "Bloody Mary"]


@pytest.mark.parametrize("name", THINKERS)
@pytest.mark.parametrize(
    ("health", "hand", "answer"),
    [(2, BIG, "choose discard"), (30, [*BIG[:4], "Cultist"], "choose discard Cultist")],
    ids=["it would die", "a card that it does not need"],
)
def test_a_curse_is_answered_with_the_own_next_turn_in_mind(frozen_cards, name, health, hand, answer):
    """By the rival, in the middle of somebody else's turn."""
    game = laid(frozen_cards, {"overlord": "Azazael", "hand": ["Cock Lane Ghost"]}, {"overlord": "Fenris", "health": health, "hand": hand})
    game.apply("play Cock Lane Ghost")
    assert game.asked == "second"
    assert ask(name, game).startswith(answer)


# No trace


@pytest.mark.parametrize("name", THINKERS)
def test_trying_things_out_changes_nothing(frozen_cards, name):
    """Not the game, not the list of options; and asked again with other cards where it cannot see, it says the same (checks/contract.py looks closer)."""
    game = laid(frozen_cards, PACK, {"health": 30, "hand": STARTERS}, {"street": ["Ghoul", "Werewolf", "Skeletal"], "market": ["Banshee"] * 5, "acolytes": 4})
    before, listed = np.asarray(game.record).tobytes(), np.asarray(game.options)["at"].tobytes()
    said = ask(name, game)
    assert np.asarray(game.record).tobytes() == before
    assert np.asarray(game.options)["at"].tobytes() == listed
    assert ask(name, game) == said
    game.record.seed += np.uint64(1)
    assert ask(name, game) == said


def test_both_share_one_compiled_function():
    assert find("planner").compiled is find("sage").compiled
    assert find("planner").sha256 != find("sage").sha256


# Numbers


def test_how_long_it_thinks_are_numbers_and_not_code(frozen_box):
    planner, sage = find("planner"), find("sage")
    assert isinstance(planner, Thinker)
    quick, long = planner.work(frozen_box), sage.work(frozen_box)
    assert quick.lookahead.deals * 2**quick.lookahead.rounds < long.lookahead.deals * 2**long.lookahead.rounds
    assert set(USUAL) < set(planner.numbers) == set(LOOKAHEAD.names)


def test_planner_beats_greedy_clearly(frozen_box):
    legs = [play_rows(frozen_box, all_pairs(frozen_box, 1, seed=6), find(a), find(b))["winner"] for a, b in (("planner", "greedy"), ("greedy", "planner"))]
    assert pair_estimate(legs[0] == 0, legs[1] == 1).low > 0.6
