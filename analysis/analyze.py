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

from terrors.analysis.contract.analysis_files import CHECKSUMS, note_files
from terrors.analysis.contract.columns import ANSWERS
from terrors.analysis.contract.csv_text import csv_bytes
from terrors.analysis.contract.findings_schema import FORMAT, LOPSIDED, OFF
from terrors.analysis.contract.margins import Margins
from terrors.analysis.feel.feel import feel_of
from terrors.analysis.players.gained import gained_words
from terrors.analysis.questions.best_hands import BestHands
from terrors.analysis.questions.card_tables import association_rows, cards_by_table, cards_table, pairs_table
from terrors.analysis.questions.hands_tables import hands_words, opinion_words, whose_play
from terrors.analysis.questions.headline import headline_of
from terrors.analysis.questions.lottery import Second, denials
from terrors.analysis.questions.matchups import Groups, influences_table
from terrors.analysis.questions.metagame import metagame_tables
from terrors.analysis.source.ahead import beside
from terrors.analysis.source.pair_sums import InfluenceSums
from terrors.analysis.source.source import NamedCell, Source, readable, tallied
from terrors.analysis.source.withheld import read_withheld
from terrors.analysis.stats.intervals import Looks
from terrors.analysis.verdicts.findings import Finding, card_findings, feel_findings, first_findings, lamps, look_first, matchup_findings, overlord_findings
from terrors.simulator.runs.job import key_of_identity
from terrors.simulator.runs.parquet_tables import parquet
from terrors.simulator.runs.stages import DECIDE, LOTTERY, SCREEN, WHOLE
from terrors.simulator.runs.storage import Folder
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
    hands: BestHands | None = None  # who plays best, if that can be told

    def failed(self, states: Sequence[str]) -> list[Finding]:
        """Return the findings whose state is one of these; lopsided means whatever is off balance."""
        wanted = {*states, *(OFF if LOPSIDED in states else ())}
        return [finding for finding in self.findings if finding.state in wanted]

    def judge(self) -> None:
        """Form the findings anew, after a table has changed."""
        self.findings = verdicts(self.tables, self.margins)

    def as_data(self) -> dict[str, Any]:
        """Return the content of findings.json."""
        groups = self.tables["groups"].select("group", "games", "pairs", "serious").to_dicts()
        return {
            "format": FORMAT,
            "runs": [_run_data(run) for run in self.source.runs],
            "groups": groups,
            "pilots": pilots_data(self),
            "played": played(self.source),
            "stands_on": stands_on(self.source, self.left_out) | {"withheld": int(self.tables["cards"]["withheld"].sum())},
            "margins": self.margins.as_data(),
            "lamps": lamps(self.findings),
            "look_first": look_first(self.findings),
            "findings": [finding.as_data() for finding in self.findings],
        }

    def write(self, folder: Folder) -> None:
        """Write everything into a folder; what an earlier analysis left there goes. findings.json goes first and comes last: when it is there, all is there."""
        data = json.dumps(self.as_data(), ensure_ascii=False, indent=1, allow_nan=False).encode()
        files = {file: content for name, frame in self.tables.items() for file, content in table_files(name, frame).items()}
        if self.model is not None:
            files["chances.json"] = json.dumps(self.model, allow_nan=False).encode()
        with folder.lock():
            folder.remove("findings.json")
            folder.sweep(())
            for name in [file for file in folder.names() if file.rpartition(".")[0] in ANSWERS or file in ("chances.json", CHECKSUMS)]:
                folder.remove(name)
            folder.write_all(files)
            note_files(folder, files | {"findings.json": data})
            folder.write("findings.json", data)


def table_files(name: str, frame: pl.DataFrame) -> dict[str, bytes]:
    """Return the files of a table, for people and for programs."""
    return {f"{name}.csv": csv_bytes(frame), f"{name}.parquet": parquet(frame)}


def write_table(folder: Folder, name: str, frame: pl.DataFrame) -> None:
    """Add a table to an analysis."""
    files = table_files(name, frame)
    folder.write_all(files)
    note_files(folder, files)


def analyze(
    folders: Sequence[str | Path], margins: Margins | None = None, pooled: bool = False, feel: bool = True, tell: Told | None = None,
    again: Callable[[], object] | None = None,
) -> Analysis:  # fmt: skip
    """Return the answers to all questions that these runs can answer. `again`: waits for games that are played again meanwhile (trials/withholding.py)."""
    margins = margins or Margins()
    tell = tell or (lambda text: None)
    source = Source.open(folders, pooled)
    with readable(str(folders[0])), threadpool_limits(1, "blas"):  # small matrices: several threads would only wait for each other
        return _analyze(source, margins, feel, tell, again)


def _analyze(source: Source, margins: Margins, feel: bool, tell: Told, again: Callable[[], object] | None) -> Analysis:
    looks = source.looks()
    tell(f"Reading {some(source.taken()['games'], 'game', 'games')} …")
    headline = headline_of(source, margins)
    hands, in_mix = headline.hands, headline.in_mix
    felt = beside(feel_of, source.runs[0], cells=_named(in_mix) if hands else None) if feel else None  # from turns, while cards are judged from purchases
    tables = headline.tables | metagame_tables(headline.sums, headline.groups, looks)
    playing = source.only(WHOLE, DECIDE).with_cells(in_mix)
    influences = InfluenceSums(playing)
    for block in playing.blocks(influences=True):
        influences.add(block)
    tables["influences"] = influences_table(influences, playing, Groups(playing, margins.casual, hands), looks)
    worth = source.only(WHOLE, LOTTERY).with_cells(in_mix)
    tell("What cards are worth …")
    second = denials(worth) if worth.lottery and worth.market and worth.cells else None
    if again is not None:
        tell("Games again, without a card for who bought it …")
        again()
    left_out = _card_answers(worth, second, Groups(worth, margins.casual, hands), margins, looks, tables)
    model = None
    if felt is not None:
        tell("How games feel …")
        told = felt()
        tables |= {name: table for name, table in told.tables.items() if table.height}
        model = told.chances.as_data() if told.chances else None
        left_out += told.left_out + ["How games feel is told from the first run."] * (len(source.runs) > 1)
    findings = verdicts(tables, margins)
    ordered = {name: tables[name] for name in ANSWERS if name in tables}
    return Analysis(source, margins, ordered, findings, left_out, model, hands)


def _named(cells: Sequence[NamedCell]) -> list[tuple[str, str, str, str]]:
    return [(cell.a, cell.b, cell.a_strategy, cell.b_strategy) for cell in cells]


def _card_answers(source: Source, second: Second | None, groups: Groups, margins: Margins, looks: Looks, tables: dict[str, pl.DataFrame]) -> list[str]:
    """Add the tables of cards; return what they could not answer. `second`: what the lottery has shown, if there was one."""
    if second is None:
        tables["cards"] = association_rows(source, groups)
        return ["What cards are worth was not measured: that needs a run with --deny-lottery 0.1."]
    withheld = read_withheld((run.folder, key_of_identity(run.info["identity"])) for run in source.runs)
    tables["cards"] = cards_table(source, second, groups, margins, looks, withheld)
    tables["cards_by"] = cards_by_table(source, second, groups, looks, withheld)
    tables["card_pairs"] = pairs_table(source, second, looks)
    values = tables["cards"]["value"]
    if values.null_count() == len(values):
        return ["What cards are worth is not known yet: too few games for so many cards; simulate more of them."]
    if tables["cards"]["relative"].null_count() < len(values):
        kinds = some(len(source.market), "kind", "kinds")
        return [f"The market has only {kinds} of cards, so that to be denied any of them hurts: cards are judged by what they are worth beside the mean card."]
    return []


def verdicts(tables: dict[str, pl.DataFrame], margins: Margins) -> list[Finding]:
    """Return every claim, the families in their order."""
    opinion = tables.get("second_opinion")
    return [
        *(overlord_findings(tables["overlords"], margins, opinion) if tables["overlords"].height else []),
        *(matchup_findings(tables["matchups"], margins) if tables["matchups"].height else []),
        *first_findings(tables["seats"], margins, opinion),
        *card_findings(tables["cards"], margins),
        *feel_findings(tables.get("feel"), margins),
    ]


def pilots_data(analysis: Analysis) -> dict[str, Any]:
    """Return who the pilots are, whose play counts, and what is true in other hands: all that in findings.json may change with a pilot who is never chosen."""
    hands, margins = analysis.hands, analysis.margins
    if hands is None:
        names = list(dict.fromkeys(name for cell in analysis.source.cells for name in (cell.a_strategy, cell.b_strategy)))
        never = "The pilots never met each other, so that it cannot be told whose play counts: --pairing panel lets them."
        return {"best": names, "list": [{"pilot": name} for name in names], "words": [never], "hands": {}}
    frame = analysis.tables["hands"]
    margin_of = {"overlords": margins.overlord, "matchups": margins.matchup, "first": margins.first}
    beside = {}
    for finding in analysis.findings:
        if finding.family in margin_of:
            overlord, rival = finding.subject.get("overlord", ""), finding.subject.get("rival", "")
            beside[finding.id] = hands_words(frame, hands.pilots, margin_of[finding.family], finding.family, overlord, rival)
    best = [pilot.name for pilot in hands.pilots if pilot.share > 0.005 and not pilot.copy_of]
    told = {key: text for key, text in beside.items() if text}
    opinion = opinion_words(analysis.tables.get("second_opinion"))
    gained = _adapted(analysis.source)
    words = [*whose_play(hands), *gained, *([opinion] if opinion else [])]
    data = {"best": best, "list": analysis.tables["pilots"].to_dicts(), "words": words, "gained": gained, "hands": told}
    return data | ({"opinion": opinion} if opinion else {})


def _adapted(source: Source) -> list[str]:
    """Return whether pilots of these runs had to learn the set first."""
    files = (run.folder.read(name) for run in source.runs for name in run.folder.names("strategies") if name.endswith(".json"))
    return gained_words(content for content in files if content)


def _run_data(run: Any) -> dict[str, Any]:
    info = run.info
    return {
        "folder": run.folder.address, "key": key_of_identity(info["identity"])[:8], "games": tallied(run, "games"), "seed": run.plan.seed,
        "strategies": list(info["identity"]["strategies"]), "status": info["status"], "command": str(info.get("command") or ""),
        "checked": run.checked.as_data(),
    }  # fmt: skip


def played(source: Source) -> dict[str, Any]:
    """Return how much was played in all, the screen of the pilots too: draws and games that met a limit are counted and never dropped."""
    taken, warnings = source.taken(), []
    if n := taken["turn_limit"]:
        warnings.append(f"{some(n, 'game', 'games')} ended at the turn limit and {'counts as a draw' if n == 1 else 'count as draws'}.")
    if n := taken["action_limit"]:
        warnings.append(f"In {some(n, 'game', 'games')} an Action Phase was cut short.")
    return {name: taken[name] for name in ("games", "draws", "turn_limit", "action_limit")} | {"warnings": warnings}


def stands_on(source: Source, left_out: Sequence[str]) -> dict[str, Any]:
    """Return what every claim of the analysis rests on, so that a reader need not guess."""
    run, taken = source.runs[0], source.taken()
    sources: dict[str, int] = {}
    for card in source.box.cards.cards:
        name = card.source or "unknown"
        sources[name] = sources.get(name, 0) + card.copies
    warnings = list(left_out)
    stages = [stage for setup in source.setups for stage in setup.schedule.stages if stage.name == SCREEN]
    screened = min(taken["games"], sum(2 * stage.pairs for stage in stages))  # that only tell who plays best
    if not all(run.finished for run in source.runs):
        warnings.append(f"The run is not finished: this is what its first {taken['games']:,} games say.")
    if source.differences:
        warnings.append(f"Runs that differ in {', '.join(source.differences)} were taken together because that was asked for (--pool).")
    plans = {name: summary for run in source.runs for name, summary in run.summaries.items()}
    return {
        "games": taken["games"] - screened, "pairs": (taken["games"] - screened) // 2,
        "strategies": plans, "cards_sha256": run.info["identity"]["cards"], "engine": run.info["identity"]["engine"], "rules": dict(run.plan.rules),
        "changes": {name: list(getattr(run.plan, name)) for name in ("set", "remove", "deny", "grant") if getattr(run.plan, name)},
        "lottery": source.lottery, "influences": run.plan.influences, "sequential": source.sequential, "pooled": source.differences,
        "source": sources, "reference": bool(sources.get("invented")), "warnings": warnings,
    }  # fmt: skip
