"""Who wins: overlords, match-ups, going first, strategies, Influence cards. Tables from the sums of pairs (pair_sums.py), a row for each group.

The last group is the headline: in the best hands (best_hands.py). Where pilots never met each other, nobody can say whose hands are best: then it is the mean
of all of them, and it is called off balance, or fair, only if it is so with each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from terrors.analysis.contract.columns import ANSWERS, tidy
from terrors.analysis.contract.findings_schema import UNDECIDED
from terrors.analysis.contract.groups import ALL, BEST
from terrors.analysis.contract.sentences import about
from terrors.analysis.questions.best_hands import BestHands, MatchUp, rate_from
from terrors.analysis.source.pair_sums import AS_FIRST, AS_SECOND, BOTH, GOING_FIRST, STRATEGY, InfluenceSums, PairSums, turned
from terrors.analysis.source.source import Source
from terrors.analysis.stats.intervals import Looks, Rate, holm, rate_of
from terrors.analysis.verdicts.judge import LEANS, Judgement, judge, lean_of, worded

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
    """The groups of an analysis by number, the headline last, and which of them have a say where it cannot be told who plays best."""

    def __init__(self, source: Source, casual: Iterable[str], hands: BestHands | None = None) -> None:
        """Number the groups. `casual`: strategies that nobody would call serious. `hands`: who plays best, if that can be told."""
        self.names = [*source.groups, BEST if hands else ALL]
        self.hands = hands
        played = {cell.group: (cell.a_strategy, cell.b_strategy) for cell in source.cells}
        self.strategies = [tuple(sorted(played[name])) for name in source.groups]
        serious = [not set(pair) & set(casual) for pair in self.strategies]
        self.serious = serious if any(serious) else [True] * len(serious)  # if all are casual, they are all there is

    @property
    def single(self) -> list[int]:
        """The numbers of the groups, without the headline."""
        return list(range(len(self.names) - 1))

    def families(self) -> list[list[int]]:
        """Return the groups whose questions are corrected together: all single ones, and the headline by itself."""
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


@dataclass
class Answer:
    """A row of a table, and the rate that is judged."""

    row: Row
    rate: Rate
    luck: float  # standard error of what games mend
    spread: float | None = None  # and of who plays, which they do not

    @classmethod
    def of(cls, row: Row, rate: Rate) -> Answer:
        """Return the answer of one group: all that is uncertain about it is luck."""
        luck = {"luck": 50 * (rate.high - rate.low)} if row["group"] == BEST else {}
        return cls(row | points(rate) | luck, rate, rate.se)

    @classmethod
    def in_best_hands(cls, row: Row, hands: BestHands, found: tuple[np.ndarray, list[MatchUp]], quantity: int, family: str) -> Answer:
        """Return the headline: uncertain by luck, and by which able pilot plays."""
        spread = hands.spread(family)
        rate, luck = rate_from(found[0], found[1], quantity, hands.looks, spread)
        z = hands.looks.z()
        halves = {"luck": 100 * z * luck, "spread": None if spread is None else 100 * z * spread}
        return cls(row | points(rate) | halves | {"pairs": rate.n, "games": 2 * rate.n}, rate, luck, spread)


def judged(rows: list[list[Answer]], groups: Groups, margin: float, looks: Looks, family: str) -> list[Row]:
    """Return rows by group with their verdicts, the rate's gap against the margin, in points."""
    found: list[Row] = []
    single: dict[tuple[str, str], list[str]] = {}
    for numbers in groups.families():
        flat = [answer for number in numbers for answer in rows[number]]
        gaps, lucks, spreads = (np.array([100 * value(one) for one in flat]) for value in (_gap, _luck, _spread))
        verdicts = judge(gaps, lucks, margin, looks, spread=spreads)
        for answer, verdict in zip(flat, verdicts, strict=True):
            key = str(answer.row.get("overlord", "")), str(answer.row.get("rival", ""))
            if answer.row["group"] in groups.names[:-1]:
                if groups.serious[groups.names.index(answer.row["group"])]:
                    single.setdefault(key, []).append(verdict.state)
            elif groups.hands is None and set(single.get(key, [verdict.state])) != {verdict.state}:  # it need be so with each of them
                verdict = replace(verdict, state=UNDECIDED, lean=lean_of(100 * answer.rate.gap, margin), more=None)
            found.append(answer.row | verdict_columns(verdict, family, answer.row["games"]))
    return found


def _gap(answer: Answer) -> float:
    return answer.rate.gap


def _luck(answer: Answer) -> float:
    return answer.luck


def _spread(answer: Answer) -> float:
    return answer.spread or 0.0


def verdict_columns(verdict: Judgement, family: str, games: int) -> Row:
    """Return a verdict as columns."""
    more = None if verdict.more is None else about(verdict.more * games)
    return {"p": verdict.p, "verdict": worded(verdict, family), "lean": verdict.lean, "more_games": more}


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
    rows: list[list[Answer]] = []
    for number, group in enumerate(groups.names):
        rows.append([])
        for overlord in overlords_of(sums):
            cells, at = _of_overlord(sums, number, overlord, BOTH, BOTH)
            rate = rate_of(cells, looks)
            if not rate.n:
                continue
            pairs = int(sums.pairs[number, at].sum())
            card = source.card(overlord)
            about_it = {
                "group": group,
                "overlord": overlord,
                "faction": card.faction.label if card.faction else "",
                "rivals": len(at),
                "drawn": 50 * int(sums.drawn[number, at].sum()) / max(1, pairs),
                "pairs": pairs,
                "games": 2 * pairs,
            }
            if group == BEST and groups.hands and not groups.hands.alone:
                rows[-1].append(Answer.in_best_hands(about_it, groups.hands, groups.hands.of_overlord(overlord), BOTH, "overlords"))
            else:
                rows[-1].append(Answer.of(about_it, rate))
    return table("overlords", judged(rows, groups, margin, looks, "overlords"), **_VERDICT_TYPES)


_VERDICT_TYPES: dict[str, Any] = {"more_games": pl.Int64, "p": pl.Float64, "luck": pl.Float64, "spread": pl.Float64, "lean": pl.String, "verdict": pl.String}


def matchups_table(sums: PairSums, groups: Groups, margin: float, looks: Looks) -> pl.DataFrame:
    """Return the table that says how A fares against B. Both seats together are judged; each seat is there to look at."""
    rows: list[list[Answer]] = []
    extra: dict[tuple[str, str, str], list[Row]] = {}
    hands = groups.hands
    for number, group in enumerate(groups.names):
        rows.append([])
        for m, (a, b) in enumerate(sums.match_ups):
            if a == b or not sums.pairs[number, m]:
                continue
            pairs = int(sums.pairs[number, m])
            common = {"group": group, "pairs": pairs, "drawn": 50 * int(sums.drawn[number, m]) / pairs, "games": 2 * pairs}
            own = {"overlord": a, "rival": b, "seat": "both"}
            valued = next((one for one in hands.match_ups if (one.a, one.b) == (a, b)), None) if hands and group == BEST and not hands.alone else None
            if hands and valued:
                rows[-1].append(Answer.in_best_hands(common | own, hands, (valued.draws[0], [valued]), BOTH, "matchups"))
            else:
                rows[-1].append(Answer.of(common | own, rate_of(sums.sums[number, m, BOTH], looks)))
            others = extra[group, a, b] = []
            for quantity, seat, seat_of_rival in ((AS_FIRST, "first", "second"), (AS_SECOND, "second", "first")):
                others.append(common | {"overlord": a, "rival": b, "seat": seat} | points(rate_of(sums.sums[number, m, quantity], looks)))
                others.append(common | {"overlord": b, "rival": a, "seat": seat_of_rival} | points(rate_of(turned(sums.sums[number, m, quantity]), looks)))
    found = []
    for row in judged(rows, groups, margin, looks, "matchups"):
        back = row | {"overlord": row["rival"], "rival": row["overlord"], "rate": 100 - row["rate"], "low": 100 - row["high"], "high": 100 - row["low"]}
        found += [row, back | {"lean": TURNED.get(row["lean"], row["lean"])}, *extra[row["group"], row["overlord"], row["rival"]]]
    return table("matchups", found, **_VERDICT_TYPES)


TURNED = {LEANS[1]: LEANS[-1], LEANS[-1]: LEANS[1]}


def seats_table(sums: PairSums, groups: Groups, margin: float, looks: Looks) -> pl.DataFrame:
    """Return the table that says whether going first pays: overall (match-ups weigh the same, mirrors out if there is else), by match-up, by who goes first."""
    rows: list[list[Answer]] = []
    extra: list[Row] = []
    for number, group in enumerate(groups.names):
        played = np.flatnonzero(sums.pairs[number])
        plain = np.array([m for m in played if sums.match_ups[m][0] != sums.match_ups[m][1]] or played, int)
        pairs = int(sums.pairs[number, plain].sum())
        about_it = {"group": group, "overlord": "", "rival": "", "pairs": pairs, "games": 2 * pairs}
        if group == BEST and groups.hands and not groups.hands.alone:
            rows.append([Answer.in_best_hands(about_it, groups.hands, groups.hands.of_first(), GOING_FIRST, "first")])
        else:
            rows.append([Answer.of(about_it, rate_of(sums.sums[number, plain, GOING_FIRST], looks))])
        for m in played:
            a, b = sums.match_ups[m]
            rate = rate_of(sums.sums[number, m, GOING_FIRST], looks)
            extra.append({"group": group, "overlord": a, "rival": b, "pairs": int(sums.pairs[number, m])} | points(rate))
        for overlord in overlords_of(sums):
            cells, at = _of_overlord(sums, number, overlord, AS_FIRST, AS_SECOND)
            if sums.pairs[number, at].sum():
                extra.append({"group": group, "overlord": overlord, "rival": "", "pairs": int(sums.pairs[number, at].sum())} | points(rate_of(cells, looks)))
    return table("seats", judged(rows, groups, margin, looks, "first") + extra, **_VERDICT_TYPES)


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
        if number not in groups.single and len(groups.single) > 1 and not randomised:
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
    return float(looks.p((one.share - mean) / se))
