"""A turn played well: what to do next in an Action Phase, for every style. A style differs by its taste (taste.py) and by what it decides itself before."""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, OptionsRecord, PlayerRecord, WorkRecord, rule
from terrors.simulator.kernel.layout import THEN
from terrors.simulator.rules.options import ABILITY_USED, plan
from terrors.simulator.rules.play_area import faction_in_play, horde_length
from terrors.simulator.rules.resources import damage_of
from terrors.simulator.terms.enums import Action, CardType, Effect, Event, Look, Mark, Question, Resource
from terrors.strategies.kit.buying import BY_PRICES, best_by_price, best_purchase
from terrors.strategies.kit.decisions import good_answer
from terrors.strategies.kit.simple import can_use_overlord, first_in_horde, name_ability, name_the_end, next_in_horde
from terrors.strategies.kit.taste import AFTER_BUYING, AFTER_PLAYS, AT_ONCE, BEFORE_BUYING, OWN_FACTION_FIRST, UNLIT
from terrors.strategies.kit.valuation import (
    NEVER,
    best_single,
    card_worth,
    deal,
    health_worth,
    price_street,
    program_now,
    turns_left,
)


@rule
def kills(game: GameRecord, me: int, power: int) -> bool:
    """A2: whether so much Power, attacking now, ends the game."""
    return damage_of(game, me, power) >= game.player[1 - me].health


@rule
def option_of(options: OptionsRecord, action: int) -> int:
    """Return the option for one of the other actions (attack, heal, pass); -1 if it is not on the list."""
    for i in range(options.others_from, options.n):
        if options.at[i].action == action:
            return i
    return -1


@rule
def order_in(game: GameRecord, box: BoxRecord, work: WorkRecord, me: int, kind: int, lit: bool) -> float:
    """Return the place of a card in the order of play now: an Influence card that is not lit waits, the monsters that could light it hurry."""
    order = work.of[kind].play
    c = box.card[kind]
    if c.type == CardType.INFLUENCE:
        return order if lit else min(order, UNLIT)
    return order + (OWN_FACTION_FIRST if c.faction == game.player[me].faction else 0.0)


@rule
def next_play(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return the card to play next; plays come first on the list. Write down the order of play of the hand, for `name_the_rest`."""
    p = game.player[me]
    work.lit = faction_in_play(game, box, me, p.faction) > 0
    best, most = 0, NEVER
    for i in range(min(p.hand.n, THEN)):
        kind = box.kind_of[p.hand.card[i]]
        order = order_in(game, box, work, me, kind, True)
        work.order[1, i] = order
        work.order[0, i] = min(order, UNLIT) if box.card[kind].type == CardType.INFLUENCE else order
    for i in range(options.hordes_from):
        at = options.at[i].slot
        order = work.order[work.lit, at] if at < THEN else order_in(game, box, work, me, options.at[i].card, work.lit > 0)
        better = order > most
        best = i if better else best
        most = order if better else most
    return best


@rule(inline=True)
def may_keep(box: BoxRecord, work: WorkRecord, kind: int) -> bool:
    """Whether a card is of the sort that may be worth more next turn: it gives Coin and nothing else at once, or waits to be lit."""
    c = box.card[kind]
    if c.type == CardType.INFLUENCE and work.wants.wait > 0.0:
        return True
    return work.wants.keep > 0.0 and (c.type == CardType.INFLUENCE or c.coin > 1) and c.power == 0 and work.of[kind].look_again == 0


@rule
def name_the_rest(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int, left: int, kind: int) -> None:
    """Name the plays of the hand places that are left (bits) after a card, up to one that brings others to the hand or may be better kept or played later.

    After `next_play`.
    """
    p = game.player[me]
    hand = p.hand
    now = int(work.lit)
    while left and work.of[kind].look_again == 0:
        now |= (box.card[kind].type == CardType.MONSTER) & (box.card[kind].faction == p.faction)
        most = NEVER
        at = 0
        for i in range(hand.n):  # without a branch that the processor could guess wrong
            order = work.order[now, i]
            better = (order > most) & (left >> i & 1 != 0)
            at = i if better else at
            most = order if better else most
        kind = int(box.kind_of[hand.card[at]])
        left &= ~(1 << at)
        if most < 0.0 or (left == 0 and may_keep(box, work, kind)):
            break
        plan(options, Action.PLAY, kind, 0, 0, 0)


@rule
def name_the_hand(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> None:
    """Name the plays, if nothing that they depend on changes before them."""
    hand = game.player[me].hand
    if not 1 < hand.n <= THEN:
        return
    play = next_play(game, box, options, work, me)
    kind = int(options.at[play].card)
    if work.of[kind].play >= 0.0:
        plan(options, Action.PLAY, kind, 0, 0, Look.HAND | Look.PLAY | Look.CAN_KILL)
        name_the_rest(game, box, options, work, me, ((1 << int(hand.n)) - 1) & ~(1 << int(options.at[play].slot)), kind)


@rule
def keeps_last(game: GameRecord, box: BoxRecord, work: WorkRecord, me: int) -> bool:
    """X1: whether the only card in hand is worth more next turn, in the place of an unknown one, than it is now."""
    p = game.player[me]
    kind = int(box.kind_of[p.hand.card[0]])
    turns = turns_left(game, work, me)
    if not may_keep(box, work, kind) or turns < 1.5:
        return False
    c = box.card[kind]
    price_street(game, box, work, me)
    now = 0.1 * c.coin + deal(work, p.coin + c.coin) - deal(work, p.coin) + work.wants.power * c.power
    now += program_now(game, box, work, c.program.pc, c.program.end, me, 1) + health_worth(game, work, me) * c.regeneration
    later = work.wants.keep * (card_worth(game, work, kind, turns) - work.mean_worth)
    if c.type == CardType.INFLUENCE and faction_in_play(game, box, me, p.faction) == 0:
        later += work.wants.wait
    return now < later


@rule
def ability_in_slot(game: GameRecord, box: BoxRecord, work: WorkRecord, me: int, s: int, length: int) -> float:
    """Return the best unused Horde ability of the monster in a slot."""
    slot = game.player[me].play[s]
    c = box.card[box.kind_of[slot.card]]
    best = 0.0
    for h in range(c.hordes):
        if not slot.marks & (ABILITY_USED << h):
            best = max(best, program_now(game, box, work, c.horde[h].pc, c.horde[h].end, me, length))
    return best


@rule
def token_at_stake(game: GameRecord, box: BoxRecord, work: WorkRecord, me: int, s: int) -> float:
    """N3: return the worth of what a monster would do next turn if it stays out of hordes in this one."""
    slot = game.player[me].play[s]
    if not slot.marks & Mark.HAUNT_SIDE:
        return 0.0
    kind = box.kind_of[slot.card]
    return work.wants.stay * (work.of[kind].keep * 0.6 + box.card[kind].armor)


@rule
def could_join(p: PlayerRecord, joined: int, other: int, action: int) -> int:
    """H2: return the number of free monsters that could stand at the ends that a Horde Action makes."""
    left = int(p.play[joined].link_left) if action != Action.HORDE_RIGHT else 0
    right = int(p.play[other if action == Action.HORDE else joined].link_right) if action != Action.HORDE_LEFT else 0
    n = 0
    for s in range(p.slots):
        slot = p.play[s]
        fits = ((left > 0) & (slot.link_right == left)) | ((right > 0) & (slot.link_left == right))
        n += fits & (slot.card >= 0) & (slot.marks & Mark.HORDE == 0) & (s != joined) & (s != other)
    return n


@rule
def horde_worth(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int, i: int) -> float:
    """Return the points of a Horde Action: the best ability of the horde that it makes, what hears of it, and the token that it turns."""
    option = options.at[i]
    p = game.player[me]
    joined = int(option.slot)
    other = int(option.other)
    value = work.wants.chain * could_join(p, joined, other, option.action) - token_at_stake(game, box, work, me, joined)
    if option.action == Action.HORDE:
        value -= token_at_stake(game, box, work, me, other)
        best = max(ability_in_slot(game, box, work, me, joined, 2), ability_in_slot(game, box, work, me, other, 2))
        return value + best + (1.0 if p.ears >> Event.HORDE_FORMED & 1 else 0.0)
    s = other
    while p.play[s].left >= 0:
        s = p.play[s].left
    first = s
    length = 2
    while p.play[s].right >= 0:
        s = p.play[s].right
        length += 1
    best = ability_in_slot(game, box, work, me, joined, length)
    s = first
    while s >= 0:
        best = max(best, ability_in_slot(game, box, work, me, s, length))
        s = p.play[s].right
    return value + best + 0.3 + (1.0 if p.ears >> Event.HORDE_EXPANDED & 1 else 0.0)


@rule
def good_horde(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return the Horde Action that is worth most; -1 if none is worth it."""
    if options.ready_from == options.hordes_from:
        return -1
    best, most = -1, 0.3
    for i in range(options.hordes_from, options.ready_from):
        value = horde_worth(game, box, options, work, me, i)
        if value > most:
            best, most = i, value
    return best


@rule
def name_good_ability(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int, i: int) -> None:
    """Name the Horde ability that is worth most when a Horde Action is done; none if none helps (decisions.best_ability_now)."""
    option = options.at[i]
    action, a, b = option.action, option.slot, option.other
    p = game.player[me]
    length = 2 if action == Action.HORDE else horde_length(p, b) + 1
    kind, slot, number = -1, -1, -1
    most = NEVER if box.rules.horde_must and action != Action.HORDE else 0.0
    s = first_in_horde(game, me, action, a, b)
    while s >= 0:
        c = box.card[box.kind_of[p.play[s].card]]
        for h in range(c.hordes):
            if not p.play[s].marks & (ABILITY_USED << h):
                value = program_now(game, box, work, c.horde[h].pc, c.horde[h].end, me, length)
                if value > most:
                    kind, slot, number, most = box.kind_of[p.play[s].card], s, h, value
        s = next_in_horde(game, me, action, a, b, s)
    name_ability(options, kind, slot, number)


@rule
def good_purchase(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return the purchase that adds most together with what the rest of the Coin can buy; -1 if none adds anything."""
    if options.buys_from == options.others_from:
        return -1
    if work.value.buys == BY_PRICES:
        return best_by_price(game, box, options, work, me)
    if work.value.buys:
        return best_purchase(game, box, options, work, me)
    price_street(game, box, work, me)
    coin = game.player[me].coin
    best, most = -1, 0.0
    for i in range(options.buys_from, options.others_from):
        option = options.at[i]
        at = game.street_n if option.action == Action.BUY_ACOLYTE else int(option.slot)
        gain = work.price.gain[at]
        if option.other:  # on top of the deck: it comes next turn for sure
            gain += card_worth(game, work, option.card, turns_left(game, work, me)) - work.mean_worth
        if gain > 0.0:
            gain += best_single(work, coin - option.amount, at)
        if gain > most:
            best, most = i, gain
    return best


@rule
def good_conversion(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """G1: return the option that turns Power into Coin as far as it buys more than it would strike, how much in `options.spend`; -1 if it does not pay."""
    p = game.player[me]
    for i in range(options.others_from, options.n):
        option = options.at[i]
        if option.action == Action.CONVERT and option.other == Resource.COIN and option.slot == Resource.POWER:
            price_street(game, box, work, me)
            base = deal(work, p.coin)
            best, most = 0, 0.2
            for spent in range(1, option.amount + 1):
                value = deal(work, p.coin + spent) - base - work.wants.power * spent
                if value > most:
                    best, most = spent, value
            if best > 0:
                options.spend = best
                return i
    return -1


@rule
def end_of_turn(game: GameRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return what to do when all is played and bought: turn what is left into Power, attack, then Pass, which also spends what Regeneration is left (G5)."""
    p = game.player[me]
    for i in range(options.others_from, options.n):
        option = options.at[i]
        if option.action == Action.CONVERT and option.other == Resource.POWER:
            healthy = p.health + p.regeneration > p.start_health or work.wants.power > health_worth(game, work, me)
            if option.slot == Resource.COIN or healthy or kills(game, me, p.power + p.regeneration):
                return i
    attack = option_of(options, Action.ATTACK)
    return attack if attack >= 0 else options.n - 1


@rule
def is_vain(game: GameRecord, box: BoxRecord, me: int, kind: int) -> bool:
    """Whether using a card would do nothing, or kill its owner (T4)."""
    p = game.player[me]
    c = box.card[kind]
    vain = c.program.end - c.program.pc == 1 and box.effect[c.program.pc].effect == Effect.SHUFFLE and p.discard.n == 0
    for i in range(c.program.pc, c.program.end):
        vain = vain or (box.effect[i].effect == Effect.LOSE_HEALTH and box.effect[i].amount >= p.health)
    return vain


@rule
def may_be_vain(box: BoxRecord, kind: int) -> bool:
    """Whether a card is of the sort of which `is_vain` may come to be true, or not to be true any more."""
    c = box.card[kind]
    found = False
    for i in range(c.program.pc, c.program.end):
        found = found or box.effect[i].effect == Effect.LOSE_HEALTH or box.effect[i].effect == Effect.SHUFFLE
    return found


@rule
def ready_at(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int, moment: float) -> int:
    """Return a haunted monster, or a relic whose moment has come; -1 if there is none."""
    for i in range(options.ready_from, options.overlord_from):
        option = options.at[i]
        if (option.action == Action.HAUNT or work.of[option.card].moment <= moment) and not is_vain(game, box, me, option.card):
            return i
    return -1


@rule
def name_the_ready(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int, ready: int) -> None:
    """Name what else is used at once, and then, if these come next, the plays."""
    for i in range(options.ready_from, options.overlord_from):
        if may_be_vain(box, options.at[i].card):
            return
    for i in range(ready + 1, options.overlord_from):
        option = options.at[i]
        if option.action == Action.HAUNT or work.of[option.card].moment <= AT_ONCE:
            plan(options, option.action, option.card, option.slot, 0, Look.CAN_KILL)
    if options.buys_from == options.overlord_from or work.of[options.at[options.overlord_from].card].moment != AT_ONCE:
        name_the_hand(game, box, options, work, me)


@rule
def nothing_else(game: GameRecord, box: BoxRecord, options: OptionsRecord, me: int) -> bool:
    """Whether there is nothing to do but to buy, attack and heal: an overlord that cannot be used now cannot be after that either.

    Unless it has been used in this turn: then it may be again when the table has changed (simple.can_use_overlord).
    """
    p = game.player[me]
    if options.overlord_from > 0 or p.hand.n > 0 or p.converts != 0:
        return False
    return options.buys_from == 0 or (game.tally.overlord_used == 0 and not can_use_overlord(game, box, me))


@rule
def good_action(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return what to do next in the Action Phase."""
    p = game.player[me]
    if p.power > 0 and kills(game, me, p.power):
        return option_of(options, Action.ATTACK)
    moment = -1.0  # of the overlord's ability, if it would do anything
    if options.buys_from > options.overlord_from and can_use_overlord(game, box, me):
        moment = work.of[options.at[options.overlord_from].card].moment
    ready = ready_at(game, box, options, work, me, AT_ONCE)
    if ready >= 0:
        name_the_ready(game, box, options, work, me, ready)
        return ready
    if moment == AT_ONCE:
        return options.overlord_from
    playing = options.hordes_from > 0 and not (p.hand.n == 1 and keeps_last(game, box, work, me))
    play = next_play(game, box, options, work, me) if playing else -1
    if playing and work.of[options.at[play].card].play >= 0.0:
        if 1 < p.hand.n <= THEN:
            name_the_rest(game, box, options, work, me, ((1 << int(p.hand.n)) - 1) & ~(1 << int(options.at[play].slot)), int(options.at[play].card))
        return play
    horde = good_horde(game, box, options, work, me)
    if horde >= 0:
        name_good_ability(game, box, options, work, me, horde)
        return horde
    if playing:
        return play
    ready = ready_at(game, box, options, work, me, AFTER_PLAYS)
    if ready >= 0:
        return ready
    if moment == BEFORE_BUYING and options.others_from > options.buys_from:
        return options.overlord_from
    conversion = good_conversion(game, box, options, work, me)
    if conversion >= 0:
        return conversion
    purchase = good_purchase(game, box, options, work, me)
    if purchase >= 0:
        option = options.at[purchase]
        if nothing_else(game, box, options, me) and not (option.action == Action.BUY and box.card[option.card].type == CardType.RELIC):
            name_the_end(game, options, me, Look.CAN_BUY | Look.TRIGGER)
        return purchase
    if moment == AFTER_BUYING:
        return options.overlord_from
    ready = ready_at(game, box, options, work, me, AFTER_BUYING)
    if ready >= 0:
        return ready
    last = end_of_turn(game, options, work, me)
    if options.at[last].action == Action.ATTACK and nothing_else(game, box, options, me):
        plan(options, Action.PASS, -1, 0, 0, Look.CAN_BUY)
    return last


@rule
def play_well(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return the answer of a sensible player with this taste, whatever is asked."""
    work.averaged = 0
    work.priced = 0
    if game.question == Question.ACTION:
        return good_action(game, box, options, work, me)
    return good_answer(game, box, options, work, me)
