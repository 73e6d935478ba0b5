"""How well the match-ups are known so far, and when a run may stop (`--until`).

The unit is the pair of games with exchanged seats. Looking again and again, and stopping when one likes what one sees, makes an ordinary 95 % interval miss
far more often than 5 times in 100. So a run that stops by what it sees uses a *confidence sequence*: intervals that hold for all looks together, and are
therefore about half as wide again. It is the normal-mixture sequence of Robbins, with the estimated variance (Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas,
"Time-uniform central limit theory and asymptotic confidence sequences", 2021).
"""

from __future__ import annotations

from math import log

import numpy as np

from terrors.simulator.runs.plan import Plan

Z_95 = 1.959963984540054
FIRST_LOOK = 100  # pairs of each cell: fewer say too little about their own variance
GROWTH = 1.25  # from one look to the next
MISS = 0.05  # how often, over all looks of one run, an interval may be wrong


def means(sums: np.ndarray) -> np.ndarray:
    """Return the win rate of each cell's first side, from (pairs, points, squares) with 0 to 4 points a pair."""
    return np.where(sums[:, 0] > 0, sums[:, 1] / (4 * np.maximum(sums[:, 0], 1)), 0.5)


def variances(sums: np.ndarray) -> np.ndarray:
    """Return the variance of a pair's score.

    Two pairs that were not played, one won and one lost, are counted in: pairs that all came out alike do not prove that they never differ.
    """
    n, points, squares = sums[:, 0] + 2, sums[:, 1] + 4, sums[:, 2] + 16
    return np.maximum(squares / n - (points / n) ** 2, 0) / 16 * n / (n - 1)


def half_widths(sums: np.ndarray) -> np.ndarray:
    """Return the ± of ordinary 95 % intervals, for a run whose size was fixed beforehand."""
    return np.minimum(Z_95 * np.sqrt(variances(sums) / np.maximum(sums[:, 0], 1)), 0.5)


def mixture(tuned_for: float, miss: float) -> float:
    """Return ρ² of the paper: how the mixture is spread, so that intervals are narrowest at about `tuned_for` pairs."""
    return (-2 * log(miss) + log(1 - 2 * log(miss))) / tuned_for


def sequence_half_widths(sums: np.ndarray, tuned_for: float, miss: float = MISS) -> np.ndarray:
    """Return the ± of intervals that hold at all looks together. They are narrowest at about `tuned_for` pairs."""
    n = np.maximum(sums[:, 0], 1).astype(float)
    rho = mixture(tuned_for, miss)
    width = np.sqrt(variances(sums) * 2 * (n * rho + 1) / (n * n * rho) * np.log(np.sqrt(n * rho + 1) / miss))
    return np.where(sums[:, 0] < FIRST_LOOK, 0.5, np.minimum(width, 0.5))


class Stopper:
    """Decides, at looks that depend on the plan alone, whether a run has seen enough."""

    def __init__(self, plan: Plan, cells: int) -> None:
        """Tune the intervals to the plan. `cells`: how many match-ups with their strategies are to be known."""
        self.plan, self.cells = plan, cells
        aim = (plan.half_width or plan.margin / 2) / 100
        self.tuned_for = max(FIRST_LOOK, (1.5 * Z_95 * 0.35 / aim) ** 2)  # 0.35: about the standard deviation of a pair's score
        # A width is promised for each match-up. A verdict over all of them is right for all of them together.
        self.miss = MISS if plan.half_width else MISS / cells

    @property
    def rho(self) -> float:
        """The spread of the mixture that the run stopped by."""
        return mixture(self.tuned_for, self.miss)

    def looks(self, games: int, a_round: float) -> list[int]:
        """Return the numbers of games after which to look, of a stage with so many games; the last one is its end. `a_round`: games that are a round of all."""
        if not self.plan.until:
            return [games]
        rounds, found = float(FIRST_LOOK), []
        while 2 * int(a_round * int(rounds) / 2) < games:
            found.append(2 * int(a_round * int(rounds) / 2))
            rounds *= GROWTH
        return [*found, games]

    def widths(self, sums: np.ndarray) -> np.ndarray:
        """Return the ± to which each cell is known."""
        return sequence_half_widths(sums, self.tuned_for, self.miss) if self.plan.until else half_widths(sums)

    def open_cells(self, sums: np.ndarray) -> np.ndarray:
        """Return by cell whether it is not known well enough yet."""
        if not self.plan.until:
            return np.ones(len(sums), bool)
        width = self.widths(sums)
        if self.plan.half_width:
            return width > self.plan.half_width / 100
        gap, margin = np.abs(means(sums) - 0.5), self.plan.margin / 100
        fair, lopsided = gap + width < margin, gap - width > margin
        return ~(fair | lopsided)

    def enough(self, sums: np.ndarray) -> bool:
        """Whether the run may stop here."""
        return bool(self.plan.until) and not self.open_cells(sums).any()
