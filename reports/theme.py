"""How everything looks: one visual language for the page, its charts and the PNG files.

Every colour has a name, a light and a dark value. Charts are drawn with the light values; in the page these become CSS variables (render.py), so that one
drawing serves both. Factions differ in colour, in lightness (they can be told apart in greyscale and by the colour-blind; tests measure both) and in the
shape of their mark. Win rates lean to blue (under 50) or orange (over 50) on a scale that never stretches to the data, and fade to grey as they get uncertain.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from terrors.analysis.contract.findings_schema import (
    BOMB,
    COSTS,
    DEAD,
    FAIR,
    FINE,
    IN_LINE,
    LOPSIDED,
    NOT_MEASURED,
    NOTABLE,
    OFF_BALANCE,
    OVERPRICED,
    PAYS,
    SLEEPER,
    STRONG,
    TOO_STRONG,
    TOO_WEAK,
    TRAP,
    UNDECIDED,
    UNDERPRICED,
    WEAK,
)
from terrors.simulator.terms.enums import Faction

# name: light, dark
COLOURS = {
    "paper": ("#fbfaf7", "#14171b"),
    "sheet": ("#fffffe", "#1b1f25"),
    "ink": ("#1c2024", "#e9e6df"),
    "soft": ("#565d65", "#a8adb5"),
    "faint": ("#8b9097", "#7a818a"),
    "line": ("#dedad2", "#343a42"),
    "grid": ("#edeae4", "#272c33"),
    "band": ("#e3ebe6", "#25332f"),
    "accent": ("#1d5688", "#8bbcec"),
    "accent-soft": ("#a9c4dc", "#34597c"),
    "accent-pale": ("#d8e4ee", "#223a52"),
    "fair": ("#2b6558", "#7fc7b3"),
    "lopsided": ("#a8480a", "#f0a15e"),
    "undecided": ("#656b73", "#a2a8b1"),
    "depends": ("#6a4791", "#c4a3ec"),
    "notable": ("#2f5f8f", "#91bde8"),
    "undead": ("#2e2162", "#8c77d9"),
    "beast": ("#8e3018", "#e5825f"),
    "spirit": ("#19797f", "#5cc9c4"),
    "mortal": ("#b58200", "#fadf8e"),
    "none": ("#70767d", "#c3c7cc"),
    "fifth": ("#2f7d4f", "#86d7a4"),  # and of the factions that only some sets have
    "sixth": ("#a33b7c", "#ee9fd0"),
    "seventh": ("#4a5a6a", "#aebccb"),
    "eighth": ("#6b4b1f", "#d3b17a"),
    "less": ("#7db3e0", "#2b639d"),  # a match-up that is lost, at the end of the scale
    "more": ("#f3a35f", "#9c5415"),  # and one that is won
    "even": ("#f8f6f2", "#20242a"),
    "unsure": ("#d3d2cf", "#3d4248"),
}
LIGHT = {name: pair[0] for name, pair in COLOURS.items()}
DARK = {name: pair[1] for name, pair in COLOURS.items()}

MARKS = {"undead": "s", "beast": "^", "mortal": "o", "spirit": "D", "none": "P"}  # matplotlib's letters
SIGNS = {"undead": "■", "beast": "▲", "mortal": "●", "spirit": "◆", "none": "✚"}  # the same in text
# Of the factions that only some sets have. No eight colours can be told apart by everybody; these differ in their marks.
ALL_MARKS = MARKS | {"fifth": "*", "sixth": "p", "seventh": "h", "eighth": "v"}
LARGER = {"*": 1.6}  # marks that look smaller than others of their size, and how much larger they are drawn
ALL_SIGNS = SIGNS | {"fifth": "★", "sixth": "⬟", "seventh": "⬢", "eighth": "▼"}
LOOKS = tuple(name for name in ALL_MARKS if name != "none")  # the first faction of a set looks like the first of these, and so on
_LABELS: dict[str, str] = {}  # of the set that is shown: look -> name of the faction
SCALE = (35.0, 65.0)  # of win rates, always
FADED_AT = 8.0  # points of ± at which a match-up is all grey: as much as its margin

VERDICTS = {
    FAIR: ("fair", "✓"),
    TOO_STRONG: ("lopsided", "▲"),
    TOO_WEAK: ("lopsided", "▼"),
    LOPSIDED: ("lopsided", "▲"),
    PAYS: ("lopsided", "▲"),
    COSTS: ("lopsided", "▼"),
    UNDECIDED: ("undecided", "?"),
    NOTABLE: ("notable", "●"),
    OFF_BALANCE: ("lopsided", "◆"),
    NOT_MEASURED: ("undecided", "–"),
    BOMB: ("lopsided", "✹"),
    STRONG: ("lopsided", "▲"),
    WEAK: ("lopsided", "▼"),
    TRAP: ("lopsided", "▼"),
    SLEEPER: ("depends", "◆"),
    DEAD: ("depends", "○"),
    FINE: ("fair", "✓"),
    UNDERPRICED: ("lopsided", "▲"),
    OVERPRICED: ("lopsided", "▼"),
    IN_LINE: ("fair", "✓"),
}  # state of a finding, class of a card, or its price: colour, sign

STYLE = {
    "svg.fonttype": "none",  # text stays text: it takes the page's font, and can be read aloud and found
    "svg.hashsalt": "terrors",
    "text.parse_math": False,  # a name may have dollars in it
    "font.family": ["DejaVu Sans"],
    "font.size": 12.5,
    "axes.titlesize": 14,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 12,
    "axes.labelcolor": LIGHT["soft"],
    "axes.edgecolor": LIGHT["line"],
    "axes.facecolor": "none",
    "axes.linewidth": 1.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "figure.facecolor": LIGHT["sheet"],
    "grid.color": LIGHT["grid"],
    "grid.linewidth": 1.0,
    "text.color": LIGHT["ink"],
    "xtick.color": LIGHT["line"],
    "ytick.color": LIGHT["line"],
    "xtick.labelcolor": LIGHT["soft"],
    "ytick.labelcolor": LIGHT["ink"],
    "xtick.labelsize": 11.5,
    "ytick.labelsize": 11.5,
    "legend.frameon": False,
    "legend.fontsize": 11.5,
}


@dataclass(frozen=True)
class Lean:
    """The place of a win rate on the scale: to which side, how far (0 to 1), and how certain it is (0 to 1)."""

    side: str
    far: float
    sure: float


def use_factions(factions: Iterable[Faction] = Faction.PRINTED) -> None:
    """Let the factions of a set have looks, in its order; one that has a colour of its own is shown in it, lighter where the page is dark."""
    _LABELS.clear()
    for look, faction in zip(LOOKS, factions, strict=False):
        _LABELS[look] = faction.label
        LIGHT[look], DARK[look] = (faction.colour, mixed(faction.colour, "#ffffff", 0.55)) if faction.colour else COLOURS[look]


def faction_of(name: str | None) -> str:
    """Return how a faction looks, by its name."""
    found = (name or "").strip().casefold()
    return next((look for look, label in _LABELS.items() if label.casefold() == found), "none")


def label_of(look: str) -> str:
    """Return the name of the faction that looks so."""
    return _LABELS.get(look, "no faction")


def lean(rate: float, half: float) -> Lean:
    """Return a rate on the fixed scale; ± half says how far it fades."""
    far = min(1.0, abs(rate - 50) / (SCALE[1] - 50))
    return Lean("more" if rate >= 50 else "less", far, max(0.0, 1.0 - half / FADED_AT))


def mixed(one: str, other: str, part: float) -> str:
    """Return a colour between two: `part` of the first."""
    a, b = (_rgb(colour) for colour in (one, other))
    return "#" + "".join(f"{round(part * x + (1 - part) * y):02x}" for x, y in zip(a, b, strict=True))


def lean_colour(where: Lean, theme: dict[str, str] = LIGHT) -> str:
    """Return the colour of a cell, as the style sheet mixes it."""
    return mixed(mixed(theme[where.side], theme["even"], where.far), theme["unsure"], where.sure)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def luminance(colour: str) -> float:
    """Return the relative luminance (WCAG): what is left of a colour in greyscale."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in _rgb(colour))]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours (WCAG): 4.5 is enough for text, 3 for marks."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def variables(theme: dict[str, str]) -> str:
    """Return the colours as CSS variables."""
    return "".join(f"--{name}:{colour};" for name, colour in theme.items())


def arrow(low: float, high: float, even: float = 50.0) -> str:
    """Return the sign of the way something points: up or down if the interval says so, else both."""
    return "▲" if low > even else "▼" if high < even else "◆" if low == high == even else "≈"


def short(name: str, length: int) -> str:
    """Return a name as it fits into a chart; its end is cut off."""
    return name if len(name) <= length else f"{name[: length - 1].rstrip()}…"


use_factions()
