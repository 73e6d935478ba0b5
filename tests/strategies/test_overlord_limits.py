"""O1: strategies with an overlord whose ability has no limit, or may be used twice: they use it, and their turns end by themselves."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from terrors.simulator.play.box import Box, make_box
from terrors.simulator.play.match import pairs_of_games, play_rows
from terrors.simulator.story.position import lay_table
from terrors.simulator.story.transcript import Driver, strategy_chooser
from terrors.simulator.terms.enums import Status
from terrors.strategies import find
from terrors.strategies.kit.simple import ENOUGH_USES

pytestmark = pytest.mark.slow

LIST = 'plan = "Buys the dearest."\n[[buy]]\npick = "dearest"\n'
PLAYERS = ("greedy", "tuned", "list")
FREE = ("1 Power", "1 Coin", "DRAW 1", "MUSTER", "COMMAND", "look at 1: discard any", "choose 1 Coin or 1 Power")
PAID = ("pay 1 Coin: 1 Power", "pay 1 Health: DRAW 1", "discard a card: DRAW 1", "buy a monster costing 3 or less with Coin or Power")


def player(name: str, folder: Path) -> Any:
    """A strategy by its name; `list` is a priority list of a few lines."""
    if name != "list":
        return find(name)
    file = folder / "dearest.toml"
    file.write_text(LIST, encoding="utf-8")
    return find(str(file))


def box_with(cards: Any, ability: str) -> Box:
    """The set with another ability for Azazael."""
    return make_box(cards.replace([f"Azazael.abilities={ability}"]))


def turn(box: Box, strategy: Any) -> list[str]:
    """What Azazael does in a turn that is played to its end."""
    table = {"turn": 9, "street": ["King in the Barrow"], "market": ["Ghoul"]}
    starters = ["Cultist", "Fanatic", "Cultist", "Fanatic", "Cultist"]
    side = {"overlord": "Azazael", "hand": starters, "deck": starters}
    game, seat = lay_table(box, {"you": side, "opponent": {"overlord": "Fenris", "deck": starters}, "table": table})
    driver, said = Driver([strategy_chooser(strategy.compiled, strategy.work(box))] * 2), []
    while not game.over and game.record.active == seat:
        index, spend = driver.answer(game)
        said.append(game.legal_actions()[index])
        game.apply_index(index, spend)
    assert game.record.limits == 0
    return said


@pytest.mark.parametrize("name", [*PLAYERS, "random"])
@pytest.mark.parametrize("ability", [*FREE, *PAID])
def test_games_with_an_ability_without_a_limit_end_by_themselves(frozen_cards, tmp_path, name, ability):
    box, strategy = box_with(frozen_cards, ability), player(name, tmp_path)
    rows = pairs_of_games(box, [(box.kind("Azazael"), box.kind("Fenris"))], 10, 5)
    play_rows(box, rows, strategy, strategy)
    assert (rows["status"] == Status.OVER).all()
    assert not rows["limits"].any()  # E1


@pytest.mark.parametrize("name", PLAYERS)
class TestUses:
    def test_twice_per_turn_is_twice(self, frozen_cards, tmp_path, name):
        assert turn(box_with(frozen_cards, "twice per turn: 1 Power"), player(name, tmp_path)).count("overlord") == 2

    def test_what_is_free_is_used_often_but_not_without_end(self, frozen_cards, tmp_path, name):
        assert turn(box_with(frozen_cards, "1 Power"), player(name, tmp_path)).count("overlord") == ENOUGH_USES

    def test_what_does_nothing_is_tried_again_only_after_something_else(self, frozen_cards, tmp_path, name):
        assert ("overlord", "overlord") not in pairwise(turn(box_with(frozen_cards, "COMMAND"), player(name, tmp_path)))

    def test_what_is_paid_is_used_while_it_can_be_paid(self, frozen_cards, tmp_path, name):
        assert turn(box_with(frozen_cards, "pay 1 Coin: 1 Power"), player(name, tmp_path)).count("overlord") == 3

    def test_the_whole_deck_is_drawn_and_then_it_is_enough(self, frozen_cards, tmp_path, name):
        assert 5 <= turn(box_with(frozen_cards, "DRAW 1"), player(name, tmp_path)).count("overlord") < ENOUGH_USES
