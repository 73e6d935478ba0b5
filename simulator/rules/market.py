"""The Street and the Market (B): what may be had, who may have it, and what happens when it is."""

from __future__ import annotations

import numpy as np

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, rule
from terrors.simulator.kernel.layout import MARKET, NOT_FOR_SALE, OWNED
from terrors.simulator.kernel.piles import put
from terrors.simulator.kernel.rng import mix, stream
from terrors.simulator.rules.play_area import enter_play
from terrors.simulator.rules.triggers import happen, new_group
from terrors.simulator.terms.enums import BoughtFrom, CardType, Event, Look, Purpose, To


@rule(inline=True)
def may_own(game: GameRecord, who: int, at: int) -> bool:
    """E2, and interventions: whether a player may get the Street card at that place."""
    return game.player[who].owned < OWNED and not game.street[at].denied >> who & 1


@rule
def denied_to(game: GameRecord, box: BoxRecord, kind: int) -> int:
    """Return the seats (bits) to whom interventions deny a kind of card, by order or by lottery."""
    seats = box.deny[kind]
    if box.lottery:
        luck = mix(stream(game.seed, Purpose.DENY, 0, 0) ^ box.luck[kind])
        if luck < box.lottery:
            seats |= int(1 << np.int64(mix(luck) & np.uint64(1)))
    return seats


@rule
def look_over(game: GameRecord, box: BoxRecord) -> None:
    """B1: note what every list of purchases needs to know of the Street: which cards are copies of earlier ones, and the least price."""
    cheapest = box.rules.acolyte_cost if game.acolytes.n > 0 else NOT_FOR_SALE
    for at in range(game.street_n):
        place = game.street[at]
        cheapest = min(cheapest, place.cost)
        place.again = 0
        for i in range(at):
            if game.street[i].kind == place.kind:
                place.again = 1
    game.cheapest = cheapest


@rule
def note_offers(game: GameRecord, leaves: int) -> None:
    """Note for the log what the active player could have bought, before the card at that place leaves the Street."""
    turn = game.turn
    coin = min(game.most_coin, NOT_FOR_SALE - 1)
    for at in range(game.street_n):
        place = game.street[at]
        place.coin = max(coin, place.coin) if place.turn == turn else coin
        place.turn = turn
    game.most_coin = -1
    place = game.street[leaves]
    if game.gone_n < MARKET:
        gone = game.gone[game.gone_n]
        game.gone_n += 1
        gone.kind = place.kind
        gone.affordable = (place.cost <= place.coin) & (place.denied >> game.active & 1 == 0)


@rule
def lay_out(game: GameRecord, box: BoxRecord, at: int) -> None:
    """B2: put the top card of the Market on that place of the Street; without one the Street closes up."""
    if game.turn > 0:  # not while the first ones are laid out
        note_offers(game, at)
    if game.market.n > 0:
        game.market.n -= 1
        card = game.market.card[game.market.n]
        place = game.street[at]
        place.card = card
        place.kind = box.kind_of[card]
        cost = box.card[place.kind].cost
        place.cost = cost if cost >= 0 else NOT_FOR_SALE
        place.denied = denied_to(game, box, place.kind)
        place.turn = 0
    else:
        game.street_n -= 1
        for i in range(at, game.street_n):
            game.street[i] = game.street[i + 1]
    look_over(game, box)


@rule(inline=True)
def note_deal(game: GameRecord, kind: int, paid: int, source: int, to: int) -> None:
    """Note for the log that the active player has got a card."""
    deal = game.deal[game.deals_n]
    game.deals_n += 1
    deal.kind = kind
    deal.paid = paid
    deal.source = source
    deal.to = to


@rule
def acquire(game: GameRecord, box: BoxRecord, at: int, to_deck: int, paid: int, source: int) -> None:
    """B2, B3, B5: give a Street card to the active player, and refill the Street."""
    p = game.player[game.active]
    card = game.street[at].card
    kind = game.street[at].kind
    to = To.DISCARD
    p.owned += 1
    if box.card[kind].type == CardType.RELIC:
        to = To.RELICS
        game.news |= Look.PLAY
        enter_play(game, box, game.active, card)
    elif to_deck:
        to = To.DECK
        put(p.deck, card)
        p.known += 1
    else:
        put(p.discard, card)
    note_deal(game, kind, paid, source, to)
    lay_out(game, box, at)


@rule
def bought(game: GameRecord, box: BoxRecord, card_type: int) -> None:
    """P4: let the events of a purchase happen."""
    game.tally.bought += 1
    group = new_group(game)
    happen(game, box, Event.CARD_BOUGHT, group, -1)
    if card_type == CardType.MONSTER:
        happen(game, box, Event.MONSTER_BOUGHT, group, -1)
    elif card_type == CardType.RELIC:
        happen(game, box, Event.RELIC_BOUGHT, group, -1)


@rule
def purchase(game: GameRecord, box: BoxRecord, at: int, to_deck: int, paid: int) -> None:
    """B1 to B5: carry out a purchase that the active player has paid for, so much of it in Coin."""
    p = game.player[game.active]
    card_type = box.card[game.street[at].kind].type
    if card_type == CardType.MONSTER and p.claims > 0:
        p.claims -= 1
    acquire(game, box, at, to_deck, paid, BoughtFrom.STREET)
    bought(game, box, card_type)
