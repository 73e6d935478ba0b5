"""The rules of the game, compiled: a small function per rule, its number in the docstring (docs/RULES.md).

options and legal write what may be chosen; actions, effects, asking and outcomes do it; market, play_area, resources, triggers, setup and turn_end are
what they stand on. When each has its turn is the engine's business (simulator/engine).
"""
