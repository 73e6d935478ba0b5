"""Playing many games in one go: rows of what to play in, rows of what came of it out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, combinations_with_replacement
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from terrors.simulator.engine import entry_points
from terrors.simulator.kernel import layout, work_layout
from terrors.simulator.kernel.layout import record
from terrors.simulator.kernel.records import with_attributes
from terrors.simulator.kernel.seeds import game_seeds
from terrors.simulator.play.box import Box
from terrors.simulator.terms.enums import Status
from terrors.simulator.terms.errors import WordedError


class Playable(Protocol):
    """The parts that a strategy must have to be played (strategies.Strategy has them)."""

    name: str

    @property
    def compiled(self) -> Any:
        """The function that answers the questions."""

    def work(self, box: Box) -> Any:
        """Return a work area that fits the box."""


class Ready:
    """A strategy that has formed its opinions of one box: that takes longer than many games, so it is done once and every match gets a copy."""

    def __init__(self, player: Playable, box: Box) -> None:
        """Let the strategy form its opinions."""
        self.name, self.compiled, self.slow = player.name, player.compiled, bool(getattr(player, "slow", False))
        self._box, self._area = box, player.work(box)
        # An area has room for thousands of cards, some megabytes, of which few are written; a run of many pairings asks for hundreds of copies.
        words: np.ndarray = np.frombuffer(self._area, np.uint64)
        self._filled = np.flatnonzero(words)
        self._content = words[self._filled]

    def work(self, box: Box) -> Any:
        """Return a work area as it was before the first game."""
        assert box.cards is self._box.cards  # with a lottery or without: opinions are about cards and rules
        assert box.rules is self._box.rules
        words = np.zeros(work_layout.WORK.itemsize // 8, np.uint64)
        words[self._filled] = self._content  # what is empty takes no memory
        return words.view(with_attributes(work_layout.WORK))[0]


class StrategyAnswerError(WordedError):
    """Raised for an answer of a strategy that is not on the list: which, and in which game."""


POINTS = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]])  # by seat, and by the winner of a game: first, second, draw


def points(winner: np.ndarray, seat: int | np.ndarray = 0) -> np.ndarray:
    """Return the points that the player in that seat made in each game: 1 won, 0.5 drawn."""
    return np.asarray(POINTS[seat, winner])


def meetings(box: Box, overlords: Iterable[int], mirrors: bool = False) -> list[tuple[int, int]]:
    """Return each two of these overlords (kinds) that may meet (S3), once, in their order."""
    chosen = combinations_with_replacement(overlords, 2) if mirrors else combinations(overlords, 2)
    return [(a, b) for a, b in chosen if box.may_meet(a, b)]


def pairs_of_games(box: Box, match_ups: Sequence[tuple[int, int]], pairs: int, seed: int) -> np.ndarray:
    """Return rows for that many seat-swapped pairs of each match-up (kinds of overlords).

    The two legs of a pair, rows 2i and 2i + 1, have the same seed: the same luck for each seat.
    """
    rows = np.zeros(2 * pairs * len(match_ups), layout.RESULT)
    numbers = np.arange(pairs * len(match_ups))
    first = np.repeat([a for a, _ in match_ups], pairs)
    second = np.repeat([b for _, b in match_ups], pairs)
    rows["seed"] = np.repeat(game_seeds(seed, numbers), 2)
    rows["first"][0::2], rows["second"][0::2] = first, second
    rows["first"][1::2], rows["second"][1::2] = second, first
    return rows


class MatchRecords:
    """The records that games are played on. They take some megabytes, so there is one set for each thread, whoever plays."""

    def __init__(self, game: Any = None) -> None:
        """Make empty records. `game`: the one to be played on, if it lies somewhere already."""
        self.game = record(layout.GAME) if game is None else game
        self.options, self.log = record(layout.OPTIONS_RECORD), record(layout.LOG)
        self._works: WeakKeyDictionary[Playable, dict[int, Any]] = WeakKeyDictionary()

    def work(self, player: Playable, box: Box, side: int) -> Any:
        """Return a strategy's work area for one of the two sides of a match. What is Ready has one for all its matches here: it remembers nothing.

        So has what can think again about another box, and then one match is played after the other: an area anew would take as long as some games.
        """
        think_again = getattr(player, "think_again", None)
        if not isinstance(player, Ready) and think_again is None:
            return player.work(box)
        mine = self._works.setdefault(player, {})
        if side not in mine:
            mine[side] = player.work(box)
        elif think_again is not None:
            think_again(box, mine[side])
        return mine[side]

    def clear_log(self) -> None:
        """Make room: what was logged has been taken."""
        log = self.log
        log.turns_n = log.purchases_n = log.denials_n = log.decisions_n = log.decision_cards_n = log.decisions_cut = log.now = 0
        np.asarray(log.last).view(np.int32).fill(0)  # as numbers: a field at a time it takes ten times as long


class Match:
    """Two strategies at a desk, ready to play many games."""

    def __init__(self, box: Box, one: Playable, two: Playable, desk: MatchRecords | None = None, cells: int = 1) -> None:
        """Seat the two strategies. `cells`: how many groups of games are to be told apart in the counts."""
        self.desk = desk or MatchRecords()
        self.box, self.players = box, (one, two)
        self.game, self.options, self.log = self.desk.game, self.desk.options, self.desk.log
        self.works = self.desk.work(one, box, 0), self.desk.work(two, box, 1)
        self.counts = np.zeros((cells, 2, int(box.record.kinds), len(layout.COUNT_FIELDS)), np.int64)

    def play(self, rows: np.ndarray) -> int:
        """Play the games of the rows and fill in their results; return how many were played before the log was full."""
        one, two = (player.compiled for player in self.players)
        try:
            done = entry_points.play_games(rows, self.log, self.counts, self.game, self.box.record, self.options, one, two, *self.works)
        except BaseException as error:  # only a strategy raises in there; whoever presses Ctrl-C is heard when the games are played
            if isinstance(error, KeyboardInterrupt) and self.game.status != Status.PLAYING:
                raise
            raise StrategyAnswerError(f"strategy {self.asked(rows).name} raised {type(error).__name__}: {error} ({self.where()}).") from error
        if done < len(rows) and rows[done]["status"] == Status.BAD_ANSWER:
            name = self.asked(rows[done:]).name
            raise StrategyAnswerError(f"strategy {name} answered with an option that is not there ({self.where()}); see what it returns there.")
        return done

    def play_all(self, rows: np.ndarray) -> np.ndarray:
        """Play the games of all rows and fill in their results; the log is thrown away whenever it is full, and at the end."""
        done = 0
        while done < len(rows):
            done += self.play(rows[done:])
            self.desk.clear_log()
        return rows

    def asked(self, rows: np.ndarray) -> Playable:
        """Return the strategy that was asked last; the legs of a pair have the same seed, so the row is known by its seats too."""
        same = rows[(rows["seed"] == self.game.seed) & (rows["first"] == self.game.player[0].overlord)]
        return self.players[int(self.game.asked) ^ int(same["swapped"][0] if len(same) else 0)]

    def where(self) -> str:
        """Return the place in the game that was being played."""
        return f"turn {self.game.turn} of the game with seed {self.game.seed}"


def play_rows(box: Box, rows: np.ndarray, first: Playable, second: Playable) -> np.ndarray:
    """Play the games of the rows, `first` in the first seat, and fill in their results."""
    return Match(box, first, second).play_all(rows)  # only denials are logged here, and there is room for some thousand games
