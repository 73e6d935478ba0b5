"""What strategies share: opinions of cards, what an ability is worth now, and a sensible answer to every question that is not an action."""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, OptionsRecord, WorkRecord, rule
from terrors.simulator.kernel.layout import THEN
from terrors.simulator.rules.actions import sum_of_table
from terrors.simulator.rules.options import plan
from terrors.simulator.terms.enums import Action, CardType, Cost, Effect, Look, Pile, Place, Question, Resource

ENOUGH_USES = 20  # of an overlord's ability in a turn, so that a turn ends before E1 ends it
WORTH_BUYING = 1.3  # a card that adds less than this to the deck only makes it thicker
UNSEEN_ACOLYTE = 1.6
LATE = 14  # from this turn on (both players counted), Power is worth more than Coin


def worth(has, coin, power):
    """Return the points of what a card has: 1 is about what 1 Power is worth each time that the card is played."""
    points = coin * has.coin + power * has.power + 0.7 * has.regeneration + 0.8 * has.health + 1.1 * has.drain
    points += 1.5 * has.draw + 1.0 * has.curse + 0.5 * has.destroy + 1.3 * has.command + 1.3 * has.muster + 1.9 * has.rage
    points += 0.9 * has.haunt + 0.8 * has.sacrifice + 0.3 * has.claim + 0.9 * has.discard - 0.4 * has.costs + 0.9 * has.reveal + 0.8 * has.other
    return points + 0.45 * (coin * has.horde_coin + power * has.horde_power + 0.9 * has.horde_other)


FIRST_THING, BEFORE_BUYING, AFTER_BUYING = 3000.0, 300.0, 160.0


def overlord_moment(box, card):
    """Return when in a turn an overlord's ability is best used: while there is a hand if it costs a card, after buying if it costs a resource, else before."""
    if card.program.pc == card.program.end:
        return BEFORE_BUYING
    row = box.effect[card.program.pc]
    if row.effect == Effect.COST:
        return FIRST_THING if row.a in (Cost.DISCARD, Cost.HEALTH) else AFTER_BUYING
    if row.effect == Effect.BUY_WITH:
        return AFTER_BUYING
    return FIRST_THING if row.effect in (Effect.DRAW, Effect.COMMAND, Effect.REVEAL, Effect.LOOK, Effect.RAGE) else BEFORE_BUYING


def form_opinions(box, work):
    """Fill `work.of` with what a sensible player thinks of each card."""
    for kind in range(box.kinds):
        card, of = box.card[kind], work.of[kind]
        has = box.has[kind]
        early, late = worth(has, 1.25, 0.95), worth(has, 0.55, 1.25)
        if card.type == CardType.RELIC:  # it is there every turn, not once in a while
            early, late = 1.7 * early + 1.6 * has.armor, 1.5 * late + 1.5 * has.armor
        else:
            early, late = early + 0.3 * has.armor, late + 0.3 * has.armor
        of.early, of.late = early, late
        of.keep = 0.0 if card.pile == Pile.STARTING else 0.5 * (early + late)
        # Order of play: what draws first, then faction monsters, then what has no faction, and Influence cards when a monster is there to light them.
        of.play = 50 * has.draw + (20 if card.faction else 10) + has.coin + has.power - 3 * has.discard - 5 * has.sacrifice
        of.look_again = has.draw + has.command + has.reveal
        if card.type == CardType.OVERLORD:
            of.play = overlord_moment(box, card)
        if card.type == CardType.INFLUENCE:
            of.play = 5 + 20 * has.draw


@rule(inline=True)
def late(game: GameRecord) -> bool:
    """Whether it is time to hit instead of to build."""
    return game.turn >= LATE


@rule(inline=True)
def buy_worth(game: GameRecord, work: WorkRecord, kind: int) -> float:
    """Return the worth of buying a card now."""
    return work.of[kind].late if late(game) else work.of[kind].early


@rule
def row_worth(game: GameRecord, box: BoxRecord, pc: int, me: int) -> float:
    """Return roughly the worth of one row of a program now."""
    row = box.effect[pc]
    p = game.player[me]
    effect = row.effect
    if effect == Effect.GAIN:
        if row.a == Resource.COIN:
            return row.amount * (0.5 if late(game) else 1.1)
        if row.a == Resource.POWER:
            return row.amount * 1.0
        return min(row.amount, p.start_health - p.health) * 0.7
    if effect == Effect.GAIN_HEALTH:
        return min(row.amount, p.start_health - p.health) * 0.7
    if effect == Effect.LOSE_HEALTH:
        return -0.8 * row.amount
    if effect == Effect.OPPONENT_LOSES:
        return 1.0 * row.amount
    if effect == Effect.DRAW:
        return 1.6 * row.amount
    if effect == Effect.COMMAND:
        return 1.2 if p.discard.n > 0 else 0.0
    if effect == Effect.RAGE:
        return 2.0
    if effect == Effect.DISCARD:
        return -1.0 * row.amount
    if effect == Effect.SACRIFICE or effect == Effect.CURSE or effect == Effect.MUSTER:
        return 1.3
    return 0.8


@rule
def program_worth(game: GameRecord, box: BoxRecord, pc: int, end: int, me: int) -> float:
    """Return the worth of a program now: the sum of its rows."""
    total = 0.0
    for i in range(pc, end):
        total += row_worth(game, box, i, me)
    return total


@rule
def ability_worth(game: GameRecord, box: BoxRecord, options: OptionsRecord, i: int, me: int) -> float:
    """Return the worth of the Horde ability of an option now."""
    span = box.card[options.at[i].card].horde[options.at[i].amount]
    return program_worth(game, box, span.pc, span.end, me)


@rule
def best_card(game: GameRecord, options: OptionsRecord, work: WorkRecord) -> int:
    """Return the option with the card that one would most like to have."""
    best, most = 0, -1e9
    for i in range(options.n):
        if options.at[i].action == Action.CARD:
            worth = buy_worth(game, work, options.at[i].card) + (0.2 if options.at[i].other else 0.0)
            if worth > most:
                best, most = i, worth
    return best


@rule
def worst_card(options: OptionsRecord, work: WorkRecord) -> int:
    """Return the option with the card that one would miss least."""
    best, least = 0, 1e9
    for i in range(options.n):
        if options.at[i].action == Action.CARD and work.of[options.at[i].card].keep < least:
            best, least = i, work.of[options.at[i].card].keep
    return best


@rule
def best_ability(game: GameRecord, box: BoxRecord, options: OptionsRecord, me: int) -> int:
    """Return the most useful Horde ability; none if none helps."""
    best, most = options.n - 1, 0.0 if options.at[options.n - 1].action == Action.DECLINE else -1e9
    for i in range(options.n):
        if options.at[i].action == Action.ABILITY:
            worth = ability_worth(game, box, options, i, me)
            if worth > most:
                best, most = i, worth
    return best


@rule
def best_alternative(game: GameRecord, box: BoxRecord, options: OptionsRecord, me: int) -> int:
    """Return the alternative that is worth most now."""
    best, most = 0, -1e9
    for i in range(options.n):
        pc = options.at[i].slot
        worth = program_worth(game, box, pc + 1, pc + 1 + box.effect[pc].skip, me)
        if worth > most:
            best, most = i, worth
    return best


@rule
def answer_curse(game: GameRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Discard a card that one would not miss, or take the blow; never die of it."""
    worst = worst_card(options, work)
    if options.n > 1 and (work.of[options.at[worst].card].keep < 1.0 or game.player[me].health <= options.at[0].amount):
        return worst
    return 0


@rule
def answer_destroy(game: GameRecord, options: OptionsRecord, work: WorkRecord) -> int:
    """Return the rival's best card in play; else the best of the Street; one's own only if nothing else is there."""
    best, most = 0, -1e9
    for i in range(options.n):
        if options.at[i].action != Action.CARD:
            continue
        worth = buy_worth(game, work, options.at[i].card)
        if options.at[i].place == Place.RIVAL_PLAY:
            worth += 100.0
        elif options.at[i].place == Place.PLAY:
            worth = -100.0 - worth
        if worth > most:
            best, most = i, worth
    return best


@rule
def answer_cost(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Pay when what is paid for is worth more than the price. The last option is no."""
    frame = game.agenda[game.agenda_n - 1]
    row = box.effect[frame.pc]
    gain = program_worth(game, box, frame.pc + 1, frame.pc + 1 + row.skip, me)
    if game.question == Question.DISCARD_COST:
        worst = worst_card(options, work)
        return worst if gain > 0.7 + work.of[options.at[worst].card].keep or options.at[options.n - 1].action != Action.DECLINE else options.n - 1
    price = 0.5 * row.amount
    if row.a == Cost.HEALTH:
        price = 0.8 * row.amount if game.player[me].health > 12 else 1e9
    elif row.a == Cost.SACRIFICE_THIS:
        price = 2.0
    return 0 if gain > price else options.n - 1


@rule
def answer_look(options: OptionsRecord, work: WorkRecord) -> int:
    """Discard the cards of the starting deck; the last option is to stop."""
    worst = worst_card(options, work)
    return worst if work.of[options.at[worst].card].keep < 0.5 else options.n - 1


@rule
def can_use_overlord(game: GameRecord, box: BoxRecord, me: int) -> bool:
    """Whether the overlord's ability would do anything: if it begins with a cost, that must be payable; if it buys, there must be something to pay with.

    Where the card allows it more than once in a turn (O1): not if nothing has changed since before the last use, and not without end.
    """
    p = game.player[me]
    if game.tally.overlord_used > 0 and (game.tally.overlord_used >= ENOUGH_USES or game.before_overlord == sum_of_table(game)):
        return False
    row = box.effect[box.card[p.overlord].program.pc]
    if row.effect == Effect.BUY_WITH:
        return p.coin + p.power > 0
    if row.effect != Effect.COST:
        return True
    if row.a == Cost.DISCARD:
        return p.hand.n >= row.amount
    if row.a == Cost.COIN:
        return p.coin >= row.amount
    if row.a == Cost.REGENERATION:
        return p.regeneration >= row.amount
    if row.a == Cost.HEALTH:
        return p.health > row.amount
    return row.a != Cost.POWER or p.power >= row.amount


@rule
def answer_buy_with(game: GameRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return the best card, unless it would take Power from a late attack. The last option is none."""
    best = best_card(game, options, work)
    option = options.at[best]
    if late(game) and game.player[me].coin < option.amount:
        return options.n - 1
    return best if buy_worth(game, work, option.card) > WORTH_BUYING else options.n - 1


@rule
def sensible_answer(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return an answer to any question but what to do in the Action Phase."""
    question = game.question
    if question == Question.HORDE_ABILITY or question == Question.ACTIVATE:
        return best_ability(game, box, options, me)
    if question == Question.CURSE:
        return answer_curse(game, options, work, me)
    if question == Question.CHOOSE:
        return best_alternative(game, box, options, me)
    if question == Question.COST or question == Question.DISCARD_COST:
        return answer_cost(game, box, options, work, me)
    if question == Question.DESTROY:
        return answer_destroy(game, options, work)
    if question == Question.SACRIFICE or question == Question.DISCARD or question == Question.RELIC_LIMIT:
        return worst_card(options, work)
    if question == Question.LOOK:
        return answer_look(options, work)
    if question == Question.BUY_WITH:
        return answer_buy_with(game, options, work, me)
    if question == Question.PAYMENT or question == Question.TRIGGER:
        return 0
    return best_card(game, options, work)


@rule
def best_play(options: OptionsRecord, work: WorkRecord) -> int:
    """Return the card to play next; plays come first on the list."""
    best, most = 0, -1e9
    for i in range(options.hordes_from):
        value = work.of[options.at[i].card].play
        if value > most:
            best, most = i, value
    return best


@rule
def best_horde(options: OptionsRecord) -> int:
    """Return a Horde Action: grow a horde rather than form a new one."""
    for i in range(options.hordes_from, options.ready_from):
        if options.at[i].action != Action.HORDE:
            return i
    return options.hordes_from


@rule
def best_buy(game: GameRecord, options: OptionsRecord, work: WorkRecord) -> int:
    """Return the purchase that adds most to the deck, on top of it where that is possible; -1 if none adds enough."""
    best, most = -1, WORTH_BUYING
    for i in range(options.buys_from, options.others_from):
        option = options.at[i]
        worth = UNSEEN_ACOLYTE if option.action == Action.BUY_ACOLYTE else buy_worth(game, work, option.card) + 0.5 * option.other
        if worth > most:
            best, most = i, worth
    return best


@rule
def last_thing(game: GameRecord, options: OptionsRecord, me: int) -> int:
    """Return what to do when all is played and bought: turn what is left into Power, attack, then Pass, which also spends what Regeneration is left (G5)."""
    p = game.player[me]
    attack = -1
    for i in range(options.others_from, options.n):
        option = options.at[i]
        if option.action == Action.CONVERT and option.other == Resource.POWER and (p.health == p.start_health or option.slot == Resource.COIN):
            return i
        if option.action == Action.ATTACK:
            attack = i
    return attack if attack >= 0 else options.n - 1


@rule
def name_plays(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int, left: int, unless: int) -> None:
    """Name the plays of these hand places (bits) in their order, up to a card that brings others to the hand; `unless` is for the first of them."""
    hand = game.player[me].hand
    for i in range(hand.n):
        work.order[0, i] = work.of[box.kind_of[hand.card[i]]].play
    look = False
    while left and not look:
        most = -1e9
        at = 0
        for i in range(hand.n):
            if left >> i & 1 and work.order[0, i] > most:
                at, most = i, work.order[0, i]
        kind = box.kind_of[hand.card[at]]
        left &= ~(1 << at)
        plan(options, Action.PLAY, kind, 0, 0, unless)
        unless = 0
        look = work.of[kind].look_again != 0


@rule
def play_the_rest(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int, play: int) -> None:
    """Name the plays that follow this one in the same order, up to a card that brings others to the hand: then one wants to look again."""
    hand = game.player[me].hand
    option = options.at[play]
    if 1 < hand.n <= THEN and work.of[option.card].look_again == 0:
        name_plays(game, box, options, work, me, ((1 << int(hand.n)) - 1) & ~(1 << int(option.slot)), 0)


@rule
def use_all(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int, plays: bool) -> int:
    """Return the first relic or haunted monster and name the others; and then the plays, if these come next and nothing that they depend on changes."""
    for i in range(options.ready_from + 1, options.overlord_from):
        option = options.at[i]
        plan(options, option.action, option.card, option.slot, 0, 0)
    hand = game.player[me].hand
    overlord_first = options.buys_from > options.overlord_from and work.of[options.at[options.overlord_from].card].play == FIRST_THING
    if plays and 0 < hand.n <= THEN and not overlord_first:
        name_plays(game, box, options, work, me, (1 << int(hand.n)) - 1, Look.HAND | Look.PLAY)
    return options.ready_from


@rule
def next_in_horde(game: GameRecord, me: int, action: int, a: int, b: int, s: int) -> int:
    """Return the slot to the right of slot s in the horde that a Horde Action (of slot a with slot b) makes; -1 at its end."""
    if s == a:
        return -1 if action == Action.HORDE_RIGHT else b
    right = game.player[me].play[s].right
    return a if right < 0 and action == Action.HORDE_RIGHT else right


@rule
def first_in_horde(game: GameRecord, me: int, action: int, a: int, b: int) -> int:
    """Return the leftmost slot of the horde that a Horde Action makes."""
    if action != Action.HORDE_RIGHT:
        return a
    while game.player[me].play[b].left >= 0:
        b = game.player[me].play[b].left
    return b


@rule
def name_ability(options: OptionsRecord, kind: int, slot: int, number: int) -> None:
    """Name the Horde ability that is used after this Horde Action; none if the number is -1."""
    plan(options, Action.ABILITY if number >= 0 else Action.DECLINE, kind, slot, 0, 0)
    options.then[options.then_n - 1].amount = max(0, number)


@rule
def name_the_end(game: GameRecord, options: OptionsRecord, me: int, unless: int) -> None:
    """Name the attack, if there is Power, and Pass."""
    if game.player[me].power > 0:
        plan(options, Action.ATTACK, -1, 0, 0, unless)
    plan(options, Action.PASS, -1, 0, 0, unless)


@rule
def buy_and_end(game: GameRecord, box: BoxRecord, options: OptionsRecord, me: int, buy: int) -> int:
    """Return the purchase; and if the overlord is done with, and nothing can be converted, name the end of the turn, unless there is more to buy."""
    option = options.at[buy]
    relic = option.action == Action.BUY and box.card[option.card].type == CardType.RELIC
    if options.buys_from == options.overlord_from and game.player[me].converts == 0 and not relic:
        name_the_end(game, options, me, Look.CAN_BUY | Look.TRIGGER)
    return buy
