"""Purchases by the value of the position that they lead to (prospects.py): the rival to move, and the card in the deck."""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, OptionsRecord, WorkRecord, rule
from terrors.simulator.kernel.vectors import add_row, take_row
from terrors.simulator.kernel.work_layout import PLACES, POSITIONS, WIDTH
from terrors.simulator.rules.resources import damage_of
from terrors.simulator.terms.enums import Action, CardType, Event
from terrors.strategies.kit.prospects import (
    BEGUN,
    COMMON,
    CYCLE,
    HAND,
    RELIC,
    STREET,
    add_side,
    add_street,
    begin_common,
    look,
    look_at_side,
    look_at_street,
    weigh,
)

BY_POSITION, BY_PRICES = 1, 2  # each purchase by the position that it leads to, or by prices that were worked out before: a tenth of the time
HEARD = 0.04  # for a purchase that something in play hears of
ON_TOP = 0.03  # for a card that comes at once, on top of the deck
NEVER = -1e9
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


@rule(inline=True)
def bought_kind(options: OptionsRecord, i: int) -> int:
    """Return the kind of card that an option buys; -1 for an Acolyte."""
    return -1 if options.at[i].action == Action.BUY_ACOLYTE else int(options.at[i].card)


@rule(inline=True)
def street_place(game: GameRecord, options: OptionsRecord, i: int) -> int:
    """Return the Street place of a purchase; the one behind the last for an Acolyte."""
    return int(game.street_n) if options.at[i].action == Action.BUY_ACOLYTE else int(options.at[i].slot)


@rule
def price_denial(game: GameRecord, options: OptionsRecord, work: WorkRecord) -> None:
    """Write down for each Street card on offer what it is worth that another one, which nobody knows, lies in its place when the rival plays.

    After all but the Street has been put together in COMMON.
    """
    value = work.value
    offered = 0  # a bit for each place
    for i in range(options.buys_from, options.others_from):
        offered |= 1 << street_place(game, options, i)
    value.denied[game.street_n] = 0.0
    add_street(work, 0, COMMON)
    n = 1
    for at in range(game.street_n):
        if offered >> at & 1:
            row = PLACES * int(game.street[at].kind) + STREET
            add_row(value.street, 0, value.fresh, 0)
            take_row(value.street, 0, value.card, row)
            add_street(work, n, COMMON)
            add_row(value.street, 0, value.card, row)
            take_row(value.street, 0, value.fresh, 0)
            n += 1
    weigh(work, n)
    n = 1
    for at in range(game.street_n):
        if offered >> at & 1:
            value.denied[at] = value.log_odds[0] - value.log_odds[n]
            n += 1


@rule
def put_relic(work: WorkRecord, me: int, kind: int, sign: float) -> None:
    """Add a relic to a side, or take it back (sign -1)."""
    value = work.value
    row = PLACES * kind + RELIC
    for j in range(WIDTH):
        value.rest[me, j] += sign * (value.card[row, j] + value.side_fact[10, j])


@rule
def take(box: BoxRecord, work: WorkRecord, me: int, kind: int) -> None:
    """Add a purchase to a side; kind -1 is an Acolyte."""
    value = work.value
    if kind >= 0 and box.card[kind].type == CardType.RELIC:
        put_relic(work, me, kind, 1.0)
        return
    value.n[me] += 1
    if kind < 0:
        add_row(value.going, me, value.acolyte, 0)
    else:
        add_row(value.going, me, value.card, PLACES * kind + CYCLE)


@rule
def give_back(box: BoxRecord, work: WorkRecord, me: int, kind: int) -> None:
    """Take a purchase from a side again, as `take` has added it."""
    value = work.value
    if kind >= 0 and box.card[kind].type == CardType.RELIC:
        put_relic(work, me, kind, -1.0)
        return
    value.n[me] -= 1
    if kind < 0:
        take_row(value.going, me, value.acolyte, 0)
    else:
        take_row(value.going, me, value.card, PLACES * kind + CYCLE)


@rule
def choose_way(work: WorkRecord) -> None:
    """Keep the best of the ways to buy that are noted, if it is better than the one that was kept."""
    value = work.value
    weigh(work, value.ways)
    for k in range(value.ways):
        worth = value.way[k].bonus - value.log_odds[k]
        if worth > value.most:
            value.most = worth
            value.best = value.way[k].option
    value.ways = 0


@rule
def try_way(work: WorkRecord, me: int, option: int, bonus: float) -> None:
    """Note a way to buy, with the side that it leads to: the option that it begins with, and what speaks for it besides."""
    value = work.value
    if value.ways == POSITIONS:
        choose_way(work)
    value.way[value.ways].option = option
    value.way[value.ways].bonus = bonus
    add_side(work, value.ways, COMMON, 1 - me, me)
    value.ways += 1


@rule
def try_pairs(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int, i: int, bonus: float) -> None:
    """Note the ways to buy that an option makes with each that stands behind it on the list. After `take`."""
    one = options.at[i]
    for j in range(i + 1, options.others_from):
        two = options.at[j]
        kind = bought_kind(options, j)
        if one.amount + two.amount > game.player[me].coin or (two.slot == one.slot and two.card == one.card):
            continue
        if kind >= 0 and box.card[kind].type == CardType.RELIC:
            continue
        take(box, work, me, kind)
        try_way(work, me, i if one.amount >= two.amount else j, bonus + work.value.denied[street_place(game, options, j)])
        give_back(box, work, me, kind)


@rule
def best_purchase(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return the purchase that leads to the best position, alone or with a second one; -1 if none is better than none."""
    if options.others_from == options.buys_from:
        return -1
    p = game.player[me]
    value = work.value
    look_past_turn(game, box, work, me)
    begin_common(work, 1 - me, int(game.turn) + 1)
    add_side(work, COMMON, BEGUN, 1 - me, me)
    price_denial(game, options, work)
    add_street(work, COMMON, BEGUN)
    heard = HEARD if p.ears >> Event.CARD_BOUGHT & 1 else 0.0
    value.ways = 0
    value.best, value.most = -1, NEVER
    try_way(work, me, -1, MARGIN)
    for i in range(options.buys_from, options.others_from):
        kind = bought_kind(options, i)
        if kind >= 0 and box.card[kind].type == CardType.RELIC and p.relics >= box.rules.relic_limit:
            continue
        bonus = heard + value.denied[street_place(game, options, i)] + (ON_TOP if options.at[i].other and kind >= 0 else 0.0)
        take(box, work, me, kind)
        try_way(work, me, i, bonus)
        try_pairs(game, box, options, work, me, i, bonus + heard)
        give_back(box, work, me, kind)
    choose_way(work)
    return value.best


@rule
def price_cards(game: GameRecord, box: BoxRecord, work: WorkRecord) -> None:
    """Write down what each card that may be for sale would add to each side as it is now: good enough for the next turns, whatever comes into the Street."""
    value = work.value
    look(game, box, work)
    for me in range(2):
        begin_common(work, 1 - me, int(game.turn) + 1)
        add_street(work, COMMON, BEGUN)
        add_side(work, 0, COMMON, 1 - me, me)
        weigh(work, 1)
        usual = value.log_odds[0]
        n = 0
        for kind in range(-1, box.kinds):
            if kind < 0 or box.card[kind].cost >= 0:
                take(box, work, me, kind)
                add_side(work, n, COMMON, 1 - me, me)
                give_back(box, work, me, kind)
                value.way[n].option = kind
                n += 1
            if n == POSITIONS or kind == box.kinds - 1:
                weigh(work, n)
                for k in range(n):
                    value.price[me, value.way[k].option + 1] = usual - value.log_odds[k]
                n = 0


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
