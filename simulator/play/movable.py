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


@dataclass(frozen=True)
class CardVersion:
    """One card with some values of its numbers, as the record has it."""

    card: Card
    row: bytes
    has: bytes
    effects: bytes
    alternatives: dict[int, list[str]]  # of its choices, in words


class MovableBox:
    """A card set and rules with numbers to move. It serves one thread at a time: each move patches the one record."""

    def __init__(self, cards: CardSet, rules: Rules, numbers: Sequence[Number], interventions: Interventions | None = None) -> None:
        """Make the record as it is. `numbers`: those that will be moved; their values are given in this order."""
        self.base = make_box(cards, rules, interventions)
        self.numbers = list(numbers)
        self.cards, self.rules = self.base.cards, rules
        self.usual = tuple(number.value for number in self.numbers)
        self._of_card: dict[int, list[int]] = {}  # by kind: places of its numbers
        for place, number in enumerate(self.numbers):
            if number.card:
                self._of_card.setdefault(self.cards.index(number.card), []).append(place)
        self._of_rules = [place for place, number in enumerate(self.numbers) if not number.card]
        self._versions: dict[tuple[int, tuple[int, ...]], CardVersion] = {}
        self._now: dict[int, tuple[int, ...]] = {}  # by kind: the values that are in the record, if they are not the usual ones
        self._dealt = tuple(card.copies for card in self.cards.cards)
        self._dealt_rules = rules
        self._rows = self._spans()

    def box(self, values: Sequence[int]) -> Box:
        """Return the box with these values. The record is the same one each time: what was returned before has changed too."""
        values = tuple(int(value) for value in values)
        cards, alternatives = list(self.cards.cards), dict(self.base.alternatives)
        for kind, places in self._of_card.items():
            mine = tuple(values[place] for place in places)
            if mine != tuple(self.usual[place] for place in places):
                cards[kind] = self._version(kind, mine).card
                alternatives |= self._version(kind, mine).alternatives
            if self._now.get(kind, tuple(self.usual[place] for place in places)) != mine:
                self._write(kind, self._version(kind, mine))
                self._now[kind] = mine
        rules = self.rules.but({self.numbers[place].column: values[place] for place in self._of_rules if values[place] != self.usual[place]})
        changed = CardSet(tuple(cards), self.cards.path)
        copies = self._deal(changed, rules)
        return Box(changed, rules, self.base.interventions, self.base.record, self.base.names, copies, alternatives)

    def _spans(self) -> dict[int, tuple[int, int]]:
        """Return by kind the rows of its programs: they stand one behind the other."""
        record, found = self.base.record, {}
        for kind in range(len(self.cards.cards)):
            card = record.card[kind]
            spans = [card.program, *(card.horde[i] for i in range(card.hordes)), *(card.trigger[i] for i in range(card.triggers))]
            found[kind] = min(int(span.pc) for span in spans), max(int(span.end) for span in spans)
        return found

    def _version(self, kind: int, values: tuple[int, ...]) -> CardVersion:
        key = kind, values
        if key not in self._versions:
            card = self.cards.cards[kind]
            for place, value in zip(self._of_card[kind], values, strict=True):
                card = with_value(card, self.numbers[place], value)
            builder = BoxBuilder(self.cards, self.rules)
            start, stop = self._rows[kind]
            builder.rows = start
            builder.card(kind, card)
            assert builder.rows == stop, "a number has changed the shape of a program"
            record = builder.record
            row, has, effects = (np.asarray(record[name]) for name in ("card", "has", "effect"))
            self._versions[key] = CardVersion(card, row[kind].tobytes(), has[kind].tobytes(), effects[start:stop].tobytes(), builder.alternatives)
        return self._versions[key]

    def _write(self, kind: int, version: CardVersion) -> None:
        record, (start, stop) = self.base.record, self._rows[kind]
        for name, at, size, data in (("card", kind, 1, version.row), ("has", kind, 1, version.has), ("effect", start, stop - start, version.effects)):
            target = np.asarray(record[name])[at : at + size]
            target[:] = np.frombuffer(data, target.dtype)

    def _deal(self, cards: CardSet, rules: Rules) -> list[int]:
        """Write the rules, and which cards go where, if that is not in the record already."""
        copies = tuple(card.copies for card in cards.cards)
        if (copies, rules) == (self._dealt, self._dealt_rules):
            return self.base.copies
        builder = BoxBuilder(cards, rules, self.base.record)
        builder.rule_record()
        builder.deal_anew({cards.by_name(name).name for name in self.base.interventions.remove}, self.base.interventions.grant)
        self._dealt, self._dealt_rules, self.base.copies = copies, rules, builder.copies
        return builder.copies


def moved(numbers: Sequence[Number], changes: Mapping[str, int]) -> tuple[int, ...]:
    """Return the values of numbers with some of them changed, by name."""
    return tuple(changes.get(number.name, number.value) for number in numbers)


def settings(numbers: Sequence[Number], values: Sequence[int]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return what is changed as a plan has it: overrides of cards (`--set`), and rules."""
    changed = [(number, int(value)) for number, value in zip(numbers, values, strict=True) if int(value) != number.value]
    return tuple(number.to(value) for number, value in changed if number.card), {number.column: value for number, value in changed if not number.card}
