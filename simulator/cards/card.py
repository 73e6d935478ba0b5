"""One card: its cells as a designer writes them ⇄ `Card`, with every check that needs no other card.

A problem is a pair (column, message); all problems of a row are found at once. To add a check, add a row to `CHECKS`.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from terrors.simulator.cards.dialect import STANDARD, Dialect
from terrors.simulator.cards.grammar import WIDE, FieldError, one_of
from terrors.simulator.cards.vocabulary import (
    Ability,
    LanguageError,
    Trigger,
    faction_form,
    horde_text,
    limit_text,
    parse_horde,
    parse_limited,
    parse_triggers,
    text_of,
    text_of_all,
    trigger_text,
    walk,
)
from terrors.simulator.terms.enums import CardType, Cost, Effect, Faction, Per, Pile
from terrors.simulator.terms.text import quoted

COLUMNS = (
    "name", "pile", "type", "faction", "overlord", "cost", "copies", "health", "abilities", "triggers", "left", "right", "horde", "beginner", "source", "note",
)  # fmt: skip
OPTIONAL = ("beginner", "source", "note")  # columns that a file may leave out
PRINTED = "rulebook"  # in the column `source`: a fact
MAX_NAME = 120
MAX_TRIGGERS = 4  # layout.TRIGGERS; a test holds the two together (layout needs NumPy, this module must not)
RESERVED = ("none", "no", "yes", "health", "acolyte", "overlord")  # words that mean something else in a script's line
RANGES = {"cost": (0, 99), "copies": (1, 999), "health": (1, 999)}
YES_NO = {"": False, "no": False, "n": False, "false": False, "0": False, "yes": True, "y": True, "true": True, "x": True, "1": True}

PILES = one_of("a pile", {pile.name.lower(): int(pile) for pile in Pile})
TYPES = one_of("a type", {card_type.name.capitalize(): int(card_type) for card_type in CardType})

Problem = tuple[str, str]  # column, message
NO_ABILITIES: tuple[tuple[Ability, ...], int] = ((), 0)
T = TypeVar("T")


@dataclass(frozen=True)
class Card:
    """One row of the card file. Abilities are in printed order."""

    name: str
    pile: Pile
    type: CardType
    faction: Faction = Faction.NONE
    overlord: str = ""  # Influence: whose it is
    cost: int | None = None  # None = not for sale
    copies: int = 1
    health: int | None = None  # overlords
    abilities: tuple[Ability, ...] = ()
    triggers: tuple[Trigger, ...] = ()
    lit: tuple[Ability, ...] = ()  # Influence: the `faction in play: …` part (P6)
    limit: int = 0  # overlords: how often the abilities may be used in a turn (O1); 0 = as often as one likes
    left: Faction = Faction.NONE  # Horde indicators (H1)
    right: Faction = Faction.NONE
    horde: tuple[tuple[Ability, ...], ...] = ()
    beginner: bool = False
    source: str = ""
    note: str = ""
    own: Mapping[str, str] = field(default_factory=dict, compare=False)  # cells of columns that are the designer's own; they decide nothing
    row: int = field(default=0, compare=False)  # in the file, as a spreadsheet counts; 0 = not from a file

    @property
    def armor(self) -> int:
        """The damage that the card's Armor stops in a turn (K10); 0 if it has none."""
        return sum(ability.amount for ability in self.abilities if ability.effect is Effect.ARMOR)

    @property
    def claim(self) -> bool:
        """Whether the card has CLAIM (K9)."""
        return any(ability.effect is Effect.CLAIM for ability in self.abilities)

    @property
    def printed(self) -> bool:
        """Whether its cells are facts of the printed game: the source says rulebook."""
        return self.source.strip().casefold() == PRINTED


def cells_of(card: Card) -> dict[str, str]:
    """Return the card's row in normal form, by column."""
    triggered = [text_of(ability) for ability in card.lit] + [trigger_text(trigger) for trigger in card.triggers]
    return {
        "name": card.name,
        "pile": PILES.write(card.pile),
        "type": TYPES.write(card.type),
        "faction": card.faction.label,
        "overlord": card.overlord,
        "cost": "" if card.cost is None else str(card.cost),
        "copies": str(card.copies),
        "health": "" if card.health is None else str(card.health),
        "abilities": limit_text(card.limit) + text_of_all(card.abilities),
        "triggers": "; ".join(triggered),
        "left": card.left.label,
        "right": card.right.label,
        "horde": horde_text(card.horde),
        "beginner": "yes" if card.beginner else "",
        "source": card.source,
        "note": card.note,
    }


def read_card(cells: Mapping[str, str], row: int = 0, dialect: Dialect = STANDARD) -> tuple[Card, list[Problem]]:
    """Return the card of a row, and all that is wrong with it. Only a card without problems is to be used; one with some serves to look for more."""
    reader = _CellReader(cells)
    card_type = CardType(reader.name_of("type", TYPES.read, CardType.MONSTER))
    influence = card_type is CardType.INFLUENCE or bool(reader.problems)  # of an unknown type: it may have been meant as one
    nothing: tuple[tuple[Trigger, ...], tuple[Ability, ...]] = ((), ())
    triggers, lit = reader.language("triggers", lambda text: parse_triggers(text, influence, dialect), nothing)
    abilities, limit = reader.language("abilities", lambda text: parse_limited(text, dialect), NO_ABILITIES)
    card = Card(
        name=reader.name(),
        pile=Pile(reader.name_of("pile", PILES.read, Pile.MARKET)),
        type=card_type,
        faction=reader.faction("faction", dialect),
        overlord=plain(reader.text("overlord")),
        cost=reader.number("cost"),
        copies=reader.number("copies") or 1,
        health=reader.number("health"),
        abilities=abilities,
        triggers=triggers,
        lit=lit,
        limit=limit,
        left=reader.faction("left", dialect),
        right=reader.faction("right", dialect),
        horde=reader.language("horde", lambda text: parse_horde(text, dialect), ()),
        beginner=reader.yes_no("beginner"),
        source=reader.text("source"),
        note=reader.text("note"),
        own={column: text for column, text in cells.items() if column not in COLUMNS},
        row=row,
    )
    wrong_columns = {column for column, _ in reader.problems}
    found = [problem for columns, check in CHECKS if wrong_columns.isdisjoint(columns) for problem in check(card)]
    return card, sorted(reader.problems + found, key=lambda problem: COLUMNS.index(problem[0]))


def plain(name: str) -> str:
    """Return a name in the form in which it is kept: single spaces, composed Unicode, since systems differ in how they write accents."""
    return re.sub(r" +", " ", unicodedata.normalize("NFC", name).replace("\u00a0", " ")).strip()


class _CellReader:
    """Reads the cells of one row, noting what is wrong with each."""

    def __init__(self, cells: Mapping[str, str]):
        self.cells = cells
        self.problems: list[Problem] = []

    def text(self, column: str) -> str:
        return self.cells.get(column, "").strip().replace("\r\n", "\n").replace("\r", "\n")

    def wrong(self, column: str, message: str) -> None:
        self.problems.append((column, message))

    def name(self) -> str:
        name = plain(self.text("name"))
        if not name:
            self.wrong("name", "a card needs a name")
        elif len(name) > MAX_NAME:
            self.wrong("name", f"{quoted(name)} is longer than {MAX_NAME} characters")
        if any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in name):
            self.wrong("name", f"{quoted(name)} has a line break or another control character in it")
        if name.startswith("#"):
            self.wrong("name", f"{quoted(name)} begins with '#', as comments do")
        if re.search(r"#\s*[0-9]+$", name):
            self.wrong("name", f"{quoted(name)} ends with '#' and a number, which means a second copy of a card")
        if name.casefold() in RESERVED:
            self.wrong("name", f"{quoted(name)} means something else in scripts and replays; a card needs another name")
        return name

    def name_of(self, column: str, read: Callable[[str], int], default: int, empty: bool = False) -> int:
        text = self.text(column)
        if not text and empty:
            return default
        try:
            return read(text)
        except FieldError as error:
            self.wrong(column, str(error).replace("'' is not", "an empty cell is not"))
            return default

    def faction(self, column: str, dialect: Dialect) -> Faction:
        found = self.name_of(column, lambda text: faction_form(dialect).read(text), Faction.NONE, empty=True)
        return found if isinstance(found, Faction) else Faction.NONE

    def number(self, column: str) -> int | None:
        text = re.sub(r"[.,]0+$", "", self.text(column).translate(WIDE))  # a spreadsheet's 2.0 is 2
        if not text:
            return None
        low, high = RANGES[column]
        if not re.fullmatch(r"[+-]?[0-9]+", text):
            self.wrong(column, f"{quoted(text)} is not a whole number")
        elif len(text) > 9 or not low <= int(text) <= high:
            self.wrong(column, f"{quoted(text)} is not between {low} and {high}")
        else:
            return int(text)
        return None

    def yes_no(self, column: str) -> bool:
        text = self.text(column).casefold()
        if text not in YES_NO:
            self.wrong(column, f"{quoted(text)} is not yes or no")
        return YES_NO.get(text, False)

    def language(self, column: str, parse: Callable[[str], T], default: T) -> T:
        try:
            return parse(self.text(column))
        except LanguageError as error:
            self.problems += [(column, problem) for problem in error.problems]
            return default


# Which types a pile may have, and how the messages name them.
BELONGS = {
    Pile.OVERLORD: (CardType.OVERLORD,),
    Pile.STARTING: (CardType.MONSTER, CardType.RELIC),
    Pile.INFLUENCE: (CardType.INFLUENCE,),
    Pile.ACOLYTE: (CardType.MONSTER,),
    Pile.MARKET: (CardType.MONSTER, CardType.RELIC),
}
A_TYPE = {CardType.OVERLORD: "an Overlord", CardType.MONSTER: "a Monster", CardType.INFLUENCE: "an Influence card", CardType.RELIC: "a Relic"}


def _pile_fits(card: Card) -> Iterator[Problem]:
    if card.type not in BELONGS[card.pile]:
        allowed = " or ".join(A_TYPE[card_type] for card_type in BELONGS[card.pile])
        yield "pile", f"'{card.pile.name.lower()}' is for {allowed}, and this is {A_TYPE[card.type]}"


def _overlord_named(card: Card) -> Iterator[Problem]:
    if card.type is CardType.INFLUENCE and not card.overlord:
        yield "overlord", "an Influence card needs the name of its overlord"
    if card.type is not CardType.INFLUENCE and card.overlord:
        yield "overlord", f"{quoted(card.overlord)}: only Influence cards belong to an overlord"


def _faction(card: Card) -> Iterator[Problem]:
    if card.type is CardType.OVERLORD and not card.faction:
        yield "faction", "an Overlord needs a faction"


def _cost(card: Card) -> Iterator[Problem]:
    if card.pile in (Pile.MARKET, Pile.ACOLYTE) and card.cost is None:
        yield "cost", "a card of the market needs a cost" if card.pile is Pile.MARKET else "an Acolyte needs a cost"
    if card.type in (CardType.OVERLORD, CardType.INFLUENCE) and card.cost is not None:
        yield "cost", f"{A_TYPE[card.type]} is not for sale; leave the cost empty"


def _copies(card: Card) -> Iterator[Problem]:
    if card.type in (CardType.INFLUENCE, CardType.OVERLORD) and card.copies != 1:
        yield "copies", f"'{card.copies}': there is one of {A_TYPE[card.type]}"


def _health(card: Card) -> Iterator[Problem]:
    if card.type is CardType.OVERLORD and card.health is None:
        yield "health", "an Overlord needs its Health at the start"
    if card.type is not CardType.OVERLORD and card.health is not None:
        yield "health", "only Overlords have Health"


def _indicators(card: Card) -> Iterator[Problem]:
    """Yield what is wrong with the card's Horde indicators and Horde abilities (H1, H6)."""
    if card.type is not CardType.MONSTER:
        yield from ((side, f"{A_TYPE[card.type]} has no Horde indicators") for side in ("left", "right") if getattr(card, side))
        if card.horde:
            yield "horde", f"{A_TYPE[card.type]} has no Horde abilities"
    elif card.horde and not (card.left or card.right):
        yield "horde", "Horde abilities need a Horde indicator, left or right"


def _number_of_triggers(card: Card) -> Iterator[Problem]:
    if len(card.triggers) > MAX_TRIGGERS:
        yield "triggers", f"{len(card.triggers)} triggers; a card has at most {MAX_TRIGGERS}"


def _limit(card: Card) -> Iterator[Problem]:
    """Yield a problem if anything but an overlord has a limit: the Overlord Action alone has its limit on the card (O1)."""
    if card.limit and card.type is not CardType.OVERLORD:
        yield "abilities", f"{quoted(limit_text(card.limit).removesuffix(': '))}: only an Overlord has a limit of uses, and this is {A_TYPE[card.type]}"


def _abilities(card: Card) -> Iterator[Problem]:
    """Yield each ability that says something that makes no sense on this card."""
    triggered = [ability for trigger in card.triggers for ability in trigger.body] + list(card.lit)
    for column, abilities in (("abilities", card.abilities), ("triggers", triggered), ("horde", [ability for block in card.horde for ability in block])):
        for ability in walk(abilities):
            if ability.effect is Effect.HAUNT and card.type is not CardType.MONSTER:
                yield column, f"'HAUNT' is for monsters, and this is {A_TYPE[card.type]}; write HAUNT another monster"
            if ability.per is Per.MONSTER_IN_HORDE and card.type is not CardType.MONSTER:
                yield column, f"'{text_of(ability)}': {A_TYPE[card.type]} is in no horde"
            if ability.effect is Effect.COST and ability.a == Cost.SACRIFICE_THIS and card.type is CardType.OVERLORD:
                yield column, f"'{text_of(ability)}': an Overlord cannot be sacrificed"
    if card.armor and card.type is CardType.OVERLORD:
        yield "abilities", "an Overlord has no Armor: it counts on cards in play"
    if card.claim and (card.type is not CardType.MONSTER or card.pile is not Pile.MARKET):
        yield "abilities", "'CLAIM' is for monsters of the market"


# Each check with the columns that it looks at: it is left out when one of them could not be read.
CHECKS: tuple[tuple[tuple[str, ...], Callable[[Card], Iterator[Problem]]], ...] = (
    (("pile", "type"), _pile_fits),
    (("type",), _overlord_named),
    (("type", "faction"), _faction),
    (("type", "pile", "cost"), _cost),
    (("type", "copies"), _copies),
    (("type", "health"), _health),
    (("type", "left", "right", "horde"), _indicators),
    (("triggers",), _number_of_triggers),
    (("type", "abilities"), _limit),
    (("type", "pile"), _abilities),
)
