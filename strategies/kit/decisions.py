"""Answers to every question but what to do in the Action Phase, as a style that weighs things up gives them. Prices come from valuation.py."""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, OptionsRecord, WorkRecord, rule
from terrors.simulator.rules.play_area import horde_length
from terrors.simulator.terms.enums import Action, CardType, Cost, Mark, Place, Question
from terrors.strategies.kit.valuation import (
    NEVER,
    card_worth,
    gain_of_card,
    health_worth,
    links_in_play,
    mean_worth,
    price_now,
    price_street,
    program_now,
    turns_left,
)


@rule
def least_missed(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return the option with the card that one would miss least: out of the discard pile rather than out of play, and out of the hand last."""
    turns = turns_left(game, work, me)
    best, least = 0, 1e9
    for i in range(options.n):
        option = options.at[i]
        if option.action != Action.CARD:
            continue
        worth = card_worth(game, work, option.card, turns)
        if option.place == Place.HAND:
            worth += 0.5
        elif option.place == Place.PLAY and (box.card[option.card].type == CardType.RELIC or game.player[me].play[option.slot].marks & Mark.HAUNT_SIDE):
            worth += 3.0  # these would still be there next turn
        if worth < least:
            best, least = i, worth
    return best


@rule
def most_useful(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return the option with the card whose activation one would most like: COMMAND, HAUNT another monster, a card to take, an Influence card to begin with."""
    turns = turns_left(game, work, me)
    best, most = 0, NEVER
    for i in range(options.n):
        option = options.at[i]
        if option.action != Action.CARD:
            continue
        worth = work.of[option.card].keep if game.question == Question.INFLUENCE else card_worth(game, work, option.card, turns)
        if game.question == Question.HAUNT_ANOTHER:
            worth += box.card[option.card].armor
        elif game.question == Question.COMMAND:
            worth += work.wants.link * links_in_play(box, game.player[me], option.card)
        if box.card[option.card].faction == game.player[me].faction:
            worth += work.wants.loyal
        if worth > most:
            best, most = i, worth
    return best


@rule
def answer_curse_well(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """K1: choose the card that is least missed or the Health, whichever is worth less; never die of it."""
    if options.n == 1:
        return 0
    worst = least_missed(game, box, options, work, me)
    if game.player[me].health <= options.at[0].amount:
        return worst
    loss = health_worth(game, work, me) * options.at[0].amount
    return worst if card_worth(game, work, options.at[worst].card, turns_left(game, work, me)) < loss else 0


@rule
def answer_destroy_well(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """K2: choose what hurts the rival most: a relic, a haunted monster, or the Street card that they would like to find and that one cannot pay now."""
    turns = turns_left(game, work, me)
    best, most = options.n - 1, 0.0 if options.at[options.n - 1].action == Action.DECLINE else NEVER
    for i in range(options.n):
        option = options.at[i]
        if option.action != Action.CARD:
            continue
        worth = card_worth(game, work, option.card, turns)
        c = box.card[option.card]
        if option.place == Place.RIVAL_PLAY:
            value = 2.0 + (2.0 if c.type == CardType.RELIC else 1.0) * worth + 2.0 * c.armor
        elif option.place == Place.STREET:
            value = work.wants.deny * worth - (worth if c.cost <= game.player[me].coin else 0.0)
        elif c.type == CardType.RELIC or game.player[me].play[option.slot].marks & Mark.HAUNT_SIDE:
            value = -2.0 - 2.0 * worth
        else:  # it would go to the discard pile anyway
            value = -0.2
        if value > most:
            best, most = i, value
    return best


@rule
def answer_cost_well(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Pay when what is paid for is worth more than the price. The last option is no."""
    frame = game.agenda[game.agenda_n - 1]
    row = box.effect[frame.pc]
    gain = program_now(game, box, work, frame.pc + 1, frame.pc + 1 + row.skip, me, 1)
    if game.question == Question.DISCARD_COST:
        worst = least_missed(game, box, options, work, me)
        if options.at[options.n - 1].action != Action.DECLINE or gain > card_worth(game, work, options.at[worst].card, turns_left(game, work, me)):
            return worst
        return options.n - 1
    if row.a == Cost.HEALTH and game.player[me].health <= 4 * row.amount:
        return options.n - 1
    return 0 if gain > price_now(game, box, work, frame.pc, me) else options.n - 1


@rule
def answer_look_well(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """G2: discard what is worse than the card that would be drawn instead; the last option is to stop."""
    worst = least_missed(game, box, options, work, me)
    below = card_worth(game, work, options.at[worst].card, turns_left(game, work, me)) < mean_worth(game, box, work, me)
    return worst if below else options.n - 1


@rule
def answer_buy_with_well(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return the Street card that adds most after what it costs in Power. The last option is none."""
    p = game.player[me]
    price_street(game, box, work, me)
    best, most = options.n - 1, 0.0
    for i in range(options.n - 1):
        option = options.at[i]
        gain = gain_of_card(game, box, work, me, option.card) + (1.0 if option.other else 0.0)
        gain -= work.wants.power * max(0, option.amount - p.coin)
        if gain > most:
            best, most = i, gain
    return best


@rule
def best_ability_now(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """H3: return the Horde ability that is worth most now; none if none helps."""
    best, most = options.n - 1, 0.0 if options.at[options.n - 1].action == Action.DECLINE else NEVER
    for i in range(options.n):
        option = options.at[i]
        if option.action == Action.ABILITY:
            span = box.card[option.card].horde[option.amount]
            value = program_now(game, box, work, span.pc, span.end, me, max(1, horde_length(game.player[me], option.slot)))
            if value > most:
                best, most = i, value
    return best


@rule
def best_program(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """K5, P4: return the alternative that is worth most now; the trigger that is worth most first, in case that the game ends or the cards for it leave."""
    best, most = 0, NEVER
    for i in range(options.n):
        option = options.at[i]
        if game.question == Question.TRIGGER:
            trigger = box.card[option.card].trigger[option.amount]
            pc, end = trigger.pc, trigger.end
        else:
            pc = option.slot + 1
            end = pc + box.effect[option.slot].skip
        value = program_now(game, box, work, pc, end, me, 1)
        if value > most:
            best, most = i, value
    return best


@rule
def good_answer(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return an answer to any question but what to do in the Action Phase."""
    question = game.question
    if question == Question.HORDE_ABILITY or question == Question.ACTIVATE:
        return best_ability_now(game, box, options, work, me)
    if question == Question.CURSE:
        return answer_curse_well(game, box, options, work, me)
    if question == Question.CHOOSE:
        return best_program(game, box, options, work, me)
    if question == Question.COST or question == Question.DISCARD_COST:
        return answer_cost_well(game, box, options, work, me)
    if question == Question.DESTROY:
        return answer_destroy_well(game, box, options, work, me)
    if question == Question.SACRIFICE or question == Question.DISCARD or question == Question.RELIC_LIMIT:
        return least_missed(game, box, options, work, me)
    if question == Question.LOOK:
        return answer_look_well(game, box, options, work, me)
    if question == Question.BUY_WITH:
        return answer_buy_with_well(game, box, options, work, me)
    if question == Question.PAYMENT:  # the first mix has the most Coin, which is lost at the end of the turn anyway
        return 0
    if question == Question.TRIGGER:
        return best_program(game, box, options, work, me)
    return most_useful(game, box, options, work, me)
