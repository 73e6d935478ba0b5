"""Run folders as small arrays: `Source` opens one run or several, and gives their games block by block, deals unbroken.

A *deal* is all games with the same luck: the two legs of a pair, and the same again for each pairing of strategies of a panel. A block is what one part of a
run holds, or several small ones, so that a run of any size is read in the memory of one part; the deal that a part cuts in two waits for the next part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from terrors.analysis.contract.groups import group_name
from terrors.analysis.source.ahead import ahead
from terrors.analysis.stats.intervals import Looks
from terrors.simulator.cards.card_set import Card
from terrors.simulator.play.box import Box
from terrors.simulator.play.match import points
from terrors.simulator.runs.job import Setup, part_name
from terrors.simulator.runs.run import Run
from terrors.simulator.runs.stages import DECIDE, WHOLE, Stage
from terrors.simulator.runs.stopping import Stopper
from terrors.simulator.terms.enums import Pile
from terrors.simulator.terms.errors import AnalysisError

BASIC = ("game", "leg", "seed", "first_overlord", "second_overlord", "first_strategy", "second_strategy", "winner", "end", "limits", "turns")
DENIED = ("denied_first", "denied_second")
INFLUENCES = ("first_influences", "second_influences")
AT_ONCE = 8_000  # games of small parts that are read together


@dataclass(frozen=True)
class NamedCell:
    """A pairing of players: names of overlords (a sits first in leg 0) and of their strategies, and the numbers of match-up and group."""

    a: str
    b: str
    a_strategy: str
    b_strategy: str

    @property
    def group(self) -> str:
        """The group that its games belong to."""
        return group_name(self.a_strategy, self.b_strategy)


@dataclass
class Block:
    """Some games in a row, two for each pair. Arrays by game unless they say otherwise."""

    game: np.ndarray
    seed: np.ndarray
    cell: np.ndarray  # by game: number of the cell
    leg: np.ndarray
    points: np.ndarray  # of the first player
    drawn: np.ndarray
    turn_limit: np.ndarray
    limits: np.ndarray
    turns: np.ndarray
    deal: np.ndarray  # by game: number of its deal in the block
    deals: int
    influences: tuple[np.ndarray, np.ndarray] | None = None  # numbers of the texts in Source.influences, by seat
    denied: tuple[np.ndarray, np.ndarray] | None = None  # by deal and card: whether the lottery (or the plan) denies it to the first, the second
    bought: np.ndarray | None = None  # by deal, group and card: copies of the first player minus those of the second, in all games of the deal
    bought_at: np.ndarray | None = None  # the same by cell and leg (2 * cell + leg) and card, over all games of the block
    deal_seed: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint64))
    stage: str = WHOLE  # of the run, which all of its games belong to


class Source:
    """The runs of an analysis, as one."""

    def __init__(self, runs: Sequence[Run], pooled: bool = False) -> None:
        """Take the runs. `pooled`: whether runs that differ in cards, rules, engine or strategies may be taken together all the same."""
        if not runs:
            raise AnalysisError("there is no run to analyse; give the folder of one.")
        self.runs = list(runs)
        self.differences = _differences(self.runs)
        if self.differences and not pooled:
            other = next(run for run in self.runs if _differences([self.runs[0], run]))
            raise AnalysisError(
                f"{other.folder.address} cannot be added to {self.runs[0].folder.address}: they differ in {', '.join(self.differences)}; "
                "analyse each alone, compare them, or give --pool to take them together all the same."
            )
        _no_game_twice(self.runs)
        for run in self.runs:
            if not tallied(run, "games"):
                raise AnalysisError(f"{run.folder.address}: nothing has been played yet; let `terrors simulate` play first.")
            run.expect_whole()
        self.stages: frozenset[str] | None = None  # all
        self.kept: frozenset[NamedCell] | None = None  # all
        self.groups: list[str] = []
        self.group_of = np.zeros(0, np.int64)
        self.cells: list[NamedCell] = []
        self._cell_numbers: dict[NamedCell, int] = {}
        self.influences: list[str] = [""]
        self.setups: list[Setup] = [run.setup for run in self.runs]  # names in the tables are numbers of a run's own cards and cells
        self.boxes: list[Box] = [setup.box for setup in self.setups]
        for setup in self.setups:
            self._add_cells(setup)
        self.market = sorted({card.name for box in self.boxes for card in box.cards.cards if card.pile == Pile.MARKET})
        self._number_groups()

    @classmethod
    def open(cls, folders: Sequence[str | Path], pooled: bool = False) -> Source:
        """Return the runs in some folders as one source."""
        return cls([Run.open(folder) for folder in folders], pooled)

    def only(self, *stages: str) -> Source:
        """Return the games of some stages of a panel as a source of their own (simulator/runs/stages.py). Runs that have no stages are there as they are."""
        found = copy(self)
        found.stages = frozenset(stages)
        found.cells, found._cell_numbers = [], {}
        for setup in self.setups:
            found._add_cells(setup)
        found._number_groups()
        return found

    def with_cells(self, cells: Iterable[NamedCell]) -> Source:
        """Return the games of some cells as a source of their own."""
        found = copy(self)
        found.kept = frozenset(cells)
        found.cells, found._cell_numbers = [], {}
        for setup in self.setups:
            found._add_cells(setup)
        found._number_groups()
        return found

    def _number_groups(self) -> None:
        self.groups = list(dict.fromkeys(cell.group for cell in self.cells))
        self.group_of = np.array([self.groups.index(cell.group) for cell in self.cells], np.int64)

    def _has(self, stage: str) -> bool:
        """Whether the games of a stage belong here."""
        return self.stages is None or stage in self.stages

    def _add_cells(self, setup: Setup) -> None:
        schedule, box = setup.schedule, setup.box
        played = {number for stage in schedule.stages if self._has(stage.name) for number in stage.cells}
        for one in (schedule.cells[number] for number in sorted(played)):
            cell = NamedCell(box.names[one.a], box.names[one.b], schedule.strategies[one.a_strategy], schedule.strategies[one.b_strategy])
            if cell not in self._cell_numbers and (self.kept is None or cell in self.kept):
                self._cell_numbers[cell] = len(self.cells)
                self.cells.append(cell)

    @property
    def box(self) -> Box:
        """The box of the first run: its cards and rules."""
        return self.boxes[0]

    def card(self, name: str) -> Card:
        """Return a card of any of the runs: with --pool, they may have different ones."""
        return next(card for box in self.boxes for card in box.cards.cards if card.name == name)

    @property
    def lottery(self) -> float:
        """The probability with which a card was denied to somebody; 0 if there was no lottery in any run, or not in all."""
        return min(run.plan.deny_lottery for run in self.runs)

    @property
    def sequential(self) -> bool:
        """Whether a run stopped by what it saw."""
        return any(run.plan.until for run in self.runs)

    def looks(self) -> Looks:
        """Return the looks that intervals must allow for."""
        for run, setup in zip(self.runs, self.setups, strict=True):
            if run.plan.until:
                schedule = setup.schedule
                judging = next((stage for stage in schedule.stages if stage.name in (WHOLE, DECIDE)), None)
                if judging is None:
                    continue
                if judging.name == WHOLE:
                    cells = len(schedule.cells)
                    return Looks(max(1, tallied(run, "games") // 2 // cells), Stopper(run.plan, cells).rho)
                match_ups = len(judging.slots)
                return Looks(max(1, judging.pairs * judging.cycle // judging.window), Stopper(run.plan, match_ups).rho)
        return Looks()

    def blocks(self, influences: bool = False, denied: bool = False, bought: bool = False) -> Iterator[Block]:
        """Yield all games, block by block; the next one is read meanwhile."""
        return ahead(self._blocks(influences, denied, bought))

    def _blocks(self, influences: bool, denied: bool, bought: bool) -> Iterator[Block]:
        wanted = BASIC + (INFLUENCES if influences else ()) + (DENIED if denied else ())
        for run, setup, box in zip(self.runs, self.setups, self.boxes, strict=True):
            held: list[pl.DataFrame | None] = [None, None]
            schedule = setup.schedule
            parts = [record for record in run.info["parts"] if "games" in record["files"] and self._has(schedule.stage_of(record["start"]).name)]
            pieces = _in_pieces(parts, [schedule.stage_of(record["start"]) for record in parts])
            for number, (piece, stage) in enumerate(pieces):
                games = run.scan([part_name("games", record["start"]) for record in piece]).select(wanted).collect()
                names = [part_name("purchases", record["start"]) for record in piece]
                purchases = run.scan(names).select("game", "seat", "card").collect() if bought else None
                games, purchases = _joined(held[0], games), _joined(held[1], purchases)
                following = pieces[number + 1] if number + 1 < len(pieces) else None
                goes_on = following is not None and following[0][0]["start"] == piece[-1]["stop"] and following[1] is stage  # each stage has deals of its own
                waits = pl.Series(_unfinished(games["seed"].to_numpy(), stage.window if len(stage.slots) > 1 else 1) if goes_on else np.zeros(len(games), bool))
                late, whole = games.filter(waits), games.filter(~waits)
                held = [late, None]
                if purchases is not None:
                    waits = purchases["game"].is_in(late["game"].implode())
                    held[1], purchases = purchases.filter(waits), purchases.filter(~waits)
                if self.kept is not None:
                    whole = whole.filter(pl.Series(self._cells_of(whole) >= 0))
                    purchases = None if purchases is None else purchases.join(whole.select("game"), on="game", how="semi", maintain_order="left")
                if len(whole):
                    block = self._block(box, whole, purchases, influences, denied)
                    block.stage = stage.name
                    yield block

    def _block(self, box: Box, games: pl.DataFrame, purchases: pl.DataFrame | None, influences: bool, denied: bool) -> Block:
        seed = games["seed"].to_numpy()
        deal_seed, first_game, deal = np.unique(seed, return_index=True, return_inverse=True)
        winner = games["winner"].to_physical().to_numpy()
        block = Block(
            games["game"].to_numpy().astype(np.int64), seed, self._cells_of(games), games["leg"].to_numpy(), points(winner), winner == 2,
            (games["end"] == "turn limit").to_numpy(), games["limits"].to_numpy() > 0, games["turns"].to_numpy(), deal, len(deal_seed), deal_seed=deal_seed,
        )  # fmt: skip
        if influences:
            block.influences = tuple(self._influence_numbers(games[name]) for name in INFLUENCES)  # type: ignore[assignment]
        if denied:
            of_deal = games[first_game]
            block.denied = tuple(self._flags(box, of_deal[name]) for name in DENIED)  # type: ignore[assignment]
        if purchases is not None:
            self._add_purchases(box, block, purchases)
        return block

    def _cells_of(self, games: pl.DataFrame) -> np.ndarray:
        """Return the number of each game's cell, −1 for those that are not kept: leg 1 has its overlords exchanged."""
        leg = games["leg"].to_numpy()
        pairs = [("first_overlord", "second_overlord"), ("first_strategy", "second_strategy")]
        sides = []
        for one, two in pairs:
            x, y = games[one].to_physical().to_numpy().astype(np.int64), games[two].to_physical().to_numpy().astype(np.int64)
            sides += [np.where(leg == 0, x, y), np.where(leg == 0, y, x)]
        overlords, strategies = categories(games["first_overlord"]), categories(games["first_strategy"])
        code = ((sides[0] * len(overlords) + sides[1]) * len(strategies) + sides[2]) * len(strategies) + sides[3]
        known, inverse = np.unique(code, return_inverse=True)
        numbers = []
        for value in known.tolist():
            value, t = divmod(value, len(strategies))
            value, s = divmod(value, len(strategies))
            a, b = divmod(value, len(overlords))
            cell = NamedCell(overlords[a], overlords[b], strategies[s], strategies[t])
            numbers.append(self._cell_numbers[cell] if self.kept is None else self._cell_numbers.get(cell, -1))
        return np.array(numbers, np.int64)[inverse]

    def _influence_numbers(self, column: pl.Series) -> np.ndarray:
        names = categories(column)
        for name in names:
            if name not in self.influences:
                self.influences.append(name)
        return np.array([self.influences.index(name) for name in names])[column.to_physical().to_numpy()]

    def _card_numbers(self, box: Box) -> np.ndarray:
        """Return by kind of a run's card set its number among the market cards here, -1 for all others."""
        return np.array([self.market.index(card.name) if card.pile == Pile.MARKET else -1 for card in box.cards.cards])

    def _flags(self, box: Box, lists: pl.Series) -> np.ndarray:
        """Return by row and market card whether the row's list of names has it."""
        found = np.zeros((len(lists), len(self.market)), bool)
        row = np.repeat(np.arange(len(lists)), lists.list.len().to_numpy())
        kinds = lists.explode().drop_nulls().to_physical().to_numpy()
        found[row, self._card_numbers(box)[kinds]] = True
        return found

    def _add_purchases(self, box: Box, block: Block, purchases: pl.DataFrame) -> None:
        """Add to a block what the first player got minus what the second got."""
        card = self._card_numbers(box)[purchases["card"].to_physical().to_numpy()]
        market = card >= 0
        row = np.searchsorted(block.game, purchases["game"].to_numpy())[market]
        sign = (1.0 - 2.0 * purchases["seat"].to_physical().to_numpy())[market]
        cell, groups, cards = block.cell[row], len(self.groups), len(self.market)
        at = (block.deal[row] * groups + self.group_of[cell]) * cards + card[market]
        block.bought = np.bincount(at, sign, minlength=block.deals * groups * cards).reshape(block.deals, groups, cards)
        at = (2 * cell + block.leg[row]) * cards + card[market]
        block.bought_at = np.bincount(at, sign, minlength=2 * len(self.cells) * cards).reshape(-1, cards)

    def taken(self) -> dict[str, int]:
        """Return how much was played, over all runs."""
        names = ("games", "turns", "decisions", "draws", "turn_limit", "action_limit")
        return {name: sum(tallied(run, name) for run in self.runs) for name in names}


def tallied(run: Run, name: str) -> int:
    """Return a count of a run. One that was killed has not added up: its parts have their own counts as long as it is not done."""
    if run.finished:
        return int(run.info["tallies"][name])
    return sum(int(record["tallies"][name]) for record in run.info["parts"])


@contextmanager
def readable(address: str) -> Iterator[None]:
    """Turn a part that has the right size and the wrong bytes into one sentence."""
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        said = str(error).splitlines()[0].rstrip(".")
        raise AnalysisError(
            f"{address}: a part cannot be read ({said}); `terrors verify` says which, and the command that made the run plays it again."
        ) from None


def categories(column: pl.Series) -> list[str]:
    """Return the names that a column's numbers stand for."""
    assert isinstance(column.dtype, pl.Enum)
    return column.dtype.categories.to_list()


def _in_pieces(parts: list[Any], stages: list[Stage]) -> list[tuple[list[Any], Stage]]:
    """Return the parts with their stages, small ones of a stage that follow each other together: a part of a hundred games costs as much as its thousands."""
    pieces: list[tuple[list[Any], Stage]] = []
    for part, stage in zip(parts, stages, strict=True):
        if pieces:
            before, its = pieces[-1]
            if its is stage and before[-1]["stop"] == part["start"] and part["stop"] - before[0]["start"] <= AT_ONCE:
                before.append(part)
                continue
        pieces.append(([part], stage))
    return pieces


def _joined(held: Any, new: Any) -> Any:
    return new if held is None else pl.concat([held, new])


def _unfinished(seed: np.ndarray, window: int = 1) -> np.ndarray:
    """Return by game whether it waits for the next part: its deal, or that of the other leg of its pair, is one of the last pairs' and may go on there.

    `window`: the number of pairs within which all games of a deal lie, if other deals lie between them. Not all that lies behind the first such game waits:
    other deals may have begun before it and ended after it.
    """
    last = np.isin(seed, seed[-2 * window :])  # the two legs of a mirror match have luck of their own, unless their strategies differ
    return np.repeat(last.reshape(-1, 2).any(1), 2)


def _differences(runs: Sequence[Run]) -> list[str]:
    """Return the differences between runs that should be alike to be taken together."""
    found = []
    one = runs[0].info["identity"]
    for run in runs[1:]:
        other = run.info["identity"]
        found += ["the engine"] * (one["engine"] != other["engine"]) + ["the cards"] * (one["cards"] != other["cards"])
        found += ["the strategies"] * (one["strategies"] != other["strategies"])
        names = ("rules", "set", "remove", "deny", "grant", "deny_lottery", "influences", "pairing", "mirrors")
        found += [f"the plan ({name})" for name in names if one["plan"].get(name) != other["plan"].get(name)]
    return list(dict.fromkeys(found))


def _no_game_twice(runs: Sequence[Run]) -> None:
    for i, run in enumerate(runs):
        for other in runs[:i]:
            if run.plan.seed == other.plan.seed:
                raise AnalysisError(
                    f"{run.folder.address} and {other.folder.address} have the same seed ({run.plan.seed}), so the same luck, and cannot be added up; "
                    "simulate one of them with another --seed."
                )
