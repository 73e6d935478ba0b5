"""Runs and pages for the tests of the page: a small real run, one whose names mean harm, and analyses that strain a page."""

from __future__ import annotations

import atexit
import csv
import io
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

from terrors.analysis.analyze import analyze
from terrors.reports.page.build import make_report
from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate
from terrors.simulator.runs.storage import open_folder
from terrors.simulator.terms.enums import Pile
from tests.support.page_data import FACTIONS, World, write_analysis
from tests.support.places import FROZEN

HOSTILE = [
    ("<script>alert(1)</script>", "Undead"),
    ('"><img src=x onerror=alert(2)>', "Beast"),
    ("שלום עולם 🧛 $x^2$ {{7*7}}", "Mortal"),
    ("</script><b>'&amp;", "Spirit"),
]


def worlds(cards: list[tuple[str, str, str, int]]) -> dict[str, World]:
    """Analyses that strain a page, by name; `cards` are the market cards of the run that it is about."""
    long = [(f"{i:02d} Most Honourable and Terrible Spectres of Lincoln's Inn Fields"[:60], FACTIONS[i % 4], "Monster", 1 + i % 8) for i in range(50)]
    hostile = [(f"{name} {i}", faction, "Monster", 1 + i % 6) for i in range(3) for name, faction in HOSTILE]
    plans = {"<b>greedy</b>": "Buys <script>alert(3)</script> & 'quotes'."}
    many = [(f"Overlord {chr(65 + i)}", FACTIONS[i % 4]) for i in range(10)]
    return {
        "ordinary": World(cards=cards),
        "two overlords": World(overlords=[("Fenris", "Beast"), ("Lilith", "Mortal")], strength=[0.0, 2.0], cards=cards, groups=["greedy"]),
        "long names": World(overlords=[(card[0], card[1]) for card in long[:4]], cards=long),
        "undecided": World(cards=cards, games=200, strength=[0.0, -2.0, 2.0, 1.0]),
        "one wins 95": World(strength=[45.0, 0.0, 2.0, -1.0], cards=cards),
        "no lottery": World(lottery=0.0),
        "no turns": World(cards=cards, turns=False),
        "hostile": World(overlords=HOSTILE, cards=hostile, groups=["<b>greedy</b>", "control"], plans=plans, folder="runs/<i>x</i>"),
        "many overlords": World(
            overlords=many, strength=[2.0 * (i % 5) - 4 for i in range(10)], cards=cards, groups=["greedy", "control", "tuned", "aggro", "sage"]
        ),
    }


@lru_cache
def _place() -> Path:
    place = Path(tempfile.mkdtemp(prefix="terrors-pages-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place


def market_of(file: Path) -> list[tuple[str, str, str, int]]:
    """The market cards of a set: name, faction, type, cost."""
    found = load_cards(file).pile(Pile.MARKET)
    return [(card.name, card.faction.name.capitalize() if card.faction else "", card.type.name.capitalize(), card.cost or 0) for card in found]


@lru_cache
def small_run() -> Path:
    """A run of two strategies with a lottery, analysed: made once for all tests, which leave it as it is."""
    folder = _place() / "small"
    simulate(Plan(games=1_200, strategies=("greedy", "random"), pairing="mirror", cards=str(FROZEN), deny_lottery=0.25, seed=5), folder)
    analyze([folder]).write(open_folder(folder / "analysis"))
    return folder


@lru_cache
def hostile_run() -> Path:
    """A run whose overlords and cards have names that mean harm, with an analysis that was made up."""
    rows = list(csv.DictReader(io.StringIO(FROZEN.read_text(encoding="utf-8"))))
    names = {row["name"]: name for row, (name, _) in zip((r for r in rows if r["pile"] == "overlord"), HOSTILE, strict=True)}
    names |= {row["name"]: f"{HOSTILE[i % 4][0]} {i}x" for i, row in enumerate(r for r in rows if r["pile"] == "market")}
    for row in rows:
        row["name"], row["overlord"] = names.get(row["name"], row["name"]), names.get(row["overlord"], row["overlord"])
    file = _place() / "hostile.csv"
    with open(file, "w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    folder = _place() / "hostile"
    simulate(Plan(games=60, strategies=("greedy",), cards=str(file), seed=5), folder)
    write_analysis(folder, World(overlords=HOSTILE, cards=market_of(file)[:12], groups=["greedy"], folder="runs/<i>x</i>"))
    return folder


@lru_cache
def page_of(run: Path, games: int = 4) -> Path:
    """The page of a run, beside it."""
    out = _place() / f"{run.name}.html"
    make_report(str(run), out, games)
    return out
