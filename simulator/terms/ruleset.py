"""`Rules`: what a run may change (docs/RULES.md, section 12)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from terrors.simulator.terms.errors import WordedError
from terrors.simulator.terms.text import did_you_mean


class RulesError(WordedError):
    """Raised for a rule that does not exist or a value that it cannot have, in one sentence."""


@dataclass(frozen=True)
class Rules:
    """One variant of the rules; the defaults are the printed game with our rulings."""

    first_hand: int = 4
    second_hand: int = 5
    hand_size: int = 5
    street_size: int = 5
    relic_limit: int = 3
    acolyte_cost: int | None = None  # None: what the card file says
    cultists: int = 5
    fanatics: int = 3
    influences: int = 2
    curse_health: int = 2
    curse_discard: int = 1
    command_max_cost: int = 3
    rage_choice: str = "2 Coin|2 Power"
    sacrifice_gain: str = "1 Power"
    haunt_tokens: int = 10
    muster_tokens: int = 10
    first_time: str = "turn"
    overlord_limit: str = "card"
    horde_expand: str = "may"
    optional_keywords: bool = False
    mirror: bool = False
    max_turns: int = 200
    max_actions: int = 400

    def __post_init__(self) -> None:
        """Refuse what cannot be played."""
        for name, (low, high) in LIMITS.items():
            value = getattr(self, name)
            if value is None and name == "acolyte_cost":
                continue
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise RulesError(f"rule {name}: {value!r} is not possible; give a whole number from {low} to {high}.")
        for name in ("optional_keywords", "mirror"):
            if not isinstance(getattr(self, name), bool):
                raise RulesError(f"rule {name}: {getattr(self, name)!r} is not possible; give true or false.")
        for name, readings in READINGS.items():
            if getattr(self, name) not in readings:
                raise RulesError(f"rule {name}: {getattr(self, name)!r} is not possible; give {' or '.join(readings)}.")
        if self.cultists + self.fanatics > 60:
            raise RulesError("rules cultists and fanatics: a starting deck holds at most 60 of them together; give smaller numbers.")

    def changed(self) -> dict[str, Any]:
        """Return the fields that differ from the printed game."""
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self) if getattr(self, f.name) != f.default}

    def but(self, changes: dict[str, Any]) -> Rules:
        """Return these rules with some fields changed; texts are read as numbers or truth values where the field is one."""
        values: dict[str, Any] = {}
        for name, value in changes.items():
            if name not in FIELDS:
                raise RulesError(f"rule {name}: there is no such rule" + (did_you_mean(str(name), FIELDS) or f"; the rules are {', '.join(FIELDS)}."))
            values[name] = _read(name, value)
        return dataclasses.replace(self, **values)

    @classmethod
    def read(cls, settings: Iterable[str]) -> Rules:
        """Return rules from `name=value` texts, as `--rule` gives them."""
        changes = {}
        for setting in settings:
            name, equals, value = setting.partition("=")
            if not equals:
                raise RulesError(f"rule {setting!r}: write it as NAME=VALUE, for instance first_hand=5.")
            changes[name.strip()] = value.strip()
        return cls().but(changes)


FIELDS = [f.name for f in dataclasses.fields(Rules)]
# The least and the most that each number may be; the engine's record has room for the most (layout.py).
LIMITS = {
    "first_hand": (0, 30),
    "second_hand": (0, 30),
    "hand_size": (1, 30),
    "street_size": (0, 12),
    "relic_limit": (1, 30),
    "acolyte_cost": (0, 99),
    "cultists": (0, 60),
    "fanatics": (0, 60),
    "influences": (0, 16),
    "curse_health": (0, 99),
    "curse_discard": (0, 30),
    "command_max_cost": (0, 99),
    "haunt_tokens": (0, 999),
    "muster_tokens": (0, 999),
    "max_turns": (1, 65_535),
    "max_actions": (1, 100_000),
}


# The readings that a rule may have (P5, O1, H3); the printed game's first.
READINGS = {"first_time": ("turn", "since_in_play"), "overlord_limit": ("card", "once"), "horde_expand": ("may", "must")}


def _read(name: str, value: Any) -> Any:
    """Return a value as its field's type; what cannot be read is left for the check to name."""
    if not isinstance(value, str):
        return value
    if name in ("optional_keywords", "mirror"):
        return {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}.get(value.lower(), value)
    if name in LIMITS:
        try:
            return int(value.replace("_", ""))
        except ValueError:
            return value
    return value
