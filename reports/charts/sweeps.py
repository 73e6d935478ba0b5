"""A sweep as a picture: win rates over the values of a number, with bands and the fair margin; two numbers as a grid."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from terrors.analysis.numbers.gauges import OVERLORD
from terrors.reports.charts.render import Chart, Sheet
from terrors.reports.format import count, plain
from terrors.reports.theme import LIGHT, MARKS, faction_of, lean, lean_colour
from terrors.simulator.terms.text import listed

if TYPE_CHECKING:
    from terrors.analysis.numbers.sweep import Sweep

STYLES = ("-", "--", "-.", ":")


def sweep_chart(found: Sweep, margin: float) -> Chart:
    """Return the chart of a sweep. `margin`: of overlords."""
    names = " and ".join(one.number.name for one in found.ranges)
    fair = [" and ".join(map(str, version)) for version in found.all_fair()]
    title = f"{names}: every overlord is fair at {listed(fair)}" if fair else f"{names}: with no value that was tried every overlord is fair for certain"
    crossed = [one for one in found.crossings if one.gauge in {gauge.name for gauge in found.gauges.all if gauge.kind == OVERLORD}]
    caption = (
        f"Games won of 100, every rival with the same weight; {count(found.games)} games, the same deals with every value, played by {listed(found.pilots)}. "
        + (f"Bands are 95 % intervals. Shaded: fair, 50 ± {plain(margin)}." if len(found.ranges) == 1
           else f"In each field the overlord that is farthest from even, in points; grey-green: all within ±{plain(margin)}.")
    )  # fmt: skip
    alt = f"{title}. " + " ".join(f"{one.gauge} is even at {one.value:.1f} ({one.low:.1f} to {one.high:.1f})." for one in crossed)
    return Chart("sweep", title, caption, alt, lambda sheet: _lines(found, margin, sheet) if len(found.ranges) == 1 else _grid(found, margin, sheet))


def _lines(found: Sweep, margin: float, sheet: Sheet) -> None:
    axes = sheet.axes(300 if sheet.wide else 240, 52, 120 if sheet.wide else 12, 16, 46)
    values, z = np.array(found.ranges[0].values, float), found.looks.z()
    axes.axhspan(50 - margin, 50 + margin, color=LIGHT["band"], lw=0, zorder=0)
    axes.axhline(50, color=LIGHT["faint"], lw=1, zorder=1)
    for number, place in enumerate(found.gauges.index(OVERLORD)):
        mean, half = found.mean[0, :, place], z * found.se[0, :, place]
        faction = faction_of(found.factions.get(found.gauges.names[place]))
        colour, style = LIGHT[faction], STYLES[number // 4 % len(STYLES)]
        axes.fill_between(values, mean - half, mean + half, color=colour, alpha=0.15, lw=0)
        axes.plot(values, mean, style, color=colour, marker=MARKS[faction], ms=5, label=found.gauges.names[place])
        if sheet.wide:
            axes.annotate(found.gauges.names[place], (values[-1], mean[-1]), xytext=(8, 0), textcoords="offset points", va="center", color=colour, fontsize=11)
    if not sheet.wide:
        axes.legend(fontsize=9, frameon=False)
    axes.set_xticks(values)
    axes.set_xlabel(found.ranges[0].number.name)
    axes.set_ylabel("games won of 100")
    axes.grid(axis="y")


def _grid(found: Sweep, margin: float, sheet: Sheet) -> None:
    """Draw how far the overlord that is farthest from even is off, by both values."""
    rows, columns = (one.values for one in found.ranges)
    overlords = found.gauges.index(OVERLORD)
    off = (found.mean[0][:, overlords] - 50).reshape(len(rows), len(columns), len(overlords))
    axes = sheet.axes(30 * len(rows) + 20, 70, 20, 16, 50)
    for i in range(len(rows)):
        for j in range(len(columns)):
            worst = int(np.abs(off[i, j]).argmax())
            gap = float(off[i, j, worst])
            axes.fill_between([j - 0.5, j + 0.5], i - 0.5, i + 0.5, color=lean_colour(lean(50 + gap, 0.0)) if abs(gap) > margin else LIGHT["band"], lw=0)
            text = f"{gap:+.1f} {found.gauges.names[overlords[worst]]}" if sheet.wide else f"{gap:+.0f}"
            axes.text(j, i, text.replace("-", "−"), ha="center", va="center", fontsize=9, color=LIGHT["ink"])
    axes.set_xlim(-0.5, len(columns) - 0.5)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xticks(range(len(columns)), [str(value) for value in columns])
    axes.set_yticks(range(len(rows)), [str(value) for value in rows])
    axes.set_xlabel(found.ranges[1].number.name)
    axes.set_ylabel(found.ranges[0].number.name)
