"""Thinks as planner does, but long: many more deals, more lines of play, and the game played on for several turns; the strongest player here, and slow.

For each thing that it may do it plays some hundred games on from there, with the cards that it cannot see dealt anew, both sides played as greedy plays; lines
that do badly are dropped, and the luck that is saved goes to the others. How strong the quick strategies are is best measured against this one.
How it looks ahead stands in strategies/lookahead.py; here are its numbers.
"""

from strategies.lookahead import DEALS, ROUNDS, TURNS, VARIANTS, look_ahead, prepare_to_look
from strategies.registry import Strategy

SLOW = True


def prepare(box, work):
    prepare_to_look(box, work, {DEALS: 8, ROUNDS: 4, TURNS: 6, VARIANTS: 16})


choose = Strategy(look_ahead, module=__name__, engine=True)
