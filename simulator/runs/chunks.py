"""A chunk: some games in a row, played and made into tables. Whoever plays it, and whatever else was played, its rows are the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from terrors.simulator.kernel import layout
from terrors.simulator.kernel.decision_columns import DECISION_COLUMNS, DECISION_LISTS
from terrors.simulator.play.box import Box
from terrors.simulator.play.match import Match, MatchRecords, Playable, points
from terrors.simulator.runs.parquet_tables import Names, cards_table, decisions_table, games_table, purchases_table, turns_table
from terrors.simulator.runs.schedule import Schedule
from terrors.simulator.terms.enums import DRAW, End

MOST_IN_A_SLICE = 500  # games played before it is asked whether to stop
SLICE_SECONDS = 0.2  # that they should take: whoever presses Ctrl-C waits for them


class StoppedError(Exception):
    """Raised when the run is being stopped: what was under way is left."""


@dataclass
class PlayedChunk:
    """A chunk that has been played."""

    start: int
    stop: int
    tables: dict[str, pl.DataFrame]
    pairs: np.ndarray  # by cell: pairs, the sum and the sum of squares of the points of its first side (0 to 4 a pair)
    tallies: dict[str, int]  # games, turns, decisions, draws, limits


Logged = dict[str, dict[str, np.ndarray]]  # columns by table
TURN_NAMES = [name for name, _ in layout.TURN_COLUMNS]
PURCHASE_NAMES = [name for name, _ in layout.PURCHASE_COLUMNS]
DECISION_NAMES = [name for name, _ in DECISION_COLUMNS]


class ChunkPlayer:
    """Plays chunks of one run. One bench for each thread: it owns the records that are played on."""

    def __init__(self, schedule: Schedule, players: Sequence[Playable], stop: Callable[[], bool] = lambda: False, desk: MatchRecords | None = None) -> None:
        """Take the games and who plays them. `players`: the strategies, by their numbers in the schedule. `stop`: whether to leave off."""
        self.schedule, self.players, self.stop = schedule, players, stop
        self.names = Names.of(schedule)
        self.slice = 1 if any(getattr(player, "slow", False) for player in players) else 8  # to begin with; from then on they follow time
        self.desk = desk or MatchRecords()
        self.cut = 0  # decisions that did not fit into the log
        self.matches: dict[tuple[int, bool], Match] = {}
        numbers = {group: number for number, group in enumerate(schedule.groups)}
        self.group = np.array([numbers[cell.a_strategy, cell.b_strategy] for cell in schedule.cells])
        self.cells = [np.flatnonzero(self.group == group) for group in range(len(numbers))]  # of each group

    def match(self, group: int, box: Box) -> Match:
        """Return two strategies, ready to play. `box`: with the denial lottery or without."""
        key = group, box is self.schedule.box
        if key not in self.matches:
            one, two = (self.players[number] for number in self.schedule.groups[group])
            self.matches[key] = Match(box, one, two, self.desk, 2 * len(self.cells[group]))
        return self.matches[key]

    def play(self, start: int, stop: int, borrowed: bool = False) -> PlayedChunk:
        """Play the games from `start` up to `stop`. Both are even: pairs are not torn apart; and all of them belong to one stage.

        `borrowed`: the tables may lie in the log itself, so that they are gone when the next chunk is played; for whoever writes them down at once.
        """
        box = self.schedule.box_of(start)
        rows = self.schedule.rows(start, stop)
        rows["told"] = np.arange(start, stop) < self.schedule.told
        cell = rows["cell"] // 2
        order = np.argsort(self.group[cell], kind="stable")
        rows = rows[order]  # those of the same two strategies one after the other
        counts: dict[tuple[int, int], np.ndarray] = {}
        pieces: list[Logged] = []
        log = self.desk.log
        log.keep_turns, log.keep_purchases, log.keep_counts = int(self.schedule.plan.turns), 1, 1
        log.row = self.cut = 0
        self.desk.clear_log()
        for mine in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(self.group[cell[order]])) + 1):
            group = int(self.group[cell[order[mine[0]]]])
            place = np.searchsorted(self.cells[group], cell[order[mine]])
            played = rows[mine[0] : mine[-1] + 1]
            played["cell"] = 2 * place + played["swapped"]
            match = self.match(group, box)
            self._play_rows(match, played, pieces)
            for i in np.unique(place):
                for leg in range(2):
                    counts[int(self.cells[group][i]), leg] = match.counts[2 * i + leg].copy()
        logged = _joined([*pieces, self._take_log(borrowed)])
        _number(logged, rows)
        rows, logged = _in_order(order, rows, logged)
        tables = {
            "games": games_table(self.schedule, self.names, start, rows, logged["denials"]["kind"]),
            "purchases": purchases_table(self.schedule, self.names, start, rows, logged["purchases"]),
            "cards": cards_table(self.schedule, self.names, counts, np.bincount(cell, minlength=len(self.schedule.cells)) // 2),
        }
        if self.schedule.plan.turns:
            tables["turns"] = turns_table(self.schedule, self.names, start, rows, logged["turns"])
        if rows["told"].any():
            tables["decisions"] = decisions_table(self.schedule, self.names, start, logged["decisions"], logged["decision cards"])
        return PlayedChunk(start, stop, tables, pair_sums(cell, rows, len(self.schedule.cells)), tallies(rows) | {"decisions_cut": self.cut})

    def _play_rows(self, match: Match, rows: np.ndarray, pieces: list[Logged]) -> None:
        """Play the games of two strategies; what does not fit into the log any more is added to the pieces."""
        match.counts.fill(0)
        done = 0
        while done < len(rows):
            if self.stop():
                raise StoppedError
            part, began = rows[done : done + self.slice], time.perf_counter()
            n = match.play(part)
            done += n
            if n:
                self.slice = int(np.clip(SLICE_SECONDS * n / max(time.perf_counter() - began, 1e-9), 1, min(2 * self.slice, MOST_IN_A_SLICE)))
            if n < len(part):  # the log is full
                pieces.append(self._take_log(borrowed=False))

    def _take_log(self, borrowed: bool) -> Logged:
        """Return the content of the log, and empty it; if it is `borrowed`, nothing is copied, and it is there until somebody else writes into the log."""
        log = self.desk.log
        n = int(log.decision_cards_n)
        found = {
            "turns": {name: log.turns[name][: int(log.turns_n)] for name in TURN_NAMES},
            "purchases": {name: log.purchases[name][: int(log.purchases_n)] for name in PURCHASE_NAMES},
            "denials": {"kind": log.denials[: int(log.denials_n)]},
            "decisions": {name: log.decisions[name][: int(log.decisions_n)] for name in DECISION_NAMES},
            "decision cards": {name: log[f"decision_{name}"][:n] for name in ("card", "horde", "marks")},
        }
        if not borrowed:
            found = {table: {name: column.copy() for name, column in columns.items()} for table, columns in found.items()}
        self.cut += int(log.decisions_cut)
        self.desk.clear_log()
        return found


def _joined(pieces: Sequence[Logged]) -> Logged:
    """Return the tables of pieces that were taken one after the other, as one."""
    if len(pieces) == 1:
        return pieces[0]
    first = pieces[0]
    return {table: {name: np.concatenate([piece[table][name] for piece in pieces]) for name in first[table]} for table in first}


def _number(logged: Logged, rows: np.ndarray) -> None:
    """Add to what is logged without them the numbers of the rows that it belongs to."""
    logged["denials"]["row"] = np.repeat(np.arange(len(rows)), rows["first_denied"].astype(np.int64) + rows["second_denied"])
    lengths = sum(logged["decisions"][name].astype(np.int64) for name in DECISION_LISTS)
    logged["decision cards"]["row"] = np.repeat(logged["decisions"]["row"], lengths)


def _in_order(order: np.ndarray, rows: np.ndarray, logged: Logged) -> tuple[np.ndarray, Logged]:
    """Return rows and what was logged of them game by game. `order`: the numbers of the games, as they were played."""
    if (np.diff(order) == 1).all():
        return rows, logged
    found = {}
    for table, columns in logged.items():
        number = order[columns["row"]]
        by_game = np.argsort(number, kind="stable")
        found[table] = {name: column[by_game] for name, column in columns.items()} | {"row": number[by_game]}
    return rows[np.argsort(order)], found


def pair_sums(cell: np.ndarray, rows: np.ndarray | Mapping[str, np.ndarray], cells: int) -> np.ndarray:
    """Return by cell the number of pairs, the sum and the sum of squares of the points that its first side made in a pair (2 for a win, 1 for a draw)."""
    made = 2 * points(rows["winner"], rows["swapped"]).reshape(-1, 2).sum(1)
    return np.stack([np.bincount(cell[::2], weights, cells).astype(np.int64) for weights in (None, made, made**2)], 1)


def tallies(rows: np.ndarray) -> dict[str, int]:
    """Return the counts that a run keeps of its games."""
    return {
        "games": len(rows),
        "turns": int(rows["turns"].sum()),
        "decisions": int(rows["decisions"].sum()),
        "draws": int((rows["winner"] == DRAW).sum()),
        "turn_limit": int((rows["end"] == End.TURN_LIMIT).sum()),
        "action_limit": int((rows["limits"] > 0).sum()),
    }
