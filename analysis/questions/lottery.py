"""What access to a card is worth, from the denial lottery: a regression of the result on who was denied what.

For a game, x_c is +1 if card c is denied to the second player, -1 if to the first, 0 if to nobody: drawn by lot, so independent of everything else. With y the
first player's points, the least-squares coefficient of x_c, with all cards at once and a mean of its own for each cell and leg, is the *access value* of c:
what a player's win rate gains from the rival's being denied it, which is what it loses from being denied it oneself.

All games of a deal have the same lots. So x is a row a deal, and what is added up over blocks is small: for each group and for all of them,

    pass 1   X'X, X'y and X'N (N: copies bought by the first player minus those by the second), and by cell and leg the sums of x, y and N
    pass 2   with the coefficients known: residuals, squared within deals (the sandwich), and their sums where a card is denied to a certain overlord, seat, or
             early in the Market, and where two cards are denied together

In `all`, games are weighted so that every group counts the same (pair_sums.py).

The value of one purchase is the access value divided by what a denial changes in the number of copies (the lottery as an instrument).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from terrors.analysis.source.pair_sums import PairSums
from terrors.analysis.source.source import Block, Source
from terrors.simulator.kernel.rng import key_of
from terrors.simulator.kernel.seeds import mixed, streams
from terrors.simulator.terms.enums import Purpose

EARLY = 1 / 3  # of the Market, from the top: a card of which a copy lies there comes early
LEAST_DENIALS = 50  # deals: errors estimated from fewer are too small out where many cards are asked about (a false alarm at 24 was seen: 480 games, ±12)


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
    known: np.ndarray  # whether there is enough to say anything about a card


@dataclass
class Level:
    """Access values where something else holds too: the overlord, the seat, early or late."""

    by: str
    level: str
    value: np.ndarray
    covariance: np.ndarray  # with the levels that are told apart by the same thing, in their order, this one among them; by level and card
    at: int  # which of them this one is
    denials: np.ndarray

    @property
    def se(self) -> np.ndarray:
        """The standard errors by card."""
        return np.sqrt(np.maximum(self.covariance[self.at], 0))


@dataclass
class PairTerms:
    """The effect of two denials together beyond the sum of both; by card and card."""

    value: np.ndarray
    se: np.ndarray
    denials: np.ndarray


class Lottery:
    """The sums of both passes. The last group is `all`."""

    def __init__(self, source: Source) -> None:
        """Begin with empty sums for these runs."""
        self.source = source
        self.cards = source.market
        self.places = 2 * len(source.cells)  # cell and leg
        groups, c = len(source.groups), len(self.cards)
        sums = PairSums.of(source)
        self.match_ups, self.cell_weight = len(sums.match_ups), sums.weight
        self.members = np.zeros((groups + 1, self.places))  # with what weight the games of a place count in a group
        for cell, group in enumerate(source.group_of):
            self.members[group, 2 * cell : 2 * cell + 2] = 1
        self.members[-1] = np.repeat(self.cell_weight, 2)
        self.alone = groups == 1 and np.array_equal(self.members[0], self.members[1])  # one group is all of them: it is reckoned once
        self.xx = np.zeros((groups + 1, c, c))
        self.xn = np.zeros((groups + 1, c, c))
        self.xy = np.zeros((groups + 1, c))
        self.n = np.zeros(self.places)
        self.y = np.zeros(self.places)
        self.x = np.zeros((self.places, c))
        self.bought = np.zeros((self.places, c))
        self.denials = np.zeros((groups + 1, c))
        self.denied_deals = np.zeros((groups + 1, c))
        self.deals = np.zeros(groups + 1, np.int64)
        self.beta = np.zeros((groups + 1, c))
        self.pi = np.zeros((groups + 1, c, c))
        self._inverse = np.zeros((groups + 1, c, c))

    def _rows(self, block: Block) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return X by deal; how many games of a deal are at each place (cell and leg), and the points made there."""
        assert block.denied is not None
        first, second = block.denied
        x = second.astype(np.float64) - first
        place = 2 * block.cell + block.leg
        at, shape = block.deal * self.places + place, (block.deals, self.places)
        games = np.bincount(at, minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
        points = np.bincount(at, block.points, minlength=shape[0] * shape[1]).reshape(shape)
        return x, games, points

    def add(self, block: Block) -> None:
        """Count a block into the sums of pass 1."""
        assert block.denied is not None
        assert block.bought is not None
        assert block.bought_at is not None
        x, games, points = self._rows(block)
        denied = block.denied[0] | block.denied[1]
        self.n += games.sum(0)
        self.y += points.sum(0)
        self.x += games.T @ x
        self.bought += block.bought_at
        for group in self.reckoned:
            weight, there = games @ self.members[group], games @ (self.members[group] > 0)
            self.deals[group] += int((there > 0).sum())
            self.xx[group] += x.T @ (x * weight[:, None])
            self.xy[group] += x.T @ (points @ self.members[group])
            self.denials[group] += there @ denied
            self.denied_deals[group] += np.count_nonzero(denied[there > 0], axis=0)
            self.xn[group] += x.T @ self.bought_in(block, group)

    @property
    def reckoned(self) -> range:
        """The groups whose sums are added up."""
        return range(1 if self.alone else len(self.members))

    def bought_in(self, block: Block, group: int) -> np.ndarray:
        """Return by deal and card the copies of the first player minus those of the second, in all games of a group, weighted as they are."""
        assert block.bought is not None
        groups = len(self.source.groups)
        if group < groups:
            return block.bought[:, group]
        weight = np.zeros((block.deals, groups))
        weight[block.deal, self.source.group_of[block.cell]] = self.cell_weight[block.cell]
        return np.einsum("dg,dgc->dc", weight, block.bought)

    def solve(self) -> None:
        """Solve for the coefficients, once pass 1 is done."""
        if self.alone:
            for sums in (self.xx, self.xn, self.xy, self.denials, self.denied_deals, self.deals):
                sums[-1] = sums[0]
        mean_y = self.y / np.maximum(self.n, 1)
        mean_x, mean_bought = (sums / np.maximum(self.n, 1)[:, None] for sums in (self.x, self.bought))
        for group, members in enumerate(self.members):
            x = self.x * members[:, None]
            within = self.xx[group] - x.T @ mean_x
            self._inverse[group] = np.linalg.pinv(within, hermitian=True)  # a card that was never denied, or denied by the plan, has no value here
            self.beta[group] = self._inverse[group] @ (self.xy[group] - x.T @ mean_y)
            self.pi[group] = self._inverse[group] @ (self.xn[group] - x.T @ mean_bought)

    def freedom(self, group: int) -> int:
        """Return the number of deals beyond what is fitted: cards vary from deal to deal, and every match-up has a mean."""
        return int(self.deals[group]) - len(self.cards) - self.match_ups

    def small(self, group: int) -> float:
        """Return by how much squared residuals are to be raised: they are smaller than squared errors by what was fitted."""
        return float(self.deals[group]) / max(1, self.freedom(group))

    def known(self, group: int) -> np.ndarray:
        """Return by card whether there is enough to say anything. A fit with hardly more deals than cards meets every deal, and would look certain."""
        return (self.denied_deals[group] >= LEAST_DENIALS) & (self.freedom(group) >= len(self.cards))


@dataclass
class _Residuals:
    """The rest of a block when the regression of one group is taken away."""

    x: np.ndarray  # by deal: sum over its games in the group, without the means of their places
    n: np.ndarray  # by deal: games in the group
    e: np.ndarray  # by deal: sum of the residuals of these games
    by_place: np.ndarray  # the same by deal and place
    score: np.ndarray  # by deal and card: sum of x times residual


class Second:
    """The sums of pass 2, which needs a solved lottery."""

    def __init__(self, lottery: Lottery, pairs: bool = True) -> None:
        """Begin with empty sums. `pairs`: whether to look at two cards at a time."""
        self.lottery, self.pairs = lottery, pairs
        source, groups, c = lottery.source, len(lottery.members), len(lottery.cards)
        self.meat = np.zeros((groups, c, c))
        self.purchase_square = np.zeros((groups, c))
        self.first_stage_square = np.zeros((groups, c))
        overlords = list(dict.fromkeys(name for cell in source.cells for name in (cell.a, cell.b)))
        self.levels = [("overlord", name) for name in overlords] + [("seat", "first"), ("seat", "second"), ("market", "early"), ("market", "late")]
        self.first_at, self.second_at = self._seats_at(overlords)
        self.level = np.zeros((groups, len(self.levels), 2, c))  # sum of z e, and of z²
        self.level_meat = np.zeros((groups, len(self.levels), len(self.levels), c))  # sum over deals of z e of one level times that of another
        k = len(self.first_at)
        self.level_mean = np.zeros((groups, k, k, c))  # of z e of one level times e where another could be denied something
        self.level_rest = np.zeros((groups, k, k))  # of these e of one level times those of another
        self.flags_at = np.zeros((2, lottery.places, c))  # by seat, place and card: games in which it is denied to that seat
        self.pair = np.zeros((2, 3, c, c))  # synergy, counter: sum of z e, of its square, of z²; all groups together
        self.keys = _market_keys(source)

    def _seats_at(self, overlords: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return by level and place whether a denial to the first player, to the second, is one to that overlord, or to that seat."""
        cells = self.lottery.source.cells
        first = [[(cell.a, cell.b)[leg] == name for cell in cells for leg in range(2)] for name in overlords]
        second = [[(cell.b, cell.a)[leg] == name for cell in cells for leg in range(2)] for name in overlords]
        yes, no = [True] * self.lottery.places, [False] * self.lottery.places
        return np.array([*first, yes, no], float), np.array([*second, no, yes], float)

    def add(self, block: Block) -> None:
        """Count a block into the sums of pass 2."""
        assert block.denied is not None
        assert block.bought is not None
        x, games, points = self.lottery._rows(block)
        early = comes_early(block.deal_seed, self.keys)
        for group in self.lottery.reckoned:
            members = self.lottery.members[group]
            places = np.flatnonzero(members)  # a group has few of them: the others need not be looked at
            mine = games[:, places] * members[places]
            rest = self._residuals(group, places, x, mine, points[:, places] * members[places])
            self._sandwich(group, rest, self.lottery.bought_in(block, group), mine, places)
            self._levels(group, block.denied, rest, mine, places, early)
        for seat, flags in enumerate(block.denied):
            self.flags_at[seat] += games.T @ flags
        if self.pairs:
            self._pairs(block.denied, rest.e, rest.n)  # of `all`, the last

    def _one_for_all(self) -> None:
        """Let one group stand for all of them, if there is but one."""
        if self.lottery.alone:
            for sums in (self.meat, self.purchase_square, self.first_stage_square, self.level, self.level_meat, self.level_mean, self.level_rest):
                sums[-1] = sums[0]

    def _residuals(self, group: int, places: np.ndarray, x: np.ndarray, games: np.ndarray, points: np.ndarray) -> _Residuals:
        """Return what is left of a block. `places`: those of the group; `games` and `points` by deal and place, weighted as the group counts them."""
        lottery = self.lottery
        n = np.maximum(lottery.n[places], 1)
        mean_x = lottery.x[places] / n[:, None]
        by_place = points - games * ((x @ lottery.beta[group])[:, None] + lottery.y[places] / n - mean_x @ lottery.beta[group])
        e, weight = by_place.sum(1), games.sum(1)
        return _Residuals(x * weight[:, None] - games @ mean_x, weight, e, by_place, x * e[:, None] - by_place @ mean_x)

    def _sandwich(self, group: int, rest: _Residuals, bought: np.ndarray, games: np.ndarray, places: np.ndarray) -> None:
        """Add up squared scores over deals, of the results and of the purchases."""
        lottery, mine = self.lottery, rest.n > 0
        self.meat[group] += rest.score.T @ rest.score
        x, e = rest.x[mine], rest.e[mine]
        influence = x / rest.n[mine, None] @ lottery._inverse[group]
        left = bought[mine] - x @ lottery.pi[group] - games[mine] @ (lottery.bought[places] / np.maximum(lottery.n[places], 1)[:, None])
        moved = np.diag(lottery.pi[group])
        per = np.divide(lottery.beta[group], moved, out=np.zeros_like(moved), where=np.abs(moved) > 1e-12)
        self.purchase_square[group] += ((influence * (e[:, None] - left * per)) ** 2).sum(0)
        self.first_stage_square[group] += ((influence * left) ** 2).sum(0)

    def _levels(self, group: int, denied: tuple[np.ndarray, np.ndarray], rest: _Residuals, games: np.ndarray, places: np.ndarray, early: np.ndarray) -> None:
        """Add up residuals where a card is denied to a certain overlord or seat, or lies early or late in the Market."""
        first, second = (flags.astype(np.float64) for flags in denied)
        k = len(self.levels) - 2
        one, other = (index.ravel() for index in np.indices((k, k)))
        first_at, second_at = self.first_at[:, places], self.second_at[:, places]
        could = rest.by_place @ (second_at - first_at).T
        self.level_rest[group] += could.T @ could
        for seat_at, flags, sign in ((first_at, first, -1.0), (second_at, second, 1.0)):
            e, n = rest.by_place @ seat_at.T, games @ seat_at.T
            self.level[group, :k, 0] += sign * (e.T @ flags)
            self.level[group, :k, 1] += n.T @ flags
            self.level_meat[group, one, other] += (e[:, one] * e[:, other]).T @ flags  # the legs of a deal deny a card to two overlords with the same luck
            self.level_mean[group, one, other] += sign * ((e[:, one] * could[:, other]).T @ flags)
        x, n = second - first, games.sum(1)
        for offset, where in enumerate((early, ~early)):
            z = x * where
            self.level[group, k + offset, 0] += rest.e @ z
            self.level[group, k + offset, 1] += n @ np.abs(z)
            self.level_meat[group, k + offset, k + offset] += (rest.e**2) @ np.abs(z)

    def _pairs(self, denied: tuple[np.ndarray, np.ndarray], e: np.ndarray, n: np.ndarray) -> None:
        """Add up deals with both cards denied to one player (synergy), or one to each (counter)."""
        first, second = (flags.astype(np.float64) for flags in denied)
        for power, weight in enumerate((e, e**2, n)):
            same_first, same_second = first.T @ (first * weight[:, None]), second.T @ (second * weight[:, None])
            across = first.T @ (second * weight[:, None])  # row denied to the first player, column to the second
            sign = -1.0 if power == 0 else 1.0
            # Denied together, two cards that help each other cost less than the sum of both: once one is gone, the other is worth less.
            self.pair[0, power] += same_first + sign * same_second
            self.pair[1, power] += across + sign * across.T

    def fits(self) -> list[Fit]:
        """Return the regression of each group, the last one of all together."""
        lottery, found = self.lottery, []
        self._one_for_all()
        for group in range(len(lottery.members)):
            inverse, small = lottery._inverse[group], lottery.small(group)
            covariance = inverse @ self.meat[group] @ inverse * small
            moved = np.diag(lottery.pi[group])
            moved_se = np.sqrt(self.first_stage_square[group] * small)
            with np.errstate(divide="ignore", invalid="ignore"):
                per, per_se = lottery.beta[group] / moved, np.sqrt(self.purchase_square[group] * small) / np.abs(moved)
            se = np.sqrt(np.maximum(np.diag(covariance), 0))
            counts = lottery.denials[group], int(lottery.deals[group]), int(lottery.n[lottery.members[group] > 0].sum())
            found.append(Fit(lottery.beta[group], se, moved, moved_se, per, per_se, covariance, *counts, lottery.known(group) & (se > 0)))
        return found

    def by_level(self, group: int) -> list[Level]:
        """Return access values where something else holds too."""
        found: list[Level] = []
        self._one_for_all()
        names = [by for by, _ in self.levels]
        for by in dict.fromkeys(names):
            at = np.flatnonzero(np.array(names) == by)
            inverse = np.linalg.pinv(self._level_squares(group, at), hermitian=True)  # by card
            meat = np.moveaxis(self._level_meat(group, at), -1, 0)
            value = self.lottery.beta[group] + np.einsum("clm,mc->lc", inverse, self.level[group, at, 0])
            covariance = np.moveaxis(inverse @ meat @ inverse, 0, -1) * self.lottery.small(group)
            found += [Level(by, self.levels[k][1], value[i], covariance[i], i, self.level[group, k, 1]) for i, k in enumerate(at)]
        return found

    def _level_meat(self, group: int, at: np.ndarray) -> np.ndarray:
        """Return by level, level and card the sums over deals of z e times z e, z being without its mean, which is nearly the same for all places."""
        own = np.ix_(at, at)
        if at[0] >= len(self.first_at):
            return self.level_meat[group][own]
        mean = self.lottery.denials[group] / max(1.0, 2 * float(self.lottery.n[self.lottery.members[group] > 0].sum()))
        crossed = self.level_mean[group][own]
        return self.level_meat[group][own] - mean * (crossed + np.swapaxes(crossed, 0, 1)) + mean**2 * self.level_rest[group][own][:, :, None]

    def _level_squares(self, group: int, at: np.ndarray) -> np.ndarray:
        """Return by card, level and level the sums of z times z, without the means of their places.

        To be denied something as Fenris, or as the first player, is not as often −1 as +1: where only that is looked at, the mean of the place has part of it.
        """
        found = np.zeros((self.level.shape[-1], len(at), len(at)))
        found[:, np.arange(len(at)), np.arange(len(at))] = self.level[group, at, 1].T
        if at[0] < len(self.first_at):
            z = self.second_at[at][:, :, None] * self.flags_at[1] - self.first_at[at][:, :, None] * self.flags_at[0]  # by level, place and card
            found -= np.einsum("lpc,mpc,p->clm", z, z, self.lottery.members[group] / np.maximum(self.lottery.n, 1), optimize=True)
        return found

    def terms(self, kind: int) -> PairTerms:
        """Return the terms of pairs: 0 synergies, 1 counters."""
        total, square, n = self.pair[kind]
        xx = self.lottery.xx[-1]
        one, other, both = np.diag(xx)[:, None], np.diag(xx)[None, :], xx if kind == 0 else -xx
        with np.errstate(divide="ignore", invalid="ignore"):
            # Who is denied both is denied each: that part of it the cards' own values have taken already.
            left = 1 - n * (one + other - 2 * both) / (one * other - both**2)
            return PairTerms(total / n / left, np.sqrt(square / left * self.lottery.small(-1)) / n, n)


def _market_keys(source: Source) -> list[list[int]]:
    """Return by market card the keys of its copies (rng.py)."""
    return [
        [key_of(name, copy) for copy in range(1, 1 + max(card.copies for box in source.boxes for card in box.cards.cards if card.name == name))]
        for name in source.market
    ]


def comes_early(seeds: np.ndarray, keys: list[list[int]]) -> np.ndarray:
    """Return by deal and card whether a copy lies in the upper part of the Market. Its place is its luck (S6), known before the first turn."""
    luck = streams(seeds, Purpose.MARKET)
    limit = np.uint64(int(EARLY * 2**64))
    return np.stack([np.any([mixed(luck ^ np.uint64(key)) < limit for key in copies], axis=0) for copies in keys], 1)


def denials(source: Source) -> Second:
    """Return what the denial lottery of these games has shown, in two passes over them."""
    lottery = Lottery(source)
    for block in source.blocks(denied=True, bought=True):
        lottery.add(block)
    lottery.solve()
    second = Second(lottery)
    for block in source.blocks(denied=True, bought=True):
        second.add(block)
    return second
