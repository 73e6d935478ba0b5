"""From effects to patches: a model of what several edits do together, and a small search over which cells to edit and by how many steps.

The model speaks of match-ups (and going first) on the scale of log odds, on which effects add up even where a rate is far from even; overlords are means over
their match-ups. It begins with the effects of the lottery and learns from every patch that was played: a linear Gaussian model, brought up to date exactly.
Steps up and steps down have effects of their own: a gift to an Influence card may be worth much, and what is taken from it nothing, since players then choose
another.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from terrors.analysis.numbers.fairness import Asked
from terrors.analysis.numbers.gauges import FIRST, MATCHUP, OVERLORD
from terrors.analysis.numbers.number_effects import Effects
from terrors.simulator.cards.card import COLUMNS, cells_of
from terrors.simulator.cards.card_numbers import CELLS, Number
from terrors.simulator.cards.card_set import Card, CardSet

BENT = 0.12  # share of an effect by which several steps may miss as many times the one
TOGETHER = 0.02  # log odds by which two edits may miss the sum of both
IN_COMMON = 0.2  # correlation that the errors of an overlord's match-ups may have: what bends against one rival bends against another
CAUTION = 0.7  # standard errors that are added to a gap when patches are compared
OTHER_HANDS = 0.25  # share of an effect by which another pilot's may differ: tuned's and expert's effects on the reference set differ by a fifth
STEP_PRICE = 0.012  # of a margin, for each step: of two patches that do the same the smaller one is better
MOST_STEPS = {"health": 5, "cost": 3, "copies": 2}
SIZES, FITTING = 0.1 * 2.0 ** np.arange(9), 30  # points that a step may do; rounds of the fit
PAIRS_GROWN, USEFUL = 150, 300
SHARE = 3  # a number is in at most one of so many candidates

Patch = tuple[tuple[int, int], ...]  # number (its place) and steps, in the order of the numbers


def odds(rate: np.ndarray) -> np.ndarray:
    """Return the log odds of rates of 100."""
    share = np.clip(np.asarray(rate, float) / 100, 0.005, 0.995)
    return np.log(share / (1 - share))


def rates(log_odds: np.ndarray) -> np.ndarray:
    """Return rates of 100 from log odds."""
    return 100 / (1 + np.exp(-np.asarray(log_odds, float)))


def slope_at(rate: np.ndarray) -> np.ndarray:
    """Return the points of rate that a unit of log odds is worth there."""
    return np.maximum(np.asarray(rate, float) * (100 - np.asarray(rate, float)) / 100, 1.0)


def towards_nothing(effect: np.ndarray, se: np.ndarray, numbers: Sequence[Number]) -> tuple[np.ndarray, np.ndarray]:
    """Return effects (rows: numbers) moved towards nothing as far as they may be luck, and their errors: whoever picks the best of hundreds picks lucky ones.

    The effects of a number on all gauges are of one size, and sizes are as common as the numbers of the same sort (cells, or amounts) show: a mixture over
    SIZES, fitted to them (empirical Bayes).
    """
    found, error = effect.copy(), se.copy()
    for cells in (True, False):
        mine = np.array([(number.column in CELLS) == cells for number in numbers])
        if not mine.any():
            continue
        e, v = effect[mine], se[mine] ** 2
        whole = SIZES[:, None, None] ** 2 + v  # by size, number, gauge
        likely = (-0.5 * (np.log(whole) + e**2 / whole)).sum(2).T  # by number and size
        likely = np.exp(likely - likely.max(1, keepdims=True))
        share = np.full(len(SIZES), 1 / len(SIZES))
        for _ in range(FITTING):
            of_size = likely * share
            of_size /= of_size.sum(1, keepdims=True)
            share = (of_size.sum(0) + 1 / len(SIZES)) / (len(e) + 1)  # no size is ruled out by a few numbers
        kept = SIZES[:, None, None] ** 2 / whole
        mean = np.einsum("ns,sng->ng", of_size, kept) * e
        spread = np.einsum("ns,sng->ng", of_size, kept * v + (kept * e - mean) ** 2)
        found[mine], error[mine] = mean, np.sqrt(spread)
    return found, error


def moves_of(numbers: Sequence[Number]) -> list[tuple[int, int]]:
    """Return every number with every count of steps that it may be moved by."""
    found = []
    for place, number in enumerate(numbers):
        most = MOST_STEPS.get(number.column, 2)
        found += [(place, k) for k in range(-most, most + 1) if k and number.low <= number.value + k * number.step <= number.high]
    return found


@dataclass
class Seen:
    """A patch that was played: by channel how far it is from the set as it is, in log odds, with the variance of that, and its first rounds."""

    patch: Patch
    change: np.ndarray
    variance: np.ndarray
    first: np.ndarray  # rounds, channels: the same deals as those of all others


@dataclass
class Known:
    """The knowledge of the model at one moment, all in log odds: a step, the set as it is, and every patch that was played; with variances."""

    step: np.ndarray
    variance: np.ndarray
    base: tuple[np.ndarray, np.ndarray]
    own: dict[Patch, tuple[np.ndarray, np.ndarray]] = field(default_factory=dict)


@dataclass
class PatchModel:
    """The effects of patches, as far as they are known."""

    asked: Asked
    base: np.ndarray  # rates of all gauges as it is
    base_error: np.ndarray  # their standard errors
    step: np.ndarray  # log odds of a step by channel: up of each number, and behind them all down of each number
    variance: np.ndarray
    seen: list[Seen] = field(default_factory=list)
    price: np.ndarray | None = None  # of a margin, for an edit of each number; none: all alike
    _known: Known | None = None  # after all that was seen, once somebody has asked

    @classmethod
    def of(cls, effects: Effects, asked: Asked, base: np.ndarray, base_error: np.ndarray, other_hands: bool = False) -> PatchModel:
        """Begin with what the lottery says. `other_hands`: it was played by somebody else than those whose games are judged."""
        channels = channels_of(asked)
        known = np.isfinite(effects.se[:, channels])
        freedom = np.maximum(effects.freedom, 4.0)[:, None]
        student = np.sqrt(freedom / (freedom - 2))  # errors that come from few blocks are themselves unsure
        effect, se = (np.where(known, array[:, channels], other) for array, other in ((effects.effect, 0.0), (effects.se * student, 30.0)))
        bends = np.isfinite(effects.bend[:, channels])
        bend, bend_se = (np.where(bends, array[:, channels], other) for array, other in ((effects.bend, 0.0), (effects.bend_se * student, 1.0)))
        effect, se = towards_nothing(effect, se, effects.numbers)
        # How much of what seems to bend is more than chance, over all channels of a number (James and Stein).
        real = np.maximum(0.0, 1 - (bend_se**2).mean(1) / np.maximum((bend**2).mean(1), 1e-9))[:, None]
        spread = se**2 + np.where(bends, real * bend_se**2 + (BENT * effect) ** 2, 0.0)
        spread += (OTHER_HANDS * effect) ** 2 if other_hands else 0.0
        step, variance = np.vstack([effect + real * bend, real * bend - effect]), np.vstack([spread, spread])
        # A large step ends where a point is worth more or less than here: log odds are those between the two rates, and errors those at its end.
        after = np.clip(base[channels] + step, 2.0, 98.0)
        return cls(asked, base, base_error, odds(after) - odds(base[channels]), variance / slope_at(after) ** 2)

    def learn(self, seen: Iterable[Seen]) -> None:
        """Take patches that were played into account; of a patch that was known already the newer knowledge counts."""
        self.seen = list({one.patch: one for one in (*self.seen, *seen)}.values())
        self._known = None

    def effects(self) -> Known:
        """Return what is known after all that was seen."""
        if self._known is None:
            self._known = self._learnt()
        return self._known

    def _learnt(self) -> Known:
        """Bring the effects of the lottery up to date with all that was seen: a patch is the sum of its steps, and something that no sum explains.

        All that was seen was played on the same deals, and has much of its luck in common: so has the set as it is, which is one of them (no edits).
        """
        channels = channels_of(self.asked)
        at_first = (self.base_error[channels] / slope_at(self.base[channels])) ** 2
        if not self.seen:
            return Known(self.step, self.variance, (np.zeros_like(at_first), at_first))
        moved = np.zeros((len(self.seen), len(self.step)))
        for row, one in enumerate(self.seen):
            for place, k in one.patch:
                moved[row, self.row(place, k)] = abs(k)
        step, variance, misfit = self.step.copy(), self.variance.copy(), self._misfit(moved)
        mean, spread = (np.array([getattr(one, name) for one in self.seen]) for name in ("change", "variance"))
        base, base_variance = np.zeros_like(at_first), at_first.copy()
        for channel, alike in enumerate(self._alike()):
            prior, noise = self.variance[:, channel], spread[:, channel]
            signal = (moved * prior) @ moved.T + np.diag(misfit[:, channel]) + at_first[channel]
            # Means of two patches share the luck of the rounds that both have: their covariance is the correlation times the smaller variance.
            inverse = np.linalg.inv(signal + alike * np.minimum.outer(noise, noise))
            surprise = inverse @ (mean[:, channel] - moved @ self.step[:, channel])
            gain = prior[:, None] * moved.T
            step[:, channel] += gain @ surprise
            variance[:, channel] -= ((gain @ inverse) * gain).sum(1)
            base[channel] = at_first[channel] * surprise.sum()
            base_variance[channel] -= at_first[channel] ** 2 * inverse.sum()
            mean[:, channel] = moved @ self.step[:, channel] + signal @ surprise
            spread[:, channel] = np.diag(signal) - ((signal @ inverse) * signal).sum(1)
        own = {one.patch: (mean[row], np.maximum(spread[row], 1e-8)) for row, one in enumerate(self.seen)}
        return Known(step, np.maximum(variance, 1e-8), (base, np.maximum(base_variance, 1e-8)), own)

    def _alike(self) -> np.ndarray:
        """Return by channel how much of their luck the patches that were seen have in common: correlations over their first rounds.

        Half of what makes each pair special is taken away, since there are few rounds and many pairs.
        """
        first = np.array([one.first.T for one in self.seen], float).swapaxes(0, 1).copy()  # channel, patch, round
        first -= first.mean(2, keepdims=True)
        first /= np.maximum(np.sqrt((first**2).sum(2, keepdims=True)), 1e-9)
        found = first @ first.swapaxes(1, 2)
        count = len(self.seen)
        usual = (found.sum((1, 2)) - count) / max(1, count * (count - 1))
        found = (found + usual[:, None, None]) / 2
        found[:, range(count), range(count)] = 1.0
        return found

    def row(self, place: int, k: int) -> int:
        """Return the row of a step of a number, up or down."""
        return place if k > 0 else len(self.step) // 2 + place

    def _misfit(self, moved: np.ndarray) -> np.ndarray:
        """Return the variance of what no sum of steps explains: what bends, and what edits do together."""
        edits = (moved != 0).sum(1, keepdims=True)
        return (BENT * moved) ** 2 @ self.step**2 + TOGETHER**2 * edits

    def predict(self, patches: Sequence[Patch], known: Known | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the rates of all gauges after each patch, and their standard errors."""
        known = known or self.effects()
        step, variance, (base, base_variance) = known.step, known.variance, known.base
        places = np.array([[self.row(place, k) for place, k in patch] + [0] * (MOST - len(patch)) for patch in patches])
        steps = np.array([[abs(k) for _, k in patch] + [0] * (MOST - len(patch)) for patch in patches], float)
        change = base + (steps[:, :, None] * step[places]).sum(1)
        spread = base_variance + (steps[:, :, None] ** 2 * (variance[places] + (BENT * step[places]) ** 2)).sum(1) + TOGETHER**2 * (steps != 0).sum(1)[:, None]
        for row, patch in enumerate(patches):
            if patch in known.own:
                change[row], spread[row] = known.own[patch]
        return self.gauges(change, spread)

    def gauges(self, change: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return rates of all gauges, and their errors, from changes of the channels in log odds (rows)."""
        channels, weights = channels_of(self.asked), overlord_weights(self.asked)
        found, error = np.tile(self.base, (len(change), 1)), np.zeros((len(change), len(self.base)))
        after = rates(odds(self.base[channels]) + change)
        found[:, channels] = after
        error[:, channels] = np.sqrt(variance) * slope_at(after)
        overlords = [place for place, gauge in enumerate(self.asked.gauges) if gauge.kind == OVERLORD]
        found[:, overlords] = 50 + (after - 50) @ weights.T
        alone, together = error[:, channels] ** 2 @ weights.T**2, (error[:, channels] @ np.abs(weights).T) ** 2
        error[:, overlords] = np.sqrt((1 - IN_COMMON) * alone + IN_COMMON * together)
        return found, error

    def score(self, patches: Sequence[Patch], known: Known | None = None) -> np.ndarray:
        """Return how far the gauge that is worst is from where it should be, in margins, with some caution; smaller is better."""
        found, error = self.predict(patches, known)
        price = np.zeros(len(self.step) // 2) if self.price is None else self.price
        return badness(self.asked, found, error) + np.array([sum(STEP_PRICE * abs(k) + price[place] for place, k in patch) for patch in patches])


MOST = 6  # edits of a patch


def badness(asked: Asked, means: np.ndarray, errors: np.ndarray, caution: float = CAUTION) -> np.ndarray:
    """Return the largest distance from what is asked, in margins."""
    return np.asarray(((np.abs(means - asked.centre) + caution * errors) / asked.margin).max(-1))


def channels_of(asked: Asked) -> list[int]:
    """Return the gauges that the model speaks of: match-ups, and going first."""
    return [place for place, gauge in enumerate(asked.gauges) if gauge.kind in (MATCHUP, FIRST)]


def overlord_weights(asked: Asked) -> np.ndarray:
    """Return the overlords' rates as means of channels: 1 for a match-up that it is named first in, −1 for one that it is named second in."""
    channels = [asked.gauges[place] for place in channels_of(asked)]
    rows = []
    for gauge in asked.gauges:
        if gauge.kind == OVERLORD:
            signs = np.array(
                [0.0 if c.kind == FIRST else 1.0 if c.overlord == gauge.overlord else -1.0 if c.rival == gauge.overlord else 0.0 for c in channels]
            )
            rows.append(signs / max(1.0, np.abs(signs).sum()))
    return np.array(rows)


def find_patches(model: PatchModel, moves: Sequence[tuple[int, int]], edits: int, most: int, but: Iterable[Patch] = (), least: int = 0) -> list[Patch]:
    """Return the patches of exactly so many edits that promise most, no number in too many of them. `least`: one of the numbers has this place or a later."""
    known = model.effects()
    singles = [(move,) for move in moves]
    here = [single for single in singles if single[0][0] >= least]
    scored: list[tuple[float, Patch]] = list(zip(_scores(model, here, known), here, strict=True))
    if edits > 1:
        useful = _useful(model, known, singles)
        needed = useful if not least else [move for move in moves if move[0] >= least]
        pairs = list({tuple(sorted((one, two))) for one in needed for two in useful if one[0] != two[0]})
        scored = list(zip(_scores(model, pairs, known), pairs, strict=True))
    for _ in range(2, edits):
        best = [patch for _, patch in sorted(scored)[:PAIRS_GROWN]]
        grown = list({tuple(sorted((*patch, move))) for patch in best for move in useful if move[0] not in {place for place, _ in patch}})
        scored = list(zip(_scores(model, grown, known), grown, strict=True))
    return _varied(sorted(scored), most, set(but))


def _useful(model: PatchModel, known: Known, singles: Sequence[Patch]) -> list[tuple[int, int]]:
    """Return the moves that may be part of a larger patch: those that do something, the clearest ones, at most a few hundred."""
    step, variance = known.step, known.variance
    clear = (np.abs(step) / np.sqrt(variance)).max(1)
    size = np.abs(step).max(1)

    def worth(patch: Patch) -> tuple[bool, float]:
        row = model.row(*patch[0])
        return clear[row] <= 2.5, -float(min(clear[row], 6) * size[row] ** 0.5)

    return [patch[0] for patch in sorted(singles, key=worth)[:USEFUL]]


def _scores(model: PatchModel, patches: Sequence[Patch], known: Known, chunk: int = 50_000) -> list[float]:
    return [score for at in range(0, len(patches), chunk) for score in model.score(patches[at : at + chunk], known).tolist()]


def _varied(scored: Sequence[tuple[float, Patch]], most: int, but: set[Patch]) -> list[Patch]:
    found: list[Patch] = []
    used: dict[int, int] = {}
    limit = max(2, most // SHARE)
    for _, patch in scored:
        if len(found) == most:
            break
        if patch in but or any(used.get(place, 0) >= limit for place, _ in patch):
            continue
        found.append(patch)
        for place, _ in patch:
            used[place] = used.get(place, 0) + 1
    return found


def face(card: Card) -> tuple[str, ...]:
    """Return everything that a card does: two cards with the same are twins."""
    cells = cells_of(card)
    return tuple(cells[name] for name in COLUMNS if name in cells and name not in ("name", "copies", "beginner", "source", "note"))


def new_twins(before: CardSet, after: CardSet) -> bool:
    """Whether a change makes a card the twin of another."""

    def twins(cards: CardSet) -> int:
        return len(cards.cards) - len({face(card) for card in cards})

    return twins(after) > twins(before)
