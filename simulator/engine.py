"""The course of a game: setup, actions, asking, the end.

    set_up(…)                    a new table
    advance(…)                   resolve what is going on, up to the next question
    answer(…, i)                 the asked player takes option i; then advance again

They are put together in batch.py, and nowhere else: each function that contains the whole engine costs seconds to compile.
Between two questions everything that is going on stands in the record (the agenda), so a game can be copied at any question and played on.
"""

from __future__ import annotations

import numpy as np

from simulator.ask import ask, offer, offer_abilities, offer_relics
from simulator.enums import FIRST, SECOND, Action, Event, Kind, Place, Purpose, Question, Resource, Slot, Status, Task
from simulator.jit import Box, Frame, Game, Options, Word, rule
from simulator.layout import ACOLYTES, AGENDA, FORCED, MARKET
from simulator.legal import list_actions
from simulator.piles import put, take_at
from simulator.resolve import answer_effect, do_or_ask, use_ability
from simulator.rng import HIGH_48, LOW_16, mix, shuffle_pile, sort_many, stream
from simulator.rules import (
    activate,
    attack,
    begin_turn,
    bought,
    count_links,
    draw,
    end_turn,
    enter_play,
    faction_in_play,
    gain,
    happen,
    happen_after,
    heal,
    horde_length,
    lay_out,
    leave_play,
    look_over,
    new_group,
    played,
    purchase,
    push,
    spend,
)

UNLIMITED = 1 << 30  # tokens in a reserve without a limit (S2)
AGENDA_SPARE = AGENDA  # one place behind the agenda, to move entries around

# Setup


@rule
def deal_common(game: Game, box: Box, options: Options) -> None:
    """S5, S6: the Acolytes, the Market and the Street, in the order of their luck."""
    words = options.scratch
    luck = stream(game.seed, Purpose.ACOLYTE, 0, 0)
    for i in range(box.acolytes_n):
        words[i] = (mix(luck ^ box.key[box.acolyte[i]]) & HIGH_48) | np.uint64(box.acolyte[i])
    sort_many(options, box.acolytes_n)
    n = min(box.acolytes_n, ACOLYTES)
    for i in range(n):
        game.acolytes.card[i] = np.int64(words[box.acolytes_n - n + i] & LOW_16)
    game.acolytes.n = n
    luck = stream(game.seed, Purpose.MARKET, 0, 0)
    for i in range(box.market_n):
        words[i] = (mix(luck ^ box.key[box.market[i]]) & HIGH_48) | np.uint64(box.market[i])
    sort_many(options, box.market_n)
    n = min(box.market_n, MARKET)
    for i in range(n):
        game.market.card[i] = np.int64(words[box.market_n - n + i] & LOW_16)
    game.market.n = n
    game.street_n = 0
    for at in range(min(n, box.rules.street_size)):
        game.street_n += 1
        lay_out(game, box, at)
    look_over(game, box)


@rule
def deal_player(game: Game, box: Box, options: Options, who: int) -> None:
    """S4, S7: the starting deck, shuffled, and the opening hand. The chosen Influence cards are in the deck already."""
    p = game.player[who]
    for i in range(box.starters_n[who]):
        put(p.deck, box.starter[who][i])
    for i in range(box.grants_n[who]):
        put(p.deck, box.grant[who][i])
    p.owned = p.deck.n
    shuffle_pile(box, options, p.deck, stream(game.seed, Purpose.DECK, who, 0))
    p.shuffles = 1
    draw(game, box, options, who, box.rules.first_hand if who == FIRST else box.rules.second_hand)


@rule
def seat_player(game: Game, box: Box, who: int, overlord: int) -> None:
    """S1: an overlord at full Health."""
    p = game.player[who]
    p.overlord = overlord
    p.faction = box.card[overlord].faction
    p.health = box.card[overlord].health
    p.start_health = p.health
    p.ears = box.card[overlord].ears
    p.overlord_ready = box.card[overlord].active


@rule
def ask_influence(game: Game, box: Box, options: Options) -> None:
    """S3: the player who still has Influence cards to choose, first player first; or the deal, when all are chosen."""
    for who in range(2):
        p = game.player[who]
        own = box.own[p.overlord]
        if p.deck.n < min(box.rules.influences, own.n):
            for i in range(own.n):
                kind = own.kind[i]
                taken = False
                for j in range(p.deck.n):
                    taken = taken or box.kind_of[p.deck.card[j]] == kind
                if not taken:
                    offer(options, Action.CARD, kind, i, 0, 0, 0)
            ask(game, options, Question.INFLUENCE, who)
            return
    game.setup = 0
    deal_common(game, box, options)
    deal_player(game, box, options, FIRST)
    deal_player(game, box, options, SECOND)
    game.turn = 1
    begin_turn(game)


@rule
def clear_player(game: Game, who: int) -> None:
    """Nothing owned, nothing in play."""
    p = game.player[who]
    p.coin = 0
    p.power = 0
    p.regeneration = 0
    p.armor = 0
    p.tokens = 0
    p.overlord_marks = 0
    p.attacked = 0
    p.struck = 0
    p.claims = 0
    p.converts = 0
    p.relics = 0
    p.relics_ready = 0
    p.haunts_ready = 0
    p.free_left = 0
    p.free_right = 0
    p.end_left = 0
    p.end_right = 0
    p.owned = 0
    p.shuffles = 0
    p.known = 0
    p.chances = 0
    p.slots = 0
    p.hand.n = 0
    p.deck.n = 0
    p.discard.n = 0
    p.removed.n = 0


@rule
def set_up(game: Game, box: Box, seed: Word, first: int, second: int, first_influences: int, second_influences: int) -> None:
    """S1 to S8: a new table. `advance` leads to the first question. Influences: bits of the overlord's Influence cards to take without asking, 0 = ask.

    Only what is read before it is written is cleared, which is most of the record's cost saved.
    """
    game.seed = seed
    game.chance_seed = stream(seed, Purpose.CHANCE, 0, 0)
    game.turn = 0
    game.active = FIRST
    game.status = Status.PLAYING
    game.winner = -1
    game.end = 0
    game.limits = 0
    game.total_actions = 0
    game.agenda_n = 0
    game.setup = 1
    game.removed.n = 0
    rules = box.rules
    game.haunt_tokens = rules.haunt_tokens if rules.haunt_tokens > 0 else UNLIMITED
    game.muster_tokens = rules.muster_tokens if rules.muster_tokens > 0 else UNLIMITED
    begin_turn(game)
    for who in range(2):
        clear_player(game, who)
        seat_player(game, box, who, first if who == FIRST else second)
        own = box.own[game.player[who].overlord]
        chosen = first_influences if who == FIRST else second_influences
        for i in range(own.n):
            if chosen >> i & 1:
                put(game.player[who].deck, box.influence[who][own.kind[i]])


# Actions (T2)


PLAYED_EVENTS = sum(1 << e for e in Event if e.name.endswith("_PLAYED"))


@rule(inline=True)
def count_played(game: Game, kind: int, faction: int) -> None:
    """P5: nobody listens to a card being played: it only counts."""
    if kind == Kind.MONSTER:
        game.seen[Event.MONSTER_PLAYED] += 1
        if faction:
            game.seen[Event.UNDEAD_PLAYED - 1 + faction] += 1
    elif kind == Kind.INFLUENCE:
        game.seen[Event.INFLUENCE_PLAYED] += 1


@rule
def play_card(game: Game, box: Box, at: int) -> None:
    """P1, P2, P6, P7, P8: play the hand card at that place."""
    me = game.active
    p = game.player[me]
    kind = box.kind_of[p.hand.card[at]]
    c = box.card[kind]
    if c.kind == Kind.RELIC and p.relics >= box.rules.relic_limit:
        push(game, Task.PLAY_RELIC, -1, -1, at, 0, 0)
        return
    card = take_at(p.hand, at)
    game.tally.cards_played += 1
    lit = 0
    if c.kind == Kind.INFLUENCE and faction_in_play(game, box, me, p.faction) > 0:
        lit = 1
    s = enter_play(game, box, me, card)
    if lit:
        p.play[s].marks |= Slot.LIT
    if c.kind == Kind.RELIC:
        played(game, box, s, card)
        return
    if not p.ears & PLAYED_EVENTS:
        count_played(game, c.kind, c.faction)
        activate(game, box, me, kind, s, card, lit)
    elif c.program.end > c.program.pc:
        push(game, Task.PLAYED, s, card, 0, 0, 0)
        activate(game, box, me, kind, s, card, lit)
    else:  # nothing to resolve before the events
        activate(game, box, me, kind, s, card, lit)
        played(game, box, s, card)


@rule
def buy(game: Game, box: Box, at: int, to_deck: int) -> None:
    """B1, P8: buy the Street card at that place."""
    p = game.player[game.active]
    c = box.card[game.street[at].kind]
    if c.kind == Kind.RELIC and p.relics >= box.rules.relic_limit:
        push(game, Task.BUY_RELIC, -1, -1, at, 0, 0)
        return
    spend(game, game.active, Resource.COIN, c.cost)
    purchase(game, box, at, to_deck)


@rule
def buy_acolyte(game: Game, box: Box) -> None:
    """B1, B4, S5: the top Acolyte, unseen, to the discard pile."""
    p = game.player[game.active]
    spend(game, game.active, Resource.COIN, box.rules.acolyte_cost)
    game.acolytes.n -= 1
    card = game.acolytes.card[game.acolytes.n]
    if game.acolytes.n == 0:
        look_over(game, box)
    p.owned += 1
    put(p.discard, card)
    bought(game, box, box.card[box.kind_of[card]].kind)


@rule
def join(game: Game, s: int) -> None:
    """H2, N3: a monster becomes part of a horde."""
    slot = game.player[game.active].play[s]
    slot.marks |= Slot.IN_HORDE
    if slot.marks & Slot.HAUNT_SIDE:
        slot.marks = (slot.marks & ~Slot.HAUNT_SIDE) | Slot.DISMISS_SIDE


@rule
def horde(game: Game, box: Box, action: int, s: int, other: int) -> None:
    """H2, H3: form a horde or add to one; then a Horde ability may be activated."""
    p = game.player[game.active]
    event = Event.HORDE_EXPANDED
    left, right = s, other
    if action == Action.HORDE:
        event = Event.HORDE_FORMED
        join(game, other)
        game.tally.hordes += 1
    elif action == Action.HORDE_RIGHT:
        left, right = other, s
    join(game, s)
    p.play[left].right = right
    p.play[right].left = left
    count_links(box, p)
    game.tally.longest_horde = max(game.tally.longest_horde, horde_length(p, s))
    happen_after(game, box, event)
    push(game, Task.HORDE_ABILITY, s, p.play[s].card, 0, 0, 0)


@rule
def use_relic(game: Game, box: Box, s: int) -> None:
    """R1: activate a relic."""
    p = game.player[game.active]
    slot = p.play[s]
    slot.marks |= Slot.RELIC_USED
    p.relics_ready -= 1
    game.tally.relics_used += 1
    happen_after(game, box, Event.RELIC_USED)
    activate(game, box, game.active, box.kind_of[slot.card], s, slot.card, 0)


@rule
def use_overlord(game: Game, box: Box) -> None:
    """O1: activate the overlord's ability."""
    p = game.player[game.active]
    p.overlord_ready = 0
    game.tally.overlord_used += 1
    happen_after(game, box, Event.OVERLORD_USED)
    activate(game, box, game.active, p.overlord, -1, -1, 0)


@rule
def haunt_action(game: Game, box: Box, s: int) -> None:
    """N1: activate a monster that stayed in play."""
    p = game.player[game.active]
    slot = p.play[s]
    slot.marks |= Slot.HAUNTED
    p.haunts_ready -= 1
    game.tally.haunts += 1
    happen_after(game, box, Event.HAUNT_ACTION)
    activate(game, box, game.active, box.kind_of[slot.card], s, slot.card, 0)


@rule
def convert(game: Game, source: int, target: int, amount: int) -> None:
    """G1: exchange one resource for another, one for one."""
    p = game.player[game.active]
    if source == Resource.COIN:
        p.coin -= amount
    elif source == Resource.POWER:
        p.power -= amount
    else:
        p.regeneration -= amount
    gain(game, game.active, target, amount)


@rule
def act(game: Game, box: Box, options: Options, choice: int) -> None:
    """T2: carry out one action of the Action Phase."""
    option = options.at[choice]
    action = option.action
    at = option.slot
    other = option.other
    amount = option.amount
    if 0 < options.spend < amount:
        amount = options.spend
    if action != Action.PASS:
        game.actions += 1
        game.total_actions += 1
    if action == Action.PLAY:
        play_card(game, box, at)
    elif action == Action.BUY:
        buy(game, box, at, other)
    elif action == Action.BUY_ACOLYTE:
        buy_acolyte(game, box)
    elif action == Action.ATTACK:
        attack(game, game.active, amount)
    elif action == Action.HEAL:
        heal(game, game.active, amount)
    elif action == Action.CONVERT:
        convert(game, at, other, amount)
    elif action == Action.RELIC:
        use_relic(game, box, at)
    elif action == Action.OVERLORD:
        use_overlord(game, box)
    elif action == Action.HAUNT:
        haunt_action(game, box, at)
    elif action == Action.PASS:
        end_turn(game, box, options)
    else:
        horde(game, box, action, at, other)


@rule
def play_next(game: Game, box: Box, options: Options) -> None:
    """Play what the strategy said it would play next (`options.then`, the last one first); if it is not in the hand, the rest is forgotten too."""
    options.then_n -= 1
    kind = options.then[options.then_n]
    hand = game.player[game.active].hand
    for at in range(hand.n):
        if box.kind_of[hand.card[at]] == kind:
            game.actions += 1
            game.total_actions += 1
            play_card(game, box, at)
            return
    options.then_n = 0


# What is going on between two questions


@rule
def ask_horde_ability(game: Game, box: Box, options: Options, frame: Frame) -> None:
    """H3: any unused Horde ability of the horde, from left to right, or none."""
    me = game.active
    p = game.player[me]
    s = frame.slot
    while p.play[s].left >= 0:
        s = p.play[s].left
    while s >= 0:
        offer_abilities(game, box, options, me, s)
        s = p.play[s].right
    offer(options, Action.DECLINE, -1, 0, 0, 0, 0)
    ask(game, options, Question.HORDE_ABILITY, me)


@rule
def same_trigger(game: Game, box: Box, i: int, j: int) -> bool:
    """P4: whether two waiting triggers are the same one of the same kind of card: their order is no choice."""
    a = game.agenda[i]
    b = game.agenda[j]
    if a.count != b.count:
        return False
    if a.card < 0 or b.card < 0:
        return a.card == b.card
    return box.kind_of[a.card] == box.kind_of[b.card]


@rule
def start_trigger(game: Game, box: Box) -> None:
    """P4: the top trigger is resolved now."""
    game.actions += 1
    game.total_actions += 1
    game.agenda[game.agenda_n - 1].task = Task.RUN
    game.agenda[game.agenda_n - 1].count = 0


@rule
def next_trigger(game: Game, box: Box, options: Options) -> None:
    """P4, E1: of the triggers of one cause, their owner chooses which comes next. Each counts as an action."""
    if game.actions >= box.rules.max_actions:
        game.halted = 1
        return
    top = game.agenda_n - 1
    group = game.agenda[top].group
    differ = False
    i = top
    while i >= 0 and game.agenda[i].task == Task.TRIGGER and game.agenda[i].group == group:
        frame = game.agenda[i]
        listed = False
        for k in range(options.n):
            listed = listed or (options.at[k].slot == frame.slot and options.at[k].other == frame.card and options.at[k].amount == frame.count)
        if not listed:
            kind = box.kind_of[frame.card] if frame.card >= 0 else game.player[game.active].overlord
            offer(options, Action.TRIGGER, kind, frame.slot, frame.card, frame.count, i)
        differ = differ or not same_trigger(game, box, i, top)
        i -= 1
    if differ:
        ask(game, options, Question.TRIGGER, game.active)
    else:
        options.n = 0
        start_trigger(game, box)


@rule(inline=True)
def copy_frame(source: Frame, target: Frame) -> None:
    """One entry of the agenda onto another."""
    target.task = source.task
    target.slot = source.slot
    target.card = source.card
    target.group = source.group
    target.pc = source.pc
    target.end = source.end
    target.count = source.count
    target.lit = source.lit


@rule
def answer_trigger(game: Game, box: Box, at: int) -> None:
    """P4: the chosen trigger comes to the top, and is resolved."""
    top = game.agenda_n - 1
    spare = game.agenda[AGENDA_SPARE]
    copy_frame(game.agenda[at], spare)
    for i in range(at, top):
        copy_frame(game.agenda[i + 1], game.agenda[i])
    copy_frame(spare, game.agenda[top])
    start_trigger(game, box)


@rule
def answer_relic_limit(game: Game, box: Box, at: int) -> None:
    """P8: the chosen relic leaves the game; then the new one comes."""
    me = game.active
    frame = game.agenda[game.agenda_n - 1]
    task = frame.task
    pc = frame.pc
    game.agenda_n -= 1
    put(game.player[me].removed, leave_play(game, box, me, at))
    if task == Task.PLAY_RELIC:
        play_card(game, box, pc)
    else:
        buy(game, box, pc, 0)


@rule
def step(game: Game, box: Box, options: Options) -> None:
    """Do the next thing on the agenda, or ask what it needs to know."""
    frame = game.agenda[game.agenda_n - 1]
    task = frame.task
    if task == Task.RUN:
        depth = game.agenda_n
        while frame.pc < frame.end:  # row after row, as long as nothing comes between
            do_or_ask(game, box, options, frame)
            if game.question != Question.NONE or game.agenda_n != depth or frame.task != Task.RUN or game.halted:
                return  # a question, or something else is on top now (in the very place of this frame, if it was through)
        game.agenda_n -= 1
    elif task == Task.TRIGGER:
        next_trigger(game, box, options)
    elif task == Task.PLAYED:
        game.agenda_n -= 1
        played(game, box, frame.slot, frame.card)
    elif task == Task.EVENT:
        game.agenda_n -= 1
        happen(game, box, frame.pc, new_group(game), -1)
    elif task == Task.HORDE_ABILITY:
        ask_horde_ability(game, box, options, frame)
    else:
        offer_relics(game, box, options, game.active)
        ask(game, options, Question.RELIC_LIMIT, game.active)


@rule
def answer(game: Game, box: Box, options: Options, choice: int) -> None:
    """Carry on with the chosen option of whatever was asked."""
    question = game.question
    frame = game.agenda[game.agenda_n - 1]
    option = options.at[choice]
    if question == Question.ACTION:
        act(game, box, options, choice)
    elif question == Question.INFLUENCE:
        p = game.player[game.asked]
        put(p.deck, box.influence[game.asked][option.card])
    elif question == Question.TRIGGER:
        answer_trigger(game, box, option.place)
    elif question == Question.HORDE_ABILITY:
        game.agenda_n -= 1
        if option.action == Action.ABILITY:
            use_ability(game, box, option.slot, option.amount)
    elif question == Question.RELIC_LIMIT:
        answer_relic_limit(game, box, option.slot)
    else:
        answer_effect(game, box, options, frame, choice)


@rule
def advance(game: Game, box: Box, options: Options) -> None:
    """Resolve what is under way until somebody has to decide. A choice with a single answer is taken by itself; an action never is."""
    while game.status == Status.PLAYING:
        options.n = 0
        options.spend = 0
        game.question = Question.NONE
        if game.halted:
            game.limits += 1
            game.agenda_n = 0
            options.then_n = 0
            end_turn(game, box, options)
        elif game.agenda_n > 0:
            step(game, box, options)
        elif game.setup:
            ask_influence(game, box, options)
        elif game.actions >= box.rules.max_actions:
            game.halted = 1
        elif options.then_n > 0:
            play_next(game, box, options)
        else:
            list_actions(game, box, options)
            ask(game, options, Question.ACTION, game.active)
            return
        if game.question != Question.NONE:
            if options.n > 1:
                return
            if game.forced_n < FORCED:
                game.forced_action[game.forced_n] = options.at[0].action
                game.forced_card[game.forced_n] = options.at[0].card
                game.forced_n += 1
            answer(game, box, options, 0)
    options.n = 0
    game.question = Question.NONE
