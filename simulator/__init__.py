"""The game: cards, rules, engine, scenarios and batches.

`load_cards` reads a card set, `Game` plays it. Nothing heavy is imported before it is needed. May import: nothing of the other rooms.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.cards import CardSet, load_cards
    from simulator.game import Game
    from simulator.ruleset import Rules

__all__ = ["CardSet", "Game", "Rules", "load_cards"]
_HOMES = {"CardSet": "simulator.cards", "load_cards": "simulator.cards", "Game": "simulator.game", "Rules": "simulator.ruleset"}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `terrors --help` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'simulator' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
