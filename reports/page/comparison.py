"""The page of a comparison: what a change did, in the looks and the language of the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from terrors.analysis.compare import sentences
from terrors.analysis.contract.csv_text import csv_bytes
from terrors.analysis.contract.groups import BEST, HEADLINES, is_mixed
from terrors.reports.charts.render import Chart, Sheet, drawn
from terrors.reports.format import count, half_width, plain, points
from terrors.reports.format import decimals as digits
from terrors.reports.page.grids import Grid, TableCell, bar_cell, name_cell, state_cell
from terrors.reports.page.page import environment, policy, script, style
from terrors.reports.theme import ALL_MARKS, LARGER, LIGHT, faction_of, short, use_factions
from terrors.simulator.runs.storage import open_folder
from terrors.simulator.terms.text import listed, some

if TYPE_CHECKING:
    from terrors.analysis.compare import Comparison

    Row = dict[str, Any]

PRACTICAL = 1.0  # points: less makes no practical difference
ROW = 34  # pixels
CONTENTS = (("verdict", "What changed"), ("overlords", "Overlords"), ("matchups", "Match-ups"), ("cards", "Cards"), ("method", "How this was compared"))


@dataclass(frozen=True)
class WrittenComparison:
    """The files of a comparison that were written."""

    page: str
    size: int


def rows_of(found: Comparison, family: str, groups: Sequence[str] = HEADLINES) -> list[Row]:
    """Return the differences of a family: of the headline, or of other groups."""
    return [row for row in found.table.to_dicts() if row["family"] == family and row["group"] in groups]


def headline(found: Comparison) -> str:
    """Return the page's title: how much changed clearly."""
    clear = [row for row in found.table.to_dicts() if row["group"] in HEADLINES and row["p"] <= 0.05]
    if not clear:
        return "Nothing clearly changed."
    kinds = {"overlords": "overlords", "matchups": "match-ups", "first": "going first"}
    touched = [kinds[family] for family in kinds if any(row["family"] == family for row in clear)]
    return f"Changed: {listed(touched)}."


def difference_chart(found: Comparison) -> Chart:
    """Return the chart of overlords and going first: points won or lost, with their intervals."""
    factions = {card.name: card.faction.label or None for card in found.after.box.cards.overlords}
    overlords = sorted(rows_of(found, "overlords"), key=lambda row: -row["difference"])
    lines = [(row["overlord"], row, faction_of(factions.get(row["overlord"]))) for row in overlords]
    lines += [("going first", row, "none") for row in rows_of(found, "first")]
    moved = [(label, row) for label, row, _ in lines if row["p"] <= 0.05]
    title = _title(moved)
    deals = some(max((row["deals"] for _, row, _ in lines), default=0), "deal", "deals")
    whose = "in the best hands before and after" if any(row["group"] == BEST for _, row, _ in lines) else "over all strategies"
    caption = (
        f"Points of win rate after the change minus before, {whose}; the band is ±{plain(PRACTICAL)}, below which nobody would notice. "
        f"Lines are 95 % intervals, from up to {deals}{' that both runs played' if found.paired else ''}."
    )
    alt = ". ".join(f"{label}: {points(row['difference'], row['low'], row['high'])} points" for label, row, _ in lines)
    return Chart("differences", title, caption, f"{title}. {alt}.", lambda sheet: _draw(sheet, lines))


def _title(moved: list[tuple[str, Row]]) -> str:
    """Return a title in words: `Azazael gains 2 points and Methuselah loses 2`."""
    if not moved:
        return "No overlord's win rate clearly changed, nor what going first is worth"
    said: list[str] = []
    for label, row in sorted(moved, key=lambda pair: -abs(pair[1]["difference"]))[:3]:
        much = plain(abs(row["difference"]), digits(half_width(row["low"], row["high"])))
        said.append(f"{label} {'gains' if row['difference'] > 0 else 'loses'} {much}{'' if said else ' points'}")
    text = listed(said)
    return text[0].upper() + text[1:]


def _draw(sheet: Sheet, lines: list[tuple[str, Row, str]]) -> None:
    wide = sheet.wide
    left = min(250, 20 + 8 * max(len(label) for label, _, _ in lines)) if wide else 6
    axes = sheet.axes((ROW if wide else ROW + 14) * len(lines), left, 150 if wide else 6, 12, 44)
    reach = 1.1 * max(2.5, *(max(abs(row["low"]), abs(row["high"])) for _, row, _ in lines))
    axes.set_xlim(-reach, reach)
    axes.set_ylim(len(lines) - 0.5, -0.5 if wide else -0.55)
    axes.axvspan(-PRACTICAL, PRACTICAL, color=LIGHT["band"], lw=0, zorder=0)
    axes.axvline(0, color=LIGHT["faint"], lw=1, zorder=1)
    across = axes.get_yaxis_transform()
    for at, (label, row, faction) in enumerate(lines):
        middle = at if wide else at + 0.2
        text = points(row["difference"], row["low"], row["high"])
        axes.plot([row["low"], row["high"]], [middle, middle], color=LIGHT[faction], lw=3, solid_capstyle="round", zorder=3)
        mark = axes.plot(
            [row["difference"]],
            [middle],
            marker=ALL_MARKS[faction],
            ms=9 * LARGER.get(ALL_MARKS[faction], 1.0),
            color=LIGHT[faction],
            mec=LIGHT["sheet"],
            mew=1.2,
            zorder=4,
        )[0]
        sheet.name(mark, f"{label}: {text} points")
        if wide:
            axes.text(-0.015, at, short(label, 30), transform=across, ha="right", va="center")
            axes.text(1.015, at, text, transform=across, ha="left", va="center", color=LIGHT["ink"])
        else:
            axes.text(0, at - 0.24, short(label, 20), transform=across, ha="left", va="center")
            axes.text(1, at - 0.24, text, transform=across, ha="right", va="center", color=LIGHT["soft"], fontsize=11.5)
    axes.set_yticks([])
    for side in ("left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.grid(axis="x")
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel("points of win rate, after minus before")


def _rate(value: float, row: Row) -> TableCell:
    return TableCell(plain(value, digits(half_width(row["low"], row["high"]))), value)


def rate_grid(found: Comparison, family: str) -> Grid:
    """Return the table of overlords or match-ups: before, after and the difference."""
    factions = {card.name: card.faction.label or None for card in found.after.box.cards.overlords}
    rows = sorted(rows_of(found, family), key=lambda row: -abs(row["difference"]))
    reach = max([3.0, *(max(abs(row["low"]), abs(row["high"])) for row in rows)])
    body = []
    for row in rows:
        names = [name_cell(row["overlord"], factions.get(row["overlord"]))] + ([TableCell(row["rival"], None, "text")] if family == "matchups" else [])
        text = points(row["difference"], row["low"], row["high"])
        clear = TableCell("clear" if row["p"] <= 0.05 else "may be chance", row["p"], "text")
        verdicts = [verdict_cell(row[f"verdict_{when}"]) for when in ("before", "after")]
        bar = bar_cell(text, row["difference"], row["low"], row["high"], reach, PRACTICAL)
        body.append([*names, _rate(row["before"], row), _rate(row["after"], row), bar, clear, *verdicts])
    columns = [("Overlord", "")] + ([("against", "")] if family == "matchups" else [])
    columns += [
        ("before", "Games won of 100"),
        ("after", "Games won of 100"),
        ("difference", "Points, with their 95 % interval"),
        ("", "After correction for the number of questions"),
        ("was", "The verdict before"),
        ("is", "The verdict now"),
    ]
    return Grid(f"compared-{family}", f"{family.capitalize()} before and after", columns, body)


def verdict_cell(verdict: str) -> TableCell:
    """Return a verdict with its lean as a cell."""
    state, _, lean = verdict.partition(", ")
    return state_cell(state) if not lean else TableCell(verdict, None, "text")


def pilot_grid(found: Comparison) -> Grid:
    """Return the table of overlords before and after by who plays both sides."""
    groups = [group for group in dict.fromkeys(row["group"] for row in found.table.to_dicts()) if group not in HEADLINES and not is_mixed(group)]
    columns = [("Pilot", "plays both sides"), ("Overlord", ""), ("before", "Games won of 100"), ("after", "Games won of 100"), ("was", "The verdict before"),
               ("is", "The verdict now")]  # fmt: skip
    body = [
        [name_cell(row["group"]), TableCell(row["overlord"], None, "text"), _rate(row["before"], row), _rate(row["after"], row),
         *(verdict_cell(row[f"verdict_{when}"]) for when in ("before", "after"))]
        for row in rows_of(found, "overlords", groups)
    ]  # fmt: skip
    return Grid("compared-pilots", "Overlords before and after, by who plays", columns, body if len(groups) > 1 else [])


def card_grid(found: Comparison) -> Grid:
    """Return the table of access values before and after."""
    columns = [("Card", ""), ("before", "Access value, points"), ("after", "Access value, points"), ("difference", "Points, with their 95 % interval"),
               ("was", "Its class before"), ("is", "Its class now")]  # fmt: skip
    if found.cards is None:
        return Grid("compared-cards", "Cards before and after", columns, [])
    rows = found.cards.to_dicts()
    reach = max([3.0, *(max(abs(row["low"]), abs(row["high"])) for row in rows)])
    body = []
    for row in rows:
        text = points(row["difference"], row["low"], row["high"])
        values = [TableCell(plain(row[when], digits(half_width(row["low"], row["high"]))), row[when]) for when in ("before", "after")]
        bar = bar_cell(text, row["difference"], row["low"], row["high"], reach, PRACTICAL)
        body.append([name_cell(row["card"]), *values, bar, state_cell(row["class_before"]), state_cell(row["class_after"])])
    return Grid("compared-cards", "Cards before and after", columns, body)


def _first_words(row: Row) -> dict[str, str]:
    """Return the words for what going first won before and after."""
    words = {name: _rate(row[name], row).text for name in ("before", "after")}
    return words | {"difference": points(row["difference"], row["low"], row["high"])}


def page(found: Comparison, chart: dict[str, str]) -> str:
    """Return the whole page."""
    code = script()
    both = [group for group in found.before.groups if group in found.after.groups]
    own = [group for group in both if not is_mixed(group)]
    first = rows_of(found, "first")
    sides = [{"what": what, "folders": [run.folder.address for run in source.runs], "games": count(source.taken()["games"]),
              "seeds": ", ".join(str(run.plan.seed) for run in source.runs)}
             for what, source in (("before", found.before), ("after", found.after))]  # fmt: skip
    context = {
        "policy": policy(code), "style": style(), "script": code, "contents": [{"anchor": anchor, "title": title} for anchor, title in CONTENTS],
        "headline": headline(found), "changes": found.changes, "sentences": sentences(found), "chart": chart, "paired": found.paired,
        "shared": f"{100 * found.paired:.0f}", "sides": sides,
        "first": [_first_words(row) for row in first],
        "by_pilot": pilot_grid(found),
        "overlords": rate_grid(found, "overlords"), "matchups": rate_grid(found, "matchups"), "cards": card_grid(found),
        "strategies": own or both,
        "command": f"terrors compare {sides[0]['folders'][0]} {sides[1]['folders'][0]}",
    }  # fmt: skip
    return environment().get_template("compare.html").render(context)


def make_comparison(found: Comparison, out: Path) -> WrittenComparison:
    """Write the page, its figure as PNG and its tables as CSV beside it."""
    use_factions(found.after.box.cards.dialect.factions)
    chart, picture = drawn(difference_chart(found))
    text = page(found, chart).encode()
    folder, beside = open_folder(out.parent), f"{out.stem}_files"
    folder.write(f"{beside}/differences.png", picture)
    folder.write(f"{beside}/differences.csv", csv_bytes(found.table))
    if found.cards is not None:
        folder.write(f"{beside}/cards.csv", csv_bytes(found.cards))
    folder.write(out.name, text)
    return WrittenComparison(str(out), len(text))
