"""What access to a card is worth, from the denial lottery: a regression of the result on who was denied what.

For a game, x_c is +1 if card c is denied to the second player, -1 if to the first, 0 if to nobody: drawn by lot, so independent of everything else. With y the
first player's points, the least-squares coefficient of x_c, with all cards at once and a mean of its own for each cell and leg, is the *access value* of c:
what a player's win rate gains from the rival's being denied it, which is what it loses from being denied it oneself.

All games of a deal have the same lots. So x is a row a deal, and what is added up over blocks is small: for each group and for all of them,

    pass 1   X'X, X'y and X'N (N: copies bought by the first player minus those by the second), and by cell and leg the sums of x, y and N
    pass 2   with the coefficients known: residuals, squared within deals (the sandwich), and their sums where a card is denied to a certain overlord, seat, or
             early in the Market, and where two cards are denied together

The value of one purchase is the access value divided by what a denial changes in the number of copies (the lottery as an instrument).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.reading import Block, Source
from simulator.enums import Purpose
from simulator.matches import mixed, streams
from simulator.rng import key_of

EARLY = 1 / 3  # of the Market, from the top: a card of which a copy lies there comes early


@dataclass
class Fit:
    """The regression of one group; cards as in Lottery.cards."""

    value: np.ndarray  # access values, shares of a win
    se: np.ndarray
    moved: np.ndarray  # copies that a denial moves from one player to the other
    moved_se: np.ndarray
    per_purchase: np.ndarray
    per_purchase_se: np.ndarray
    covariance: np.ndarray
    denials: np.ndarray  # games in which a card was denied to somebody
    deals: int
    games: int


@dataclass
class Level:
    """Access values where something else holds too: the overlord, the seat, early or late."""

    by: str
    level: str
    value: np.ndarray
    se: np.ndarray
    denials: np.ndarray


@dataclass
class PairTerms:
    """What two denials do together beyond the sum of both; by card and card."""

    value: np.ndarray
    se: np.ndarray
    denials: np.ndarray


class Lottery:
    """The sums of both passes. The last group is `all`."""

    def __init__(self, source: Source) -> None:
        """Empty sums for these runs."""
        self.source = source
        self.cards = source.market
        self.places = 2 * len(source.cells)  # cell and leg
        groups, c = len(source.groups), len(self.cards)
        self.members = np.zeros((groups + 1, self.places), bool)  # which places belong to a group
        for cell, group in enumerate(source.group_of):
            self.members[group, 2 * cell : 2 * cell + 2] = True
        self.members[-1] = True
        self.xx = np.zeros((groups + 1, c, c))
        self.xn = np.zeros((groups + 1, c, c))
        self.xy = np.zeros((groups + 1, c))
        self.n = np.zeros(self.places)
        self.y = np.zeros(self.places)
        self.x = np.zeros((self.places, c))
        self.bought = np.zeros((self.places, c))
        self.denials = np.zeros((groups + 1, c))
        self.deals = np.zeros(groups + 1, np.int64)
        self.beta = np.zeros((groups + 1, c))
        self.pi = np.zeros((groups + 1, c, c))
        self._inverse = np.zeros((groups + 1, c, c))

    def _rows(self, block: Block) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """X by deal; how many games of a deal are at each place (cell and leg), and the points made there."""
        assert block.denied is not None
        first, second = block.denied
        x = second.astype(np.float64) - first
        place = 2 * block.cell + block.leg
        at, shape = block.deal * self.places + place, (block.deals, self.places)
        games = np.bincount(at, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
        points = np.bincount(at, block.points, minlength=shape[0] * shape[1]).reshape(shape)
        return x, games, points

    def add(self, block: Block) -> None:
        """Pass 1."""
        assert block.denied is not None
        assert block.bought is not None
        assert block.bought_at is not None
        x, games, points = self._rows(block)
        denied = block.denied[0] | block.denied[1]
        self.n += games.sum(0)
        self.y += points.sum(0)
        self.x += games.T @ x
        self.bought += block.bought_at
        groups = len(self.source.groups)
        for group in range(groups + 1):
            weight = games @ self.members[group]
            self.deals[group] += int((weight > 0).sum())
            self.xx[group] += x.T @ (x * weight[:, None])
            self.xy[group] += x.T @ (points @ self.members[group])
            self.denials[group] += weight @ denied
            self.xn[group] += x.T @ (block.bought[:, group] if group < groups else block.bought.sum(1))

    def solve(self) -> None:
        """The coefficients, once pass 1 is done."""
        mean_y = self.y / np.maximum(self.n, 1)
        for group, members in enumerate(self.members):
            x, n = self.x[members], np.maximum(self.n[members], 1)
            within = self.xx[group] - x.T @ (x / n[:, None])
            self._inverse[group] = np.linalg.pinv(within, hermitian=True)  # a card that was never denied, or denied by the plan, has no value here
            self.beta[group] = self._inverse[group] @ (self.xy[group] - x.T @ mean_y[members])
            self.pi[group] = self._inverse[group] @ (self.xn[group] - x.T @ (self.bought[members] / n[:, None]))


@dataclass
class _Residuals:
    """What is left of a block when the regression of one group is taken away."""

    x: np.ndarray  # by deal: sum over its games in the group, without the means of their places
    n: np.ndarray  # by deal: games in the group
    e: np.ndarray  # by deal: sum of the residuals of these games
    by_place: np.ndarray  # the same by deal and place
    score: np.ndarray  # by deal and card: sum of x times residual


class Second:
    """Pass 2: needs a solved lottery."""

    def __init__(self, lottery: Lottery, pairs: bool = True) -> None:
        """`pairs`: whether to look at two cards at a time."""
        self.lottery, self.pairs = lottery, pairs
        source, groups, c = lottery.source, len(lottery.members), len(lottery.cards)
        self.meat = np.zeros((groups, c, c))
        self.purchase_square = np.zeros((groups, c))
        self.first_stage_square = np.zeros((groups, c))
        overlords = list(dict.fromkeys(name for cell in source.cells for name in (cell.a, cell.b)))
        self.levels = [("overlord", name) for name in overlords] + [("seat", "first"), ("seat", "second"), ("market", "early"), ("market", "late")]
        self.first_at, self.second_at = self._seats_at(overlords)
        self.level = np.zeros((groups, len(self.levels), 3, c))  # sum of z e, of its square within deals, and of z²
        self.pair = np.zeros((2, 3, c, c))  # synergy, counter: sum of z e, of its square, of z²; all groups together
        self.keys = _market_keys(source)

    def _seats_at(self, overlords: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """By level and place: whether a denial to the first player, to the second, is one to that overlord, or to that seat."""
        cells = self.lottery.source.cells
        first = [[(cell.a, cell.b)[leg] == name for cell in cells for leg in range(2)] for name in overlords]
        second = [[(cell.b, cell.a)[leg] == name for cell in cells for leg in range(2)] for name in overlords]
        yes, no = [True] * self.lottery.places, [False] * self.lottery.places
        return np.array([*first, yes, no], float), np.array([*second, no, yes], float)

    def add(self, block: Block) -> None:
        """Count a block in."""
        assert block.denied is not None
        assert block.bought is not None
        x, games, points = self.lottery._rows(block)
        early = comes_early(block.deal_seed, self.keys)
        for group, members in enumerate(self.lottery.members):
            rest = self._residuals(group, members, x, games, points)
            bought = block.bought[:, group] if group < len(self.lottery.source.groups) else block.bought.sum(1)
            self._sandwich(group, rest, bought, games * members)
            self._levels(group, block.denied, rest, games * members, early)
        if self.pairs:
            self._pairs(block.denied, rest.e, rest.n)  # of `all`, the last

    def _residuals(self, group: int, members: np.ndarray, x: np.ndarray, games: np.ndarray, points: np.ndarray) -> _Residuals:
        lottery, games = self.lottery, games * members
        n = np.maximum(lottery.n, 1)
        mean_x = lottery.x / n[:, None]
        by_place = points * members - games * ((x @ lottery.beta[group])[:, None] + lottery.y / n - mean_x @ lottery.beta[group])
        e, weight = by_place.sum(1), games.sum(1)
        return _Residuals(x * weight[:, None] - games @ mean_x, weight, e, by_place, x * e[:, None] - by_place @ mean_x)

    def _sandwich(self, group: int, rest: _Residuals, bought: np.ndarray, games: np.ndarray) -> None:
        """Sums over deals of squared scores, of the results and of the purchases."""
        lottery, mine = self.lottery, rest.n > 0
        self.meat[group] += rest.score.T @ rest.score
        x, e = rest.x[mine], rest.e[mine]
        influence = x / rest.n[mine, None] @ lottery._inverse[group]
        left = bought[mine] - x @ lottery.pi[group] - games[mine] @ (lottery.bought / np.maximum(lottery.n, 1)[:, None])
        moved = np.diag(lottery.pi[group])
        per = np.divide(lottery.beta[group], moved, out=np.zeros_like(moved), where=np.abs(moved) > 1e-12)
        self.purchase_square[group] += ((influence * (e[:, None] - left * per)) ** 2).sum(0)
        self.first_stage_square[group] += ((influence * left) ** 2).sum(0)

    def _levels(self, group: int, denied: tuple[np.ndarray, np.ndarray], rest: _Residuals, games: np.ndarray, early: np.ndarray) -> None:
        """Residuals where a card is denied to a certain overlord or seat, or lies early or late in the Market."""
        first, second = (flags.astype(np.float64) for flags in denied)
        for seat_at, flags, sign in ((self.first_at, first, -1.0), (self.second_at, second, 1.0)):
            e, n = rest.by_place @ seat_at.T, games @ seat_at.T
            k = e.shape[1]
            self.level[group, :k, 0] += sign * (e.T @ flags)
            self.level[group, :k, 1] += (e**2).T @ flags
            self.level[group, :k, 2] += n.T @ flags
        k, x = len(self.levels) - 2, second - first
        n = games.sum(1)
        for offset, where in enumerate((early, ~early)):
            z = x * where
            self.level[group, k + offset, 0] += rest.e @ z
            self.level[group, k + offset, 1] += (rest.e**2) @ np.abs(z)
            self.level[group, k + offset, 2] += n @ np.abs(z)

    def _pairs(self, denied: tuple[np.ndarray, np.ndarray], e: np.ndarray, n: np.ndarray) -> None:
        """Both cards denied to one player (synergy), or one to each (counter)."""
        first, second = (flags.astype(np.float64) for flags in denied)
        for power, weight in enumerate((e, e**2, n)):
            same_first, same_second = first.T @ (first * weight[:, None]), second.T @ (second * weight[:, None])
            across = first.T @ (second * weight[:, None])  # row denied to the first player, column to the second
            sign = -1.0 if power == 0 else 1.0
            # Denied together, two cards that help each other cost less than the sum of both: once one is gone, the other is worth less.
            self.pair[0, power] += same_first + sign * same_second
            self.pair[1, power] += across + sign * across.T

    def fits(self) -> list[Fit]:
        """The regression of each group, the last one of all together."""
        lottery, found = self.lottery, []
        for group in range(len(lottery.members)):
            inverse = lottery._inverse[group]
            small = lottery.deals[group] / max(1, lottery.deals[group] - len(lottery.cards) - 1)  # residuals are smaller than errors by what was fitted
            covariance = inverse @ self.meat[group] @ inverse * small
            moved = np.diag(lottery.pi[group])
            moved_se = np.sqrt(self.first_stage_square[group] * small)
            with np.errstate(divide="ignore", invalid="ignore"):
                per, per_se = lottery.beta[group] / moved, np.sqrt(self.purchase_square[group] * small) / np.abs(moved)
            se = np.sqrt(np.maximum(np.diag(covariance), 0))
            counts = lottery.denials[group], int(lottery.deals[group]), int(lottery.n[lottery.members[group]].sum())
            found.append(Fit(lottery.beta[group], se, moved, moved_se, per, per_se, covariance, *counts))
        return found

    def by_level(self, group: int) -> list[Level]:
        """Access values where something else holds too."""
        found = []
        for number, (by, level) in enumerate(self.levels):
            total, square, n = self.level[group, number]
            with np.errstate(divide="ignore", invalid="ignore"):
                found.append(Level(by, level, self.lottery.beta[group] + total / n, np.sqrt(square) / n, n))
        return found

    def terms(self, kind: int) -> PairTerms:
        """0 synergies, 1 counters."""
        total, square, n = self.pair[kind]
        with np.errstate(divide="ignore", invalid="ignore"):
            return PairTerms(total / n, np.sqrt(square) / n, n)


def _market_keys(source: Source) -> list[list[int]]:
    """By market card: the keys of its copies (rng.py)."""
    return [
        [key_of(name, copy) for copy in range(1, 1 + max(card.copies for box in source.boxes for card in box.cards.cards if card.name == name))]
        for name in source.market
    ]


def comes_early(seeds: np.ndarray, keys: list[list[int]]) -> np.ndarray:
    """By deal and card: whether a copy lies in the upper part of the Market. Its place is its luck (S6), known before the first turn."""
    luck = streams(seeds, Purpose.MARKET)
    limit = np.uint64(int(EARLY * 2**64))
    return np.stack([np.any([mixed(luck ^ np.uint64(key)) < limit for key in copies], axis=0) for copies in keys], 1)
