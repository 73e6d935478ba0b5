"""`terrors compare`: what a change did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from terrors.cli.shared_options import json_option, print_json

if TYPE_CHECKING:
    import polars as pl

    from terrors.analysis.compare import Comparison


@click.command(short_help="Two runs, before and after a change: what is different, and how sure that is.")
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="AFTER")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Where the page goes.  [default: AFTER/compare.html]")
@json_option
def compare(before: str, after: str, out: Path | None, as_json: bool) -> None:
    """Compare two runs: differences of every headline with intervals, and which cards and rules changed; as text and as a page.

    Runs with the same seed are compared deal by deal, which needs far fewer games.
    """
    from terrors.analysis.compare import compare as find
    from terrors.analysis.compare import open_pair
    from terrors.reports.page.comparison import make_comparison

    found = find(*open_pair(before, after), (read_cards_table(before), read_cards_table(after)))
    written = make_comparison(found, out or Path(after) / "compare.html")
    if as_json:
        print_json(found.as_data() | {"page": written.page})
    else:
        click.echo(f"{comparison_words(found)}\n\nThe page: {written.page}")


def read_cards_table(folder: str) -> pl.DataFrame | None:
    """Return the card table of a run's analysis; None if there is none."""
    from terrors.reports.inputs import read_table
    from terrors.simulator.runs.storage import open_folder

    return read_table(open_folder(folder), "cards")


def comparison_words(found: Comparison) -> str:
    """Return a comparison as text."""
    from terrors.analysis.compare import sentences
    from terrors.analysis.contract.sentences import interval

    lines = ["Changed:", *(f"  {text}" for text in found.changes or ["nothing in the cards or the rules."]), ""]
    if found.paired:
        same = f"{100 * found.paired:.0f} of 100 deals are the same in both runs"
        lines.append(f"{same} (a deal: how Market and decks are shuffled): they are compared deal by deal.")
    else:
        lines.append("The runs have different seeds, so no deal in common: give both the same --seed, and the same games tell much more.")
    lines += ["", *sentences(found)]
    if found.cards is not None:
        moved = [row for row in found.cards.iter_rows(named=True) if row["low"] > 0 or row["high"] < 0][:5]
        lines += ["", "Cards whose access value changed:"] if moved else ["", "No card's access value clearly changed."]
        lines += [f"  {row['card']}: {interval(row['difference'], row['low'], row['high'], sign=True)} points" for row in moved]
    return "\n".join(lines)
