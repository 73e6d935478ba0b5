"""The course of a game, compiled: the agenda carries out what is to happen and asks; forks and logs watch it; entry_points is what Python calls."""
