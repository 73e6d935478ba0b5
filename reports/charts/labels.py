"""Names beside marks, so that none covers a mark or another name. What finds no place is left out: the page names every mark under the pointer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from terrors.reports.theme import LIGHT, short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from terrors.reports.charts.render import Sheet

LETTER = 0.6  # of the font's size: as wide as a letter is at most on average
MARK = 6.0  # pixels from the middle of a mark to its edge, and a little
RINGS = (4, 12, 24, 40, 60, 84, 110)  # pixels between a mark and its name
SIDES = ((1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1), (0, 1), (0, -1), (1, 2), (-1, 2), (1, -2), (-1, -2))
LEADER = 12  # from so many pixels on a line leads from the mark to its name


@dataclass(frozen=True)
class Frame:
    """A rectangle in pixels."""

    left: float
    low: float
    right: float
    high: float

    def hits(self, other: Frame) -> bool:
        """Whether two boxes overlap."""
        return self.left < other.right and other.left < self.right and self.low < other.high and other.low < self.high

    def within(self, other: Frame) -> bool:
        """Whether this one lies in the other."""
        return other.left <= self.left and self.right <= other.right and other.low <= self.low and self.high <= other.high


def places(wanted: Sequence[tuple[float, float, float]], height: float, taken: Sequence[Frame], area: Frame) -> list[tuple[Frame, int] | None]:
    """Return for each name (x and y of its mark, and its width) its box and how far it is from the mark; None where there is no free place."""
    boxes, found = list(taken), []
    for x, y, width in wanted:
        spot = next((one for one in _around(x, y, width, height) if one[0].within(area) and not any(one[0].hits(box) for box in boxes)), None)
        found.append(spot)
        boxes += [spot[0]] if spot else []
    return found


def _around(x: float, y: float, width: float, height: float) -> list[tuple[Frame, int]]:
    """Return the boxes around a mark that a name may take, the nearest first."""
    spots = []
    for ring in RINGS:
        for across, up in SIDES:
            middle_x = x + across * (MARK + ring * (0.5 if up else 1.0) + width / 2)
            middle_y = y + (up / abs(up) * (MARK + ring * abs(up) / 2 + height / 2) if up else 0.0)
            spots.append((Frame(middle_x - width / 2, middle_y - height / 2, middle_x + width / 2, middle_y + height / 2), ring))
    return spots


def name_points(sheet: Sheet, axes: Axes, named: Sequence[tuple[float, float, str]], marks: Sequence[tuple[float, float]],
                lines: Sequence[tuple[float, float, float]] = ()) -> None:  # fmt: skip
    """Write names beside their points. `marks`: all marks of the chart; `lines`: x, low and high of the intervals that are drawn."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
    where = axes.get_position()
    width, height = where.width * sheet.width, where.height * sheet.height
    size = 12 if sheet.wide else 11

    def at(x: float, y: float) -> tuple[float, float]:
        return (x - left) / (right - left) * width, (y - low) / (high - low) * height

    def back(x: float, y: float) -> tuple[float, float]:
        return left + x / width * (right - left), low + y / height * (high - low)

    taken = [Frame(x - MARK, y - MARK, x + MARK, y + MARK) for x, y in (at(*mark) for mark in marks)]
    taken += [Frame(at(x, a)[0] - 1.5, at(x, a)[1], at(x, b)[0] + 1.5, at(x, b)[1]) for x, a, b in lines]
    texts = [short(name, 26 if sheet.wide else 17) for _, _, name in named]
    wanted = [(*at(x, y), LETTER * size * len(text)) for (x, y, _), text in zip(named, texts, strict=True)]
    for (x, y, _), text, spot in zip(named, texts, places(wanted, 1.25 * size, taken, Frame(0, 0, width, height)), strict=True):
        if spot is None:
            continue
        box, far = spot
        beside = box.left if box.left > at(x, y)[0] else box.right if box.right < at(x, y)[0] else (box.left + box.right) / 2
        side = "left" if beside == box.left else "right" if beside == box.right else "center"
        axes.annotate(
            text, xy=(x, y), xytext=back(beside, (box.low + box.high) / 2), ha=side, va="center", fontsize=size, zorder=5, annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": LIGHT["faint"], "lw": 0.8, "shrinkB": 4} if far >= LEADER else None,
        )  # fmt: skip
