"""Buys Coin first and big cards later, and strikes when the deck is rich. A placeholder plan for trying out the base of all of the styles, still to be written.
"""

from strategies.opinions import Taste, form
from strategies.registry import strategy
from strategies.turns import play_well

TASTE = Taste()


def prepare(box, work):
    form(TASTE, box, work)


@strategy
def choose(game, box, options, work, me):
    return play_well(game, box, options, work, me)
