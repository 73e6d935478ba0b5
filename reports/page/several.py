"""The page of several versions: one table of all of them against the first, in the best hands and by pilot."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from terrors.analysis.compare_several import address, letter, question_words
from terrors.analysis.contract.csv_text import csv_bytes
from terrors.reports.format import count, half_width, plain, points
from terrors.reports.format import decimals as digits
from terrors.reports.page.comparison import WrittenComparison, verdict_cell
from terrors.reports.page.grids import Grid, TableCell, bar_cell, name_cell
from terrors.reports.page.page import environment, policy, script, style
from terrors.reports.theme import use_factions
from terrors.simulator.runs.storage import open_folder

if TYPE_CHECKING:
    from terrors.analysis.compare_several import SeveralCompared

PRACTICAL = 1.0  # points: less makes no practical difference
CONTENTS = (("versions", "The versions"), ("rates", "What each of them does"), ("pilots", "By who plays"), ("method", "How this was compared"))


def version_grid(found: SeveralCompared, by_pilot: bool = False) -> Grid:
    """Return the table: a row for each question, and of every version its rate, its difference from the first and its verdict."""
    questions = found.questions(by_pilot)
    if by_pilot:
        questions = [rows for rows in questions if rows[0]["family"] != "matchups"]
    reach = max((max(3.0, abs(row["low"]), abs(row["high"])) for rows in questions for row in rows if row["difference"] is not None), default=3.0)
    columns = ([("Pilot", "plays both sides")] if by_pilot else []) + [("", ""), ("A", "Games won of 100"), ("verdict", "In A")]
    for number in range(1, len(found.sources)):
        name = letter(number)
        columns += [(name, "Games won of 100"), (f"{name} − A", "Points, with their 95 % interval"), ("", "Corrected for questions and versions"),
                    ("verdict", f"In {name}")]  # fmt: skip
    body = []
    for rows in questions:
        half = max(half_width(row["low"], row["high"]) or 0.0 for row in rows[1:])
        line = [name_cell(rows[0]["group"])] if by_pilot else []
        what = question_words(rows[0])
        line.append(TableCell(what, None, "text") if by_pilot or rows[0]["family"] != "overlords" else name_cell(what))
        for row in rows:
            line.append(TableCell(plain(row["rate"], digits(half)), row["rate"]))
            if row["difference"] is not None:
                text = points(row["difference"], row["low"], row["high"])
                clear = TableCell("clear" if row["p"] <= 0.05 else "may be chance", row["p"], "text")
                line += [bar_cell(text, row["difference"], row["low"], row["high"], reach, PRACTICAL), clear]
            line.append(verdict_cell(row["verdict"]))
        body.append(line)
    return Grid("several-pilots" if by_pilot else "several", "All versions" + (", by who plays" if by_pilot else ""), columns, body)


def fair_words(found: SeveralCompared) -> str:
    """Return the page's title: of each version how many verdicts are not fair."""
    off: dict[str, int] = {}
    for row in (row for rows in found.questions() for row in rows):
        off[row["version"]] = off.get(row["version"], 0) + (row["verdict"] != "fair")
    return "Not fair, or not certain to be: " + ", ".join(f"{number} in {version}" for version, number in off.items()) + "."


def several_page(found: SeveralCompared) -> str:
    """Return the whole page."""
    code, versions = script(), list[dict[str, Any]]()
    for number, source in enumerate(found.sources):
        told = {"letter": letter(number), "folder": address(source), "games": count(source.taken()["games"]), "seeds": _seeds(source)}
        versions.append(told | ({"changes": found.pairs[number - 1].changes, "shared": f"{100 * found.pairs[number - 1].paired:.0f}"} if number else {}))
    by_pilot = version_grid(found, by_pilot=True)
    context = {
        "policy": policy(code), "style": style(), "script": code, "contents": [{"anchor": anchor, "title": title} for anchor, title in CONTENTS],
        "headline": fair_words(found), "versions": versions, "rates": version_grid(found),
        "by_pilot": by_pilot if len({row[0].text for row in by_pilot.rows}) > 1 else None,
        "command": "terrors compare " + " ".join(map(address, found.sources)),
    }  # fmt: skip
    return environment().get_template("several.html").render(context)


def _seeds(source: Any) -> str:
    return ", ".join(str(run.plan.seed) for run in source.runs)


def make_several(found: SeveralCompared, out: Path) -> WrittenComparison:
    """Write the page, and its table as CSV beside it."""
    use_factions(found.sources[-1].box.cards.dialect.factions)
    text = several_page(found).encode()
    folder = open_folder(out.parent)
    folder.write(f"{out.stem}_files/versions.csv", csv_bytes(found.table))
    folder.write(out.name, text)
    return WrittenComparison(str(out), len(text))
