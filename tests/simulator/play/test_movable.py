"""A box that is patched is, byte for byte, the box that is made of the changed set."""

import numpy as np

from terrors.simulator.cards.card_numbers import numbers_of
from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.play.box import Interventions, make_box
from terrors.simulator.play.match import Match, MatchRecords, meetings, pairs_of_games
from terrors.simulator.play.movable import MovableBox, moved, settings
from terrors.simulator.terms.ruleset import Rules
from terrors.strategies import find
from tests.support.places import FROZEN

CARDS = load_cards(FROZEN)
NUMBERS = numbers_of(CARDS, Rules())


def values(luck: np.random.Generator) -> list[int]:
    return [number.value + number.step * int(luck.choice(number.levels)) for number in NUMBERS]


def test_patched_as_made_anew():
    """Everything moved at once, one set of values after the other, and back to the set as it is."""
    luck = np.random.default_rng(17)
    interventions = Interventions(remove=("Ghoul",), grant=(("Werewolf", 1),), deny=(("Banshee", 0),), lottery=0.1)
    box = MovableBox(CARDS, Rules(), NUMBERS, interventions)
    for chosen in (*(values(luck) for _ in range(6)), box.usual):
        overrides, rules = settings(NUMBERS, chosen)
        made = make_box(CARDS.replace(overrides), Rules().but(rules), interventions)
        patched = box.box(chosen)
        assert patched.record.tobytes() == made.record.tobytes()
        assert (patched.cards.cards, patched.rules, patched.copies, patched.alternatives) == (made.cards.cards, made.rules, made.copies, made.alternatives)


def test_opinions_are_those_of_the_patched_cards():
    """A strategy that looks at cards once looks again at a card that was changed."""
    box, player = MovableBox(CARDS, Rules(), NUMBERS), find("tuned")
    player.work(box.box(box.usual))
    chosen = moved(NUMBERS, {"Ghoul.abilities[1 Power]": 2, "Highgate Vampire.abilities[DRAW 1]": 3, "Ghoul.cost": 1, "rule first_hand": 3})
    overrides, rules = settings(NUMBERS, chosen)
    assert overrides == ("Ghoul.cost=1", "Ghoul.abilities[1 Power]=2", "Highgate Vampire.abilities[DRAW 1]=3")
    assert rules == {"first_hand": 3}
    assert player.work(box.box(chosen)).tobytes() == player.work(make_box(CARDS.replace(overrides))).tobytes()


def test_a_desk_thinks_again_about_each_version_as_if_it_were_the_first():
    """Its work areas are used for one version after the other: opinions are those of areas made anew, byte for byte, and so are the games."""
    luck = np.random.default_rng(23)
    box, player, desk = MovableBox(CARDS, Rules(), NUMBERS), find("tuned"), MatchRecords()
    opinions, areas = ("others", "wants_of", "table_of", "loaded"), []
    for number, chosen in enumerate((*(values(luck) for _ in range(5)), box.usual)):
        overrides, rules = settings(NUMBERS, chosen)
        made = make_box(CARDS.replace(overrides), Rules().but(rules))
        match = Match(box.box(chosen), player, player, desk)
        anew = Match(made, find("tuned"), find("tuned"))
        for mine, other in zip(match.works, anew.works, strict=True):
            assert [np.asarray(mine[name]).tobytes() for name in opinions] == [np.asarray(other[name]).tobytes() for name in opinions]
        assert number or [area.tobytes() for area in match.works] == [area.tobytes() for area in anew.works]
        areas.append(match.works)
        rows = pairs_of_games(made, meetings(made, [made.kind(card.name) for card in made.cards.overlords][:4]), 1, number)
        played, again = match.play_all(rows.copy()), anew.play_all(rows.copy())
        assert played.tobytes() == again.tobytes()
        assert len(set(played["turns"].tolist())) > 1
    assert all(area is first for works in areas for area, first in zip(works, areas[0], strict=True)), "a desk has one area for each side"
