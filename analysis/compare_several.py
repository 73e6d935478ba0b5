"""Several versions of one game against the first of them: one table, in the best hands and by pilot, with every version's verdict.

Each version is compared with the first as `compare` does it, deal by deal where both played the same luck. What chance alone may show is corrected once more,
for the number of versions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from terrors.analysis.compare import Comparison, compare
from terrors.analysis.contract.groups import HEADLINES, is_mixed
from terrors.analysis.contract.margins import Margins
from terrors.analysis.source.source import Source
from terrors.simulator.terms.errors import AnalysisError

QUESTION = ("family", "group", "overlord", "rival")
FAMILIES = ("overlords", "first", "matchups")  # in the order in which they are told
SEVERAL: dict[str, str] = {
    "version": "its letter; A is the first",
    "run": "its folder",
    "family": "overlords, matchups or first",
    "group": "who decided, or all groups with equal weights",
    "overlord": "the overlord; empty for going first",
    "rival": "the rival; empty: all of them with equal weights",
    "rate": "games won of 100",
    "verdict": "the verdict; with a lean, where it is undecided",
    "difference": "points more than in the first version; empty for the first",
    "low": "where its 95 % interval begins",
    "high": "where it ends",
    "p": "chance of such a difference if there were none, corrected within group and family (Holm) and for the number of versions",
}


def address(source: Source) -> str:
    """Return the folder of a version."""
    return ", ".join(run.folder.address for run in source.runs)


def letter(version: int) -> str:
    """Return the letter of a version: A, B, …, Z, AA, …."""
    return (letter(version // 26 - 1) if version >= 26 else "") + chr(ord("A") + version % 26)


@dataclass
class SeveralCompared:
    """Several versions, each but the first compared with the first."""

    pairs: list[Comparison]

    @property
    def sources(self) -> list[Source]:
        """All versions, the first one first."""
        return [self.pairs[0].before, *(pair.after for pair in self.pairs)]

    @cached_property
    def table(self) -> pl.DataFrame:
        """A row for each question and version (columns: SEVERAL); only what was asked of all of them."""
        found = [{tuple(row[name] for name in QUESTION): row for row in pair.table.to_dicts()} for pair in self.pairs]
        rows, runs = [], [address(source) for source in self.sources]
        questions = sorted((key for key in found[0] if all(key in other for other in found)), key=_told)
        for key in questions:
            shared, first = dict(zip(QUESTION, key, strict=True)), found[0][key]
            nothing = dict.fromkeys(("difference", "low", "high", "p"))
            rows.append(shared | {"version": "A", "run": runs[0], "rate": first["before"], "verdict": first["verdict_before"]} | nothing)
            for number, other in enumerate(found, 1):
                row = other[key]
                much = {name: row[name] for name in ("difference", "low", "high")} | {"p": min(1.0, row["p"] * len(found))}
                rows.append(shared | {"version": letter(number), "run": runs[number], "rate": row["after"], "verdict": row["verdict_after"]} | much)
        return pl.DataFrame([{name: row[name] for name in SEVERAL} for row in rows], infer_schema_length=None)

    def questions(self, by_pilot: bool = False) -> list[list[dict[str, Any]]]:
        """Return what the table says in the best hands, or by who plays both sides: for each question its row of every version."""
        found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        for row in self.table.to_dicts():
            headline = row["group"] in HEADLINES
            if headline is not by_pilot and not is_mixed(row["group"]):
                found.setdefault(tuple(row[name] for name in QUESTION), []).append(row)
        return list(found.values())

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON knows it."""
        versions = [
            {"version": letter(number), "run": address(source), "changes": self.pairs[number - 1].changes if number else [],
             "paired": self.pairs[number - 1].paired if number else None}
            for number, source in enumerate(self.sources)
        ]  # fmt: skip
        return {"versions": versions, "table": self.table.to_dicts()}


def _told(key: tuple[str, ...]) -> tuple[Any, ...]:
    """Return by what questions are ordered: the best hands first, then pilot by pilot; overlords, going first, match-ups."""
    family, group, overlord, rival = key
    return group not in HEADLINES, group, FAMILIES.index(family), overlord, rival


def question_words(row: dict[str, Any]) -> str:
    """Return what a row is about: `Lilith`, `Azazael against Lilith`, `going first`."""
    return "going first" if row["family"] == "first" else row["overlord"] + (f" against {row['rival']}" if row["rival"] else "")


def compare_several(sources: Sequence[Source], margins: Margins | None = None) -> SeveralCompared:
    """Return several versions, each compared with the first. All must have been played by the same strategies, or the best hands would be others each time."""
    first, pilots = sources[0], [list(dict.fromkeys(name for run in source.runs for name in run.plan.strategies)) for source in sources]
    for other, mine in zip(sources[1:], pilots[1:], strict=True):
        if set(mine) != set(pilots[0]):
            raise AnalysisError(
                f"{address(first)} and {address(other)} were played by other strategies ({', '.join(pilots[0])}; {', '.join(mine)}): "
                "several versions are compared in the same hands; simulate all with the same --strategies."
            )
    found = SeveralCompared([compare(first, other, margins=margins) for other in sources[1:]])
    if found.table.is_empty():
        raise AnalysisError("the runs have no match-up that all of them played: simulate all with the same --overlords.")
    return found
