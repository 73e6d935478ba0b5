"""A small strong deck: SACRIFICEs the starting cards, and buys only what is better than the average of the rest.

It values SACRIFICE above almost all else, wherever the starters lie, and plays starters before what may sacrifice them out of play. The average of the deck
that a card must beat to be bought rises with every starter that goes, so it buys few and comes around to them often. Looking at the deck it throws out what
is below average, and Acolytes it leaves alone.
"""

from terrors.simulator.terms.enums import Pile
from terrors.strategies.formats.registry import strategy
from terrors.strategies.kit.taste import MONSTER, OWN_FACTION_FIRST, Taste, form
from terrors.strategies.kit.turn import play_well

TASTE = Taste(sacrifice=2.4, average=1.05, acolyte=1.6, relic=0.6)


def prepare(box, work):
    form(TASTE, box, work)
    for kind in range(box.kinds):
        if box.card[kind].pile == Pile.STARTING:
            work.of[kind].play = MONSTER + 2 * OWN_FACTION_FIRST


@strategy
def choose(game, box, options, work, me):
    return play_well(game, box, options, work, me)
