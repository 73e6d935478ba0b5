"""How a strategy does against others, and how fast: what its author wants to know."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from terrors.analysis.stats.intervals import Estimate, pair_estimate
from terrors.simulator.play.box import Box
from terrors.simulator.play.match import Playable, Ready, meetings, pairs_of_games, play_rows, points
from terrors.simulator.terms.errors import PlanError
from terrors.strategies import Strategy

GAMES_OF_A_GROUP = 4  # one seed and match-up: each strategy with each overlord in each seat


def match_ups(box: Box) -> list[tuple[int, int]]:
    """Return each two overlords that can meet, once; as kinds. PlanError if there are none."""
    found = meetings(box, [box.kind(card.name) for card in box.cards.overlords])
    if not found:
        raise PlanError("no two overlords of this set can meet, since all have the same faction (rule S3); set the rule mirror=true to allow it.")
    return found


@dataclass
class Scores:
    """The games of a strategy against one other or several: points (1 won, 0.5 drawn) by group, overlord, and seat."""

    first: np.ndarray  # by game in the first seat
    second: np.ndarray  # by game in the second, in the order of the same overlord's games in the first
    overlord: np.ndarray  # by game: with which overlord (kind)
    cut: int  # games with an Action Phase cut short (E1)

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.first) + len(self.second)

    @property
    def draws(self) -> int:
        """The number of games that ended by the turn limit."""
        return int((self.first == 0.5).sum() + (self.second == 0.5).sum())

    @property
    def overall(self) -> Estimate:
        """The share of all games won. The four games of a group have the same luck and count as one observation."""
        return pair_estimate(self.first.reshape(-1, 2).mean(axis=1), self.second.reshape(-1, 2).mean(axis=1))

    def with_overlord(self, kind: int) -> Estimate:
        """Return the share of the games with one overlord that were won."""
        mine = self.overlord == kind
        return pair_estimate(self.first[mine], self.second[mine])


def together(records: Sequence[Scores]) -> Scores:
    """Return several records as one."""
    first, second, overlord = (np.concatenate([getattr(one, name) for one in records]) for name in ("first", "second", "overlord"))
    return Scores(first, second, overlord, sum(one.cut for one in records))


def play_against(box: Box, mine: Playable, rival: Playable, games: int, seed: int) -> Scores:
    """Play at least so many games against a rival: all match-ups, each overlord with each strategy, each in both seats, with the same luck."""
    pairs = math.ceil(games / GAMES_OF_A_GROUP / len(match_ups(box)))
    first, second = (pairs_of_games(box, match_ups(box), pairs, seed) for _ in range(2))
    play_rows(box, first, mine, rival)
    play_rows(box, second, rival, mine)
    second = second.reshape(-1, 2)[:, ::-1].ravel()  # now row i of both is the same overlord
    cut = int((first["limits"] > 0).sum() + (second["limits"] > 0).sum())
    return Scores(points(first["winner"], 0), points(second["winner"], 1), first["first"].astype(int), cut)


def games_per_second(box: Box, plan: Strategy, games: int) -> float:
    """Return how fast a strategy plays against itself, in processor time; the fastest of three tries on a shared machine. One game does if it is slow."""
    ready = Ready(plan, box)
    rows = pairs_of_games(box, match_ups(box), math.ceil(games / 2 / len(match_ups(box))), seed=1)
    best = 0.0
    if plan.slow:
        rows = rows[:1]
    else:
        play_rows(box, rows[:1].copy(), ready, ready)  # loaded and warm
    for _ in range(1 if plan.slow else 3):
        begin = time.process_time()
        play_rows(box, rows, ready, ready)
        best = max(best, len(rows) / max(1e-9, time.process_time() - begin))
    return best
