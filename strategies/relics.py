"""Collects relics: what is bought once works every turn, and is there in the rival's turn too.

A relic comes before any monster of the same price, up to the limit, and a better one takes the place of the worst. It likes the cards that count or hear of
relics. Relics that need nothing of the hand are used after the plays, so that whatever listens to a relic being used is there to hear it. It aims DESTROY
at the rival's relics.
"""

from simulator.enums import Event, Kind
from strategies.opinions import AFTER_PLAYS, Taste, form, rows_of
from strategies.registry import strategy
from strategies.turns import play_well

TASTE = Taste(relic=1.8, armor=1.0)


def prepare(box, work):
    form(TASTE, box, work)


@strategy
def choose(game, box, options, work, me):
    return play_well(game, box, options, work, me)
