"""`terrors compare`: what a change did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from terrors.cli.shared_options import json_option, print_json

if TYPE_CHECKING:
    import polars as pl

    from terrors.analysis.compare import Comparison
    from terrors.analysis.compare_several import SeveralCompared


@click.command(short_help="Runs before and after a change, or of several versions: what is different, and how sure that is.")
@click.argument("before", metavar="BEFORE")
@click.argument("after", metavar="AFTER")
@click.argument("more", metavar="[MORE]…", nargs=-1)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Where the page goes.  [default: compare.html in the last run]")
@json_option
def compare(before: str, after: str, more: tuple[str, ...], out: Path | None, as_json: bool) -> None:
    """Compare two runs: differences of every headline with intervals, and which cards and rules changed; as text and as a page.
    Three or more: one table of all versions against the first, with every version's verdict, in the best hands and by pilot.

    Runs with the same seed are compared deal by deal, which needs far fewer games.
    """  # noqa: D205
    from terrors.analysis.compare import compare as find
    from terrors.analysis.compare import open_pair
    from terrors.reports.page.comparison import make_comparison

    if more:
        return show_several((before, after, *more), out, as_json)
    found = find(*open_pair(before, after), (read_cards_table(before), read_cards_table(after)))
    written = make_comparison(found, out or Path(after) / "compare.html")
    if as_json:
        print_json(found.as_data() | {"page": written.page})
    else:
        click.echo(f"{comparison_words(found)}\n\nThe page: {written.page}")
    return None


def show_several(folders: tuple[str, ...], out: Path | None, as_json: bool) -> None:
    """Compare several runs with the first of them, as text and as a page."""
    from terrors.analysis.compare_several import compare_several
    from terrors.analysis.source.source import Source
    from terrors.reports.page.several import make_several

    found = compare_several([Source.open([folder]) for folder in folders])
    written = make_several(found, out or Path(folders[-1]) / "compare.html")
    if as_json:
        print_json(found.as_data() | {"page": written.page})
    else:
        click.echo(f"{several_words(found)}\n\nThe page: {written.page}")


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


def several_words(found: SeveralCompared) -> str:
    """Return several versions as text: what each changed, and one table for the best hands and for each pilot."""
    from terrors.analysis.compare_several import address, letter
    from terrors.analysis.contract.groups import HEADLINES

    lines = []
    for number, source in enumerate(found.sources):
        changes = found.pairs[number - 1].changes or ["nothing in the cards or the rules."] if number else []
        lines += [f"{letter(number)}  {address(source)}" + ("" if number else "   (the others are compared with it)"), *(f"     {text}" for text in changes)]
    asked = found.questions()
    by_pilot: dict[str, list[list[dict[str, Any]]]] = {}
    for rows in found.questions(by_pilot=True):
        by_pilot.setdefault(rows[0]["group"], []).append(rows)
    lines += ["", *_table("Games won of 100" + (", in the best hands" if asked[0][0]["group"] == HEADLINES[0] else ""), asked)]
    for pilot, questions in by_pilot.items() if len(by_pilot) > 1 else ():
        lines += ["", *_table(f"Played by {pilot}", [rows for rows in questions if rows[0]["family"] != "matchups"])]
    return "\n".join([*lines, "", "In brackets: points more than in A; * is clear after correction for the number of questions and versions."])


def _table(title: str, questions: list[list[dict[str, Any]]]) -> list[str]:
    """Return the lines of a table: a row for each question, a column for each version."""
    from terrors.analysis.compare_several import question_words
    from terrors.analysis.contract.sentences import number, signed

    def cell(row: dict[str, Any], half: float) -> str:
        much = "" if row["difference"] is None else f" ({signed(row['difference'], half)}{'*' * (row['p'] <= 0.05)})"
        return f"{number(row['rate'], half)}{much} {row['verdict']}".rstrip()

    body = [[title, *(row["version"] for row in questions[0])]]
    for rows in questions:
        half = max((row["high"] - row["low"]) / 2 for row in rows if row["difference"] is not None)
        body.append([question_words(rows[0]), *(cell(row, half) for row in rows)])
    widths = [max(map(len, column)) for column in zip(*body, strict=True)]
    return ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in body]
