"""`SampleGames`: the games of a sample as arrays, and the chance to win after each of their turns.

The deals are split in two by their seed: one half is for fitting, the other for judging. What rests on a fitted model (chances, opening luck) is told from the
judging half alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl

from terrors.analysis.contract.groups import group_name
from terrors.analysis.feel import win_model as chances_of
from terrors.analysis.feel.win_model import LEAST_FITTED, MOST_FITTED, RIDGE, Chances, Model, design, strategy_side
from terrors.analysis.source.sample import Sample, lot
from terrors.analysis.stats import logistic
from terrors.simulator.play.match import points
from terrors.simulator.runs.parquet_tables import WINNER

JUDGES, FITS = 1_000_001, 1_000_002  # purposes of a deal's lots
BLOCK = 100_000  # turns at a time
LEAST_GAMES = 50  # of a group, to be fitted: fewer know less than nothing


@dataclass
class SampleGames:
    """Games by number, 0 to n - 1, and their turns, row by row. `street` has a row a game; `turns` and `street` may be missing."""

    games: pl.DataFrame
    turns: pl.DataFrame | None = None
    street: pl.DataFrame | None = None
    street_size: int = 5
    chance: np.ndarray | None = None  # the first player's after each turn of a judged game, the result after the last; not a number in other games
    constant: np.ndarray | None = None  # what somebody would say who knows nothing of the game, by row
    health_only: np.ndarray | None = None  # who knows both players' Health
    model: Chances | None = None
    groups: list[str] = field(init=False)

    def __post_init__(self) -> None:
        """Number groups, deals and match-ups."""
        first, second = (self.games[f"{seat}_strategy"].cast(pl.String).to_list() for seat in ("first", "second"))
        names = {pair: group_name(*pair) for pair in set(zip(first, second, strict=True))}
        self.groups = sorted(set(names.values()))
        number = {name: i for i, name in enumerate(self.groups)}
        pairs = list(zip(first, second, strict=True))
        self.group = np.array([number[names[pair]] for pair in pairs], np.int64)
        self.side = np.array([strategy_side(*pair) for pair in pairs], np.float32)
        seeds = self.games["seed"].to_numpy()
        self.deal: np.ndarray = np.unique(seeds, return_inverse=True)[1]
        self.judged = lot(seeds, JUDGES) < 0.5
        overlords = [self.games[f"{seat}_overlord"].cast(pl.String).to_numpy() for seat in ("first", "second")]
        self.overlords: list[str] = sorted({*overlords[0], *overlords[1]})
        a, b = (np.searchsorted(self.overlords, names) if len(names) else np.zeros(0, np.int64) for names in overlords)
        # Who plays whom: strategies by seat, first and second overlord. What is usual depends on all of them.
        who = 3 * self.group + self.side.astype(np.int64) + 1
        self.matchup = (who * len(self.overlords) + a) * len(self.overlords) + b
        self.result = points(self.games["winner"].cast(WINNER).to_physical().to_numpy())
        self.length = self.games["turns"].to_numpy().astype(np.int64)

    @classmethod
    def of(cls, sample: Sample) -> SampleGames:
        """Return a sample, with its chances fitted."""
        played = cls(sample.games, sample.turns, sample.street, sample.street_size)
        if sample.turns is not None:
            played.fit()
        return played

    def __len__(self) -> int:
        return len(self.games)

    @cached_property
    def game(self) -> np.ndarray:
        """The game of each row of `turns`."""
        assert self.turns is not None
        return np.searchsorted(self.games["game"].to_numpy(), self.turns["game"].to_numpy()).astype(np.int32)

    @cached_property
    def turn(self) -> np.ndarray:
        """The turn's number, by row."""
        assert self.turns is not None
        return self.turns["turn"].to_numpy().astype(np.int32)

    @cached_property
    def over(self) -> np.ndarray:
        """Whether the game is over after this row."""
        return self.turn == self.length[self.game]

    @cached_property
    def health_lead(self) -> np.ndarray:
        """The first player's Health minus the second's, by row."""
        lead = self.column("health") - self.column("rival_health")
        return np.where(self.first, lead, -lead)

    @cached_property
    def first(self) -> np.ndarray:
        """Whether it was the first player's turn, by row."""
        assert self.turns is not None
        return (self.turns["seat"] == "first").to_numpy()

    def column(self, name: str) -> np.ndarray:
        """Return a column of `turns`."""
        assert self.turns is not None
        return self.turns[name].to_numpy().astype(np.float32)

    def sums(self, by_row: np.ndarray) -> np.ndarray:
        """Return the sum by game of a number of each row."""
        return np.bincount(self.game, by_row, len(self))

    def fit(self) -> None:
        """Fit a model for each group on the fitting half, and say the chances of the judging half."""
        rows = len(self.game)
        self.chance, self.constant, self.health_only = (np.full(rows, np.nan, np.float32) for _ in range(3))
        self.model = Chances(self.overlords, {})
        for g, name in enumerate(self.groups):
            fitted = self._fitted_rows(g)
            if len(np.unique(self.game[fitted])) < LEAST_GAMES:
                continue
            y = self.result[self.game[fitted]]
            alive = ~self.over[fitted]
            x = design(self._rows(fitted), self.overlords, self.side[self.game[fitted]], alive)
            self.model.models[name] = Model(*logistic.fit(x, y[alive], RIDGE))
            del x  # the largest thing in memory
            lead = self.health_lead[fitted][alive][:, None]
            self._say(g, name, float(y[alive].mean()), logistic.fit(lead, y[alive], RIDGE))
        ended = self.over & ~np.isnan(self.chance)
        self.chance[ended] = self.result[self.game[ended]]

    def _fitted_rows(self, group: int) -> np.ndarray:
        """Return the rows of the group's games that it is fitted on, whole games, as many as are good for it."""
        games = np.flatnonzero((self.group == group) & ~self.judged)
        order = games[np.argsort(lot(self.games["seed"].to_numpy()[games], FITS), kind="stable")]
        enough = max(LEAST_FITTED, MOST_FITTED // len(self.groups))
        chosen = np.zeros(len(self), bool)
        chosen[order[np.cumsum(self.length[order]) - self.length[order] < enough]] = True
        return np.flatnonzero(chosen[self.game])

    def _rows(self, rows: np.ndarray) -> pl.DataFrame:
        assert self.turns is not None
        return self.turns.select(chances_of.COLUMNS)[rows]

    def _say(self, group: int, name: str, mean: float, by_health: tuple[float, np.ndarray]) -> None:
        """Fill in the chances in the group's judged games, and what two simpler minds would say."""
        assert self.chance is not None
        assert self.constant is not None
        assert self.health_only is not None
        assert self.model is not None
        rows = np.flatnonzero((self.judged & (self.group == group))[self.game])
        begins = np.flatnonzero(self.turn[rows] == 1)
        cuts = np.unique(begins[np.searchsorted(begins, np.arange(0, len(rows), BLOCK), "right") - 1])  # where a game begins
        for begin, end in zip(cuts, np.r_[cuts[1:], len(rows)], strict=len(rows) > 0):
            some = rows[begin:end]
            self.chance[some] = self.model.of_group(self._rows(some), name, self.side[self.game[some]])
        self.constant[rows] = mean
        self.health_only[rows] = logistic.chance(by_health[0] + by_health[1][0] * self.health_lead[rows])
