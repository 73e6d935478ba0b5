"""What games that were played again with a card withheld from its buyer have shown: sums by card, kept in the run's folder as withheld.json.

Luck is keyed: a player who does not buy a card plays the same game if the card may not be bought. So only games in which somebody bought it are played again
(trials/withholding.py), and the rest is known to be as it was. With b, how often a player buys it (of 1), g, what those win by having been allowed to, and m,
the copies that it moves from the rival to them:

    access value    b times the mean of g
    one copy        the sum of g over the sum of m

Errors are clustered by deal. Both are what the denial lottery measures too, where most games know nothing of the card.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from terrors.simulator.runs.storage import Folder, seal_broken, sealed

FILE = "withheld.json"
LEAST = 30  # games played again: errors from fewer are too small
CLEAR_SHIFT = 4.0  # standard errors: so clearly must copies have moved before gains are divided by them
ALL = ("all", "")
Level = tuple[str, str]


@dataclass
class Replays:
    """The games of one card played again, all or those of one level (an overlord, a seat)."""

    games: int = 0  # player-games that were looked at
    bought: int = 0  # of these, in which the player bought the card
    deals: int = 0  # among those that were played again
    total: np.ndarray = field(default_factory=lambda: np.zeros(3))  # replays, gain, copies moved
    cross: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))  # the same, deal by deal, multiplied with each other

    def add(self, deal: np.ndarray, gain: np.ndarray, moved: np.ndarray) -> None:
        """Count replays in; each deal is whole."""
        _, at = np.unique(deal, return_inverse=True)
        by_deal = np.stack([np.bincount(at, weights) for weights in (None, gain, moved)], 1) if len(deal) else np.zeros((0, 3))
        self.deals += len(by_deal)
        self.total += by_deal.sum(0)
        self.cross += by_deal.T @ by_deal

    def plus(self, other: Replays) -> Replays:
        """Return both together; their deals are not the same."""
        return Replays(self.games + other.games, self.bought + other.bought, self.deals + other.deals, self.total + other.total, self.cross + other.cross)

    @property
    def known(self) -> bool:
        """Whether there is enough to say anything. A card that hardly anybody buys in very many games is known too: access to it changes next to nothing."""
        return self.total[0] >= LEAST or (self.games >= 40 * LEAST and self.total[0] >= self.bought)

    def access(self) -> tuple[float, float]:
        """Return what being allowed to buy it is worth, a share of a win, and its standard error."""
        share = self.bought / max(1, self.games)
        n = max(1.0, self.total[0])
        gain = float(self.total[1]) / n
        error = self._variance(np.array([-gain, 1.0, 0.0])) / n**2
        most = (self.bought + 1) / max(1, self.games)  # nobody has bought it yet: once more might have been
        return share * gain, float(np.sqrt(most**2 * error + gain**2 * 2 * most * (1 - min(most, 1.0)) / max(1, self.games)))

    def copy(self) -> tuple[float, float] | None:
        """Return what one copy is worth, and its standard error; None where too few copies have moved."""
        moved = float(self.total[2])
        if self.total[0] < LEAST or moved <= 0:
            return None
        mean = moved / self.total[0]
        if moved**2 <= CLEAR_SHIFT**2 * self._variance(np.array([-mean, 0.0, 1.0])):
            return None
        worth = float(self.total[1]) / moved
        return worth, float(np.sqrt(self._variance(np.array([0.0, 1.0, -worth])))) / moved

    def _variance(self, direction: np.ndarray) -> float:
        """Return the variance of a sum of sums. Deals that all came out alike do not prove that none differs: one that does is counted in."""
        return (max(0.0, float(direction @ self.cross @ direction)) + 0.25) * max(1, self.deals) / max(1, self.deals - 1)

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON knows it."""
        return {"games": self.games, "bought": self.bought, "deals": self.deals, "total": self.total.tolist(), "cross": self.cross.tolist()}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Replays:
        """Return what JSON has."""
        return cls(int(data["games"]), int(data["bought"]), int(data["deals"]), np.array(data["total"], float), np.array(data["cross"], float))


@dataclass
class Withheld:
    """All cards of some runs: replays by card and level."""

    cards: dict[str, dict[Level, Replays]] = field(default_factory=dict)
    asked: tuple[int, int] = (0, 0)  # how many games were to be played again, of how many: the same question need not be asked twice

    @property
    def replayed(self) -> int:
        """The number of games that were played again."""
        return int(sum(levels[ALL].total[0] for levels in self.cards.values()))

    def replayed_of(self, card: str) -> int:
        """Return how many games of a card were played again."""
        return int(self.cards[card][ALL].total[0]) if card in self.cards else 0

    def of(self, card: str, level: Level = ALL) -> Replays | None:
        """Return the replays of a card that say something; None if there are none."""
        found = self.cards.get(card, {}).get(level)
        return found if found is not None and found.known else None

    def as_numbers(self) -> dict[str, Any]:
        """Return all sums as JSON knows them, by card."""
        return {card: [[*level, replays.as_data()] for level, replays in levels.items()] for card, levels in sorted(self.cards.items())}

    def write(self, folder: Folder, key: str) -> None:
        """Keep it in a run's folder. `key`: of the run whose games these were."""
        folder.write(FILE, json.dumps(sealed({"run": key, "asked": list(self.asked), "cards": self.as_numbers()})).encode())


def read_withheld(folders: Iterable[tuple[Folder, str]]) -> Withheld:
    """Return what is kept in the folders of runs, added up; what belongs to other games, or was altered, is left. With each folder the key of its run."""
    found = Withheld()
    for folder, key in folders:
        data = _kept(folder.read(FILE))
        if data is None or data["run"] != key:
            continue
        found.asked = tuple(data["asked"])
        for card, levels in data["cards"].items():
            own = found.cards.setdefault(card, {})
            for by, level, replays in levels:
                own[by, level] = own.get((by, level), Replays()).plus(Replays.from_data(replays))
    return found


def _kept(text: bytes | None) -> dict[str, Any] | None:
    try:
        data = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) and not seal_broken(data) else None


def weighed(one: tuple[np.ndarray, np.ndarray], other: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return two measurements of the same things as one: each weighs as it is certain. Values with standard errors; infinite ones are not known."""
    weights = [1 / np.square(se) for _, se in (one, other)]
    whole = weights[0] + weights[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        value = (np.where(weights[0] > 0, weights[0] * one[0], 0) + np.where(weights[1] > 0, weights[1] * other[0], 0)) / whole
        return value, 1 / np.sqrt(whole)


def columns_of(withheld: Withheld, cards: Sequence[str], level: Level = ALL) -> tuple[np.ndarray, np.ndarray]:
    """Return access values with standard errors by card, shares of a win; infinite errors where nothing is known."""
    value, se = np.zeros(len(cards)), np.full(len(cards), np.inf)
    for number, card in enumerate(cards):
        if (replays := withheld.of(card, level)) is not None:
            value[number], se[number] = replays.access()
    return value, se


def copies_of(withheld: Withheld, cards: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the same of one copy."""
    value, se = np.zeros(len(cards)), np.full(len(cards), np.inf)
    for number, card in enumerate(cards):
        replays = withheld.of(card)
        if replays is not None and (found := replays.copy()) is not None:
            value[number], se[number] = found
    return value, se
