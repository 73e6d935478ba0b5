"""Coin first, big cards later: builds the richest deck, and strikes with it when it is there.

It takes the Influence cards with Coin, gives up almost nothing for early Power, and takes Coin wherever there is a choice as long as most of the game lies
ahead. It waits for dear cards: a cheap one only makes the deck thicker. A Coin card that would buy nothing this turn is kept on top of the deck at Pass.
When the end comes near, Coin is worth nothing to it any more.
"""

from terrors.simulator.terms.enums import CardType
from terrors.strategies.formats.registry import strategy
from terrors.strategies.kit.taste import Taste, form
from terrors.strategies.kit.turn import play_well

TASTE = Taste(coin=1.8, coin_late=0.1, opening=2.6, horizon=1.15, average=1.1, acolyte=1.9, keep=0.5, relic=0.6)
BIG = 5  # from this cost on a card is what all the Coin is for
BIG_BONUS = 0.25  # for each Coin of the cost from there on


def prepare(box, work):
    form(TASTE, box, work)
    for kind in range(box.kinds):
        bonus = BIG_BONUS * max(0, box.card[kind].cost + 1 - BIG) * (box.card[kind].type == CardType.MONSTER)
        work.of[kind].early += bonus
        work.of[kind].late += bonus


@strategy
def choose(game, box, options, work, me):
    return play_well(game, box, options, work, me)
