"""Collects relics: what is bought once works every turn, and is there in the rival's turn too.

A relic comes before any monster of the same price, up to the limit, and a better one takes the place of the worst. It likes the cards that count or hear of
relics. Relics that need nothing of the hand are used after the plays, so that whatever listens to a relic being used is there to hear it. It aims DESTROY
at the rival's relics.
"""

from terrors.simulator.terms.enums import CardType, Event, Per
from terrors.strategies.formats.registry import strategy
from terrors.strategies.kit.taste import AFTER_PLAYS, Taste, form, rows_of
from terrors.strategies.kit.turn import play_well

TASTE = Taste(relic=2.5, armor=1.0)
RELIC_EVENTS = (Event.RELIC_USED, Event.RELIC_BOUGHT, Event.RELIC_PLAYED)
RELIC_BONUS = 0.8  # for a card that counts relics or hears of them


def prepare(box, work):
    form(TASTE, box, work)
    for kind in range(box.kinds):
        of, card = work.of[kind], box.card[kind]
        rows = rows_of(box, card.program)
        if card.type == CardType.RELIC and of.look_again == 0:
            of.moment = max(of.moment, AFTER_PLAYS)
        heard = any(card.trigger[t].event in RELIC_EVENTS for t in range(card.triggers)) or any(row.per == Per.RELIC for row in rows)
        of.early, of.late, of.keep = of.early + RELIC_BONUS * heard, of.late + RELIC_BONUS * heard, of.keep + RELIC_BONUS * heard


@strategy
def choose(game, box, options, work, me):
    return play_well(game, box, options, work, me)
