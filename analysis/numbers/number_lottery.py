"""The number lottery: what every number does, all at once.

Games come in blocks. In each block every number is moved by lot, one step down or up or not at all; each block has a mirror, in which everything that was
moved up is moved down and the other way round, on the same deals. The differences between the two are regressed on the moves: the lots were drawn, so nothing
else can stand behind them. Mirrors cancel what two numbers do together and what bends, and a part of the luck.

The design keeps near the set as it is. Costs, copies and Health are moved often, amounts of market cards now and then. Numbers that shake the whole game are
moved one at a time: of an overlord and its Influence cards at most one in a block (a player chooses among these cards, so that a second gift would hide the
first), and of rules and starting decks at most one. What a lot means depends on seed and block alone.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from terrors.analysis.numbers.gauges import Gauges
from terrors.analysis.numbers.played_versions import Versions
from terrors.simulator.cards.card_numbers import CELLS, Number
from terrors.simulator.cards.card_set import CardSet
from terrors.simulator.terms.enums import Pile

OFTEN, NOW_AND_THEN = 1 / 4, 1 / 16  # chance to go down, and to go up
ONE_OF_THEM = 2 / 3  # chance that one number of a family is moved
ROUNDS = 20  # of a block, at most; fewer where there would be too few blocks for so many numbers
BLOCKS_A_NUMBER = 3
GAME = ""  # the family of what belongs to nobody


def chances(numbers: Sequence[Number]) -> np.ndarray:
    """Return how often each number is moved, to either side, if it is of no family."""
    return np.array([OFTEN if number.column in CELLS else NOW_AND_THEN for number in numbers])


def families(numbers: Sequence[Number], cards: CardSet) -> dict[str, list[int]]:
    """Return the numbers (by place) of which only one is moved at a time: those of an overlord's own cards, and those that everybody begins with."""
    found: dict[str, list[int]] = {}
    for place, number in enumerate(numbers):
        card = cards.by_name(number.card) if number.card else None
        if card is None or card.pile is Pile.STARTING:
            found.setdefault(GAME, []).append(place)
        elif number.column != "health" and card.pile in (Pile.OVERLORD, Pile.INFLUENCE):
            found.setdefault(card.overlord or card.name, []).append(place)
    return found


@dataclass
class Blocks:
    """Blocks that were played: moves and gauges, each block and its mirror."""

    moves: list[np.ndarray] = field(default_factory=list)  # (2, numbers)
    results: list[np.ndarray] = field(default_factory=list)  # (3, gauges): the block, its mirror, and the variance that is luck
    rounds: int = ROUNDS

    def __len__(self) -> int:
        return len(self.results)


Each = Callable[["NumberLottery", range], Generator[tuple[np.ndarray, np.ndarray], None, None]]  # moves and gauges of blocks, in their order


class NumberLottery:
    """Draws the lots and plays the blocks."""

    def __init__(self, versions: Versions, rounds: int = ROUNDS) -> None:
        """Take what is played. `rounds`: of each block."""
        self.versions, self.rounds = versions, rounds
        self.numbers = versions.numbers
        self.gauges = Gauges(versions.schedule)
        self._chance = chances(self.numbers)
        self._families = list(families(self.numbers, versions.job.cards).values())
        self._low, self._high = (np.array([end(number.levels) for number in self.numbers]) for end in (min, max))
        self._value, self._step = (np.array([getattr(number, name) for number in self.numbers]) for name in ("value", "step"))

    @property
    def games_a_block(self) -> int:
        """Games of a block and its mirror."""
        return 2 * self.rounds * self.versions.games_a_round

    def lots(self, block: int) -> np.ndarray:
        """Return the moves of a block and of its mirror, in steps; what cannot be moved that way stays."""
        luck = np.random.default_rng([self.versions.plan.seed, block])
        lots = luck.random(len(self.numbers))
        drawn = np.where(lots < self._chance, -1, np.where(lots < 2 * self._chance, 1, 0))
        for family in self._families:
            one, whether, up = family[int(luck.integers(len(family)))], luck.random() < ONE_OF_THEM, luck.random() < 0.5
            drawn[family] = 0
            drawn[one] = (1 if up else -1) if whether else 0
        return np.clip(np.array([drawn, -drawn]), self._low, self._high)

    def play_block(self, block: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the moves of a block and its mirror, and the gauges of both."""
        moves = self.lots(block)
        played = [self.versions.play(self._value + self._step * levels, block * self.rounds, self.rounds) for levels in moves]
        by_round = np.array([self.gauges.of(points, turns) for points, turns in played])
        luck = by_round.var(1).mean(0) / max(1, self.rounds - 1)
        return moves, np.vstack([by_round.mean(1), luck])

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what travels to another process: the lots are drawn there again."""
        return NumberLottery, (self.versions, self.rounds)

    def play(self, blocks: int, done: Blocks | None = None, tell: Callable[[Blocks], None] | None = None, each: Each | None = None) -> Blocks:
        """Play blocks up to that number, after those that were done before; after a Ctrl-C return those that are done. `each`: who plays, if not threads."""
        found = done or Blocks(rounds=self.rounds)
        wanted = range(len(found), blocks)
        playing = each(self, wanted) if each else self.versions.each(wanted, self.play_block)
        try:
            for moves, results in playing:
                found.moves.append(moves)
                found.results.append(results)
                if tell:
                    tell(found)
        except KeyboardInterrupt:
            playing.close()
        return found


def rounds_for(games: int, numbers: int, games_a_round: int) -> int:
    """Return how many rounds a block should have: as few as leave some blocks for each number, since each block costs a box of its own."""
    return max(1, min(ROUNDS, games // (2 * games_a_round * BLOCKS_A_NUMBER * max(1, numbers))))
