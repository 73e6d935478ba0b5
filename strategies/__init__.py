"""Plans of play, one per file. A new file in this folder is found by its name; nothing is registered. docs/STRATEGIES.md is the how-to.

A file is Python, or a priority list (.toml, played by strategies/formats/lists) or numbers (.json).

A strategy in Python answers one question at a time:

    @strategy
    def choose(game, box, options, work, me):
        ...
        return i        # 0 <= i < options.n

A plan may have opinions of the cards: a plain Python function `prepare(box, work)` beside it is called once before the first game and fills `work.of[kind]`.
It is asked only when there is more than one option. `simulator/kernel/layout.py` is the page that says what the records hold. It must play by what a player at
the table sees (G7): the peeking check re-deals what is hidden and expects the same answer. May import: simulator.
"""

from terrors.strategies.formats.registry import Strategy, StrategyError, all_names, find, strategy

__all__ = ["Strategy", "StrategyError", "all_names", "find", "strategy"]
