"""From a chart to files: a PNG with its title and caption in it, and SVG for the page, drawn wide and narrow, with colours that follow the page's theme."""

from __future__ import annotations

import io
import re
import textwrap
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from reports.looks import LIGHT, STYLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.figure import Figure

WIDE, NARROW = 800, 336  # pixels in the page; a drawing has 72 units to an inch
PNG_DPI = 144
_VARIABLE = {colour: f"var(--{name})" for name, colour in LIGHT.items()}
_COLOUR = re.compile(r"#[0-9a-f]{6}")
_NUMBER = re.compile(r"-?\d+\.\d{2,}")
_FONT = re.compile(r"font-family:[^;]*;?\s*")
_SVG, _XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"


@dataclass(frozen=True)
class Chart:
    """A picture that states a finding."""

    name: str  # of its PNG file
    title: str  # the finding
    caption: str  # what is shown, of how many games, with which interval, of which run
    alt: str  # the finding and the numbers behind it, for who cannot see it
    draw: Callable[[bool], Figure]  # wide or narrow


@contextmanager
def style() -> Iterator[None]:
    """Draw with the looks of the house; a sign that the PNG's font does not have is no reason to complain."""
    import matplotlib

    with matplotlib.rc_context(STYLE), warnings.catch_warnings():  # type: ignore[arg-type]
        warnings.filterwarnings("ignore", message=r".*[Gg]lyph.*")
        warnings.filterwarnings("ignore", message=".*constrained_layout not applied.*")
        yield


def new_figure(wide: bool, height: float) -> Figure:
    """An empty figure of so many pixels' height."""
    from matplotlib.figure import Figure

    return Figure(figsize=((WIDE if wide else NARROW) / 72, height / 72), layout="constrained")


def png(chart: Chart) -> bytes:
    """The chart as a picture that stands for itself."""
    out = io.BytesIO()
    with style():
        figure = chart.draw(True)
        columns = int(figure.get_figwidth() * 72 / 8.6)
        figure.suptitle("\n".join(textwrap.wrap(chart.title, columns)), x=0.012, ha="left", fontsize=15, fontweight="bold")
        figure.text(0.012, -0.02, "\n".join(textwrap.wrap(chart.caption, int(columns * 1.45))), ha="left", va="top", fontsize=10, color=LIGHT["soft"])
        figure.savefig(out, format="png", dpi=PNG_DPI, bbox_inches="tight", pad_inches=0.25, metadata={"Software": "terrors", "Title": chart.title})
    return out.getvalue()


def svg(chart: Chart, wide: bool) -> str:
    """The chart for the page, without title and caption, which the page has as text."""
    out = io.StringIO()
    with style():
        figure = chart.draw(wide)
        figure.patch.set_visible(False)
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return clean(out.getvalue(), f"{chart.name}-{'w' if wide else 'n'}-")


def clean(text: str, prefix: str) -> str:
    """Matplotlib's SVG as part of a page: no header, no fonts, ids that are this chart's own, colours as variables, numbers to a tenth of a pixel."""
    root = ElementTree.fromstring(text)
    used = {match for element in root.iter() for value in element.attrib.values() for match in re.findall(r"(?:url\()?#([\w.-]+)", value)}
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        element.attrib = {name.removeprefix(_XLINK): value for name, value in element.attrib.items()}
        _clean_one(element, prefix, used)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == "metadata" or (child.tag == "defs" and len(child) == 1 and child[0].tag == "style"):
                parent.remove(child)
    size = root.attrib.get("viewBox", "0 0 1 1").split()
    root.attrib = {"viewBox": " ".join(size), "width": size[2], "height": size[3], "aria-hidden": "true", "focusable": "false"}
    return re.sub(r">\s+<", "><", ElementTree.tostring(root, encoding="unicode"))


def _clean_one(element: ElementTree.Element, prefix: str, used: set[str]) -> None:
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
            value = _COLOUR.sub(lambda match: _VARIABLE.get(match.group(), match.group()), _FONT.sub("", value))
        if name == "transform" and value.startswith("rotate(-0 "):
            del element.attrib["transform"]
            continue
        if name != "style":  # where a tenth may be an opacity
            value = _NUMBER.sub(lambda match: f"{float(match.group()):.1f}".removesuffix(".0"), value)
        element.set(name, " ".join(value.split()))
