"""Power now: every card, every choice and every ability is one more point of damage this turn.

It takes the Influence cards with Power, buys what strikes, and believes in a short game, so that Coin is soon worth nothing. Of two uses it takes the
Power; Regeneration that can become Power does. A CURSE costs it Health rather than a card as long as it is not near its end, since a card is damage.
DESTROY it aims at the Armor in its way.
"""

from terrors.simulator.terms.enums import Question
from terrors.strategies.formats.registry import strategy
from terrors.strategies.kit.taste import Taste, form
from terrors.strategies.kit.turn import play_well

TASTE = Taste(power=1.25, coin=1.1, coin_late=0.1, health=0.5, opening=1.7, horizon=0.9, average=0.9, rage=2.5, armor=0.2, relic=0.5, horde=0.4, acolyte=2.3)
SAFE = 24  # Health above which a CURSE may cost Health


def prepare(box, work):
    form(TASTE, box, work)


@strategy
def choose(game, box, options, work, me):
    if game.question == Question.CURSE and game.player[me].health > SAFE:
        return 0
    return play_well(game, box, options, work, me)
