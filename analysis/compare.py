"""Two runs, before and after a change: differences of every headline, deal by deal where both played the same luck, and verdicts before and after.

Two runs with the same seed have the same deals (keyed luck), and what the change does not touch stays as it was: the difference of each deal is far less noisy
than that of two separate batches. Runs with other seeds are compared as such, and it says so.

The headline is in the best hands before and after (questions/best_hands.py): its draws weigh the same deals alike in both runs, so that the difference of the
draws is the difference deal by deal, whoever was chosen. Verdicts are those that the report of each run shows, by the same judge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from terrors.analysis.contract.analysis_files import read_table
from terrors.analysis.contract.groups import ALL, BEST, HEADLINES
from terrors.analysis.contract.margins import Margins
from terrors.analysis.contract.sentences import interval, number
from terrors.analysis.questions.best_hands import COUNTED, BestHands, MatchUp
from terrors.analysis.questions.hands_tables import contradict
from terrors.analysis.questions.headline import Headline, headline_of
from terrors.analysis.source.pair_sums import BOTH, GOING_FIRST, PairSums
from terrors.analysis.source.source import Source, readable
from terrors.analysis.stats.intervals import Looks, holm
from terrors.analysis.verdicts.judge import sized
from terrors.simulator.cards.card import COLUMNS, cells_of
from terrors.simulator.cards.card_set import Card
from terrors.simulator.terms.errors import AnalysisError

KEYS = ["seed", "group", "a", "b"]
COMPARISON: dict[str, str] = {
    "family": "overlords, matchups or first",
    "group": "who decided, or all groups with equal weights",
    "overlord": "the overlord; empty for going first",
    "rival": "the rival; empty: all of them with equal weights",
    "before": "games won of 100 before the change",
    "after": "and after it",
    "difference": "points more",
    "low": "where its 95 % interval begins",
    "high": "where it ends",
    "p": "chance of such a difference if there were none, corrected within group and family (Holm)",
    "deals": "deals that it was taken from",
    "verdict_before": "the verdict before the change",
    "verdict_after": "and after it; with a lean, where it is undecided",
}


@dataclass
class Comparison:
    """The differences between two runs."""

    before: Source
    after: Source
    paired: float  # share of the deals that both have
    table: pl.DataFrame
    cards: pl.DataFrame | None  # access values before and after
    changes: list[str] = field(default_factory=list)  # cards and rules, in sentences

    def as_data(self) -> dict[str, Any]:
        """Return the comparison as JSON knows it."""
        return {
            "before": [run.folder.address for run in self.before.runs], "after": [run.folder.address for run in self.after.runs], "paired": self.paired,
            "changes": self.changes, "differences": self.table.to_dicts(), "cards": self.cards.to_dicts() if self.cards is not None else [],
            "sentences": sentences(self),
        }  # fmt: skip


def deal_shares(source: Source, common: Sequence[str]) -> pl.DataFrame:
    """Return by deal and group the share of the match-up's first overlord, and of who went first. `common`: the groups that both runs have."""
    sums, pieces = PairSums.of(source), []
    for block in source.blocks():
        legs = block.points.reshape(-1, 2)
        cell, deal = block.cell[::2], block.deal[::2]
        frame = pl.DataFrame(
            {
                "seed": block.deal_seed[deal],
                "group": sums.group_of[cell],
                "match": sums.match_up_of[cell],
                "both": (legs[:, 0] + 1 - legs[:, 1]) / 2,
                "first": legs.mean(1),
            }
        )
        pieces.append(frame.group_by("seed", "group", "match").mean())
    names = pl.DataFrame({"match": np.arange(len(sums.match_ups)), "a": [a for a, _ in sums.match_ups], "b": [b for _, b in sums.match_ups]})
    groups = pl.DataFrame({"group": np.arange(len(source.groups)), "name": source.groups})
    found = (
        pl.concat(pieces)
        .join(names, on="match")
        .join(groups, on="group")
        .filter(pl.col("name").is_in(common))
        .select("seed", pl.col("name").alias("group"), "a", "b", "both", "first")
    )
    whole = found.group_by("seed", "a", "b").agg(pl.col("both", "first").mean()).with_columns(group=pl.lit(ALL)).select(found.columns)
    return pl.concat([found, whole])


def compare(before: Source, after: Source, cards: tuple[pl.DataFrame | None, pl.DataFrame | None] = (None, None), margins: Margins | None = None) -> Comparison:
    """Return what changed from one run to the other. `cards`: the tables of their analyses, if there are any."""
    groups = [group for group in before.groups if group in after.groups]
    if not groups:
        raise AnalysisError(
            f"{before.runs[0].folder.address} and {after.runs[0].folder.address} have no strategies in common ({', '.join(before.groups)}; "
            f"{', '.join(after.groups)}): "
            "nothing in them can be compared; simulate both with the same --strategies."
        )
    with readable(f"{before.runs[0].folder.address} or {after.runs[0].folder.address}"):
        paired, table, _ = compared(before, after, margins or Margins(), (_opinion(before), _opinion(after)))
    if table.is_empty():
        raise AnalysisError(
            f"{before.runs[0].folder.address} and {after.runs[0].folder.address} have no match-up in common: nothing in them can be compared; "
            "simulate both with the same --overlords."
        )
    return Comparison(before, after, paired, table, _card_differences(*cards), changes(before, after))


def _opinion(source: Source) -> pl.DataFrame | None:
    """Return what the strongest slow pilot thought of a run, if its analysis has that: a comparison shows the verdicts of the reports."""
    return read_table(source.runs[0].folder, "second_opinion")


def compared(
    before: Source, after: Source, margins: Margins, opinions: tuple[pl.DataFrame | None, pl.DataFrame | None] = (None, None)
) -> tuple[float, pl.DataFrame, tuple[Headline, Headline]]:  # fmt: skip
    """Return the share of deals that both have, the table of differences (empty if they have no match-up in common), and who wins before and after."""
    headlines = headline_of(before, margins), headline_of(after, margins)
    for headline, opinion in zip(headlines, opinions, strict=True):
        contradict(headline.tables, opinion)
    common = [group for group in before.groups if group in after.groups]
    looks = max((before.looks(), after.looks()), key=lambda looks: looks.z())
    paired, rows = differences(deal_shares(headlines[0].source, common), deal_shares(headlines[1].source, common), looks)
    if rows and headlines[0].hands and headlines[1].hands:
        one_pilot = all(len(headline.hands.chosen) == 1 for headline in headlines if headline.hands)  # nothing was chosen: deals tell all
        best = [row | {"group": BEST} for row in rows if row["group"] == ALL]
        best = best if one_pilot else _best_rows(headlines[0].hands, headlines[1].hands, looks, paired > 0)
        rows = best + [row for row in rows if row["group"] != ALL]
    rows = [row | _verdicts(row, *headlines) for row in rows]
    return paired, pl.DataFrame([{name: row[name] for name in COMPARISON} for row in rows], infer_schema_length=None), headlines


def differences(one: pl.DataFrame, two: pl.DataFrame, looks: Looks) -> tuple[float, list[dict[str, Any]]]:
    """Return the share of deals that both sides have, and the differences: deal by deal if most deals are the same. `one`, `two`: from `deal_shares`."""
    one, two = one.join(two, on=KEYS[1:], how="semi"), two.join(one, on=KEYS[1:], how="semi")
    both = one.join(two, on=KEYS, suffix="_after")
    paired = len(both) / max(1, min(len(one), len(two)))
    rows = [] if one.is_empty() else _paired_rows(both, looks) if paired > 0.5 else _separate_rows(one, two, looks)
    return paired if paired > 0.5 else 0.0, rows


def _best_rows(one: BestHands, two: BestHands, looks: Looks, paired: bool) -> list[dict[str, Any]]:
    """Return the headline before and after: the difference of the values draw by draw, which weigh the same deals alike."""
    found = []

    def add(family: str, overlord: str, rival: str, first: tuple[np.ndarray, list[MatchUp]], second: tuple[np.ndarray, list[MatchUp]]) -> None:
        draws = second[0] - first[0] if paired else np.concatenate([second[0][:1] - first[0][:1], second[0][1:] - np.roll(first[0][1:], 1)])
        deals = sum(m.pairs for m in first[1])
        least = 0.5 / max(1, deals)  # deals that all came out alike do not prove that none differs
        if not paired:
            at = COUNTED.index(GOING_FIRST if family == "first" else BOTH)
            least = sum(float(m.least[at]) ** 2 / len(side) ** 2 for side in (first[1], second[1]) for m in side) ** 0.5
        se = max(float(draws[1:].std()), least)
        found.append(_row(family, BEST, overlord, rival, float(first[0][0]), float(second[0][0]), se, deals, looks))

    add("first", "", "", one.of_first(), two.of_first())
    for overlord in (name for name in one.overlords if name in two.overlords):
        add("overlords", overlord, "", one.of_overlord(overlord), two.of_overlord(overlord))
    after = {(m.a, m.b): m for m in two.plain}
    for m in one.plain:
        if m.a != m.b and (m.a, m.b) in after:
            add("matchups", m.a, m.b, (m.draws[0], [m]), (after[m.a, m.b].draws[0], [after[m.a, m.b]]))
    return _corrected(found)


def _verdicts(row: dict[str, Any], before: Headline, after: Headline) -> dict[str, str]:
    """Return the verdicts that the reports of both runs show on the same question and group."""
    found = {}
    for when, headline in (("before", before), ("after", after)):
        frame = headline.tables["seats" if row["family"] == "first" else row["family"]].filter(group=row["group"], overlord=row["overlord"])
        frame = frame.filter(rival=row["rival"]) if "rival" in frame.columns else frame
        frame = frame.filter(seat="both") if "seat" in frame.columns else frame
        told = frame.select("verdict", "lean").rows()
        found[f"verdict_{when}"] = ", ".join(text for text in told[0] if text) if told else ""
    return found


def _cells(frame: pl.DataFrame, columns: Sequence[str]) -> dict[tuple[str, str, str], np.ndarray]:
    """Return by group and match-up (deals, mean, variance of the mean) of each column."""
    found = {}
    for (group, a, b), part in frame.group_by(["group", "a", "b"], maintain_order=True):
        values = part.select(columns).to_numpy().T
        n = values.shape[1]
        # One deal more that differs by half a game: deals that all came out alike do not prove that none differs.
        variance = (values.var(1) * n + 0.25) / max(1, n) / max(1, n - 1)
        found[str(group), str(a), str(b)] = np.stack([np.full(len(columns), n), values.mean(1), variance], 1)
    return found


def _questions(cells: dict[tuple[str, str, str], np.ndarray]) -> Iterator[tuple[str, str, str, str, list[tuple[tuple[str, str, str], int]]]]:
    """Yield family, group, overlord, rival, and the cells that answer, each with its sign."""
    groups = list(dict.fromkeys(group for group, _, _ in cells))
    for group in groups:
        mine = [key for key in cells if key[0] == group]
        plain = [key for key in mine if key[1] != key[2]]
        yield "first", group, "", "", [(key, 1) for key in plain or mine]
        for overlord in sorted({name for key in plain for name in key[1:]}):
            yield "overlords", group, overlord, "", [(key, 1 if key[1] == overlord else -1) for key in plain if overlord in key[1:]]
        for key in plain:
            yield "matchups", group, key[1], key[2], [(key, 1)]


def _paired_rows(both: pl.DataFrame, looks: Looks) -> list[dict[str, Any]]:
    frame = both.with_columns(d_both=pl.col("both_after") - pl.col("both"), d_first=pl.col("first_after") - pl.col("first"))
    cells = _cells(frame, ["both", "both_after", "d_both", "first", "first_after", "d_first"])
    rows = []
    for family, group, overlord, rival, keys in _questions(cells):
        at = 3 if family == "first" else 0
        columns = np.array([cells[key][at : at + 3] for key, _ in keys])  # by cell, column, (n, mean, variance)
        sign = np.array([sign for _, sign in keys])
        before, after = (float(np.where(sign > 0, columns[:, i, 1], 1 - columns[:, i, 1]).mean()) for i in range(2))
        se = float(columns[:, 2, 2].sum()) ** 0.5 / len(keys)
        rows.append(_row(family, group, overlord, rival, before, after, se, int(columns[:, 0, 0].sum()), looks))
    return _corrected(rows)


def _separate_rows(one: pl.DataFrame, two: pl.DataFrame, looks: Looks) -> list[dict[str, Any]]:
    first, second = _cells(one, ["both", "first"]), _cells(two, ["both", "first"])
    common = {key: first[key] for key in first if key in second}
    rows = []
    for family, group, overlord, rival, keys in _questions(common):
        at = 1 if family == "first" else 0
        sign = np.array([sign for _, sign in keys])
        means, variance = [], 0.0
        for cells in (first, second):
            columns = np.array([cells[key][at] for key, _ in keys])
            means.append(float(np.where(sign > 0, columns[:, 1], 1 - columns[:, 1]).mean()))
            variance += float(columns[:, 2].sum()) / len(keys) ** 2
        deals = int(sum(first[key][0][0] + second[key][0][0] for key, _ in keys))
        rows.append(_row(family, group, overlord, rival, means[0], means[1], variance**0.5, deals, looks))
    return _corrected(rows)


def _row(family: str, group: str, overlord: str, rival: str, before: float, after: float, se: float, deals: int, looks: Looks) -> dict[str, Any]:
    gap, half = 100 * (after - before), 100 * looks.z() * se
    return {
        "family": family, "group": group, "overlord": overlord, "rival": rival, "before": 100 * before, "after": 100 * after, "difference": gap,
        "low": max(-100.0, gap - half), "high": min(100.0, gap + half), "p": float(looks.p(gap / (100 * se))) if se else 1.0, "deals": deals,
    }  # fmt: skip


def _corrected(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for key in {(row["group"], row["family"]) for row in rows}:
        mine = [row for row in rows if (row["group"], row["family"]) == key]
        for row, p in zip(mine, holm(np.array([row["p"] for row in mine])), strict=True):
            row["p"] = float(p)
    return rows


def _card_differences(before: pl.DataFrame | None, after: pl.DataFrame | None) -> pl.DataFrame | None:
    """Return access values before and after. Their errors are taken as independent, which is cautious when both runs have the same lots."""
    if before is None or after is None:
        return None
    columns = ["card", "value", "low", "high", "class"]
    one, two = (frame.filter(pl.col("group").is_in(HEADLINES) & pl.col("value").is_not_null()).select(columns) for frame in (before, after))
    joined = one.join(two, on="card", suffix="_after")
    if joined.is_empty():  # no lottery, or too few games for it
        return None
    half = (((pl.col("high") - pl.col("low")) / 2) ** 2 + ((pl.col("high_after") - pl.col("low_after")) / 2) ** 2).sqrt()
    found = joined.with_columns(difference=pl.col("value_after") - pl.col("value"), half=half)
    return found.select(
        "card", "difference", before="value", after="value_after",
        low=pl.col("difference") - pl.col("half"), high=pl.col("difference") + pl.col("half"), class_before="class", class_after="class_after",
    ).sort(pl.col("difference").abs(), descending=True)  # fmt: skip


def changes(before: Source, after: Source) -> list[str]:
    """Return the differences of the box and the rules, in sentences."""
    one, two = ({card.name: card for card in source.box.cards.cards} for source in (before, after))
    found = [f"{name} is new." for name in two if name not in one] + [f"{name} is gone." for name in one if name not in two]
    for name in two:
        if name in one:
            found += _card_changes(one[name], two[name])
    rules_one, rules_two = (vars(source.box.rules) for source in (before, after))
    found += [f"Rule {name}: {rules_one[name]} → {rules_two[name]}." for name in rules_two if rules_one.get(name) != rules_two[name]]
    for name in ("remove", "deny", "grant"):
        a, b = (tuple(getattr(source.runs[0].plan, name)) for source in (before, after))
        if a != b:
            found.append(f"{name.capitalize()}: {', '.join(a) or 'nothing'} → {', '.join(b) or 'nothing'}.")
    if before.runs[0].info["identity"]["engine"] != after.runs[0].info["identity"]["engine"]:
        found.append("The rules engine is another version: the rules themselves may play differently.")
    ones, others = (source.runs[0].info["identity"]["strategies"] for source in (before, after))
    found += [f"Strategy {name} plays by another file." for name in ones if name in others and ones[name] != others[name]]
    return found


def _card_changes(before: Card, after: Card) -> list[str]:
    one, two = cells_of(before), cells_of(after)
    printed = " (printed: its source says rulebook)" if before.printed else ""
    return [
        f"{before.name}, {column}: {one[column] or 'nothing'} → {two[column] or 'nothing'}{printed}."
        for column in COLUMNS
        if column not in ("source", "note") and one[column] != two[column]
    ]


def sentences(found: Comparison, most: int = 8) -> list[str]:
    """Return what clearly changed, the largest first; or that nothing did."""
    return difference_sentences(found.table, most)


def difference_sentences(table: pl.DataFrame, most: int = 8) -> list[str]:
    """Return what is clear in a table of differences, in sentences, the largest first; or that nothing is."""
    rows = table.filter(pl.col("group").is_in(HEADLINES) & (pl.col("p") <= 0.05)).sort(pl.col("difference").abs(), descending=True).to_dicts()
    if not rows:
        widest = table.filter(pl.col("group").is_in(HEADLINES)).select(((pl.col("high") - pl.col("low")) / 2).max()).item()
        text = number(widest, widest)
        return [f"No difference is clear; every headline is known to ±{text} point{'s' * (text != '1')}."]
    return [_sentence(row) for row in rows[:most]] + ([f"And {len(rows) - most} smaller ones."] if len(rows) > most else [])


def _sentence(row: dict[str, Any]) -> str:
    half = (row["high"] - row["low"]) / 2
    what = {"first": "Going first", "overlords": row["overlord"], "matchups": f"{row['overlord']} against {row['rival']}"}[row["family"]]
    much = interval(row["difference"], row["low"], row["high"], sign=True)
    was, now = row["verdict_before"], row["verdict_after"]
    verdict = "" if not now else f" {was[:1].upper()}{was[1:]} → {now}." if was != now else f" Still {now}."
    return f"{what} wins {number(row['before'], half)} → {number(row['after'], half)} of 100 games: {much}, {sized(row['difference'], 'change')}.{verdict}"


def open_pair(before: str | Path, after: str | Path) -> tuple[Source, Source]:
    """Return two runs to be compared."""
    return Source.open([before]), Source.open([after])
