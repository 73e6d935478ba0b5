"""Purchases by the value of the position that they lead to (prospects.py): the rival to move, and the card in the deck."""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, OptionsRecord, WorkRecord, rule
from terrors.simulator.kernel.vectors import add_scaled
from terrors.simulator.kernel.work_layout import PLACES, WIDTH
from terrors.simulator.rules.resources import damage_of
from terrors.simulator.terms.enums import Action, CardType, Event
from terrors.strategies.kit.prospects import (
    CYCLE,
    HAND,
    RELIC,
    STREET,
    add_side,
    add_street,
    add_time,
    back_to_base,
    keep_base,
    look,
    look_at_side,
    look_at_street,
    outcome,
)

BY_POSITION, BY_PRICES = 1, 2  # each purchase by the position that it leads to, or by prices that were worked out before: a tenth of the time
HEARD = 0.04  # for a purchase that something in play hears of
ON_TOP = 0.03  # for a card that comes at once, on top of the deck
MARGIN = 0.004  # a purchase must be better than none by this


@rule
def look_past_turn(game: GameRecord, box: BoxRecord, work: WorkRecord, me: int) -> None:
    """Add up the table as it will be after this turn, without purchases: the Power in the pool has struck, and a new hand is drawn."""
    p = game.player[me]
    rival = game.player[1 - me]
    hand = int(HAND)
    deck = int(p.deck.n) - hand
    if deck < 0:
        deck = max(0, deck + int(p.discard.n + p.hand.n + p.slots - p.relics))
    health = min(int(p.start_health), int(p.health + p.regeneration)) if p.health < p.start_health else int(p.health)
    look_at_side(game, box, work, me, health, hand, deck)
    struck = damage_of(game, me, p.power) if p.power > 0 else 0
    look_at_side(game, box, work, 1 - me, max(1, int(rival.health) - struck), int(rival.hand.n), int(rival.deck.n))
    look_at_street(game, work)


@rule
def price_denial(game: GameRecord, work: WorkRecord, me: int, turn: int) -> None:
    """Write down for each Street card what it is worth that another one, which nobody knows, lies in its place when the rival plays; keep the rest as base."""
    value = work.value
    rival = 1 - me
    add_time(work, turn)
    add_side(work, rival, rival)
    add_side(work, rival, me)
    keep_base(work)
    add_street(work)
    usual = outcome(work)
    value.denied[game.street_n] = 0.0
    for at in range(game.street_n):
        row = PLACES * int(game.street[at].kind) + STREET
        add_scaled(value.street, 0, 1.0, value.fresh, 0)
        add_scaled(value.street, 0, -1.0, value.card, row)
        back_to_base(work)
        add_street(work)
        value.denied[at] = usual - outcome(work)
        add_scaled(value.street, 0, 1.0, value.card, row)
        add_scaled(value.street, 0, -1.0, value.fresh, 0)
    add_time(work, turn)
    add_side(work, rival, rival)
    add_street(work)
    keep_base(work)


@rule
def odds_with_side(work: WorkRecord, mover: int, who: int) -> float:
    """Return the logarithm of the mover's odds when only the side of `who` has changed. After `price_denial`."""
    back_to_base(work)
    add_side(work, mover, who)
    return outcome(work)


@rule
def take(box: BoxRecord, work: WorkRecord, me: int, kind: int, sign: float) -> None:
    """Add a purchase to a side, or take it back (sign -1); kind -1 is an Acolyte."""
    value = work.value
    if kind < 0:
        add_scaled(value.going, me, sign, value.acolyte, 0)
        value.n[me] += int(sign)
    elif box.card[kind].type == CardType.RELIC:
        row = PLACES * kind + RELIC
        for j in range(WIDTH):
            value.rest[me, j] += sign * (value.card[row, j] + value.side_fact[10, j])
    else:
        add_scaled(value.going, me, sign, value.card, PLACES * kind + CYCLE)
        value.n[me] += int(sign)


@rule(inline=True)
def bought_kind(options: OptionsRecord, i: int) -> int:
    """Return the kind of card that an option buys; -1 for an Acolyte."""
    return -1 if options.at[i].action == Action.BUY_ACOLYTE else int(options.at[i].card)


@rule(inline=True)
def street_place(game: GameRecord, options: OptionsRecord, i: int) -> int:
    """Return the Street place of a purchase; the one behind the last for an Acolyte."""
    return int(game.street_n) if options.at[i].action == Action.BUY_ACOLYTE else int(options.at[i].slot)


@rule
def best_purchase(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return the purchase that leads to the best position, alone or with a second one; -1 if none is better than none."""
    if options.others_from == options.buys_from:
        return -1
    p = game.player[me]
    rival = 1 - me
    look_past_turn(game, box, work, me)
    price_denial(game, work, me, int(game.turn) + 1)
    heard = HEARD if p.ears >> Event.CARD_BOUGHT & 1 else 0.0
    best, most = -1, -odds_with_side(work, rival, me) + MARGIN
    for i in range(options.buys_from, options.others_from):
        kind = bought_kind(options, i)
        if kind >= 0 and box.card[kind].type == CardType.RELIC and p.relics >= box.rules.relic_limit:
            continue
        one = options.at[i]
        bonus = heard + work.value.denied[street_place(game, options, i)] + (ON_TOP if one.other and kind >= 0 else 0.0)
        take(box, work, me, kind, 1.0)
        worth = bonus - odds_with_side(work, rival, me)
        if worth > most:
            best, most = i, worth
        for j in range(i + 1, options.others_from):
            two = options.at[j]
            other = bought_kind(options, j)
            if one.amount + two.amount > p.coin or (two.slot == one.slot and two.card == one.card):
                continue
            if other >= 0 and box.card[other].type == CardType.RELIC:
                continue
            take(box, work, me, other, 1.0)
            worth = bonus + heard + work.value.denied[street_place(game, options, j)] - odds_with_side(work, rival, me)
            take(box, work, me, other, -1.0)
            if worth > most:
                best, most = (i if one.amount >= two.amount else j), worth
        take(box, work, me, kind, -1.0)
    return best


@rule
def price_cards(game: GameRecord, box: BoxRecord, work: WorkRecord) -> None:
    """Write down what each card that may be for sale would add to each side as it is now: good enough for the next turns, whatever comes into the Street."""
    look(game, box, work)
    for me in range(2):
        rival = 1 - me
        add_time(work, int(game.turn) + 1)
        add_side(work, rival, rival)
        add_street(work)
        keep_base(work)
        usual = odds_with_side(work, rival, me)
        for kind in range(-1, box.kinds):
            if kind >= 0 and box.card[kind].cost < 0:
                continue
            take(box, work, me, kind, 1.0)
            work.value.price[me, kind + 1] = usual - odds_with_side(work, rival, me)
            take(box, work, me, kind, -1.0)


@rule
def best_by_price(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return the purchase that adds most by these prices, together with a second one; -1 if none adds anything. After `price_cards`."""
    p = game.player[me]
    heard = HEARD if p.ears >> Event.CARD_BOUGHT & 1 else 0.0
    full = p.relics >= box.rules.relic_limit
    best, most = -1, MARGIN
    for i in range(options.buys_from, options.others_from):
        kind = bought_kind(options, i)
        if kind >= 0 and full and box.card[kind].type == CardType.RELIC:
            continue
        one = options.at[i]
        worth = heard + work.value.price[me, kind + 1] + (ON_TOP if one.other and kind >= 0 else 0.0)
        left = p.coin - one.amount
        if worth > 0.0 and left >= game.cheapest:
            second = 0.0
            for j in range(options.buys_from, options.others_from):
                two = options.at[j]
                if two.amount <= left and not (two.slot == one.slot and two.card == one.card):
                    second = max(second, heard + work.value.price[me, bought_kind(options, j) + 1])
            worth += second
        if worth > most:
            best, most = i, worth
    return best
