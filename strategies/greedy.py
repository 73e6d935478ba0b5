"""Plays every card, forms every horde, buys the best card that it can pay for, and attacks with all its Power.

A turn goes: haunted monsters and relics first (and the overlord's ability, if that costs a card), then the hand (what draws first, faction monsters
before Influence cards), then hordes, then the Street, best card first (an overlord's ability before or after it, by what it costs), and at last all Power
goes into the attack. It never looks ahead, keeps no card back at Pass, and values cards by adding up what they say.
"""

from simulator.enums import Action, Question, Resource
from strategies.common import FIRST_THING, WORTH_BUYING, best_play, buy_worth, form_opinions, play_the_rest, sensible_answer
from strategies.registry import strategy

prepare = form_opinions


@strategy
def choose(game, box, options, work, me):
    if game.question != Question.ACTION:
        return sensible_answer(game, box, options, work, me)
    p = game.player[me]
    overlord_first = p.overlord_ready and work.of[p.overlord].play >= FIRST_THING
    if p.hand.n > 0 and p.haunts_ready + p.relics_ready == 0 and not overlord_first:
        play = best_play(options, work)
        play_the_rest(game, box, options, work, me, play)
        return play
    best, most = options.n - 1, -1e9
    for i in range(options.n):
        option = options.at[i]
        action = option.action
        if action == Action.HAUNT or action == Action.RELIC:
            return i
        elif action == Action.PLAY:
            score = -3.0
        elif action == Action.HORDE_LEFT or action == Action.HORDE_RIGHT:  # grow before forming anew
            return i
        elif action == Action.HORDE:
            score = 500.0
        elif action == Action.OVERLORD:
            score = work.of[option.card].play
        elif action == Action.BUY:
            worth = buy_worth(game, work, option.card) + 0.5 * option.other  # on top of the deck it is here next turn
            score = 200.0 + worth if worth > WORTH_BUYING else -1.0
        elif action == Action.BUY_ACOLYTE:
            score = 200.0 + 1.6
        elif action == Action.CONVERT:
            full = p.health == p.start_health
            score = 150.0 if option.other == Resource.POWER and (full or option.slot == Resource.COIN) else -2.0
        elif action == Action.HEAL:
            score = 110.0
        elif action == Action.ATTACK:
            score = 100.0
        else:
            score = 0.0
        if score > most:
            best, most = i, score
    return best
