"""Those who look ahead (lookahead.py): the numbers that they go by, which are data and need no compiling."""

from __future__ import annotations

import hashlib
import sys
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from terrors.simulator.kernel.records import record
from terrors.simulator.kernel.work_layout import WORK
from terrors.strategies.formats.lookahead import looker
from terrors.strategies.formats.numbers import fill, read_numbers
from terrors.strategies.formats.registry import Strategy
from terrors.strategies.formats.value import BASE, FORESIGHT, fill_value, read_value
from terrors.strategies.kit.buying import BY_PRICES
from terrors.strategies.kit.taste import Cards, Taste

USUAL = {
    "deviation": 0.3, "doubt": 0.5, "setup_deals": 16, "setup_turns": 10, "commit": 1, "learnt": 1, "buys": 1, "health": 0.047, "log_health": 1.46,
    "deck": 1.0, "relic": 1.0, "armor": 0.055, "staying": 0.08, "hand": 0.157, "to_move": 0.64,
}  # fmt: skip

# What a card adds to a deck, by what it has (layout.FEATURE_FIELDS): late in the game, and how much more early. These numbers and the ones above are a logistic
# regression of who won on 190,000 positions of 24,000 games between sensible players (taste.Taste) who now and then bought at random.
POINTS = {
    "coin": (-0.19, 0.92), "power": (0.28, 0.33), "regeneration": (0.46, 0.09), "armor": (0.32, 0.33), "health": (0.98, 0.85), "drain": (0.70, 0.33),
    "draw": (0.57, 0.95), "curse": (0.53, 0.21), "destroy": (0.58, 0.55), "command": (0.79, 0.38), "muster": (0.71, 1.48), "rage": (0.44, 0.53),
    "haunt": (0.26, 0.17), "sacrifice": (-0.59, 2.69), "claim": (0.06, -0.03), "discard": (0.62, 1.33), "costs": (-0.27, 0.15), "reveal": (-0.02, -0.61),
    "other": (0.04, 0.29), "horde_coin": (0.17, -0.13), "horde_power": (-0.03, 0.29), "horde_other": (-0.21, 0.24), "triggered": (0.06, -0.24),
}  # fmt: skip
RELIC_LATE, RELIC_EARLY = 0.185, 0.544  # for each point that a relic is worth to a sensible player


class Thinker(Strategy):
    """A strategy that looks ahead by some numbers; all of them share one compiled function."""

    def __init__(self, module: str, value: Path = FORESIGHT, **numbers: float) -> None:
        """Take its file and its numbers. `module`: the `__name__` of the file, whose docstring is its plan. `value`: the file of the value that it goes by.

        `numbers`: unusual ones of LOOKAHEAD.
        """
        self.function, self.numbers = looker.function, USUAL | numbers
        self.value = value
        self.path = Path(sys.modules[module].__file__ or "")
        self.name, self.words = self.path.stem, sys.modules[module].__doc__ or ""

    @cached_property
    def sha256(self) -> str:
        """The hash of its file and of everything that plays by it."""
        return hashlib.sha256(
            self.path.read_bytes() + Path(__file__).read_bytes() + BASE.read_bytes() + self.value.read_bytes() + looker.sha256.encode()
        ).hexdigest()

    @property
    def compiled(self) -> Any:
        """The one function that looks ahead."""
        return looker.compiled

    def work(self, box: Any) -> Any:
        """Return a work area with the opinions of the base, what the cards add to a deck, and the numbers."""
        area = record(WORK)
        fill(read_numbers(BASE)["overlords"], box.record, area)
        n, cards, taste = int(box.record.kinds), Cards(box.record), Taste()
        late = sum(points * cards.has[name] for name, (points, _) in POINTS.items())
        early = late + sum(points * cards.has[name] for name, (_, points) in POINTS.items())
        for opinions in (np.asarray(area.of), *np.asarray(area.others)):  # the same whoever thinks
            opinions["deck_late"][:n] = np.where(cards.relic, RELIC_LATE * taste.relic * cards.worth(taste, taste.coin_late), late)
            opinions["deck_early"][:n] = np.where(cards.relic, RELIC_EARLY * taste.relic * cards.worth(taste, taste.coin), early)
        if self.numbers["learnt"]:
            fill_value(read_value(self.value).weights, box.record, area)
        for name, number in self.numbers.items():
            setattr(area.lookahead, name, number)
        area.value.buys = BY_PRICES if self.numbers["learnt"] and self.numbers["buys"] else 0
        return area
