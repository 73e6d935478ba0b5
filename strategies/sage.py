"""Thinks as planner does, but long: many more deals, more lines of play, and further ahead; the strongest player here, and slow.

For each thing that it may do it plays on from there some dozen times and more, with the cards that it cannot see dealt anew and a sensible style on both
sides. Lines that do badly are dropped early, and the time goes to the others. How good the quick strategies are is best measured against this one.
How it looks ahead stands in strategies/formats/lookahead.py; here are its numbers.
"""

from terrors.strategies.formats.thinker import Thinker
from terrors.strategies.formats.value import FILE

choose = Thinker(__name__, value=FILE, deals=8, rounds=4, turns=4, variants=16)
