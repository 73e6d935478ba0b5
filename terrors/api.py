"""The functions behind `import terrors` that take a run by its folder: what the commands of the same name do, for scripts and notebooks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from terrors.analysis.analyze import Analysis
from terrors.analysis.analyze import analyze as ask
from terrors.analysis.compare import Comparison, open_pair
from terrors.analysis.compare import compare as find_differences
from terrors.reports.inputs import read_table
from terrors.reports.page.build import MOST_GAMES, WrittenReport, make_report
from terrors.simulator.runs.run import Run
from terrors.simulator.runs.storage import open_folder

if TYPE_CHECKING:
    from terrors.analysis.contract.margins import Margins

RunOrFolder = Run | str | Path


def analyze(*runs: RunOrFolder, margins: Margins | None = None, pooled: bool = False, feel: bool = True, write: bool = True) -> Analysis:
    """Return what the games of one run, or of several of the same thing, say: `.tables` (polars, by name) and `.findings`.

    It is written to RUN/analysis, where `report` looks for it, unless `write` is False. `pooled`: take runs together that differ in cards or rules.
    `feel=False` leaves out the table of turns, which takes half of the time.
    """
    folders = [address(run) for run in runs]
    found = ask(folders, margins, pooled, feel)
    if write:
        found.write(open_folder(f"{folders[0]}/analysis"))
    return found


def report(run: RunOrFolder, out: str | Path | None = None, games: int = MOST_GAMES) -> WrittenReport:
    """Write the page of a run that has been analysed, and return where it is (`.page`). `games`: how many can be replayed in it."""
    return make_report(address(run), Path(out) if out is not None else None, games)


def compare(before: RunOrFolder, after: RunOrFolder) -> Comparison:
    """Return what differs between two runs: `.table` of differences with intervals, `.changes` of cards and rules in sentences."""
    folders = address(before), address(after)
    one, two = (read_table(open_folder(folder), "cards") for folder in folders)
    return find_differences(*open_pair(*folders), (one, two))


def address(run: RunOrFolder) -> str:
    """Return where a run lies."""
    return (run.folder.address if isinstance(run, Run) else str(run)).rstrip("/")
