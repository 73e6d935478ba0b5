"""Moving cards between piles. Piles keep their order; the top is the last card."""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, PileRecord, rule

FEW = 8


@rule(inline=True)
def put(pile: PileRecord, card: int) -> None:
    """Put a card on top of a pile."""
    pile.card[pile.n] = card
    pile.n += 1


@rule(inline=True)
def take_top(pile: PileRecord) -> int:
    """Take the top card of a pile. The caller knows that there is one."""
    pile.n -= 1
    return pile.card[pile.n]


@rule(inline=True)
def take_at(pile: PileRecord, at: int) -> int:
    """Take the card at that place; the others keep their order."""
    card = pile.card[at]
    pile.n -= 1
    if at < FEW:  # as many places as any hand has, needed or not: no loop whose end the processor could guess wrong
        for i in range(FEW):
            pile.card[at + i] = pile.card[at + i + 1]
    if pile.n > at + FEW or at >= FEW:
        for i in range(at + (FEW if at < FEW else 0), pile.n):
            pile.card[i] = pile.card[i + 1]
    return card


@rule(inline=True)
def first_of_kind(box: BoxRecord, pile: PileRecord, at: int, down_to: int) -> bool:
    """Whether no card of the same kind lies in the pile between `down_to` and `at`: copies are interchangeable and offered once."""
    kind = box.kind_of[pile.card[at]]
    for i in range(down_to, at):  # noqa: SIM110 - compiled
        if box.kind_of[pile.card[i]] == kind:
            return False
    return True
