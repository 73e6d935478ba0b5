"""The ladder: all strategies against each other, how strong each is, and where each plays an overlord worse than somebody else could.

Two strategies meet in groups of four games with the same luck: each with each overlord of a match-up in each seat. A group is one observation. Each encounter
has luck of its own, so that encounters are independent. Ratings are Bradley and Terry's (bradley_terry.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import joblib
import numpy as np

from terrors.analysis.players.head_to_head import Scores, match_ups, play_against
from terrors.analysis.stats.bradley_terry import Encounter, Ratings, expected_share, rate
from terrors.analysis.stats.intervals import Estimate, pair_estimate
from terrors.simulator.kernel.rng import key_of
from terrors.simulator.play.box import Box
from terrors.simulator.play.game import Game
from terrors.simulator.play.match import Playable
from terrors.simulator.runs.stopping import Z_95
from terrors.simulator.story.transcript import Driver, strategy_chooser
from terrors.strategies import Strategy


@dataclass
class Rung:
    """A strategy on the ladder."""

    name: str
    rating: float  # Elo points above the one that has 0
    half_width: float  # of the rating's 95 % interval
    expected: float  # share of points against the one that has 0


@dataclass
class Ladder:
    """The results of all encounters."""

    names: list[str]
    zero: str  # who has the rating 0
    ratings: Ratings
    records: dict[tuple[int, int], Scores]  # by the numbers of two strategies, the lower first
    overlords: list[str]

    def rungs(self) -> list[Rung]:
        """Return the strategies, the strongest first."""
        zero = self.names.index(self.zero)
        found = []
        for i, name in enumerate(self.names):
            gap, half = self.ratings.difference(i, zero)
            found.append(Rung(name, gap, half, expected_share(gap)))
        return sorted(found, key=lambda rung: -rung.rating)

    def step(self, upper: str, lower: str) -> tuple[float, float]:
        """Return how far one strategy is above another, with the ± of it."""
        return self.ratings.difference(self.names.index(upper), self.names.index(lower))

    def record(self, a: str, b: str) -> Scores:
        """Return the games of a against b, as a sees them."""
        i, j = self.names.index(a), self.names.index(b)
        return self.records[i, j] if i < j else turned(self.records[j, i])

    def share(self, a: str, b: str) -> Estimate:
        """Return the share of points that a makes against b."""
        return self.record(a, b).overall

    def with_overlord(self, name: str, kind: int) -> Estimate:
        """Return the share of a strategy with an overlord against all others; every rival counts the same. Encounters are independent: variances add up."""
        estimates = [_scores(self.record(name, other), kind) for other in self.names if other != name]
        mean = float(np.mean([scores.mean() for scores in estimates]))
        variance = float(np.sum([scores.var(ddof=1) / len(scores) for scores in estimates])) / len(estimates) ** 2
        half = Z_95 * variance**0.5
        return Estimate(mean, max(0.0, mean - half), min(1.0, mean + half), sum(map(len, estimates)))

    def regret(self, kind: int) -> dict[str, float]:
        """Return by how many points the best pilot of an overlord does better than each."""
        shares = {name: self.with_overlord(name, kind).share for name in self.names}
        best = max(shares.values())
        return {name: 100 * (best - share) for name, share in shares.items()}


def turned(record: Scores) -> Scores:
    """Return the same games as the other side sees them. In a group the two overlords of a match-up follow each other: theirs is the other one."""
    swap = np.arange(len(record.overlord)).reshape(-1, 2)[:, ::-1].ravel()
    return Scores(1 - record.second[swap], 1 - record.first[swap], record.overlord, record.cut)


def _scores(record: Scores, kind: int) -> np.ndarray:
    """Return the shares of pairs with one overlord."""
    mine = record.overlord == kind
    return (record.first[mine] + record.second[mine]) / 2


def groups_of(record: Scores) -> np.ndarray:
    """Return the share of points of each group of four games."""
    return (record.first.reshape(-1, 2).mean(1) + record.second.reshape(-1, 2).mean(1)) / 2


def climb(
    box: Box, strategies: Sequence[Strategy], games: Callable[[Playable, Playable], int], seed: int = 1, zero: str = "greedy", jobs: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
) -> Ladder:  # fmt: skip
    """Let all strategies meet, and return the ladder; `games`: how many games two of them play at the least."""
    pairs = list(combinations(range(len(strategies)), 2))
    done = 0

    def meet(i: int, j: int) -> Scores:
        nonlocal done
        a, b = strategies[i], strategies[j]
        found = play_against(box, a, b, games(a, b), key_of(f"ladder {seed}: {a.name} and {b.name}", 0) >> 1)
        done += 1
        if on_progress:
            on_progress(done, len(pairs))
        return found

    for strategy in strategies:
        strategy.compiled  # noqa: B018  now, and not in every thread
    played = joblib.Parallel(n_jobs=jobs, backend="threading")(joblib.delayed(meet)(i, j) for i, j in pairs)
    records = dict(zip(pairs, played, strict=True))
    encounters = []
    for (i, j), record in records.items():
        scores = groups_of(record)
        encounters.append(Encounter(i, j, len(scores), float(scores.mean()), float(scores.var(ddof=1)) if len(scores) > 1 else 0.25))
    names = [strategy.name for strategy in strategies]
    zero = zero if zero in names else names[0]
    return Ladder(names, zero, rate(len(names), encounters, names.index(zero)), records, [card.name for card in box.cards.overlords])


def differing(box: Box, strong: Strategy, weak: Strategy, games: int, seed: int = 1) -> Estimate:
    """Return the share of decisions in games of `strong` against itself that `weak` would have made otherwise; a game is one observation."""
    matches = [seated for pair in match_ups(box) for seated in (pair, pair[::-1])]
    chooser = strategy_chooser(strong.compiled, strong.work(box))
    other = strategy_chooser(weak.compiled, weak.work(box))
    shares = []
    for n in range(games):
        a, b = matches[key_of(f"differing {seed}", n) % len(matches)]
        game = Game(box, box.names[a], box.names[b], key_of(f"differing game {seed}", n))
        asked = differed = 0

        def both(game: Game) -> tuple[int, int]:
            nonlocal asked, differed
            plan = int(game.options.then_n)
            theirs = other(game)
            game.options.then_n = plan
            mine = chooser(game)
            asked += 1
            differed += theirs != mine
            return mine

        driver = Driver([both, both])
        while not game.over:
            game.apply_index(*driver.answer(game))
        shares.append(differed / max(1, asked))
    return pair_estimate(np.array(shares), np.array(shares))
