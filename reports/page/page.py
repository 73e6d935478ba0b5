"""The page: one HTML file that has everything in it. Nothing is fetched, and what comes from data is text, never markup.

Jinja escapes all text. What is put in as it is (`| safe` in the templates) is made here: the drawings, whose texts matplotlib and ElementTree have escaped, the
style sheet, the scripts, and the games as JSON without a `<`. The page's own policy lets no other script run than these two, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import escape

from terrors.analysis.contract.findings_schema import FAIR, FAMILIES, TOO_STRONG, TOO_WEAK, UNDECIDED
from terrors.analysis.examples import SAMPLE
from terrors.analysis.trials.fair_hand import fair_hand_words
from terrors.reports.format import count
from terrors.reports.page import grids, one_by_one, sections
from terrors.reports.page.moving import moving, number_grid
from terrors.reports.theme import DARK, LIGHT, variables

if TYPE_CHECKING:
    from terrors.reports.inputs import Material
    from terrors.reports.page.replays import Gallery

TEMPLATES = Path(__file__).parents[1] / "templates"
CONTENTS = (
    ("verdict", "The verdict"),
    ("reading", "How to read this"),
    ("overlords", "Overlords"),
    ("matchups", "Match-ups"),
    ("first", "Going first"),
    ("cards", "Cards"),
    ("moving", "What would move it"),
    ("feel", "How games feel"),
    ("robust", "Who plays?"),
    ("one-by-one", "One by one"),
    ("games", "Games"),
    ("method", "Method"),
    ("again", "To run it again"),
)


def environment(*more: Path) -> Environment:
    """Return Jinja with escaping on; a name that a template misspells is an error. `more`: folders of templates that build upon these."""
    looks = Environment(loader=FileSystemLoader([*more, TEMPLATES]), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    looks.filters |= {"linked": escape, "anchor": lambda name: ""}  # for pages without small pages of cards
    return looks


def page_environment() -> Environment:
    """Return Jinja with the templates of a page compiled, which takes longer than to fill them in: for whoever waits for figures anyway."""
    looks = environment()
    for name in ("page", "frame", "macros", "method", "moving", "one_by_one"):
        looks.get_template(f"{name}.html")
    return looks


def style() -> str:
    """Return the style sheet, with the colours of both themes."""
    light, dark = variables(LIGHT), variables(DARK)
    themes = f":root{{{light}color-scheme:light}}@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}color-scheme:dark}}}}"
    themes += f":root[data-theme=dark]{{{dark}color-scheme:dark}}"
    text = (TEMPLATES / "page.css").read_text(encoding="utf-8")
    return themes + text.replace("PRINT", f"{light}color-scheme:light")


def script() -> str:
    """Return all JavaScript of the page."""
    return "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in ("page.js", "marks.js", "viewer.js"))


def policy(code: str) -> str:
    """Return the content security policy of the page: its own styles and script, nothing from anywhere."""
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"


def as_json(data: Any) -> str:
    """Return JSON that can stand in a script element: nothing in it ends the element or begins another."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def about_run(material: Material, info: dict[str, Any], files: str) -> dict[str, Any]:
    """Return the facts and commands that are needed to run it again."""
    commands = [_command(run["command"]) for run in material.findings["runs"] if run.get("command")]
    commands += [f"terrors analyze {material.address}", f"terrors report {material.address}"]
    versions = ", ".join(f"{name} {version}" for name, version in (info.get("versions") or {}).items())
    facts = [
        ("Run", material.address),
        ("Key of the run", material.run_id),
        ("Seed", ", ".join(str(run.get("seed")) for run in material.findings["runs"])),
        ("Begun", str(info.get("started") or "")),
        ("Card file, SHA-256", str(material.stands_on.get("cards_sha256") or "")),
        ("Rules engine", str(material.stands_on.get("engine") or "")),
        ("Parts read, each with the checksum that it was written with", _checked(material.findings["runs"])),
        ("Versions", versions),
        ("Games", count(material.games)),
    ]
    return {
        "name": material.name,
        "address": material.address,
        "commands": commands,
        "facts": [(what, value) for what, value in facts if value],
        "files": files,
    }


def _checked(runs: list[dict[str, Any]]) -> str:
    """Return from which parts of the runs the numbers come: how many, and their common checksum; empty if the analysis does not say."""
    found = [run["checked"] for run in runs if isinstance(run.get("checked"), dict)]
    return ", ".join(f"{count(int(one.get('parts') or 0))} (SHA-256 over all: {str(one.get('sha256') or '')[:16]}…)" for one in found)


def _command(text: str) -> str:
    """Return a command without the path of the program."""
    return re.sub(r"^\S*/(?:terrors|terrors/__main__\.py)(?=\s|$)", "terrors", text)


def viewer(gallery: Gallery, material: Material) -> dict[str, Any]:
    """Return the list below the viewer: claims, with the games behind each. A game can be behind several; links lead to its first place."""
    packed = {game["game"]: game for game in gallery.data["games"]}
    claims, seen = [], set()
    for key, found in gallery.behind.items():
        finding, games = material.finding(key), []
        for example in found:
            number, game = example["game"], packed.get(example["game"])
            if game is not None:
                who = {"first": game["names"][0], "strategies": " and ".join(dict.fromkeys(game["strategies"]))}
                games.append({"game": number, "why": example["why"], "anchor": number not in seen, **who})
                seen.add(number)
        if finding and games:
            claims.append({"id": key, "sentence": finding["sentence"], "games": games})
    return {"claims": claims, "missing": gallery.missing}


def page(
    material: Material, gallery: Gallery, charts: dict[str, dict[str, str]], info: dict[str, Any] | None = None, files: str = "figures/ and tables/",
    looks: Environment | None = None,
) -> str:  # fmt: skip
    """Return the whole page. `charts`: as `drawn` gives them, by name; `info`: what run.json says; `files`: where figures and tables are."""
    code = script()
    empty = dict.fromkeys(("overlords", "matchups", "seats", "cost_curve", "naive", "length", "river", "panel", "strategies", "calibration"))
    cards = grids.valued_cards(material)
    tables = {
        "overlords": grids.overlord_grid(material),
        "matchups": grids.matchup_grid(material),
        "seats": grids.seat_grid(material),
        "cards": grids.card_grid(material),
        "pairs": grids.pair_grid(material),
        "influences": grids.influence_grid(material),
        "meta": grids.meta_grid(material),
        "groups": grids.group_grid(material),
        "pilots": grids.pilot_grid(material),
        "panel": grids.panel_grid(material),
        "rulings": grids.ruling_grid(material),
        "numbers": number_grid(material),
        "keywords": grids.keyword_grid(material),
        "hordes": grids.horde_grid(material),
    }
    context = {
        "policy": policy(code),
        "style": style(),
        "script": code,
        "contents": [{"anchor": anchor, "title": title} for anchor, title in CONTENTS if anchor != "one-by-one" or material.cards],
        "headline": sections.headline(material),
        "run": about_run(material, info or {}, files),
        "stands": sections.stands_on(material),
        "lamps": sections.lamps(material),
        "look_first": sections.look_first(material, gallery),
        "whose_play": (pilots := material.findings["pilots"])["words"],
        "first_of_all": " ".join([*pilots["words"][:1], *pilots.get("gained", []), *([pilots["opinion"]] if pilots.get("opinion") else [])]),
        "states": {
            "fair": grids.state(FAIR),
            "too_strong": grids.state(TOO_STRONG),
            "too_weak": grids.state(TOO_WEAK),
            "undecided": grids.state(UNDECIDED),
        },
        "charts": empty | charts,
        "found": {family: sections.of_family(material, family, gallery) for family in FAMILIES},
        "grids": tables,
        "matrix": grids.matrix(material),
        "ladder": grids.ladder(material),
        "metagame": sections.metagame_words(material),
        "influences_by_lot": all(row["randomised"] for row in material.rows("influences")),
        "factions": sorted({row["faction"] or "no faction" for row in cards}),
        "classes": sorted({grids.state(verdict)["word"] for row in cards if (verdict := material.verdict("cards", row, row["card"]))}),
        "facts": sections.facts(material),
        "scores": sections.scores(material),
        "rulings": sections.ruling_words(material),
        "fair_hand": fair_hand_words(material.rows("fair_hand")),
        "moving": moving(material),
        "self_tests": material.findings.get("self_tests") or [],
        "viewer": viewer(gallery, material),
        "replays": as_json(gallery.data),
        "sample": count(SAMPLE),
        "one_by_one": (small := one_by_one.entries(material, gallery)),
    }
    links = one_by_one.Links(one["name"] for one in small)
    looks = looks or environment()
    looks.filters |= {"linked": links.text, "anchor": links.of}
    return looks.get_template("page.html").render(context)
