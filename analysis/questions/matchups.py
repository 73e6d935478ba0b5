"""Who wins: overlords, match-ups, going first, strategies, Influence cards. Tables from the sums of pairs (pair_sums.py)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl

from terrors.analysis.contract.columns import ANSWERS, tidy
from terrors.analysis.contract.groups import ALL
from terrors.analysis.contract.sentences import about
from terrors.analysis.source.pair_sums import AS_FIRST, AS_SECOND, BOTH, GOING_FIRST, STRATEGY, InfluenceSums, PairSums, turned
from terrors.analysis.source.source import Source
from terrors.analysis.stats.intervals import Looks, Rate, holm, rate_of
from terrors.analysis.verdicts.judge import Judgement, judge

Row = dict[str, Any]


def table(name: str, rows: Sequence[Row], **types: Any) -> pl.DataFrame:
    """Return rows as the table of that name, with all its columns."""
    columns = {column: [row.get(column) for row in rows] for column in ANSWERS[name]}
    frame = pl.DataFrame(columns, schema_overrides=types, strict=False, infer_schema_length=None)
    return tidy(frame)


def points(rate: Rate) -> Row:
    """Return a win rate and its interval, of 100 games."""
    return {"rate": 100 * rate.share, "low": 100 * rate.low, "high": 100 * rate.high}


class Groups:
    """The groups of an analysis by number, `all` last, and which of them count as serious play."""

    def __init__(self, source: Source, casual: Iterable[str]) -> None:
        """Number the groups. `casual`: strategies that nobody would call serious."""
        self.names = [*source.groups, ALL]
        played = {cell.group: (cell.a_strategy, cell.b_strategy) for cell in source.cells}
        self.strategies = [tuple(sorted(played[name])) for name in source.groups]
        serious = [not set(pair) & set(casual) for pair in self.strategies]
        self.serious = serious if any(serious) else [True] * len(serious)  # if all are casual, they are all there is

    @property
    def single(self) -> list[int]:
        """The numbers of the groups, without `all`."""
        return list(range(len(self.names) - 1))

    def families(self) -> list[list[int]]:
        """Return the groups whose questions are corrected together: all single ones, and `all` by itself."""
        return [self.single, [len(self.names) - 1]]


def groups_table(sums: PairSums, groups: Groups) -> pl.DataFrame:
    """Return the table of groups: who decided, and how many games ended how."""
    rows = []
    for number in groups.single:
        games, drawn, turn_limit, action_limit = (int(n) for n in sums.games[number])
        one, other = groups.strategies[number]
        rows.append(
            {"group": groups.names[number], "strategy": one, "rival_strategy": other, "games": games, "pairs": int(sums.pairs[number].sum()),
             "drawn": 100 * drawn / max(1, games), "turn_limit": turn_limit, "action_limit": action_limit, "serious": groups.serious[number]}
        )  # fmt: skip
    return table("groups", rows)


def judged(rows: list[list[tuple[Row, Rate]]], groups: Groups, margin: float, looks: Looks) -> list[Row]:
    """Return rows by group with their verdicts. `rows`: by group; the rate's gap is what is judged, in points."""
    found: list[Row] = []
    for family in groups.families():
        flat = [pair for number in family for pair in rows[number]]
        verdicts = judge(np.array([100 * rate.gap for _, rate in flat]), np.array([100 * rate.se for _, rate in flat]), margin, looks)
        found += [row | verdict_columns(verdict, row["games"]) for (row, _), verdict in zip(flat, verdicts, strict=True)]
    return found


def verdict_columns(verdict: Judgement, games: int) -> Row:
    """Return a verdict as columns."""
    return {"p": verdict.p, "verdict": verdict.state, "more_games": None if verdict.more is None else about(verdict.more * games)}


def _of_overlord(sums: PairSums, number: int, overlord: str, quantity: int, other: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the sums of an overlord against each rival, and the numbers of the match-ups. `other`: the quantity that is the same for the second named."""
    rows, at = [], []
    for m, (a, b) in enumerate(sums.match_ups):
        if a == b or overlord not in (a, b):
            continue
        rows.append(sums.sums[number, m, quantity] if overlord == a else turned(sums.sums[number, m, other]))
        at.append(m)
    return np.array(rows).reshape(-1, 3), np.array(at, int)


def overlords_of(sums: PairSums) -> list[str]:
    """Return all overlords that played."""
    return sorted({name for match_up in sums.match_ups for name in match_up})


def overlords_table(sums: PairSums, source: Source, groups: Groups, margin: float, looks: Looks) -> pl.DataFrame:
    """Return the table that says whether an overlord is too strong: its rate, every rival with the same weight, mirrors left out."""
    rows: list[list[tuple[Row, Rate]]] = []
    for number, group in enumerate(groups.names):
        rows.append([])
        for overlord in overlords_of(sums):
            cells, at = _of_overlord(sums, number, overlord, BOTH, BOTH)
            rate = rate_of(cells, looks)
            if not rate.n:
                continue
            pairs = int(sums.pairs[number, at].sum())
            card = source.card(overlord)
            drawn = 50 * int(sums.drawn[number, at].sum()) / max(1, pairs)
            about_it = {
                "group": group,
                "overlord": overlord,
                "faction": card.faction.label if card.faction else "",
                "rivals": len(at),
                "drawn": drawn,
            }
            rows[-1].append((about_it | points(rate) | {"pairs": pairs, "games": 2 * pairs}, rate))
    return table("overlords", judged(rows, groups, margin, looks), more_games=pl.Int64)


def matchups_table(sums: PairSums, groups: Groups, margin: float, looks: Looks) -> pl.DataFrame:
    """Return the table that says how A fares against B. Both seats together are judged; each seat is there to look at."""
    rows: list[list[tuple[Row, Rate]]] = []
    extra: dict[tuple[str, str, str], list[Row]] = {}
    for number, group in enumerate(groups.names):
        rows.append([])
        for m, (a, b) in enumerate(sums.match_ups):
            if a == b or not sums.pairs[number, m]:
                continue
            pairs = int(sums.pairs[number, m])
            common = {"group": group, "pairs": pairs, "drawn": 50 * int(sums.drawn[number, m]) / pairs, "games": 2 * pairs}
            both = rate_of(sums.sums[number, m, BOTH], looks)
            rows[-1].append((common | {"overlord": a, "rival": b, "seat": "both"} | points(both), both))
            others = extra[group, a, b] = []
            for quantity, seat, seat_of_rival in ((AS_FIRST, "first", "second"), (AS_SECOND, "second", "first")):
                others.append(common | {"overlord": a, "rival": b, "seat": seat} | points(rate_of(sums.sums[number, m, quantity], looks)))
                others.append(common | {"overlord": b, "rival": a, "seat": seat_of_rival} | points(rate_of(turned(sums.sums[number, m, quantity]), looks)))
    found = []
    for row in judged(rows, groups, margin, looks):
        back = row | {"overlord": row["rival"], "rival": row["overlord"], "rate": 100 - row["rate"], "low": 100 - row["high"], "high": 100 - row["low"]}
        found += [row, back, *extra[row["group"], row["overlord"], row["rival"]]]
    return table("matchups", found, more_games=pl.Int64, p=pl.Float64)


def seats_table(sums: PairSums, groups: Groups, margin: float, looks: Looks) -> pl.DataFrame:
    """Return the table that says whether going first pays: overall (match-ups weigh the same, mirrors out if there is else), by match-up, by who goes first."""
    rows: list[list[tuple[Row, Rate]]] = []
    extra: list[Row] = []
    for number, group in enumerate(groups.names):
        played = np.flatnonzero(sums.pairs[number])
        plain = np.array([m for m in played if sums.match_ups[m][0] != sums.match_ups[m][1]] or played, int)
        overall = rate_of(sums.sums[number, plain, GOING_FIRST], looks)
        pairs = int(sums.pairs[number, plain].sum())
        rows.append([({"group": group, "overlord": "", "rival": "", "pairs": pairs, "games": 2 * pairs} | points(overall), overall)])
        for m in played:
            a, b = sums.match_ups[m]
            rate = rate_of(sums.sums[number, m, GOING_FIRST], looks)
            extra.append({"group": group, "overlord": a, "rival": b, "pairs": int(sums.pairs[number, m])} | points(rate))
        for overlord in overlords_of(sums):
            cells, at = _of_overlord(sums, number, overlord, AS_FIRST, AS_SECOND)
            if sums.pairs[number, at].sum():
                extra.append({"group": group, "overlord": overlord, "rival": "", "pairs": int(sums.pairs[number, at].sum())} | points(rate_of(cells, looks)))
    return table("seats", judged(rows, groups, margin, looks) + extra, more_games=pl.Int64, p=pl.Float64)


def strategies_table(sums: PairSums, groups: Groups, looks: Looks) -> pl.DataFrame:
    """Return the table of strategy against strategy, where two met."""
    rows: list[Row] = []
    for number in groups.single:
        one, other = groups.strategies[number]
        if one == other:
            continue
        played = np.flatnonzero(sums.pairs[number])
        cells = sums.sums[number, played, STRATEGY]
        pairs = int(sums.pairs[number, played].sum())
        rows.append({"strategy": one, "rival_strategy": other, "pairs": pairs} | points(rate_of(cells, looks)))
        rows.append({"strategy": other, "rival_strategy": one, "pairs": pairs} | points(rate_of(turned(cells), looks)))
    return table("strategies", rows, strategy=pl.String, rival_strategy=pl.String, rate=pl.Float64, low=pl.Float64, high=pl.Float64, pairs=pl.Int64)


def influences_table(sums: InfluenceSums, source: Source, groups: Groups, looks: Looks) -> pl.DataFrame:
    """Return the share that each choice of Influence cards wins, against the overlord's other choices: due to the cards only if they are drawn by lot."""
    rows: list[Row] = []
    randomised = all(run.plan.influences == "all" for run in source.runs)
    for number, group in enumerate(groups.names):
        if group == ALL and len(groups.single) > 1 and not randomised:
            continue  # strategies choose differently: over all of them, who chose and what was chosen could not be told apart
        tests: list[tuple[Row, float]] = []
        for own, overlord in enumerate(sums.overlords):
            mine = {(taken, rival): cell for (g, o, taken, rival), cell in sums.sums.items() if (g, o) == (number, own) and rival != own}
            choices = sorted({taken for taken, _ in mine})
            total = sum(cell[0] for cell in mine.values())
            rates = {taken: rate_of(np.array([cell for (t, _), cell in mine.items() if t == taken]), looks) for taken in choices}
            for taken in choices:
                n = rates[taken].n
                rest = [rates[t] for t in choices if t != taken]
                row = {
                    "group": group,
                    "overlord": overlord,
                    "influences": source.influences[taken],
                    "pairs": n,
                    "share": 100 * n / total,
                    "randomised": randomised,
                }
                tests.append((row | points(rates[taken]), _difference_p(rates[taken], rest, looks)))
        corrected = holm(np.array([p for _, p in tests]))
        rows += [row | {"p": float(p)} for (row, _), p in zip(tests, corrected, strict=True)]
    return table("influences", rows, p=pl.Float64)


def _difference_p(one: Rate, rest: list[Rate], looks: Looks) -> float:
    """Return the chance of such a difference from the mean of the others if there were none. They are different deals, so independent."""
    if not rest or not one.n:
        return 1.0
    mean = sum(rate.share for rate in rest) / len(rest)
    se = (one.se**2 + sum(rate.se**2 for rate in rest) / len(rest) ** 2) ** 0.5
    return float(looks.p((one.share - mean) / se)) if se else 1.0
