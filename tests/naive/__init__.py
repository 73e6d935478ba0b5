"""A second, independent implementation of the game, written from docs/ alone, for differential tests.

Simple and slow on purpose. `cards` reads the card file, `luck` shuffles, `table` holds the pieces,
`effects` carries out what abilities say, `game` runs setup, turns and actions (class NaiveGame).
"""

from .game import NaiveGame

__all__ = ["NaiveGame"]
