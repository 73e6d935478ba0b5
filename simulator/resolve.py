"""Carrying out what cards say: one function per effect, and what follows from each answer.

A card's abilities are rows of a program; a frame of the agenda says which row is next (`pc`). An effect either is done at once and moves on to the next row, or lists options
and asks; the answer (second half of this file) then does it and moves on. All of it is for the active player: triggers too are live in their owner's turn only (P3).
"""

from __future__ import annotations

from simulator.ask import ask, offer, offer_abilities, offer_in_play, offer_pile
from simulator.enums import Action, Condition, Cost, Effect, Event, Fits, Kind, Per, Place, Question, Resource, Slot, Task
from simulator.jit import Box, Frame, Game, Options, rule
from simulator.legal import may_claim
from simulator.piles import first_of_kind, put, take_at
from simulator.rng import shuffle_pile, stream
from simulator.rules import (
    TOKEN,
    acquire,
    draw,
    faction_in_play,
    gain,
    gain_health,
    give_haunt,
    happen_now,
    horde_length,
    lay_out,
    leave_play,
    lose_health,
    may_own,
    muster,
    pool,
    purchase,
    push,
    shuffle_under,
    spend,
)

LOOKED, SHUFFLED = 1, 1 << 16  # parts of a frame's count during `look`: begun; the discard pile was shuffled for it


@rule(inline=True)
def still_there(game: Game, frame: Frame) -> bool:
    """Whether the card that an ability comes from is still in play, as the same card."""
    return frame.slot >= 0 and game.player[game.active].play[frame.slot].card == frame.card


@rule
def amount_of(game: Game, box: Box, frame: Frame, pc: int) -> int:
    """The amount of a row, multiplied with what `per` counts now."""
    row = box.effect[pc]
    if row.per == Per.NONE:
        return row.amount
    me = game.active
    p = game.player[me]
    if row.per == Per.FACTION_IN_PLAY:
        return row.amount * faction_in_play(game, box, me, row.of)
    if row.per == Per.RELIC:
        return row.amount * p.relics
    if row.per == Per.CARD_IN_HAND:
        return row.amount * p.hand.n
    if still_there(game, frame):
        return row.amount * horde_length(p, frame.slot)
    return 0


# Effects that need no answer


@rule
def look_up(game: Game, box: Box, options: Options, n: int) -> bool:
    """G2: make sure that n cards of the deck can be looked at. Whether the discard pile was shuffled for it."""
    if game.player[game.active].deck.n < n:
        return shuffle_under(game, box, options, game.active)
    return False


@rule
def reveal(game: Game, box: Box, options: Options, n: int, fits: int, faction: int) -> bool:
    """G2: each of the top n cards that fits goes to the hand; the others stay. Whether the discard pile was shuffled."""
    shuffled = look_up(game, box, options, n)
    p = game.player[game.active]
    at = p.deck.n - 1
    for _ in range(min(n, p.deck.n)):
        c = box.card[box.kind_of[p.deck.card[at]]]
        if fits == Fits.RELIC:
            taken = c.kind == Kind.RELIC
        elif fits == Fits.MONSTER:
            taken = c.kind == Kind.MONSTER
        else:
            taken = c.kind == Kind.MONSTER and c.faction == faction
        if taken:
            put(p.hand, take_at(p.deck, at))
        at -= 1
    p.known = max(p.known, p.deck.n - 1 - at)
    return shuffled


@rule
def shuffle_in(game: Game, box: Box, options: Options) -> bool:
    """`shuffle discard into deck`. Whether there was anything to shuffle in."""
    p = game.player[game.active]
    if p.discard.n == 0:
        return False
    for i in range(p.discard.n):
        put(p.deck, p.discard.card[i])
    p.discard.n = 0
    p.known = 0
    shuffle_pile(box, options, p.deck, stream(game.seed, 1, game.active, p.shuffles))
    p.shuffles += 1
    return True


@rule
def holds(game: Game, box: Box, condition: int, argument: int, lit: int) -> bool:
    """Whether what stands behind `if` is so."""
    me = game.active
    if condition == Condition.FACTION_IN_PLAY:
        return faction_in_play(game, box, me, argument) > 0
    if condition == Condition.OPPONENT_HAS_RELIC:
        return game.player[1 - me].relics > 0
    if condition == Condition.HEALTH_AT_MOST:
        return game.player[me].health <= argument
    return lit > 0


@rule
def can_pay(game: Game, frame: Frame, cost: int, amount: int) -> bool:
    """G3, G6: whether a cost can be paid."""
    p = game.player[game.active]
    if cost == Cost.HEALTH:
        return p.health > amount
    if cost == Cost.DISCARD:
        return p.hand.n >= amount
    if cost == Cost.SACRIFICE_THIS:
        return still_there(game, frame)
    return pool(p, cost) >= amount


@rule
def do_at_once(game: Game, box: Box, options: Options, frame: Frame) -> None:
    """Effects that ask nothing."""
    row = box.effect[frame.pc]
    effect = row.effect
    me = game.active
    amount = amount_of(game, box, frame, frame.pc)
    frame.pc += 1
    if effect == Effect.GAIN:
        gain(game, me, row.a, amount)
    elif effect == Effect.DRAW:
        if draw(game, box, options, me, amount):
            happen_now(game, box, Event.RESHUFFLE)
    elif effect == Effect.MUSTER:
        muster(game, me)
    elif effect == Effect.HAUNT:
        if still_there(game, frame):
            give_haunt(game, me, frame.slot)
    elif effect == Effect.RAGE:
        push(game, Task.RUN, frame.slot, frame.card, box.rules.rage.pc, box.rules.rage.end, 0)
    elif effect == Effect.GAIN_HEALTH:
        gain_health(game, me, amount)
    elif effect == Effect.LOSE_HEALTH:
        lose_health(game, me, amount)
    elif effect == Effect.OPPONENT_LOSES:
        lose_health(game, 1 - me, amount)
    elif effect == Effect.CONVERT:
        game.player[me].converts |= 1 << (3 * row.a + row.b)
    elif effect == Effect.REVEAL:
        if reveal(game, box, options, amount, row.a, row.b):
            happen_now(game, box, Event.RESHUFFLE)
    elif effect == Effect.CLAIM_NEXT:
        game.player[me].claims += 1
    elif effect == Effect.SHUFFLE:
        if shuffle_in(game, box, options):
            happen_now(game, box, Event.RESHUFFLE)
    elif effect == Effect.IF and not holds(game, box, row.a, row.b, frame.lit):
        frame.pc += row.skip


# Effects that ask


@rule
def may_decline(box: Box, options: Options) -> None:
    """K11: with `optional_keywords`, no is an answer."""
    if options.n > 0 and box.rules.optional_keywords:
        offer(options, Action.DECLINE, -1, 0, 0, 0, 0)


@rule
def ask_curse(game: Game, box: Box, options: Options, frame: Frame) -> None:
    """K1: the opponent loses Health or discards."""
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


@rule
def ask_destroy(game: Game, box: Box, options: Options) -> None:
    """K2: a card in play, or one of the Street."""
    me = game.active
    offer_in_play(game, box, options, me, Place.PLAY)
    offer_in_play(game, box, options, 1 - me, Place.RIVAL_PLAY)
    for at in range(game.street_n):
        if not game.street[at].again:
            offer(options, Action.CARD, game.street[at].kind, at, 0, 0, Place.STREET)
    may_decline(box, options)
    ask(game, options, Question.DESTROY, me)


@rule
def ask_sacrifice(game: Game, box: Box, options: Options, places: int) -> None:
    """K3: a card in one of the places."""
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


@rule
def ask_command(game: Game, box: Box, options: Options) -> None:
    """K4: a cheap monster in the discard pile."""
    discard = game.player[game.active].discard
    for i in range(discard.n):
        kind = box.kind_of[discard.card[i]]
        c = box.card[kind]
        if c.kind != Kind.MONSTER or c.cost > box.rules.command_max_cost:
            continue
        if first_of_kind(box, discard, i, 0):
            offer(options, Action.CARD, kind, i, 0, 0, Place.DISCARD)
    may_decline(box, options)
    ask(game, options, Question.COMMAND, game.active)


@rule
def ask_haunt_another(game: Game, box: Box, options: Options, frame: Frame) -> None:
    """K8: another monster without a token."""
    p = game.player[game.active]
    if game.haunt_tokens > 0:
        for s in range(p.slots):
            slot = p.play[s]
            if slot.card >= 0 and slot.card != frame.card and not slot.marks & TOKEN:
                kind = box.kind_of[slot.card]
                if box.card[kind].kind == Kind.MONSTER:
                    offer(options, Action.CARD, kind, s, 0, 0, Place.PLAY)
    ask(game, options, Question.HAUNT_ANOTHER, game.active)


@rule
def ask_look(game: Game, box: Box, options: Options, frame: Frame) -> None:
    """G2: which of the looked-at cards go to the discard pile. The frame counts how many are still looked at."""
    p = game.player[game.active]
    if frame.count == 0:
        n = amount_of(game, box, frame, frame.pc)
        shuffled = look_up(game, box, options, n)
        frame.count = min(n, p.deck.n) + LOOKED + (SHUFFLED if shuffled else 0)
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


@rule
def end_look(game: Game, box: Box, frame: Frame) -> None:
    """G2: looking is done; if the discard pile was shuffled for it, that event happens now (P4)."""
    shuffled = frame.count >= SHUFFLED
    frame.count = 0
    frame.pc += 1
    if shuffled:
        happen_now(game, box, Event.RESHUFFLE)


@rule
def ask_activate(game: Game, box: Box, options: Options) -> None:
    """`activate a Horde ability`: an unused one of any monster in play."""
    me = game.active
    p = game.player[me]
    for s in range(p.slots):
        if p.play[s].card >= 0:
            offer_abilities(game, box, options, me, s)
    ask(game, options, Question.ACTIVATE, me)


@rule
def ask_cost(game: Game, box: Box, options: Options, frame: Frame) -> None:
    """A cost that can be paid may be declined; one that cannot is not asked."""
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


@rule
def ask_street(game: Game, box: Box, options: Options, most: int, resources: int) -> None:
    """`take` (resources < 0) and `buy … with`: Street monsters that cost no more than `most`, and in a purchase no more than the pool has of the named resources."""
    me = game.active
    p = game.player[me]
    if resources >= 0:
        has = 0
        for r in range(3):
            if resources >> r & 1:
                has += pool(p, r)
        most = min(most, has)
    for at in range(game.street_n):
        kind = game.street[at].kind
        c = box.card[kind]
        if c.kind != Kind.MONSTER or c.cost > most or not may_own(game, me, at) or (resources >= 0 and c.cost < 0):
            continue
        if not game.street[at].again:
            offer(options, Action.CARD, kind, at, 0, c.cost, Place.STREET)
            if resources >= 0 and may_claim(box, p, kind):
                offer(options, Action.CARD, kind, at, 1, c.cost, Place.STREET)
    if resources >= 0:
        if options.n > 0:
            offer(options, Action.DECLINE, -1, 0, 0, 0, 0)
        ask(game, options, Question.BUY_WITH, me)
    else:
        ask(game, options, Question.TAKE, me)


@rule
def ask_payment(game: Game, box: Box, options: Options, resources: int) -> None:
    """`buy … with`: every mix of the named resources that makes the cost."""
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
def do_or_ask(game: Game, box: Box, options: Options, frame: Frame) -> None:
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
        if options.n == 0:
            end_look(game, box, frame)
            return
    elif effect == Effect.ACTIVATE:
        ask_activate(game, box, options)
    elif effect == Effect.BUY_WITH:
        if frame.count:
            ask_payment(game, box, options, row.a)
        else:
            ask_street(game, box, options, row.amount, row.a)
    elif effect == Effect.TAKE:
        ask_street(game, box, options, row.amount, -1)
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


# Answers


@rule
def sacrificed(game: Game, box: Box, card: int) -> None:
    """K3: a card has been removed from the game: the gain, and the event."""
    p = game.player[game.active]
    put(p.removed, card)
    game.tally.sacrificed += 1
    gain(game, game.active, box.rules.sacrifice_resource, box.rules.sacrifice_amount)
    happen_now(game, box, Event.SACRIFICE)


@rule
def answer_sacrifice(game: Game, box: Box, place: int, at: int) -> None:
    """K3: remove the chosen card from the game."""
    p = game.player[game.active]
    if place == Place.HAND:
        card = take_at(p.hand, at)
    elif place == Place.DISCARD:
        card = take_at(p.discard, at)
    else:
        card = leave_play(game, box, game.active, at)
    sacrificed(game, box, card)


@rule
def answer_destroy(game: Game, box: Box, place: int, at: int) -> None:
    """K2: to its owner's discard pile, or out of the Street and the game."""
    me = game.active
    game.tally.destroyed += 1
    if place == Place.STREET:
        game.removed.card[game.removed.n] = game.street[at].card
        game.removed.n += 1
        lay_out(game, box, at)
    else:
        owner = me if place == Place.PLAY else 1 - me
        card = leave_play(game, box, owner, at)
        put(game.player[owner].discard, card)
    happen_now(game, box, Event.DESTROY)


@rule
def discard_from_hand(game: Game, box: Box, who: int, at: int) -> None:
    """G3: one card of the hand; an event in the owner's own turn."""
    p = game.player[who]
    put(p.discard, take_at(p.hand, at))
    if who == game.active:
        happen_now(game, box, Event.CARD_DISCARDED)


@rule
def answer_curse(game: Game, box: Box, frame: Frame, action: int, at: int) -> None:
    """K1: Health or cards, as the opponent chose."""
    rival = 1 - game.active
    if action == Action.HEALTH:
        lose_health(game, rival, box.rules.curse_health)
    else:
        discard_from_hand(game, box, rival, at)
        frame.count += 1
        if frame.count < box.rules.curse_discard:
            return
    frame.count = 0
    frame.pc += 1
    game.tally.curses += 1
    happen_now(game, box, Event.CURSE)


@rule
def answer_cost(game: Game, box: Box, frame: Frame, action: int, at: int) -> None:
    """Pay, and go on with what was paid for; or leave it out."""
    row = box.effect[frame.pc]
    me = game.active
    if action == Action.DECLINE:
        frame.pc += 1 + row.skip
        return
    if row.a == Cost.DISCARD:
        frame.count += 1
        if frame.count == row.amount:
            frame.count = 0
            frame.pc += 1
        discard_from_hand(game, box, me, at)
        return
    frame.pc += 1
    if row.a == Cost.HEALTH:
        lose_health(game, me, row.amount)
    elif row.a == Cost.SACRIFICE_THIS:
        sacrificed(game, box, leave_play(game, box, me, frame.slot))
    else:
        spend(game, me, row.a, row.amount)


@rule
def answer_buy_with(game: Game, frame: Frame, action: int, at: int, to_deck: int) -> None:
    """`buy … with`: remember what is bought; how it is paid comes next."""
    if action == Action.DECLINE:
        frame.pc += 1
        return
    game.buying = at
    game.buying_to = to_deck
    frame.count = 1


@rule
def answer_payment(game: Game, box: Box, frame: Frame, coin: int, power: int, regeneration: int) -> None:
    """`buy … with`: pay and take the card."""
    me = game.active
    frame.count = 0
    frame.pc += 1
    spend(game, me, Resource.COIN, coin)
    spend(game, me, Resource.POWER, power)
    spend(game, me, Resource.REGENERATION, regeneration)
    purchase(game, box, game.buying, game.buying_to)


@rule
def use_ability(game: Game, box: Box, s: int, number: int) -> None:
    """H4: activate a Horde ability and mark it as used."""
    slot = game.player[game.active].play[s]
    slot.marks |= Slot.ABILITY_1_USED << number
    game.tally.horde_activations += 1
    span = box.card[box.kind_of[slot.card]].horde[number]
    push(game, Task.RUN, s, slot.card, span.pc, span.end, 0)


@rule
def answer_look(game: Game, box: Box, frame: Frame, action: int, at: int) -> None:
    """G2: one looked-at card goes to the discard pile, or it is enough."""
    p = game.player[game.active]
    if action == Action.DECLINE:
        end_look(game, box, frame)
        return
    put(p.discard, take_at(p.deck, at))
    p.known -= 1
    frame.count -= 1
    if (frame.count & (SHUFFLED - 1)) == LOOKED:
        end_look(game, box, frame)


@rule
def answer_effect(game: Game, box: Box, options: Options, frame: Frame, choice: int) -> None:
    """Carry out the row that asked, with the chosen option."""
    option = options.at[choice]
    question = game.question
    action = option.action
    at = option.slot
    other = option.other
    amount = option.amount
    place = option.place
    me = game.active
    if question == Question.CURSE or (question == Question.DISCARD and box.effect[frame.pc].effect == Effect.CURSE):
        answer_curse(game, box, frame, action, at)
    elif question == Question.DISCARD:
        frame.count += 1
        discard_from_hand(game, box, game.asked, at)
    elif question == Question.COST or question == Question.DISCARD_COST:
        answer_cost(game, box, frame, action, at)
    elif question == Question.LOOK:
        answer_look(game, box, frame, action, at)
    elif question == Question.BUY_WITH:
        answer_buy_with(game, frame, action, at, other)
    elif question == Question.PAYMENT:
        answer_payment(game, box, frame, at, other, amount)
    elif question == Question.CHOOSE:
        frame.pc += 1 + box.effect[frame.pc].skip
        push(game, Task.RUN, frame.slot, frame.card, at + 1, at + 1 + box.effect[at].skip, frame.lit)
    else:  # the chosen card is what the row is about
        frame.pc += 1
        if action == Action.DECLINE:
            return
        if question == Question.DESTROY:
            answer_destroy(game, box, place, at)
        elif question == Question.SACRIFICE:
            answer_sacrifice(game, box, place, at)
        elif question == Question.COMMAND:
            put(game.player[me].hand, take_at(game.player[me].discard, at))
            happen_now(game, box, Event.COMMAND)
        elif question == Question.HAUNT_ANOTHER:
            give_haunt(game, me, at)
        elif question == Question.TAKE:
            acquire(game, box, me, at, 0)
        elif question == Question.ACTIVATE:
            use_ability(game, box, at, amount)
