"""What a page is made from: the findings and tables of an analysis, and the run whose games they are about."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from terrors.analysis.contract.analysis_files import analysis_file, read_table
from terrors.analysis.contract.columns import ANSWERS
from terrors.analysis.contract.findings_schema import FINDINGS, FORMAT
from terrors.analysis.contract.groups import HEADLINES
from terrors.simulator.terms.enums import Faction
from terrors.simulator.terms.errors import ReportError
from terrors.simulator.terms.shape import misfit

if TYPE_CHECKING:
    from terrors.simulator.cards.card_set import CardSet
    from terrors.simulator.runs.storage import Folder

__all__ = ["Material", "ReportError", "analysis_file", "read_material", "read_table"]

Row = dict[str, Any]


@dataclass
class Material:
    """The findings and tables of an analysis: all that a page says comes from here."""

    address: str  # of the run's folder, as it was given
    findings: dict[str, Any]
    tables: dict[str, pl.DataFrame] = field(default_factory=dict)  # those that are there and have a row
    cards: CardSet | None = None  # that were played, if the folder still has them

    @property
    def factions(self) -> tuple[Faction, ...]:
        """The factions of the set."""
        return self.cards.dialect.factions if self.cards else Faction.PRINTED

    def has(self, name: str) -> bool:
        """Whether there is such a table, with something in it."""
        return name in self.tables

    def group_of(self, name: str) -> str | None:
        """Return the group that the page shows of a table: the headline, or the only one."""
        if not self.has(name) or name == "groups" or "group" not in self.tables[name].columns:
            return None
        groups = self.tables[name]["group"].unique(maintain_order=True).to_list()
        return next((name for name in HEADLINES if name in groups), groups[0])

    def rows(self, name: str, group: str | None = None) -> list[Row]:
        """Return the rows of a table, of one group; without one, of the group that the page shows. Nothing if there is no such table."""
        if not self.has(name):
            return []
        table, group = self.tables[name], group or self.group_of(name)
        return (table if group is None else table.filter(pl.col("group") == group)).to_dicts()

    def groups_of(self, name: str) -> list[str]:
        """Return the groups of a table, the headline left out."""
        if not self.has(name):
            return []
        return [group for group in self.tables[name]["group"].unique(maintain_order=True).to_list() if group not in HEADLINES]

    def finding(self, key: str) -> Row | None:
        """Return a finding by its id."""
        return next((found for found in self.findings["findings"] if found["id"] == key), None)

    def of_family(self, family: str) -> list[Row]:
        """Return the findings of a family."""
        return [found for found in self.findings["findings"] if found["family"] == family]

    def verdict(self, family: str, row: Row, *names: str) -> str:
        """Return what the finding about these names says, all groups considered (a card's class, else the state); what the row says where there is none."""
        for found in self.of_family(family):
            subject = found["subject"]
            if {name for key in ("overlord", "rival", "card") if (name := subject.get(key))} == set(names):
                return found.get("class") or found["state"]
        return row.get("class") or row.get("verdict") or ""

    def beside(self, key: str) -> str:
        """Return what is true in other hands than the best, beside a finding; empty if nothing is told."""
        return str(self.findings["pilots"]["hands"].get(key) or "")

    @property
    def best(self) -> list[str]:
        """The pilots who are chosen when each side takes the one that serves it best."""
        return list(self.findings["pilots"]["best"])

    def margin(self, family: str) -> float:
        """Return within how many points something counts as fair."""
        return float(self.findings["margins"].get(family, 3))

    @property
    def stands_on(self) -> Row:
        """The facts that all of it stands on."""
        return self.findings["stands_on"]

    @property
    def run_id(self) -> str:
        """A short name of the run, for captions."""
        run = self.findings["runs"][0] if self.findings["runs"] else {}
        return str(run.get("key") or run.get("folder") or self.address)[:12]

    @property
    def name(self) -> str:
        """The folder's own name."""
        return self.address.rstrip("/").rsplit("/", 1)[-1]

    @property
    def games(self) -> int:
        """The number of games that were played."""
        return int(self.stands_on.get("games") or 0)


def read_material(folder: Folder) -> Material:
    """Return the analysis in a run's folder."""
    data = analysis_file(folder, "findings.json")
    if data is None:
        raise ReportError(f"{folder.address}: there is no analysis of this run yet; `terrors analyze {folder.address}` makes one.")
    again = f"`terrors analyze {folder.address}` makes it anew"
    try:
        findings = json.loads(data)
    except (ValueError, RecursionError):
        raise ReportError(f"{folder.address}/analysis/findings.json: this is no JSON; {again}.") from None
    if not isinstance(findings, dict) or findings.get("format") != FORMAT:
        raise ReportError(f"{folder.address}/analysis/findings.json: it was written by another version; {again}.")
    if wrong := misfit(findings, FINDINGS):
        raise ReportError(f"{folder.address}/analysis/findings.json: {wrong} is missing or not what an analysis writes; {again}.")
    return Material(folder.address, findings, {name: table for name in ANSWERS if (table := read_table(folder, name)) is not None})
