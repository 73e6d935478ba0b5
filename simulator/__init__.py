"""The game: cards, rules, engine, scenarios and batches.

`load_cards` reads a card set, `Game` plays it, `simulate` plays a `Plan` of very many games into a `Run`. Nothing heavy is imported before it is needed.
May import: nothing of the other rooms, but for job.py, which finds the strategies that a plan names.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.cards import CardSet, load_cards
    from simulator.game import Game
    from simulator.plan import Plan
    from simulator.ruleset import Rules
    from simulator.run import Run, simulate

__all__ = ["CardSet", "Game", "Plan", "Rules", "Run", "load_cards", "simulate"]
_HOMES = {
    "CardSet": "simulator.cards",
    "load_cards": "simulator.cards",
    "Game": "simulator.game",
    "Plan": "simulator.plan",
    "Rules": "simulator.ruleset",
    "Run": "simulator.run",
    "simulate": "simulator.run",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `terrors --help` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'simulator' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
