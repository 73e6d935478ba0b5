"""Charts of cards: what access to a card is worth by its cost, and what it is worth against how it looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from terrors.reports.charts.labels import name_points
from terrors.reports.charts.rates import caption
from terrors.reports.charts.render import Chart, Sheet
from terrors.reports.format import count, plain, points, signed
from terrors.reports.theme import ALL_MARKS, LARGER, LIGHT, faction_of, label_of
from terrors.simulator.terms.text import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from terrors.reports.inputs import Material, Row

NAMED = 6  # cards with their names in a chart, on each side
TOP = 10


def _known(material: Material, *columns: str) -> list[Row]:
    return [row for row in material.rows("cards") if all(row[column] is not None and np.isfinite(row[column]) for column in ("value", "low", "high", *columns))]


def cost_curve(material: Material) -> Chart | None:
    """Return the chart of access value by cost, with the line through all cards and those that stand out named."""
    rows = _known(material, "cost", "expected")
    if not rows:
        return None
    above = sorted((row for row in rows if row["outlier"] and row["surplus"] > 0), key=lambda row: -row["surplus"])
    below = sorted((row for row in rows if row["outlier"] and row["surplus"] < 0), key=lambda row: row["surplus"])
    parts = [f"{listed([row['card'] for row in above[:3]])} {'gives' if len(above) == 1 else 'give'} more than the cost suggests"] if above else []
    parts += [f"{listed([row['card'] for row in below[:3]])} {'gives' if len(below) == 1 else 'give'} less"] if below else []
    title = "; ".join(parts) if parts else "No card stands out from what its cost suggests"
    if parts and not above:
        title += " than the cost suggests"
    named = above[:NAMED] + below[:NAMED]
    return Chart(
        name="cost_curve",
        title=title,
        caption=caption(
            material,
            f"Access value of {len(rows)} market cards by cost; the line is what a card of that cost is worth on average, and cards with a name "
            "stand out from it after correction for the number of cards.",
            material.group_of("cards"),
            material.games / 2,
        ),
        alt=f"{title}. " + "; ".join(f"{row['card']}, cost {row['cost']}: {points(row['value'], row['low'], row['high'])} points" for row in named) + ".",
        draw=lambda sheet: _cost_figure(rows, named, sheet),
    )


def _cost_figure(rows: list[Row], named: list[Row], sheet: Sheet) -> None:
    wide = sheet.wide
    axes = sheet.axes(*((400, 66, 16, 36, 54) if wide else (320, 52, 8, 56, 50)))
    line = dict(sorted((row["cost"], row["expected"]) for row in rows))
    axes.axhline(0, color=LIGHT["faint"], lw=1, zorder=1)
    axes.plot(list(line), list(line.values()), color=LIGHT["accent-soft"], lw=3, zorder=1.5, solid_capstyle="round")
    spread = _spread([row["cost"] for row in rows], 0.42)
    places = [(row["cost"] + shift, row["value"]) for row, shift in zip(rows, spread, strict=True)]
    for row, (x, y) in zip(rows, places, strict=True):
        axes.plot([x, x], [row["low"], row["high"]], color=LIGHT["faint"], lw=1.1, alpha=0.7, zorder=2)
        look = faction_of(row["faction"])
        mark = axes.plot([x], [y], marker=ALL_MARKS[look], ms=8 * LARGER.get(ALL_MARKS[look], 1.0), color=LIGHT[look], mec=LIGHT["sheet"], mew=1, zorder=3)[0]
        sheet.name(mark, f"{row['card']}, cost {count(row['cost'])}: access is worth {points(row['value'], row['low'], row['high'])} points")
    axes.set_xticks(sorted(line))
    axes.set_xlim(min(line) - 0.6, max(line) + (1.1 if wide else 0.9))
    at = {row["card"]: place for row, place in zip(rows, places, strict=True)}
    intervals = [(x, row["low"], row["high"]) for row, (x, _) in zip(rows, places, strict=True)]
    name_points(sheet, axes, [(*at[row["card"]], row["card"]) for row in named], places, intervals)
    axes.set_xlabel("cost in Coin")
    axes.set_ylabel("access value, points of win rate" if wide else "access value, points")
    axes.grid(axis="y")
    axes.tick_params(length=0)
    _faction_legend(axes, [row["faction"] for row in rows], wide)


def _spread(values: list[float], width: float) -> list[float]:
    """Return small shifts to the side, so that cards of the same cost stand beside each other."""
    seen: dict[float, int] = {}
    total = {value: values.count(value) for value in values}
    shifts = []
    for value in values:
        k = seen.get(value, 0)
        seen[value] = k + 1
        shifts.append(0.0 if total[value] == 1 else width * (2 * k / (total[value] - 1) - 1) * min(1.0, total[value] / 8))
    return shifts


def _faction_legend(axes: Axes, factions: list[str], wide: bool) -> None:
    from matplotlib.lines import Line2D

    names = sorted({faction_of(name) for name in factions}, key=list(ALL_MARKS).index)
    handles = [
        Line2D([], [], ls="", marker=ALL_MARKS[name], color=LIGHT[name], ms=8 * LARGER.get(ALL_MARKS[name], 1.0), label=label_of(name)) for name in names
    ]
    axes.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=len(names) if wide else 3, handletextpad=0.2, columnspacing=1.2, borderaxespad=0.2
    )


def naive(material: Material) -> Chart | None:
    """Return the chart of win rate when bought, an association, against what access to the card is worth."""
    rows = _known(material, "rate_when_bought")
    if len(rows) < 3:
        return None
    top = min(TOP, max(1, len(rows) // 3))
    best = {row["card"] for row in sorted(rows, key=lambda row: -row["value"])[:top]}
    looks = [row["card"] for row in sorted(rows, key=lambda row: -row["rate_when_bought"])[:top]]
    shared = len(best & set(looks))
    title = f"Of the {top} cards that look best by win rate when bought, {shared} {'is' if shared == 1 else 'are'} among the {top} most valuable"
    order = np.argsort(np.argsort([row["value"] for row in rows]))
    order_naive = np.argsort(np.argsort([row["rate_when_bought"] for row in rows]))
    agreement = float(np.corrcoef(order, order_naive)[0, 1]) if len(rows) > 2 else float("nan")
    gap = [abs(int(a) - int(b)) for a, b in zip(order, order_naive, strict=True)]
    named = [rows[i] for i in sorted(range(len(rows)), key=lambda i: -gap[i])[:4]]
    return Chart(
        name="naive",
        title=title,
        caption=caption(
            material,
            f"Each mark is a card. To the right: it looks good; up: it is worth having. The two orders agree to {plain(agreement, 2)} (1 would be the same "
            "order, 0 none).",
            material.group_of("cards"),
            material.games / 2,
            lines="",
        ),
        alt=f"{title}. Rank correlation {plain(agreement, 2)}. "
        + "; ".join(f"{row['card']}: wins {plain(row['rate_when_bought'])} when bought, value {signed(row['value'], 1)}" for row in named)
        + ".",
        draw=lambda sheet: _naive_figure(rows, named, sheet),
    )


def _naive_figure(rows: list[Row], named: list[Row], sheet: Sheet) -> None:
    from matplotlib.markers import MarkerStyle

    wide = sheet.wide
    axes = sheet.axes(*((360, 66, 16, 36, 54) if wide else (300, 52, 8, 56, 50)))
    axes.axhline(0, color=LIGHT["faint"], lw=1, zorder=1)
    axes.axvline(50, color=LIGHT["faint"], lw=1, zorder=1)
    kinds = [faction_of(row["faction"]) for row in rows]
    marks = axes.scatter(
        [row["rate_when_bought"] for row in rows],
        [row["value"] for row in rows],
        s=[75 * LARGER.get(ALL_MARKS[name], 1.0) ** 2 for name in kinds],
        c=[LIGHT[name] for name in kinds],
        edgecolors=LIGHT["sheet"],
        linewidths=1,
        zorder=3,
    )
    shapes = {name: (mark := MarkerStyle(ALL_MARKS[name])).get_path().transformed(mark.get_transform()) for name in set(kinds)}
    marks.set_paths([shapes[name] for name in kinds])
    told = [f"{row['card']}: wins {plain(row['rate_when_bought'])} of 100 when bought, access is worth {signed(row['value'], 1)} points" for row in rows]
    sheet.name(marks, *told)
    places = [(row["rate_when_bought"], row["value"]) for row in rows]
    name_points(sheet, axes, [(row["rate_when_bought"], row["value"], row["card"]) for row in named], places)
    axes.set_xlabel("games won of 100 when it was bought (association)" if wide else "games won of 100 when bought")
    axes.set_ylabel("access value, points of win rate" if wide else "access value, points")
    axes.grid(axis="both")
    axes.tick_params(length=0)
    _faction_legend(axes, [row["faction"] for row in rows], wide)
