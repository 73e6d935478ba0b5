"""What a card file adds to the language: factions and keywords of its own.

They stand in rows of their own, anywhere in the file, as `name = what it is` in the first cell:

    factions = Undead, Beast, Fey #2f7d4f       all factions of the set, in the order in which charts list them; a colour may follow a name
    FRENZY = 1 Power and DRAW 1                 a keyword: it can be written wherever these abilities can

A keyword is shorthand: it is read as what it stands for, and the set is the same as if that had been written.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from terrors.simulator.terms.enums import MOST_FACTIONS, Faction
from terrors.simulator.terms.text import quoted

FACTIONS = "factions"
DEFINITION = re.compile(r"\s*([^=]*[^=\s])\s*=\s*(.*)", re.DOTALL)
COLOUR = re.compile(r"\s*\(?(#[0-9a-fA-F]{6})\)?\s*$")
NAME = re.compile(r"[^\W\d_](?:[\w' -]*\w)?")  # of a faction or a keyword: letters first, no punctuation that means something in abilities
LONGEST_NAME = 40
WORDS_OF_THE_LANGUAGE = ("a", "an", "and", "or", "per", "if", "pay", "choose", "own", "monster", "relic", "influence", "card", "horde", "overlord", "none",
                         "first", "each", "faction", "coin", "power", "regeneration", "health", "armor")  # fmt: skip


@dataclass(frozen=True, eq=False)
class Dialect:
    """The factions and the keywords of a set."""

    factions: tuple[Faction, ...] = Faction.PRINTED
    keywords: Mapping[str, str] = field(default_factory=dict)  # name -> abilities joined by `and`

    @cached_property
    def _content(self) -> tuple[object, ...]:
        """All that makes it this one; factions of different names are the same number."""
        return (tuple((faction.label, faction.colour) for faction in self.factions), tuple(self.keywords.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dialect) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the factions."""
        return tuple(faction.label for faction in self.factions)

    def rows(self) -> list[str]:
        """Return the definitions as a card file has them: none for the printed game's factions. Keywords have been read as what they stand for."""
        if Dialect(self.factions) == STANDARD:
            return []
        return [f"{FACTIONS} = " + ", ".join(f"{faction.label} {faction.colour}".strip() for faction in self.factions)]

    def expand(self, text: str) -> str:
        """Return a text of the language with every keyword of the set as what it stands for."""
        if not self.keywords:
            return text
        meanings = {name.casefold(): meaning for name, meaning in self.keywords.items()}
        return _pattern(tuple(self.keywords)).sub(lambda found: f"({meanings[found[0].casefold()]})", text)


@lru_cache(maxsize=256)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + r")(?!\w)", re.IGNORECASE)


STANDARD = Dialect()


def is_definition(cells: Mapping[str, str], first: str) -> bool:
    """Whether a row defines something: its first filled cell has `=` in it, and it is no card, which has a pile and a type."""
    return "=" in first and not cells.get("pile", "").strip() and not cells.get("type", "").strip()


def read_factions(text: str) -> tuple[tuple[Faction, ...], list[str]]:
    """Return the factions of a definition, and what is wrong with it."""
    found: list[Faction] = []
    problems = []
    for piece in (piece.strip() for piece in re.split(r"[,;\t]", text) if piece.strip()):
        colour = COLOUR.search(piece)
        name = " ".join((piece[: colour.start()] if colour else piece).split())
        if wrong := name_problem(name, "a faction", "factions = Undead, Fey #2f7d4f"):
            problems.append(wrong)
        elif name.casefold() in (other.label.casefold() for other in found):
            problems.append(f"{quoted(name)} is there twice")
        else:
            found.append(Faction(len(found) + 1, name, colour[1].lower() if colour else ""))
    if not problems and not 2 <= len(found) <= MOST_FACTIONS:
        problems.append(f"there are {len(found)} factions; give 2 to {MOST_FACTIONS}, with commas between them")
    return tuple(found), problems


def name_problem(name: str, what: str, example: str) -> str:
    """Return what is wrong with the name of a faction or a keyword; empty if it will do."""
    if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        return f"{quoted(name)} is no name of {what}; use letters, as in '{example}'"
    if name.casefold() in WORDS_OF_THE_LANGUAGE:
        return f"{quoted(name)} means something else in abilities; {what} needs another name"
    return ""
