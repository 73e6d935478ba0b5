"""O1: how often an overlord may be used in a turn, as its card says it; and the warnings of a card set."""

import pytest

from terrors.simulator.cards.advice import broken_indicators
from terrors.simulator.cards.card_set import CardFileError, CardSet
from terrors.simulator.cards.printing import card_text, print_words
from terrors.simulator.cards.vocabulary import LIMITS, LanguageError, limit_text, parse_abilities, parse_horde, parse_limited, parse_triggers, text_of_all
from tests.support.places import ROOT

EXAMPLES = [example for examples, _ in LIMITS for example in examples]


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_is_read_and_written_back(text):
    abilities, limit = parse_limited(text)
    assert limit > 0
    assert limit_text(limit) + text_of_all(abilities) == text


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_is_documented(text):
    assert f"`{text}`" in (ROOT / "docs" / "CARDS.md").read_text(encoding="utf-8")
    assert text in print_words(160)


@pytest.mark.parametrize(
    ("text", "limit"),
    [("once per turn: 1 Coin", 1), ("ONCE  per Turn : 1 coin", 1), ("1 times per turn: 1 Coin", 1), ("2 times per turn: 1 Coin", 2), ("1 Coin", 0), ("", 0)],
)
def test_other_ways_of_writing_it(text, limit):
    assert parse_limited(text)[1] == limit


def test_the_limit_is_for_all_abilities_behind_it():
    abilities, limit = parse_limited("twice per turn: 1 Coin; pay 1 Health: DRAW 1")
    assert (len(abilities), limit) == (2, 2)


MISPLACED = "a limit stands first among the abilities of an Overlord, once, and counts for all of them (rule O1)"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("once a turn: 1 Coin", "'once a turn' is not a limit; did you mean once per turn?"),
        ("twise per turn: 1 Coin", "'twise per turn' is not a limit; did you mean twice per turn?"),
        ("4 time each turn: 1 Coin", "'4 time each turn' is not a limit; did you mean 4 times per turn?"),
        ("0 times per turn: 1 Coin", "'0 times per turn': limits go from 1 to 99 times per turn"),
        ("100 times per turn: 1 Coin", "'100 times per turn': limits go from 1 to 99 times per turn"),
        ("once per turn", "'once per turn': ':' and what is limited must follow"),
        ("once per turn:", "'once per turn': ':' and what is limited must follow"),
        ("1 Coin; once per turn: DRAW 1", f"'once per turn': {MISPLACED}"),
        ("once per turn: twice per turn: DRAW 1", f"'twice per turn': {MISPLACED}"),
        ("if Undead in play: once per turn: DRAW 1", f"'once per turn': {MISPLACED}"),
        ("once per turn: CURSED", "'CURSED' is not an ability; did you mean CURSE?"),
    ],
)
def test_mistakes(text, problem):
    with pytest.raises(LanguageError) as caught:
        parse_limited(text)
    assert caught.value.problems == [problem]


@pytest.mark.parametrize("parse", [parse_abilities, parse_horde, lambda text: parse_triggers(f"each CURSE: {text}"), parse_triggers])
def test_nothing_else_is_limited(parse):
    with pytest.raises(LanguageError) as caught:
        parse("once per turn: DRAW 1")
    assert caught.value.problems == [f"'once per turn': {MISPLACED}"]


def test_only_overlords_have_a_limit(frozen_cards):
    with pytest.raises(CardFileError) as caught:
        frozen_cards.replace(["Ghoul.abilities=twice per turn: 1 Power"])
    assert caught.value.problems == ["Ghoul, abilities: 'twice per turn': only an Overlord has a limit of uses, and this is a Monster"]


def test_it_reads_as_a_sentence(frozen_cards):
    assert "Once per turn: you may pay 2 Coin to CURSE." in card_text(frozen_cards.by_name("Azazael"))


def endless(cards: CardSet, text: str) -> bool:
    return any("costs nothing and has no limit" in warning for warning in cards.replace([f"Azazael.abilities={text}"]).warnings)


@pytest.mark.parametrize("text", ["1 Coin", "next monster bought gains CLAIM", "pay 2 Coin: CURSE; DRAW 1", "if Undead in play: 1 Coin", "RAGE"])
def test_a_free_ability_without_a_limit_is_warned_about(frozen_cards, text):
    assert endless(frozen_cards, text)
    assert not endless(frozen_cards, f"once per turn: {text}")


@pytest.mark.parametrize("text", ["pay 2 Coin: CURSE", "discard a card: DRAW 1", "lose 1 Health; DRAW 1", "buy a monster costing 3 or less with Coin", ""])
def test_one_that_costs_something_is_not(frozen_cards, text):
    assert not endless(frozen_cards, text)


def test_a_warning_says_where_and_what(reference_cards):
    (warning,) = reference_cards.replace(["Azazael.abilities=DRAW 1"]).warnings
    assert warning == (
        "cards.csv, row 5, Azazael, abilities: costs nothing and has no limit, so it can be used without end; write 'once per turn: …' before it (rule O1)"
    )


def test_broken_indicators_are_found(reference_cards):
    """H8: one Ghoul turned round stands beside a Beast that names it, and names it not."""
    planted = reference_cards.replace(["Ghoul.left=Beast", "Ghoul.right=Spirit"])
    pairs = broken_indicators(planted)
    assert all((a.name == "Ghoul") != (b.name == "Ghoul") for a, b in pairs)
    assert {a.faction.name for a, _ in pairs} | {b.faction.name for _, b in pairs} == {"UNDEAD", "BEAST", "SPIRIT"}
    (warning,) = planted.warnings
    assert warning.startswith("cards.csv: Horde indicators that disagree side by side: of ")
    assert warning.endswith("only one names the other's faction; give a faction one orientation (rule H8)")


def test_an_indicator_that_is_missing_on_one_side_is_found(reference_cards):
    assert broken_indicators(reference_cards.replace(["Ghoul.left="]))
    assert broken_indicators(reference_cards.replace(["Ghoul.left=", "Ghoul.right=", "Ghoul.horde="])) == []


def test_the_ring_the_other_way_round_is_as_good(reference_cards):
    turned = [(card.name, card.left, card.right) for card in reference_cards if card.left]
    texts = [f"{name}.left={right.name.capitalize()}" for name, _, right in turned] + [f"{name}.right={left.name.capitalize()}" for name, left, _ in turned]
    assert broken_indicators(reference_cards.replace(texts)) == []
