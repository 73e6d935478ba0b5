"""Terrors: Monte Carlo balance analysis for the deck-building game Terrors of London.

`import terrors` is the way in for Python (docs/PYTHON.md); `terrors.cli` is the command line, `terrors.table` where a person plays. Below it are four rooms,
each with the data of the one before: `terrors.simulator` plays, `terrors.strategies` decide, `terrors.analysis` counts and judges, `terrors.reports` shows.
May import: simulator, strategies, analysis, reports. Nothing heavy is imported before it is needed.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

# In a checkout the rooms lie beside this folder, where a designer finds them; a wheel has them inside it. Either way their only name is `terrors.simulator`
# and so on: a generic name like `analysis` in site-packages would be broken by any analysis.py beside a user's script, and break it (docs/HOUSE.md).
if not (Path(__file__).parent / "simulator").is_dir():
    __path__.append(str(Path(__file__).resolve().parents[1]))

if TYPE_CHECKING:
    from terrors.simulator.cards.card_set import CardSet, load_cards
    from terrors.simulator.play.game import Game
    from terrors.simulator.runs.plan import Plan
    from terrors.simulator.runs.run import Run, simulate
    from terrors.simulator.terms.ruleset import Rules

__all__ = ["CardSet", "Game", "Plan", "Rules", "Run", "load_cards", "simulate"]
_HOMES = {
    "CardSet": "terrors.simulator.cards.card_set",
    "load_cards": "terrors.simulator.cards.card_set",
    "Game": "terrors.simulator.play.game",
    "Plan": "terrors.simulator.runs.plan",
    "Rules": "terrors.simulator.terms.ruleset",
    "Run": "terrors.simulator.runs.run",
    "simulate": "terrors.simulator.runs.run",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `terrors --help` stays quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'terrors' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)
