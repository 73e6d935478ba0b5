"""Plays by a priority list: the rows that filling.py has put into the work area say what to buy, when, and how to answer.

In a turn it does what greedy does and in the same order; what it buys is the first rule of its list that fits something on offer. Where the list says
nothing it answers as a sensible player would. Everything compiled for lists is in this file: the compiled
code is kept on disk under the hash of this file and of simple.py.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, OptionsRecord, WorkRecord, rule
from terrors.simulator.rules.options import plan
from terrors.simulator.terms.enums import Action, Effect, Look, Question, Resource
from terrors.strategies.formats.registry import strategy
from terrors.strategies.kit.simple import (
    AFTER_BUYING,
    BEFORE_BUYING,
    FIRST_THING,
    answer_curse,
    best_card,
    best_horde,
    best_play,
    buy_and_end,
    can_use_overlord,
    last_thing,
    play_the_rest,
    program_worth,
    sensible_answer,
    use_all,
    worst_card,
)

# A set of cards is a bit (work_layout.LIST). The first sets are those of the buy rules: what a rule buys, and the overlords that it is for.
MOST_SETS = 62


class Instruction(IntEnum):
    """The steps that a condition is made of."""

    NUMBER = 0  # put the argument on the stack
    LOOK = 1  # put a Quantity on it
    OWNED = 2  # put on it how many cards of a set the player has
    NOT = 3
    AND = 4
    OR = 5
    ADD = 6
    SUBTRACT = 7
    LESS = 8
    AT_MOST = 9
    MORE = 10
    AT_LEAST = 11
    EQUAL = 12
    UNEQUAL = 13


class Quantity(IntEnum):
    """The quantities that a condition may ask for: all of it lies open on the table, or is the player's own (G7)."""

    TURN = 0
    MY_TURN = 1
    HEALTH = 2
    RIVAL_HEALTH = 3
    COIN = 4
    POWER = 5
    REGENERATION = 6
    ARMOR = 7
    RIVAL_ARMOR = 8
    RELICS = 9
    RIVAL_RELICS = 10
    HAND = 11
    RIVAL_HAND = 12
    DECK = 13
    RIVAL_DECK = 14
    DISCARD = 15
    RIVAL_DISCARD = 16
    CARDS = 17
    RIVAL_CARDS = 18
    MARKET = 19
    ACOLYTES = 20
    SEAT = 21


class Pick(IntEnum):
    """The ways to choose a card when several fit a rule."""

    BEST = 0
    DEAREST = 1
    CHEAPEST = 2


class Curse(IntEnum):
    """The ways to answer a CURSE (K1)."""

    DISCARD_JUNK = 0
    DISCARD = 1
    HEALTH = 2


@rule
def in_set(game: GameRecord, box: BoxRecord, work: WorkRecord, kind: int, number: int, me: int) -> bool:
    """Whether a kind of card is in a set."""
    word = np.int64(work.list.sets[kind])
    if box.card[kind].faction == game.player[me].faction:
        word |= np.int64(work.list.own_sets[kind])
    return word >> number & 1 == 1


@rule
def owned_of(game: GameRecord, box: BoxRecord, work: WorkRecord, number: int, me: int) -> int:
    """Return the number of cards of a set that a player has, wherever they are. A player knows what is in the own deck, only not in which order."""
    p = game.player[me]
    n = 0
    for i in range(p.hand.n):
        n += in_set(game, box, work, box.kind_of[p.hand.card[i]], number, me)
    for i in range(p.deck.n):
        n += in_set(game, box, work, box.kind_of[p.deck.card[i]], number, me)
    for i in range(p.discard.n):
        n += in_set(game, box, work, box.kind_of[p.discard.card[i]], number, me)
    for s in range(p.slots):
        if p.play[s].card >= 0:
            n += in_set(game, box, work, box.kind_of[p.play[s].card], number, me)
    return n


@rule
def cards_of(game: GameRecord, who: int) -> int:
    """Return the number of cards that a player has in all."""
    p = game.player[who]
    n = p.hand.n + p.deck.n + p.discard.n
    for s in range(p.slots):
        n += p.play[s].card >= 0
    return n


@rule
def number_of(game: GameRecord, what: int, me: int) -> int:
    """Return the present value of a Quantity."""
    if what == Quantity.TURN:
        return game.turn
    if what == Quantity.MY_TURN:
        return (game.turn + 1 - me) // 2
    if what == Quantity.MARKET:
        return game.market.n
    if what == Quantity.ACOLYTES:
        return game.acolytes.n
    if what == Quantity.SEAT:
        return me + 1
    mine = game.player[me]
    if what == Quantity.COIN:
        return mine.coin
    if what == Quantity.POWER:
        return mine.power
    if what == Quantity.REGENERATION:
        return mine.regeneration
    # The others come in twos: mine, then the rival's.
    who = me
    rivals = (
        Quantity.RIVAL_HEALTH,
        Quantity.RIVAL_ARMOR,
        Quantity.RIVAL_RELICS,
        Quantity.RIVAL_HAND,
        Quantity.RIVAL_DECK,
        Quantity.RIVAL_DISCARD,
        Quantity.RIVAL_CARDS,
    )
    for rival in rivals:
        if what == rival:
            who = 1 - me
            what -= 1
    p = game.player[who]
    if what == Quantity.HEALTH:
        return p.health
    if what == Quantity.ARMOR:
        return p.armor
    if what == Quantity.RELICS:
        return p.relics
    if what == Quantity.HAND:
        return p.hand.n
    if what == Quantity.DECK:
        return p.deck.n
    if what == Quantity.DISCARD:
        return p.discard.n
    return cards_of(game, who)


@rule
def joined(step: int, left: float, right: float) -> float:
    """Return what a step makes of two numbers; truths are 1 and 0."""
    if step == Instruction.ADD:
        return left + right
    if step == Instruction.SUBTRACT:
        return left - right
    yes = False
    if step == Instruction.AND:
        yes = left != 0.0 and right != 0.0
    elif step == Instruction.OR:
        yes = left != 0.0 or right != 0.0
    elif step == Instruction.LESS:
        yes = left < right
    elif step == Instruction.AT_MOST:
        yes = left <= right
    elif step == Instruction.MORE:
        yes = left > right
    elif step == Instruction.AT_LEAST:
        yes = left >= right
    elif step == Instruction.EQUAL:
        yes = left == right
    else:
        yes = left != right
    return 1.0 if yes else 0.0


@rule
def holds(game: GameRecord, box: BoxRecord, work: WorkRecord, begin: int, end: int, me: int) -> bool:
    """Whether the condition with these steps holds now; an empty one does."""
    stack = work.list.stack
    top = 0
    for at in range(begin, end):
        step, argument = work.list.step[at].instruction, work.list.step[at].argument
        if step == Instruction.NUMBER:
            stack[top] = argument
            top += 1
        elif step == Instruction.LOOK:
            stack[top] = number_of(game, argument, me)
            top += 1
        elif step == Instruction.OWNED:
            stack[top] = owned_of(game, box, work, argument, me)
            top += 1
        elif step == Instruction.NOT:
            stack[top - 1] = 1.0 - stack[top - 1]
        else:
            top -= 1
            stack[top - 1] = joined(step, stack[top - 1], stack[top])
    return begin == end or stack[0] != 0.0


@rule
def still_building(game: GameRecord, box: BoxRecord, work: WorkRecord, me: int) -> bool:
    """Whether the list's `build` holds: Coin first, Power later."""
    return holds(game, box, work, work.list.build.begin, work.list.build.end, me)


@rule
def rank(work: WorkRecord, option: int, options: OptionsRecord, pick: int, building: bool) -> float:
    """Return how gladly a rule takes one of the options that fit it."""
    o = options.at[option]
    on_top = 0.25 * o.other  # B3: rather on top of the deck
    if pick == Pick.DEAREST:
        return o.amount + on_top
    if pick == Pick.CHEAPEST:
        return on_top - o.amount
    return (work.of[o.card].early if building else work.of[o.card].late) + on_top


@rule
def fitting(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, number: int, begin: int, end: int, building: bool, me: int) -> int:
    """Return the option from begin to end that this buy rule likes best; -1 if none fits it."""
    row = work.list.rule[number]
    best, most = -1, -1e9
    for i in range(begin, end):
        option = options.at[i]
        if option.action == Action.BUY_ACOLYTE:
            if row.acolyte:
                return i
        elif option.card >= 0 and not row.acolyte and in_set(game, box, work, option.card, number, me):
            value = rank(work, i, options, row.pick, building)
            if value > most:
                best, most = i, value
    return best


@rule
def wanted(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, begin: int, end: int, me: int) -> int:
    """Return the option from begin to end that the first buy rule that is not done with wants; -1 if no rule wants any."""
    if begin == end:
        return -1
    building = still_building(game, box, work, me)
    for number in range(work.list.rules_n):
        row = work.list.rule[number]
        best = fitting(game, box, options, work, number, begin, end, building, me)
        if best < 0 or not in_set(game, box, work, game.player[me].overlord, number, me):
            continue
        if row.against >= 0 and not in_set(game, box, work, game.player[1 - me].overlord, row.against, me):
            continue
        if not holds(game, box, work, row.when.begin, row.when.end, me):
            continue
        if row.until > 0 and owned_of(game, box, work, number, me) >= row.until:
            continue
        row.fired += 1
        return best
    return -1


@rule
def choose_influence(options: OptionsRecord, work: WorkRecord) -> int:
    """Return the first Influence card of the list that is on offer; -1 if none is."""
    for at in range(work.list.influences_n):
        for i in range(options.n):
            if options.at[i].card == work.list.influence[at]:
                return i
    return -1


@rule
def choose_alternative(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return the alternative that is worth most, with a liking for Coin while building and for Power afterwards."""
    liked = Resource.COIN if still_building(game, box, work, me) else Resource.POWER
    best, most = 0, -1e9
    for i in range(options.n):
        pc = options.at[i].slot
        end = pc + 1 + box.effect[pc].skip
        worth = program_worth(game, box, pc + 1, end, me)
        for at in range(pc + 1, end):
            if box.effect[at].effect == Effect.GAIN and box.effect[at].a == liked:
                worth += box.effect[at].amount
        if worth > most:
            best, most = i, worth
    return best


@rule
def curse_answer(game: GameRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return the answer to a CURSE that the list says, but never die to keep a card."""
    how = work.list.curse
    if how == Curse.DISCARD_JUNK:
        return answer_curse(game, options, work, me)
    if options.n > 1 and (how == Curse.DISCARD or game.player[me].health <= options.at[0].amount):
        return worst_card(options, work)
    return 0


@rule
def list_answer(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return an answer to any question but what to do in the Action Phase."""
    question = game.question
    if question == Question.INFLUENCE:
        named = choose_influence(options, work)
        return named if named >= 0 else best_card(game, options, work)
    if question == Question.CURSE:
        return curse_answer(game, options, work, me)
    if question == Question.CHOOSE:
        return choose_alternative(game, box, options, work, me)
    if question == Question.BUY_WITH:
        best = wanted(game, box, options, work, 0, options.n, me)
        takes_power = best >= 0 and game.player[me].coin < options.at[best].amount
        return best if best >= 0 and not (takes_power and not still_building(game, box, work, me)) else options.n - 1
    if question == Question.TAKE:
        best = wanted(game, box, options, work, 0, options.n, me)
        return best if best >= 0 else best_card(game, options, work)
    return sensible_answer(game, box, options, work, me)


@rule
def keeps(game: GameRecord, box: BoxRecord, work: WorkRecord, me: int) -> bool:
    """Whether the last card of the hand is one to be kept for the next turn (X1)."""
    number = work.list.keep
    hand = game.player[me].hand
    return number >= 0 and hand.n == 1 and in_set(game, box, work, box.kind_of[hand.card[0]], number, me)


@rule
def overlord_moment_now(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> float:
    """Return when in this turn the overlord's ability is to be used; 0 = not now."""
    when = work.list.overlord
    if options.buys_from == options.overlord_from or not can_use_overlord(game, box, me) or not holds(game, box, work, when.begin, when.end, me):
        return 0.0
    return work.of[options.at[options.overlord_from].card].play


@strategy
def choose(game, box, options, work, me):
    if game.question != Question.ACTION:
        return list_answer(game, box, options, work, me)
    if options.overlord_from > options.ready_from:  # a relic or a haunted monster
        return use_all(game, box, options, work, me, work.list.keep < 0)
    moment = overlord_moment_now(game, box, options, work, me)
    if moment == FIRST_THING:
        return options.overlord_from
    if options.hordes_from > 0 and not keeps(game, box, work, me):
        play = best_play(options, work)
        if work.list.keep < 0:  # else each play is a question of its own, since the last one may be kept
            play_the_rest(game, box, options, work, me, play)
        return play
    if options.ready_from > options.hordes_from:
        return best_horde(options)
    if moment == BEFORE_BUYING:
        return options.overlord_from
    buy = wanted(game, box, options, work, options.buys_from, options.others_from, me)
    if buy >= 0:
        return buy_and_end(game, box, options, me, buy)
    if moment == AFTER_BUYING:
        return options.overlord_from
    last = last_thing(game, options, me)
    if options.at[last].action == Action.ATTACK and options.buys_from == options.overlord_from:
        plan(options, Action.PASS, -1, 0, 0, Look.CAN_BUY)
    return last
