"""The ability language: reading, the way back, the rows for the engine, sentences, and what is said about mistakes."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrors.simulator.cards.grammar import PIECE, Body, Word
from terrors.simulator.cards.vocabulary import (
    COUNTS,
    EVENTS,
    SLOTS,
    WORDS,
    Ability,
    LanguageError,
    Rank,
    Trigger,
    emit,
    horde_sentences,
    horde_text,
    order,
    parse_abilities,
    parse_horde,
    parse_triggers,
    rank,
    sentence,
    sentences,
    text_of,
    text_of_all,
    trigger_sentence,
    trigger_text,
    walk,
)  # fmt: skip
from terrors.simulator.terms.enums import Condition, Cost, Effect, Event, Faction, Fits, Per, Place, Resource

COIN, POWER, REGENERATION = int(Resource.COIN), int(Resource.POWER), int(Resource.REGENERATION)


def gain(amount: int, resource: int, **more: int) -> Ability:
    return Ability(Effect.GAIN, amount, resource, **more)  # type: ignore[arg-type]


def draw(amount: int) -> Ability:
    return Ability(Effect.DRAW, amount)


def one(text: str) -> Ability:
    (ability,) = parse_abilities(text)
    return ability


EXAMPLES = [(word, example) for word in WORDS for example in word.examples]


# ---------------------------------------------------------------- every word


def read_example(word: Word, example: str) -> Ability:
    if word.fixed.get("a") == Condition.LIT and word.effect is Effect.IF:
        _, (ability,) = parse_triggers(example, influence=True)
        return ability
    return one(example)


@pytest.mark.parametrize(("word", "example"), EXAMPLES, ids=[example for _, example in EXAMPLES])
def test_every_example_means_its_word_and_is_in_normal_form(word: Word, example: str) -> None:
    ability = read_example(word, example)
    assert ability.effect is word.effect
    assert all(getattr(ability, name) == value for name, value in word.fixed.items())
    assert text_of(ability) == example
    assert bool(ability.body) == (word.body is not Body.NONE)


@pytest.mark.parametrize(("word", "example"), EXAMPLES, ids=[example for _, example in EXAMPLES])
@pytest.mark.parametrize("change", [str.upper, str.lower, lambda text: "  " + text.replace(" ", " \u00a0\u3000 ").replace(":", " : ") + "\t"])
def test_case_and_spare_spaces_do_not_matter(word: Word, example: str, change) -> None:
    assert read_example(word, change(example).strip()) == read_example(word, example)


@pytest.mark.parametrize("word", WORDS, ids=[word.pattern for word in WORDS])
def test_every_word_has_a_meaning_and_reads_as_a_sentence(word: Word) -> None:
    assert word.meaning.endswith(".")
    assert word.meaning[0].isupper()
    for example in word.examples:
        text = sentence(read_example(word, example))
        assert text.endswith(".")
        assert not any(left_over in text for left_over in ("{", "(", "|", "  "))
        assert text[0].isupper() or text[0].isdigit()


def test_the_table_has_a_word_for_every_effect() -> None:
    assert {word.effect for word in WORDS} == set(Effect) - {Effect.NOTHING, Effect.ALTERNATIVE}
    assert {count.per for count in COUNTS} == set(Per) - {Per.NONE}
    assert [row.event for row in EVENTS] == list(Event)


def test_the_documented_words_are_all_there() -> None:
    """docs/CARDS.md is the contract: each form in its table is read."""
    for text in (
        "2 Coin", "1 Power", "3 Regeneration", "2 Armor", "CURSE", "DESTROY", "COMMAND", "MUSTER", "RAGE", "DRAW 2", "HAUNT", "SACRIFICE", "CLAIM",
        "HAUNT another monster", "SACRIFICE from hand", "SACRIFICE from discard", "SACRIFICE from hand or discard", "gain 2 Health", "lose 1 Health",
        "opponent loses 2 Health", "discard 1", "opponent discards 1", "convert Power to Coin", "look at 2: discard any", "reveal 1: if Beast, take it",
        "reveal 1: if monster, take it", "reveal 1: if relic, take it", "activate a Horde ability", "next monster bought gains CLAIM",
        "buy a monster costing 3 or less with Coin or Power", "take a Street monster costing 3 or less", "shuffle discard into deck",
        "choose 2 Coin or 2 Power", "1 Power per Beast in play", "1 Power per relic", "1 Power per card in hand", "1 Power per monster in this horde",
        "if Undead in play: 2 Power", "if opponent has a relic: DESTROY", "if Health 10 or less: 3 Regeneration", "pay 1 Health: DRAW 1",
        "discard a card: 2 Power", "SACRIFICE this: 3 Power", "pay 2 Coin: CURSE", "pay 1 Health: DRAW 1 and 1 Power",
    ):  # fmt: skip
        assert text_of(one(text)) == text


# ---------------------------------------------------------------- what is read


@pytest.mark.parametrize(
    ("text", "ability"),
    [
        ("2 coins", gain(2, COIN)),
        ("a Power", gain(1, POWER)),
        ("an Power", gain(1, POWER)),
        ("one regeneration", gain(1, REGENERATION)),
        ("gain 2 Coin", gain(2, COIN)),
        ("DRAW", draw(1)),
        ("draw a card", draw(1)),
        ("DRAW 3 cards", draw(3)),
        ("discard a card", Ability(Effect.DISCARD, 1)),
        ("discard 2 cards", Ability(Effect.DISCARD, 2)),
        ("opponent discards a card", Ability(Effect.OPPONENT_DISCARDS, 1)),
        ("look at one card: discard any", Ability(Effect.LOOK, 1)),
        ("SACRIFICE", Ability(Effect.SACRIFICE, a=Place.PLAY)),
        ("SACRIFICE from play", Ability(Effect.SACRIFICE, a=Place.PLAY)),
        ("SACRIFICE from discard or hand", Ability(Effect.SACRIFICE, a=Place.HAND | Place.DISCARD)),
        ("SACRIFICE from hand, discard or play", Ability(Effect.SACRIFICE, a=Place.HAND | Place.DISCARD | Place.PLAY)),
        ("convert Power to Coin", Ability(Effect.CONVERT, a=POWER, b=COIN)),
        ("reveal 2: if Spirit, take it", Ability(Effect.REVEAL, 2, Fits.FACTION, Faction.SPIRIT)),
        ("reveal 1: if relic, take it", Ability(Effect.REVEAL, 1, Fits.RELIC)),
        ("buy a monster costing 3 or less with Coin or Regeneration", Ability(Effect.BUY_WITH, 3, 0b101)),
        ("buy one monster costing 4 or less with Power", Ability(Effect.BUY_WITH, 4, 0b010)),
        ("activate one Horde ability", Ability(Effect.ACTIVATE)),
        ("2 Power per Beasts in play", gain(2, POWER, per=Per.FACTION_IN_PLAY, of=Faction.BEAST)),
        ("gain 1 Health per relics", Ability(Effect.GAIN_HEALTH, 1, per=Per.RELIC)),
        ("opponent loses 1 Health per card in hand", Ability(Effect.OPPONENT_LOSES, 1, per=Per.CARD_IN_HAND)),
        ("DRAW 1 per monster in this horde", Ability(Effect.DRAW, 1, per=Per.MONSTER_IN_HORDE)),
        ("DRAW per relic", Ability(Effect.DRAW, 1, per=Per.RELIC)),
        ("pay 1 Health: DRAW", Ability(Effect.COST, 1, Cost.HEALTH, body=((draw(1),),))),
        ("discard one card: DRAW", Ability(Effect.COST, 1, Cost.DISCARD, body=((draw(1),),))),
        ("discard 2: DRAW", Ability(Effect.COST, 2, Cost.DISCARD, body=((draw(1),),))),
        ("SACRIFICE this card: DRAW", Ability(Effect.COST, 0, Cost.SACRIFICE_THIS, body=((draw(1),),))),
        ("if Health 10 or less: DRAW", Ability(Effect.IF, a=Condition.HEALTH_AT_MOST, b=10, body=((draw(1),),))),
        ("if opponent has one relic: DRAW", Ability(Effect.IF, a=Condition.OPPONENT_HAS_RELIC, body=((draw(1),),))),
        ("choose one: 2 Coin or DRAW", Ability(Effect.CHOOSE, body=((gain(2, COIN),), (draw(1),)))),
        ("choose one Coin or DRAW", Ability(Effect.CHOOSE, body=((gain(1, COIN),), (draw(1),)))),
        ("\uff12\u3000\uff23oin", gain(2, COIN)),
        ("2\u200b Coin\ufeff", gain(2, COIN)),
        ("pay\u00a01\u2009Health\uff1aDRAW", Ability(Effect.COST, 1, Cost.HEALTH, body=((draw(1),),))),
    ],
)
def test_other_ways_to_write_it(text: str, ability: Ability) -> None:
    assert one(text) == ability


def test_printed_order_is_kept_and_empty_parts_are_ignored() -> None:
    assert parse_abilities("DRAW 1; ; 1 Coin ;") == (draw(1), gain(1, COIN))
    assert parse_abilities("") == parse_abilities(" ; ") == ()


def test_and_joins_at_the_top_too() -> None:
    assert parse_abilities("1 Coin and DRAW 2") == (gain(1, COIN), draw(2))


def test_nesting() -> None:
    inner = Ability(Effect.COST, 1, Cost.HEALTH, body=((draw(1), gain(1, POWER)),))
    assert one("if Undead in play: pay 1 Health: DRAW 1 and 1 Power") == Ability(Effect.IF, a=Condition.FACTION_IN_PLAY, b=Faction.UNDEAD, body=((inner,),))


def test_an_alternative_may_be_any_ability() -> None:
    cost = Ability(Effect.COST, 1, Cost.HEALTH, body=((draw(2),),))
    assert one("choose 2 Coin or pay 1 Health: DRAW 2") == Ability(Effect.CHOOSE, body=((gain(2, COIN),), (cost,)))
    assert one("choose pay 1 Health: DRAW 2 or 2 Coin") == Ability(Effect.CHOOSE, body=((cost,), (gain(2, COIN),)))


@pytest.mark.parametrize(
    ("text", "alternatives"),
    [
        ("choose SACRIFICE from hand or discard or 2 Coin", ["SACRIFICE from hand or discard", "2 Coin"]),
        ("choose SACRIFICE from hand or discard 1", ["SACRIFICE from hand", "discard 1"]),
        ("choose SACRIFICE from hand or discard a card: 2 Power", ["SACRIFICE from hand", "discard a card: 2 Power"]),
        ("choose buy a monster costing 3 or less with Coin or Power or 2 Power", ["buy a monster costing 3 or less with Coin or Power", "2 Power"]),
        ("choose take a Street monster costing 3 or less or DRAW 1", ["take a Street monster costing 3 or less", "DRAW 1"]),
        ("choose if Health 10 or less: 3 Regeneration or 1 Coin", ["if Health 10 or less: 3 Regeneration", "1 Coin"]),
        ("choose 1 Power per relic or 2 Coin and MUSTER or CURSE", ["1 Power per relic", "2 Coin and MUSTER", "CURSE"]),
    ],
)
def test_or_within_a_word_is_no_separator(text: str, alternatives: list[str]) -> None:
    assert [text_of_all(block, " and ") for block in one(text).body] == alternatives
    assert text_of(one(text)) == text


def test_parentheses_say_where_a_body_ends() -> None:
    cost = Ability(Effect.COST, 1, Cost.HEALTH, body=((draw(1),),))
    both = Ability(Effect.IF, a=Condition.FACTION_IN_PLAY, b=Faction.UNDEAD, body=((cost, gain(1, POWER)),))
    assert text_of(both) == "if Undead in play: (pay 1 Health: DRAW 1) and 1 Power"
    assert one(text_of(both)) == both
    assert parse_abilities("((1 Coin)) and (DRAW 2)") == (gain(1, COIN), draw(2))


def test_a_choice_in_a_choice_keeps_its_alternatives() -> None:
    inner = Ability(Effect.CHOOSE, body=((gain(1, COIN),), (gain(1, POWER),)))
    outer = Ability(Effect.CHOOSE, body=((inner,), (draw(1),)))
    assert text_of(outer) == "choose (choose 1 Coin or 1 Power) or DRAW 1"
    assert one(text_of(outer)) == outer


# ---------------------------------------------------------------- triggers and Horde abilities


@pytest.mark.parametrize("row", EVENTS, ids=[row.text for row in EVENTS])
@pytest.mark.parametrize("often", ["first", "each"])
def test_every_event(row, often: str) -> None:
    (trigger,), lit = parse_triggers(f"{often} {row.text}: DRAW 1 and 1 Coin")
    assert trigger == Trigger(row.event, often == "first", (draw(1), gain(1, COIN)))
    assert lit == ()
    assert trigger_text(trigger) == f"{often} {row.text}: DRAW 1 and 1 Coin"
    assert parse_triggers(trigger_text(trigger).upper()) == ((trigger,), ())
    assert row.meaning.startswith("You ")
    assert row.say.startswith("you ")


def test_several_triggers_and_plural_events() -> None:
    triggers, _ = parse_triggers("first Mortals played: SACRIFICE; each cards bought : 1 Power")
    assert [trigger_text(trigger) for trigger in triggers] == ["first Mortal played: SACRIFICE", "each card bought: 1 Power"]
    assert parse_triggers("") == ((), ())


def test_faction_in_play_of_an_influence_card() -> None:
    triggers, lit = parse_triggers("faction in play: opponent loses 1 Health and DRAW 1; each card bought: 1 Power", influence=True)
    assert lit == (Ability(Effect.IF, a=Condition.LIT, body=((Ability(Effect.OPPONENT_LOSES, 1), draw(1)),)),)
    assert triggers == (Trigger(Event.CARD_BOUGHT, False, (gain(1, POWER),)),)
    assert text_of_all(lit) == "faction in play: opponent loses 1 Health and DRAW 1"
    assert parse_triggers(text_of_all(lit), influence=True) == ((), lit)


def test_horde_abilities() -> None:
    horde = parse_horde("2 Power; DRAW 1 | CURSE")
    assert horde == ((gain(2, POWER), draw(1)), (Ability(Effect.CURSE),))
    assert horde_text(horde) == "2 Power; DRAW 1 | CURSE"
    assert parse_horde("") == ()


# ---------------------------------------------------------------- the order of P2, and rows for the engine


def test_order_is_resources_then_keywords_then_the_rest() -> None:
    abilities = parse_abilities("1 Power per relic; DRAW 1; pay 1 Health: 1 Coin; 2 Coin; SACRIFICE from hand; lose 1 Health; 1 Power")
    assert text_of_all(order(abilities)) == "2 Coin; 1 Power; DRAW 1; SACRIFICE from hand; 1 Power per relic; pay 1 Health: 1 Coin; lose 1 Health"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 Coin", Rank.RESOURCE),
        ("2 Coin per relic", Rank.UNIQUE),
        ("DRAW 1 per relic", Rank.KEYWORD),
        ("HAUNT another monster", Rank.KEYWORD),
        ("SACRIFICE this: 1 Coin", Rank.UNIQUE),
        ("gain 2 Health", Rank.UNIQUE),
        ("choose 1 Coin or 1 Power", Rank.UNIQUE),
        ("2 Armor", Rank.STATIC),
    ],
)
def test_rank(text: str, expected: Rank) -> None:
    assert rank(one(text)) is expected


# Worked out by hand from enums.py: (effect, amount, a, b, per, of, skip).
@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("2 Coin", [(1, 2, 0, 0, 0, 0, 0)]),
        ("3 Regeneration", [(1, 3, 2, 0, 0, 0, 0)]),
        ("DRAW 2", [(7, 2, 0, 0, 0, 0, 0)]),
        ("DRAW 1; 2 Power", [(1, 2, 1, 0, 0, 0, 0), (7, 1, 0, 0, 0, 0, 0)]),
        ("1 Power per Mortal in play", [(1, 1, 1, 0, 1, 3, 0)]),
        ("SACRIFICE", [(10, 0, 1, 0, 0, 0, 0)]),
        ("SACRIFICE from hand or discard", [(10, 0, 6, 0, 0, 0, 0)]),
        ("convert Regeneration to Power", [(16, 0, 2, 1, 0, 0, 0)]),
        ("reveal 3: if Beast, take it", [(18, 3, 0, 2, 0, 0, 0)]),
        ("reveal 1: if monster, take it", [(18, 1, 1, 0, 0, 0, 0)]),
        ("buy a monster costing 3 or less with Coin or Power", [(21, 3, 3, 0, 0, 0, 0)]),
        ("take a Street monster costing 4 or less", [(22, 4, 0, 0, 0, 0, 0)]),
        ("2 Armor; CLAIM; CURSE", [(2, 0, 0, 0, 0, 0, 0)]),
        ("2 Armor", []),
        ("if Undead in play: 2 Power and DRAW 1", [(26, 0, 0, 1, 0, 0, 2), (1, 2, 1, 0, 0, 0, 0), (7, 1, 0, 0, 0, 0, 0)]),
        ("if Health 10 or less: CURSE", [(26, 0, 2, 10, 0, 0, 1), (2, 0, 0, 0, 0, 0, 0)]),
        ("pay 2 Coin: CURSE", [(27, 2, 0, 0, 0, 0, 1), (2, 0, 0, 0, 0, 0, 0)]),
        ("SACRIFICE this: DRAW 1 and 1 Power", [(27, 0, 5, 0, 0, 0, 2), (7, 1, 0, 0, 0, 0, 0), (1, 1, 1, 0, 0, 0, 0)]),
        (
            "if opponent has a relic: discard 2 cards: DESTROY",
            [(26, 0, 1, 0, 0, 0, 2), (27, 2, 4, 0, 0, 0, 1), (3, 0, 0, 0, 0, 0, 0)],
        ),
        (
            "choose 2 Coin or 1 Power and MUSTER or pay 1 Health: DRAW 2",
            [
                (24, 0, 3, 0, 0, 0, 8),
                (25, 0, 0, 0, 0, 0, 1),
                (1, 2, 0, 0, 0, 0, 0),
                (25, 0, 0, 0, 0, 0, 2),
                (1, 1, 1, 0, 0, 0, 0),
                (5, 0, 0, 0, 0, 0, 0),
                (25, 0, 0, 0, 0, 0, 2),
                (27, 1, 3, 0, 0, 0, 1),
                (7, 2, 0, 0, 0, 0, 0),
            ],
        ),
    ],
)
def test_rows_for_the_engine(text: str, rows: list[tuple[int, ...]]) -> None:
    assert emit(order(parse_abilities(text))) == rows


def test_rows_of_faction_in_play() -> None:
    _, lit = parse_triggers("faction in play: 2 Power", influence=True)
    assert emit(lit) == [(26, 0, 3, 0, 0, 0, 1), (1, 2, 1, 0, 0, 0, 0)]


# ---------------------------------------------------------------- sentences


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2 Coin", "Gain 2 Coin."),
        ("2 Armor", "2 Armor while this is in play."),
        ("CURSE", "CURSE."),
        ("DRAW 1", "Draw 1 card."),
        ("DRAW 2 per relic", "Draw 2 cards for each relic that you have."),
        ("2 Power per Undead in play", "Gain 2 Power for each Undead that you have in play."),
        ("SACRIFICE from hand or discard", "SACRIFICE from your hand or discard pile."),
        ("opponent loses 2 Health", "Make your opponent lose 2 Health."),
        ("look at 1: discard any", "Look at the top card of your deck and discard it if you like."),
        ("look at 2: discard any", "Look at the top 2 cards of your deck and discard any of them."),
        ("reveal 1: if Undead, take it", "Reveal the top card of your deck and take it to your hand if it is an Undead."),
        ("reveal 3: if relic, take it", "Reveal the top 3 cards of your deck and take to your hand each that is a relic."),
        ("convert Power to Coin", "You may convert Power to Coin this turn, 1 for 1."),
        ("buy a monster costing 3 or less with Coin", "You may buy a Street monster that costs 3 or less, paying with Coin."),
        ("buy a monster costing 3 or less with Coin or Power", "You may buy a Street monster that costs 3 or less, paying with any mix of Coin and Power."),
        ("choose 2 Coin or 1 Coin and MUSTER", "Choose one: gain 2 Coin, or gain 1 Coin and MUSTER."),
        ("if Undead in play: 2 Power", "If you have an Undead in play, gain 2 Power."),
        ("pay 1 Health: DRAW 1 and 1 Power", "You may pay 1 Health to draw 1 card and gain 1 Power."),
        ("discard a card: DRAW 1 and 1 Power and CURSE", "You may discard 1 card to draw 1 card, gain 1 Power and CURSE."),
        ("SACRIFICE this: 3 Power", "You may SACRIFICE this card to gain 3 Power."),
        ("pay 1 Coin: if Beast in play: 2 Power", "You may pay 1 Coin; if you do, if you have a Beast in play, gain 2 Power."),
    ],
)
def test_sentences(text: str, read: str) -> None:
    assert sentence(one(text)) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("first Mortal played: SACRIFICE", "The first time you play a Mortal this turn, SACRIFICE."),
        ("each CURSE: gain 2 Health", "Each time you CURSE, gain 2 Health."),
        ("each Undead played: pay 1 Health: DRAW 1", "Each time you play an Undead, you may pay 1 Health to draw 1 card."),
    ],
)
def test_trigger_sentences(text: str, read: str) -> None:
    ((trigger,), _) = parse_triggers(text)
    assert trigger_sentence(trigger) == read


def test_sentences_of_several() -> None:
    assert sentences(parse_abilities("1 Coin; CURSE")) == ["Gain 1 Coin.", "CURSE."]
    assert horde_sentences(parse_horde("1 Coin; CURSE | DRAW 1")) == ["Gain 1 Coin. CURSE.", "Draw 1 card."]


# ---------------------------------------------------------------- round trips and fuzzing

DOMAINS = {
    "amount": st.integers(1, 99),
    "count": st.integers(1, 99),
    "health": st.integers(1, 999),
    "faction": st.integers(1, 4),
    "resource": st.integers(0, 2),
    "resources": st.integers(1, 7),
    "payable": st.integers(0, 3),
    "places": st.integers(1, 7),
}


@st.composite
def abilities(draw_from, depth: int = 3, inner: bool = False) -> Ability:
    """Any ability that the table can say, straight from the table: a new word is covered by itself."""
    allowed = [
        word
        for word in WORDS
        if not (word.effect is Effect.IF and word.fixed["a"] == Condition.LIT) and (depth or not word.body) and not (inner and word.rank is Rank.STATIC)
    ]
    word = draw_from(st.sampled_from(allowed))
    fields: dict[str, object] = dict(word.fixed)
    for piece in PIECE.finditer(word.pattern):
        if piece["field"]:
            fields[piece["field"]] = draw_from(DOMAINS[piece["slot"] or piece["field"]])
    if word.per and draw_from(st.booleans()):
        fields["per"] = draw_from(st.sampled_from([count.per for count in COUNTS]))
        fields["of"] = draw_from(DOMAINS["faction"]) if fields["per"] is Per.FACTION_IN_PLAY else 0
    block = st.lists(abilities(depth=depth - 1, inner=True), min_size=1, max_size=3).map(tuple) if word.body else st.nothing()
    if word.body is Body.BLOCK:
        fields["body"] = (draw_from(block),)
    elif word.body is Body.CHOICE:
        fields["body"] = tuple(draw_from(st.lists(block, min_size=2, max_size=3)))
    ability = Ability(word.effect, **fields)  # type: ignore[arg-type]
    return Ability(word.effect, a=POWER, b=COIN) if word.check(ability) else ability


def test_the_domains_cover_every_slot_of_the_patterns() -> None:
    used = {piece["slot"] or piece["field"] for word in WORDS for piece in PIECE.finditer(word.pattern) if piece["field"]}
    assert used <= set(DOMAINS) <= set(SLOTS)


@settings(max_examples=400, deadline=None)
@given(abilities())
def test_what_is_written_reads_back_as_the_same(ability: Ability) -> None:
    assert parse_abilities(text_of(ability)) == (ability,)


@settings(max_examples=150, deadline=None)
@given(st.lists(abilities(depth=2), min_size=1, max_size=5))
def test_whole_cells_read_back_as_the_same(block: list[Ability]) -> None:
    assert parse_abilities(text_of_all(block)) == tuple(block)
    assert sorted(map(text_of, order(block))) == sorted(map(text_of, block))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(list(Event)), st.booleans(), st.lists(abilities(depth=2, inner=True), min_size=1, max_size=3).map(tuple))
def test_triggers_read_back_as_the_same(event: Event, first: bool, body: tuple[Ability, ...]) -> None:
    trigger = Trigger(event, first, body)
    assert parse_triggers(trigger_text(trigger)) == ((trigger,), ())
    assert trigger_sentence(trigger).endswith(".")


@settings(max_examples=150, deadline=None)
@given(st.lists(abilities(depth=2, inner=True), min_size=1, max_size=3))
def test_rows_skip_exactly_their_bodies(block: list[Ability]) -> None:
    """Walking the rows with `skip` as the engine does visits each top-level ability once."""
    rows = emit(block)
    at, seen = 0, []
    while at < len(rows):
        seen.append(Effect(rows[at][0]))
        at += 1 + rows[at][6]
    assert at == len(rows)
    assert seen == [ability.effect for ability in block]
    alternatives = sum(len(ability.body) for ability in walk(block) if ability.effect is Effect.CHOOSE)
    assert len(rows) == len(list(walk(block))) + alternatives


def attempt(parse, text: str):
    """Return what is read, and what is said against it; anything but a LanguageError gets through and fails the test."""
    try:
        return parse(text), []
    except LanguageError as error:
        return None, error.problems


TOKENS = sorted(
    {token for _, example in EXAMPLES for token in example.replace(":", " : ").split()} | {";", "(", ")", "|", "per", "and", "or", "0", "each", ","}
)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=14).map(" ".join))
def test_jumbled_words_are_read_or_refused_in_words(text: str) -> None:
    for parse, write in ((parse_abilities, text_of_all), (parse_horde, horde_text)):
        found, wrong = attempt(parse, text)
        assert wrong or parse(write(found)) == found


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60), st.booleans())
def test_any_text_is_read_or_refused_in_words(text: str, influence: bool) -> None:
    for parse in (parse_abilities, parse_horde, lambda cell: parse_triggers(cell, influence)):
        found, wrong = attempt(parse, text)
        assert wrong or isinstance(found, tuple)


def test_the_language_needs_nothing_heavy() -> None:
    """`terrors --help` and `terrors cards words` start at once: no NumPy, no Numba."""
    code = "import sys, terrors.simulator.cards.printing; print([name for name in ('numpy', 'numba', 'polars', 'click') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
