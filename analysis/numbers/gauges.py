"""Gauges: what a change of numbers may move, each overlord, each match-up, going first, and the length of the game.

A *round* is one pair of games of every cell of the schedule. All gauges of a round are sums over its games, and rounds are alike and independent: so an
gauge is a mean over rounds, and its error comes from how much rounds differ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from terrors.simulator.runs.schedule import Schedule

OVERLORD, MATCHUP, FIRST, LENGTH = "overlord", "matchup", "first", "length"
GOING_FIRST, TURNS = "going first", "turns"


@dataclass(frozen=True)
class Gauge:
    """One thing that is measured: an overlord's rate, a match-up's, the first player's (all of 100 games), or the turns of a game."""

    kind: str
    overlord: str = ""
    rival: str = ""

    @property
    def name(self) -> str:
        """The name in tables and sentences."""
        if self.kind == MATCHUP:
            return f"{self.overlord} against {self.rival}"
        return {FIRST: GOING_FIRST, LENGTH: TURNS}.get(self.kind, self.overlord)


class Gauges:
    """The gauges of a schedule, as weights of its games. With several pilots all of them count alike, or one of them alone."""

    def __init__(self, schedule: Schedule, pilot: int | None = None) -> None:
        """List the gauges: overlords, match-ups, going first, length. `pilot`: only the games of that strategy (its number)."""
        names = schedule.box.names
        cells = [cell for cell in schedule.cells if cell.a != cell.b]
        overlords = sorted({kind for cell in cells for kind in (cell.a, cell.b)}, key=lambda kind: names[kind])
        match_ups = sorted({(cell.a, cell.b) for cell in cells}, key=lambda pair: (names[pair[0]], names[pair[1]]))
        self.all = [Gauge(OVERLORD, names[kind]) for kind in overlords] + [Gauge(MATCHUP, names[a], names[b]) for a, b in match_ups]
        self.all += [Gauge(FIRST), Gauge(LENGTH)]
        self.weights = np.zeros((len(self.all), len(schedule.cells), 2))  # of the first player's points, by cell and leg
        mine = [number for number, cell in enumerate(schedule.cells) if pilot is None or cell.a_strategy == pilot]
        self.used = np.array([number in mine for number in range(len(schedule.cells))])
        for row, pair in enumerate(match_ups, len(overlords)):
            of_pair = [number for number in mine if (schedule.cells[number].a, schedule.cells[number].b) == pair]
            self.weights[row, of_pair] = np.array([0.5, -0.5]) / len(of_pair)
        for row, kind in enumerate(overlords):
            signs = np.array([1.0 if a == kind else -1.0 if b == kind else 0.0 for a, b in match_ups])
            self.weights[row] = np.tensordot(signs, self.weights[len(overlords) : len(overlords) + len(match_ups)], 1) / np.abs(signs).sum()
        self.weights[-2, mine] = 1 / (2 * len(mine))
        self.centre = np.array([50.0 if one.kind in (OVERLORD, MATCHUP) else 0.0 for one in self.all])
        self.names = [one.name for one in self.all]

    def of(self, points: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """Return the gauges (last axis) from the first player's points and the turns of games, whose last two axes are cell and leg."""
        found = self.centre + 100 * np.tensordot(points, self.weights, ([-2, -1], [1, 2]))
        found[..., -1] = turns[..., self.used, :].mean((-2, -1))
        return found

    def index(self, kind: str) -> list[int]:
        """Return the places of all gauges of a kind."""
        return [place for place, one in enumerate(self.all) if one.kind == kind]
