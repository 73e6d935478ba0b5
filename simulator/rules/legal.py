"""T2: what may be done now in the Action Phase. The engine offers legal actions only.

This is the hottest file: it runs before every decision. Each list takes the number of options so far and returns the new one.
"""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, OptionsRecord, PlayerRecord, rule
from terrors.simulator.kernel.layout import OPTIONS, OWNED
from terrors.simulator.kernel.piles import first_of_kind
from terrors.simulator.rules.options import add, write
from terrors.simulator.rules.play_area import may_pair
from terrors.simulator.rules.resources import pool
from terrors.simulator.terms.enums import Action, CardType, Mark, Place, Resource

OTHERS = 256  # places on the list of options that hordes leave to relics, haunted monsters, purchases, pass …


@rule(inline=True)
def list_plays(game: GameRecord, box: BoxRecord, options: OptionsRecord, who: int, n: int) -> int:
    """P1: list each kind of card in hand."""
    hand = game.player[who].hand
    if box.kinds > 128:
        for i in range(hand.n):
            if first_of_kind(box, hand, i, 0):
                n = add(options, n, Action.PLAY, box.kind_of[hand.card[i]], i, 0, 0, Place.HAND)
        return n
    # The usual case, without a branch that the processor could guess wrong: each card is written, and counted if its kind's bit is new.
    low = high = 0
    for i in range(hand.n):
        kind = int(box.kind_of[hand.card[i]])
        in_high = kind >> 6
        bit = 1 << (kind & 63)
        write(options, n, Action.PLAY, kind, i, 0, 0, Place.HAND)
        n += ((high if in_high else low) & bit) == 0
        low |= 0 if in_high else bit
        high |= bit if in_high else 0
    return n


@rule(inline=True)
def may_claim(box: BoxRecord, p: PlayerRecord, kind: int) -> bool:
    """B3, K9: whether a bought card may go on top of the deck."""
    c = box.card[kind]
    return (c.type == CardType.MONSTER) & ((c.claim > 0) | (p.claims > 0))


@rule(inline=True)
def may_buy_acolyte(game: GameRecord, box: BoxRecord, who: int) -> bool:
    """B1: whether an Acolyte can be bought."""
    p = game.player[who]
    return (game.acolytes.n > 0) & (p.coin >= box.rules.acolyte_cost) & (p.owned < OWNED)


@rule(inline=True)
def list_buys(game: GameRecord, box: BoxRecord, options: OptionsRecord, who: int, n: int) -> int:
    """B1, B3: list what the Coin in the pool pays for."""
    p = game.player[who]
    coin = p.coin
    if coin < game.cheapest or p.owned >= OWNED:
        return n
    for at in range(game.street_n):
        # Written whether affordable or not, and then counted: a branch here is guessed wrong too often (measured: 5 % of a game's time).
        place = game.street[at]
        affordable = (place.cost <= coin) & (place.again == 0) & (place.denied >> who & 1 == 0)
        write(options, n, Action.BUY, place.kind, at, 0, place.cost, Place.STREET)
        n += affordable
        write(options, n, Action.BUY, place.kind, at, 1, place.cost, Place.STREET)
        n += affordable & may_claim(box, p, place.kind)
    if may_buy_acolyte(game, box, who):
        write(options, n, Action.BUY_ACOLYTE, -1, 0, 0, box.rules.acolyte_cost, 0)
        n += 1
    return n


@rule(rare=True)
def may_horde(p: PlayerRecord, action: int, a: int, b: int) -> bool:
    """H2, H5: whether a Horde Action is legal: that of the card in slot a with the one in slot b."""
    if not 0 <= b < p.slots or a == b or p.play[b].card < 0 or p.play[a].marks & Mark.IN_HORDE:
        return False
    one, slot = p.play[a], p.play[b]
    left_of = one.link_right > 0 and one.link_right == slot.link_left
    if action == Action.HORDE:
        return left_of and not slot.marks & Mark.IN_HORDE and may_pair(p, a, b)
    was = p.play[a].marks & Mark.HORDE
    if not slot.marks & Mark.IN_HORDE or (was and was != slot.marks & Mark.HORDE):
        return False
    if action == Action.HORDE_LEFT:
        return left_of and slot.left < 0
    return slot.right < 0 and one.link_left > 0 and one.link_left == slot.link_right


@rule
def list_hordes(game: GameRecord, box: BoxRecord, options: OptionsRecord, who: int, n: int) -> int:
    """H2, H5: list pairs that can form a horde, and monsters that can join one at either end."""
    p = game.player[who]
    lefts = p.free_left | p.end_left
    rights = p.end_right
    for a in range(p.slots):
        one = p.play[a]
        left, right = one.link_left, one.link_right
        if one.card < 0 or one.marks & Mark.IN_HORDE or not (lefts >> right | rights >> left) & 1:  # code 0, no indicator, is not among them
            continue
        kind = box.kind_of[one.card]
        was = one.marks & Mark.HORDE
        for b in range(p.slots):
            slot = p.play[b]
            left_of = right > 0 and right == slot.link_left
            right_of = left > 0 and left == slot.link_right
            if not (left_of or right_of) or a == b or slot.card < 0:
                continue
            if n >= OPTIONS - OTHERS:
                return n
            if slot.marks & Mark.IN_HORDE:
                if was and was != slot.marks & Mark.HORDE:
                    continue  # H5: it was in another
                if left_of and slot.left < 0:
                    n = add(options, n, Action.HORDE_LEFT, kind, a, b, 0, Place.PLAY)
                if right_of and slot.right < 0:
                    n = add(options, n, Action.HORDE_RIGHT, kind, a, b, 0, Place.PLAY)
            elif left_of and may_pair(p, a, b):
                n = add(options, n, Action.HORDE, kind, a, b, 0, Place.PLAY)
    return n


@rule(inline=True)
def ready_action(box: BoxRecord, p: PlayerRecord, s: int) -> int:
    """R1, N1: return the action that the card in a slot is ready for, to use a relic or to activate a haunted monster; -1 if it is for none."""
    marks = p.play[s].marks
    c = box.card[box.kind_of[p.play[s].card]]
    if c.type == CardType.RELIC:
        return Action.RELIC if c.active and not marks & Mark.RELIC_USED else -1
    return Action.HAUNT if marks & Mark.BEGAN and marks & Mark.DISMISS_SIDE and not marks & Mark.HAUNTED else -1


@rule(rare=True)
def list_ready(game: GameRecord, box: BoxRecord, options: OptionsRecord, who: int, n: int) -> int:
    """R1, N1: list relics to use and haunted monsters to activate."""
    p = game.player[who]
    for s in range(p.slots):
        if p.play[s].card >= 0:
            action = ready_action(box, p, s)
            if action >= 0:
                n = add(options, n, action, box.kind_of[p.play[s].card], s, 0, 0, Place.PLAY)
    return n


@rule
def list_converts(game: GameRecord, options: OptionsRecord, who: int, n: int) -> int:
    """G1: list exchanges that an ability has allowed."""
    p = game.player[who]
    for a in range(3):
        for b in range(3):
            if p.converts >> (3 * a + b) & 1 and pool(p, a) > 0:
                n = add(options, n, Action.CONVERT, -1, a, b, pool(p, a), 0)
    return n


@rule
def list_actions(game: GameRecord, box: BoxRecord, options: OptionsRecord) -> None:
    """T2: list everything that the active player may do."""
    who = game.active
    p = game.player[who]
    n = list_plays(game, box, options, who, 0)
    options.hordes_from = n
    if p.free_right & (p.free_left | p.end_left) or p.free_left & p.end_right:
        n = list_hordes(game, box, options, who, n)
    options.ready_from = n
    if p.relics_ready + p.haunts_ready > 0:
        n = list_ready(game, box, options, who, n)
    options.overlord_from = n
    if p.overlord_ready:
        n = add(options, n, Action.OVERLORD, p.overlord, -1, 0, 0, Place.PLAY)
    options.buys_from = n
    n = list_buys(game, box, options, who, n)
    options.others_from = n
    if p.converts:
        n = list_converts(game, options, who, n)
    if p.power > 0:
        n = add(options, n, Action.ATTACK, -1, Resource.POWER, 0, p.power, 0)
    if p.regeneration > 0 and p.health < p.start_health:
        n = add(options, n, Action.HEAL, -1, Resource.REGENERATION, 0, min(p.regeneration, p.start_health - p.health), 0)
    if p.hand.n <= 1:
        n = add(options, n, Action.PASS, -1, -1, 0, 0, 0)
    options.n = n
