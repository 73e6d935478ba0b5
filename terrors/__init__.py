"""Terrors: Monte Carlo balance analysis for the deck-building game Terrors of London.

`import terrors` is the way in for Python (docs/PYTHON.md); `terrors.cli` is the command line, `terrors.table` where a person plays, `terrors.lab` the page in
which cards are edited. Below it are four rooms, each with the data of the one before: `terrors.simulator` plays, `terrors.strategies` decide,
`terrors.analysis` counts and judges, `terrors.reports` shows.
May import: simulator, strategies, analysis, reports. Nothing heavy is imported before it is needed.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

# In a checkout the rooms lie beside this folder, where a designer finds them; a wheel has them inside it. Either way their only name is `terrors.simulator`
# and so on: a generic name like `analysis` in site-packages would be broken by any analysis.py beside a user's script, and break it (docs/HOUSE.md).
if not (Path(__file__).parent / "simulator").is_dir():
    __path__.append(str(Path(__file__).resolve().parents[1]))

if TYPE_CHECKING:
    from terrors.analysis.analyze import Analysis
    from terrors.analysis.compare import Comparison
    from terrors.analysis.contract.margins import Margins
    from terrors.api import analyze, compare, report
    from terrors.simulator.cards.card_set import CardSet, load_cards
    from terrors.simulator.play.game import Game
    from terrors.simulator.runs.plan import Plan
    from terrors.simulator.runs.run import Run, simulate
    from terrors.simulator.terms.ruleset import Rules
    from terrors.strategies.formats.registry import Strategy, find, strategy

__all__ = [
    "Analysis", "CardSet", "Comparison", "Game", "Margins", "Plan", "Rules", "Run", "Strategy", "analyze", "compare", "find", "load_cards", "report",
    "simulate", "strategy",
]  # fmt: skip
_HOMES = {
    "terrors.analysis.analyze": ("Analysis",),
    "terrors.analysis.compare": ("Comparison",),
    "terrors.analysis.contract.margins": ("Margins",),
    "terrors.api": ("analyze", "compare", "report"),
    "terrors.simulator.cards.card_set": ("CardSet", "load_cards"),
    "terrors.simulator.play.game": ("Game",),
    "terrors.simulator.runs.plan": ("Plan",),
    "terrors.simulator.runs.run": ("Run", "simulate"),
    "terrors.simulator.terms.ruleset": ("Rules",),
    "terrors.strategies.formats.registry": ("Strategy", "find", "strategy"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `terrors --help` stays quick."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'terrors' has no attribute {name!r}; docs/PYTHON.md lists what there is: {', '.join(__all__)}")
    import importlib

    return getattr(importlib.import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    """Return the public names, for whoever completes them."""
    return [*globals(), *__all__]
