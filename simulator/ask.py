"""Putting options on the list from which a player chooses."""

from __future__ import annotations

from simulator.enums import Action, Kind, Place
from simulator.jit import Box, Game, Options, Pile, rule
from simulator.layout import OPTIONS
from simulator.piles import first_of_kind


@rule(inline=True)
def offer(options: Options, action: int, card: int, slot: int, other: int, amount: int, place: int) -> None:
    """Add one option. A list that is full takes no more (layout.OPTIONS)."""
    n = options.n
    if n < OPTIONS:
        options.action[n] = action
        options.card[n] = card
        options.slot[n] = slot
        options.other[n] = other
        options.amount[n] = amount
        options.place[n] = place
        options.n = n + 1


@rule(inline=True)
def ask(game: Game, options: Options, question: int, who: int) -> None:
    """Ask, if there is anything to choose from."""
    if options.n > 0:
        game.question = question
        game.asked = who


@rule
def offer_pile(box: Box, options: Options, pile: Pile, place: int) -> None:
    """Each kind of card in a pile, once."""
    for i in range(pile.n):
        if first_of_kind(box, pile, i, 0):
            offer(options, Action.CARD, box.kind_of[pile.card[i]], i, 0, 0, place)


@rule
def offer_in_play(game: Game, box: Box, options: Options, who: int, place: int) -> None:
    """Each card that a player has in play: monsters, Influence cards, relics."""
    p = game.player[who]
    for s in range(p.slots):
        if p.play[s].card >= 0:
            offer(options, Action.CARD, box.kind_of[p.play[s].card], s, 0, 0, place)


@rule
def offer_relics(game: Game, box: Box, options: Options, who: int) -> None:
    """P8: each relic in a player's Relic area."""
    p = game.player[who]
    for s in range(p.slots):
        card = p.play[s].card
        if card >= 0 and box.card[box.kind_of[card]].kind == Kind.RELIC:
            offer(options, Action.CARD, box.kind_of[card], s, 0, 0, Place.PLAY)


@rule
def first_in_street(game: Game, box: Box, at: int) -> bool:
    """Whether no card of the same kind lies in the Street before that place: copies are offered once."""
    kind = box.kind_of[game.street[at]]
    for i in range(at):
        if box.kind_of[game.street[i]] == kind:
            return False
    return True


@rule(inline=True)
def offer_abilities(game: Game, box: Box, options: Options, who: int, s: int) -> None:
    """H4: the unused Horde abilities of the monster in a slot."""
    slot = game.player[who].play[s]
    kind = box.kind_of[slot.card]
    for h in range(box.card[kind].hordes):
        if not slot.marks & (ABILITY_USED << h):
            offer(options, Action.ABILITY, kind, s, 0, h, Place.PLAY)


ABILITY_USED = 16  # Slot.ABILITY_1_USED; the next bit is ABILITY_2_USED
