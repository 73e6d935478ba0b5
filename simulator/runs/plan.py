"""`Plan`: what a run is to play. The same plan gives the same games, on any machine and in any number of pieces.

Plan(games=100_000, strategies=("greedy", "random"), rules={"first_hand": 5})
Plan.read("plan.toml")                    # what `terrors simulate plan.toml` does; every run folder has its own plan.toml
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from terrors.simulator.play.box import Interventions
from terrors.simulator.play.names import SEATS
from terrors.simulator.terms.errors import PlanError
from terrors.simulator.terms.ruleset import Rules, RulesError
from terrors.simulator.terms.text import did_you_mean
from terrors.simulator.terms.toml_file import read_toml

MOST_GAMES = 10**12
PAIRINGS = ("panel", "all", "mirror")
INFLUENCES = ("choose", "beginner", "all")
DEFAULT_MARGIN = 8.0  # points of win rate: how far off even a match-up may be (--until decided)


@dataclass(frozen=True)
class Plan:
    """A plan of what to play. Names of cards, overlords and strategies are checked when the cards are there (schedule.py)."""

    games: int = 100_000  # with `until`: at most; of a panel, those after the screen
    seed: int = 1
    overlords: tuple[str, ...] = ()  # all of the set
    strategies: tuple[str, ...] = ("greedy",)
    pairing: str = "all"  # every strategy against every one; mirror: each against itself; vs:NAME: each against that one; panel: in stages (stages.py)
    mirrors: bool = False  # whether an overlord also plays against itself
    influences: str = "choose"  # by the strategy; beginner: the recommended ones; all: every choice equally often, at random
    cards: str = ""  # a card file; the reference set without it
    rules: Mapping[str, Any] = field(default_factory=dict)
    set: tuple[str, ...] = ()  # "Ghoul.cost=3"
    remove: tuple[str, ...] = ()  # cards that are not in the market
    deny: tuple[str, ...] = ()  # "Ghoul:first"
    grant: tuple[str, ...] = ()  # "Ghoul:second"
    deny_lottery: float = 0.0
    decisions: int | str = 0  # games of which every decision is told; "all"
    turns: bool = True  # whether there is a row for each turn
    until: str = ""  # "±1": until every match-up is known that well; "decided": until each is fair or not
    margin: float = DEFAULT_MARGIN  # for `until = "decided"`

    def __post_init__(self) -> None:
        """Refuse what cannot be played, whatever the cards."""
        for name in ("overlords", "strategies", "set", "remove", "deny", "grant"):
            object.__setattr__(self, name, _texts(name, getattr(self, name)))
        object.__setattr__(self, "rules", dict(sorted(_mapping(self.rules).items())))
        if not isinstance(self.cards, str):
            raise PlanError(f"cards: {self.cards!r} is not possible; give the path of a card file.")
        _whole("games", self.games, 1, MOST_GAMES)
        _whole("seed", self.seed, 0, 2**64 - 1)
        _one_of("influences", self.influences, INFLUENCES)
        for name in ("mirrors", "turns"):
            if not isinstance(getattr(self, name), bool):
                raise PlanError(f"{name}: {getattr(self, name)!r} is not possible; give true or false.")
        if self.decisions != "all":
            _whole("decisions", self.decisions, 0, MOST_GAMES)
        if not isinstance(self.pairing, str) or (self.pairing not in PAIRINGS and not self.pairing.startswith("vs:")):
            raise PlanError(f"pairing: {self.pairing!r} is not possible; give panel, all, mirror or vs:NAME of a strategy.")
        if not self.strategies:
            raise PlanError("strategies: there is none; give at least one name, for instance greedy.")
        for name in ("strategies", "overlords"):
            _no_doubles(name, getattr(self, name))
        for name in ("deny_lottery", "margin"):
            if isinstance(getattr(self, name), bool) or not isinstance(getattr(self, name), int | float) or not math.isfinite(getattr(self, name)):
                raise PlanError(f"{name}: {getattr(self, name)!r} is not possible; give a number.")
            object.__setattr__(self, name, float(getattr(self, name)))  # 8 and 8.0 are the same plan
        if not 0 < self.margin < 50:
            raise PlanError(f"margin: {self.margin:g} is not possible; give points of win rate between 0 and 50, for instance {DEFAULT_MARGIN:g}.")
        self.half_width  # noqa: B018  it checks `until`
        self.ruleset()
        self.interventions()

    @property
    def half_width(self) -> float | None:
        """The half-width to which every match-up is to be known, in points; None if the run does not wait for that."""
        if self.until in ("", "decided"):
            return None
        text = str(self.until).strip().lstrip("±").removeprefix("+-").removeprefix("+/-")
        try:
            width = float(text)
        except ValueError:
            width = math.nan
        if not 0.01 <= width < 50:
            raise PlanError(f"until: {self.until!r} is not possible; give decided, or points of win rate from ±0.01 to ±49, for instance ±1.")
        return width

    def ruleset(self) -> Rules:
        """Return the rules that it is played by."""
        rules = Rules().but(dict(self.rules))
        return rules.but({"mirror": True}) if self.mirrors else rules

    def interventions(self) -> Interventions:
        """Return the interventions: what is denied, granted, removed, changed."""
        deny, grant = ([_with_seat(name, text) for text in getattr(self, name)] for name in ("deny", "grant"))
        return Interventions(
            deny=tuple(pair for pairs in deny for pair in pairs),
            grant=tuple(pair for pairs in grant for pair in pairs),
            remove=self.remove,
            override=self.set,
            lottery=float(self.deny_lottery),
        )

    def but(self, **changes: Any) -> Plan:
        """Return the same plan with some entries changed."""
        return dataclasses.replace(self, **changes)

    def as_data(self) -> dict[str, Any]:
        """Return the plan as JSON and TOML know it: every entry, also the usual ones."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()}

    def to_toml(self) -> str:
        """Return the plan as a file that reads back as the same plan."""
        data = self.as_data()
        rules = data.pop("rules")
        lines = [f"{name} = {_toml(value)}" for name, value in data.items()]
        return "\n".join([*lines, "", "[rules]", *(f"{name} = {_toml(value)}" for name, value in rules.items())]) + "\n"

    @classmethod
    def from_data(cls, data: Mapping[str, Any], where: str = "plan") -> Plan:
        """Return a plan from entries; every entry is optional."""
        data = {OLD_NAMES.get(name, name): value for name, value in data.items()}
        for name in data:
            if name not in ENTRIES:
                raise PlanError(f"{where}: there is no entry {name!r}{did_you_mean(name, ENTRIES) or '; the entries are ' + ', '.join(ENTRIES) + '.'}")
        try:
            entries: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
            return cls(**entries)
        except (PlanError, RulesError) as error:
            raise PlanError(f"{where}: {error}" if where != "plan" else str(error)) from None

    @classmethod
    def read(cls, path: str | Path) -> Plan:
        """Return the plan in a TOML file. Files that it names are looked for beside it."""
        path = Path(path)
        data = read_toml(path, PlanError, "the plan")
        plan = cls.from_data(data, str(path))
        cards = str(path.parent / plan.cards) if plan.cards else ""
        pairing = f"vs:{_beside(path, plan.pairing[3:])}" if plan.pairing.startswith("vs:") else plan.pairing
        return plan.but(cards=cards, pairing=pairing, strategies=tuple(_beside(path, strategy) for strategy in plan.strategies))


ENTRIES = [f.name for f in dataclasses.fields(Plan)]
OLD_NAMES = {"events": "decisions"}  # of entries: still understood in plans and runs of earlier versions


def _beside(plan_file: Path, strategy: str) -> str:
    """Return a strategy that a plan file names: a file lies beside the plan, a name is a name."""
    return str(plan_file.parent / strategy) if strategy.endswith((".py", ".toml", ".json")) or "/" in strategy else strategy


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = (value,)
    items = tuple(value) if isinstance(value, Iterable) and not isinstance(value, Mapping) else (None,)
    if not all(isinstance(item, str) and item.strip() for item in items):
        raise PlanError(f"{name}: {value!r} is not possible; give a list of texts.")
    return tuple(item.strip() for item in items)


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise PlanError(f"rules: {value!r} is not possible; give names and values, for instance first_hand = 5.")
    return dict(value)


def _whole(name: str, value: Any, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise PlanError(f"{name}: {value!r} is not possible; give a whole number from {low:,} to {high:,}.")


def _one_of(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise PlanError(f"{name}: {value!r} is not possible; give {', '.join(choices[:-1])} or {choices[-1]}.")


def _no_doubles(name: str, values: tuple[str, ...]) -> None:
    for value in values:
        if sum(value.casefold() == other.casefold() for other in values) > 1:
            raise PlanError(f"{name}: {value} is there twice; give each once.")


def _with_seat(name: str, text: str) -> list[tuple[str, int]]:
    """Return `Ghoul:first` as a card and a seat; without a seat both."""
    match = re.fullmatch(r"(.*):\s*(first|second|both)\s*", text)
    if match is None:
        return [(text, 0), (text, 1)]
    seats = (0, 1) if match[2] == "both" else (SEATS.index(match[2]),)
    return [(match[1].strip(), seat) for seat in seats]


def _toml(value: Any) -> str:
    """Return a value as TOML writes it; JSON's texts are TOML's too, once the one character that only JSON allows raw is escaped."""
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
