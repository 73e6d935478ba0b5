"""Choosing a pilot as a small zero-sum game: rows who plays one overlord, columns who plays the other, entries what the first wins.

Its *value* is what the first overlord wins when each side chooses its pilot, or a mix of pilots, as well as can be. A copy of a pilot or a weak one does not
move it: neither gives anybody a better choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

CLEAR = 2.5  # standard errors: a pilot is left out when another does so clearly better
BETTER = 2.0  # standard errors: so clearly better must a choice be to be taken instead of the usual one
NOTHING = 1e-9  # a weight below this is rounding


@dataclass(frozen=True)
class Solution:
    """The value of a game, and with what weights each side chooses."""

    value: float
    rows: np.ndarray
    columns: np.ndarray

    @property
    def weights(self) -> np.ndarray:
        """The share of the games that each cell has when both choose so."""
        return np.outer(self.rows, self.columns)


def solve(entries: np.ndarray) -> Solution:
    """Return the solution of a zero-sum game in which rows choose for as much as possible and columns for as little.

    A saddle point is taken as it is; else the simplex method finds who is in the mix, and the mix is worked out from their entries alone. So entries that
    nobody chooses do not touch the result, not in the last digit either.
    """
    entries = np.asarray(entries, float)
    least, most = entries.min(1), entries.max(0)
    row, column = int(least.argmax()), int(most.argmin())
    if least[row] >= most[column]:
        return Solution(float(entries[row, column]), _unit(len(entries), row), _unit(entries.shape[1], column))
    if entries.shape == (2, 2):  # without a saddle point both sides mix both
        mixes = _mix(entries)
        assert mixes is not None
        return Solution(float(mixes[0] @ entries @ mixes[1]), *mixes)
    rows, columns = _simplex(entries)
    mine, theirs = np.flatnonzero(rows > NOTHING), np.flatnonzero(columns > NOTHING)
    if len(mine) == len(theirs):
        own = _mix(entries[np.ix_(mine, theirs)])
        if own is not None:
            x, y = np.zeros(len(rows)), np.zeros(len(columns))
            x[mine], y[theirs] = own
            return Solution(float(own[0] @ entries[np.ix_(mine, theirs)] @ own[1]), x, y)
    return Solution(float(rows @ entries @ columns), rows, columns)


def _unit(size: int, at: int) -> np.ndarray:
    found = np.zeros(size)
    found[at] = 1.0
    return found


def _mix(square: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the mixes that make the other side's choices all equally good; None if there are none."""
    n = len(square)
    if n == 2:
        (a, b), (c, d) = square
        total = a - b - c + d
        return (np.array([d - c, a - b]) / total, np.array([d - b, a - c]) / total) if total else None
    system = np.zeros((n + 1, n + 1))
    system[:n, :n], system[:n, n], system[n, :n] = square, -1.0, 1.0
    right = np.append(np.zeros(n), 1.0)
    try:
        columns = np.linalg.solve(system, right)[:n]
        system[:n, :n] = square.T
        rows = np.linalg.solve(system, right)[:n]
    except np.linalg.LinAlgError:
        return None
    return (rows, columns) if min(rows.min(), columns.min()) >= -NOTHING else None


def _simplex(entries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the mixes of both sides: the simplex method on the columns' programme, with Bland's rule, so that it ends."""
    n, m = entries.shape
    shifted = entries - entries.min() + 1.0  # all positive: the value is, too
    table = np.zeros((n + 1, m + n + 1))
    table[:n, :m], table[:n, m : m + n], table[:n, -1], table[n, :m] = shifted, np.eye(n), 1.0, -1.0
    basis = list(range(m, m + n))
    while (entering := np.flatnonzero(table[n, :-1] < -NOTHING)).size:
        column = int(entering[0])
        positive = np.flatnonzero(table[:n, column] > NOTHING)
        ratios = table[positive, -1] / table[positive, column]
        best = positive[ratios <= ratios.min() + 1e-12]
        row = int(min(best, key=lambda at: basis[at]))
        table[row] /= table[row, column]
        others = np.arange(n + 1) != row
        table[others] -= np.outer(table[others, column], table[row])
        basis[row] = column
    columns = np.zeros(m + n)
    columns[basis] = table[:n, -1]
    columns, rows = columns[:m], table[n, m : m + n]
    return np.maximum(rows, 0) / rows.sum(), np.maximum(columns, 0) / columns.sum()


def saddles(entries: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for many games at once (the first axis) whether there is a saddle point, and its row and column."""
    least, most = entries.min(2), entries.max(1)
    row, column = least.argmax(1), most.argmin(1)
    at = np.arange(len(entries))
    return least[at, row] >= most[at, column], row, column


def contenders(mean: np.ndarray, variance: np.ndarray) -> tuple[list[int], list[int]]:
    """Return who might be chosen for each side: all but those who do clearly worse than another against what the other side seems to choose.

    `variance`: of the entries' means. Nobody who is in a mix does worse against the other side's mix than anybody else, so nobody is lost who is in it.
    """
    chosen = solve(mean)
    sides = []
    for values, errors, other in ((mean, variance, chosen.columns), (1 - mean.T, variance.T, chosen.rows)):
        worth, error = values @ other, errors @ other**2
        best = int(worth.argmax())
        clearly = worth[best] - worth > CLEAR * np.sqrt(error + error[best]) + NOTHING
        sides.append([int(one) for one in np.flatnonzero(~clearly)])
    return sides[0], sides[1]


def worth_choosing(mean: np.ndarray, variance: np.ndarray, usual: tuple[int, int]) -> tuple[list[int], list[int]]:
    """Return what each side chooses among: what is best when it is not known which overlords play, and whatever does clearly better here.

    `usual`: the row and the column of that. One choice after the other is let in that does clearly better against what the other side then chooses. A choice
    that looks better by luck alone would be taken in every second match-up, and most of all where little was played.
    """
    sides = [[usual[0]], [usual[1]]]
    while True:
        chosen = solve(mean[np.ix_(*sides)])
        mixes = [np.zeros(len(mean)), np.zeros(mean.shape[1])]
        mixes[0][sides[0]], mixes[1][sides[1]] = chosen.rows, chosen.columns
        for side, (values, errors) in enumerate(((mean, variance), (1 - mean.T, variance.T))):
            own, other = mixes[side], mixes[1 - side]
            now, doubt = own @ values @ other, own**2 @ errors @ other**2
            gain = values @ other - now - BETTER * np.sqrt(errors @ other**2 + doubt) - NOTHING
            gain[sides[side]] = 0.0
            if gain.max() > 0:
                sides[side] = sorted([*sides[side], int(gain.argmax())])
                break
        else:
            return sides[0], sides[1]


Choices = Sequence[Sequence[int]]  # what a side may choose: pilots, or several who take turns


def merged(entries: np.ndarray, rows: Choices, columns: Choices) -> np.ndarray:
    """Return entries by choice and choice, from those by pilot and pilot in the last two axes. Who is in none of the choices touches nothing."""
    return np.stack([np.stack([entries[..., row, :][..., column].mean((-2, -1)) for column in columns], -1) for row in rows], -2)


def parted(weights: np.ndarray, rows: Choices, columns: Choices, pilots: int) -> np.ndarray:
    """Return by pilot and pilot the weights that are given by choice and choice: those who are one choice take turns."""
    found = np.zeros((pilots, pilots))
    for row, mine in enumerate(rows):
        for column, theirs in enumerate(columns):
            found[np.ix_(mine, theirs)] = weights[row, column] / (len(mine) * len(theirs))
    return found
