"""The numbers of a card set: every cost, Health, count of copies and amount that a designer may move, each with a name, a usual step and bounds.

    Lilith.health · Thames Drowner.cost · Ghoul.copies            a cell that is a number
    Thames Drowner.abilities[DRAW 2]                              a number within an ability, named by the ability as it stands
    Collector of Curiosities.triggers[DRAW 1#2]                   the second of two that read alike
    Methuselah.abilities[once per turn]                           how often an overlord may be used
    rule first_hand                                               a number of the rules

The same names are understood by `--set` ("Thames Drowner.abilities[DRAW 2]=1"), by `sweep`, `suggest` and in all tables. In the brackets the number may be left
out (`[DRAW]`) if that is clear.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from terrors.simulator.cards.card import RANGES, Card
from terrors.simulator.cards.grammar import Ability, FieldError, tidy
from terrors.simulator.cards.limits import MOST_USES, limit_text
from terrors.simulator.cards.vocabulary import GRAMMAR, MAX_AMOUNT, MAX_HEALTH, Trigger
from terrors.simulator.terms.enums import Condition, Effect, Pile
from terrors.simulator.terms.ruleset import LIMITS, Rules
from terrors.simulator.terms.text import did_you_mean, quoted

CELLS = ("cost", "copies", "health")
TEXTS = ("abilities", "triggers", "horde")
HEALTH_STEP = 2
LIMIT = -1  # the place of `once per turn`: before all abilities
TECHNICAL = ("max_turns", "max_actions")  # rules that only end what would not end
RULE = "rule "
PIECE = re.compile(r"(?P<text>.*?)\s*(?:#\s*(?P<which>[0-9]+))?")


@dataclass(frozen=True)
class Number:
    """One number of a card set or of the rules: where it is, what it is, and how far it may be moved."""

    card: str  # empty: a rule
    column: str  # or the name of the rule
    value: int
    low: int
    high: int
    step: int
    piece: str = ""  # the ability that has it, as it stands; with #2 if it is the second that reads so
    place: int = 0  # among the abilities of the column
    ability: Ability | None = None  # which has it

    @property
    def name(self) -> str:
        """The name by which it is known everywhere."""
        if not self.card:
            return RULE + self.column
        return f"{self.card}.{self.column}" + (f"[{self.piece}]" if self.piece else "")

    def to(self, value: int) -> str:
        """Return the change to a value as `--set` takes it; of a rule as `--rule` does."""
        return f"{self.column if not self.card else self.name}={value}"

    @property
    def levels(self) -> tuple[int, ...]:
        """The steps that it can be moved by: down, not at all, up."""
        return tuple(level for level in (-1, 0, 1) if level == 0 or self.low <= self.value + level * self.step <= self.high)

    @property
    def short(self) -> str:
        """The name on its own card: `cost`, `Health`, `DRAW 2`, `Horde: 1 Power`."""
        if not self.card:
            return self.column.replace("_", " ")
        if self.piece:
            return {"horde": "Horde: ", "triggers": "trigger: "}.get(self.column, "") + self.piece
        return "Health" if self.column == "health" else self.column

    def said(self, value: int) -> str:
        """Return a move in words: `Lilith: Health 45 → 47`, `Thames Drowner: DRAW 2 → DRAW 1`."""
        whose = f"{self.card}: " if self.card else "rule "
        if self.place == LIMIT:
            return f"{whose}{self.piece} → {limit_text(value).removesuffix(': ')}"
        if self.ability is not None:
            return f"{whose}{self.short} → {head_text(replace(self.ability, **{number_field(self.ability): value}))}"  # type: ignore[arg-type]
        return f"{whose}{self.short} {self.value} → {value}"


def numbers_of(cards: Iterable[Card], rules: Rules) -> list[Number]:
    """Return every number that may be moved and does something, in the file's order, those of the rules last."""
    cards = list(cards)
    found = [number for card in cards for number in card_numbers(card, rules) if len(number.levels) > 1]
    return found + list(_rule_numbers(cards, rules))


def card_numbers(card: Card, rules: Rules) -> Iterator[Number]:
    """Yield the numbers of one card. What decides nothing is none: copies of cards of which the rules say how many there are, costs of what is not sold."""
    if card.pile is Pile.MARKET and card.cost is not None:
        yield Number(card.name, "cost", card.cost, *RANGES["cost"], 1)
    if card.pile in (Pile.MARKET, Pile.ACOLYTE):
        yield Number(card.name, "copies", card.copies, *RANGES["copies"], 1)
    elif card.pile is Pile.STARTING and card.name not in ("Cultist", "Fanatic"):
        yield Number(card.name, "copies", card.copies, 2, RANGES["copies"][1], 2)  # each player has half of them
    if card.health is not None:
        yield Number(card.name, "health", card.health, *RANGES["health"], HEALTH_STEP)
    if card.limit and rules.overlord_limit == "card":
        yield Number(card.name, "abilities", card.limit, 1, MOST_USES, 1, limit_text(card.limit).removesuffix(": "), LIMIT)
    for column in TEXTS:
        yield from _amounts(card, column)


def _amounts(card: Card, column: str) -> Iterator[Number]:
    seen: dict[str, int] = {}
    for place, ability in enumerate(_walk(blocks_of(card, column))):
        if (field := number_field(ability)) is None:
            continue
        text = head_text(ability)
        seen[text] = seen.get(text, 0) + 1
        piece = text if seen[text] == 1 else f"{text}#{seen[text]}"
        high, step = (MAX_HEALTH, HEALTH_STEP) if field == "b" else (MAX_AMOUNT, 1)
        yield Number(card.name, column, getattr(ability, field), 1, high, step, piece, place, ability)


def _rule_numbers(cards: list[Card], rules: Rules) -> Iterator[Number]:
    for name, (low, high) in LIMITS.items():
        value = getattr(rules, name)
        if name == "acolyte_cost":
            costs = [card.cost for card in cards if card.pile is Pile.ACOLYTE and card.cost is not None]
            value = value if value is not None else costs[0] if costs else None
        if value is None or name in TECHNICAL:
            continue
        if value == 0 and name in ("haunt_tokens", "muster_tokens", "street_size"):
            continue  # 0 means that there is no such thing or no limit
        yield Number("", name, value, max(low, 1) if value > 0 else low, high, 1)


def blocks_of(card: Card, column: str) -> tuple[tuple[Ability, ...], ...]:
    """Return the abilities of a column, in the order in which they are printed."""
    if column == "abilities":
        return (card.abilities,)
    if column == "triggers":
        return (card.lit, *(trigger.body for trigger in card.triggers))
    return card.horde


def _walk(blocks: Iterable[Iterable[Ability]]) -> Iterator[Ability]:
    for block in blocks:
        for ability in block:
            yield ability
            yield from _walk(ability.body)


def number_field(ability: Ability) -> str | None:
    """Return the field of an ability that is its number; None if it has none."""
    if ability.effect is Effect.IF:
        return "b" if ability.a == Condition.HEALTH_AT_MOST else None
    return "amount" if "{amount" in GRAMMAR.word_of(ability).pattern else None


def head_text(ability: Ability) -> str:
    """Return an ability without what stands behind it: `pay 2 Coin`, `if Health 15 or less`, `DRAW 2`."""
    return GRAMMAR.write((replace(ability, body=()),), "; ").strip().removesuffix(":") if ability.body else GRAMMAR.write((ability,), "; ")


def find_number(card: Card, column: str, piece: str) -> Number:
    """Return the number that `column[piece]` names on a card; FieldError says what there is instead."""
    if column not in TEXTS:
        raise FieldError(f"{quoted(column)} has no abilities in it; brackets are for {', '.join(TEXTS[:-1])} and {TEXTS[-1]}")
    match = PIECE.fullmatch(tidy(piece))
    assert match is not None
    text, which = match["text"].casefold(), int(match["which"] or 0)
    there = [number for number in card_numbers(card, Rules()) if number.column == column and number.piece]
    fitting = [number for number in there if _bare(number.piece).casefold() == text] or [
        number for number in there if _words(number.piece) == _words(text) and not re.search("[0-9]", text)
    ]
    names = ", ".join(f"[{number.piece}]" for number in there)
    if not fitting:
        raise FieldError(f"[{piece}]: {card.name} has no such number among its {column}" + (f"; there is {names}" if there else "; there is none at all"))
    if which > len(fitting):
        raise FieldError(f"[{piece}]: there are only {len(fitting)} that read so; there is {names}")
    if not which and len(fitting) > 1 and len({_bare(number.piece) for number in fitting}) > 1:
        raise FieldError(f"[{piece}]: that may mean {names}; give the number too")
    return fitting[max(0, which - 1)]


def _bare(piece: str) -> str:
    return re.sub(r"#[0-9]+$", "", piece)


def _words(text: str) -> str:
    """Return an ability without its number: what is left if a designer names it loosely."""
    return re.sub(r"\s+", " ", re.sub(r"[0-9]+|\b(?:a|an|one)\b", " ", _bare(text).casefold())).strip()


def with_value(card: Card, number: Number, value: int) -> Card:
    """Return the card with one of its numbers changed. Whether the value is possible is for the number's bounds to say."""
    if not number.piece:
        return replace(card, **{number.column: value})  # type: ignore[arg-type]
    if number.place == LIMIT:
        return replace(card, limit=value)
    count = iter(range(1 << 30))

    def change(ability: Ability) -> Ability:
        here = next(count)
        body = tuple(tuple(change(inner) for inner in block) for block in ability.body)
        field = number_field(ability) if here == number.place else None
        return replace(ability, body=body, **({field: value} if field else {}))  # type: ignore[arg-type]

    def all_of(block: Iterable[Ability]) -> tuple[Ability, ...]:
        return tuple(change(ability) for ability in block)

    if number.column == "abilities":
        return replace(card, abilities=all_of(card.abilities))
    if number.column == "horde":
        return replace(card, horde=tuple(all_of(block) for block in card.horde))
    lit = all_of(card.lit)
    return replace(card, lit=lit, triggers=tuple(Trigger(trigger.event, trigger.first, all_of(trigger.body)) for trigger in card.triggers))


def number_named(name: str, numbers: Iterable[Number], card_of: Callable[[str], Card]) -> Number:
    """Return the number of that name among those that may be moved; FieldError says what is near."""
    numbers = list(numbers)
    wanted = tidy(name).casefold()
    by_name = {tidy(number.name).casefold(): number for number in numbers}
    if wanted in by_name:
        return by_name[wanted]
    if (rule := by_name.get((RULE + wanted).casefold())) is not None:
        return rule
    if (match := re.fullmatch(r"(.+)\.\s*(\w+)\s*\[(.*)\]", name.strip())) is not None:
        found = find_number(card_of(match[1].strip()), match[2].casefold(), match[3])
        return next((number for number in numbers if number.name == found.name), found)
    raise FieldError(f"no number is named {quoted(name)}" + did_you_mean(name, (number.name for number in numbers)))
