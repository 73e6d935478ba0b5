"""Effects that ask: each lists what may be chosen. Without anything to choose from an effect does nothing (K11)."""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, FrameRecord, GameRecord, OptionsRecord, rule
from terrors.simulator.kernel.piles import first_of_kind
from terrors.simulator.rules.effects import amount_of, do_at_once, look_up, still_there
from terrors.simulator.rules.legal import may_claim
from terrors.simulator.rules.market import may_own
from terrors.simulator.rules.options import ask, offer, offer_abilities, offer_in_play, offer_pile
from terrors.simulator.rules.resources import TOKEN, pool
from terrors.simulator.rules.triggers import happen_now
from terrors.simulator.terms.enums import Action, CardType, Cost, Effect, Event, Place, Question

LOOKED, SHUFFLED = 1, 1 << 16  # parts of a frame's count during `look`: begun; the discard pile was shuffled for it


@rule
def may_decline(box: BoxRecord, options: OptionsRecord) -> None:
    """K11: offer to decline, if `optional_keywords` allows that."""
    if options.n > 0 and box.rules.optional_keywords:
        offer(options, Action.DECLINE, -1, 0, 0, 0, 0)


@rule(rare=True)
def can_pay(game: GameRecord, frame: FrameRecord, cost: int, amount: int) -> bool:
    """G3, G6: whether a cost can be paid."""
    p = game.player[game.active]
    if cost == Cost.HEALTH:
        return p.health > amount
    if cost == Cost.DISCARD:
        return p.hand.n >= amount
    if cost == Cost.SACRIFICE_THIS:
        return still_there(game, frame)
    return pool(p, cost) >= amount


@rule(rare=True)
def ask_curse(game: GameRecord, box: BoxRecord, options: OptionsRecord, frame: FrameRecord) -> None:
    """K1: ask the opponent to lose Health or discard."""
    rival = 1 - game.active
    hand = game.player[rival].hand
    if frame.count == 0:
        offer(options, Action.HEALTH, -1, 0, 0, box.rules.curse_health, 0)
        if hand.n >= box.rules.curse_discard and box.rules.curse_discard > 0:
            offer_pile(box, options, hand, Place.HAND)
        ask(game, options, Question.CURSE, rival)
    else:
        offer_pile(box, options, hand, Place.HAND)
        ask(game, options, Question.DISCARD, rival)


@rule(rare=True)
def ask_destroy(game: GameRecord, box: BoxRecord, options: OptionsRecord) -> None:
    """K2: ask for a card in play, or one of the Street."""
    me = game.active
    offer_in_play(game, box, options, me, Place.PLAY)
    offer_in_play(game, box, options, 1 - me, Place.RIVAL_PLAY)
    for at in range(game.street_n):
        if not game.street[at].again:
            offer(options, Action.CARD, game.street[at].kind, at, 0, 0, Place.STREET)
    may_decline(box, options)
    ask(game, options, Question.DESTROY, me)


@rule(rare=True)
def ask_sacrifice(game: GameRecord, box: BoxRecord, options: OptionsRecord, places: int) -> None:
    """K3: ask for a card in one of the places."""
    me = game.active
    p = game.player[me]
    if places & Place.PLAY:
        offer_in_play(game, box, options, me, Place.PLAY)
    if places & Place.HAND:
        offer_pile(box, options, p.hand, Place.HAND)
    if places & Place.DISCARD:
        offer_pile(box, options, p.discard, Place.DISCARD)
    may_decline(box, options)
    ask(game, options, Question.SACRIFICE, me)


@rule(rare=True)
def ask_command(game: GameRecord, box: BoxRecord, options: OptionsRecord) -> None:
    """K4: ask for a cheap monster in the discard pile."""
    discard = game.player[game.active].discard
    for i in range(discard.n):
        kind = box.kind_of[discard.card[i]]
        c = box.card[kind]
        if c.type != CardType.MONSTER or c.cost > box.rules.command_max_cost:
            continue
        if first_of_kind(box, discard, i, 0):
            offer(options, Action.CARD, kind, i, 0, 0, Place.DISCARD)
    may_decline(box, options)
    ask(game, options, Question.COMMAND, game.active)


@rule(rare=True)
def ask_haunt_another(game: GameRecord, box: BoxRecord, options: OptionsRecord, frame: FrameRecord) -> None:
    """K8: ask for another monster without a token."""
    p = game.player[game.active]
    if game.haunt_tokens > 0:
        for s in range(p.slots):
            slot = p.play[s]
            if slot.card >= 0 and slot.card != frame.card and not slot.marks & TOKEN:
                kind = box.kind_of[slot.card]
                if box.card[kind].type == CardType.MONSTER:
                    offer(options, Action.CARD, kind, s, 0, 0, Place.PLAY)
    ask(game, options, Question.HAUNT_ANOTHER, game.active)


@rule(rare=True)
def ask_look(game: GameRecord, box: BoxRecord, options: OptionsRecord, frame: FrameRecord) -> None:
    """G2: ask which of the looked-at cards go to the discard pile. The frame counts how many are still looked at."""
    p = game.player[game.active]
    if frame.count == 0:
        n = amount_of(game, box, frame, frame.pc)
        shuffled = look_up(game, box, options, n)
        frame.count = int(min(n, p.deck.n)) + LOOKED + (SHUFFLED if shuffled else 0)
        p.known = max(p.known, min(n, p.deck.n))
    n = (frame.count & (SHUFFLED - 1)) - LOOKED
    for i in range(p.deck.n - 1, p.deck.n - 1 - n, -1):  # from the top
        kind = box.kind_of[p.deck.card[i]]
        copy = False
        for j in range(i + 1, p.deck.n):
            copy = copy or box.kind_of[p.deck.card[j]] == kind
        if not copy:
            offer(options, Action.CARD, kind, i, 0, 0, Place.DECK)
    if n > 0:
        offer(options, Action.DECLINE, -1, 0, 0, 0, 0)
    ask(game, options, Question.LOOK, game.active)


@rule(rare=True)
def end_look(game: GameRecord, box: BoxRecord, frame: FrameRecord) -> None:
    """G2: end the looking; if the discard pile was shuffled for it, that event happens now (P4)."""
    shuffled = frame.count >= SHUFFLED
    frame.count = 0
    frame.pc += 1
    if shuffled:
        happen_now(game, box, Event.RESHUFFLE)


@rule(rare=True)
def ask_activate(game: GameRecord, box: BoxRecord, options: OptionsRecord) -> None:
    """Ask for an unused Horde ability of any monster in play (`activate a Horde ability`)."""
    me = game.active
    p = game.player[me]
    for s in range(p.slots):
        if p.play[s].card >= 0:
            offer_abilities(game, box, options, me, s)
    ask(game, options, Question.ACTIVATE, me)


@rule(rare=True)
def ask_cost(game: GameRecord, box: BoxRecord, options: OptionsRecord, frame: FrameRecord) -> None:
    """Ask whether to pay a cost that can be paid; one that cannot is not asked."""
    row = box.effect[frame.pc]
    me = game.active
    if row.a == Cost.DISCARD and frame.count > 0:
        offer_pile(box, options, game.player[me].hand, Place.HAND)
        ask(game, options, Question.DISCARD_COST, me)
        if options.n == 0:  # a trigger has emptied the hand meanwhile: not paid in full
            frame.count = 0
            frame.pc += 1 + row.skip
    elif not can_pay(game, frame, row.a, row.amount):
        frame.pc += 1 + row.skip
    elif row.a == Cost.DISCARD:
        offer_pile(box, options, game.player[me].hand, Place.HAND)
        offer(options, Action.DECLINE, -1, 0, 0, 0, 0)
        ask(game, options, Question.DISCARD_COST, me)
    else:
        offer(options, Action.YES, -1, 0, 0, row.amount, 0)
        offer(options, Action.DECLINE, -1, 0, 0, 0, 0)
        ask(game, options, Question.COST, me)


@rule(rare=True)
def ask_street(game: GameRecord, box: BoxRecord, options: OptionsRecord, most: int, resources: int) -> None:
    """Ask for a Street monster that costs no more than `most`, and if it is bought (`buy … with`) no more than there is of the resources; `take` names none."""
    me = game.active
    p = game.player[me]
    bought = resources != 0
    if bought:
        has = 0
        for r in range(3):
            if resources >> r & 1:
                has += pool(p, r)
        most = min(most, has)
    for at in range(game.street_n):
        kind = game.street[at].kind
        c = box.card[kind]
        if c.type != CardType.MONSTER or c.cost > most or not may_own(game, me, at) or (bought and c.cost < 0):
            continue
        if not game.street[at].again:
            offer(options, Action.CARD, kind, at, 0, c.cost, Place.STREET)
            if bought and may_claim(box, p, kind):
                offer(options, Action.CARD, kind, at, 1, c.cost, Place.STREET)
    if bought:
        if options.n > 0:
            offer(options, Action.DECLINE, -1, 0, 0, 0, 0)
        ask(game, options, Question.BUY_WITH, me)
    else:
        ask(game, options, Question.TAKE, me)


@rule(rare=True)
def ask_payment(game: GameRecord, box: BoxRecord, options: OptionsRecord, resources: int) -> None:
    """Ask for a mix of the named resources that makes the cost (`buy … with`)."""
    p = game.player[game.active]
    cost = game.street[game.buying].cost
    most_coin = p.coin if resources & 1 else 0
    most_power = p.power if resources & 2 else 0
    most_regeneration = p.regeneration if resources & 4 else 0
    for coin in range(min(cost, most_coin), -1, -1):
        for power in range(min(cost - coin, most_power), -1, -1):
            rest = cost - coin - power
            if rest <= most_regeneration:
                offer(options, Action.MIX, -1, coin, power, rest, 0)
    ask(game, options, Question.PAYMENT, game.active)


@rule
def do_or_ask(game: GameRecord, box: BoxRecord, options: OptionsRecord, frame: FrameRecord) -> None:
    """Carry out the next row of a program, or ask what it needs to know. Without anything to choose from it does nothing (K11)."""
    row = box.effect[frame.pc]
    effect = row.effect
    me = game.active
    if effect == Effect.CURSE:
        ask_curse(game, box, options, frame)
    elif effect == Effect.DESTROY:
        ask_destroy(game, box, options)
    elif effect == Effect.COMMAND:
        ask_command(game, box, options)
    elif effect == Effect.SACRIFICE:
        ask_sacrifice(game, box, options, row.a)
    elif effect == Effect.HAUNT_ANOTHER:
        ask_haunt_another(game, box, options, frame)
    elif effect == Effect.DISCARD or effect == Effect.OPPONENT_DISCARDS:
        who = me if effect == Effect.DISCARD else 1 - me
        if frame.count < row.amount:
            offer_pile(box, options, game.player[who].hand, Place.HAND)
            ask(game, options, Question.DISCARD, who)
    elif effect == Effect.LOOK:
        ask_look(game, box, options, frame)
    elif effect == Effect.ACTIVATE:
        ask_activate(game, box, options)
    elif effect == Effect.BUY_WITH:
        if frame.count:
            ask_payment(game, box, options, row.a)
        else:
            ask_street(game, box, options, row.amount, row.a)
    elif effect == Effect.TAKE:
        ask_street(game, box, options, row.amount, 0)
    elif effect == Effect.CHOOSE:
        pc = frame.pc + 1
        for i in range(row.a):
            offer(options, Action.ALTERNATIVE, -1, pc, 0, i, 0)
            pc += 1 + box.effect[pc].skip
        ask(game, options, Question.CHOOSE, me)
    elif effect == Effect.COST:
        ask_cost(game, box, options, frame)
        return
    else:
        do_at_once(game, box, options, frame)
        return
    if options.n == 0:
        frame.count = 0
        frame.pc += 1
