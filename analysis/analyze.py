"""`analyze`: from run folders to RUN/analysis, all questions in two passes over the games.

result = analyze(["runs/base"])          # an Analysis: tables by name, findings
result.write(open_folder("runs/base/analysis"))
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
from threadpoolctl import threadpool_limits

from terrors.analysis.contract.columns import ANSWERS
from terrors.analysis.contract.csv_text import csv_bytes
from terrors.analysis.contract.findings_schema import FORMAT
from terrors.analysis.contract.margins import Margins
from terrors.analysis.feel.feel import feel_of
from terrors.analysis.questions.card_tables import association_rows, cards_by_table, cards_table, pairs_table
from terrors.analysis.questions.lottery import Lottery, Second
from terrors.analysis.questions.matchups import Groups, groups_table, influences_table, matchups_table, overlords_table, seats_table, strategies_table
from terrors.analysis.questions.metagame import metagame_tables
from terrors.analysis.source.pair_sums import InfluenceSums, PairSums
from terrors.analysis.source.source import Source, readable, tallied
from terrors.analysis.verdicts.findings import Finding, card_findings, feel_findings, first_findings, lamps, look_first, matchup_findings, overlord_findings
from terrors.simulator.runs.parquet_tables import parquet
from terrors.simulator.runs.storage import Folder
from terrors.simulator.terms.errors import AnalysisError
from terrors.simulator.terms.text import some

Told = Callable[[str], None]


@dataclass
class Analysis:
    """The answers that the games of some runs give: tables, findings, and what was left out."""

    source: Source
    margins: Margins
    tables: dict[str, pl.DataFrame]
    findings: list[Finding]
    left_out: list[str] = field(default_factory=list)  # what could not be answered, in sentences
    model: dict[str, Any] | None = None  # of the chance to win, for those who draw its curve

    def failed(self, states: Sequence[str]) -> list[Finding]:
        """Return the findings whose state is one of these."""
        return [finding for finding in self.findings if finding.state in states]

    def as_data(self) -> dict[str, Any]:
        """Return the content of findings.json."""
        groups = self.tables["groups"].select("group", "games", "pairs", "serious").to_dicts()
        return {
            "format": FORMAT,
            "runs": [_run_data(run) for run in self.source.runs],
            "groups": groups,
            "stands_on": stands_on(self.source, self.left_out),
            "margins": self.margins.as_data(),
            "lamps": lamps(self.findings),
            "look_first": look_first(self.findings),
            "findings": [finding.as_data() for finding in self.findings],
        }

    def write(self, folder: Folder) -> None:
        """Write everything into a folder; what an earlier analysis left there goes. findings.json goes first and comes last: when it is there, all is there."""
        data = json.dumps(self.as_data(), ensure_ascii=False, indent=1, allow_nan=False).encode()
        with folder.lock():
            folder.remove("findings.json")
            folder.sweep(())
            for name in [file for file in folder.names() if file.rpartition(".")[0] in ANSWERS or file == "chances.json"]:
                folder.remove(name)
            for name, frame in self.tables.items():
                folder.write(f"{name}.csv", csv_bytes(frame))
                folder.write(f"{name}.parquet", parquet(frame))
            if self.model is not None:
                folder.write("chances.json", json.dumps(self.model, allow_nan=False).encode())
            folder.write("findings.json", data)


def analyze(folders: Sequence[str | Path], margins: Margins | None = None, pooled: bool = False, feel: bool = True, tell: Told | None = None) -> Analysis:
    """Return the answers to all questions that these runs can answer."""
    margins = margins or Margins()
    tell = tell or (lambda text: None)
    source = Source.open(folders, pooled)
    with readable(str(folders[0])), threadpool_limits(1, "blas"):  # small matrices: several threads would only wait for each other
        return _analyze(source, margins, feel, tell)


def _analyze(source: Source, margins: Margins, feel: bool, tell: Told) -> Analysis:
    groups, looks = Groups(source, margins.casual), source.looks()
    sums, influences = PairSums.of(source), InfluenceSums(source)
    lottery = Lottery(source) if source.lottery and source.market else None
    games = some(source.taken()["games"], "game", "games")
    tell(f"Reading {games} …")
    for block in source.blocks(influences=True, denied=lottery is not None, bought=lottery is not None):
        sums.add(block)
        influences.add(block)
        if lottery:
            lottery.add(block)
    if not sums.sums[..., 0].any():
        raise AnalysisError(f"{source.runs[0].folder.address}: there are no games in it yet; let `terrors simulate` play first.")
    tables = {
        "groups": groups_table(sums, groups),
        "overlords": overlords_table(sums, source, groups, margins.overlord, looks),
        "matchups": matchups_table(sums, groups, margins.matchup, looks),
        "seats": seats_table(sums, groups, margins.first, looks),
        "strategies": strategies_table(sums, groups, looks),
        "influences": influences_table(influences, source, groups, looks),
        **metagame_tables(sums, groups, looks),
    }
    left_out = []
    if lottery:
        tell("What cards are worth …")
        second = _second_pass(source, lottery)
        tables["cards"] = cards_table(source, second, groups, margins.card, looks)
        tables["cards_by"] = cards_by_table(source, second, groups, looks)
        tables["card_pairs"] = pairs_table(source, second, looks)
        if tables["cards"]["value"].null_count() == tables["cards"].height:
            left_out.append("What cards are worth is not known yet: too few games for so many cards; simulate more of them.")
    else:
        tables["cards"] = association_rows(source, groups)
        left_out.append("What cards are worth was not measured: that needs a run with --deny-lottery 0.1.")
    model = None
    if feel:
        tell("How games feel …")
        felt = feel_of(source.runs[0])
        tables |= {name: table for name, table in felt.tables.items() if table.height}
        model = felt.chances.as_data() if felt.chances else None
        left_out += felt.left_out + ["How games feel is told from the first run."] * (len(source.runs) > 1)
    findings = verdicts(tables, groups, margins)
    return Analysis(source, margins, {name: tables[name] for name in ANSWERS if name in tables}, findings, left_out, model)


def _second_pass(source: Source, lottery: Lottery) -> Second:
    lottery.solve()
    second = Second(lottery)
    for block in source.blocks(denied=True, bought=True):
        second.add(block)
    return second


def verdicts(tables: dict[str, pl.DataFrame], groups: Groups, margins: Margins) -> list[Finding]:
    """Return every claim, the families in their order."""
    serious = [name for name, is_serious in zip(groups.names, groups.serious, strict=False) if is_serious]
    return [
        *(overlord_findings(tables["overlords"], serious, margins) if tables["overlords"].height else []),
        *(matchup_findings(tables["matchups"], serious, margins) if tables["matchups"].height else []),
        *first_findings(tables["seats"], serious, margins),
        *card_findings(tables["cards"], serious, margins),
        *feel_findings(tables.get("feel"), margins),
    ]


def _run_data(run: Any) -> dict[str, Any]:
    from terrors.simulator.runs.job import key_of_identity

    info = run.info
    return {
        "folder": run.folder.address, "key": key_of_identity(info["identity"])[:8], "games": tallied(run, "games"), "seed": run.plan.seed,
        "strategies": list(info["identity"]["strategies"]), "status": info["status"], "command": str(info.get("command") or ""),
        "checked": run.checked.as_data(),
    }  # fmt: skip


def stands_on(source: Source, left_out: Sequence[str]) -> dict[str, Any]:
    """Return what every claim of the analysis rests on, so that a reader need not guess."""
    run, taken = source.runs[0], source.taken()
    sources: dict[str, int] = {}
    for card in source.box.cards.cards:
        name = card.source or "unknown"
        sources[name] = sources.get(name, 0) + card.copies
    warnings = list(left_out)
    if not all(run.finished for run in source.runs):
        warnings.append(f"The run is not finished: this is what its first {taken['games']:,} games say.")
    if source.differences:
        warnings.append(f"Runs that differ in {', '.join(source.differences)} were taken together because that was asked for (--pool).")
    if n := taken["turn_limit"]:
        warnings.append(f"{some(n, 'game', 'games')} ended at the turn limit and {'counts as a draw' if n == 1 else 'count as draws'} (E1).")
    if n := taken["action_limit"]:
        warnings.append(f"In {some(n, 'game', 'games')} an Action Phase was cut short (E1).")
    plans = {name: summary for run in source.runs for name, summary in run.summaries.items()}
    return {
        "games": taken["games"], "pairs": taken["games"] // 2,
        **{name: taken[name] for name in ("draws", "turn_limit", "action_limit")},
        "strategies": plans, "cards_sha256": run.info["identity"]["cards"], "engine": run.info["identity"]["engine"], "rules": dict(run.plan.rules),
        "changes": {name: list(getattr(run.plan, name)) for name in ("set", "remove", "deny", "grant") if getattr(run.plan, name)},
        "lottery": source.lottery, "influences": run.plan.influences, "sequential": source.sequential, "pooled": source.differences,
        "source": sources, "reference": bool(sources.get("invented")), "warnings": warnings,
    }  # fmt: skip
