"""Plans of play, one per file. A new file in this folder is found by its name; nothing is registered. docs/STRATEGIES.md is the how-to.

A file is Python, or a priority list (.toml, played by strategies/formats/lists) or numbers (.json).

That page says what a strategy in Python is given, what it returns and what it must keep to. May import: simulator.
"""

from terrors.strategies.formats.registry import Strategy, StrategyError, all_names, find, strategy

__all__ = ["Strategy", "StrategyError", "all_names", "find", "strategy"]
