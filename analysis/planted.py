"""Planted truths: card sets in which something is known to be off, because it was put there, and whether the verdicts find it.

A fair base is made of the reference set by moving the overlords' Health until able hands win about as often with each (`FAIR_HEALTH`). Into it one thing is
planted at a time; the pipeline that a designer runs, a panel in stages and an analysis, judges it, on luck of its own. Told are how often each kind is found,
and how often an overlord that is fair in the base is called off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from terrors.analysis.analyze import analyze
from terrors.analysis.contract.findings_schema import BOMB, DEAD, OFF, STRONG, TOO_STRONG, TOO_WEAK, TRAP, WEAK
from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import simulate

FAIR_HEALTH = {"Methuselah": 36, "Fenris": 44, "Lilith": 47, "Azazael": 55}  # tuned wins 49.3 to 50.7 of 100 games with each (12,000 games)
PILOTS = ("greedy", "tuned")
GAMES = 12_000
OFF_BY = 8  # Health that makes an overlord too strong or too weak: about 11 points
# A card that nearly wins the game but is rarely affordable, one that is far too cheap, and a dear one that does nothing; all with names that nobody has seen.
CARDS = {
    "bomb": ("Brass Comet", 'Brass Comet,market,Monster,,,7,2,,20 Power,,,,,,planted,'),
    "strong card": ("Tin Ferret", 'Tin Ferret,market,Monster,,,2,3,,4 Power; DRAW 1,,,,,,planted,'),
    "blank": ("Paper Crown", 'Paper Crown,market,Relic,,,5,3,,,,,,,,planted,'),
}  # fmt: skip
EXPECTED = {"bomb": (BOMB, STRONG), "strong card": (BOMB, STRONG), "blank": (DEAD, WEAK, TRAP)}
KINDS = ("nothing", "strong overlord", "weak overlord", "bomb", "strong card", "blank")


@dataclass(frozen=True)
class Planting:
    """A set with something planted in it: changes of cards, further rows of the card file, and what must be said of whom."""

    kind: str
    subject: str = ""
    changes: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()  # states or classes


@dataclass
class Tried:
    """The verdicts on one planted set."""

    planting: Planting
    found: bool
    said: str  # the state or class of what was planted
    fair: int = 0  # overlords that are fair by construction
    false: list[str] = field(default_factory=list)  # and were called too strong or too weak


def plantings(n: int, overlords: Sequence[str]) -> list[Planting]:
    """Return n sets, the kinds in turn, each time with another overlord."""
    found = []
    for number in range(n):
        kind, name = KINDS[number % len(KINDS)], overlords[number // len(KINDS) % len(overlords)]
        base = tuple(f"{overlord}.health={health}" for overlord, health in FAIR_HEALTH.items())
        if kind in ("strong overlord", "weak overlord"):
            sign = 1 if kind == "strong overlord" else -1
            moved = f"{name}.health={FAIR_HEALTH[name] + sign * OFF_BY}"
            found.append(Planting(kind, name, (*base, moved), (), (TOO_STRONG if sign > 0 else TOO_WEAK,)))
        elif kind in CARDS:
            found.append(Planting(kind, CARDS[kind][0], base, (CARDS[kind][1],), EXPECTED[kind]))
        else:
            found.append(Planting(kind, "", base))
    return found


def try_out(planting: Planting, folder: Path, seed: int, games: int = GAMES, jobs: int = 1) -> Tried:
    """Play a planted set and let it be judged."""
    folder.mkdir(parents=True, exist_ok=True)
    text = load_cards(None).to_csv().rstrip("\n")
    (folder / "cards.csv").write_text("\n".join([text, *planting.rows]) + "\n", encoding="utf-8")
    changes = tuple(dict(change.split("=", 1) for change in planting.changes).items())
    plan = Plan(games=games, seed=seed, cards=str(folder / "cards.csv"), strategies=PILOTS, pairing="panel", deny_lottery=0.2, turns=False,
                set=tuple(f"{name}={value}" for name, value in changes))  # fmt: skip
    simulate(plan, folder / "run", jobs=jobs)
    findings = analyze([folder / "run"], feel=False).findings
    mine = [one for one in findings if planting.subject and planting.subject in one.subject.values() and one.family in ("overlords", "cards")]
    said = (mine[0].klass or mine[0].state) if mine else ""
    untouched = [one for one in findings if one.family == "overlords"] if planting.kind == "nothing" else []
    return Tried(planting, said in planting.expected, said, len(untouched), [one.subject["overlord"] for one in untouched if one.state in OFF])


def try_all(n: int, place: Path, seed: int = 1, games: int = GAMES, jobs: int = 1, tell: Callable[[str], None] | None = None) -> list[Tried]:
    """Play and judge n planted sets."""
    found = []
    for number, planting in enumerate(plantings(n, sorted(FAIR_HEALTH))):
        found.append(try_out(planting, place / f"set-{number}", seed + number, games, jobs))
        if tell:
            tell(f"{number + 1} of {n}: {planting.kind} {planting.subject}: {found[-1].said or 'nothing planted'}")
    return found


def rows_of(tried: Sequence[Tried]) -> list[dict[str, object]]:
    """Return by kind how many sets there were, in how many what was planted was found, and what was said."""
    rows: list[dict[str, object]] = []
    for kind in KINDS:
        mine = [one for one in tried if one.planting.kind == kind]
        if not mine:
            continue
        said, counts = np.unique([one.said for one in mine if one.said], return_counts=True)
        told = ", ".join(f"{name} {count}" for name, count in zip(said, counts, strict=True))
        row: dict[str, object] = {"kind": kind, "sets": len(mine), "found": sum(one.found for one in mine), "said": told}
        if kind == "nothing":
            row |= {"found": None, "said": f"{sum(len(one.false) for one in mine)} of {sum(one.fair for one in mine)} overlords called off"}
        rows.append(row)
    return rows
