"""`terrors selftest`: whether verdicts find what was planted."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import click

from terrors.cli.progress import tell_step
from terrors.cli.shared_options import SEEDS, json_option, names_option, print_json
from terrors.simulator.terms.text import did_you_mean, shown


@click.command(short_help="Plant faults in card sets, and count how often the verdicts find them.")
@click.option("--planted", type=click.IntRange(1, 10_000), default=12, show_default=True, metavar="N", help="How many sets.")
@click.option("--kinds", multiple=True, callback=names_option, metavar="A,B", help="Which kinds of faults.  [default: all]")
@click.option("--games", type=click.IntRange(1_000, 10_000_000), default=20_000, show_default=True, help="Games of each set, after the screen of its pilots.")
@click.option("--keep", type=click.Path(path_type=Path, file_okay=False), metavar="FOLDER", help="Keep what was judged there, and go on with it another time.")
@click.option("--seed", type=SEEDS, default=1, show_default=True, help="The luck.")
@click.option("--jobs", type=click.IntRange(1, 4096), help="How many to play at a time.  [default: the number of cores]")
@json_option
def selftest(planted: int, kinds: tuple[str, ...] | None, games: int, keep: Path | None, seed: int, jobs: int | None, as_json: bool) -> None:
    """Make card sets in which something is known to be off because it was put there (an overlord, a bomb, a blank …) or nothing is, play and judge them as
    `terrors balance` does, and say how often it was found, and how often something fair was called off (docs/ANALYSIS.md).
    """  # noqa: D205
    from terrors.analysis.planted import KINDS, rows_of, try_all

    for kind in kinds or ():
        if kind not in KINDS:
            raise click.BadParameter(
                f"there is no kind {shown(kind)!r}{did_you_mean(kind, KINDS) or '; the kinds are ' + ', '.join(KINDS) + '.'}", param_hint="--kinds"
            )
    with tempfile.TemporaryDirectory() as place:
        tried = try_all(planted, keep or Path(place), seed, games, jobs or os.cpu_count() or 1, tell_step, kinds or KINDS)
    rows = rows_of(tried)
    if as_json:
        print_json(rows)
    else:
        click.echo(table_words(rows))


def table_words(rows: list[dict[str, Any]]) -> str:
    """Return the table as text. Sizes are in points of win rate: what was said, to ± how much, and by how much sets with other luck scatter."""
    lines = [f"{'planted':<22}{'sets':>5}{'found':>7}{'size':>8}{'±':>6}{'scatter':>9}  said"]
    for row in rows:
        found = "" if row["found"] is None else str(row["found"])
        size, half, scatter = (f"{row[name]:.1f}" if row.get(name) is not None else "" for name in ("size", "half", "scatter"))
        lines.append(f"{row['kind']:<22}{row['sets']:>5}{found:>7}{size:>8}{half:>6}{scatter:>9}  {row['said']}")
    return "\n".join(lines)
