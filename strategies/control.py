"""CURSE, DESTROY, Armor and Regeneration: takes the rival's cards and Health away and lives longer.

It buys what curses, what destroys, what shields and what heals, and believes in a long game. Spare Coin becomes a CURSE where an ability allows it. A
monster with a HAUNT token stays out of hordes, so that its Armor stands there in the rival's turn. To a CURSE it answers with a card, unless the card is
dear: Health is what it wins with. What it destroys is first of all what the rival has in play, and else the best card that the rival could buy.
"""

from terrors.strategies.formats.registry import strategy
from terrors.strategies.kit.taste import Taste, form
from terrors.strategies.kit.turn import play_well

TASTE = Taste(health=1.0, curse=2.3, destroy=1.2, armor=1.3, haunt=0.5, discard=2.0, horizon=1.1, stay=1.6, deny=0.5)


def prepare(box, work):
    form(TASTE, box, work)


@strategy
def choose(game, box, options, work, me):
    return play_well(game, box, options, work, me)
