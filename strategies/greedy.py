"""Plays every card, forms every horde, buys the best card that it can pay for, and attacks with all its Power.

A turn goes: haunted monsters and relics first (and the overlord's ability, if that costs a card), then the hand (what draws first, faction monsters
before Influence cards), then hordes, then the Street, best card first (an overlord's ability before or after it, by what it costs), and at last all Power
goes into the attack. It never looks ahead, keeps no card back at Pass, and values cards by adding up what they say.
"""

from terrors.simulator.rules.options import plan
from terrors.simulator.terms.enums import Action, Question
from terrors.strategies.formats.registry import strategy
from terrors.strategies.kit.simple import (
    AFTER_BUYING,
    BEFORE_BUYING,
    FIRST_THING,
    best_buy,
    best_horde,
    best_play,
    buy_and_end,
    can_use_overlord,
    form_opinions,
    last_thing,
    play_the_rest,
    sensible_answer,
    use_all,
)

prepare = form_opinions


@strategy
def choose(game, box, options, work, me):
    if game.question != Question.ACTION:
        return sensible_answer(game, box, options, work, me)
    overlord = -1  # the option to use the overlord's ability, if it would do anything
    moment = 0.0
    if options.buys_from > options.overlord_from and can_use_overlord(game, box, me):
        overlord = options.overlord_from
        moment = work.of[options.at[overlord].card].play
    if options.overlord_from > options.ready_from:  # a relic or a haunted monster
        return use_all(game, box, options, work, me, True)
    if moment == FIRST_THING:
        return overlord
    if options.hordes_from > 0:
        play = best_play(options, work)
        play_the_rest(game, box, options, work, me, play)
        return play
    if options.ready_from > options.hordes_from:
        return best_horde(options)
    if moment == BEFORE_BUYING:
        return overlord
    buy = best_buy(game, options, work)
    if buy >= 0:
        return buy_and_end(game, box, options, me, buy)
    if moment == AFTER_BUYING:
        return overlord
    last = last_thing(game, options, me)
    if options.at[last].action == Action.ATTACK and (options.buys_from == options.overlord_from or game.tally.overlord_used == 0):
        plan(options, Action.PASS, -1, 0, 0, 0)
    return last
