"""Tries out what it may do on a copy of the game, to the end of its turn and a little further, and takes what leads to the best position.

It deals what it cannot see anew, a few times, plays each line of play on the same deals as a sensible style would go on, and values where that leads: Health,
the quality of both decks, relics, what stays in play. So it finds orders of play, hordes, purchases and lethal turns that no rule of a style is about.
How it looks ahead stands in strategies/formats/lookahead.py; here are its numbers, small enough for some games a second.
"""

from terrors.strategies.formats.thinker import Thinker

choose = Thinker(__name__, deals=8, rounds=2, turns=2, variants=4)
