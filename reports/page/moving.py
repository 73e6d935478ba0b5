"""What would move it: the section of the page about the number lottery. Plain data for the templates, no markup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from terrors.analysis.contract.sentences import interval, signed
from terrors.analysis.numbers.movers import movers, side_effects
from terrors.reports.charts.tornado import tornado_names
from terrors.reports.format import count
from terrors.reports.page.grids import Grid, TableCell, name_cell

if TYPE_CHECKING:
    from terrors.reports.inputs import Material, Row

LISTED, ALSO = 10, 3
MOST_ROWS = 120


def moving(material: Material) -> dict[str, Any]:
    """Return what would move each overlord, going first and each match-up, in words, and by card."""
    rows = material.rows("numbers")
    if not rows:
        return {"there": False}
    charts = tornado_names(material)
    overlords = [of for of in charts if of != "going first"]
    match_ups = [of for of in dict.fromkeys(row["of"] for row in rows) if " against " in of and of not in charts]
    return {
        "there": True,
        "games": count(rows[0]["games"]),
        "numbers": count(len({row["where"] for row in rows})),
        "played_by": rows[0]["played_by"],
        "of": [{"of": of, "chart": charts[of], "lines": [_words(rows, row, overlords) for row in movers(rows, of, LISTED)]} for of in charts],
        "matchups": [{"of": of, "lines": [_words(rows, row, ()) for row in movers(rows, of, 5)]} for of in match_ups],
    }


def _words(rows: list[Row], row: Row, overlords: list[str] | tuple[str, ...]) -> dict[str, str]:
    """Return what a step does, and what else it would do."""
    others = side_effects(rows, row["where"], row["of"], overlords)[:ALSO]
    also = [f"{signed(other['effect'], (other['high'] - other['low']) / 2)} for {other['of']}" for other in others]
    bent = f"; a step down {signed(row['down'], (row['bend_high'] - row['bend_low']) / 2)}" if row["differ"] else ""
    return {"move": row["move"], "effect": interval(row["effect"], row["low"], row["high"], sign=True) + bent, "also": ", ".join(also), "set": row["where"]}


def number_grid(material: Material) -> Grid:
    """Return the table of all numbers that do something for certain, a row each, with a column for each overlord, going first and the length."""
    rows = material.rows("numbers")
    overlords = {row["overlord"] for row in material.rows("overlords")}
    shown = [of for of in dict.fromkeys(row["of"] for row in rows) if of in overlords or of in ("going first", "turns")]
    cells = {(row["where"], row["of"]): row for row in rows}
    strength = {where: max(abs(row["effect"]) for row in rows if row["where"] == where and row["of"] in shown[:-1])
                for where in dict.fromkeys(row["where"] for row in rows if row["p"] is not None and row["p"] < 0.05 and row["of"] in shown)}  # fmt: skip
    order = sorted(strength, key=lambda where: -strength[where])[:MOST_ROWS]
    columns = [("One step", "the move; a step down does about the opposite"), *((of, "turns" if of == "turns" else "points of win rate") for of in shown)]
    body = [[name_cell(cells[where, shown[0]]["move"]), *(_effect_cell(cells[where, of]) for of in shown)] for where in order]
    return Grid("numbers", "What one step of each number does", columns, body)


def _effect_cell(row: Row) -> TableCell:
    certain = row["p"] is not None and row["p"] < 0.05
    return TableCell(interval(row["effect"], row["low"], row["high"], sign=True) if certain else "·", row["effect"])
