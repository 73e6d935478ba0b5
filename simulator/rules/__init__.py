"""The rules of the game, compiled: a small function per rule, its number in the docstring (docs/RULES.md).

The agenda carries out what is to happen and asks; options and legal write what may be chosen; actions, effects, asking and outcomes do it; entry_points is
what Python calls.
"""
