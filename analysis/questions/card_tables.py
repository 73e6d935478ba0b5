"""What cards are worth: access values from the lottery with classes and ranks, the cost curve; beside them, as associations, who buys what and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from terrors.analysis.contract.findings_schema import (
    BOMB,
    DEAD,
    FAIR,
    FINE,
    IN_LINE,
    OVERPRICED,
    SLEEPER,
    STRONG,
    TOO_STRONG,
    TOO_WEAK,
    TRAP,
    UNDECIDED,
    UNDERPRICED,
    WEAK,
)
from terrors.analysis.contract.groups import group_name
from terrors.analysis.contract.margins import Margins
from terrors.analysis.contract.sentences import about
from terrors.analysis.questions.lottery import Fit, Level, Second
from terrors.analysis.questions.matchups import Groups, Row, table
from terrors.analysis.source.source import Source
from terrors.analysis.source.withheld import Withheld, columns_of, copies_of, weighed
from terrors.analysis.stats.intervals import Looks, benjamini_hochberg, rank_intervals, shrink
from terrors.analysis.verdicts.judge import LEVEL, Judgement, access_margin, judge, one_side
from terrors.simulator.terms.enums import CardType

OFTEN = 50.0  # bought in at least so many of 100 games in which it could be: often
RARELY = 20.0  # in at most so many: ignored
HARDLY_EVER = 5.0  # in at most so many: left alone
SMALL = 12  # kinds of cards in the market: with fewer, to be denied any of them hurts
LEAST = 1.0  # points: less makes no practical difference, whatever the test says
FIRST_STAGE_Z = 4.0  # a denial must change purchases so clearly before a value is divided by the change


@dataclass(frozen=True)
class Habit:
    """The ways in which players deal with a card: associations."""

    seen: float
    affordable: float
    bought_when_affordable: float | None
    first_turn: float | None
    bought: float
    rate_when_bought: float | None


def habits(source: Source, headline: str) -> dict[tuple[str, str], Habit]:
    """Return the habits by group and card: sums of the runs' small card tables, of the source's cells; in the headline, groups weigh as they have games."""
    frames = []
    names = ("first_overlord", "second_overlord", "first_strategy", "second_strategy")
    cells = {(cell.a, cell.b, cell.a_strategy, cell.b_strategy) for cell in source.cells}
    cells |= {(b, a, t, s) for a, b, s, t in cells}
    wanted = pl.DataFrame(sorted(cells), schema=dict.fromkeys(names, pl.String), orient="row")
    for run in source.runs:
        frame = run.cards.collect().with_columns(pl.col(names).cast(pl.String)).join(wanted, on=names, how="semi")
        columns = [pl.col(name).cast(pl.String) for name in ("first_strategy", "second_strategy", "card")]
        sums = [
            pl.col(name).sum() for name in ("games", "games_seen", "games_affordable", "games_bought", "bought", "first_bought_turns", "points_when_bought")
        ]
        frames.append(frame.group_by(columns).agg(sums))
    found: dict[tuple[str, str], np.ndarray] = {}
    for row in pl.concat(frames).iter_rows():
        one, other, card, *numbers = row
        for group in (group_name(one, other), headline):
            found[group, card] = found.get((group, card), 0) + np.array(numbers, float)
    return {key: _habit(*numbers) for key, numbers in found.items()}


def _habit(games: float, seen: float, affordable: float, games_bought: float, bought: float, turns: float, points: float) -> Habit:
    some = games_bought > 0
    when_affordable = min(100.0, 100 * games_bought / affordable) if affordable else None  # a card that nobody could pay for may be got for nothing
    return Habit(
        100 * seen / games, 100 * affordable / games, when_affordable, turns / games_bought if some else None,
        bought / games, 50 * points / games_bought if some else None,
    )  # fmt: skip


def card_class(state: str, value: float, q: float, per_purchase: tuple[float, float] | None, habit: Habit | None, bomb: bool = False) -> str:
    """Return the class of a card: what a designer should call it.

    bomb      a purchase is worth more than a bound, whatever access is worth
    strong    access is worth more than the margin
    trap      players who may buy it do worse, and they do buy it
    weak      players who may buy it do worse, or denying it is a favour beyond the margin
    sleeper   hardly anybody buys it, players who may do better, and those copies that the lottery moves are worth having
    dead      players leave it although they can pay for it, and lose nothing by that
    fine      the value is within the margin, for certain
    """
    buys = 0.0 if habit is None or habit.bought_when_affordable is None else habit.bought_when_affordable
    hurts, helps = (q <= LEVEL and sign * value > 0 for sign in (-1, 1))
    if bomb:
        return BOMB
    if state == TOO_STRONG:
        return STRONG
    if (hurts and value <= -LEAST) or state == TOO_WEAK:
        return TRAP if buys >= OFTEN else WEAK
    if helps and buys <= RARELY and per_purchase is not None and per_purchase[0] > LEAST:
        return SLEEPER
    if state == FAIR and habit is not None and habit.affordable >= RARELY and buys <= HARDLY_EVER and not helps:
        return DEAD
    return FINE if state == FAIR else UNDECIDED


@dataclass
class CardRows:
    """The columns of what one group's regression says, in points."""

    value: np.ndarray
    se: np.ndarray
    per: np.ndarray
    per_se: np.ndarray
    sure: np.ndarray  # whether a denial clearly changes purchases
    known: np.ndarray  # whether anything is said about a card


def in_points(fit: Fit, cards: Sequence[str] = (), withheld: Withheld | None = None) -> CardRows:
    """Return shares as points. `withheld`: games in which these cards were withheld from their buyers count too, each measurement as it is certain."""
    with np.errstate(invalid="ignore", divide="ignore"):
        sure = fit.known & (fit.moved / fit.moved_se > FIRST_STAGE_Z)
    value, se, per, per_se, known = fit.value, fit.se, fit.per_purchase, fit.per_purchase_se, fit.known
    if withheld is not None:
        value, se = weighed((value, np.where(known, se, np.inf)), columns_of(withheld, cards))
        per, per_se = weighed((per, np.where(sure, per_se, np.inf)), copies_of(withheld, cards))
        known, sure = np.isfinite(se) & (se > 0), np.isfinite(per_se)
    return CardRows(100 * value, 100 * se, 100 * per, 100 * per_se, sure, known)


def with_replays(levels: list[Level], cards: Sequence[str], withheld: Withheld) -> list[Level]:
    """Return the values by overlord and seat with what games say in which a card was withheld from its buyer, each measurement as it is certain."""
    found = []
    for by in dict.fromkeys(level.by for level in levels):
        mine = [level for level in levels if level.by == by]
        others = [columns_of(withheld, cards, (by, level.level)) for level in mine]
        with np.errstate(invalid="ignore", divide="ignore"):
            own = [np.where(level.se > 0, 1 / level.se**2, 0) for level in mine]
            share = np.array([np.nan_to_num(one / (one + 1 / se**2)) for one, (_, se) in zip(own, others, strict=True)])  # of the lottery
        for at, level in enumerate(mine):
            value, se = others[at]
            covariance = share[at] * share * level.covariance
            covariance[at] += np.where(np.isfinite(se), ((1 - share[at]) * np.where(np.isfinite(se), se, 0)) ** 2, 0)
            found.append(replace(level, value=share[at] * level.value + (1 - share[at]) * value, covariance=covariance))
    return found


def cards_table(source: Source, second: Second, groups: Groups, margins: Margins, looks: Looks, withheld: Withheld | None = None) -> pl.DataFrame:
    """Return the table of cards, a row for each group and card. `withheld`: what games say in which cards were withheld; they are in the best hands."""
    headline = groups.names[-1]
    known_habits, fits = habits(source, headline), second.fits()
    allowed = access_margins(source, margins.card)
    rows: list[Row] = []
    for family in groups.families():
        replays = (withheld or Withheld()) if family == [len(groups.names) - 1] else None
        columns = [in_points(fits[number], source.market, replays) for number in family]
        value, se, bound = (np.concatenate([part[one.known] for one, part in zip(columns, parts, strict=True)]) for parts in
                            ([one.value for one in columns], [one.se for one in columns], [allowed for _ in columns]))  # fmt: skip
        q = benjamini_hochberg(looks.p(value / se))
        shift = np.concatenate([np.full(int(one.known.sum()), _mean_card(one)) for one in columns])
        verdicts = judge(value - shift, se, bound, looks, correct=benjamini_hochberg)
        bombs = _bombs(columns, margins.bomb, looks)
        done = 0
        for number, one in zip(family, columns, strict=True):
            mine = slice(done, done := done + int(one.known.sum()))
            judged = _Judged(q[mine], verdicts[mine], bombs[mine], bound[mine], float(shift[mine][0]) if one.known.any() else 0.0)
            levels = second.by_level(number) if replays is None else with_replays(second.by_level(number), source.market, replays)
            rows += _group_rows(source, fits[number], one, judged, groups.names[number], known_habits, looks, levels, replays)
            rows += _association_rows(source, groups.names[number], known_habits, ~one.known)
    return table("cards", rows, **_TYPES)


@dataclass
class _Judged:
    """The verdicts on the cards of one group, and what they were judged by."""

    q: np.ndarray
    verdicts: list[Judgement]
    bombs: np.ndarray
    margin: np.ndarray
    mean: float  # of all cards, if the set is so small that they are judged beside it


def access_margins(source: Source, margin: float) -> np.ndarray:
    """Return the margin of each card's access value, in proportion to its copies (judge.access_margin)."""
    copies = [source.card(name).copies for name in source.market]
    return np.array([access_margin(margin, own, copies) for own in copies])


def _mean_card(columns: CardRows) -> float:
    """Return the value of the mean card in a small set, beside which cards are judged there; 0 in a usual one."""
    return float(columns.value[columns.known].mean()) if 0 < len(columns.known) < SMALL and columns.known.any() else 0.0


def _bombs(columns: list[CardRows], bound: float, looks: Looks) -> np.ndarray:
    """Return which cards' purchases are worth more than a bound, corrected for the number of cards."""
    per, se, sure = (np.concatenate([getattr(one, name)[one.known] for one in columns]) for name in ("per", "per_se", "sure"))
    p = np.ones(len(per))
    with np.errstate(invalid="ignore", divide="ignore"):
        p[sure] = one_side(looks, (per[sure] - bound) / se[sure])
    return benjamini_hochberg(p) <= LEVEL


_FLOATS = ("value", "low", "high", "p", "q", "shrunk", "per_purchase", "per_purchase_low", "per_purchase_high", "purchases_moved", "expected", "surplus",
           "surplus_low", "surplus_high", "seen", "affordable", "bought_when_affordable", "first_turn", "bought", "rate_when_bought", "margin", "relative",
           "copy_expected", "copy_surplus", "copy_surplus_low", "copy_surplus_high")  # fmt: skip
_WHOLE = ("cost", "copies", "more_games", "denials", "withheld", "rank", "rank_low", "rank_high")
_TYPES: dict[str, Any] = {
    **dict.fromkeys(_FLOATS, pl.Float64), **dict.fromkeys(_WHOLE, pl.Int64), "outlier": pl.Boolean,
    **dict.fromkeys(("class", "lean", "price", "best_overlord", "worst_overlord"), pl.String),
}  # fmt: skip


def _group_rows(
    source: Source, fit: Fit, columns: CardRows, judged: _Judged, group: str, known_habits: dict[tuple[str, str], Habit], looks: Looks, levels: list[Level],
    withheld: Withheld | None = None,
) -> list[Row]:  # fmt: skip
    at = np.flatnonzero(columns.known)
    z = looks.z()
    value, se = columns.value[at], columns.se[at]
    p = looks.p(value / se)
    shrunk, sd, _, _ = shrink(value, se)
    rank, rank_low, rank_high = rank_intervals(shrunk, sd)
    costs = np.array([_cost(source, int(c)) for c in at], float)
    curve, prices = cost_curve(costs, value, se, looks), _prices(costs, columns, at, looks)
    extremes = overlord_extremes(levels, looks, at)
    withheld = withheld or Withheld()
    rows = []
    for k, c in enumerate(at):
        name = source.market[c]
        habit = known_habits.get((group, name))
        per = (columns.per[c] - z * columns.per_se[c], columns.per[c] + z * columns.per_se[c]) if columns.sure[c] else None
        verdict = judged.verdicts[k]
        row = _facts(source, group, name) | {
            "value": value[k], "low": value[k] - z * se[k], "high": value[k] + z * se[k], "p": float(p[k]), "q": float(judged.q[k]),
            "denials": int(fit.denials[c]), "withheld": withheld.replayed_of(name), "margin": float(judged.margin[k]),
            "relative": value[k] - judged.mean if judged.mean else None,
            "class": card_class(verdict.state, value[k] - judged.mean, judged.q[k], per, habit, bool(judged.bombs[k])),
            "shrunk": shrunk[k], "rank": int(rank[k]), "rank_low": int(rank_low[k]), "rank_high": int(rank_high[k]), "purchases_moved": fit.moved[c],
            **{name: column[k] for name, column in curve.items()}, **prices[k], **extremes.get(int(c), {}),
        }  # fmt: skip
        row["lean"] = verdict.lean if row["class"] == UNDECIDED else ""
        if row["class"] == UNDECIDED and verdict.more is not None:
            row["more_games"] = about(verdict.more * (fit.games + withheld.replayed))
        if per:
            row |= {"per_purchase": columns.per[c], "per_purchase_low": per[0], "per_purchase_high": per[1]}
        rows.append(row | (vars(habit) if habit else {}))
    return rows


def _prices(costs: np.ndarray, columns: CardRows, at: np.ndarray, looks: Looks) -> list[Row]:
    """Return the second verdict on each card: what a copy is worth against what copies of that cost are worth, where purchases tell."""
    sure = np.flatnonzero(columns.sure[at])
    curve = cost_curve(costs[sure], columns.per[at][sure], columns.per_se[at][sure], looks)
    found: list[Row] = [{"price": ""} for _ in at]
    for k, one in enumerate(sure):
        if curve["surplus"][k] is None:
            continue
        price = (UNDERPRICED if curve["surplus"][k] > 0 else OVERPRICED) if curve["outlier"][k] else IN_LINE
        found[one] = {"price": price, **{f"copy_{name}": curve[name][k] for name in ("expected", "surplus", "surplus_low", "surplus_high")}}
    return found


def association_rows(source: Source, groups: Groups) -> pl.DataFrame:
    """Return the table of a run without a lottery: what is bought, and nothing about what it is worth."""
    known, all_cards = habits(source, groups.names[-1]), np.ones(len(source.market), bool)
    return table("cards", [row for group in groups.names for row in _association_rows(source, group, known, all_cards)], **_TYPES)


def _association_rows(source: Source, group: str, known: dict[tuple[str, str], Habit], wanted: np.ndarray) -> list[Row]:
    cards = [source.market[c] for c in np.flatnonzero(wanted)]
    return [_facts(source, group, card) | vars(known[group, card]) for card in cards if (group, card) in known]


def _facts(source: Source, group: str, name: str) -> Row:
    card = source.card(name)
    return {
        "group": group,
        "card": name,
        "faction": card.faction.label,
        "type": CardType(card.type).name.capitalize(),
        "cost": card.cost,
        "copies": card.copies,
    }


def _cost(source: Source, c: int) -> float:
    cost = source.card(source.market[c]).cost
    return np.nan if cost is None else float(cost)


def cost_curve(cost: np.ndarray, value: np.ndarray, se: np.ndarray, looks: Looks) -> Row:
    """Return value against cost: a line through all cards, each weighted by how well it is known and how much cards scatter anyhow; who stands out is named.

    The scatter around the line is found as in `shrink`; the surplus of a card is compared with scatter and error together.
    """
    usable = np.isfinite(cost)
    empty = {"expected": np.full(len(cost), None), "surplus": np.full(len(cost), None), "surplus_low": np.full(len(cost), None),
             "surplus_high": np.full(len(cost), None), "outlier": np.full(len(cost), None)}  # fmt: skip
    if usable.sum() < 4 or len(np.unique(cost[usable])) < 2:
        return empty
    x = np.stack([np.ones(len(cost)), np.where(usable, cost, 0)], 1)[usable]
    y, variance = value[usable], se[usable] ** 2

    def line(scatter: float) -> tuple[np.ndarray, float]:
        weights = 1 / (variance + scatter)
        beta = np.linalg.solve(x.T @ (x * weights[:, None]), x.T @ (weights * y))
        return beta, float((weights * (y - x @ beta) ** 2).sum()) - (len(y) - 2)

    low, high = 0.0, float(y.var()) * len(y) / (len(y) - 2) + float(variance.max())
    if line(0.0)[1] <= 0:
        high = 0.0
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):  # there is no number between them
            break
        low, high = (middle, high) if line(middle)[1] > 0 else (low, middle)
    beta = line(high)[0]
    surplus = y - x @ beta
    spread = np.sqrt(variance + high)
    q = benjamini_hochberg(looks.p(surplus / np.maximum(spread, 1e-12)))
    z = looks.z()
    filled = {name: column.copy() for name, column in empty.items()}
    for name, column in (("expected", x @ beta), ("surplus", surplus), ("surplus_low", surplus - z * se[usable]), ("surplus_high", surplus + z * se[usable])):
        filled[name][usable] = column
    filled["outlier"][usable] = [bool(one <= LEVEL) for one in q]
    return filled


def overlord_extremes(levels: list[Level], looks: Looks, at: np.ndarray) -> dict[int, Row]:
    """Return the overlords with whom a card is worth most and least, where they clearly differ (a chi-squared test, corrected over the cards `at`)."""
    mine = [level for level in levels if level.by == "overlord"]
    if len(mine) < 2:
        return {}
    tests: dict[int, tuple[float, list[int]]] = {}
    for c in at:
        there = [k for k, level in enumerate(mine) if level.se[c] > 0]
        if len(there) > 1:
            values = np.array([mine[k].value[c] for k in there])
            covariance = np.array([mine[k].covariance[there, c] for k in there])
            apart = np.diff(np.eye(len(there)), axis=0)  # each against the next: they are all alike if these differences are 0
            gaps = apart @ values
            squares = gaps @ np.linalg.pinv(apart @ covariance @ apart.T, hermitian=True) @ gaps
            tests[int(c)] = float(looks.p_squares(squares, len(there) - 1)), there
    found = {}
    for c, q in zip(tests, benjamini_hochberg(np.array([p for p, _ in tests.values()])), strict=True):
        if q <= LEVEL:
            order = sorted(tests[c][1], key=lambda k: mine[k].value[c])
            found[c] = {"best_overlord": mine[order[-1]].level, "worst_overlord": mine[order[0]].level}
    return found


def cards_by_table(source: Source, second: Second, groups: Groups, looks: Looks, withheld: Withheld | None = None) -> pl.DataFrame:
    """Return access values by overlord, seat, and early or late in the Market. p: against the card's value at the other levels."""
    rows: list[Row] = []
    z = looks.z()
    for number, group in enumerate(groups.names):
        levels, known = second.by_level(number), second.lottery.known(number)
        if number == len(groups.names) - 1:
            levels = with_replays(levels, source.market, withheld or Withheld())
            known = known | np.isfinite(columns_of(withheld or Withheld(), source.market)[1])
        tests: list[tuple[Row, float]] = []
        for level in levels:
            others = [other for other in levels if other.by == level.by and other is not level]
            for c, name in enumerate(source.market):
                if not known[c] or not level.se[c] > 0:
                    continue
                value, se = 100 * level.value[c], 100 * level.se[c]
                row = {"group": group, "card": name, "by": level.by, "level": level.level, "value": value, "low": value - z * se, "high": value + z * se}
                tests.append((row, _against_others(c, level, others, looks)))
        corrected = benjamini_hochberg(np.array([p for _, p in tests]))
        rows += [row | {"p": p, "q": float(q)} for (row, p), q in zip(tests, corrected, strict=True)]
    return table("cards_by", rows)


def _against_others(c: int, level: Level, others: list[Level], looks: Looks) -> float:
    """Return the chance of such a difference from the mean of the other levels if there were none. Overlords share deals, so values are not independent."""
    rest = [other for other in others if other.se[c] > 0]
    if not rest:
        return 1.0
    weight = np.zeros(len(level.covariance))
    weight[level.at] = 1
    weight[[other.at for other in rest]] = -1 / len(rest)
    gap = level.value[c] - sum(other.value[c] for other in rest) / len(rest)
    variance = sum(weight[one.at] * float(weight @ one.covariance[:, c]) for one in (level, *rest))
    return float(looks.p(gap / variance**0.5)) if variance > 0 else 1.0


def pairs_table(source: Source, second: Second, looks: Looks, most: int = 400) -> pl.DataFrame:
    """Return cards that are worth more together, and cards that are good against others; the clearest ones. Corrected over all pairs, shown or not."""
    found: list[tuple[Row, float]] = []
    z = looks.z()
    for kind, name in enumerate(("synergy", "counter")):
        terms = second.terms(kind)
        i, j = np.triu_indices(len(source.market), 1)
        known = second.lottery.known(-1)
        usable = (terms.denials[i, j] > 0) & (terms.se[i, j] > 0) & known[i] & known[j]
        i, j = i[usable], j[usable]
        value, se = 100 * terms.value[i, j], 100 * terms.se[i, j]
        shrunk = _towards_nothing(value, se)
        p = looks.p(value / se)
        for k in range(len(i)):
            one, other, sign = (i[k], j[k], 1) if kind == 0 or value[k] >= 0 else (j[k], i[k], -1)
            low, high = sorted((sign * (value[k] - z * se[k]), sign * (value[k] + z * se[k])))
            row = {"card": source.market[one], "other": source.market[other], "kind": name, "value": sign * value[k], "low": low, "high": high}
            found.append((row | {"p": float(p[k]), "shrunk": sign * shrunk[k], "denials": int(terms.denials[i[k], j[k]])}, float(p[k])))
    corrected = benjamini_hochberg(np.array([p for _, p in found]))
    rows = sorted((row | {"q": float(q)} for (row, _), q in zip(found, corrected, strict=True)), key=lambda row: (row["p"], row["card"], row["other"]))
    types = dict.fromkeys(("value", "low", "high", "p", "q", "shrunk", "confirmed", "confirmed_low", "confirmed_high", "granted", "granted_low",
                           "granted_high"), pl.Float64)  # fmt: skip
    return table("card_pairs", rows[:most], denials=pl.Int64, card=pl.String, other=pl.String, kind=pl.String, **types)


def _towards_nothing(value: np.ndarray, se: np.ndarray) -> np.ndarray:
    """Return values drawn towards 0: most pairs of cards have nothing to do with each other."""
    spread = max(0.0, float((value**2 - se**2).mean())) if len(value) else 0.0
    return value * spread / (spread + se**2)
