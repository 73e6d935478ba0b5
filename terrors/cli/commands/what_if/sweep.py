"""`terrors sweep`: one or two numbers at several values, on the same deals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terrors.cli.commands.analyze import margin_options
from terrors.cli.commands.runs import GameCount
from terrors.cli.commands.what_if.numbers import job_of_options, set_options, write_table
from terrors.cli.progress import ProgressPrinter
from terrors.cli.project import margins_of
from terrors.cli.shared_options import print_json

if TYPE_CHECKING:
    from terrors.analysis.contract.margins import Margins
    from terrors.analysis.numbers.sweep import Sweep

GAMES = 60_000


@click.command(short_help="A number at several values on the same deals: where does the verdict turn fair?")
@click.argument("ranges", metavar="NUMBER=A..B…", nargs=-1)
@set_options
@margin_options
@click.option("--to", "width", type=float, default=1.0, show_default=True, metavar="POINTS", help="Stop when every overlord is known to ± so many points.")
@click.option("--games", type=GameCount(), default=GAMES, show_default=True, help="At most so many with each value.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.csv", help="Write the table there too.")
@click.option("--chart", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE.png", help="Draw it.")
def sweep(
    ranges: tuple[str, ...], rules: tuple[str, ...], margins_file: Path | None, margin_texts: tuple[str, ...], width: float, games: int, out: Path | None,
    chart: Path | None, jobs: int, as_json: bool, **given: Any,
) -> None:  # fmt: skip
    """Play a set with several values of a number ("Lilith.health=45..52", "Thames Drowner.cost=2..6", --rule first_hand=3..5), or of two at a time as a grid:
    the same deals with every value, until every overlord is known well enough.
    """  # noqa: D205
    from terrors.analysis.numbers.fairness import Asked
    from terrors.analysis.numbers.sweep import sweep as play

    swept = [f"rule {text}" for text in rules if any(sign in text.partition("=")[2] for sign in ("..", "…", ","))]
    fixed = tuple(text for text in rules if f"rule {text}" not in swept)
    if not 0 < width < 50:
        raise click.UsageError(f"--to {width:g}: give points of win rate between 0 and 50, for instance 1")
    margins, job, progress = margins_of(margins_file, margin_texts), job_of_options(**given, rules=fixed), ProgressPrinter()
    found = play(job, [*ranges, *swept], lambda gauges: Asked(gauges.all, margins), games, width, jobs, lambda text: progress.tell(lambda: text))
    progress.close()
    write_table(found.table(), out)
    if chart:
        from terrors.reports.charts.render import png
        from terrors.reports.charts.sweeps import sweep_chart

        try:
            chart.write_bytes(png(sweep_chart(found, margins.overlord)))
        except OSError as error:
            raise click.UsageError(f"--chart {chart}: {error.strerror or error}; give another file") from None
    if as_json:
        print_json({"games": found.games, "rows": found.rows(), "even_at": [vars(one) for one in found.crossings]})
    else:
        click.echo(sweep_words(found, margins))


def sweep_words(found: Sweep, margins: Margins) -> str:
    """Return the table of a sweep as text, and what follows from it."""
    from terrors.analysis.contract.findings_schema import FAIR, OFF
    from terrors.analysis.contract.sentences import interval
    from terrors.analysis.numbers.gauges import FIRST, MATCHUP, OVERLORD
    from terrors.simulator.terms.text import listed

    places = found.gauges.index(OVERLORD) + found.gauges.index(FIRST)
    names = [found.gauges.names[place] for place in places]
    heads = [one.number.name for one in found.ranges]
    deals = f"the same {found.rounds:,} deals of each match-up (how Market and decks are shuffled) with every value"
    lines = [f"{found.games:,} games, {deals}, played by {listed(found.pilots)}.", ""]
    sign, z = {FAIR: "fair", **dict.fromkeys(OFF, "off")}, found.looks.z()
    for g, group in enumerate(found.groups):
        lines += [f"Played by {group}:"] if len(found.groups) > 1 else []
        rows = [[*heads, *names]]
        for v, version in enumerate(found.versions):
            cells = [interval(m := float(found.mean[g, v, p]), m - z * float(found.se[g, v, p]), m + z * float(found.se[g, v, p])) for p in places]
            if g == 0:
                cells = [f"{cell} {sign.get(found.states[v][place], '?')}" for cell, place in zip(cells, places, strict=True)]
            rows.append([*(str(value) for value in version), *cells])
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines += ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows] + [""]
    lines.append(f"Of 100 games; fair or off: at your ±{margins.overlord:g} for overlords and ±{margins.first:g} for going first; ?: not decided.")
    kinds = {gauge.name: gauge.kind for gauge in found.gauges.all}
    for one in sorted(found.crossings, key=lambda one: kinds[one.gauge] == MATCHUP):
        lines.append(f"{one.gauge} is even at {heads[0]} = {one.value:.1f} ({one.low:.1f} to {one.high:.1f}).")
    fair = [", ".join(f"{head}={value}" for head, value in zip(heads, version, strict=True)) for version in found.all_fair()]
    lines.append(f"Every overlord is fair with {listed(fair)}." if fair else "With no value that was tried every overlord is fair for certain.")
    return "\n".join(lines)
