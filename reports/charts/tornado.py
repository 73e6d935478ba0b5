"""What would move an overlord: the numbers that move it most, longest bar first, with the intervals of their effects."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from terrors.analysis.contract.sentences import signed
from terrors.analysis.numbers.movers import movers
from terrors.reports.charts.render import Chart, Sheet
from terrors.reports.format import count, points
from terrors.reports.theme import LIGHT, short

if TYPE_CHECKING:
    from terrors.reports.inputs import Material, Row

MOST_BARS, MOST_CHARTS = 10, 9
ROW = 26
LONGEST = 48  # letters in a line of a label


def tornado_names(material: Material) -> dict[str, str]:
    """Return what has a chart of its own (overlords and going first), and the name of that chart."""
    rows = material.rows("numbers")
    overlords = {row["overlord"] for row in material.rows("overlords")}
    moved = [of for of in dict.fromkeys(row["of"] for row in rows) if of in overlords or of == "going first"]
    return {of: f"movers-{number + 1}" for number, of in enumerate(moved[:MOST_CHARTS])}


def tornadoes(material: Material) -> list[Chart]:
    """Return a chart for each overlord, and for going first, that some number moves for certain."""
    rows = material.rows("numbers")
    found = []
    for of, name in tornado_names(material).items():
        bars = movers(rows, of, MOST_BARS)
        if not bars:
            continue
        first = bars[0]
        title = f"{'Going first' if of == 'going first' else of} moves most, as far as these games tell, with {first['move']}"
        caption = (
            f"Points of win rate that one step adds or takes; a step the other way does about the opposite. {count(first['games'])} games in which every "
            f"number was moved by lot, played by {first['played_by']}. Intervals: 95 % for all effects together."
        )
        alt = f"{title}. " + " ".join(f"{row['move']}: {signed(row['effect'], (row['high'] - row['low']) / 2)}." for row in bars)
        found.append(Chart(name, title, caption, alt, lambda sheet, bars=bars: _bars(bars, sheet)))  # type: ignore[misc]
    return found


def _bars(bars: list[Row], sheet: Sheet) -> None:
    words = [textwrap.fill(row["move"], LONGEST) if sheet.wide else short(row["move"], 22) for row in bars]
    left = 20 + 7 * max(len(line) for text in words for line in text.split("\n")) if sheet.wide else 150
    axes = sheet.axes(ROW * len(bars), left, 70 if sheet.wide else 34, 14, 42)
    reach = 1.15 * max(max(abs(row["low"]), abs(row["high"])) for row in bars)
    axes.set_xlim(-reach, reach)
    axes.set_ylim(len(bars) - 0.5, -0.5)
    axes.axvline(0, color=LIGHT["faint"], lw=1)
    for at, row in enumerate(bars):
        colour = LIGHT["more"] if row["effect"] > 0 else LIGHT["less"]
        bar = axes.fill_between([0, row["effect"]], at - 0.32, at + 0.32, color=colour, lw=0)
        sheet.name(bar, f"{row['move']}: {points(row['effect'], row['low'], row['high'])} points")
        axes.plot([row["low"], row["high"]], [at, at], color=LIGHT["ink"], lw=1.4, solid_capstyle="butt")
        size_of_words = 10.5 if "\n" not in words[at] else 8.5
        axes.annotate(words[at], (0, at), xycoords=("axes fraction", "data"), xytext=(-8, 0), textcoords="offset points", ha="right", va="center",
                      fontsize=size_of_words, linespacing=1.0)  # fmt: skip
        size = signed(row["effect"], (row["high"] - row["low"]) / 2)
        axes.annotate(size, (1, at), xycoords=("axes fraction", "data"), xytext=(6, 0), textcoords="offset points", va="center", fontsize=10.5)
    axes.set_yticks([])
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="x")
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel("points of win rate for one step")
