"""Charts of how games feel: their length, how the chances flow, and whether the model of chances can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from terrors.reports.charts.render import Chart, Sheet
from terrors.reports.format import count, plain, share
from terrors.reports.theme import LIGHT
from terrors.reports.wording import group_words

if TYPE_CHECKING:
    from terrors.reports.inputs import Material, Row

DECIDED = 80  # a chance beyond which a game counts as good as decided
MOST_SHOWN = 0.998  # of the games are in the histogram of lengths: a few endless ones would squeeze it
WORTH_SHOWING = 0.05  # turns that fewer of the games reach are left out of the river


def quantile(turns: np.ndarray, games: np.ndarray, part: float) -> int:
    """Return the length that a part of the games does not exceed."""
    return int(turns[np.searchsorted(np.cumsum(games) / games.sum(), part - 1e-12)])


def length(material: Material) -> Chart | None:
    """Return the chart of how many turns games take."""
    rows = sorted(material.rows("length"), key=lambda row: row["turns"])
    games = np.array([row["games"] for row in rows], float)
    if not rows or not games.sum():
        return None
    turns = np.array([row["turns"] for row in rows])
    low, quarter, middle, three, high = (quantile(turns, games, part) for part in (0.05, 0.25, 0.5, 0.75, 0.95))
    title = f"Half of the games take {quarter} to {three} turns; 90 of 100 take {low} to {high}"
    total, last = games.sum(), max(quantile(turns, games, MOST_SHOWN), high)
    longer = int(games[turns > last].sum())
    shown = turns <= last
    rest = f" {count(longer)} games that took up to {turns[-1]} turns are not drawn." if longer else ""
    if longer == 1:
        rest = f" One game that took {turns[-1]} turns is not drawn."
    group = group_words(material, material.group_of("length"))
    return Chart(
        name="length",
        title=title,
        caption=f"Turns of a game, both players' counted. {group} {count(total)} games; the middle one takes {middle} turns.{rest} Run {material.run_id}.",
        alt=f"{title}; the middle one takes {middle}.",
        draw=lambda sheet: _length_figure(turns[shown], 100 * games[shown] / total, (low, middle, high), sheet),
    )


def _length_figure(turns: np.ndarray, shares: np.ndarray, marks: tuple[int, int, int], sheet: Sheet) -> None:
    axes = sheet.axes(*((280, 62, 16, 8, 54) if sheet.wide else (220, 48, 8, 8, 50)))
    inside = (turns >= marks[0]) & (turns <= marks[2])
    for chosen, colour in ((inside, "accent"), (~inside, "accent-soft")):
        bars = axes.bar(turns[chosen], shares[chosen], width=0.82, color=LIGHT[colour], lw=0)
        for bar, turn, part in zip(bars, turns[chosen], shares[chosen], strict=True):
            sheet.name(bar, f"{turn} turns: {plain(part, 1)} of 100 games")
    top = shares.max()
    axes.plot([marks[1], marks[1]], [0, top * 1.06], color=LIGHT["ink"], lw=1.2)
    axes.text(marks[1], top * 1.08, f"middle: {marks[1]}", ha="center", va="bottom", fontsize=11.5)
    axes.set_ylim(0, top * 1.2)
    axes.set_xticks(whole_turns(int(turns[0]), int(turns[-1]), sheet.wide))
    axes.set_xlabel("turns, both players' counted")
    axes.set_ylabel("of 100 games")
    axes.grid(axis="y")
    axes.tick_params(length=0)
    axes.spines["left"].set_visible(False)


def whole_turns(first: int, last: int, wide: bool) -> list[int]:
    """Return the turns that an axis names: whole and even ones, as many as there is room for."""
    step = next((step for step in (2, 4, 10, 20, 50) if (last - first) / step <= (14 if wide else 7)), 100)
    return list(range(-(-first // step) * step, last + 1, step))


def river(material: Material) -> Chart | None:
    """Return the chart of how the first player's chance spreads, after turns of the second only: both have had as many then. Who moved last looks better."""
    rows = material.rows("chances")
    if not rows:
        return None
    bands = {band: {row["turn"]: row["chance"] for row in rows if row["band"] == band} for band in sorted({row["band"] for row in rows})}
    games = {row["turn"]: row["games"] for row in rows}
    enough = WORTH_SHOWING * max(games.values())
    turns = [turn for turn in sorted(games) if turn % 2 == 0 and games[turn] >= enough and all(turn in of_band for of_band in bands.values())]
    if len(turns) < 2 or not {25, 50, 75} <= bands.keys():
        return None
    half = max((turn for turn in turns if games[turn] >= max(games.values()) / 2), default=turns[-1])
    decided = next((turn for turn in turns if turn <= half and bands[75][turn] >= DECIDED and bands[25][turn] <= 100 - DECIDED), None)
    if decided is None:
        between = f"{plain(bands[25][half])} and {plain(bands[75][half])} of 100"
        title = f"After turn {half}, in half of the games still running the first player's chance is between {between}"
    else:
        title = f"From turn {decided} on, half of the games still running are as good as decided: one player has {DECIDED} chances in 100 or more"
    mark = half if decided is None else decided
    return Chart(
        name="river",
        title=title,
        caption=f"The first player's chance to win after each turn of the second player, as the model sees it; of 100 games that last so "
        f"long, 90 are in the pale band and 50 in the dark one. "
        f"{group_words(material, material.group_of('chances'))} {count(max(games.values()))} games. Run {material.run_id}.",
        alt=f"{title}. The middle game stands at {plain(bands[50][turns[0]])} of 100 after turn {turns[0]} and at {plain(bands[50][turns[-1]])} "
        f"after turn {turns[-1]}.",
        draw=lambda sheet: _river_figure(turns, bands, games, mark, sheet),
    )


def _river_figure(turns: list[int], bands: dict[int, dict[int, float]], games: dict[int, int], mark: int, sheet: Sheet) -> None:
    axes = sheet.axes(*((300, 62, 16, 26, 54) if sheet.wide else (240, 52, 12, 26, 50)))
    for low, high, colour in ((5, 95, "accent-pale"), (25, 75, "accent-soft")):
        if low in bands and high in bands:
            axes.fill_between(turns, [bands[low][t] for t in turns], [bands[high][t] for t in turns], color=LIGHT[colour], lw=0)
    axes.plot(turns, [bands[50][t] for t in turns], color=LIGHT["accent"], lw=2.5)
    axes.axhline(50, color=LIGHT["faint"], lw=1, ls=(0, (4, 3)))
    axes.axvline(mark, color=LIGHT["ink"], lw=1.2)
    axes.text(mark, 102, f"turn {mark}", ha="center", va="bottom", fontsize=11.5)
    for turn in turns:
        dot = axes.plot([turn], [bands[50][turn]], "o", ms=5, color=LIGHT["accent"], clip_on=False)[0]
        half = f"half of them between {plain(bands[25][turn])} and {plain(bands[75][turn])}"
        sheet.name(dot, f"After turn {turn}: {plain(bands[50][turn])} of 100 in the middle of {count(games[turn])} games, {half}")
    axes.set_xlim(turns[0], turns[-1])
    axes.set_xticks(whole_turns(turns[0], turns[-1], sheet.wide))
    axes.set_ylim(0, 100)
    axes.set_yticks([0, 25, 50, 75, 100])
    axes.set_xlabel("turn, both players' counted")
    axes.set_ylabel("the first player's chance, of 100" if sheet.wide else "first player's chance")
    axes.grid(axis="y")
    axes.tick_params(length=0)
    axes.spines["left"].set_visible(False)


def calibration(material: Material) -> Chart | None:
    """Return the chart of whether what was given 70 chances in 100 was won 70 times."""
    rows: list[Row] = sorted(material.rows("calibration"), key=lambda row: row["predicted"])
    if len(rows) < 2:
        return None
    worst = max(rows, key=lambda row: abs(row["predicted"] - row["won"]))
    off = abs(worst["predicted"] - worst["won"])
    title = f"Chances can be taken at their word: what the model says is off by {plain(off, 1)} points at the most"
    if off > 5:
        title = f"Take chances with care: where the model says {plain(worst['predicted'])} of 100, {plain(worst['won'])} are won"
    return Chart(
        name="calibration",
        title=title,
        caption=f"Chance to win that the model gave against games that were won; none of these games were used for fitting. "
        f"{count(sum(row['moments'] for row in rows))} moments; "
        f"lines are 95 % intervals. Run {material.run_id}.",
        alt=f"{title}. " + "; ".join(f"said {plain(row['predicted'])}, won {share(row['won'], row['low'], row['high'])}" for row in rows) + ".",
        draw=lambda sheet: _calibration_figure(rows, sheet),
    )


def _calibration_figure(rows: list[Row], sheet: Sheet) -> None:
    axes = sheet.axes(*((360, 62, 316, 12, 54) if sheet.wide else (260, 52, 12, 12, 50)))
    axes.plot([0, 100], [0, 100], color=LIGHT["faint"], lw=1, ls=(0, (4, 3)))
    for row in rows:
        axes.plot([row["predicted"]] * 2, [row["low"], row["high"]], color=LIGHT["accent"], lw=2.5, solid_capstyle="round")
        dot = axes.plot([row["predicted"]], [row["won"]], "o", color=LIGHT["accent"], ms=7, mec=LIGHT["sheet"], mew=1.2)[0]
        sheet.name(dot, f"Where the model says {plain(row['predicted'])} of 100, {share(row['won'], row['low'], row['high'])} were won")
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    axes.set_xlabel("chance to win that the model gave, of 100" if sheet.wide else "chance given, of 100")
    axes.set_ylabel("games won, of 100")
    axes.grid(axis="both")
    axes.tick_params(length=0)
