"""`Game`, as a script uses it: the question, the legal actions, what they do, copies, and words for what cannot be done."""

import doctest
import random
import re

import numpy as np
import pytest

import terrors
import terrors.simulator.play.game
from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.play.box import Interventions, make_box
from terrors.simulator.play.game import Game
from terrors.simulator.play.names import reading
from terrors.simulator.play.notation import NotationError
from terrors.simulator.story.position import lay_table
from terrors.simulator.terms.ruleset import Rules
from tests.support.places import FROZEN


def table(cards, you=None, opponent=None, **on_it) -> Game:
    data = {"you": {"overlord": "Methuselah", **(you or {})}, "opponent": {"overlord": "Fenris", **(opponent or {})}, "table": on_it}
    return lay_table(make_box(cards), data)[0]


def refused(game: Game, action: str) -> str:
    before = np.asarray(game.record).tobytes()
    with pytest.raises(NotationError) as caught:
        game.apply(action)
    assert np.asarray(game.record).tobytes() == before
    return str(caught.value)


# A whole game


def test_five_lines_play_a_game():
    """With nothing but what `simulator` offers."""
    game = terrors.Game(terrors.load_cards(), first="Fenris", second="Azazael", seed=7)
    luck = random.Random(1)
    while game.winner is None:
        game.apply(luck.choice(game.legal_actions()))
    assert game.winner in ("first", "second", "draw")
    assert game.over
    assert game.turn > 4
    assert game.legal_actions() == []


def test_the_example_in_the_docstring_is_true():
    assert doctest.testmod(terrors.simulator.play.game).failed == 0


def test_the_same_seed_is_the_same_game(frozen_cards):
    def played(seed: int) -> bytes:
        game, luck = Game(frozen_cards, "Lilith", "Azazael", seed), random.Random(3)
        while not game.over:
            game.apply(luck.choice(game.legal_actions()))
        return np.asarray(game.record).tobytes()

    assert played(5) == played(5)
    assert played(5) != played(6)


def test_a_seed_is_any_whole_number(frozen_box):
    def opening(seed: int) -> bytes:
        return np.asarray(Game(frozen_box, "Lilith", "Azazael", seed).record).tobytes()

    assert opening(-1) == opening(2**64 - 1)
    assert opening(2**64 + 3) == opening(3) != opening(4)


def test_what_is_asked_and_of_whom(frozen_cards):
    game = Game(frozen_cards, "Lilith", "Azazael", 5)
    assert (game.turn, game.asked, game.question, game.is_action) == (0, "first", "Which Influence card do you take?", False)
    while game.turn == 0:
        game.apply_index(0)
    assert (game.turn, game.active, game.asked, game.question, game.is_action) == (1, "first", "first", "What do you do?", True)
    assert (game.overlord(0), game.overlord(1), game.winner, game.over, game.result) == ("Lilith", "Azazael", None, False, "not over yet")


def test_the_rival_is_asked_when_cursed(frozen_cards):
    game = table(frozen_cards, {"hand": ["Cock Lane Ghost"]}, {"hand": ["Cultist"]})
    game.apply("play Cock Lane Ghost")
    assert (game.active, game.asked, game.question, game.is_action) == ("first", "second", "You are cursed: what do you give up?", False)
    assert game.legal_actions() == ["choose health", "choose discard Cultist"]


@pytest.mark.parametrize(("health", "winner", "result"), [(3, "first", "Methuselah (first) wins"), (4, None, "not over yet")])
def test_the_end(frozen_cards, health, winner, result):
    game = table(frozen_cards, {"pool": {"power": 3}}, {"health": health})
    game.apply("attack")
    assert (game.winner, game.over, game.result) == (winner, winner is not None, result)
    if game.over:
        assert game.question == "The game is over."
        assert refused(game, "pass") == "'pass' is not legal now; legal are: ."


def test_a_draw_by_the_turn_limit(frozen_cards):
    game = Game(frozen_cards, "Lilith", "Azazael", 5, Rules(influences=0, max_turns=1, first_hand=0))
    game.apply("pass")
    assert (game.winner, game.result, game.turn) == ("draw", "a draw by the turn limit", 1)


# Actions


def test_amounts(frozen_cards):
    game = table(frozen_cards, {"pool": {"power": 5, "regeneration": 4}, "health": 30})
    me, rival = game.record.player
    game.apply("attack 2")
    assert (me.power, rival.health) == (3, 43)
    game.apply("heal 1")
    assert (me.regeneration, me.health) == (3, 31)
    assert refused(game, "attack 4") == "'attack 4': the amount goes from 1 to 3."
    game.apply("attack")
    game.apply("heal")
    assert (me.power, rival.health, me.regeneration, me.health) == (0, 40, 0, 34)


@pytest.mark.parametrize("action", ["attack 0", "heal 0"])
def test_nothing_is_not_all(frozen_cards, action):
    game = table(frozen_cards, {"pool": {"power": 5, "regeneration": 4}, "health": 30})
    assert refused(game, action) == f"'{action}': the amount goes from 1 to {5 if action == 'attack 0' else 4}."


@pytest.mark.parametrize("text", ["convert 2 Power to Coin", "convert Power to Coin 2", "CONVERT  2 power TO coin"])
def test_a_part_is_converted(frozen_cards, text):
    game = table(frozen_cards, {"hand": ["Resurrection Man"], "pool": {"power": 3}})
    game.apply("play Resurrection Man")
    assert "convert Power to Coin" in game.legal_actions()
    game.apply(text)
    assert (game.record.player[0].power, game.record.player[0].coin) == (1, 4)


@pytest.mark.parametrize("text", ["play Ghoul", "PLAY ghoul", "  play   Ghoul "])
def test_case_and_spaces_do_not_matter(frozen_cards, text):
    game = table(frozen_cards, {"hand": ["Ghoul", "Cultist"]})
    game.apply(text)
    assert game.record.player[0].power == 1


def destroying(cards) -> Game:
    game = table(cards, {"hand": ["Menagerie Ape"], "play": ["Ghoul"]}, {"relics": ["Silver Mirror"]}, street=["Ghoul", "Werewolf"])
    game.apply("play Menagerie Ape")
    assert game.legal_actions() == ["choose Ghoul", "choose Menagerie Ape", "choose opponent Silver Mirror", "choose Street Ghoul", "choose Street Werewolf"]
    return game


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("choose Street Ghoul", "street"),
        ("choose Werewolf", "street"),  # no other Werewolf is offered
        ("choose street werewolf", "street"),
        ("choose opponent Silver Mirror", "relic"),
        ("choose Silver Mirror", "relic"),
        ("choose Ghoul", "mine"),  # the exact words come before other readings
    ],
)
def test_other_words_for_the_same(frozen_cards, text, gone):
    game = destroying(frozen_cards)
    game.apply(text)
    found = {"street": game.record.removed.n, "relic": 1 - game.record.player[1].relics, "mine": game.record.player[0].discard.n}
    assert found == {"street": 0, "relic": 0, "mine": 0} | {gone: 1}


def test_no_and_none_are_the_same(frozen_cards):
    for text in ("choose no", "choose none", "choose No"):
        game = table(frozen_cards, {"hand": ["Cultist", "Cultist"]})
        game.apply("overlord")
        assert game.legal_actions() == ["choose Cultist", "choose no"]
        game.apply(text)
        assert game.record.player[0].hand.n == 2


def test_the_resource_is_enough(frozen_cards):
    for text, left in (("choose 1 Power", "power"), ("choose Power", "power"), ("choose coin", "coin")):
        game = table(frozen_cards, {"hand": ["Skeletal"]})
        game.apply("play Skeletal")
        game.apply(text)
        assert game.record.player[0][left] == 1


@pytest.mark.parametrize("copy", ["horde Skeletal + Poltergeist #2", "horde Skeletal + Poltergeist#2", "horde skeletal + poltergeist # 2"])
@pytest.mark.parametrize("dots", ["Skeletal…", "Skeletal...", "Skeletal ...", "skeletal …"])
def test_copies_and_three_dots(frozen_cards, copy, dots):
    game = table(frozen_cards, {"play": ["Skeletal", "Poltergeist", "Poltergeist", "Werewolf"]})
    game.apply(copy)
    game.apply("activate none")
    assert "  in play: Skeletal + Poltergeist #2, Poltergeist, Werewolf\n" in repr(game)
    assert "horde Werewolf + Skeletal…" in game.legal_actions()
    game.apply(f"horde Werewolf + {dots}")
    assert "  in play: Werewolf + Skeletal + Poltergeist #2, Poltergeist\n" in repr(game)


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("play Ghul", "'play Ghul' is not legal now; did you mean 'play Ghoul'?"),
        ("pass", "'pass' is not legal now; legal are: play Ghoul, play Cultist, overlord."),
        ("", "'' is not legal now; legal are: play Ghoul, play Cultist, overlord."),
        ("attack", "'attack' is not legal now; legal are: play Ghoul, play Cultist, overlord."),
        ("attack 3", "'attack 3' is not legal now; legal are: play Ghoul, play Cultist, overlord."),
    ],
)
def test_what_is_not_legal_is_refused_in_words_and_changes_nothing(frozen_cards, action, words):
    assert refused(table(frozen_cards, {"hand": ["Ghoul", "Cultist"]}), action) == words


def test_what_may_mean_two_things_is_asked_back(frozen_cards):
    game = table(frozen_cards, {"hand": ["Menagerie Ape"]}, {"play": ["Ghoul"]}, street=["Ghoul"])
    game.apply("play Menagerie Ape")
    assert refused(game, "choose Ghoul") == "'choose Ghoul' may mean choose Street Ghoul or choose opponent Ghoul; write which."


@pytest.mark.parametrize("index", [-1, 3, 1000])
def test_an_option_that_is_not_there(frozen_cards, index):
    game = table(frozen_cards, {"hand": ["Ghoul", "Cultist"]})
    with pytest.raises(IndexError, match=rf"^option {index}: there are 3, counted from 0\.$"):
        game.apply_index(index)


@pytest.mark.parametrize("spend", [-3, 99])
def test_an_amount_that_is_not_there(frozen_cards, spend):
    game = table(frozen_cards, {"pool": {"power": 5}})
    with pytest.raises(ValueError, match=rf"^amount {spend}: it goes from 1 to 5, and 0 is all\.$"):
        game.apply_index(game.legal_actions().index("attack"), spend)


# Copies


def test_a_copy_is_played_on_separately(frozen_cards):
    game = table(frozen_cards, {"hand": ["Ghoul", "Cultist"], "discard": ["Fanatic"]})
    before = np.asarray(game.record).tobytes()
    twin = game.copy()
    assert np.asarray(twin.record).tobytes() == before
    assert twin.legal_actions() == game.legal_actions()
    twin.apply("play Ghoul")
    assert np.asarray(game.record).tobytes() == before
    assert repr(twin) != repr(game)
    game.apply("play Ghoul")
    assert repr(twin) == repr(game)
    assert np.asarray(twin.record).tobytes() == np.asarray(game.record).tobytes()


def test_a_copy_in_the_middle_of_an_action(frozen_cards):
    game = destroying(frozen_cards)
    twin = game.copy()
    assert twin.legal_actions() == game.legal_actions()
    twin.apply("choose Street Ghoul")
    game.apply("choose Street Ghoul")
    assert np.asarray(twin.record).tobytes() == np.asarray(game.record).tobytes()


# What it looks like


def test_a_table_as_text(frozen_cards):
    play = ["Skeletal", "Poltergeist haunted", "Grey Lady haunting"]
    you = {"hand": ["Cultist", "Ghoul", "Cultist"], "deck": ["Fanatic"] * 3, "play": play, "pool": {"coin": 2}, "tokens": 1}
    opponent = {"relics": ["Silver Mirror", "Templar Mail"], "health": 12, "discard": ["Werewolf"]}
    game = table(frozen_cards, you, opponent, street=["Banshee", "Ghoul"], market=["Warlock"] * 4, acolytes=3)
    assert repr(game) == (
        "Turn 1, Methuselah to act\n"
        "Methuselah (first): Health 40/40, Armor 1, MUSTER 1, 2 Coin\n"
        "  hand: 2 Cultist, Ghoul; deck 3; discard: empty\n"
        "  in play: Skeletal, Poltergeist (Dismiss), Grey Lady (HAUNT)\n"
        "Fenris (second): Health 12/45, Armor 3\n"
        "  hand: empty; deck 0; discard: Werewolf\n"
        "  relics: Silver Mirror, Templar Mail\n"
        "Street: Banshee, Ghoul; Market 4, Acolytes 3"
    )
    assert game.player_lines(0, hidden=True)[1] == "  hand: 3 cards; deck 3; discard: empty"


def test_a_horde_as_text(frozen_cards):
    game = table(frozen_cards, {"play": ["Skeletal", "Cultist", "Poltergeist haunted"]})
    (horde,) = [action for action in game.legal_actions() if action.startswith("horde")]
    game.apply(horde)
    left, right = re.fullmatch(r"horde (\w+) \+ (\w+)", horde).groups()
    shown = {"Skeletal": "Skeletal", "Poltergeist": "Poltergeist (Dismiss)"}
    assert f"  in play: {shown[left]} + {shown[right]}, Cultist\n" in repr(game)


def test_the_end_as_text(frozen_cards):
    game = table(frozen_cards, {"pool": {"power": 3}}, {"health": 3})
    game.apply("attack")
    assert repr(game).startswith("Over after turn 1: Methuselah (first) wins\nMethuselah (first): Health 40/40\n")
    assert "Fenris (second): Health 0/45\n" in repr(game)


def test_rules_and_interventions_go_into_the_box(frozen_cards):
    game = Game(frozen_cards, "Lilith", "Azazael", 5, Rules(influences=0, street_size=3), Interventions(remove=("Ghoul",)))
    assert game.box.rules.street_size == game.record.street_n == 3
    assert game.box.interventions.changed() == {"remove": ("Ghoul",)}
    assert Game(game.box, "Lilith", "Azazael", 5).box is game.box


def test_an_influence_card_may_name_its_overlord_in_any_case(tmp_path, frozen_cards):
    """Found by fuzzing: such a set was read, and then could not be played."""
    path = tmp_path / "cards.csv"
    path.write_text(FROZEN.read_text(encoding="utf-8").replace(",influence,Influence,,Lilith,", ",influence,Influence,,lilith,"), encoding="utf-8")
    cards = load_cards(path)
    assert cards.influences_of("Lilith")[0].overlord == "lilith"
    assert Game(cards, "Lilith", "Azazael", 5).legal_actions() == Game(frozen_cards, "Lilith", "Azazael", 5).legal_actions()


def test_a_reading_has_every_number_of_the_record_and_shares_what_has_not_changed():
    luck, game = random.Random(3), Game(load_cards(FROZEN), seed=3)
    now, shared = reading(game.record), 0
    while not game.over:
        game.apply_index(luck.randrange(game.options.n))
        before, now, fresh = now, reading(game.record, now), reading(game.record)
        assert now == fresh
        shared += now.player[0] is before.player[0]
        for record, read in ((game.record, now), *zip(game.record.player, now.player, strict=True)):
            dtype = record.dtype
            plain = [name for name in dtype.names if not dtype[name].shape and not dtype[name].names]
            assert {name: read[name] for name in plain} == {name: int(record[name]) for name in plain}
        mine = game.record.player[0]
        for pile in ("hand", "deck", "discard", "removed"):
            assert now.player[0][pile].card == list(mine[pile].card[: mine[pile].n])
        assert [(slot.card, slot.marks) for slot in now.player[0].play] == [(slot.card, slot.marks) for slot in mine.play[: mine.slots]]
        assert [place.kind for place in now.street] == [place.kind for place in game.record.street[: game.record.street_n]]
        assert dict(now.tally) == {name: int(game.record.tally[name]) for name in game.record.tally.dtype.names}
    assert shared > 20
