"""Playing many games in one go: rows of what to play in, rows of what came of it out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from simulator import batch, layout
from simulator.box import Box
from simulator.enums import Status
from simulator.layout import record
from simulator.rng import key_of


class Player(Protocol):
    """What a strategy must have to be played (strategies.Strategy has it)."""

    name: str

    @property
    def compiled(self) -> Any:
        """The function that answers the questions."""

    def work(self, box: Box) -> Any:
        """A work area that fits the box."""


class StrategyAnswerError(ValueError):
    """A strategy gave an answer that is not on the list: which, and in which game."""


def game_seeds(seed: int, numbers: np.ndarray) -> np.ndarray:
    """The seeds of some games of a run: far apart, and each depending only on the run's seed and its own number."""
    with np.errstate(over="ignore"):
        z = np.uint64(key_of(f"run {seed}", 0)) + np.uint64(0x9E3779B97F4A7C15) * (numbers.astype(np.uint64) + np.uint64(1))
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def pairs_of_games(box: Box, match_ups: Sequence[tuple[int, int]], pairs: int, seed: int) -> np.ndarray:
    """Rows for that many seat-swapped pairs of each match-up (kinds of overlords).

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


def play_rows(box: Box, rows: np.ndarray, first: Player, second: Player) -> np.ndarray:
    """Play the games of the rows, `first` in the first seat, and fill in what came of them."""
    game, options = record(layout.GAME), record(layout.OPTIONS_RECORD)
    try:
        done = batch.play_games(rows, game, box.record, options, first.compiled, second.compiled, first.work(box), second.work(box))
    except Exception as error:  # only a strategy raises in there
        who = (first, second)[int(game.asked)]
        what = f"{type(error).__name__}: {error}"
        raise StrategyAnswerError(f"strategy {who.name} raised {what} (turn {game.turn} of the game with seed {game.seed}).") from error
    if done < len(rows):
        row = rows[done]
        who = (first, second)[int(game.asked)]
        what = "answered with an option that is not there" if row["status"] == Status.BAD_ANSWER else "stopped the game"
        raise StrategyAnswerError(f"strategy {who.name} {what} (turn {row['turns']} of the game with seed {row['seed']}); see what it returns there.")
    return rows
