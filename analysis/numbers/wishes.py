"""The wishes of a designer: what is to be fair, what may be changed for it, and what lies beyond these limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from terrors.analysis.contract.margins import Margins
from terrors.analysis.numbers.gauges import FIRST, GOING_FIRST, MATCHUP, OVERLORD
from terrors.analysis.numbers.study import chosen
from terrors.simulator.cards.card_numbers import Number
from terrors.simulator.cards.card_set import CardSet
from terrors.simulator.terms.errors import AnalysisError
from terrors.simulator.terms.text import did_you_mean

RULES = "rules"
KINDS = {"overlords": OVERLORD, "matchups": MATCHUP, "first": FIRST}
FAIR_WORDS = (*KINDS, "cards")


@dataclass
class Wanted:
    """The wishes of a designer."""

    margins: Margins = field(default_factory=Margins)
    targets: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    free: tuple[str, ...] = ()  # printed facts that may be changed all the same
    max_edits: int = 3
    fair: tuple[str, ...] = ()  # what is to be fair, of FAIR_WORDS; nothing: overlords and match-ups, and going first where rules may be changed
    scout: str = ""  # who plays the lottery, if not those who judge

    def kinds(self, numbers: Sequence[Number]) -> tuple[str, ...]:
        """Return the kinds of gauges that are asked for. `numbers`: those that may be changed."""
        for word in self.fair:
            if word not in FAIR_WORDS:
                raise AnalysisError(f"fair {word!r}: there is no such question{did_you_mean(word, FAIR_WORDS) or '; there are ' + ', '.join(FAIR_WORDS) + '.'}")
        usual = ("overlords", "matchups", *(("first",) if any(not number.card for number in numbers) else ()))
        first = any(text.casefold().startswith(GOING_FIRST) for text in self.targets)  # who names a target for it asks for it
        return tuple(kind for word, kind in KINDS.items() if word in (self.fair or usual) or (kind == FIRST and first))


def changeable(cards: CardSet, numbers: Sequence[Number], wanted: Wanted) -> list[Number]:
    """Return the numbers that a patch may change: those asked for, without what is kept; of printed facts and rules only what is named."""
    freed = chosen(numbers, wanted.free, cards, "free") if wanted.free else []
    by_name = {text.casefold() for text in wanted.only}

    def may(number: Number) -> bool:
        if number in freed or number.name.casefold() in by_name or (number.card and number.card.casefold() in by_name):
            return True
        return RULES in by_name if not number.card else not cards.by_name(number.card).printed

    found = [number for number in _named(cards, numbers, wanted) if may(number)]
    if not found:
        raise AnalysisError("nothing may be changed: everything is kept, or a printed fact; leave out --keep, or name what may change (--only, --free).")
    return found


def beyond_limits(cards: CardSet, numbers: Sequence[Number], wanted: Wanted) -> list[Number]:
    """Return the numbers that only our own caution keeps: printed facts and rules, but nothing that was named to be kept and nothing outside of `only`."""
    within = changeable(cards, numbers, wanted)
    return [number for number in _named(cards, numbers, wanted) if number not in within]


def why_kept(number: Number) -> str:
    """Return why a number beyond the limits was kept, in words."""
    return "printed: its source says rulebook" if number.card else "a number of the rules"


def _named(cards: CardSet, numbers: Sequence[Number], wanted: Wanted) -> list[Number]:
    """Return the numbers that are asked for, by --only and --free, without those that --keep names."""
    named = chosen(numbers, wanted.only, cards)
    freed = chosen(numbers, wanted.free, cards, "free") if wanted.free else []
    kept = {number.name for text in wanted.keep for number in _kept(text, numbers)}
    return [number for number in numbers if (number in named or number in freed) and number.name not in kept]


def _kept(text: str, numbers: Sequence[Number]) -> list[Number]:
    """Return the numbers that a text keeps: a number, a card, a cell or a sort of numbers."""
    wanted = text.strip().casefold()
    found = [n for n in numbers if wanted in (n.name.casefold(), n.card.casefold(), f"{n.card}.{n.column}".casefold(), n.column, RULES if not n.card else "")]
    if not found:
        raise AnalysisError(f"keep {text!r}: there is no such number{did_you_mean(text, [n.name for n in numbers]) or ''}.")
    return found
