"""Writing a report: the page, every figure as PNG, every table as CSV."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from terrors.analysis.contract.csv_text import csv_bytes
from terrors.analysis.source.source import readable, tallied
from terrors.reports.charts.process import DrawingProcess, Figures, draw
from terrors.reports.inputs import Material, ReportError, analysis_file, read_material, read_table
from terrors.reports.page.page import page, page_environment
from terrors.reports.page.replays import Chances, Gallery, gallery
from terrors.reports.page.sections import told_findings
from terrors.reports.theme import use_factions
from terrors.simulator.runs.job import key_of_identity
from terrors.simulator.runs.run import Run
from terrors.simulator.runs.storage import Folder, open_folder
from terrors.simulator.terms.text import some

if TYPE_CHECKING:
    from jinja2 import Environment

MOST_GAMES = 15  # in a page: about 20 kB each
Told = Callable[[str], None]


@dataclass(frozen=True)
class WrittenReport:
    """The parts of a report that was written."""

    page: str  # its path or address
    size: int  # of the page, in bytes
    figures: int
    tables: int
    games: int  # that can be seen in the page
    missing: str  # why there are no games, if there are none


@dataclass(frozen=True)
class Destination:
    """The place of a report: the folder, the page's name in it, and the folder of figures and tables."""

    folder: Folder
    name: str
    beside: str

    @classmethod
    def of(cls, run: Run, out: Path | None) -> Destination:
        """Return a place in the run's folder; or a file, with the figures and tables in a folder beside it that has its name."""
        if out is None:
            return cls(run.folder, "report/index.html", "report")
        if out.is_dir():
            raise ReportError(f"{out}: this is a folder; give the name of a file, for instance {out / 'report.html'}.")
        return cls(open_folder(out.parent), out.name, f"{out.stem}_files")

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"{self.folder.address.rstrip('/')}/{self.name}"


def make_report(
    address: str,
    out: Path | None = None,
    games: int = MOST_GAMES,
    chances: Chances | None = None,
    tell: Told | None = None,
    drawing: DrawingProcess | None = None,
    trusted: bool = False,
    later: Callable[[], Sequence[str]] | None = None,
) -> WrittenReport:
    """Write the report of a run that has been analysed. With a process for drawing, figures are drawn there while games are played again.

    `trusted`: whether code that came with the run may be executed to play its games again, also if it is not known here. `later`: waits for tables that are
    still being made while all else is drawn, and returns their names.
    """
    tell = tell or _silently
    run = Run.open(address)
    material = read_material(run.folder)
    material.cards = run.setup.cards
    use_factions(material.factions)
    _expect_current(run, material)
    place = Destination.of(run, out)
    tell("drawing, choosing games and playing them again" if games else "drawing")
    figures = drawing.draw(material) if drawing and games else lambda: draw(material)
    if games:
        run.expect_whole()
        with readable(address):
            found = gallery(run, told_findings(material), games, chances or read_chances(run), trusted)
    else:
        found = Gallery(missing="Games were left out of this page (--games 0).")
    looks = page_environment()
    drawn = figures()
    if later is not None:
        material.tables |= {name: table for name in later() if (table := read_table(run.folder, name)) is not None}
        drawn |= draw(material, list(drawn)) if drawing is None else drawing.draw(material, list(drawn))()
    return write(material, found, run, place, drawn, looks)


def _expect_current(run: Run, material: Material) -> None:
    """Raise a ReportError if the analysis is about another run than the one that the folder has now, or about less of it."""
    key, games = key_of_identity(run.info["identity"]), tallied(run, "games")
    about = [one for one in material.findings["runs"] if isinstance(one, dict) and one.get("key") and key.startswith(str(one["key"]))]
    again = f"`terrors analyze {run.folder.address}` makes it anew"
    if not about:
        raise ReportError(f"{run.folder.address}/analysis: it is about another run than the one that is in this folder now; {again}.")
    if about[0].get("games") != games:
        raise ReportError(
            f"{run.folder.address}/analysis: it is about {some(about[0].get('games') or 0, 'game', 'games')}, and there are {games:,} now; {again}."
        )


def read_chances(run: Run) -> Chances | None:
    """Return the chances that the analysis' model gives in the run's games; None if there is no model, or no table of turns to ask it about."""
    from terrors.analysis.feel.win_model import COLUMNS
    from terrors.analysis.feel.win_model import Chances as Model

    data = analysis_file(run.folder, "chances.json")
    if data is None or not any("turns" in part["files"] for part in run.info["parts"]):
        return None
    try:
        model = Model.from_data(json.loads(data))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ReportError(
            f"{run.folder.address}/analysis/chances.json: it was written by another version; `terrors analyze {run.folder.address}` makes it anew."
        ) from None

    def of_game(number: int, first: str, second: str) -> list[float] | None:
        turns = run.rows_of("turns", [number]).sort("turn").select(COLUMNS).collect()
        try:
            return [100 * float(chance) for chance in model.predict(turns, first, second)]
        except KeyError:  # nobody has seen these two play
            return None

    return of_game


def write(material: Material, found: Gallery, run: Run, place: Destination, figures: Figures, looks: Environment) -> WrittenReport:
    """Write all of it; what an earlier report left there goes."""
    files = "figures/ and tables/" if place.beside == "report" else f"{place.beside}/"
    text = page(material, found, {name: figure.chart for name, figure in figures.items()}, run.info, files, looks).encode()
    for inside in ("figures", "tables"):
        place.folder.remove_all(f"{place.beside}/{inside}")
    pictures = {f"{place.beside}/figures/{name}.png": figure.png for name, figure in figures.items()}
    place.folder.write_all(pictures | {f"{place.beside}/tables/{name}.csv": csv_bytes(table) for name, table in material.tables.items()})
    place.folder.write(place.name, text)
    return WrittenReport(place.address, len(text), len(figures), len(material.tables), len(found.shown), found.missing)


def _silently(_: str) -> None:
    """Say nothing: nobody listens."""
