"""Its own faction before all others: monsters that light its Influence cards, and Influence cards that reward them.

It takes the Influence cards whose triggered part says most, buys monsters of its overlord's faction, fetches and haunts them, and plays the first of them
before anything that it could light. An Influence card that no monster lights is kept on top of the deck at Pass, if it is the last one in hand.
"""

from terrors.simulator.terms.enums import CardType
from terrors.strategies.formats.registry import strategy
from terrors.strategies.kit.taste import Taste, form
from terrors.strategies.kit.turn import play_well

TASTE = Taste(loyal=2.5, opening=2.0, wait=1.0, relic=0.6)
LIT_BONUS = 0.5  # for each triggered or lit ability of an Influence card


def prepare(box, work):
    form(TASTE, box, work)
    for kind in range(box.kinds):
        if box.card[kind].type == CardType.INFLUENCE:
            work.of[kind].keep += LIT_BONUS * box.has[kind].triggered


@strategy
def choose(game, box, options, work, me):
    return play_well(game, box, options, work, me)
