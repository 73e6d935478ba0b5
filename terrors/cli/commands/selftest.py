"""`terrors selftest`: whether verdicts find what was planted."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import click

from terrors.cli.progress import tell_step
from terrors.cli.shared_options import SEEDS, json_option, print_json


@click.command(short_help="Plant faults in card sets, and count how often the verdicts find them.")
@click.option("--planted", type=click.IntRange(1, 10_000), default=12, show_default=True, metavar="N", help="How many sets.")
@click.option("--games", type=click.IntRange(1_000, 10_000_000), default=12_000, show_default=True, help="Games of each set, after the screen of its pilots.")
@click.option("--seed", type=SEEDS, default=1, show_default=True, help="The luck.")
@click.option("--jobs", type=click.IntRange(1, 4096), help="How many to play at a time.  [default: the number of cores]")
@json_option
def selftest(planted: int, games: int, seed: int, jobs: int | None, as_json: bool) -> None:
    """Make card sets in which something is known to be off because it was put there (an overlord, a bomb, a blank …) or nothing is, play and judge them as
    `terrors balance` does, and say how often it was found, and how often something fair was called off (docs/ANALYSIS.md).
    """  # noqa: D205
    from terrors.analysis.planted import rows_of, try_all

    with tempfile.TemporaryDirectory() as place:
        tried = try_all(planted, Path(place), seed, games, jobs or os.cpu_count() or 1, tell_step)
    rows = rows_of(tried)
    if as_json:
        print_json(rows)
    else:
        click.echo(table_words(rows))


def table_words(rows: list[dict[str, Any]]) -> str:
    """Return the table as text."""
    lines = [f"{'planted':<18}{'sets':>6}{'found':>7}  said"]
    for row in rows:
        found = "" if row["found"] is None else str(row["found"])
        lines.append(f"{row['kind']:<18}{row['sets']:>6}{found:>7}  {row['said']}")
    return "\n".join(lines)
