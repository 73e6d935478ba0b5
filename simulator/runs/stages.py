"""The stages of a run, and which games the panel's later stages have.

A plan with `pairing = "panel"` is played in up to four stages, one numbering of games through all of them:

    screen    every pilot against every one in every match-up, few games each; each against itself six times as often
    narrow    those who might be the best choice for a side of a match-up, after the screen: all against all of them
    decide    most games that judge overlords, match-ups and seats: only the cells that decide the value of a match-up (pilot_game.py)
    lottery   games with the denial lottery, in the hands that the stages before have found to be best

Pilots who play as well as the best one are one choice and take turns (able_share): which of them is luckiest with an overlord is not asked. In the last two
stages each of their cells has deals of its own.

The screen's size depends on the number of pilots, that of the others does not. A later stage is fixed by the results of the stages before it alone, so that it
is the same however often a run was interrupted and whoever played; run.json has it. Every stage has deals of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from terrors.simulator.play.pilot_game import Choices, contenders, merged, parted, solve, worth_choosing
from terrors.simulator.runs.stopping import means, variances

if TYPE_CHECKING:
    from terrors.simulator.runs.plan import Plan
    from terrors.simulator.runs.schedule import Cell

WHOLE, SCREEN, NARROW, DECIDE, LOTTERY = "whole", "screen", "narrow", "decide", "lottery"
MIRRORS = 6  # rounds of a cycle of the screen: each pilot against itself plays all of them, the others one
CYCLE = 4  # rounds at least of a cycle of the third stage: cells in the mix take turns, those that might be in it play the last one
SCREEN_SHARE, LEAST_SCREEN, MOST_SCREEN = 3_000, 10, 200  # games of the plan for each cycle of the screen, and how many cycles there are at least and at most
DECIDE_SHARE = 0.7  # of the games after the screen, if there is a lottery; and of these,
NARROW_SHARE = 0.2  # for those who might be the best choice
LOTTERY_TIMES = 1.5  # lottery games for each that decided, if deciding stopped early
ABLE_ELO = 50.0  # a pilot who loses no more than this to the best is an expert, as it is
EQUAL_ELO = 35.0  # and one who wins or loses no more than this plays as well: some four standard errors of what a screen tells


@dataclass(frozen=True)
class Stage:
    """A stretch of games. Pairs go round the lists of slots; pair q of a list is in slot q % slots of cycle q // slots."""

    name: str
    pairs: int
    first_round: int
    cycle: int  # rounds in a cycle
    slots: tuple[tuple[tuple[int, int], ...], ...]  # lists of (cell, round in the cycle)

    @property
    def lottery(self) -> bool:
        """Whether it is the stage whose games have the lottery, of a run in which not all have."""
        return self.name == LOTTERY

    @property
    def rounds(self) -> int:
        """The number of rounds that it takes up: the next stage begins after them."""
        each = -(-self.pairs // len(self.slots))
        return max(-(-each // len(slots)) for slots in self.slots) * self.cycle

    @property
    def window(self) -> int:
        """The number of pairs within which all games of a deal lie."""
        return len(self.slots) * max(len(slots) for slots in self.slots)

    @property
    def cells(self) -> list[int]:
        """The numbers of all cells that play in it."""
        return sorted({cell for slots in self.slots for cell, _ in slots})

    def where(self, pair: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return cell and round of pairs, by their numbers in the stage."""
        lists = len(self.slots)
        which, place = pair % lists, pair // lists
        cell, round_ = np.zeros(len(pair), np.int64), np.zeros(len(pair), np.int64)
        for number, slots in enumerate(self.slots):
            mine = np.flatnonzero(which == number)
            cycle, slot = np.divmod(place[mine], len(slots))
            table = np.array(slots, np.int64)
            cell[mine], round_[mine] = table[slot, 0], self.first_round + cycle * self.cycle + table[slot, 1]
        return cell, round_

    def as_data(self) -> dict[str, Any]:
        """Return the stage as run.json has it."""
        return {"name": self.name, "pairs": self.pairs, "first_round": self.first_round, "cycle": self.cycle, "slots": [list(map(list, s)) for s in self.slots]}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Stage:
        """Return the stage that run.json has."""
        slots = tuple(tuple((int(cell), int(at)) for cell, at in one) for one in data["slots"])
        return cls(data["name"], data["pairs"], data["first_round"], data["cycle"], slots)


def whole_stage(cells: int, pairs: int) -> Stage:
    """Return the only stage of a run without a panel: pairs go round all cells."""
    return Stage(WHOLE, pairs, 0, 1, (tuple((cell, 0) for cell in range(cells)),))


class PilotTables:
    """The results of the pilots against each other, by match-up: from the sums of the pairs by cell."""

    def __init__(self, cells: Sequence[Cell], sums: np.ndarray, pilots: int, screen: np.ndarray | None = None) -> None:
        """Put the cells' sums into a square for each match-up, who plays the first overlord in the rows. `screen`: the same of the screen alone."""
        self.match_ups = list(dict.fromkeys((cell.a, cell.b) for cell in cells))
        shape = (len(self.match_ups), pilots, pilots)
        self.cell = np.full(shape, -1)
        self.sums = np.zeros((*shape, 3), np.int64)
        for number, cell in enumerate(cells):
            at = self.match_ups.index((cell.a, cell.b))
            self.cell[at, cell.a_strategy, cell.b_strategy] = number
            self.sums[at, cell.a_strategy, cell.b_strategy] = sums[number]
            if cell.a == cell.b and cell.a_strategy != cell.b_strategy:  # an overlord against itself: who is named first makes no difference
                n, points, squares = (int(x) for x in sums[number])
                self.cell[at, cell.b_strategy, cell.a_strategy] = number
                self.sums[at, cell.b_strategy, cell.a_strategy] = n, 4 * n - points, 16 * n - 8 * points + squares
        self.screen: np.ndarray = self.sums if screen is None else PilotTables(cells, screen, pilots).sums
        flat = self.sums.reshape(-1, 3)
        self.mean = means(flat).reshape(shape)
        self.variance = (variances(flat) / np.maximum(flat[:, 0], 1)).reshape(shape)

    def distinct(self) -> list[int]:
        """Return the pilots without those who are copies: whose games all came out as an earlier one's, on the same deals."""
        found: list[int] = []
        pilots = range(self.sums.shape[1])
        for pilot in pilots:
            if not any(all(np.array_equal(self.screen[:, *x], self.screen[:, *y]) for x, y in same_games(pilot, other, pilots)) for other in found):
                found.append(pilot)
        return found

    def against(self, pilot: int, other: int) -> float:
        """Return what a pilot wins from another one, all match-ups and both sides with equal weights."""
        return float((self.mean[:, pilot, other] + 1 - self.mean[:, other, pilot]).mean() / 2)

    @cached_property
    def best(self) -> int:
        """The pilot whom the others are measured against: who is chosen most when it is not known which overlord is to be played."""
        pilots = self.distinct()
        weight = solve(np.array([[self.against(one, other) for other in pilots] for one in pilots])).rows
        return next(pilot for pilot, own in zip(pilots, weight, strict=True) if own >= weight.max() - 1e-9)

    def choices(self) -> list[list[int]]:
        """Return what a side may choose. Pilots who play as well as the best one are one choice, and take turns; any other pilot is one; copies are none."""
        pilots = self.distinct()
        equals = [pilot for pilot in pilots if equally_able(self.against(pilot, self.best))]
        return sorted([equals, *([pilot] for pilot in pilots if pilot not in equals)])

    def _merged(self, match_up: int, choices: Choices) -> tuple[np.ndarray, np.ndarray]:
        """Return means and their variances by choice and choice."""
        sizes = np.array([len(one) for one in choices])
        return merged(self.mean[match_up], choices, choices), merged(self.variance[match_up], choices, choices) / (sizes[:, None] * sizes)

    def solved(self, match_up: int, choices: Choices) -> tuple[float, np.ndarray]:
        """Return the value of a match-up, and how much of the play each two pilots have when both sides choose as well as they can."""
        mean, variance = self._merged(match_up, choices)
        usual = next(number for number, one in enumerate(choices) if self.best in one)
        rows, columns = worth_choosing(mean, variance, (usual, usual))
        found = solve(mean[np.ix_(rows, columns)])
        return found.value, parted(found.weights, [choices[row] for row in rows], [choices[column] for column in columns], len(self.mean[match_up]))

    def contenders(self, match_up: int, choices: Choices) -> tuple[list[int], list[int]]:
        """Return the pilots who might be chosen for each side of a match-up."""
        rows, columns = contenders(*self._merged(match_up, choices))
        return [pilot for row in rows for pilot in choices[row]], [pilot for column in columns for pilot in choices[column]]

    def in_mix(self, match_up: int, choices: Choices) -> list[int]:
        """Return the cells that are played when both sides choose as well as they can."""
        weights = self.solved(match_up, choices)[1]
        return sorted({int(self.cell[match_up, row, column]) for row, column in np.argwhere(weights > 1e-6)})


def same_games(one: int, other: int, pilots: Iterable[int]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the cells, two and two, whose games are the same if a pilot is a copy of another: of those that the screen plays equally often."""
    others = [k for k in pilots if k not in (one, other)]
    rows = [((one, k), (other, k)) for k in others] + [((k, one), (k, other)) for k in others]
    return [*rows, ((one, other), (other, one)), ((one, one), (other, other))]


def where(stages: Sequence[Stage], pair: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return cell and round of pairs, by their numbers in the run. Whatever comes after the stages belongs to the last one."""
    pair = np.asarray(pair, np.int64)
    cell, round_ = np.zeros(len(pair), np.int64), np.zeros(len(pair), np.int64)
    starts = np.cumsum([0, *(stage.pairs for stage in stages)])
    number = np.minimum(np.searchsorted(starts[1:], pair, side="right"), len(stages) - 1)
    for at in np.unique(number):
        mine = np.flatnonzero(number == at)
        cell[mine], round_[mine] = stages[at].where(pair[mine] - starts[at])
    return cell, round_


def able_share(elo: float = ABLE_ELO) -> float:
    """Return the share of games that somebody wins from one who is so many Elo points better."""
    return float(1 / (1 + 10 ** (elo / 400)))


def equally_able(share: float) -> bool:
    """Whether a pilot who wins so much from the best one plays as well as it does."""
    return able_share(EQUAL_ELO) <= share <= 1 - able_share(EQUAL_ELO)


def stage_pairs(plan: Plan, cells: Sequence[Cell], pilots: int) -> dict[str, int]:
    """Return the pairs of each stage of a plan: with `until`, at most so many."""
    total = (plan.games + 1) // 2
    if plan.pairing != "panel":
        return {WHOLE: total}
    lottery = round(total * (1 - DECIDE_SHARE)) if plan.deny_lottery else 0
    last = {LOTTERY: lottery} if lottery else {}
    if pilots == 1:
        return {DECIDE: total - lottery} | last
    cycles = min(MOST_SCREEN, max(LEAST_SCREEN, plan.games // SCREEN_SHARE))
    narrow = round(NARROW_SHARE * (total - lottery))
    return {SCREEN: cycles * len(_screen_slots(cells)), NARROW: narrow, DECIDE: total - lottery - narrow} | last


def _screen_slots(cells: Sequence[Cell]) -> tuple[tuple[int, int], ...]:
    """Return the slots of the screen, deal by deal."""
    match_up = {key: number for number, key in enumerate(dict.fromkeys((cell.a, cell.b) for cell in cells))}
    slots = [
        (match_up[cell.a, cell.b], at, number)
        for number, cell in enumerate(cells)
        for at in range(MIRRORS if cell.a_strategy == cell.b_strategy else 1)
    ]  # fmt: skip
    return tuple((number, at) for _, at, number in sorted(slots))


def next_stage(name: str, pairs: int, cells: Sequence[Cell], pilots: int, sums: np.ndarray, before: Sequence[Stage], screen: np.ndarray) -> Stage:
    """Return a stage of a panel. `sums`: of the pairs by cell in all stages `before`; `screen`: in the first of them."""
    first_round = sum(stage.rounds for stage in before)
    if name == SCREEN:
        return Stage(SCREEN, pairs, 0, MIRRORS, (_screen_slots(cells),))
    tables = PilotTables(cells, sums, pilots, screen)
    choices = tables.choices()
    mixes = [tables.in_mix(match_up, choices) for match_up in range(len(tables.match_ups))]
    if name == LOTTERY:
        cycle = max(map(len, mixes))
        return Stage(LOTTERY, pairs, first_round, cycle, tuple(tuple((cell, at) for at, cell in enumerate(in_mix)) for in_mix in mixes))
    perhaps = []
    for match_up in range(len(mixes)):
        rows, columns = tables.contenders(match_up, choices)
        perhaps.append(sorted({int(tables.cell[match_up, row, column]) for row in rows for column in columns}))
    if name == NARROW:
        return Stage(NARROW, pairs, first_round, 1, tuple(tuple((cell, 0) for cell in own) for own in perhaps))
    others = [[cell for cell in own if cell not in in_mix] for own, in_mix in zip(perhaps, mixes, strict=True)]
    cycle = max(CYCLE, *(len(own) for own in others), *(len(in_mix) + 1 for in_mix in mixes))  # at least half of the games are for the mix itself
    slots = [[(in_mix[at % len(in_mix)], at) for at in range(cycle)] + [(cell, cycle - 1) for cell in own] for in_mix, own in zip(mixes, others, strict=True)]
    return Stage(name, pairs, first_round, cycle, tuple(map(tuple, slots)))


def deciding(stage: Stage) -> list[int]:
    """Return the cells that a stage after the screen plays for the value of their match-up, and not to make sure that nobody else would be chosen."""
    return sorted({cell for slots in stage.slots for cell, at in slots if stage.name != DECIDE or at < stage.cycle - 1})


def value_sums(cells: Sequence[Cell], pilots: int, sums: np.ndarray, screen: np.ndarray) -> np.ndarray:
    """Return by match-up sums (pairs, points, squares) as of one cell that tells its value as well as the pairs that were played since the screen."""
    tables = PilotTables(cells, sums, pilots, screen if screen.any() else None)
    own = PilotTables(cells, sums - screen, pilots)
    choices = tables.choices()
    found = np.zeros((len(tables.match_ups), 3))
    for match_up in range(len(found)):
        weights = tables.solved(match_up, choices)[1]
        used = weights > 1e-6
        played, mean, variance = own.sums[match_up, ..., 0][used], own.mean[match_up][used], own.variance[match_up][used]
        if not (played > 0).all():
            continue
        pairs = 1 / float((weights[used] ** 2 / played).sum())
        value, spread = float((weights[used] * mean).sum()), float((weights[used] ** 2 * variance).sum()) * pairs
        found[match_up] = pairs, 4 * pairs * value, 16 * pairs * (spread + value**2)
    return found
