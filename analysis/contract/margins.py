"""How far off even a game may be before its designer minds: margins, from the command line or a `margins.toml`.

[margins]
overlord = 3          # points of win rate off even
matchup = 8
first = 2             # going first
card = 3              # access value of a card with as many copies as cards have on average; of others in proportion
bomb = 10             # what one purchase may be worth

[panel]
casual = ["random", "greedy"]      # strategies that have no say where it was not measured who plays best

[feel]
comebacks = [8, 25]  # outside of these a metric is worth a look
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from terrors.simulator.runs.plan import DEFAULT_MARGIN
from terrors.simulator.terms.errors import AnalysisError
from terrors.simulator.terms.text import did_you_mean, shown
from terrors.simulator.terms.toml_file import read_toml

NAMES = ("overlord", "matchup", "first", "card", "bomb")
# Between these a game feels as most deck-builders do. They are habits of the trade and not laws: a designer may want another game.
FEEL = {
    "comebacks": (8.0, 25.0),
    "no_return": (50.0, 90.0),
    "snowball_income": (0.0, 1.0),
    "dead_turns": (0.0, 10.0),
    "opening_luck": (0.0, 10.0),
    "street_untouched": (0.0, 50.0),
}


@dataclass(frozen=True)
class Margins:
    """The points of win rate off even that are still fair; what counts as serious play; where a metric of feel is as usual."""

    overlord: float = 3.0
    matchup: float = DEFAULT_MARGIN
    first: float = 2.0
    card: float = 3.0
    bomb: float = 10.0
    casual: tuple[str, ...] = ("random", "greedy")
    feel: Mapping[str, tuple[float, float]] = field(default_factory=lambda: dict(FEEL))

    def __post_init__(self) -> None:
        """Refuse what cannot be a margin."""
        for name in NAMES:
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 50:
                raise AnalysisError(f"margin {name}: {value!r} is not possible; give points of win rate between 0 and 50, for instance {name}=3.")
        for metric, bounds in self.feel.items():
            numbers = isinstance(bounds, list | tuple) and len(bounds) == 2 and all(isinstance(b, int | float) for b in bounds)
            if not numbers or not bounds[0] <= bounds[1]:
                raise AnalysisError(f"feel {metric}: {bounds!r} is not possible; give the least and the most that is as usual, for instance [5, 40].")

    def but(self, texts: Iterable[str]) -> Margins:
        """Return these margins with some changed, written as `overlord=4`."""
        changes: dict[str, Any] = {}
        for text in texts:
            name, _, value = (part.strip() for part in text.partition("="))
            if name not in NAMES:
                raise AnalysisError(f"margin {text!r}: there is no {name!r}{did_you_mean(name, NAMES) or '; the margins are ' + ', '.join(NAMES) + '.'}")
            try:
                changes[name] = float(value)
            except ValueError:
                raise AnalysisError(f"margin {text!r}: {value!r} is no number; write it as {name}=3.") from None
        return replace(self, **changes)

    def as_data(self) -> dict[str, float]:
        """Return the margins as JSON knows them."""
        return {name: getattr(self, name) for name in NAMES}


def read_margins(path: str | Path, metrics: Iterable[str]) -> Margins:
    """Return the margins of a TOML file. `metrics`: what its section `feel` may name."""
    return margins_of_data(read_toml(path, AnalysisError, "the margins"), str(path), metrics)


def margins_of_data(sections: Mapping[str, Any], path: str, metrics: Iterable[str]) -> Margins:
    """Return the margins of the sections of a file, whose name is for the messages."""
    data = dict(sections)
    entries: dict[str, Any] = {}
    for section, known in (("margins", NAMES), ("panel", ("casual",)), ("feel", tuple(metrics))):
        found = data.pop(section, {})
        if not isinstance(found, dict):
            raise AnalysisError(f"{path}: {section} is not possible; write it as a table, [{section}].")
        for name in found:
            if name not in known:
                remedy = did_you_mean(name, known) or f"; the entries are {', '.join(known)}."
                raise AnalysisError(f"{path}, {section}: there is no entry {shown(name)!r}{remedy}")
        entries |= {"feel": {**FEEL, **{k: tuple(v) if isinstance(v, list) else v for k, v in found.items()}}} if section == "feel" else found
    if data:
        name = next(iter(data))
        raise AnalysisError(f"{path}: there is no section {name!r}; the sections are margins, panel and feel.")
    if "casual" in entries:
        casual = entries["casual"]
        if not isinstance(casual, list) or not all(isinstance(name, str) for name in casual):
            raise AnalysisError(f"{path}, panel: casual is not possible; give a list of strategies.")
        entries["casual"] = tuple(casual)
    try:
        return Margins(**entries)
    except AnalysisError as error:
        raise AnalysisError(f"{path}: {error}") from None
