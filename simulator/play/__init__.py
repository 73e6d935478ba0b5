"""Cards, rules and strategies brought together: the box that a game is played with, a game to play by hand, matches of very many."""
