"""From a chart to files: a PNG with its title and caption in it, and SVG for the page, drawn wide and narrow, with colours that follow the page's theme."""

from __future__ import annotations

import io
import re
import textwrap
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np

from terrors.reports.charts.png_file import png_file
from terrors.reports.theme import LIGHT, STYLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

WIDE, NARROW = 800, 336  # pixels in the page
UNITS = 72  # of a drawing to an inch: one is a pixel in the page
PNG_DPI = 144
MARGIN = 18
_COLOUR = re.compile(r"#[0-9a-f]{6}")
_NUMBER = re.compile(r"-?\d+\.\d{2,}")
AS_TABLE = ("matchups", "strategies")  # charts that the page has as a table instead
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters that a name may have and XML may not
_FONT = re.compile(r"font-family:[^;]*;?\s*")
_SVG, _XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"


class Sheet:
    """A sheet that a chart is drawn on: wide or narrow.

    Places are given in pixels: laying them out by hand takes a tenth of the time that matplotlib's own layout takes, and is the same on every machine.
    """

    def __init__(self, wide: bool) -> None:
        """Take the width; the height is the chart's."""
        self.wide = wide
        self.width, self.height = WIDE if wide else NARROW, 0
        self.names: dict[str, list[str]] = {}  # id of a mark in the drawing: its name; of a group of marks: the names of all, in order

    def axes(self, height: int, left: int, right: int, top: int, bottom: int) -> Axes:
        """Return the one pair of axes of a chart: its height, and the room around it."""
        from matplotlib.figure import Figure

        self.height = top + height + bottom
        self.figure = Figure(figsize=(self.width / UNITS, self.height / UNITS))
        return self.figure.add_axes((left / self.width, bottom / self.height, (self.width - left - right) / self.width, height / self.height))

    def make_room(self, head: int, foot: int) -> None:
        """Make it higher by so many pixels above and below; what is drawn stays as large as it is."""
        height = head + self.height + foot
        for axes in self.figure.axes:
            at = axes.get_position(original=True)
            axes.set_position((at.x0, (at.y0 * self.height + foot) / height, at.width, at.height * self.height / height))
        self.figure.set_size_inches(self.width / UNITS, height / UNITS)
        self.height = height

    def name(self, artist: Artist, *names: str) -> None:
        """Give a mark its name, which the page shows where the pointer or the focus is; a group of marks their names."""
        artist.set_gid(f"mark-{len(self.names)}")
        self.names[str(artist.get_gid())] = list(names)

    def write(self, down: float, text: str, **style: Any) -> None:
        """Write a text at the left, so many pixels below the upper edge."""
        self.figure.text(MARGIN / self.width, 1 - down / self.height, text, ha="left", va="top", **style)


@dataclass(frozen=True)
class Chart:
    """A picture that states a finding."""

    name: str  # of its PNG file
    title: str  # the finding
    caption: str  # what is shown, of how many games, with which interval, of which run
    alt: str  # the finding and the numbers behind it, for who cannot see it
    draw: Callable[[Sheet], None]


@contextmanager
def style() -> Iterator[None]:
    """Draw with the looks of the house; a sign that the PNG's font does not have is no reason to complain."""
    import matplotlib

    with matplotlib.rc_context(STYLE), warnings.catch_warnings():  # type: ignore[arg-type]
        warnings.filterwarnings("ignore", message=r".*[Gg]lyph.*")
        yield


def sheet_of(chart: Chart, wide: bool) -> Sheet:
    """Return a sheet with the chart on it, which can be saved in several forms: to lay it out takes as long as to save it."""
    sheet = Sheet(wide)
    with style():
        chart.draw(sheet)
    return sheet


def png(chart: Chart, sheet: Sheet | None = None) -> bytes:
    """Return the chart as a picture that stands for itself. `sheet`: a wide one with the chart on it, which gets a title and a caption for good."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    sheet = sheet or sheet_of(chart, True)
    title, caption = textwrap.wrap(chart.title, 82), textwrap.wrap(chart.caption, 122)
    foot = 14 + 15 * len(caption) + 12
    with style():
        sheet.make_room(20 + 22 * len(title) + 14, foot)
        sheet.write(18, "\n".join(title), fontsize=15, fontweight="bold", linespacing=1.25)
        sheet.write(sheet.height - foot + 12, "\n".join(caption), fontsize=10.5, color=LIGHT["soft"], linespacing=1.3)
        sheet.figure.patch.set_visible(True)
        sheet.figure.set_dpi(PNG_DPI)
        canvas: Any = FigureCanvasAgg(sheet.figure)
        canvas.draw()
    return png_file(np.asarray(canvas.buffer_rgba()), PNG_DPI, {"Software": "terrors", "Title": chart.title})


def svg(chart: Chart, wide: bool, sheet: Sheet | None = None) -> str:
    """Return the chart for the page, without title and caption, which the page has as text. `sheet`: one as wide with the chart on it."""
    sheet = sheet or sheet_of(chart, wide)
    out = io.StringIO()
    with style():
        sheet.figure.patch.set_visible(False)
        sheet.figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return clean(out.getvalue(), f"{chart.name}-{'w' if wide else 'n'}-", sheet.names)


def clean(text: str, prefix: str, names: dict[str, list[str]]) -> str:
    """Return Matplotlib's SVG as part of a page: no header, no fonts, ids that are this chart's own, colours as variables, numbers to a tenth of a pixel.

    `names`: of marks, by the id of their element.
    """
    root = ElementTree.fromstring(_NO_XML.sub("\ufffd", text))
    used = {match for element in root.iter() for value in element.attrib.values() for match in re.findall(r"(?:url\()?#([\w.-]+)", value)}
    for element in list(root.iter()):
        _name_marks(element, names.get(element.get("id", ""), []))
    variable = {colour: f"var(--{name})" for name, colour in LIGHT.items()}
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        element.attrib = {name.removeprefix(_XLINK): value for name, value in element.attrib.items()}
        _clean_one(element, prefix, used, variable)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == "metadata" or (child.tag == "defs" and len(child) == 1 and child[0].tag == "style"):
                parent.remove(child)
    size = root.attrib.get("viewBox", "0 0 1 1").split()
    root.attrib = {"viewBox": " ".join(size), "width": size[2], "height": size[3], "aria-hidden": "true", "focusable": "false"}
    return re.sub(r">\s+<", "><", ElementTree.tostring(root, encoding="unicode"))


def _name_marks(element: ElementTree.Element, names: list[str]) -> None:
    """Write the name of a mark into its element, as a title; names of several into the elements below it."""
    marks = [element] if len(names) == 1 else [child for child in element if child.tag != f"{_SVG}defs"]
    for mark, name in zip(marks, names, strict=False):
        mark.set("class", "mark")
        title = ElementTree.Element("title")
        title.text = _NO_XML.sub("\ufffd", name)
        mark.insert(0, title)


def _clean_one(element: ElementTree.Element, prefix: str, used: set[str], variable: dict[str, str]) -> None:
    for name, value in list(element.attrib.items()):
        if name == "id":
            if value in used:
                element.set("id", prefix + value)
            else:
                del element.attrib["id"]
            continue
        if name in ("href", "clip-path"):
            value = value.replace("#", f"#{prefix}")
        elif name == "style":
            value = _COLOUR.sub(lambda match: variable.get(match.group(), match.group()), _FONT.sub("", value))
        if name == "transform" and value.startswith("rotate(-0 "):
            del element.attrib["transform"]
            continue
        if name != "style":  # where a tenth may be an opacity
            value = _NUMBER.sub(lambda match: f"{float(match.group()):.1f}".removesuffix(".0"), value)
        element.set(name, " ".join(value.split()))


def drawn(chart: Chart) -> tuple[dict[str, str], bytes]:
    """Return a chart as the templates take it, and as a picture that stands for itself."""
    sheet = sheet_of(chart, True)
    found = {"name": chart.name, "title": chart.title, "caption": chart.caption, "alt": chart.alt}
    if chart.name not in AS_TABLE:
        found |= {"wide": svg(chart, True, sheet), "narrow": svg(chart, False)}
    return found, png(chart, sheet)
