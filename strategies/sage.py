"""Thinks as planner does, but long: many more deals, more lines of play, and the game played on for several turns; the strongest player here, and slow.

For each thing that it may do it plays some hundred games on from there, with the cards that it cannot see dealt anew, both sides played as greedy plays; lines
that do badly are dropped, and the luck that is saved goes to the others. How strong the quick strategies are is best measured against this one.
How it looks ahead stands in strategies/lookahead.py; here are its numbers.
"""

from strategies.lookahead import DEALS, ROUNDS, TURNS, VARIANTS
from strategies.thinker import Thinker

choose = Thinker(__name__, {DEALS: 8, ROUNDS: 4, TURNS: 4, VARIANTS: 16})
