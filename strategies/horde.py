"""Buys and plays for chains: monsters that can stand side by side, joined at both ends, each join one more Horde ability.

A monster is worth more for every one beside which it could stand in the same hand, so the deck grows towards one direction of the ring. It forms the horde
that most others can still join, fetches from the discard pile what links to the monsters in play, and always activates the best ability that is unused. A
monster that could stay by HAUNT joins all the same. Relics it leaves to others: they cannot stand in a horde.
"""

from terrors.strategies.formats.registry import strategy
from terrors.strategies.kit.taste import Taste, form
from terrors.strategies.kit.turn import play_well

TASTE = Taste(horde=0.6, link=2.5, chain=1.0, stay=0.0, average=0.9, acolyte=2.5, relic=0.4)


def prepare(box, work):
    form(TASTE, box, work)


@strategy
def choose(game, box, options, work, me):
    return play_well(game, box, options, work, me)
