"""What the ability language says about mistakes: every message, word for word."""

import pytest

from terrors.simulator.cards.vocabulary import Ability, LanguageError, parse_abilities, parse_horde, parse_triggers, text_of
from terrors.simulator.terms.enums import Effect


def problems(text: str) -> list[str]:
    with pytest.raises(LanguageError) as caught:
        parse_abilities(text)
    return caught.value.problems


def trigger_problems(text: str, influence: bool = False) -> list[str]:
    with pytest.raises(LanguageError) as caught:
        parse_triggers(text, influence)
    return caught.value.problems


TOO_MANY = "choose " + " or ".join(["2 Coin"] * 21)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("CURSED", ["'CURSED' is not an ability; did you mean CURSE?"]),
        ("0 Coin", ["'0 Coin': amounts go from 1 to 99"]),
        ("-1 Coin", ["'-1 Coin': amounts go from 1 to 99"]),
        ("\u22121 Coin", ["'-1 Coin': amounts go from 1 to 99"]),
        ("100 Power", ["'100 Power': amounts go from 1 to 99"]),
        ("9" * 5000 + " Coin", [f"'{'9' * 150}…': amounts go from 1 to 99"]),
        ("1.5 Coin", ["'1.5 Coin': amounts are whole numbers from 1 to 99"]),
        ("1,5 Coin", ["'1,5 Coin': amounts are whole numbers from 1 to 99"]),
        ("DRAW 0", ["'DRAW 0': amounts go from 1 to 99"]),
        ("if Health 1000 or less: DRAW", ["'if Health 1000 or less': amounts of Health go from 1 to 999"]),
        ("buy a monster costing 0 or less with Coin", ["'buy a monster costing 0 or less with Coin': amounts go from 1 to 99"]),
        ("2 Coinn", ["'2 Coinn': 'Coinn' is not a resource; did you mean Coin?"]),
        ("2 Gold", ["'2 Gold': 'Gold' is not a resource (Coin, Power or Regeneration)"]),
        ("2 Health", ["'2 Health' is not an ability; did you mean gain 2 Health?"]),
        ("two Coin", ["'two Coin' is not an ability; did you mean 2 Coin?"]),
        ("2Coin", ["'2Coin' is not an ability; did you mean 2 Coin?"]),
        ("CURSE 2", ["'CURSE 2' is not an ability; did you mean CURSE?"]),
        ("win the game", ["'win the game' is not an ability"]),
        (
            "if Undeat in play: CURSED",
            ["'if Undeat in play': 'Undeat' is not a faction; did you mean Undead?", "'CURSED' is not an ability; did you mean CURSE?"],
        ),
        (
            "pay 1 Gold: CURSED",
            [
                "'pay 1 Gold': 'Gold' is not something to pay with (Coin, Power, Regeneration or Health)",
                "'CURSED' is not an ability; did you mean CURSE?",
            ],
        ),
        (
            "buy a monster costing 3 or less with Coyn or Power",
            ["'buy a monster costing 3 or less with Coyn or Power': 'Coyn' is not a resource; did you mean Coin?"],
        ),
        ("SACRIFICE from hnd", ["'SACRIFICE from hnd': 'hnd' is not a place; did you mean hand?"]),
        ("reveal 1: if Beest, take it", ["'reveal 1: if Beest, take it': 'Beest' is not a faction; did you mean Beast?"]),
        ("reveal 1: if monsterr, take it", ["'reveal 1: if monsterr, take it' is not an ability; did you mean reveal 1: if monster, take it?"]),
        ("look at 2: discard all", ["'look at 2: discard all' is not an ability; did you mean look at 2: discard any?"]),
        ("1 Power per Beest in play", ["'1 Power per Beest in play': 'Beest' is not a faction; did you mean Beast?"]),
        ("1 Power per relik", ["'1 Power per relik': 'per relik' counts nothing; did you mean per relic?"]),
        ("lose 1 Health per relic", ["'lose 1 Health per relic': 'lose 1 Health' takes no 'per'"]),
        ("convert Coin to Coin", ["'convert Coin to Coin': nothing to convert"]),
        ("pay 1 Health", ["'pay 1 Health': ':' and what comes of it must follow"]),
        ("SACRIFICE this", ["'SACRIFICE this': ':' and what comes of it must follow"]),
        ("pay 1 Health:", ["'pay 1 Health': nothing stands behind it"]),
        (
            "whenever it rains: DRAWW 2",
            ["'whenever it rains': what stands before ':' is neither a condition nor a cost", "'DRAWW 2' is not an ability; did you mean DRAW 2?"],
        ),
        ("pai 1 Health: 3 Regeneration", ["'pai 1 Health' is neither a condition nor a cost; did you mean pay 1 Health?"]),
        ("2 Coin or 2 Power", ["'2 Coin or 2 Power': a choice is written 'choose … or …'"]),
        ("choose 2 Coin", ["'choose 2 Coin': a choice has 2 to 20 alternatives, with 'or' between them"]),
        (TOO_MANY, [f"'{TOO_MANY[:150]}…': a choice has 2 to 20 alternatives, with 'or' between them"]),
        ("choose", ["'choose': nothing stands behind it"]),
        ("1 Coin, 1 Power", ["'1 Coin, 1 Power': abilities have ';' between them, or 'and' behind ':', and no full stop"]),
        ("CURSE.", ["'CURSE.': abilities have ';' between them, or 'and' behind ':', and no full stop"]),
        ("if Undead in play: 2 Armor", ["'2 Armor': Armor and CLAIM stand alone, never behind ':' or in a choice"]),
        ("choose CLAIM or 2 Coin", ["'CLAIM': Armor and CLAIM stand alone, never behind ':' or in a choice"]),
        ("(1 Coin", ["'(1 Coin': '(' without ')'"]),
        ("1 Coin)", ["'1 Coin)': ')' without '('"]),
        ("()", ["'()': an ability is missing before ')'"]),
        ("(1 Coin) 2 Power", ["'2 Power': write 'and' before it"]),
        ("if Undead in play: " * 9 + "DRAW", ["'if Undead in play: if Undead in play: if…': no more than 8 abilities within abilities"]),
        ("(" * 2000 + "DRAW", [f"'{'(' * 40}…': no more than 8 abilities within abilities"]),
        (
            "faction in play: 2 Power",
            ["'faction in play: 2 Power': 'faction in play' stands among the triggers of an Influence card, and first in them"],
        ),
        ("CURSED; 1 Coin; DRAWW 2", ["'CURSED' is not an ability; did you mean CURSE?", "'DRAWW 2' is not an ability; did you mean DRAW 2?"]),
        ("0 Coin and CURSED", ["'0 Coin': amounts go from 1 to 99", "'CURSED' is not an ability; did you mean CURSE?"]),
    ],
)  # fmt: skip
def test_mistakes_are_named(text: str, found: list[str]) -> None:
    assert problems(text) == found


def test_as_deep_as_allowed() -> None:
    text = "if Undead in play: " * 8 + "DRAW 1"
    assert text_of(parse_abilities(text)[0]) == text


@pytest.mark.parametrize(
    ("text", "influence", "found"),
    [
        ("each CURSEE: gain 2 Health", False, ["'each CURSEE': 'CURSEE' is not an event; did you mean CURSE?"]),
        ("first Undeat played: DRAW", False, ["'first Undeat played': 'Undeat played' is not an event; did you mean Undead played?"]),
        ("each full moon: DRAW", False, ["'each full moon': 'full moon' is not an event"]),
        (
            "each CURSEE: CURSED",
            False,
            ["'each CURSEE': 'CURSEE' is not an event; did you mean CURSE?", "'CURSED' is not an ability; did you mean CURSE?"],
        ),
        ("each CURSE", False, ["'each CURSE': a trigger is 'first' or 'each', an event, ':' and what comes of it"]),
        ("each CURSE:", False, ["'each CURSE:': a trigger is 'first' or 'each', an event, ':' and what comes of it"]),
        ("1 Power", False, ["'1 Power': a trigger begins with 'first' or 'each' (several abilities of one trigger are joined by 'and')"]),
        ("each CURSE: 2 Armor", False, ["'2 Armor': Armor and CLAIM stand alone, never behind ':' or in a choice"]),
        (
            "faction in play: DRAW 1",
            False,
            ["'faction in play: DRAW 1': 'faction in play' is for Influence cards; name the faction: 'if Undead in play: …'"],
        ),
        ("faction in play: faction in play: DRAW 1", True, ["'faction in play: faction in play: DRAW 1': 'faction in play' stands first, and once"]),
        (
            "each CURSE: faction in play: DRAW 1",
            True,
            ["'faction in play: DRAW 1': 'faction in play' stands among the triggers of an Influence card, and first in them"],
        ),
        ("faction in play: 2 Armor", True, ["'2 Armor': Armor and CLAIM stand alone, never behind ':' or in a choice"]),
    ],
)
def test_mistakes_in_triggers(text: str, influence: bool, found: list[str]) -> None:
    assert trigger_problems(text, influence) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1 Coin | 2 Coin | 3 Coin", ["'1 Coin | 2 Coin | 3 Coin': a card has at most 2 Horde abilities"]),
        ("2 Armor | CURSED", ["'CURSED' is not an ability; did you mean CURSE?", "'2 Armor': no Horde ability can be Armor or CLAIM"]),
    ],
)
def test_mistakes_in_horde_abilities(text: str, found: list[str]) -> None:
    with pytest.raises(LanguageError) as caught:
        parse_horde(text)
    assert caught.value.problems == found
    assert str(caught.value) == "\n".join(found)


def test_an_ability_that_no_word_says() -> None:
    with pytest.raises(ValueError, match="no word of the ability language says"):
        text_of(Ability(Effect.NOTHING))
