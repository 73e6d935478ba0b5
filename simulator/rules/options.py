"""Putting options on the list from which a player chooses. A list that is full takes no more (layout.OPTIONS)."""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, OptionsRecord, PileRecord, rule
from terrors.simulator.kernel.layout import OPTIONS, THEN
from terrors.simulator.kernel.piles import first_of_kind
from terrors.simulator.terms.enums import Action, CardType, Mark, Place

ABILITY_USED = int(Mark.ABILITY_1_USED)  # the next bit is ABILITY_2_USED


@rule(inline=True)
def write(options: OptionsRecord, n: int, action: int, card: int, slot: int, other: int, amount: int, place: int) -> None:
    """Write option number n. The hot lists count for themselves, which is quicker than counting in the record."""
    option = options.at[n]
    option.action = action
    option.card = card
    option.slot = slot
    option.other = other
    option.amount = amount
    option.place = place


@rule(inline=True)
def add(options: OptionsRecord, n: int, action: int, card: int, slot: int, other: int, amount: int, place: int) -> int:
    """Write option number n, if there is room; return the next number."""
    if n >= OPTIONS:
        return n
    write(options, n, action, card, slot, other, amount, place)
    return n + 1


@rule
def offer(options: OptionsRecord, action: int, card: int, slot: int, other: int, amount: int, place: int) -> None:
    """Add one option to the list."""
    options.n = add(options, options.n, action, card, slot, other, amount, place)


@rule
def plan(options: OptionsRecord, action: int, card: int, slot: int, other: int, unless: int) -> None:
    """Add one step to the plan of whoever answers (docs/ENGINE.md), as long as there is room: with all that there is, if it is something to spend."""
    if options.then_n < THEN:
        step = options.then[options.then_n]
        options.then_n += 1
        step.action = action
        step.card = card
        step.slot = slot
        step.other = other
        step.amount = 0
        step.unless = unless


@rule(inline=True)
def forget_plan(options: OptionsRecord) -> None:
    """Forget what was going to be done next."""
    options.then_n = 0
    options.then_at = 0


@rule(inline=True)
def ask(game: GameRecord, options: OptionsRecord, question: int, who: int) -> None:
    """Ask a question, if there is anything to choose from."""
    if options.n > 0:
        game.question = question
        game.asked = who


@rule
def offer_pile(box: BoxRecord, options: OptionsRecord, pile: PileRecord, place: int) -> None:
    """Offer each kind of card in a pile, once."""
    for i in range(pile.n):
        if first_of_kind(box, pile, i, 0):
            offer(options, Action.CARD, box.kind_of[pile.card[i]], i, 0, 0, place)


@rule
def offer_in_play(game: GameRecord, box: BoxRecord, options: OptionsRecord, who: int, place: int) -> None:
    """Offer each card that a player has in play: monsters, Influence cards, relics."""
    p = game.player[who]
    for s in range(p.slots):
        if p.play[s].card >= 0:
            offer(options, Action.CARD, box.kind_of[p.play[s].card], s, 0, 0, place)


@rule(rare=True)
def offer_relics(game: GameRecord, box: BoxRecord, options: OptionsRecord, who: int) -> None:
    """P8: offer each relic in a player's Relic area."""
    p = game.player[who]
    for s in range(p.slots):
        card = p.play[s].card
        if card >= 0 and box.card[box.kind_of[card]].type == CardType.RELIC:
            offer(options, Action.CARD, box.kind_of[card], s, 0, 0, Place.PLAY)


@rule
def offer_abilities(game: GameRecord, box: BoxRecord, options: OptionsRecord, who: int, s: int) -> None:
    """H4: offer the unused Horde abilities of the monster in a slot."""
    slot = game.player[who].play[s]
    kind = box.kind_of[slot.card]
    for h in range(box.card[kind].hordes):
        if not slot.marks & (ABILITY_USED << h):
            offer(options, Action.ABILITY, kind, s, 0, h, Place.PLAY)
