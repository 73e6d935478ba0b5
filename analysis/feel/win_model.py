"""The first player's chance to win after each turn: a logistic regression on what both players can see at the table.

    model = fit_chances(games, turns)                         # frames with the columns of a run's tables, of the deals that are for fitting
    model.predict(turns, "tuned", "tuned")                    # of whole games: a chance for each row
    Chances.from_data(model.as_data())                        # JSON, and back

What a player could name are *leads*: the first player's number minus the second's (`LEADS`). Each counts with a weight that changes in the course of a game,
a + b · turn / (turn + 20), and so do the two overlords. There is one model for each group of strategies, since a lead of 5 Health is worth more in good hands.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from terrors.analysis.contract.groups import group_name
from terrors.analysis.stats import logistic

RIDGE = 1.0
MOST_FITTED = 300_000  # turns that all models together are fitted on
LEAST_FITTED = 20_000  # turns of one model
LATE = 20  # turn / (turn + LATE): 0.05 after the first turn, one half after turn 20
COLUMNS = ("turn", "seat", "overlord", "health", "rival_health", "coin", "coin_spent", "power", "armor_absorbed", "healed", "horde_activations", "haunts",
           "curses", "deck", "discard", "hand")  # fmt: skip


class Sight:
    """The view of both players after each turn. Turns alternate (S8): a player's own row before this one is two rows up, the rival's one and three."""

    def __init__(self, turns: pl.DataFrame) -> None:
        """Take rows of whole games, sorted by game and turn."""
        self.turns = turns
        self.turn = turns["turn"].to_numpy().astype(np.int32)
        self.first = (turns["seat"] == "first").to_numpy()
        rows = np.arange(len(turns))
        self.begin = np.maximum.accumulate(np.where(self.turn == 1, rows, 0)) if len(rows) else rows

    def column(self, name: str) -> np.ndarray:
        """Return a column as numbers."""
        return self.turns[name].to_numpy().astype(np.float32)

    def before(self, values: np.ndarray, rows: int, missing: float = 0) -> np.ndarray:
        """Return the value so many rows up in the same game."""
        out = np.full_like(values, missing)
        out[rows:] = values[: max(0, len(values) - rows)]
        out[self.turn <= rows] = missing
        return out

    def by_seat(self, mover: np.ndarray, rival: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the first player's and the second's, from those of the player who has just moved and of the rival."""
        return np.where(self.first, mover, rival), np.where(self.first, rival, mover)

    def now(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return both players' values after their last turn."""
        values = self.column(name)
        return self.by_seat(values, self.before(values, 1))

    def lately(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the mean of both players' last two turns; of one, if there was but one; 0 without any."""
        v = self.column(name)
        mover = (v + self.before(v, 2)) / np.where(self.turn > 2, 2, 1)
        rival = (self.before(v, 1) + self.before(v, 3)) / np.where(self.turn > 3, 2, 1)
        return self.by_seat(mover, rival)

    def so_far(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Return the sums over both players' turns up to here."""
        sums = []
        for mine in (self.first, ~self.first):
            sums.append(np.cumsum(np.where(mine, self.column(name), 0), dtype=np.float64))
        return tuple((s - np.concatenate([[0.0], s])[self.begin]).astype(np.float32) for s in sums)

    @property
    def health(self) -> tuple[np.ndarray, np.ndarray]:
        """Both players' Health."""
        return self.by_seat(self.column("health"), self.column("rival_health"))

    @property
    def next(self) -> np.ndarray:
        """The side that moves next: 1 if it is the first player, -1 if the second."""
        return np.where(self.first, np.float32(-1), np.float32(1))

    @property
    def known(self) -> np.ndarray:
        """The result where the game is over: 1 or 0, since somebody has no Health left (T4: the mover loses if both have none); else not a number."""
        mover, rival = self.column("health"), self.column("rival_health")
        out = np.full(len(mover), np.nan, np.float32)
        out[rival <= 0] = self.first[rival <= 0]
        out[mover <= 0] = ~self.first[mover <= 0]
        return out

    def overlords(self, names: list[str]) -> np.ndarray:
        """Return a column an overlord: 1 if the first player has it, -1 if the second does, 0 for neither or both."""
        column = self.turns["overlord"]
        column = column if isinstance(column.dtype, pl.Enum) else column.cast(pl.Enum(column.cast(pl.String).unique(maintain_order=True)))
        number = {name: i for i, name in enumerate(names)}
        kinds = np.array([number.get(name, -1) for name in column.dtype.categories], np.int32)  # type: ignore[attr-defined]
        mover = kinds[column.to_physical().to_numpy()]
        rival = self.before(mover, 1, -1)
        opening = np.flatnonzero((self.turn[:-1] == 1) & (self.turn[1:] == 2))  # the rival of a first turn moves in the second
        rival[opening] = mover[opening + 1]
        out = np.zeros((len(mover), len(names)), np.float32)
        for who, sign in zip(self.by_seat(mover, rival), (1, -1), strict=True):
            rows = np.flatnonzero(who >= 0)
            out[rows, who[rows]] += sign
        return out


def _lead(both: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    return both[0] - both[1]


def _turns_to_live(sight: Sight) -> np.ndarray:
    (a, b), (power_a, power_b) = sight.health, sight.lately("power")
    return np.minimum(a / (power_b + 1.5), 15) - np.minimum(b / (power_a + 1.5), 15)


def _threat(sight: Sight) -> np.ndarray:
    (a, b), (power_a, power_b) = sight.health, sight.lately("power")
    return np.minimum(power_a / (b + 1), 2) - np.minimum(power_b / (a + 1), 2)


def _tempo(sight: Sight) -> np.ndarray:
    return sight.next * 10 / (np.minimum(*sight.health) + 3)


def _cards(sight: Sight) -> np.ndarray:
    return _lead(sight.now("deck")) + _lead(sight.now("discard")) + _lead(sight.now("hand"))


def _health_ratio(sight: Sight) -> np.ndarray:
    a, b = sight.health
    return np.log1p(np.maximum(a, 0)) - np.log1p(np.maximum(b, 0))


# What the chance is made from: the first player's number minus the second's.
LEADS: dict[str, tuple[str, Callable[[Sight], np.ndarray]]] = {
    "health": ("Health", lambda s: _lead(s.health)),
    "health_ratio": ("Health, as a ratio (logarithms)", _health_ratio),
    "power": ("Power of the last two turns", lambda s: _lead(s.lately("power"))),
    "power_so_far": ("Power of all turns so far", lambda s: _lead(s.so_far("power"))),
    "coin": ("Coin of the last two turns", lambda s: _lead(s.lately("coin"))),
    "spent_so_far": ("Coin spent so far: what the deck has cost", lambda s: _lead(s.so_far("coin_spent"))),
    "cards": ("cards in deck, discard pile and hand", _cards),
    "hand": ("cards in hand", lambda s: _lead(s.now("hand"))),
    "armor": ("Power that was lost to Armor in the last two turns", lambda s: _lead(s.lately("armor_absorbed"))),
    "healed": ("Health gained in the last two turns", lambda s: _lead(s.lately("healed"))),
    "hordes": ("Horde abilities of the last two turns", lambda s: _lead(s.lately("horde_activations"))),
    "curses": ("CURSEs of the last two turns", lambda s: _lead(s.lately("curses"))),
    "haunts": ("HAUNT Actions of the last two turns", lambda s: _lead(s.lately("haunts"))),
    "turns_to_live": ("turns that the Health would last against the rival's Power of late", _turns_to_live),
    "threat": ("share of the rival's Health that the Power of late would take", _threat),
    "next": ("who moves next", lambda s: s.next),
    "tempo": ("who moves next, the more the less Health the weaker one has", _tempo),
}


def plain_columns(turns: pl.DataFrame, overlords: list[str], side: np.ndarray | float) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns that count with a weight that changes, a row a turn: leads, overlords, strategies; and what counts by itself, the turn.

    `side`: 1 where the first of the group's two strategies has the first seat, -1 where the other has, 0 in a mirror.
    """
    sight = Sight(turns)
    plain = np.empty((len(turns), len(LEADS) + len(overlords) + 1), np.float32)
    for i, (_, measure) in enumerate(LEADS.values()):
        plain[:, i] = measure(sight)
    plain[:, len(LEADS) : -1] = sight.overlords(overlords)
    plain[:, -1] = side
    return plain, np.column_stack([sight.turn / (sight.turn + LATE), sight.turn == 1]).astype(np.float32)


def design(turns: pl.DataFrame, overlords: list[str], side: np.ndarray | float, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
    """Return the columns of the regression: those with changing weights once as they are and once times turn / (turn + 20), and those of the turn.

    `rows`: only of these. The result is the largest thing in memory, so that nothing of its size is made beside it.
    """
    plain, turn = (columns[rows] for columns in plain_columns(turns, overlords, side))
    n = plain.shape[1]
    found = np.empty((len(plain), 2 * n + turn.shape[1]), np.float32)
    found[:, :n], found[:, 2 * n :] = plain, turn
    np.multiply(plain, turn[:, :1], out=found[:, n : 2 * n])
    return found


def columns_of(overlords: list[str]) -> list[str]:
    """Return the names of the columns of `design`."""
    plain = [*LEADS, *(f"overlord {name}" for name in overlords), "strategy"]
    return [*plain, *(f"{name}, later" for name in plain), "late", "turn 1"]


@dataclass
class Model:
    """The model of one group."""

    intercept: float
    weights: np.ndarray  # by column of `design`


@dataclass
class Chances:
    """The models of a run."""

    overlords: list[str]
    models: dict[str, Model]  # by group

    def predict(self, turns: pl.DataFrame, first: str = "", second: str = "") -> np.ndarray:
        """Return the first player's chance to win after each turn of whole games, played by these two strategies: 1 or 0 when somebody has no Health left.

        The strategies may be left out if there is but one group. KeyError if nobody has seen these two play.
        """
        group = group_name(first, second or first) if first else next(iter(self.models)) if len(self.models) == 1 else ""
        if group not in self.models:
            raise KeyError(f"there is no model for {group or 'games without strategies'}; there are {', '.join(self.models)}")
        return self.of_group(turns, group, strategy_side(first, second or first))

    def of_group(self, turns: pl.DataFrame, group: str, side: np.ndarray | float) -> np.ndarray:
        """Return the same for games of a group; `side` as in `design`."""
        model, known = self.models[group], Sight(turns).known
        plain, turn = plain_columns(turns, self.overlords, side)
        weights = model.weights.astype(np.float32)
        n = plain.shape[1]
        predicted = logistic.chance(model.intercept + plain @ weights[:n] + turn[:, 0] * (plain @ weights[n : 2 * n]) + turn @ weights[2 * n :])
        return np.where(np.isnan(known), predicted, known).astype(np.float32)

    def as_data(self) -> dict[str, Any]:
        """Return the models as JSON knows them."""
        columns = columns_of(self.overlords)
        return {
            "overlords": self.overlords,
            "late": LATE,
            "models": {
                group: {"intercept": model.intercept, "weights": dict(zip(columns, map(float, model.weights), strict=True))}
                for group, model in self.models.items()
            },
        }

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Chances:
        """Return models that were written down. ValueError if they are made of other columns than this version's."""
        overlords = list(data["overlords"])
        columns = columns_of(overlords)
        models = {}
        for group, one in data["models"].items():
            if set(one["weights"]) != set(columns) or data["late"] != LATE:
                raise ValueError(f"The model of {group} was fitted by another version; analyze the run again.")
            models[group] = Model(float(one["intercept"]), np.array([one["weights"][name] for name in columns]))
        return cls(overlords, models)


def strategy_side(first: str, second: str) -> float:
    """Return 1 if the first player has the strategy that comes first in the group's name, -1 if the second has, 0 in a mirror."""
    return 0.0 if first == second else 1.0 if first < second else -1.0
