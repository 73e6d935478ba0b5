"""`Schedule`: the games that a plan means, one by one.

A *cell* is who plays whom: two overlords, each with its strategy. A *pair* is two games of a cell with the same luck and exchanged seats (its *legs*); games of
pair p are 2p and 2p + 1. Pairs go round the cells: pair p belongs to cell p % cells, and is that cell's pair number p // cells (its *round*). So any first
part of a run has all cells equally often, give or take one. A panel is played in stages, each of which goes round cells of its own (stages.py).

A pair's luck comes from the run's seed, the names of the overlords and the round: not from the strategies (which so play with the same luck), nor from how
many games, overlords or strategies there are. More games, or another overlord, leave the games that were there as they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, combinations_with_replacement, product

import numpy as np

from terrors.simulator.kernel import layout
from terrors.simulator.kernel.rng import key_of
from terrors.simulator.kernel.seeds import mixed, numbered
from terrors.simulator.play.box import Box
from terrors.simulator.play.game import Game
from terrors.simulator.play.match import meetings
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.stages import WHOLE, Stage, next_stage, stage_pairs, where, whole_stage
from terrors.simulator.terms.enums import CardType
from terrors.simulator.terms.errors import PlanError


@dataclass(frozen=True)
class Cell:
    """A pairing of players: kinds of overlords, numbers of strategies. `a` sits first in leg 0."""

    a: int
    b: int
    a_strategy: int
    b_strategy: int

    @property
    def same(self) -> bool:
        """Whether both sides are alike: with the same luck the two legs would be the same game."""
        return (self.a, self.a_strategy) == (self.b, self.b_strategy)


class Schedule:
    """All games of a plan."""

    def __init__(self, plan: Plan, box: Box, strategies: list[str], stages: Sequence[Stage] = ()) -> None:
        """List the cells of a plan. `strategies`: their names, in the plan's order; with `vs:NAME` that one last. `stages`: those that are fixed already."""
        self.plan, self.box, self.strategies = plan, box, strategies
        self.cells = [Cell(a, b, s, t) for a, b in match_ups(plan, box) for s, t in pairings(plan, strategies, a == b)]
        self.planned = stage_pairs(plan, self.cells, len(strategies))
        self.stages = list(stages) or [self.stage(next(iter(self.planned)))]
        self._check_stages()
        self.pairs = sum(stage.pairs for stage in self.stages) + sum(list(self.planned.values())[len(self.stages) :])
        self.games = 2 * self.pairs
        self.told = self.games if plan.decisions == "all" else int(plan.decisions)  # games, the first ones, of which every decision is logged
        self.column = {name: np.array([getattr(cell, name) for cell in self.cells]) for name in ("a", "b", "a_strategy", "b_strategy", "same")}
        self._luck = np.array([_luck_of(plan.seed, box, cell) for cell in self.cells], np.uint64)
        self._sets = {kind: influence_sets(plan, box, kind) for cell in self.cells for kind in (cell.a, cell.b)}
        self.groups = sorted({(cell.a_strategy, cell.b_strategy) for cell in self.cells})

    def stage(self, name: str, sums: np.ndarray | None = None, stages: Sequence[Stage] = (), screen: np.ndarray | None = None) -> Stage:
        """Return a stage of the plan. `sums`: of the pairs by cell in the stages before it; `screen`: in the first one."""
        pairs, empty = self.planned[name], np.zeros((len(self.cells), 3), np.int64)
        if name == WHOLE:
            return whole_stage(len(self.cells), pairs)
        return next_stage(name, pairs, self.cells, len(self.strategies), empty if sums is None else sums, stages, empty if screen is None else screen)

    def _check_stages(self) -> None:
        """Refuse stages that are not those of this plan: a folder may say anything."""
        fits = [stage.name for stage in self.stages] == list(self.planned)[: len(self.stages)]
        if not fits or not all(stage.pairs > 0 and stage.cycle > 0 and all(stage.slots) and max(stage.cells) < len(self.cells) for stage in self.stages):
            raise PlanError("stages: they are not those of this plan.")

    @property
    def starts(self) -> list[int]:
        """The number of the first game of each stage that is fixed, and behind them the number of games that they have."""
        return [0, *np.cumsum([2 * stage.pairs for stage in self.stages]).tolist()]

    def stage_of(self, game: int) -> Stage:
        """Return the stage of a game."""
        return self.stages[int(self._stages_of(np.array([game // 2]))[0])]

    def _stages_of(self, pair: np.ndarray) -> np.ndarray:
        """Return the numbers of the stages of pairs. A run without a panel may be prolonged: trials do."""
        number = np.searchsorted(np.array(self.starts[1:]) // 2, pair, side="right")
        if self.stages[0].name == WHOLE:
            return np.zeros(len(pair), np.int64)
        if len(number) and number.max() >= len(self.stages):
            raise PlanError(f"game {2 * int(pair.max())}: it is not one of the {self.starts[-1]:,} games that are planned so far.")
        return number

    def has_lottery(self, game: int) -> bool:
        """Whether the denial lottery takes part in a game."""
        stage = self.stage_of(game)
        return bool(self.plan.deny_lottery) and (stage.lottery or stage.name == WHOLE)

    def box_of(self, game: int) -> Box:
        """Return the box that a game is played with: with the denial lottery, or without."""
        return self.box if self.has_lottery(game) or not self.plan.deny_lottery else self.plain_box

    @cached_property
    def plain_box(self) -> Box:
        """The same box without the denial lottery."""
        return self.box.without_lottery()

    def where(self, pair: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return cell and round of pairs."""
        self._stages_of(np.asarray(pair, np.int64))  # refuses those that are not planned yet
        return where(self.stages, pair)

    def cell_of(self, game: int) -> Cell:
        """Return the cell of a game."""
        return self.cells[int(self.where(np.array([game // 2]))[0][0])]

    def strategies_of(self, game: int) -> tuple[int, int]:
        """Return the numbers of the strategies in a game, the first player's first."""
        cell = self.cell_of(game)
        return (cell.b_strategy, cell.a_strategy) if game % 2 else (cell.a_strategy, cell.b_strategy)

    def table(self, game: int) -> Game:
        """Return a game as it is dealt, to be watched."""
        row = self.rows(game, game + 1)[0]
        first, second = (self.box.names[row[seat]] for seat in ("first", "second"))
        taken = []
        for seat in ("first", "second"):
            own = self.box.record.own[row[seat]]
            taken.append(tuple(self.box.names[int(own.kind[i])] for i in range(int(own.n)) if row[f"{seat}_influences"] >> i & 1))
        return Game(self.box_of(game), first, second, int(row["seed"]), first_influences=taken[0], second_influences=taken[1])

    def rows(self, start: int, stop: int) -> np.ndarray:
        """Return the games from `start` up to `stop` as rows to play. `cell`: twice the number of the cell, plus the leg."""
        game = np.arange(start, stop, dtype=np.int64)
        pair, leg = game // 2, game % 2
        cell, round_ = self.where(pair)
        rows = np.zeros(len(game), layout.RESULT)
        rows["seed"] = numbered(self._luck[cell], 2 * round_ + (leg & self.column["same"][cell]))  # where both sides are alike, each leg has luck of its own
        a, b = self.column["a"][cell], self.column["b"][cell]
        rows["first"], rows["second"] = np.where(leg == 0, a, b), np.where(leg == 0, b, a)
        rows["swapped"] = leg
        rows["cell"] = 2 * cell + leg
        if self.plan.influences != "choose":
            bits = [self._influences(kinds, rows["seed"], side) for side, kinds in enumerate((a, b))]
            rows["first_influences"], rows["second_influences"] = np.where(leg == 0, bits[0], bits[1]), np.where(leg == 0, bits[1], bits[0])
        return rows

    def _influences(self, overlords: np.ndarray, seeds: np.ndarray, side: int) -> np.ndarray:
        """Return the Influence cards that an overlord gets (S3): of the possible choices one by luck, the same in both legs."""
        with np.errstate(over="ignore"):
            luck = mixed(seeds + np.uint64(key_of(f"influences {side}", 0)))
        bits = np.zeros(len(seeds), np.int32)
        for kind in np.unique(overlords):
            sets = self._sets[int(kind)]
            chosen = sets[(luck >> np.uint64(32)) % np.uint64(len(sets))]
            bits = np.where(overlords == kind, chosen, bits)
        return bits


def match_ups(plan: Plan, box: Box) -> list[tuple[int, int]]:
    """Return the overlords that meet (S1, S3), each pair once, by name, so that a file in another order gives the same games."""
    cards = [box.cards.by_name(name) for name in plan.overlords] or list(box.cards.overlords)
    for card in cards:
        if card.type != CardType.OVERLORD:
            raise PlanError(f"overlords: {card.name} is no overlord; the overlords are {', '.join(c.name for c in box.cards.overlords)}.")
    cards.sort(key=lambda card: card.name)
    found = meetings(box, [box.kind(card.name) for card in cards], plan.mirrors)
    if len(cards) == 1 and not found:
        raise PlanError(f"overlords: {cards[0].name} alone has nobody to play against; name another one, or let it play mirrors.")
    if not found:
        names = ", ".join(card.name for card in cards)
        raise PlanError(f"overlords: no two of {names} may meet (S3: not the same faction); give others, or let them play mirrors too.")
    if len(found) > 10_000:
        raise PlanError(f"overlords: {len(found):,} match-ups are too many; name some overlords.")
    return found


def pairings(plan: Plan, strategies: list[str], mirror: bool) -> list[tuple[int, int]]:
    """Return the strategies that meet (by number), the first overlord's first. In a mirror match the two overlords are one, so each pairing is there once."""
    n = len(strategies)
    if plan.pairing == "mirror":
        return [(s, s) for s in range(n)]
    if plan.pairing.startswith("vs:"):
        rival = n - 1
        against = [(s, rival) for s in range(n) if s != rival or len(plan.strategies) == n]
        return against if mirror else list(dict.fromkeys(pair for s, t in against for pair in ((s, t), (t, s))))
    # all, and a panel: the cells of which its stages take theirs
    return list(combinations_with_replacement(range(n), 2)) if mirror else list(product(range(n), range(n)))


def influence_sets(plan: Plan, box: Box, overlord: int) -> np.ndarray:
    """Return the choices of Influence cards that an overlord may get in this run (S3), as bits."""
    own = box.record.own[overlord]
    n, k = int(own.n), min(int(own.n), box.rules.influences)
    if plan.influences == "beginner":
        marked = [i for i in range(n) if box.cards.cards[int(own.kind[i])].beginner]
        if len(marked) != k:
            raise PlanError(
                f"influences beginner: {box.names[overlord]} has {len(marked)} Influence cards marked as beginner, the rules give {k}; mark {k} or use choose."
            )
        return np.array([sum(1 << i for i in marked)], np.int32)
    return np.array([sum(1 << i for i in chosen) for chosen in combinations(range(n), k)], np.int32)


def _luck_of(seed: int, box: Box, cell: Cell) -> int:
    """Return the number with which the luck of a match-up begins."""
    return key_of(f"run {seed}: {box.names[cell.a]} against {box.names[cell.b]}", 0)
