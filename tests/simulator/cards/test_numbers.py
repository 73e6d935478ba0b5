"""The numbers of a set: their names, their bounds, and that `--set` understands every one of them."""

import pytest

from terrors.simulator.cards.card import cells_of
from terrors.simulator.cards.card_numbers import card_numbers, numbers_of, with_value
from terrors.simulator.cards.card_set import CardFileError, load_cards
from terrors.simulator.terms.enums import CardType
from terrors.simulator.terms.ruleset import Rules
from tests.support.places import FROZEN

CARDS = load_cards(FROZEN).with_cards([{"name": "Hag", "type": "Monster", "faction": "Spirit", "cost": 2, "abilities": "1 Power; DRAW 1; discard 1"}])
NUMBERS = numbers_of(CARDS, Rules())
OF_CARDS = [number for number in NUMBERS if number.card]


def named(name: str):
    return next(number for number in NUMBERS if number.name == name)


def cell(cards, name: str, column: str) -> str:
    return cells_of(cards.by_name(name))[column]


def test_names_are_one_for_one():
    assert len({number.name for number in NUMBERS}) == len(NUMBERS) > 200


def test_every_number_can_be_set_by_its_name_and_nothing_else_changes():
    """The change that `--set` makes is the one that the lottery makes, to each number of the set, up and down."""
    for number in OF_CARDS:
        for level in number.levels:
            value = number.value + level * number.step
            changed = CARDS.replace([number.to(value)])
            assert list(changed) == [with_value(card, number, value) if card.name == number.card else card for card in CARDS]
            again = [other for other in card_numbers(changed.by_name(number.card), Rules()) if (other.column, other.place, bool(other.piece)) == (
                number.column, number.place, bool(number.piece))]  # fmt: skip
            assert [other.value for other in again] == [value]


def test_several_changes_of_one_cell_do_not_get_in_each_others_way():
    abilities = "1 Power; 1 Coin; if Undead in play: 1 Power; pay 2 Coin: DRAW 2"
    card = CARDS.with_cards([{"name": "Hag", "type": "Monster", "faction": "Spirit", "cost": 2, "abilities": abilities}])
    changed = card.replace(["Hag.abilities[1 Power]=2", "hag.abilities[1 power#2]=3", "Hag.abilities[pay 2 Coin]=1", "Hag.abilities[DRAW]=4"], check_set=False)
    assert cell(changed, "Hag", "abilities") == "2 Power; 1 Coin; if Undead in play: 3 Power; pay 1 Coin: DRAW 4"
    later = card.replace(["Hag.abilities[DRAW 2]=3", "Hag.abilities[DRAW 3]=5"], check_set=False)  # one behind the other
    assert cell(later, "Hag", "abilities").endswith("DRAW 5")
    whole = card.replace(["Hag.abilities=3 Power; DRAW 1", "Hag.abilities[3 Power]=5"], check_set=False)
    assert cell(whole, "Hag", "abilities") == "5 Power; DRAW 1"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("Hag.abilities[DRAW 7]=2", "there is [1 Power], [DRAW 1], [discard 1]"),
        ("Hag.abilities[DRAW 1]=0", "'0' is not a whole number from 1 to 99"),
        ("Hag.abilities[DRAW 1]=many", "'many' is not a whole number"),
        ("Hag.cost[x]=2", "'cost' has no abilities in it"),
        ("Table-Rapper.abilities[1 Coin#5]=3", "only 2 that read so"),
        ("Hag.abilitys[DRAW 1]=2", "did you mean abilities?"),
        ("Hag.triggers[DRAW 1]=2", "there is none at all"),
    ],
)
def test_mistakes_are_named(change, said):
    with pytest.raises(CardFileError) as error:
        CARDS.replace(change)
    assert said in str(error.value)


def test_bounds_and_steps():
    """Health goes by twos, no amount below 1, no copy less than one, and one copy cannot become none."""
    health = next(number for number in NUMBERS if number.column == "health")
    assert (health.step, health.levels) == (2, (-1, 0, 1))
    for number in NUMBERS:
        assert number.low <= number.value <= number.high
        assert number.column == "cost" or number.value + min(number.levels) * number.step >= (1 if number.card or number.value else 0)
    assert all(number.levels == (0, 1) for number in OF_CARDS if number.value == 1 and number.column != "cost")


def test_what_decides_nothing_is_no_number():
    """The rules say how many Cultists there are; an overlord has no cost; with `overlord_limit=once` the limit on the card is not read."""
    names = {number.name for number in NUMBERS}
    assert "Cultist.copies" not in names
    assert not any(number.column == "cost" and CARDS.by_name(number.card).type is CardType.OVERLORD for number in OF_CARDS)
    limited = [number.name for number in NUMBERS if number.piece == "once per turn"]
    once = {number.name for number in numbers_of(CARDS, Rules().but({"overlord_limit": "once"}))}
    assert limited
    assert not once & set(limited)


def test_moves_are_said_as_a_designer_says_them():
    assert named("Lilith.health").said(47) == "Lilith: Health 45 → 47"
    assert named("Hag.abilities[DRAW 1]").said(2) == "Hag: DRAW 1 → DRAW 2"
    assert named("rule first_hand").said(5) == "rule first hand 4 → 5"
    assert next(number for number in NUMBERS if number.piece == "once per turn").said(2).endswith("once per turn → twice per turn")
