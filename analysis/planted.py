"""Planted truths: card sets in which something is known to be off, because it was put there, and whether the verdicts find it.

A fair base is made of the reference set by moving the overlords' Health, and the second player's opening hand, until the best hands win about as often with
each overlord and from each seat (`FAIR_HEALTH`, `FAIR_RULES`). Into it one thing is planted at a time; the pipeline that a designer runs, a panel in stages,
games played again without a card and an analysis, judges it, on luck of its own. Told are how often each kind is found and how large it is said to be, and how
often an overlord, a match-up or going first is called off in a base into which nothing was planted.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from terrors.analysis.analyze import Analysis, analyze
from terrors.analysis.contract.findings_schema import (
    BOMB,
    COSTS,
    DEAD,
    OFF,
    PAYS,
    STRONG,
    TOO_STRONG,
    TOO_WEAK,
    TRAP,
    UNDERPRICED,
    WEAK,
)
from terrors.analysis.contract.groups import HEADLINES
from terrors.analysis.contract.margins import Margins
from terrors.analysis.trials.confirm_pairs import granted
from terrors.analysis.trials.withholding import play_withheld
from terrors.analysis.verdicts.findings import Finding
from terrors.analysis.verdicts.judge import LEVEL
from terrors.simulator.cards.card_set import load_cards
from terrors.simulator.runs.job import in_best_hands, job_of
from terrors.simulator.runs.plan import Plan
from terrors.simulator.runs.run import Run, simulate

# Of the reference set as it is now, which a test holds: expert and its sibling win 49.3 to 51.0 of 100 games with each (48,000 games of each pilot)
FAIR_HEALTH = {"Methuselah": 40, "Fenris": 42, "Lilith": 51, "Azazael": 51}
FAIR_RULES = {"second_hand": 6}  # with which going first wins 48.7
PILOTS = ("greedy", "tuned", "expert", "expert_b")
FAST = ("greedy", "tuned")  # for sets in which games do not end by themselves
GAMES = 20_000
AGAIN = 0.3  # games played again without a card, for each of those
OFF_BY = 8  # Health that makes an overlord too strong or too weak: about 11 points
PAIR_DEALS = 6_000
ENDLESS = 0.02  # of the games, at a limit: more is worth a warning that a designer must see

NOTHING, STRONG_OVERLORD, WEAK_OVERLORD, TWIN, EARLY, SOME, PAIR, SEAT, STALEMATE, LOOP = (
    "nothing", "strong overlord", "weak overlord", "twin", "early only", "some overlords only", "combination", "going first", "stalemate", "endless loop",
)  # fmt: skip
# Cards, all with names that nobody has seen. The pilots' opinions of them are part of the trial: a card is dead if they leave it, a trap if they do not.
CARDS: dict[str, tuple[str, ...]] = {
    "bomb": ("Brass Comet,market,Monster,,,7,2,,20 Power,,,,,,planted,",),  # nearly wins the game, but can rarely be paid for
    "strong card": ("Tin Ferret,market,Monster,,,2,3,,4 Power; DRAW 1,,,,,,planted,",),
    "blank": ("Paper Crown,market,Relic,,,2,3,,,,,,,,planted,",),
    "dead": ("Lead Penny,market,Monster,,,5,3,,1 Coin,,,,,,planted,",),  # a Cultist for 5 Coin: nobody wants it
    "trap": ("Gilt Asp,market,Monster,,,1,3,,2 Coin; opponent discards 1,each monster played: lose 1 Health,,,,,planted,",),
    TWIN: ("Other Ghoul,market,Monster,Undead,,1,2,,3 Power; DRAW 1; discard 1,,Spirit,Beast,1 Coin,,planted,",),  # Ghoul, but 2 Power more for 1 Coin less
    EARLY: ("Slow Seed,market,Relic,,,4,2,,2 Coin,,,,,,planted,",),
    SOME: ("Ash Urn,market,Monster,,,4,3,,1 Power,each overlord used: 10 Power,,,,,planted,",),  # Lilith and Fenris use theirs for nothing whenever they buy
    PAIR: (
        "Left Glove,market,Monster,,,3,3,,1 Power; 4 Power per relic,,,,,,planted,",
        "Right Glove,market,Relic,,,3,3,,1 Coin,,,,,,planted,",
    ),
    LOOP: ("Chanter,market,Monster,Spirit,,1,6,,2 Power; CURSE,each CURSE: CURSE,,,,,planted,",),
}
EXPECTED = {"bomb": (BOMB, STRONG), "strong card": (BOMB, STRONG), "blank": (DEAD, WEAK, TRAP), "dead": (DEAD,), "trap": (TRAP, WEAK)}
KINDS = (NOTHING, STRONG_OVERLORD, WEAK_OVERLORD, *EXPECTED, TWIN, EARLY, SOME, PAIR, SEAT, STALEMATE, LOOP)


@dataclass(frozen=True)
class Planting:
    """A set with something planted in it: changes of cards, further rows of the card file, rules, and what must be said of whom."""

    kind: str
    subject: str = ""
    changes: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    expected: tuple[str, ...] = ()  # states, classes or names
    rules: tuple[tuple[str, int], ...] = tuple(FAIR_RULES.items())


@dataclass
class Tried:
    """The verdicts on one planted set."""

    kind: str
    subject: str
    found: bool
    said: str  # the state or class of what was planted
    size: float | None = None  # what was said of how large it is, in points,
    half: float | None = None  # and to ± how much
    fair: dict[str, int] = field(default_factory=dict)  # by family: claims about things that are fair by construction,
    false: dict[str, list[str]] = field(default_factory=dict)  # and those of them that were called off


def plantings(n: int, overlords: Sequence[str], kinds: Sequence[str] = KINDS) -> list[Planting]:
    """Return n sets, the kinds in turn, each time with another overlord."""
    base = tuple(f"{overlord}.health={health}" for overlord, health in FAIR_HEALTH.items())
    return [_planting(kinds[number % len(kinds)], number // len(kinds), overlords, base) for number in range(n)]


def _planting(kind: str, turn: int, overlords: Sequence[str], base: tuple[str, ...]) -> Planting:
    name = overlords[turn % len(overlords)]
    if kind in (STRONG_OVERLORD, WEAK_OVERLORD):
        sign = 1 if kind == STRONG_OVERLORD else -1
        return Planting(kind, name, (*base, f"{name}.health={FAIR_HEALTH[name] + sign * OFF_BY}"), (), (TOO_STRONG if sign > 0 else TOO_WEAK,))
    if kind == SEAT:  # as the rulebook has it, it pays; with a card less for who goes first it costs
        return Planting(kind, "", base, (), (COSTS,), (("first_hand", 3), ("second_hand", 6))) if turn % 2 else Planting(kind, "", base, (), (PAYS,), ())
    if kind == LOOP:  # a CURSE that curses, and does nothing else
        return Planting(kind, "Chanter", base, CARDS[kind], (), (("second_hand", 6), ("curse_health", 0), ("curse_discard", 0)))
    if kind == STALEMATE:  # nobody can be beaten in time
        return Planting(kind, "", tuple(f"{overlord}.health=900" for overlord in overlords))
    if kind in CARDS:
        expected = EXPECTED.get(kind, ("Lilith", "Fenris") if kind == SOME else ())
        return Planting(kind, CARDS[kind][0].split(",")[0], base, CARDS[kind], expected)
    return Planting(kind, "", base)


def play(planting: Planting, folder: Path, seed: int, games: int = GAMES, jobs: int = 1) -> tuple[Run, Analysis]:
    """Play a planted set as `terrors balance` does, and analyse it."""
    folder.mkdir(parents=True, exist_ok=True)
    text = load_cards(None).to_csv().rstrip("\n")
    (folder / "cards.csv").write_text("\n".join([text, *planting.rows]) + "\n", encoding="utf-8")
    changes = dict(change.split("=", 1) for change in planting.changes)
    endless = planting.kind in (STALEMATE, LOOP)
    plan = Plan(
        games=games // 20 if endless else games, seed=seed, cards=str(folder / "cards.csv"), strategies=FAST if endless else PILOTS, pairing="panel",
        deny_lottery=0.1, turns=False, rules=dict(planting.rules), set=tuple(f"{name}={value}" for name, value in changes.items()),
    )  # fmt: skip
    run = simulate(plan, folder / "run", jobs=jobs)
    if not endless:
        play_withheld(run, job_of(run), round(AGAIN * games), Margins().card, jobs)
    return run, analyze([folder / "run"], feel=False)


def try_out(planting: Planting, folder: Path, seed: int, games: int = GAMES, jobs: int = 1) -> Tried:
    """Play a planted set and let it be judged."""
    run, analysis = play(planting, folder, seed, games, jobs)
    tried = _judged(planting, run, analysis, jobs)
    if planting.kind == NOTHING:
        for family in ("overlords", "matchups", "first"):
            mine = [one for one in analysis.findings if one.family == family]
            tried.fair[family] = len(mine)
            tried.false[family] = [one.sentence for one in mine if one.state in OFF]
    return tried


def _judged(planting: Planting, run: Run, analysis: Analysis, jobs: int) -> Tried:
    """Return whether the verdicts have found what was planted."""
    kind, subject = planting.kind, planting.subject
    if kind in (STALEMATE, LOOP):
        met, words = ("turn_limit", "games at the turn limit") if kind == STALEMATE else ("action_limit", "turns cut short")
        taken = analysis.source.taken()
        told = taken[met] > ENDLESS * taken["games"] and bool(analysis.as_data()["played"]["warnings"])
        return Tried(kind, subject, told, f"{words} told" if told else "nothing", 100 * taken[met] / taken["games"])
    if kind == PAIR:
        one, other = (row.split(",")[0] for row in planting.rows)
        found = granted(in_best_hands(job_of(run)), one, other, PAIR_DEALS, jobs)
        low, high = (100 * bound for bound in found.interval)
        return Tried(kind, f"{one} and {other}", low > 0, "stronger together" if low > 0 else "undecided", 100 * found.mean, (high - low) / 2)
    if kind == EARLY:
        return _early(subject, analysis)
    family = "first" if kind == SEAT else "overlords" if kind in (STRONG_OVERLORD, WEAK_OVERLORD) else "cards"
    mine = [one for one in analysis.findings if one.family == family and (not subject or subject in one.subject.values())]
    if not mine:
        return Tried(kind, subject, kind == NOTHING, "")
    return _as_said(planting, mine[0], analysis) if kind != NOTHING else Tried(kind, "", True, "")


def _as_said(planting: Planting, finding: Finding, analysis: Analysis) -> Tried:
    said, half = finding.klass or finding.state, (finding.high - finding.low) / 2
    found = said in planting.expected
    if finding.family == "cards":
        row = analysis.tables["cards"].filter(analysis.tables["cards"]["group"].is_in(HEADLINES), card=planting.subject).to_dicts()[0]
        if planting.kind == TWIN:
            found = said in (STRONG, BOMB) or row["price"] == UNDERPRICED
            said = f"{said}, {row['price']}" if row["price"] else said
        if planting.kind == SOME:
            found = row["best_overlord"] in planting.expected
            said = f"best with {row['best_overlord']}" if row["best_overlord"] else "the same with all"
    return Tried(planting.kind, planting.subject, found, said, finding.size, half)


def _early(card: str, analysis: Analysis) -> Tried:
    """Return whether a card was found to be worth more when it comes early."""
    table = analysis.tables["cards_by"]
    rows = {row["level"]: row for row in table.filter(table["group"].is_in(HEADLINES), card=card, by="market").to_dicts()}
    early = rows.get("early")
    clear = early is not None and early["q"] <= LEVEL and early["value"] > rows["late"]["value"]
    half = (early["high"] - early["low"]) / 2 if early else None
    return Tried(EARLY, card, clear, "worth more early" if clear else "undecided", early["value"] if early else None, half)


def try_all(
    n: int, place: Path, seed: int = 1, games: int = GAMES, jobs: int = 1, tell: Callable[[str], None] | None = None, kinds: Sequence[str] = KINDS
) -> list[Tried]:
    """Play and judge n planted sets. What was judged is kept in the folder, and not played again."""
    import shutil

    found = []
    for number, planting in enumerate(plantings(n, sorted(FAIR_HEALTH), kinds)):
        place.mkdir(parents=True, exist_ok=True)
        kept = place / f"{kept_name(planting)} {number // len(kinds)}, seed {seed + number}, {games} games.json"
        if kept.exists():
            found.append(Tried(**json.loads(kept.read_text(encoding="utf-8"))))
            continue
        found.append(try_out(planting, place / f"set-{number}", seed + number, games, jobs))
        kept.write_text(json.dumps(asdict(found[-1])), encoding="utf-8")
        shutil.rmtree(place / f"set-{number}")
        if tell:
            tell(f"{number + 1} of {n}: {planting.kind} {planting.subject}: {found[-1].said or 'nothing planted'}")
    return found


def kept_name(planting: Planting) -> str:
    """Return the name under which a verdict on a planted set is kept: of another set it is another one."""
    content = repr((load_cards(None).sha256, planting))
    return f"{planting.kind} {hashlib.blake2b(content.encode(), digest_size=4).hexdigest()}"


def rows_of(tried: Sequence[Tried]) -> list[dict[str, Any]]:
    """Return by kind how many sets there were, in how many what was planted was found, what was said, and how large it was said to be.

    `size`: the mean over sets; `scatter`: by how much sets with other luck differ (a standard deviation); `half`: to ± how much a set claims to know it.
    """
    rows: list[dict[str, Any]] = []
    for kind in dict.fromkeys([*KINDS, *(one.kind for one in tried)]):
        mine = [one for one in tried if one.kind == kind]
        if not mine:
            continue
        said, counts = np.unique([one.said for one in mine if one.said], return_counts=True)
        told = ", ".join(f"{name} {count}" for name, count in zip(said, counts, strict=True))
        row: dict[str, Any] = {"kind": kind, "sets": len(mine), "found": sum(one.found for one in mine), "said": told}
        if kind == NOTHING:
            parts = []
            for family in mine[0].fair:
                parts.append(f"{sum(len(one.false[family]) for one in mine)} of {sum(one.fair[family] for one in mine)} {family}")
            row |= {"found": None, "said": "called off: " + ", ".join(parts)}
        sizes = [one.size for one in mine if one.size is not None]
        if sizes:
            halves = [one.half for one in mine if one.half is not None]
            row |= {"size": float(np.mean(sizes)), "half": float(np.mean(halves)) if halves else None}
            row["scatter"] = float(np.std(sizes, ddof=1)) if len(sizes) > 1 else None
        rows.append(row)
    return rows
