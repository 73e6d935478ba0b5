"""`terrors report`: the page that a designer opens."""

from __future__ import annotations

from pathlib import Path

import click

from terrors.cli.progress import tell_step
from terrors.cli.shared_options import json_option, print_json, trust_option

FORMS = ("html", "pdf", "xlsx", "csv")


@click.command(short_help="Make the page of a run: verdicts, charts, cards, games.")
@click.argument("run_folder", metavar="RUN")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Where the page goes.  [default: RUN/report/index.html]")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMS),
    default="html",
    show_default=True,
    help="The page; the page as PDF; what was found as a workbook, or as CSV files.",
)
@click.option("--games", type=click.IntRange(0, 60), default=15, show_default=True, help="Games that can be replayed in the page, at the most.")
@trust_option
@json_option
def report(run_folder: str, out: Path | None, form: str, games: int, trusted: bool, as_json: bool) -> None:
    """Make a page of a run that `terrors analyze` has analysed: one HTML file that needs no network, every figure as PNG, every table as CSV.

    The page says which overlords, match-ups, seats and cards are out of balance and how sure that is, and has the games behind each claim to step through.
    They go to RUN/report; with --out FILE the page goes there, and figures and tables go to a folder beside it.
    """
    if form in ("xlsx", "csv"):
        written = write_tables(run_folder, form, out)
        print_json({"files": written}) if as_json else click.echo("\n".join(written))
        return
    if form == "pdf":
        from terrors.reports.exports import find_browser, write_pdf

        find_browser()  # before anything is drawn
    from terrors.reports.charts.process import DrawingProcess
    from terrors.reports.page.build import make_report
    from terrors.simulator.terms.text import some

    with DrawingProcess() as drawing:
        done = make_report(run_folder, None if form == "pdf" else out, games, tell=tell_step, drawing=drawing, trusted=trusted)
    if done.missing:
        click.echo(done.missing, err=True)
    if form == "pdf":
        tell_step("printing")
        file = str(write_pdf(Path(done.page), out or Path(done.page).with_name("report.pdf")))
        print_json({"files": [file]}) if as_json else click.echo(file)
        return
    if as_json:
        print_json({"page": done.page, "bytes": done.size, "figures": done.figures, "tables": done.tables, "games": done.games})
        return
    click.echo(
        f"{done.page} ({done.size / 1e6:.1f} MB), with {some(done.figures, 'figure', 'figures')} and {some(done.tables, 'table', 'tables')} beside it "
        f"and {some(done.games, 'game', 'games')} to replay in it."
    )


def write_tables(run_folder: str, form: str, out: Path | None) -> list[str]:
    """Write what the analysis of a run found as a workbook, or as CSV files into a folder; return the files."""
    from terrors.reports.exports import write_csv, write_xlsx
    from terrors.reports.inputs import read_material
    from terrors.simulator.runs.storage import open_folder

    material = read_material(open_folder(run_folder))
    if form == "xlsx":
        return [str(write_xlsx(material, out or Path(run_folder) / "report" / "report.xlsx"))]
    return [str(file) for file in write_csv(material, out or Path(run_folder) / "report" / "csv")]
