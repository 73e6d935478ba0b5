"""From the blocks of a lottery to effects: least squares of the differences between a block and its mirror on the differences of their moves.

The unit is the block with its mirror; errors are robust (a sandwich, HC2), since blocks in which much was moved may vary more. A number that was moved in few
blocks has its error from few: intervals are Student's, with as many degrees of freedom as blocks that count.

Near 0 and 100 a win rate moves less. In the lottery match-ups lie farther from even than in the set itself, so that effects would come out too small: each
match-up is scaled by what is missing, E[p (1 − p)] of the blocks against p (1 − p) at their mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from terrors.analysis.numbers.gauges import MATCHUP, OVERLORD, Gauge
from terrors.analysis.numbers.number_lottery import Blocks
from terrors.simulator.cards.card_numbers import Number
from terrors.simulator.terms.errors import AnalysisError

LEAST_BLOCKS = 20
MISS = 0.05


@dataclass
class Effects:
    """The effect of one step up of each number (rows) on each gauge (columns), in points of win rate or turns, with standard errors."""

    numbers: list[Number]
    gauges: list[Gauge]
    effect: np.ndarray
    se: np.ndarray
    bend: np.ndarray  # what a step up and a step down do alike: up is effect + bend, down is −effect + bend; nan where only one way is possible
    bend_se: np.ndarray
    freedom: np.ndarray  # by number: blocks that its errors come from
    games: int

    def bound(self, together: bool) -> np.ndarray:
        """Return by number (rows) how many standard errors an interval reaches, for one effect alone or for all of the table together (Šidák)."""
        count = self.effect.size if together else 1
        return np.asarray(stdtrit(self.freedom, (1 + (1 - MISS) ** (1 / max(1, count))) / 2))[:, None]

    def chance(self, effect: np.ndarray, se: np.ndarray) -> np.ndarray:
        """Return the chance of effects at least so far from 0 where there are none."""
        return np.asarray(2 * stdtr(self.freedom[:, None], -np.abs(effect / se)))

    def and_of(self, other: Effects) -> Effects:
        """Return these effects, and behind them those of other numbers on the same gauges."""
        effect, se, bend, bend_se = (np.vstack([getattr(self, name), getattr(other, name)]) for name in ("effect", "se", "bend", "bend_se"))
        freedom = np.concatenate([self.freedom, other.freedom])
        return Effects([*self.numbers, *other.numbers], self.gauges, effect, se, bend, bend_se, freedom, self.games + other.games)


def effects_of(numbers: Sequence[Number], gauges: Sequence[Gauge], blocks: Blocks, games_a_block: int) -> Effects:
    """Return the effects that the blocks show."""
    if len(blocks) < LEAST_BLOCKS:
        raise AnalysisError(f"{len(blocks)} blocks say nothing about {len(numbers)} numbers; play at least {LEAST_BLOCKS * games_a_block:,} games.")
    moves, results = np.array(blocks.moves, float), unbent(np.array(blocks.results), gauges)
    effect, se, freedom = least_squares(moves[:, 0] - moves[:, 1], results[:, 0] - results[:, 1])
    both = np.array([len(number.levels) == 3 for number in numbers])
    # What bends shows in the sums: by how much it was moved at all, and by the moves of what can only go one way.
    size = np.where(both, np.abs(moves).mean(1), moves.mean(1))
    bend, bend_se, _ = least_squares(size - size.mean(0), results.mean(1) - results.mean((0, 1)))
    bend, bend_se = (np.where(both[:, None], found, np.nan) for found in (bend, bend_se))
    return Effects(list(numbers), list(gauges), effect, se, bend, bend_se, freedom, len(blocks) * games_a_block)


def unbent(results: np.ndarray, gauges: Sequence[Gauge]) -> np.ndarray:
    """Return the gauges of blocks and mirrors, match-ups (and with them overlords) stretched by what the lottery has pressed them together."""
    found, luck = results[:, :2].copy(), results[:, 2].mean(0)
    stretched = np.zeros_like(found)
    for j, gauge in enumerate(gauges):
        if gauge.kind != MATCHUP:
            continue
        mean = found[..., j].mean() / 100
        spread = max(0.0, found[..., j].var() - luck[j]) / 100**2
        factor = 1 / max(0.5, 1 - spread / max(0.05, mean * (1 - mean)))
        stretched[..., j] = (factor - 1) * (found[..., j] - 100 * mean)
    for j, gauge in enumerate(gauges):
        if gauge.kind == OVERLORD:
            mine = [(k, 1 if other.overlord == gauge.overlord else -1) for k, other in enumerate(gauges)
                    if other.kind == MATCHUP and gauge.overlord in (other.overlord, other.rival)]  # fmt: skip
            stretched[..., j] = sum(sign * stretched[..., k] for k, sign in mine) / len(mine)
    return found + stretched


def least_squares(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return coefficients and robust standard errors (rows x columns of y), and how many blocks stand behind each error, less one (Kish).

    With few blocks each number is taken alone: the lots are independent.
    """
    n, k = x.shape
    squares = (x**2).sum(0)
    known = squares > 0
    effect, se, freedom = np.full((k, y.shape[1]), np.nan), np.full((k, y.shape[1]), np.inf), np.ones(k)
    x = x[:, known]
    if n < 2 * x.shape[1]:
        weights = (x / squares[known]).T
        found = weights @ y
        errors = np.array([np.sqrt(weights[i] ** 2 @ (y - x[:, [i]] * found[i]) ** 2) for i in range(x.shape[1])]).reshape(found.shape)
    else:
        weights = np.linalg.inv(x.T @ x) @ x.T
        found = weights @ y
        leverage = np.einsum("ij,ji->i", x, weights)
        errors = np.sqrt(weights**2 @ ((y - x @ found) ** 2 / np.maximum(1 - leverage, 1e-3)[:, None]))
    effect[known], se[known] = found, errors
    freedom[known] = np.maximum(1.0, (weights**2).sum(1) ** 2 / (weights**4).sum(1) - 1)
    return effect, se, freedom
