"""T2: what may be done now in the Action Phase. The engine offers legal actions only."""

from __future__ import annotations

from simulator.ask import first_in_street, offer
from simulator.enums import Action, Kind, Place, Resource, Slot
from simulator.jit import Box, Game, Options, Player, rule
from simulator.layout import OWNED
from simulator.piles import first_of_kind
from simulator.rules import may_own, pool


@rule(inline=True)
def list_plays(game: Game, box: Box, options: Options, who: int) -> None:
    """P1: each kind of card in hand."""
    hand = game.player[who].hand
    for i in range(hand.n):
        if first_of_kind(box, hand, i, 0):
            offer(options, Action.PLAY, box.kind_of[hand.card[i]], i, 0, 0, Place.HAND)


@rule
def may_claim(box: Box, p: Player, kind: int) -> bool:
    """B3, K9: whether a bought card may go on top of the deck."""
    c = box.card[kind]
    return c.kind == Kind.MONSTER and (c.claim > 0 or p.claims > 0)


@rule(inline=True)
def list_buys(game: Game, box: Box, options: Options, who: int) -> None:
    """B1, B3: what the Coin in the pool pays for."""
    p = game.player[who]
    coin = p.coin
    for at in range(game.street_n):
        kind = box.kind_of[game.street[at]]
        cost = box.card[kind].cost
        if cost < 0 or cost > coin or not may_own(game, who, at) or not first_in_street(game, box, at):
            continue
        offer(options, Action.BUY, kind, at, 0, cost, Place.STREET)
        if may_claim(box, p, kind):
            offer(options, Action.BUY, kind, at, 1, cost, Place.STREET)
    if game.acolytes.n > 0 and coin >= box.rules.acolyte_cost and p.owned < OWNED:
        offer(options, Action.BUY_ACOLYTE, -1, 0, 0, box.rules.acolyte_cost, 0)


@rule(inline=True)
def fits(box: Box, left: int, right: int) -> bool:
    """H1: whether a monster of kind `left` can stand to the left of one of kind `right`."""
    a = box.card[left]
    b = box.card[right]
    return a.right == b.faction and b.left == a.faction and a.right > 0 and b.left > 0


@rule(inline=True)
def is_free(box: Box, p: Player, s: int) -> bool:
    """H2, H5: whether the card in a slot is a monster with indicators that may still join a horde."""
    slot = p.play[s]
    if slot.card < 0 or slot.marks & (Slot.IN_HORDE | Slot.WAS_IN_HORDE):
        return False
    c = box.card[box.kind_of[slot.card]]
    return c.left > 0 or c.right > 0


@rule
def list_hordes(game: Game, box: Box, options: Options, who: int) -> None:
    """H2: pairs that can form a horde, and monsters that can join one at either end."""
    p = game.player[who]
    for a in range(p.slots):
        if not is_free(box, p, a):
            continue
        kind = box.kind_of[p.play[a].card]
        for b in range(p.slots):
            slot = p.play[b]
            if a == b or slot.card < 0:
                continue
            other = box.kind_of[slot.card]
            if slot.marks & Slot.IN_HORDE:
                if slot.left < 0 and fits(box, kind, other):
                    offer(options, Action.HORDE_LEFT, kind, a, b, 0, Place.PLAY)
                if slot.right < 0 and fits(box, other, kind):
                    offer(options, Action.HORDE_RIGHT, kind, a, b, 0, Place.PLAY)
            elif fits(box, kind, other) and is_free(box, p, b):
                offer(options, Action.HORDE, kind, a, b, 0, Place.PLAY)


@rule
def list_ready(game: Game, box: Box, options: Options, who: int) -> None:
    """R1, N1: relics to use, haunted monsters to activate."""
    p = game.player[who]
    for s in range(p.slots):
        slot = p.play[s]
        if slot.card < 0:
            continue
        kind = box.kind_of[slot.card]
        c = box.card[kind]
        if c.kind == Kind.RELIC:
            if c.active and not slot.marks & Slot.RELIC_USED:
                offer(options, Action.RELIC, kind, s, 0, 0, Place.PLAY)
        elif slot.marks & Slot.BEGAN and slot.marks & Slot.DISMISS_SIDE and not slot.marks & Slot.HAUNTED:
            offer(options, Action.HAUNT, kind, s, 0, 0, Place.PLAY)


@rule
def list_converts(game: Game, options: Options, who: int) -> None:
    """G1: exchanges that an ability has allowed."""
    p = game.player[who]
    for a in range(3):
        for b in range(3):
            if p.converts >> (3 * a + b) & 1 and pool(p, a) > 0:
                offer(options, Action.CONVERT, -1, a, b, pool(p, a), 0)


@rule
def list_actions(game: Game, box: Box, options: Options) -> None:
    """T2: everything that the active player may do."""
    who = game.active
    p = game.player[who]
    options.n = 0
    list_plays(game, box, options, who)
    if p.linkable > 0 and p.linkable + p.ends > 1:
        list_hordes(game, box, options, who)
    if p.relics_ready + p.haunts_ready > 0:
        list_ready(game, box, options, who)
    if not p.overlord_used and box.card[p.overlord].active:
        offer(options, Action.OVERLORD, p.overlord, -1, 0, 0, Place.PLAY)
    list_buys(game, box, options, who)
    if p.converts:
        list_converts(game, options, who)
    if p.power > 0:
        offer(options, Action.ATTACK, -1, Resource.POWER, 0, p.power, 0)
    if p.regeneration > 0 and p.health < p.start_health:
        offer(options, Action.HEAL, -1, Resource.REGENERATION, 0, min(p.regeneration, p.start_health - p.health), 0)
    if p.hand.n <= 1:
        offer(options, Action.PASS, -1, -1, 0, 0, 0)
