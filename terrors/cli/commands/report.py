"""`terrors report`: the page that a designer opens."""

from __future__ import annotations

from pathlib import Path

import click

from terrors.cli.progress import tell_step
from terrors.cli.shared_options import json_option, print_json, trust_option


@click.command(short_help="Make the page of a run: verdicts, charts, cards, games.")
@click.argument("run_folder", metavar="RUN")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Where the page goes.  [default: RUN/report/index.html]")
@click.option("--games", type=click.IntRange(0, 60), default=15, show_default=True, help="Games that can be replayed in the page, at the most.")
@trust_option
@json_option
def report(run_folder: str, out: Path | None, games: int, trusted: bool, as_json: bool) -> None:
    """Make a page of a run that `terrors analyze` has analysed: one HTML file that needs no network, every figure as PNG, every table as CSV.

    The page says which overlords, match-ups, seats and cards are out of balance and how sure that is, and has the games behind each claim to step through.
    They go to RUN/report; with --out FILE the page goes there, and figures and tables go to a folder beside it.
    """
    from terrors.reports.charts.process import DrawingProcess
    from terrors.reports.page.build import make_report
    from terrors.simulator.terms.text import some

    with DrawingProcess() as drawing:
        done = make_report(run_folder, out, games, tell=tell_step, drawing=drawing, trusted=trusted)
    if done.missing:
        click.echo(done.missing, err=True)
    if as_json:
        print_json({"page": done.page, "bytes": done.size, "figures": done.figures, "tables": done.tables, "games": done.games})
        return
    click.echo(
        f"{done.page} ({done.size / 1e6:.1f} MB), with {some(done.figures, 'figure', 'figures')} and {some(done.tables, 'table', 'tables')} beside it "
        f"and {some(done.games, 'game', 'games')} to replay in it."
    )
