"""Plays every card, forms every horde, buys the best card that it can pay for, and attacks with all its Power.

A turn goes: haunted monsters and relics first (and the overlord's ability, if that costs a card), then the hand (what draws first, faction monsters
before Influence cards), then hordes, then the Street, best card first (an overlord's ability before or after it, by what it costs), and at last all Power
goes into the attack. It never looks ahead, keeps no card back at Pass, and values cards by adding up what they say.
"""

from strategies.common import form_opinions, greedy_answer
from strategies.registry import strategy

prepare = form_opinions


@strategy
def choose(game, box, options, work, me):
    return greedy_answer(game, box, options, work, me)
