"""Buys and plays for chains: monsters that can stand side by side, joined at both ends, each join one more Horde ability.

A monster is worth more for every one that it could stand beside, and Horde abilities count almost in full. It forms the horde that most others can still
join, fetches from the discard pile what links to the monsters in play, and lets a monster join that could have stayed by HAUNT if the ability is worth it.
"""

from strategies.opinions import Taste, form
from strategies.registry import strategy
from strategies.turns import play_well

TASTE = Taste(horde=0.9, link=0.35, chain=1.0, stay=0.3, average=0.85, acolyte=2.5, relic=0.5)


def prepare(box, work):
    form(TASTE, box, work)


@strategy
def choose(game, box, options, work, me):
    return play_well(game, box, options, work, me)
