"""cards.csv and the ability language (CARDS.md), read on their own terms.

An ability is an `Ability`: `op` says what it does, the other fields hold its numbers and words.
Bad input raises ValueError at the first problem: reporting all of them is not the job of this package.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

FACTIONS = ("Undead", "Beast", "Mortal", "Spirit")
RESOURCES = ("Coin", "Power", "Regeneration")
TYPES = ("Overlord", "Monster", "Influence", "Relic")
PILES = ("overlord", "starting", "influence", "acolyte", "market")
EVENTS = (
    *(f"{f} played" for f in FACTIONS),
    *("monster played", "relic played", "Influence played", "CURSE", "DESTROY", "SACRIFICE", "COMMAND", "HAUNT action", "horde formed", "horde expanded"),
    *("relic used", "overlord used", "card bought", "monster bought", "relic bought", "card discarded", "reshuffle"),
)

# P2: the order in which the abilities of one card are activated
STATIC, RESOURCE, KEYWORD, UNIQUE, FACTION_PART = range(5)
RANKS = {"armor": STATIC, "claim": STATIC, "gain": RESOURCE, "faction": FACTION_PART} | dict.fromkeys(
    ("curse", "destroy", "command", "muster", "rage", "draw", "haunt", "haunt another", "sacrifice"), KEYWORD
)


@dataclass(frozen=True)
class Ability:
    """One ability. `words` holds resources, places or the like; `per` what its number is multiplied with; `options` the (text, body) pairs of `choose`."""

    op: str
    n: int = 0
    words: tuple[str, ...] = ()
    body: tuple[Ability, ...] = ()
    options: tuple[tuple[str, tuple[Ability, ...]], ...] = ()
    per: str = ""

    @property
    def rank(self) -> int:
        """P2: plain amounts are resources, words in capitals keywords, all else (and every cost) is unique."""
        return UNIQUE if self.op == "gain" and self.per else RANKS.get(self.op, UNIQUE)


@dataclass(frozen=True)
class Trigger:
    """`first` or `each`, an event, and what happens then (P3)."""

    first: bool
    event: str
    body: tuple[Ability, ...]


@dataclass
class Row:
    """One row of the card file."""

    name: str
    pile: str
    type: str
    faction: str = ""
    overlord: str = ""
    cost: int | None = None
    copies: int = 1
    health: int = 0
    abilities: tuple[Ability, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    left: str = ""
    right: str = ""
    horde: list[tuple[Ability, ...]] = field(default_factory=list)
    limit: int = 0  # O1: uses of an overlord in a turn; 0 = any number

    @cached_property
    def armor(self) -> int:
        """K10: Armor printed on the card."""
        return sum(a.n for a in self.abilities if a.op == "armor")

    @cached_property
    def claim(self) -> bool:
        """K9: CLAIM printed on the card."""
        return any(a.op == "claim" for a in self.abilities)

    @cached_property
    def active(self) -> bool:
        """Is there something to activate (R1)? Static abilities do nothing when activated (P2)."""
        return any(a.rank != STATIC for a in self.abilities)


# ---------------------------------------------------------------------------------------------------- the language

NUM = r"(\d+|a|an|one)"
RES = r"(coin|power|regeneration)s?"
FAC = r"(undead|beast|mortal|spirit)s?"


def number(word: str) -> int:
    """`a`, `an` and `one` are 1."""
    return 1 if word.lower() in ("a", "an", "one") else int(word)


def resource(word: str) -> str:
    return word.strip().rstrip("s").capitalize()


def normal(text: str) -> str:
    """Spare spaces do not matter."""
    return " ".join(text.split())


def fits(pattern: str, text: str) -> re.Match | None:
    """Does the pattern fit the whole text? Case, and spaces around a colon, do not matter."""
    return re.fullmatch(re.sub(r"(?<!\(\?): ", " ?: ?", pattern), text, re.I)


SIMPLE = [  # (pattern, what the match means); every pattern must fit the whole text
    (rf"{NUM} {RES}", lambda m: Ability("gain", number(m[1]), (resource(m[2]),))),
    (rf"{NUM} armors?", lambda m: Ability("armor", number(m[1]))),
    (r"(curse|destroy|command|muster|rage|haunt|claim)", lambda m: Ability(m[1].lower())),
    (rf"draw {NUM}(?: cards?)?", lambda m: Ability("draw", number(m[1]))),
    (r"haunt another monsters?", lambda m: Ability("haunt another")),
    (r"sacrifice", lambda m: Ability("sacrifice", words=("play",))),
    (r"sacrifice from ((?:play|hand|discard)(?: or (?:play|hand|discard))*)", lambda m: Ability("sacrifice", words=tuple(m[1].lower().split(" or ")))),
    (rf"gain {NUM} health", lambda m: Ability("gain health", number(m[1]))),
    (rf"lose {NUM} health", lambda m: Ability("lose health", number(m[1]))),
    (rf"opponent loses? {NUM} health", lambda m: Ability("opponent loses", number(m[1]))),
    (rf"discard {NUM}(?: cards?)?", lambda m: Ability("discard", number(m[1]))),
    (rf"opponent discards? {NUM}(?: cards?)?", lambda m: Ability("opponent discards", number(m[1]))),
    (rf"convert {RES} to {RES}", lambda m: Ability("convert", words=(resource(m[1]), resource(m[2])))),
    (rf"look at {NUM}(?: cards?)?: discard any", lambda m: Ability("look", number(m[1]))),
    (
        rf"reveal {NUM}(?: cards?)?: if (?:an? )?(undead|beast|mortal|spirit|monster|relic)s?, take it",
        lambda m: Ability("reveal", number(m[1]), (m[2].lower(),)),
    ),
    (r"activate (?:an?|one|1) horde abilit(?:y|ies)", lambda m: Ability("activate horde")),
    (r"next monsters? bought gains? claim", lambda m: Ability("next claim")),
    (
        rf"buy {NUM} monsters? costing {NUM} or less with ({RES}(?:(?:, | or |, or ){RES})*)",
        lambda m: Ability("buy", number(m[2]), tuple(resource(r) for r in re.findall("coin|power|regeneration", m[3].lower()))),
    ),
    (rf"take {NUM} street monsters? costing {NUM} or less", lambda m: Ability("take", number(m[2]))),
    (r"shuffle discard into deck", lambda m: Ability("shuffle")),
]

COUNTABLE = ("gain", "draw", "gain health", "opponent loses")  # what may have `per …` behind it
PER = [  # (pattern of what is counted, its name)
    (rf"{FAC} in play", lambda m: m[1].capitalize()),
    (r"relics?", lambda m: "relic"),
    (r"cards? in hand", lambda m: "hand"),
    (r"monsters? in this horde", lambda m: "horde"),
]

PREFIXES = [  # (pattern of what stands before the body, how the ability is made with the body)
    (rf"if (?:an? )?{FAC} in play: (.+)", lambda m, b: Ability("if", 0, ("faction", m[1].capitalize()), b)),
    (rf"if opponent has {NUM} relics?: (.+)", lambda m, b: Ability("if", number(m[1]), ("opponent relic",), b)),
    (rf"if health {NUM} or less: (.+)", lambda m, b: Ability("if", number(m[1]), ("health",), b)),
    (rf"pay {NUM} (health|coin|power|regeneration)s?: (.+)", lambda m, b: Ability("cost pay", number(m[1]), (m[2].capitalize(),), b)),
    (rf"discard {NUM}(?: cards?)?: (.+)", lambda m, b: Ability("cost discard", number(m[1]), (), b)),
    (r"sacrifice this: (.+)", lambda m, b: Ability("cost sacrifice", 0, (), b)),
]


@lru_cache(10000)
def one(text: str) -> Ability | None:
    """The one ability that the whole text is, or None."""
    for pattern, build in SIMPLE:
        if m := fits(pattern, text):
            return build(m)
    if found := counted(text):
        return found
    for pattern, build in PREFIXES:
        if (m := fits(pattern, text)) and (body := several(m[m.lastindex])):
            return build(m, body)
    if m := fits(r"choose (.+)", text):
        options = alternatives(m[1])
        if options and len(options) > 1:
            return Ability("choose", options=options)
    return None


def counted(text: str) -> Ability | None:
    """`1 Power per relic`, or None."""
    base, per, what = text.rpartition(" per ")
    for pattern, name in PER if per else ():
        if (m := fits(pattern, what)) and (ability := one(base)) and ability.op in COUNTABLE:
            return replace(ability, per=name(m))
    return None


def closed(text: str) -> bool:
    """Whether every parenthesis has its partner."""
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return False
    return depth == 0


def bare(text: str) -> str:
    """The text without parentheses around the whole of it."""
    while text.startswith("(") and text.endswith(")") and closed(text[1:-1]):
        text = text[1:-1]
    return text


@lru_cache(10000)
def several(text: str) -> tuple[Ability, ...] | None:
    """Abilities joined by `and`. What is behind a `:` or in the last alternative of `choose` reaches to the end, or to the end of its parentheses."""
    if bare(text) != text:
        return several(bare(text))
    if whole := one(text):
        return (whole,)
    for m in re.finditer(r" and ", text, re.I):
        start, end = text[: m.start()], text[m.end() :]
        if closed(start) and (head := several(start) if bare(start) != start else (one(start),)) and all(head) and (rest := several(end)):
            return head + rest
    return None


@lru_cache(10000)
def alternatives(text: str) -> tuple | None:
    """Alternatives with `or` between them, each as (text, body). `SACRIFICE from hand or discard` is one alternative."""
    for m in re.finditer(r" or |$", text, re.I):
        head = text[: m.start()]
        if closed(head) and (body := several(head)):
            rest = alternatives(text[m.end() :]) if m[0] else ()
            if rest is not None:
                return ((bare(head), body), *rest)
    return None


@lru_cache(10000)
def parse(text: str) -> tuple[Ability, ...]:
    """A list of abilities with `;` between them."""
    result: tuple[Ability, ...] = ()
    for part in filter(None, map(normal, text.split(";"))):
        if m := fits(r"faction in play: (.+)", part):
            found = (Ability("faction", body=several(m[1])),) if several(m[1]) else None
        else:
            found = several(part)
        if not found:
            raise ValueError(f"{part!r} is not an ability")
        result += found
    return result


def parse_limit(text: str) -> tuple[int, str]:
    """O1: `once per turn: …` as a number and the rest; 0 if there is no limit."""
    if m := fits(r"(?:(once|twice)|(\d+) times?) per turn: (.+)", normal(text)):
        return {"once": 1, "twice": 2}.get((m[1] or "").lower()) or int(m[2]), m[3]
    return 0, text


def parse_trigger(text: str) -> Trigger:
    """`each CURSE: gain 2 Health`."""
    m = fits(r"(first|each) ([^:]+): (.+)", text)
    event = next((e for e in EVENTS if m and e.lower() == m[2].strip().lower()), None)
    body = several(m[3]) if event else None
    if not body:
        raise ValueError(f"{text!r} is not a trigger")
    return Trigger(m[1].lower() == "first", event, body)


# ---------------------------------------------------------------------------------------------------- the file


@lru_cache(8)
def read(csv_text: str) -> list[Row]:
    """All rows of a card file, in its order."""
    lines = [line for line in csv_text.lstrip("\ufeff").splitlines() if line.strip() and not line.startswith("#")]
    separator = max(",;\t", key=lines[0].count)
    table = list(csv.reader(lines, delimiter=separator))
    header = [cell.strip().lower() for cell in table[0]]
    rows = [row(dict(zip(header, cells, strict=False))) for cells in table[1:] if any(cell.strip() for cell in cells)]
    if len({r.name for r in rows}) < len(rows):
        raise ValueError("a card name occurs twice")
    return rows


def row(cells: dict[str, str]) -> Row:
    """One row from its cells."""

    def cell(column: str) -> str:
        return " ".join((cells.get(column) or "").split())

    def word(column: str, allowed: tuple[str, ...]) -> str:
        found = [w for w in allowed if w.lower() == cell(column).lower()]
        if cell(column) and not found:
            raise ValueError(f"{cell('name')}, {column}: {cell(column)!r}")
        return found[0] if found else ""

    def integer(column: str, default):
        return int(cell(column)) if cell(column) else default

    triggers, late = [], ()
    for part in filter(None, map(normal, cell("triggers").split(";"))):
        if fits(r"faction in play: .+", part):
            late += parse(part)
        else:
            triggers.append(parse_trigger(part))
    limit, abilities = parse_limit(cell("abilities")) if cell("type").lower() == "overlord" else (0, cell("abilities"))
    return Row(
        cell("name"),
        word("pile", PILES),
        word("type", TYPES),
        word("faction", FACTIONS),
        cell("overlord"),
        integer("cost", None),
        integer("copies", 1),
        integer("health", 0),
        parse(abilities) + late,
        tuple(triggers),
        word("left", FACTIONS),
        word("right", FACTIONS),
        [parse(part) for part in cell("horde").split("|") if part.strip()],
        limit,
    )
