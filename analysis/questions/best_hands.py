"""In the best hands: what overlords, match-ups and seats are worth when each side chooses its pilot as well as it can.

For each match-up the pilots are the choices of a small zero-sum game (simulator/play/pilot_game.py): rows who plays the first overlord, columns who plays the
second, entries what the first wins over pairs with exchanged seats. Its value is the match-up's number, and an overlord's is the mean over its rivals.

- *Who chooses and what is counted are kept apart*: deals are cut in two halves by a hash; the choice that one half suggests is valued on the other, both ways.
  A choice that is valued on the games that suggested it looks better than it is.
- *Luck*: deals fall by their hash into 256 groups, which are weighted anew 400 times (a Bayesian bootstrap: exponential weights), and every time all is chosen
  and valued again. The weights belong to match-up and group, so that they do not depend on who else plays.
- *Who plays*: pilots that do as well as the best one (within 50 Elo, head to head) and are no copies of it are other draws of an able pilot. They are one
  choice and take turns, on either side: to choose among them by overlord would be to choose the luckiest. What their mean hangs on is found by leaving each of
  them out in turn (the jackknife), pooled over all overlords, and weighed against what is usual (stats/between.py). More games do not mend it.

A copy of a pilot (the same results on the same deals) is left out, and a weak one is never chosen: neither moves any number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log10, sqrt

import numpy as np

from terrors.analysis.contract.findings_schema import BANDS, CLUB, EXPERTS, LEARNERS
from terrors.analysis.source.pair_sums import AS_FIRST, AS_SECOND, BOTH, GOING_FIRST
from terrors.analysis.source.source import Block, NamedCell, Source
from terrors.analysis.stats.between import spread_between
from terrors.analysis.stats.intervals import Looks, Rate, wilson
from terrors.simulator.kernel.rng import key_of
from terrors.simulator.kernel.seeds import mixed
from terrors.simulator.play.pilot_game import Choices, merged, parted, saddles, solve, worth_choosing
from terrors.simulator.runs.stages import ABLE_ELO, SCREEN, WHOLE, equally_able, same_games

GROUPS = 256  # of deals
DRAWS = 400
FINE = 2.0**20
COUNTED = (BOTH, AS_FIRST, AS_SECOND, GOING_FIRST)
CLUB_ELO = 200.0  # below the best by no more than this: club; by more: learners
# How far able pilots are apart in what they make of a subject (a standard deviation of 1): what is usual. On twelve sets, ours and edits of it, expert and its
# two siblings met in 54,000 games each; half of the sets had less than 0.0057, 0.0078 and 0.0043, two of three less than 0.014 (overlords), one 0.056.
USUAL_SPREAD = {"overlords": 0.006, "matchups": 0.008, "first": 0.0045}
FAR_BELOW = 0.2  # a pilot who plays an overlord so much worse than it plays the others, beside the best one, says nothing about that overlord


class HandSums:
    """The results of the pairs: by cell and group of deals the pairs and the sums of shares, by cell the sums of squares."""

    def __init__(self, source: Source) -> None:
        """Begin with empty sums for these cells."""
        self.cells = source.cells
        self.n = np.zeros((len(self.cells), GROUPS))
        self.total = np.zeros((len(COUNTED), len(self.cells), GROUPS))
        self.squares = np.zeros((len(COUNTED), len(self.cells)))
        self.screen = np.zeros((2, len(self.cells), GROUPS))  # of the screen alone, in which all have the same deals: pairs, shares

    def add(self, block: Block) -> None:
        """Count a block in."""
        legs = block.points.reshape(-1, 2)
        cell = block.cell[::2]
        as_first, as_second = legs[:, 0], 1 - legs[:, 1]
        shares = {BOTH: (as_first + as_second) / 2, AS_FIRST: as_first, AS_SECOND: as_second, GOING_FIRST: legs.mean(1)}
        at = cell * GROUPS + group_of(block.seed[::2])
        size = len(self.cells) * GROUPS
        if block.stage in (SCREEN, WHOLE):
            for number, weights in enumerate((None, shares[BOTH])):
                self.screen[number] += np.bincount(at, weights, minlength=size).reshape(self.n.shape)
        self.n += np.bincount(at, minlength=size).reshape(self.n.shape)
        for number, quantity in enumerate(COUNTED):
            self.total[number] += np.bincount(at, shares[quantity], minlength=size).reshape(self.n.shape)
            self.squares[number] += np.bincount(cell, shares[quantity] ** 2, minlength=len(self.cells))


def group_of(seeds: np.ndarray) -> np.ndarray:
    """Return the groups that deals fall into, by their luck alone."""
    return (mixed(seeds ^ np.uint64(key_of("groups of deals", 0))) % np.uint64(GROUPS)).astype(np.int64)


def draws_of(a: str, b: str) -> np.ndarray:
    """Return by draw and group the weights of a match-up's deals; in draw 0 all weigh the same, which is the estimate itself.

    They are whole multiples of 1 / FINE, as points are of ¼, so that sums of them are exact: a processor that adds in another order, as it may when there is
    one pilot more, comes to the same.
    """
    luck = np.random.default_rng(key_of(f"draws: {a} against {b}", 0))
    return np.concatenate([np.ones((1, GROUPS)), np.round(luck.exponential(size=(DRAWS, GROUPS)) * FINE) / FINE])


@dataclass
class MatchUp:
    """A match-up in the best hands, and in each pilot's own."""

    a: str
    b: str
    weights: np.ndarray  # by pilot and pilot: how much of the play each cell has
    draws: np.ndarray  # by quantity and draw: the value; the first draw is the estimate
    own: np.ndarray  # by pilot, quantity and draw: each against itself
    without: np.ndarray  # by able pilot, quantity and draw: the value if that one did not play; empty if somebody plays alone
    least: np.ndarray  # by quantity: the least standard error, from the variance of the pairs as if the choice were given
    pairs: int  # of the cells in the mix


@dataclass
class Pilot:
    """A pilot as it was measured on this set."""

    name: str
    rate: float  # of 1, against the best one; 0.5 for that one itself
    se: float
    band: str
    share: float  # how much it is chosen, of 1, over all match-ups and both sides
    copy_of: str = ""
    far_below: list[str] = field(default_factory=list)  # overlords that it plays so badly that it says nothing about them

    @property
    def elo(self) -> float:
        """Elo points above the best one; mostly below, so negative."""
        return elo_of(self.rate)


def elo_of(rate: float) -> float:
    """Return a win rate as Elo points."""
    rate = min(max(rate, 0.001), 0.999)
    return 400 * log10(rate / (1 - rate))


class BestHands:
    """All match-ups valued; who the pilots are."""

    def __init__(self, sums: HandSums, looks: Looks) -> None:
        """Value everything. Every two pilots must have met in every match-up (`met`)."""
        self.looks = looks
        cells = sums.cells
        self.names = list(dict.fromkeys(name for cell in cells for name in (cell.a_strategy, cell.b_strategy)))
        self.pairs_of = list(dict.fromkeys((cell.a, cell.b) for cell in cells))
        self.squares = [_square(sums, a, b, self.names) for a, b in self.pairs_of]
        self.copies = self._copies()
        self.chosen = [name for name in self.names if name not in self.copies]
        keep = np.array([self.names.index(name) for name in self.chosen])
        self._known = [_Known(square.only(keep)) for square in self.squares]
        self._plain = [one for one in self._known if one.square.a != one.square.b] or self._known
        self.best = self._best()
        self.able = [i for i in range(len(self.chosen)) if equally_able(self._against(i)[0])]
        silent = [[] if i == self.best else self._far_below(i) for i in range(len(self.chosen))]
        self.match_ups = [_valued(one, self.best, self.able, self._choices(one.square.a, silent), self._choices(one.square.b, silent)) for one in self._known]
        self.plain = [m for m in self.match_ups if m.a != m.b] or self.match_ups
        self.pilots = [self._pilot(name, silent) for name in self.names]

    def _choices(self, overlord: str, silent: list[list[str]]) -> Choices:
        """Return what the side of an overlord may choose: those who are as able as the best one are one choice, and take turns."""
        able = [i for i in self.able if overlord not in silent[i]]
        return sorted([able, *([i] for i in range(len(self.chosen)) if i not in able)])

    def _copies(self) -> dict[str, str]:
        """Return the pilots whose games all came out as an earlier one's, and whose copies they are."""
        found: dict[str, str] = {}
        for i, name in enumerate(self.names):
            for j, other in enumerate(self.names[:i]):
                if other not in found and all(square.alike(i, j) for square in self.squares):
                    found[name] = other
                    break
        return found

    def _best(self) -> int:
        """Return who is chosen most when it is not known which overlord is to be played."""
        entries = np.mean([(one.entries[0] + 1 - one.entries[0].T) / 2 for one in self._plain], axis=0)
        weight = solve(entries).rows
        return int(np.flatnonzero(weight >= weight.max() - 1e-9)[0])

    def _against(self, pilot: int) -> tuple[float, float]:
        """Return what a pilot wins against the best one, over all match-ups and both sides, and its standard error."""
        if pilot == self.best:
            return 0.5, 0.0
        draws = np.mean([(one.entries[:, pilot, self.best] + 1 - one.entries[:, self.best, pilot]) / 2 for one in self._plain], axis=0)
        return float(draws[0]), float(draws[1:].std())

    def _pilot(self, name: str, silent: list[list[str]]) -> Pilot:
        at = self.chosen.index(self.copies.get(name, name))
        rate, se = self._against(at)
        elo = elo_of(rate)
        band = EXPERTS if elo >= -ABLE_ELO else CLUB if elo >= -CLUB_ELO else LEARNERS
        share = float(np.mean([(m.weights.sum(1)[at] + m.weights.sum(0)[at]) / 2 for m in self.plain]))
        return Pilot(name, rate, se, band, share, self.copies.get(name, ""), silent[at])

    def _far_below(self, pilot: int) -> list[str]:
        """Return the overlords that a pilot plays much worse than it plays the others, beside the best one and against it."""
        regret: dict[str, list[np.ndarray]] = {}
        for one in self._plain:
            a, b, at = one.square.a, one.square.b, self.best
            if a != b:
                regret.setdefault(a, []).append(one.entries[:, at, at] - one.entries[:, pilot, at])
                regret.setdefault(b, []).append(one.entries[:, at, pilot] - one.entries[:, at, at])
        if len(regret) < 2:
            return []
        found = []
        gaps = {overlord: np.mean(parts, axis=0) for overlord, parts in sorted(regret.items())}
        for overlord, gap in gaps.items():
            excess = gap - np.mean([other for name, other in gaps.items() if name != overlord], axis=0)
            if excess[0] > FAR_BELOW and excess[0] > 2 * excess[1:].std():
                found.append(overlord)
        return found

    @property
    def alone(self) -> bool:
        """Whether there is but one pilot: nothing is chosen, and its rates are all there is."""
        return len(self.names) == 1

    @property
    def overlords(self) -> list[str]:
        """All overlords that met another one."""
        return sorted({name for m in self.plain if m.a != m.b for name in (m.a, m.b)})

    def of_overlord(self, overlord: str, quantity: int = BOTH, pilot: int | None = None) -> tuple[np.ndarray, list[MatchUp]]:
        """Return an overlord's draws, rivals with equal weights, in the best hands or in one pilot's own; and the match-ups."""
        other = {AS_FIRST: AS_SECOND, AS_SECOND: AS_FIRST}.get(quantity, quantity)
        mine = [m for m in self.plain if overlord in (m.a, m.b) and m.a != m.b]
        found = [self._of(m, quantity, pilot) if overlord == m.a else 1 - self._of(m, other, pilot) for m in mine]
        return np.mean(found, axis=0), mine

    def of_first(self, pilot: int | None = None) -> tuple[np.ndarray, list[MatchUp]]:
        """Return what going first wins, match-ups with equal weights."""
        return np.mean([self._of(m, GOING_FIRST, pilot) for m in self.plain], axis=0), self.plain

    def _of(self, m: MatchUp, quantity: int, pilot: int | None) -> np.ndarray:
        at = COUNTED.index(quantity)
        return m.draws[at] if pilot is None else m.own[pilot, at]

    def cells_in_mix(self, cells: Sequence[NamedCell]) -> list[NamedCell]:
        """Return the cells that are played when each side chooses as well as it can."""
        weight = {(m.a, m.b): m.weights for m in self.match_ups}
        found = []
        for cell in cells:
            if cell.a_strategy in self.chosen and cell.b_strategy in self.chosen:
                s, t = self.chosen.index(cell.a_strategy), self.chosen.index(cell.b_strategy)
                if weight[cell.a, cell.b][s, t] > 1e-6 or (cell.a == cell.b and weight[cell.a, cell.b][t, s] > 1e-6):
                    found.append(cell)
        return found

    def as_sums(self) -> dict[tuple[str, str], np.ndarray]:
        """Return by match-up and quantity (observations, sum, sum of squares) as of one cell that is known as well, for what is reckoned from such sums."""
        found = {}
        for m in self.match_ups:
            rows = []
            for at in range(len(COUNTED)):
                share, se = float(m.draws[at, 0]), max(float(m.draws[at, 1:].std()), float(m.least[at]), 1e-6)
                n = max(1.0, float(m.pairs))
                rows.append((n, n * share, n * (se**2 * n + share**2)))
            found[m.a, m.b] = np.array(rows)
        return found

    def spread(self, quantity: str) -> float | None:
        """Return by how much (a standard error, of 1) a value hangs on which able pilots play: overlords, matchups or first. None if there is but one.

        Each able pilot is left out in turn (the jackknife), what that changes is pooled over all subjects, and weighed against what is usual (between.py).
        """
        k = len(self.able)
        if k < 2 or any(not m.without.size for m in self.plain):
            return None
        if quantity == "overlords":
            subjects, values = [self._without(name) for name in self.overlords], [self.of_overlord(name)[0] for name in self.overlords]
        elif quantity == "matchups":
            subjects, values = [m.without[:, 0] for m in self.plain], [m.draws[0] for m in self.plain]
        else:
            subjects, values = [np.mean([m.without[:, COUNTED.index(GOING_FIRST)] for m in self.plain], axis=0)], [self.of_first()[0]]
        draws = np.array(subjects)  # by subject, pilot, draw
        seen, noise = ((k - 1) ** 2 / k * float(part.var(axis=1, ddof=1).mean()) for part in (draws[:, :, :1], draws[:, :, 1:] - draws[:, :, :1]))
        luck = float(np.mean([one[1:].var() for one in values]))
        freedom = (k - 1) * max(1, len(subjects) - 1)
        return spread_between(seen, noise, freedom, luck, USUAL_SPREAD[quantity] / sqrt(k), self.looks.z())

    def _without(self, overlord: str) -> np.ndarray:
        """Return by able pilot and draw what an overlord wins if that pilot does not play."""
        mine = [m for m in self.plain if overlord in (m.a, m.b) and m.a != m.b]
        return np.mean([m.without[:, 0] if overlord == m.a else 1 - m.without[:, 0] for m in mine], axis=0)


def met(source: Source, sums: HandSums) -> bool:
    """Whether every two pilots have met in every match-up, so that it can be told who plays best."""
    played = {(cell.a, cell.b, cell.a_strategy, cell.b_strategy) for cell, n in zip(sums.cells, sums.n.sum(1), strict=True) if n}
    names = {name for cell in source.cells for name in (cell.a_strategy, cell.b_strategy)}
    pairs = {(cell.a, cell.b) for cell in source.cells}
    return all((a, b, s, t) in played or (a == b and (a, b, t, s) in played) for a, b in pairs for s in names for t in names)


@dataclass
class _Square:
    """The sums of one match-up by pilot and pilot."""

    a: str
    b: str
    n: np.ndarray  # by pilot, pilot, group
    total: np.ndarray  # by quantity, pilot, pilot, group
    squares: np.ndarray  # by quantity, pilot, pilot
    screen: np.ndarray  # pairs and shares of the screen, by pilot, pilot, group

    def only(self, keep: np.ndarray) -> _Square:
        """Return the same with some of the pilots."""
        at = np.ix_(keep, keep)
        return _Square(self.a, self.b, self.n[at], self.total[:, at[0], at[1]], self.squares[:, at[0], at[1]], self.screen[:, at[0], at[1]])

    def alike(self, i: int, j: int) -> bool:
        """Whether two pilots have the same results on the same deals, with either in the place of the other."""
        return all(np.array_equal(self.screen[:, *x], self.screen[:, *y]) for x, y in same_games(i, j, range(len(self.n))))


def _square(sums: HandSums, a: str, b: str, names: Sequence[str]) -> _Square:
    size = len(names)
    square = _Square(a, b, np.zeros((size, size, GROUPS)), np.zeros((len(COUNTED), size, size, GROUPS)), np.zeros((len(COUNTED), size, size)),
                     np.zeros((2, size, size, GROUPS)))  # fmt: skip
    for number, cell in enumerate(sums.cells):
        if (cell.a, cell.b) != (a, b):
            continue
        s, t = names.index(cell.a_strategy), names.index(cell.b_strategy)
        square.n[s, t], square.total[:, s, t], square.squares[:, s, t] = sums.n[number], sums.total[:, number], sums.squares[:, number]
        square.screen[:, s, t] = sums.screen[:, number]
        if a == b and s != t:  # an overlord against itself: the other pilot sees the same games from the other side
            turned = [BOTH, AS_SECOND, AS_FIRST]
            square.n[t, s] = sums.n[number]
            square.screen[:, t, s] = sums.screen[0, number], sums.screen[0, number] - sums.screen[1, number]
            for at, quantity in enumerate(COUNTED):
                source = COUNTED.index(turned[COUNTED.index(quantity)]) if quantity != GOING_FIRST else at
                own, squares = sums.total[source, number], sums.squares[source, number]
                if quantity == GOING_FIRST:
                    square.total[at, t, s], square.squares[at, t, s] = own, squares
                else:
                    n = sums.n[number]
                    square.total[at, t, s], square.squares[at, t, s] = n - own, n.sum() - 2 * own.sum() + squares
    return square


class _Known:
    """A match-up as it is known before anybody chooses a pilot."""

    def __init__(self, square: _Square) -> None:
        """Work out the means by draw, quantity, pilot and pilot: of all deals, and of each half of them."""
        weights, half = draws_of(square.a, square.b), np.arange(GROUPS) < GROUPS // 2
        self.square = square
        self.whole, self.first, self.second = (_means(square, weights * part) for part in (1.0, half, ~half))
        self.pairs = square.n.sum(2)
        self.variance = _variances(square, self.pairs)

    @property
    def entries(self) -> np.ndarray:
        """Return what the first overlord wins, by draw, pilot and pilot."""
        return self.whole[:, 0]


def _valued(known: _Known, best: int, able: Sequence[int], mine: Choices, theirs: Choices) -> MatchUp:
    """Return the value of a match-up, with its draws. `mine`, `theirs`: what each side may choose."""
    square, pairs = known.square, known.pairs
    errors = known.variance / np.maximum(pairs, 1)
    sizes = np.array([[len(row) * len(column) for column in theirs] for row in mine])
    usual = next(n for n, one in enumerate(mine) if best in one), next(n for n, one in enumerate(theirs) if best in one)
    rows, columns = worth_choosing(merged(known.whole[0, 0], mine, theirs), merged(errors[0], mine, theirs) / sizes, usual)
    mine, theirs = [mine[row] for row in rows], [theirs[column] for column in columns]  # whoever is not among them moves no digit
    whole, first, second = (merged(part, mine, theirs) for part in (known.whole, known.first, known.second))
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        first = second = whole  # so few deals that a half of them has none of some cell
    by_first, by_second = _mixes(first[:, 0]), _mixes(second[:, 0])
    crossed = (_weighed(first, by_second) + _weighed(second, by_first)) / 2
    agree = (by_first == by_second).all(axis=(1, 2)) & (by_first.max(axis=(1, 2)) == 1)  # both halves choose the same: it is taken as a whole
    values = np.where(agree, _weighed(whole, by_first), crossed)
    chosen = (by_first[0] + by_second[0]) / 2
    mix = parted(chosen, mine, theirs, len(pairs))
    used = mix > 0
    least = np.sqrt((mix[used] ** 2 * errors[:, used]).sum(axis=1))
    if (by_first == by_first[:1]).all() and (by_second == by_first[:1]).all() and agree[0]:  # the choice is given: the draws need not guess its error
        spreads = values[:, 1:].std(axis=1)
        values = values[:, :1] + (values - values[:, :1]) * np.divide(least, spreads, out=np.ones_like(least), where=spreads > 0)[:, None]
    own = np.moveaxis(np.diagonal(known.whole, axis1=2, axis2=3), (2, 1), (0, 1))
    return MatchUp(square.a, square.b, mix, values, own, _without(known, able, mine, theirs, chosen), least, int(pairs[mix > 1e-6].sum()))


def _without(known: _Known, able: Sequence[int], mine: Choices, theirs: Choices, chosen: np.ndarray) -> np.ndarray:
    """Return by able pilot, quantity and draw the value if that pilot did not play, chosen as before; empty if somebody is a choice alone."""
    found = []
    for pilot in able:
        rows, columns = ([[one for one in members if one != pilot] for members in side] for side in (mine, theirs))
        used = [(r, c) for r in range(len(rows)) for c in range(len(columns)) if chosen[r, c] > 0]
        if not all(rows[r] and columns[c] for r, c in used):
            return np.zeros(0)
        found.append(sum(chosen[r, c] * merged(known.whole, [rows[r]], [columns[c]])[..., 0, 0].T for r, c in used))
    return np.array(found)


def _means(square: _Square, weights: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        n = np.einsum("dg,stg->dst", weights, square.n, optimize=True)
        return np.einsum("dg,qstg->dqst", weights, square.total, optimize=True) / n[:, None]


def _variances(square: _Square, pairs: np.ndarray) -> np.ndarray:
    """Return by quantity the variance of a pair in each cell. Two pairs that were not played, one won and one lost, are counted in."""
    n = pairs + 2
    around = (square.total.sum(3) + 1) / n
    return np.maximum((square.squares + 1) / n - around**2, 0) * n / (n - 1)


def _mixes(entries: np.ndarray) -> np.ndarray:
    """Return by draw how much of the play each cell has when both sides choose as well as they can."""
    found = np.zeros(entries.shape)
    clear, row, column = saddles(entries)
    at = np.flatnonzero(clear)
    found[at, row[at], column[at]] = 1.0
    for draw in np.flatnonzero(~clear):
        found[draw] = solve(entries[draw]).weights
    return found


def _weighed(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return by quantity and draw the mean over cells; those without weight may be unknown."""
    return np.einsum("dqst,dst->qd", np.where(weights[:, None] > 0, values, 0.0), weights)


def rate_from(draws: np.ndarray, match_ups: Sequence[MatchUp], quantity: int, looks: Looks, spread: float | None) -> tuple[Rate, float]:
    """Return a rate with the interval that luck and pilots together make, and the standard error that luck alone has."""
    at = COUNTED.index(quantity)
    least = sqrt(sum(float(m.least[at]) ** 2 for m in match_ups)) / len(match_ups)
    luck = max(float(draws[1:].std()), least)
    share = float(draws[0])
    whole = sqrt(luck**2 + (spread or 0.0) ** 2)
    middle = min(max(share, 0.02), 0.98)
    low, high = wilson(share, middle * (1 - middle) / whole**2 if whole else 1e12, looks.z())
    return Rate(share, whole, low, high, sum(m.pairs for m in match_ups)), luck


def band_pilots(hands: BestHands, band: str, *overlords: str) -> list[int]:
    """Return the pilots of a band who have something to say about these overlords: copies have not, nor has who plays one of them far below its own level."""
    found = []
    for pilot in hands.pilots:
        if pilot.band == band and not pilot.copy_of and not set(overlords) & set(pilot.far_below):
            found.append(hands.chosen.index(pilot.name))
    return found


def weaker_bands(hands: BestHands) -> list[str]:
    """Return the bands below the best that anybody is in, the weakest first."""
    return [band for band in BANDS if band != EXPERTS and any(pilot.band == band and not pilot.copy_of for pilot in hands.pilots)]
