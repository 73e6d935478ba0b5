"""A box whose numbers can be moved: the record is made once, and then patched in place, for whoever plays many versions of one set.

To make a box anew takes as long as some hundred games. A number changes no shape: programs stay as long as they are and where they are, so only the rows of the
cards that were moved are written, each version of a card made once. The patched record is, byte for byte, what `make_box` makes of the changed set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from terrors.simulator.cards.card_numbers import Number, with_value
from terrors.simulator.cards.card_set import Card, CardSet
from terrors.simulator.play.box import Box, BoxBuilder, Interventions, make_box
from terrors.simulator.terms.ruleset import Rules

RULES = -1  # the kind of what is no card


@dataclass(frozen=True)
class CardVersion:
    """One card with some values of its numbers, as the record has it."""

    card: Card
    rows: tuple[np.ndarray, ...]  # the bytes of its row, of what it has and of its programs
    alternatives: dict[int, list[str]]  # of its choices, in words


class MovableBox:
    """A card set and rules with numbers to move. It serves one thread at a time: each move patches the one record."""

    def __init__(self, cards: CardSet, rules: Rules, numbers: Sequence[Number], interventions: Interventions | None = None) -> None:
        """Make the record as it is. `numbers`: those that will be moved; their values are given in this order."""
        self.base = make_box(cards, rules, interventions)
        self.numbers = list(numbers)
        self.cards, self.rules = self.base.cards, rules
        self.usual = tuple(number.value for number in self.numbers)
        self._kinds = [self.cards.index(number.card) if number.card else RULES for number in self.numbers]
        self._of_card: dict[int, list[int]] = {}  # by kind: places of its numbers
        for place, kind in enumerate(self._kinds):
            self._of_card.setdefault(kind, []).append(place)
        self._of_rules = self._of_card.pop(RULES, [])
        self._versions: dict[tuple[int, tuple[int, ...]], CardVersion] = {}
        self._values = self.usual  # those that are in the record,
        self._cards, self._alternatives = list(self.cards.cards), dict(self.base.alternatives)  # and the cards that have them
        self._dealt, self._dealt_rules = tuple(card.copies for card in self._cards), rules
        self._dealer = BoxBuilder(self.cards, rules, self.base.record)
        self._writer = BoxBuilder(self.cards, rules)  # on a record of its own, of which versions of cards are taken
        self._record = {name: bytes_of(self.base.record[name]) for name in ("card", "has", "effect")}
        self._rows = self._spans()

    def box(self, values: Sequence[int]) -> Box:
        """Return the box with these values. The record is the same one each time: what was returned before has changed too."""
        values = tuple(np.asarray(values, int).tolist())
        for kind in {kind for kind, value, now in zip(self._kinds, values, self._values, strict=True) if value != now and kind != RULES}:
            version = self._version(kind, tuple(values[place] for place in self._of_card[kind]))
            self._cards[kind] = version.card
            self._alternatives |= version.alternatives
            start, _ = self._rows[kind]
            for name, first, rows in zip(self._record, (kind, kind, start), version.rows, strict=True):
                self._record[name][first : first + len(rows)] = rows
        self._values = values
        moved = {self.numbers[place].column: values[place] for place in self._of_rules if values[place] != self.usual[place]}
        rules = self.rules.but(moved) if moved else self.rules
        cards = CardSet(tuple(self._cards), self.cards.path)
        return Box(cards, rules, self.base.interventions, self.base.record, self.base.names, self._deal(cards, rules), dict(self._alternatives))

    def _spans(self) -> dict[int, tuple[int, int]]:
        """Return by kind the rows of its programs: they stand one behind the other."""
        record, found = self.base.record, {}
        for kind in range(len(self.cards.cards)):
            card = record.card[kind]
            spans = [card.program, *(card.horde[i] for i in range(card.hordes)), *(card.trigger[i] for i in range(card.triggers))]
            found[kind] = min(int(span.pc) for span in spans), max(int(span.end) for span in spans)
        return found

    def _version(self, kind: int, values: tuple[int, ...]) -> CardVersion:
        """Return a version of a card, each made once."""
        key = kind, values
        if key not in self._versions:
            card = self.cards.cards[kind]
            for place, value in zip(self._of_card[kind], values, strict=True):
                card = with_value(card, self.numbers[place], value)
            builder, (start, stop) = self._writer, self._rows[kind]
            builder.record["card"][kind : kind + 1] = builder.record["has"][kind : kind + 1] = 0
            builder.rows, builder.alternatives = start, {}
            builder.card(kind, card)
            assert builder.rows == stop, "a number has changed the shape of a program"
            spans = (("card", kind, kind + 1), ("has", kind, kind + 1), ("effect", start, stop))
            rows = tuple(bytes_of(builder.record[name][first:end]).copy() for name, first, end in spans)
            self._versions[key] = CardVersion(card, rows, builder.alternatives)
        return self._versions[key]

    def _deal(self, cards: CardSet, rules: Rules) -> list[int]:
        """Write the rules, and which cards go where, if that is not in the record already."""
        copies = tuple(card.copies for card in cards.cards)
        if (copies, rules) != (self._dealt, self._dealt_rules):
            dealer = self._dealer
            dealer.cards, dealer.rules = cards, rules
            if rules != self._dealt_rules:
                dealer.rule_numbers()
            dealer.deal_anew({cards.by_name(name).name for name in self.base.interventions.remove}, self.base.interventions.grant)
            self._dealt, self._dealt_rules, self.base.copies = copies, rules, dealer.copies
        return self.base.copies


def bytes_of(rows: np.ndarray) -> np.ndarray:
    """Return the memory of some records as bytes, a row each: copied so, and not field by field, they take a tenth of the time."""
    return rows.view(np.uint8).reshape(len(rows), rows.dtype.itemsize)


def moved(numbers: Sequence[Number], changes: Mapping[str, int]) -> tuple[int, ...]:
    """Return the values of numbers with some of them changed, by name."""
    return tuple(changes.get(number.name, number.value) for number in numbers)


def settings(numbers: Sequence[Number], values: Sequence[int]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return what is changed as a plan has it: overrides of cards (`--set`), and rules."""
    changed = [(number, int(value)) for number, value in zip(numbers, values, strict=True) if int(value) != number.value]
    return tuple(number.to(value) for number, value in changed if number.card), {number.column: value for number, value in changed if not number.card}
