"""The page of the lab: the report's frame and style sheet, the sheet as JSON, and plain JavaScript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from terrors.analysis.contract.margins import Margins
from terrors.lab.sheet import OpenedSet, sheet_data
from terrors.reports.page.page import as_json, environment, policy, script, style
from terrors.simulator.cards.card import COLUMNS, RANGES
from terrors.strategies import all_names, find

HERE = Path(__file__).parent / "templates"
SCRIPTS = ("lab_kit.js", "lab_sheet.js", "lab_answer.js", "lab.js", "lab_help.js", "lab_closer.js", "lab_play.js")


def lab_script() -> str:
    """Return all JavaScript of the page."""
    return "\n".join([script(), *((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)])


def lab_page(opened: OpenedSet, pilot: str, margins: Margins, choices: Mapping[str, Sequence[float]]) -> str:
    """Return the page for a set that was opened. `choices`: what there is to choose from."""
    code = lab_script()
    pilots = [{"name": name, "says": find(name).summary, "slow": find(name).slow} for name in dict.fromkeys([pilot, *all_names()])]
    data = {
        "file": opened.path.name,
        "digest": opened.digest,
        "shipped": opened.shipped,
        "groups": sheet_data(opened),
        "columns": COLUMNS,
        "ranges": RANGES,
        "pilot": pilot,
        "margins": margins.as_data(),
    }
    context = {
        "policy": policy(code) + "; connect-src 'self'; base-uri 'none'; form-action 'none'",
        "style": style() + (HERE / "lab.css").read_text(encoding="utf-8"),
        "script": code,
        "contents": [],
        "file": opened.path.name,
        "place": str(opened.path.parent),
        "pilots": pilots,
        "pilot": pilot,
        "widths": [f"{width:g}" for width in choices["widths"]],
        "lotteries": choices["lotteries"],
        "edits": choices["edits"],
        "data": as_json(data),
    }
    return environment(HERE).get_template("lab.html").render(context)
