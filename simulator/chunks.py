"""A chunk: some games in a row, played and made into tables. Whoever plays it, and whatever else was played, its rows are the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from simulator import layout
from simulator.enums import DRAW, End
from simulator.fixtures import Fixtures
from simulator.matches import Desk, Match, Player
from simulator.tables import Names, cards_table, games_table, purchases_table, turns_table

SLICE = 500  # games played before it is asked whether to stop


class StoppedError(Exception):
    """The run is being stopped: what was under way is left."""


@dataclass
class Played:
    """A chunk that has been played."""

    start: int
    stop: int
    tables: dict[str, pl.DataFrame]
    pairs: np.ndarray  # by cell: pairs, the sum and the sum of squares of the points of its first side (0 to 4 a pair)
    tallies: dict[str, int]  # games, turns, decisions, draws, limits


Columns = dict[str, np.ndarray]
TURN_NAMES = [name for name, _ in layout.TURN_COLUMNS]
PURCHASE_NAMES = [name for name, _ in layout.PURCHASE_COLUMNS]


class Bench:
    """Plays chunks of one run. One bench for each thread: it owns the records that are played on."""

    def __init__(self, fixtures: Fixtures, players: Sequence[Player], stop: Callable[[], bool] = lambda: False) -> None:
        """`players`: the strategies, by their numbers in the fixtures. `stop`: whether to leave off."""
        self.fixtures, self.players, self.stop = fixtures, players, stop
        self.names = Names.of(fixtures)
        self.desk = Desk()
        self.matches: dict[int, Match] = {}
        numbers = {group: number for number, group in enumerate(fixtures.groups)}
        self.group = np.array([numbers[cell.a_strategy, cell.b_strategy] for cell in fixtures.cells])
        self.cells = [np.flatnonzero(self.group == group) for group in range(len(numbers))]  # of each group

    def match(self, group: int) -> Match:
        """Two strategies, ready to play."""
        if group not in self.matches:
            one, two = (self.players[number] for number in self.fixtures.groups[group])
            self.matches[group] = Match(self.fixtures.box, one, two, self.desk, 2 * len(self.cells[group]))
        return self.matches[group]

    def play(self, start: int, stop: int) -> Played:
        """Play the games from `start` up to `stop`. Both are even: pairs are not torn apart."""
        rows = self.fixtures.rows(start, stop)
        cell = rows["cell"] // 2
        logs: list[tuple[Columns, Columns, Columns]] = []
        counts: dict[tuple[int, int], np.ndarray] = {}
        for group in np.unique(self.group[cell]):
            mine = np.flatnonzero(self.group[cell] == group)
            played = rows[mine]
            place = np.searchsorted(self.cells[group], cell[mine])
            played["cell"] = 2 * place + rows["swapped"][mine]
            match = self.match(int(group))
            logs.append(self._play_group(match, played, mine))
            rows[mine] = played
            for i in np.unique(place):
                for leg in range(2):
                    counts[int(self.cells[group][i]), leg] = match.counts[2 * i + leg].copy()
        turns, purchases, denials = (_in_order(columns) for columns in zip(*logs, strict=True))
        tables = {
            "games": games_table(self.fixtures, self.names, start, rows, denials["kind"]),
            "purchases": purchases_table(self.fixtures, self.names, start, rows, purchases),
            "cards": cards_table(self.fixtures, self.names, counts, np.bincount(cell, minlength=len(self.fixtures.cells)) // 2),
        }
        if self.fixtures.plan.turns:
            tables["turns"] = turns_table(self.fixtures, self.names, start, rows, turns)
        return Played(start, stop, tables, pair_sums(cell, rows, len(self.fixtures.cells)), tallies(rows))

    def _play_group(self, match: Match, rows: np.ndarray, numbers: np.ndarray) -> tuple[Columns, Columns, Columns]:
        """Play the games of two strategies. Turns, purchases and denials, with the rows' numbers in the chunk."""
        log = self.desk.log
        log.keep_turns, log.keep_purchases, log.keep_counts = int(self.fixtures.plan.turns), 1, 1
        log.row = 0
        self.desk.clear_log()
        match.counts.fill(0)
        turns: list[Columns] = []
        purchases: list[Columns] = []
        denials: list[np.ndarray] = []
        done = 0
        while done < len(rows):
            if self.stop():
                raise StoppedError
            part = rows[done : done + SLICE]
            n = match.play(part)
            done += n
            if n < len(part) or done == len(rows):  # the log is full, or all is done
                turns.append({name: log.turns[name][: int(log.turns_n)].copy() for name in TURN_NAMES})
                purchases.append({name: log.purchases[name][: int(log.purchases_n)].copy() for name in PURCHASE_NAMES})
                denials.append(log.denials[: int(log.denials_n)].copy())
                self.desk.clear_log()
        own_rows = np.repeat(np.arange(len(rows)), rows["first_denied"].astype(np.int64) + rows["second_denied"])
        found = _joined(turns), _joined(purchases), {"row": own_rows, "kind": np.concatenate(denials)}
        for columns in found:
            columns["row"] = numbers[columns["row"]]
        return found


def _joined(pieces: Sequence[Columns]) -> Columns:
    """Columns that were taken one piece after the other."""
    return dict(pieces[0]) if len(pieces) == 1 else {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}


def _in_order(groups: Sequence[Columns]) -> Columns:
    """The columns of all groups, game by game."""
    if len(groups) == 1:
        return groups[0]
    columns = _joined(groups)
    order = np.argsort(columns["row"], kind="stable")
    return {name: column[order] for name, column in columns.items()}


def pair_sums(cell: np.ndarray, rows: np.ndarray, cells: int) -> np.ndarray:
    """By cell: the number of pairs, the sum and the sum of squares of the points that its first side made in a pair (2 for a win, 1 for a draw)."""
    first = np.where(rows["winner"] == DRAW, 1, np.where(rows["winner"] == 0, 2, 0))
    points = np.where(rows["swapped"] == 0, first, 2 - first).reshape(-1, 2).sum(1)
    return np.stack([np.bincount(cell[::2], weights, cells).astype(np.int64) for weights in (None, points, points**2)], 1)


def tallies(rows: np.ndarray) -> dict[str, int]:
    """What a run counts of its games."""
    return {
        "games": len(rows),
        "turns": int(rows["turns"].sum()),
        "decisions": int(rows["decisions"].sum()),
        "draws": int((rows["winner"] == DRAW).sum()),
        "turn_limit": int((rows["end"] == End.TURN_LIMIT).sum()),
        "action_limit": int((rows["limits"] > 0).sum()),
    }
