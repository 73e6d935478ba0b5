"""What match-ups, seats and strategies need, added up over blocks: the number of deals, the sum and the sum of squares of shares, by group and match-up.

A deal's share is the mean over its pairs in the group; in `all`, every group counts the same. From these sums come win rates of overlords and match-ups, what
going first is worth, ratings, and their intervals (matchups.py, metagame.py).
"""

from __future__ import annotations

import numpy as np

from terrors.analysis.source.source import Block, NamedCell, Source

BOTH, AS_FIRST, AS_SECOND, GOING_FIRST, STRATEGY = range(
    5
)  # what is added up: shares of a in both seats, in each; of who goes first; of the group's first strategy
QUANTITIES = 5
CHOICES = 1 << 20  # of Influence cards, more than any set has


class PairSums:
    """Sums by group (the last one is `all`), match-up (two overlords, in the order of the cells) and quantity: deals, sum, sum of squares."""

    def __init__(self, cells: list[NamedCell], groups: list[str], group_of: np.ndarray) -> None:
        """Begin with empty sums. `group_of`: by cell, the number of its group."""
        self.cells, self.groups, self.group_of = cells, groups, group_of
        self.match_ups = list(dict.fromkeys((cell.a, cell.b) for cell in cells))
        self.match_up_of = np.array([self.match_ups.index((cell.a, cell.b)) for cell in cells])
        _, at, alike = np.unique(np.stack([self.group_of, self.match_up_of]), axis=1, return_inverse=True, return_counts=True)
        self.weight = 1 / alike[at.ravel()].astype(float)  # so that every group of a deal counts the same in `all`
        self.turned = np.array([cell.a_strategy > cell.b_strategy for cell in cells])  # the group's first strategy is the first by name
        self.sums = np.zeros((len(groups) + 1, len(self.match_ups), QUANTITIES, 3))
        self.pairs = np.zeros((len(groups) + 1, len(self.match_ups)), np.int64)
        self.games = np.zeros((len(groups), 4), np.int64)  # by group: games, draws, at the turn limit, with an Action Phase cut short
        self.drawn = np.zeros((len(groups) + 1, len(self.match_ups)), np.int64)

    @classmethod
    def of(cls, source: Source) -> PairSums:
        """Return empty sums for these runs."""
        return cls(source.cells, source.groups, source.group_of)

    def add(self, block: Block) -> None:
        """Count a block in."""
        legs = block.points.reshape(-1, 2)
        cell, deal = block.cell[::2], block.deal[::2]
        as_first, as_second = legs[:, 0], 1 - legs[:, 1]
        both = (as_first + as_second) / 2
        shares = np.stack([both, as_first, as_second, legs.mean(1), np.where(self.turned[cell], 1 - both, both)], 1)
        group, match_up, weight = self.group_of[cell], self.match_up_of[cell], self.weight[cell]
        drawn = block.drawn.reshape(-1, 2).sum(1)
        for number in range(len(self.groups) + 1):
            mine = np.flatnonzero(group == number) if number < len(self.groups) else np.arange(len(cell))
            if len(mine):
                self._add_group(number, deal[mine], match_up[mine], weight[mine], shares[mine])
                self.pairs[number] += np.bincount(match_up[mine], minlength=len(self.match_ups))
                self.drawn[number] += np.bincount(match_up[mine], drawn[mine], minlength=len(self.match_ups)).astype(np.int64)
        of_game = self.group_of[block.cell]
        for column, weights in enumerate((None, block.drawn, block.turn_limit, block.limits)):
            self.games[:, column] += np.bincount(of_game, weights, len(self.groups)).astype(np.int64)

    def _add_group(self, number: int, deal: np.ndarray, match_up: np.ndarray, weight: np.ndarray, shares: np.ndarray) -> None:
        """Count each deal of a group in as one observation: the mean over its pairs."""
        _, first, at = np.unique(deal, return_index=True, return_inverse=True)
        total = np.bincount(at, weight)
        where = match_up[first]
        for quantity in range(QUANTITIES):
            share = np.bincount(at, weight * shares[:, quantity]) / total
            for power in range(3):
                self.sums[number, :, quantity, power] += np.bincount(where, share**power, len(self.match_ups))


def turned(sums: np.ndarray) -> np.ndarray:
    """Return sums of shares as the other side sees them: 1 - share instead of share."""
    n, total, squares = np.moveaxis(np.asarray(sums, float), -1, 0)
    return np.stack([n, n - total, n - 2 * total + squares], -1)


def put_headline(sums: PairSums, values: dict[tuple[str, str], np.ndarray], kept: np.ndarray) -> None:
    """Put into the last group what each match-up is worth in the best hands. `values`: by match-up and quantity (observations, sum, sum of squares), as of one
    cell that is known as well; `kept`: by cell whether it is in the mix, for the numbers of pairs and draws.
    """  # noqa: D205
    for m, names in enumerate(sums.match_ups):
        if names in values:
            sums.sums[-1, m, : len(values[names])] = values[names]
            mine = [(int(sums.group_of[cell]), cell) for cell in np.flatnonzero(kept & (sums.match_up_of == m))]
            groups = sorted({group for group, _ in mine})
            sums.pairs[-1, m] = sum(int(sums.pairs[group, m]) for group in groups)
            sums.drawn[-1, m] = sum(int(sums.drawn[group, m]) for group in groups)


class InfluenceSums:
    """The same sums for each choice of Influence cards (S3): by group, overlord, choice and rival."""

    def __init__(self, source: Source) -> None:
        """Begin with empty sums for these runs."""
        self.source = source
        self.overlords = list(dict.fromkeys(name for cell in source.cells for name in (cell.a, cell.b)))
        self.a = np.array([self.overlords.index(cell.a) for cell in source.cells])
        self.b = np.array([self.overlords.index(cell.b) for cell in source.cells])
        self.sums: dict[tuple[int, int, int, int], np.ndarray] = {}  # group, overlord, influences, rival

    def add(self, block: Block) -> None:
        """Count a block in. A deal is one observation: the mean over the overlord's games with these cards in it."""
        assert block.influences is not None
        size, kinds = len(self.source.groups) + 1, len(self.overlords)
        codes, points = [], []
        for seat, taken in enumerate(block.influences):
            mine = block.leg == seat
            own = np.where(mine, self.a[block.cell], self.b[block.cell])
            rival = np.where(mine, self.b[block.cell], self.a[block.cell])
            for group in (self.source.group_of[block.cell], np.full(len(own), size - 1)):
                codes.append((((block.deal * size + group) * kinds + own) * kinds + rival) * CHOICES + taken)
                points.append(block.points if seat == 0 else 1 - block.points)
        known, at = np.unique(np.concatenate(codes), return_inverse=True)
        share = np.bincount(at, np.concatenate(points)) / np.bincount(at)
        keys, at = np.unique(known % (size * kinds * kinds * CHOICES), return_inverse=True)
        found = np.stack([np.bincount(at, share**power) for power in range(3)], 1)
        for key, sums in zip(keys.tolist(), found, strict=True):
            rest, taken = divmod(key, CHOICES)
            rest, rival = divmod(rest, kinds)
            group, own = divmod(rest, kinds)
            where = group, own, taken, rival
            self.sums[where] = self.sums.get(where, 0) + sums
