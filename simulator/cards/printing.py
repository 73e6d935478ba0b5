"""A card set, and the words of its language, as plain text for the terminal."""

import re
import textwrap
from collections.abc import Iterable
from itertools import groupby

from terrors.simulator.cards.card_set import Card, CardSet
from terrors.simulator.cards.vocabulary import COUNTS, EVENTS, LIMITS, WORDS, horde_sentences, limit_text, sentences, trigger_sentence
from terrors.simulator.terms.enums import CardType, Pile

TITLES = {
    Pile.OVERLORD: "Overlords",
    Pile.STARTING: "Starting cards",
    Pile.INFLUENCE: "Influence cards",
    Pile.ACOLYTE: "Acolytes",
    Pile.MARKET: "Market",
}
Row = tuple[tuple[str, ...], str]  # examples, meaning


def in_words(meaning: str) -> str:
    """Return what a word means, without the numbers of the rules that it stands on, which say nothing to who has no rules at hand."""
    return re.sub(r" \([A-Z]\d+(?:, [A-Z]\d+)*\)(?=\.)", "", meaning)


def card_sentences(card: Card) -> list[str]:
    """Return what a card says, a line each: its abilities, its triggers, its Horde abilities. All triggers of an Influence card need its faction (P6)."""
    lines = [" ".join(sentences(card.abilities))] if card.abilities else []
    if card.limit and lines:
        keyword = lines[0][:2].isupper()
        lines = [limit_text(card.limit).capitalize() + (lines[0] if keyword else lines[0][0].lower() + lines[0][1:])]
    triggered = [trigger_sentence(trigger) for trigger in card.triggers]
    if card.type is CardType.INFLUENCE:
        at_once = [line for ability in card.lit for block in ability.body for line in sentences(block)]
        lines += [f"With your faction in play: {' '.join(at_once + triggered)}"] if at_once or triggered else []
    else:
        lines += triggered
    lines += [f"Horde: {line}" for line in horde_sentences(card.horde)]
    return lines


def card_text(card: Card, width: int = 100) -> str:
    """Return one card as text: a line of facts, and below it its sentences."""
    return _card(card, len(card.name) + 2, width)


def print_set(cards: CardSet, width: int = 100) -> str:
    """Return the whole set as text, by pile, then by faction or type, then by cost."""
    where = f"{cards.path.name}: " if cards.path else ""
    blocks = [f"{where}{_count(cards.cards)}"]
    for pile, title in TITLES.items():
        of_pile = cards.pile(pile)
        if of_pile:
            blocks.append(f"{title}: {_count(of_pile)}\n{'=' * len(title)}")
            blocks += [_group(name, group, width) for name, group in groups_of(cards, pile)]
    return "\n\n".join(blocks) + "\n"


def _count(cards: Iterable[Card]) -> str:
    of_pile = list(cards)
    copies = sum(card.copies for card in of_pile)
    plural = "card" if copies == 1 else "cards"
    return f"{copies} {plural}" if copies == len(of_pile) else f"{copies} {plural}, {len(of_pile)} different"


def groups_of(cards: CardSet, pile: Pile) -> list[tuple[str, list[Card]]]:
    """Return the cards of a pile with the headings that they stand under."""
    if pile is Pile.INFLUENCE:
        return [(overlord.name, list(cards.influences_of(overlord.name))) for overlord in cards.overlords if cards.influences_of(overlord.name)]
    if pile is Pile.OVERLORD:
        return [("", list(cards.overlords))]

    def place(card: Card) -> tuple[bool, bool, int]:
        return card.type is CardType.RELIC, not card.faction, card.faction

    ordered = sorted(cards.pile(pile), key=lambda card: (place(card), card.cost or 0, card.name))
    return [(_heading(next(iter(group))), list(group)) for group in ([*found] for _, found in groupby(ordered, key=place))]


def _heading(card: Card) -> str:
    of_type = "Relics" if card.type is CardType.RELIC else "Monsters"
    return f"{card.faction.label} {of_type}" if card.faction else of_type


def _group(title: str, cards: list[Card], width: int) -> str:
    column = min(40, max(len(card.name) for card in cards)) + 2
    lines = [title, "-" * len(title)] if title else []
    return "\n".join(lines + [_card(card, column, width) for card in cards])


def _card(card: Card, column: int, width: int) -> str:
    """Return the lines of one card: the facts, and below them its sentences."""
    out = [f"{card.name:<{column}}{card_facts(card)}".rstrip()]
    for line in card_sentences(card):
        out += textwrap.wrap(line, max(width, 30), initial_indent="    ", subsequent_indent="      ")
    return "\n".join(out)


def card_facts(card: Card) -> str:
    """Return what stands beside a card's text: faction and Health of an overlord, cost, copies, Horde indicators."""
    facts = []
    if card.type is CardType.OVERLORD:
        facts += [card.faction.label, f"{card.health} Health"]
    if card.cost is not None:
        facts.append(f"cost {card.cost}")
    if card.copies > 1:
        facts.append(f"{card.copies} copies")
    if card.left or card.right:
        left, right = (side.label or "nothing" for side in (card.left, card.right))
        facts.append(f"{left} <-> {right}")
    if card.beginner:
        facts.append("for a first game")
    return ", ".join(facts)


def print_words(width: int = 100) -> str:
    """Return the ability language, a word with its examples and its meaning each; then the events that triggers listen to."""
    words: list[Row] = [(word.examples, in_words(word.meaning)) for word in WORDS]
    counts: list[Row] = [(count.examples, in_words(count.meaning)) for count in COUNTS]
    events: list[Row] = [((row.text,), in_words(row.meaning)) for row in EVENTS]
    return "\n".join(
        [
            "Abilities, with ';' between them ('and' behind ':' and in an alternative of 'choose')",
            *_table(words, width),
            "",
            "Before the abilities of an overlord",
            *_table([(examples, in_words(meaning)) for examples, meaning in LIMITS], width),
            "",
            "Counted when activated, behind an amount: of a resource, of cards drawn, of Health",
            *_table(counts, width),
            "",
            "Triggers: 'first' or 'each', one of these events, ':' and abilities ('each CURSE: gain 2 Health')",
            *_table(events, width),
            "",
        ]
    )


def _table(rows: list[Row], width: int) -> list[str]:
    """Return lines with examples on the left and the meaning on the right, wrapped."""
    column = max(len(example) for examples, _ in rows for example in examples) + 4
    out = []
    for examples, meaning in rows:
        right = textwrap.wrap(meaning, max(30, width - column))
        for at in range(max(len(examples), len(right))):
            left = examples[at] if at < len(examples) else ""
            out.append(f"  {left:<{column - 2}}{right[at] if at < len(right) else ''}".rstrip())
    return out
