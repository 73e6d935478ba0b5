"""A list and a box of cards become the rows that playing.py plays by. Names of cards are looked up here: only now is it known which cards there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from terrors.simulator.cards.card_set import Card, folded
from terrors.simulator.kernel.work_layout import LIST_INFLUENCES, LIST_STEPS
from terrors.simulator.terms.enums import CardType, Pile
from terrors.simulator.terms.text import did_you_mean, quoted
from terrors.strategies.formats.lists import playing
from terrors.strategies.formats.lists.conditions import Code
from terrors.strategies.formats.lists.reading import ACOLYTE, HAS, OWN, BuyRule, PriorityList, amount_and_word, one_of
from terrors.strategies.formats.registry import StrategyError
from terrors.strategies.kit.simple import form_opinions

STARTING = "starting"  # as a set: the cards of the starting deck
SETS = ["Monster", "Relic", "Influence", ACOLYTE, STARTING, *HAS]
AHEAD = 10_000.0  # further than any opinion about the order of play
Fits = Callable[[int, Card], bool]


def fill(found: PriorityList, box: Any, area: Any) -> None:
    """Fill the work area of a list (play.box.Box, work_layout.WORK); StrategyError has a sentence for each card that the box does not have."""
    form_opinions(box.record, area)
    filler = _Filler(found, box, area)
    filler.everything()
    if filler.problems:
        raise StrategyError("\n".join(filler.problems))


class _Filler:
    """Puts the parts of a list where playing.py looks for them."""

    def __init__(self, found: PriorityList, box: Any, area: Any) -> None:
        self.found, self.box, self.area = found, box, area
        self.problems: list[str] = []
        self.sets = len(found.buy)
        self.counted: dict[str, int] = {}  # sets behind `owned`, by their words
        self.steps = 0  # of conditions, so far

    def everything(self) -> None:
        found, area = self.found, self.area.list
        self.order_of_play()
        area.rules_n = len(found.buy)
        area.curse = found.curse
        area.keep = self.new_set(", play, keep", [self.fits(", play, keep", text) for text in found.keep]) if found.keep else -1
        for number, rule in enumerate(found.buy):
            self.rule(number, rule)
        kinds = [self.card(", play, influences", name, CardType.INFLUENCE) for name in found.influences]
        if len(kinds) > LIST_INFLUENCES:
            self.problem(", play, influences", f"there are {len(kinds)} cards, {LIST_INFLUENCES} are possible")
            del kinds[LIST_INFLUENCES:]
        area.influences_n = len(kinds)
        area.influence[: len(kinds)] = kinds
        self.condition(", play, build", found.build, area.build)
        self.condition(", play, overlord", found.overlord, area.overlord)
        if self.steps > LIST_STEPS:
            self.problem("", f"its conditions are too long for the room that there is, by {self.steps - LIST_STEPS} steps; leave some out")

    def problem(self, where: str, text: str) -> None:
        """Note a mistake; what is looked up twice is told once."""
        sentence = f"{self.found.path}{where}: {text}"
        sentence = sentence if sentence.endswith("?") else f"{sentence}."
        if sentence not in self.problems:
            self.problems.append(sentence)

    # Cards and sets of cards

    def card(self, where: str, name: str, wanted: CardType | None = None) -> int:
        """Return the kind of a named card; if the set has none, that is a problem."""
        names = {folded(card.name): at for at, card in enumerate(self.box.cards) if wanted is None or card.type is wanted}
        if folded(name) not in names:
            what = "card" if wanted is None else f"{wanted.name.capitalize()} card" if wanted is CardType.INFLUENCE else wanted.name.lower()
            near = did_you_mean(name, [self.box.names[at] for at in names.values()])
            self.problem(where, f"no {what} of this set is named {quoted(name)}" + (near or "; 'terrors cards' lists them"))
            return -1
        return names[folded(name)]

    def fits(self, where: str, text: str) -> Fits:
        """Return a test for the cards that a faction, a type, a keyword or a card's name means."""
        amount, word = amount_and_word(text)
        if word:
            return lambda kind, _: self.amount_of(kind, word) >= amount if amount > 1 else self.amount_of(kind, word) > 0
        if faction := one_of(text, self.box.cards.dialect.names):
            return lambda _, card: card.faction.label == faction
        if pile := one_of(text, (ACOLYTE, STARTING)):
            return lambda _, card: card.pile is Pile[pile.upper()]
        if type_ := one_of(text, ("Monster", "Relic", "Influence")):
            return lambda _, card: card.type is CardType[type_.upper()]
        names = {folded(card.name) for card in self.box.cards}
        if folded(text) not in names:
            near = did_you_mean(text, [*self.box.cards.dialect.names, *SETS, *self.box.names])
            self.problem(where, f"{quoted(text)} is no card of this set, no faction, type or keyword" + (near or "; 'terrors cards' lists the cards"))
        return lambda _, card: folded(card.name) == folded(text)

    def amount_of(self, kind: int, word: str) -> float:
        return sum(float(getattr(self.box.record.has[kind], name)) for name in HAS[word])

    def mark(self, number: int, fits: Fits, own: bool = False) -> None:
        """Put into a set all kinds that fit; `own` = only for a player of the card's faction."""
        words = self.area.list.own_sets if own else self.area.list.sets
        for kind, card in enumerate(self.box.cards):
            if fits(kind, card):
                words[kind] |= np.uint64(1 << number)

    def new_set(self, where: str, any_of: list[Fits], own: bool = False) -> int:
        """Return the number of a new set of the cards that fit one of these."""
        number = self.sets
        if number >= playing.MOST_SETS:
            self.problem(where, f"that is one set of cards too many; {playing.MOST_SETS} are possible, buy rules included")
            return 0
        self.sets += 1
        self.mark(number, lambda kind, card: any(fits(kind, card) for fits in any_of), own)
        return number

    def owned_set(self, where: str, text: str) -> int:
        """Return the number of the set that a condition counts; the same words are the same set."""
        key = text.casefold()
        if key not in self.counted:
            own = key == OWN
            self.counted[key] = self.new_set(where, [lambda _, card: bool(card.faction)] if own else [self.fits(where, text)], own)
        return self.counted[key]

    # The parts of a list

    def order_of_play(self) -> None:
        """Change the opinions of the cards as `first`, `last` and `junk` say; what is kept is played last of all."""
        found, cards = self.found, list(enumerate(self.box.cards))
        places = [("first", found.first, AHEAD), ("last", found.last[::-1], -AHEAD), ("keep", found.keep, -10 * AHEAD)]
        for key, texts, ahead in places:
            for i, text in enumerate(texts):
                fits = self.fits(f", play, {key}", text)
                for kind, card in cards:
                    if fits(kind, card) and card.type is not CardType.OVERLORD and abs(self.area.of[kind].play) < AHEAD / 2:
                        self.area.of[kind].play += ahead * (2 - i / len(texts))
        for i, text in enumerate(found.junk):
            fits = self.fits(", play, junk", text)
            for kind, card in cards:
                if fits(kind, card) and self.area.of[kind].keep > -1:
                    self.area.of[kind].keep = i - 1 - len(found.junk)

    def rule(self, number: int, rule: BuyRule) -> None:
        where = f", buy {number + 1}"
        for name in rule.card:
            self.card(f"{where}, card", name)
        known = [*self.box.cards.dialect.names, OWN]
        for text in rule.faction:
            if one_of(text, known) is None:
                self.problem(
                    f"{where}, faction", f"{quoted(text)} is not a faction of this set" + (did_you_mean(text, known) or f"; there are {', '.join(known)}")
                )
        self.mark(number, lambda kind, card: self.sells(rule, kind, card) and (not rule.faction or one_of(card.faction.label, rule.faction) is not None))
        if one_of(OWN, rule.faction):
            self.mark(number, lambda kind, card: bool(card.faction) and self.sells(rule, kind, card), own=True)
        overlords = [self.card(f"{where}, overlord", name, CardType.OVERLORD) for name in rule.overlord]
        self.mark(number, lambda kind, card: card.type is CardType.OVERLORD and (not overlords or kind in overlords))
        against = [self.card(f"{where}, against", name, CardType.OVERLORD) for name in rule.against]
        row = self.area.list.rule[number]
        row.until, row.pick, row.acolyte = rule.until, rule.pick, rule.type == ACOLYTE
        row.against = self.new_set(f"{where}, against", [lambda kind, _: kind in against]) if against else -1
        self.condition(f"{where}, when", rule.when, row.when)

    def sells(self, rule: BuyRule, kind: int, card: Card) -> bool:
        """Whether a card is one that this rule may buy, its faction aside."""
        if card.pile not in (Pile.MARKET, Pile.ACOLYTE) or not rule.min_cost <= (card.cost or 0) <= rule.max_cost:
            return False
        if rule.type and not (card.pile is Pile.ACOLYTE if rule.type == ACOLYTE else card.type is CardType[rule.type.upper()]):
            return False
        if rule.card and folded(card.name) not in map(folded, rule.card):
            return False
        return not rule.has or any(self.amount_of(kind, word) >= (amount if amount > 1 else 0.01) for amount, word in rule.has)

    def condition(self, where: str, code: Code, place: Any) -> None:
        """Write the steps of a condition, and into `place` where they begin and end. What does not fit is counted all the same, for the message."""
        place.begin = self.steps
        for instruction, argument in code:
            number = self.owned_set(where, argument) if isinstance(argument, str) else argument
            if self.steps < LIST_STEPS:
                self.area.list.step[self.steps] = (instruction, number)
            self.steps += 1
        place.end = self.steps
