"""How the games of a run feel: length, lead changes, comebacks, snowballs, dead turns, luck, the Street, hordes, keywords; and the chances behind it.

feel = feel_of(Run.open("runs/base"))
feel.tables["feel"]                                       # and length, hordes, keywords, chances, calibration: columns as in contract/columns.py
feel.chances                                              # the model; None without turns
feel.left_out                                             # what this run cannot say, in sentences
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from terrors.analysis.contract.columns import ANSWERS, tidy
from terrors.analysis.contract.groups import ALL
from terrors.analysis.feel.metrics import KEYWORDS, METRICS, Metric
from terrors.analysis.feel.sample_games import SampleGames
from terrors.analysis.feel.win_model import Chances
from terrors.analysis.source.sample import Cells, take_sample
from terrors.analysis.stats.ratios import Term, quantile, ratio
from terrors.simulator.runs.run import Run

BANDS = (5, 25, 50, 75, 95)
LEAST_OF_A_TURN = 50  # games that must have lasted so long, for their chances to be shown
BINS = 10  # of the calibration
TEXTS = {"group", "metric", "unit", "meaning", "overlord", "what"}
COUNTS = {"games", "turns", "length", "turn", "band", "moments"}
NO_TURNS = (
    "This run has no turns table (--no-turns), so that nothing can be said about chances, lead changes, comebacks, snowballs, dead turns, opening luck, "
    "hordes and keywords."
)


@dataclass
class Feel:
    """The tables of feel, the model of the chances, and what was left out."""

    tables: dict[str, pl.DataFrame]
    chances: Chances | None
    games: int  # in the sample
    of: int  # in the run
    left_out: list[str] = field(default_factory=list)


def feel_tables(run: Run, most_games: int = 200_000, seed: int = 0) -> dict[str, pl.DataFrame]:
    """Return the tables feel, length, hordes, keywords, chances and calibration of a run; empty where it has nothing to say."""
    return feel_of(run, most_games, seed).tables


def feel_of(run: Run, most_games: int = 200_000, seed: int = 0, cells: Cells | None = None) -> Feel:
    """Return the same, with the model and what was left out. Of a large run about `most_games` games, in whole deals; `cells`: only of these."""
    sample = take_sample(run, most_games, seed, cells)
    played = SampleGames.of(sample)
    feel = Feel(tables_of(played), played.model, len(played), sample.of)
    if len(played) < sample.of:
        feel.left_out.append(f"Feel is told from {len(played):,} of {sample.of:,} games, whole deals spread over the run.")
    if played.turns is None:
        feel.left_out.append(NO_TURNS)
    elif played.model is not None and (few := [group for group in played.groups if group not in played.model.models]):
        feel.left_out.append(f"Too few games to fit chances for {', '.join(few)}.")
    if played.street is None:
        feel.left_out.append("This run has no purchases table, so that nothing can be said about the Street.")
    return feel


def tables_of(played: SampleGames) -> dict[str, pl.DataFrame]:
    """Return all tables of some games."""
    makers: dict[str, Callable[[SampleGames], Iterator[tuple[Any, ...]]]] = {"feel": feel_rows, "length": length_rows}
    if played.turns is not None:
        makers |= {"hordes": horde_rows, "keywords": keyword_rows}
    if played.chance is not None:
        makers |= {"chances": chance_rows, "calibration": calibration_rows}
    return {name: _frame(name, list(makers[name](played)) if name in makers and len(played) else []) for name in TABLES}


TABLES = ("feel", "length", "hordes", "keywords", "chances", "calibration")


def _frame(name: str, rows: list[tuple[Any, ...]]) -> pl.DataFrame:
    kinds = {column: pl.String if column in TEXTS else pl.Int64 if column in COUNTS else pl.Float64 for column in ANSWERS[name]}
    return tidy(pl.DataFrame(rows, schema=kinds, orient="row"))


def feel_rows(played: SampleGames) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of the metrics that these games allow, by group."""
    have = {"games": True, "turns": played.turns is not None, "street": played.street is not None, "chances": played.chance is not None}
    for metric in METRICS:
        if have[metric.needs]:
            for name, (value, low, high, games) in zip([*played.groups, ALL], measured(metric, played), strict=True):
                if games:
                    yield name, metric.name, value, low, high, metric.unit, metric.meaning, games


def measured(metric: Metric, played: SampleGames) -> list[tuple[float, float, float, int]]:
    """Return a metric by group, and at last for all: value, interval, games."""
    if metric.quantile is not None:
        return quantile(played.length, played.group, played.deal, len(played.groups), metric.quantile)
    assert metric.terms is not None
    values = ratio(metric.terms(played), played.group, played.deal, len(played.groups))
    out = []
    for one in values:
        low, high = one.interval(metric.share)
        out.append((metric.scale * one.value, metric.scale * low, metric.scale * high, one.games))
    return out


def length_rows(played: SampleGames) -> Iterator[tuple[Any, ...]]:
    """Yield rows of how many games took how many turns."""
    counts = np.array([np.bincount(played.length[played.group == g], minlength=played.length.max() + 1) for g in range(len(played.groups))])
    yield from ((group, *row) for group, turns in _with_all(played, counts) for row in turns)


def _with_all(played: SampleGames, counts: np.ndarray) -> Iterator[tuple[str, list[tuple[int, int, float]]]]:
    """Yield counts by group and number, as rows (number, count, share of 100) by group; for all groups the counts together and the mean of the shares."""
    totals = counts.sum(axis=1, keepdims=True)
    shares = 100 * counts / np.maximum(totals, 1)
    there = totals[:, 0] > 0
    counts = np.vstack([counts, counts.sum(axis=0)])
    shares = np.vstack([shares, shares[there].mean(axis=0) if there.any() else shares.sum(axis=0)])
    for g, name in enumerate([*played.groups, ALL]):
        yield name, [(int(i), int(counts[g, i]), float(shares[g, i])) for i in np.flatnonzero(counts[g])]


def _by_overlord(played: SampleGames) -> Iterator[tuple[str | None, np.ndarray]]:
    """Yield every overlord with the rows of its turns, and all of them together without a name."""
    assert played.turns is not None
    names = played.turns["overlord"]
    for overlord in played.overlords:
        yield overlord, (names == overlord).to_numpy()
    yield None, np.ones(len(names), bool)


def horde_rows(played: SampleGames) -> Iterator[tuple[Any, ...]]:
    """Yield rows of how long the longest horde of a turn was."""
    longest, group = played.column("longest_horde").astype(np.int64), played.group[played.game]
    size = int(longest.max(initial=0)) + 1
    for overlord, rows in _by_overlord(played):
        counts = np.bincount(group[rows] * size + longest[rows], minlength=len(played.groups) * size).reshape(-1, size)
        yield from ((name, overlord, *row) for name, lengths in _with_all(played, counts) for row in lengths)


def keyword_rows(played: SampleGames) -> Iterator[tuple[Any, ...]]:
    """Yield rows of how often keywords, relics, hordes and the overlord's ability are used in a turn."""
    for overlord, mask in _by_overlord(played):
        rows = np.flatnonzero(mask)
        game = played.game[rows]
        turns = np.bincount(game, minlength=len(played))
        for what in KEYWORDS:
            done = np.bincount(game, played.column(what)[rows], len(played))
            values = ratio([Term(done, turns)], played.group, played.deal, len(played.groups))
            for name, one in zip([*played.groups, ALL], values, strict=True):
                if one.games:
                    low, high = one.interval(share=False)
                    yield name, overlord, what, one.value, max(0.0, low), high


def chance_rows(played: SampleGames) -> Iterator[tuple[Any, ...]]:
    """Yield rows of how the first player's chances are spread after each turn, over the judged games that are not over."""
    assert played.chance is not None
    rows = np.flatnonzero(~np.isnan(played.chance) & ~played.over)
    rows = rows[np.lexsort((played.chance[rows], played.turn[rows]))]
    group = played.group[played.game[rows]]
    sizes = np.bincount(played.group[np.unique(played.game[rows])], minlength=len(played.groups))
    weight = 1 / np.maximum(sizes, 1)[group]
    for g, name in enumerate([*played.groups, ALL]):
        mine = np.flatnonzero(group == g) if g < len(played.groups) else np.arange(len(rows))
        turn = played.turn[rows[mine]]
        for begin, end in zip(*_stretches(turn), strict=True):
            if end - begin >= LEAST_OF_A_TURN:
                some = mine[begin:end]
                cumulated = np.cumsum(weight[some])
                at = np.minimum(np.searchsorted(cumulated, np.array(BANDS) / 100 * cumulated[-1] - 1e-12), end - begin - 1)
                for band, chance in zip(BANDS, played.chance[rows[some[at]]], strict=True):
                    yield name, int(turn[begin]), band, 100 * float(chance), int(end - begin)


def _stretches(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where each value of a sorted column begins and ends."""
    begins = np.flatnonzero(np.r_[True, values[1:] != values[:-1]]) if len(values) else np.zeros(0, np.int64)
    return begins, np.r_[begins[1:], len(values)] if len(values) else begins


def calibration_rows(played: SampleGames) -> Iterator[tuple[Any, ...]]:
    """Yield rows of what the model said, and how the games ended, in games that it was not fitted on. For all groups each has the same weight."""
    assert played.chance is not None
    rows = np.flatnonzero(~np.isnan(played.chance) & ~played.over)
    moments = np.bincount(played.group[played.game[rows]], minlength=len(played.groups))
    weight = 1 / np.maximum(moments, 1)[played.group]  # by game
    bins = np.minimum((played.chance[rows] * BINS).astype(np.int64), BINS - 1)
    by_bin = [rows[bins == b] for b in range(BINS)]
    together = np.zeros(len(played), np.int64)  # one group: the weights are in the sums
    for g, name in enumerate([*played.groups, ALL]):
        for some in by_bin:
            mine = some[played.group[played.game[some]] == g] if g < len(played.groups) else some
            if len(mine):
                said, n = (np.bincount(played.game[mine], values, len(played)) * weight for values in (played.chance[mine], np.ones(len(mine))))
                won = ratio([Term(played.result * n, n)], together, played.deal, 1)[0]
                low, high = won.interval(share=True)
                yield name, 100 * said.sum() / n.sum(), 100 * won.value, 100 * low, 100 * high, len(mine), won.games
