"""Charts of win rates: overlords with the fair band, the match-up matrix, going first, the panel of strategies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from terrors.analysis.contract.findings_schema import COSTS, FAIR, OFF, PAYS, UNDECIDED
from terrors.analysis.contract.groups import is_mixed
from terrors.reports.charts.render import Chart, Sheet
from terrors.reports.format import count, half_width, plain, plus_minus, share
from terrors.reports.theme import ALL_MARKS, ALL_SIGNS, LARGER, LIGHT, arrow, faction_of, lean, lean_colour, short
from terrors.reports.wording import begun, group_words, of_games, overall
from terrors.simulator.terms.text import listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from terrors.reports.inputs import Material, Row

ROW, HEAD = 34, 86  # pixels of a row, and of all around the rows
MOST_MATCH_UPS = 12  # in the chart of the seats; the table has all


@dataclass(frozen=True)
class Line:
    """A row of an interval chart."""

    label: str
    row: Row | None  # with rate, low and high; None for a heading
    colour: str = "accent"
    mark: str = "o"
    strong: bool = False
    under: str = ""  # the heading that it stands under, for its name where the pointer is


def interval_chart(lines: list[Line], margin: float, label: str, sheet: Sheet) -> None:
    """Return a chart of rates with their intervals, one below the other, and the fair band behind them."""
    wide = sheet.wide
    left = min(250, 20 + 8 * max(len(line.label) for line in lines)) if wide else 6
    axes = sheet.axes((ROW if wide else ROW + 14) * len(lines), left, 130 if wide else 6, 28, 44)
    rows = [line.row for line in lines if line.row]
    reach = max([margin * 1.6, 5.0, *(max(abs(row["low"] - 50), abs(row["high"] - 50)) for row in rows)]) * 1.08
    reach = min(reach, 50.0)
    axes.set_xlim(50 - reach, 50 + reach)
    axes.set_ylim(len(lines) - 0.5, -0.5 if wide else -0.55)
    axes.axvspan(50 - margin, 50 + margin, color=LIGHT["band"], lw=0, zorder=0)
    axes.axvline(50, color=LIGHT["faint"], lw=1, zorder=1)
    for at, line in enumerate(lines):
        _interval_line(axes, at, line, sheet)
    axes.annotate(
        f"fair: 50 ± {plain(margin)}",
        (0.5, 1),
        xycoords="axes fraction",
        xytext=(0, 7),
        textcoords="offset points",
        ha="center",
        fontsize=11,
        color=LIGHT["soft"],
    )
    axes.set_yticks([])
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.set_xticks(ticks_around(50, reach))
    axes.grid(axis="x")
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel(label)


def ticks_around(middle: float, reach: float) -> list[float]:
    """Return round numbers on both sides of the middle, which is one of them."""
    step = next((step for step in (1, 2, 5, 10) if reach / step < 4.5), 20)
    n = int(reach / step)
    return [middle + step * k for k in range(-n, n + 1)]


def _interval_line(axes: Axes, at: int, line: Line, sheet: Sheet) -> None:
    wide = sheet.wide
    weight = "bold" if line.strong or line.row is None else "normal"
    across = axes.get_yaxis_transform()
    name = short(line.label, 30 if wide else 26)
    if wide:
        axes.text(-0.015, at, name, transform=across, ha="right", va="center", fontweight=weight)
    else:
        axes.text(0, at - 0.24, name, transform=across, ha="left", va="center", fontweight=weight)
    if line.row is None:
        return
    middle = at if wide else at + 0.2
    row, colour = line.row, LIGHT[line.colour]
    axes.plot([row["low"], row["high"]], [middle, middle], color=colour, lw=3, solid_capstyle="round", zorder=3)
    text = share(row["rate"], row["low"], row["high"])
    mark = axes.plot([row["rate"]], [middle], marker=line.mark, ms=9 * LARGER.get(line.mark, 1.0), color=colour, mec=LIGHT["sheet"], mew=1.2, zorder=4)[0]
    sheet.name(mark, f"{line.under}{line.label}: {text} of 100")
    if wide:
        axes.text(1.015, at, text, transform=across, ha="left", va="center", color=LIGHT["ink"], fontweight=weight)
    else:
        axes.text(1, at - 0.24, text, transform=across, ha="right", va="center", color=LIGHT["soft"], fontsize=11.5)


def caption(material: Material, what: str, group: str | None, pairs: float, lines: str = "; lines are 95 % intervals") -> str:
    """Return a caption with its usual end: games and run; `lines` is empty where none are drawn."""
    return f"{what} {group_words(material, group)} {count(2 * pairs)} games in pairs with exchanged seats{lines}. Run {material.run_id}."


def overlords(material: Material) -> Chart | None:
    """Return the forest plot of overlords."""
    rows = sorted(material.rows("overlords"), key=lambda row: -row["rate"])
    if not rows:
        return None
    margin = material.margin("overlord")
    off = [row for row in rows if row["verdict"] in OFF]
    if off:
        title = listed([f"{row['overlord']} wins {of_games(row)}" for row in off[:3]]) + (f", and {len(off) - 3} more are off balance" if len(off) > 3 else "")
    elif all(row["verdict"] == FAIR for row in rows):
        title = f"All overlords are fair: within {plain(margin)} points of even"
    else:
        title = "No overlord is clearly off balance, and not all are known well enough"
    title = begun(overall(material, material.group_of("overlords")), title)
    lines = [Line(f"{row['overlord']}", row, faction_of(row["faction"]), ALL_MARKS[faction_of(row["faction"])]) for row in rows]
    return Chart(
        name="overlords",
        title=title,
        caption=caption(
            material,
            f"Games won of 100 against all rivals, each rival with the same weight; the band is ±{plain(margin)}.",
            material.group_of("overlords"),
            sum(row["pairs"] for row in rows) / 2,
        ),
        alt=f"{title}. " + "; ".join(f"{row['overlord']} {share(row['rate'], row['low'], row['high'])}, {row['verdict']}" for row in rows) + ".",
        draw=lambda sheet: interval_chart(lines, margin, "games won of 100", sheet),
    )


def seats(material: Material) -> Chart | None:
    """Return the chart of what going first is worth: overall, by overlord, by match-up."""
    rows = material.rows("seats")
    whole = next((row for row in rows if not row["overlord"]), None)
    if whole is None:
        return None
    margin = material.margin("first")
    title = begun(overall(material, material.group_of("seats")), f"Going first wins {of_games(whole)}: {verdict_words(whole, margin)}")
    lines = [Line("all games", whole, strong=True)]
    lines += [Line(f"{row['overlord']} going first", row, "accent") for row in rows if row["overlord"] and not row["rival"]]
    match_ups = sorted((row for row in rows if row["rival"]), key=lambda row: -abs(row["rate"] - 50))
    lines += [Line(f"{row['overlord']} – {row['rival']}", row, "soft") for row in match_ups[:MOST_MATCH_UPS]]
    left_out = len(match_ups) - MOST_MATCH_UPS
    what = f"Games won of 100 by who goes first; the band is ±{plain(margin)}." + (
        f" {left_out} match-ups nearer to even are in the table." if left_out > 0 else ""
    )
    return Chart(
        name="seats",
        title=title,
        caption=caption(material, what, material.group_of("seats"), whole["pairs"]),
        alt=f"{title}. " + "; ".join(f"{line.label} {share(line.row['rate'], line.row['low'], line.row['high'])}" for line in lines if line.row) + ".",
        draw=lambda sheet: interval_chart(lines, margin, "games won of 100 by who goes first", sheet),
    )


def verdict_words(row: Row, margin: float) -> str:
    """Return a verdict in words: `fair within ±2`, `it pays (the margin is ±2)`, `not decided yet`."""
    words = {FAIR: f"fair within ±{plain(margin)}", UNDECIDED: "not decided yet"}
    words |= {state: f"it {state} (the margin is ±{plain(margin)})" for state in (PAYS, COSTS)}
    return words.get(row["verdict"], str(row["verdict"]))


def matchups(material: Material) -> Chart | None:
    """Return the chart of the match-up matrix, for its PNG file; the page has it as a table."""
    rows = [row for row in material.rows("matchups") if row["seat"] == "both"]
    if not rows:
        return None
    names = list(dict.fromkeys(row["overlord"] for row in rows))
    cells = {(row["overlord"], row["rival"]): row for row in rows}
    off = sorted((row for row in rows if row["verdict"] in OFF and row["rate"] > 50), key=lambda row: -row["rate"])
    if off:
        title = f"{off[0]['overlord']} beats {off[0]['rival']} in {of_games(off[0])}" + (f"; {len(off)} match-ups are off balance" if len(off) > 1 else "")
    elif all(row["verdict"] == FAIR for row in rows):
        title = f"All match-ups are fair: within {plain(material.margin('matchup'))} points of even"
    else:
        title = "No match-up is clearly off balance, and not all are known well enough"
    title = begun(overall(material, material.group_of("matchups")), title)
    told = [f"{row['overlord']} against {row['rival']} {share(row['rate'], row['low'], row['high'])}" for row in rows if row["rate"] >= 50]
    return Chart(
        name="matchups",
        title=title,
        caption=caption(
            material,
            "Games of 100 that the overlord of the row wins against that of the column. Colours run from 35 (blue) to 65 (orange) and fade to "
            "grey with uncertainty.",
            material.group_of("matchups"),
            sum(row["pairs"] for row in rows) / 2,
        ),
        alt=f"{title}. " + "; ".join(told) + ".",
        draw=lambda sheet: _matrix(names, cells, sheet),
    )


def _matrix(names: list[str], cells: dict[tuple[str, str], Row], sheet: Sheet) -> None:
    n = len(names)
    axes = sheet.axes(76 * n, min(220, 24 + 8 * max(map(len, names))), 20, 40 if n < 6 else 90, 16)
    axes.set_xlim(0, n)
    axes.set_ylim(n, 0)
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            row = cells.get((a, b))
            colour = LIGHT["sheet"] if row is None else lean_colour(lean(row["rate"], half_width(row["low"], row["high"]) or 0))
            axes.fill_between([j + 0.03, j + 0.97], i + 0.03, i + 0.97, color=colour, lw=0)
            if row is not None:
                digits = share(row["rate"], row["low"], row["high"]).split(" ")[0]
                axes.text(j + 0.5, i + 0.42, f"{digits} {arrow(row['low'], row['high'])}", ha="center", va="center", fontsize=14, fontweight="bold")
                axes.text(j + 0.5, i + 0.72, plus_minus(row["low"], row["high"]), ha="center", va="center", fontsize=10.5, color=LIGHT["soft"])
    axes.set_xticks([i + 0.5 for i in range(n)], [short(name, 18) for name in names], rotation=0 if n < 6 else 30, ha="center" if n < 6 else "left")
    axes.set_yticks([i + 0.5 for i in range(n)], [short(name, 24) for name in names])
    axes.xaxis.tick_top()
    axes.tick_params(length=0, labelcolor=LIGHT["ink"])
    for side in axes.spines.values():
        side.set_visible(False)


def own_groups(material: Material) -> list[str]:
    """Return the groups in which one strategy plays both sides, the best one first; all groups, if there are none such."""
    groups = material.groups_of("overlords")
    if not groups:
        return []
    order = [row["pilot"] for row in material.findings["pilots"]["list"]]
    own = [group for group in groups if not is_mixed(group)]
    return sorted(own, key=lambda group: order.index(group) if group in order else len(order)) or groups


def panel(material: Material) -> Chart | None:
    """Return the chart of each overlord in the hands of each group of strategies."""
    groups = own_groups(material)
    if len(groups) < 2:
        return None
    margin = material.margin("overlord")
    order = [row["overlord"] for row in sorted(material.rows("overlords"), key=lambda row: -row["rate"])]
    by_group = {group: {row["overlord"]: row for row in material.rows("overlords", group)} for group in groups}
    lines, flips, same = [], [], []
    for name in order:
        lines.append(Line(name, None))
        found = [(group, by_group[group][name]) for group in groups if name in by_group[group]]
        lines += [Line(group, row, faction_of(row["faction"]), ALL_MARKS[faction_of(row["faction"])], under=f"{name}, played by ") for group, row in found]
        ahead, behind = any(row["low"] > 50 for _, row in found), any(row["high"] < 50 for _, row in found)
        flips += [name] * (ahead and behind)
        same += [f"{name} is {'ahead' if ahead else 'behind'}"] * (all(row["low"] > 50 for _, row in found) or all(row["high"] < 50 for _, row in found))
    parts = [f"{listed(same)} with every strategy"] if same else []
    parts += [f"{listed(flips)} {'depends' if len(flips) == 1 else 'depend'} on who plays"] if flips else []
    title = "; ".join(parts) or "No overlord is ahead or behind with every strategy"
    return Chart(
        name="panel",
        title=title,
        caption=caption(material, "Games won of 100, by who decided for both players.", None, sum(row["pairs"] for row in material.rows("groups"))),
        alt=f"{title}. "
        + "; ".join(
            f"{name}: " + ", ".join(f"{group} {plain(by_group[group][name]['rate'])}" for group in groups if name in by_group[group]) for name in order
        ),
        draw=lambda sheet: interval_chart(lines, margin, "games won of 100", sheet),
    )


def strategies(material: Material) -> Chart | None:
    """Return the chart of which strategy beats which: each one's mean over the others."""
    rows = [row for row in material.rows("strategies") if row["strategy"] != row["rival_strategy"]]
    if not rows:
        return None
    names = list(dict.fromkeys(row["strategy"] for row in rows))
    cells = {(row["strategy"], row["rival_strategy"]): row for row in rows}
    mean = {name: sum(cells[name, other]["rate"] for other in names if (name, other) in cells) / max(1, len(names) - 1) for name in names}
    names.sort(key=lambda name: -mean[name])
    title = f"{names[0]} plays best: it wins {plain(mean[names[0]])} of 100 games against the others"
    return Chart(
        name="strategies",
        title=title,
        caption=caption(
            material,
            "Games of 100 that the strategy of the row wins against that of the column, all match-ups with equal weights.",
            None,
            sum(r["pairs"] for r in rows) / 2,
        ),
        alt=f"{title}. " + "; ".join(f"{a} against {b} {share(row['rate'], row['low'], row['high'])}" for (a, b), row in cells.items()),
        draw=lambda sheet: _matrix(names, cells, sheet),
    )


def legend(factions: list[str]) -> list[tuple[str, str, str]]:
    """Return faction, sign and colour of each that occurs, as the page explains them."""
    return [(name, ALL_SIGNS[faction_of(name)], faction_of(name)) for name in dict.fromkeys(factions)]
