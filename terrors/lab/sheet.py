"""The card set as a sheet: the set as opened, edits of its cells, and what the loader says to each of them.

An edit is a card (by its name as opened), a column and a text. Edits that the loader refuses are told at their cell and left out; the others make the set that
is played. Nothing here writes a file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from terrors.reports.theme import ALL_SIGNS, faction_of
from terrors.simulator.cards.card import COLUMNS, cells_of, read_card
from terrors.simulator.cards.card_set import Card, CardSet, UnknownCardError, load_cards, set_problems
from terrors.simulator.cards.printing import TITLES, card_sentences, groups_of
from terrors.simulator.terms.errors import WordedError

MOST_EDITS, MOST_TEXT = 500, 5_000


class EditError(WordedError):
    """Raised for edits that cannot be understood, in one sentence."""


class Edit(NamedTuple):
    """A cell that is to say something else."""

    card: str
    column: str
    value: str


@dataclass(frozen=True)
class OpenedSet:
    """A card file as it was opened."""

    path: Path
    cards: CardSet
    digest: str  # of the file's bytes
    shipped: bool = False  # the set that ships: it is not written

    @classmethod
    def read(cls, path: Path, shipped: bool = False) -> OpenedSet:
        """Open a file; what is wrong with it is raised as everywhere."""
        cards = load_cards(path)
        return cls(path, cards, digest_of(path), shipped)


def digest_of(path: Path) -> str:
    """Return a short text that changes when the file does; empty if there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError:
        return ""


def edits_of(data: Any) -> list[Edit]:
    """Return edits as they come with a request: a list of [card, column, text]. The last one of a cell counts."""
    if not isinstance(data, list) or len(data) > MOST_EDITS:
        raise EditError("edits: give a list of [card, column, text], at most 500.")
    found: dict[tuple[str, str], Edit] = {}
    for item in data:
        if not isinstance(item, list) or len(item) != 3 or not all(isinstance(text, str) and len(text) <= MOST_TEXT for text in item):
            raise EditError("edits: each is a list of three texts: card, column, value.")
        edit = Edit(*item)
        if edit.column not in COLUMNS:
            raise EditError(f"edits: {edit.column[:40]!r} is not a column; the columns are {', '.join(COLUMNS)}.")
        found[edit.card, edit.column] = edit
    return list(found.values())


def texts_of(data: Any) -> list[str]:
    """Return a list of texts as it comes with a request."""
    if not isinstance(data, list) or len(data) > MOST_EDITS or not all(isinstance(text, str) and 0 < len(text) <= MOST_TEXT for text in data):
        raise EditError("give a list of texts.")
    return data


@dataclass
class EditedSet:
    """The set with the edits that the loader takes, and what it says to the others."""

    cards: CardSet
    taken: list[Edit] = field(default_factory=list)
    broken: dict[Edit, list[str]] = field(default_factory=dict)  # with what is wrong, in the loader's words

    @property
    def edited(self) -> list[str]:
        """The cards whose cells were changed, by their names now."""
        return list(dict.fromkeys(edit.card for edit in self.taken))


def edit_set(opened: CardSet, edits: Sequence[Edit]) -> EditedSet:
    """Return the set with all edits that can be taken. If not all can be taken together, each is tried by itself, in their order."""
    found = EditedSet(opened)
    if not edits:
        return found
    sound = [edit for edit in edits if not _refused(opened, edit, found) and cells_of(opened.by_name(edit.card))[edit.column] != edit.value]
    whole, problems = _with(opened, sound)
    if not problems:
        found.cards, found.taken = whole if sound else opened, sound
        return found
    for edit in sound:
        tried, problems = _with(opened, [*found.taken, edit])
        if problems:
            found.broken[edit] = problems
        else:
            found.cards, found.taken = tried, [*found.taken, edit]
    return found


def _refused(opened: CardSet, edit: Edit, found: EditedSet) -> bool:
    """Note what is wrong with one cell alone."""
    try:
        card = opened.by_name(edit.card)
    except UnknownCardError as error:
        found.broken[edit] = [str(error)]
        return True
    _, wrong = read_card({**cells_of(card), **card.own, edit.column: edit.value}, card.row, opened.dialect)
    if edit.column == "copies" and not edit.value.strip():
        wrong.append(("copies", "an empty cell is not a number of copies"))
    mine = [message for column, message in wrong if column == edit.column]
    if mine:
        found.broken[edit] = mine
    return bool(mine)


def _with(opened: CardSet, edits: Sequence[Edit]) -> tuple[CardSet, list[str]]:
    """Return the set with these edits, and all that is wrong with it then."""
    changed: dict[int, dict[str, str]] = {}
    for edit in edits:
        at = opened.index(edit.card)
        changed.setdefault(at, cells_of(opened.cards[at]))[edit.column] = edit.value
    cards, problems = list(opened.cards), []
    for at, cells in changed.items():
        cards[at], wrong = read_card({**cells, **opened.cards[at].own}, opened.cards[at].row, opened.dialect)
        problems += [f"{column}: {message}" for column, message in wrong]
    if not problems:
        problems = [": ".join(part for part in (card.name if card else "", column, message) if part) for card, column, message in set_problems(cards)]
    return replace(opened, cards=tuple(cards)), problems


# For the page


def sheet_data(opened: OpenedSet) -> list[dict[str, Any]]:
    """Return the cards as opened, in groups as `terrors cards` prints them."""
    return [
        {"title": f"{TITLES[pile]}{': ' + title if title else ''}", "pile": pile.name.lower(), "cards": [card_data(card) for card in cards]}
        for pile in TITLES
        if opened.cards.pile(pile)
        for title, cards in groups_of(opened.cards, pile)
    ]


def card_data(card: Card) -> dict[str, Any]:
    """Return a card for the page: its cells, what it says, and how its faction looks."""
    faction = faction_of(card.faction.label)
    return {"name": card.name, "cells": cells_of(card), "says": card_sentences(card), "faction": faction, "sign": ALL_SIGNS[faction]}


def edits_data(opened: CardSet, edits: Sequence[Edit], found: EditedSet) -> dict[str, Any]:
    """Return what became of edits: a chip each, and the edited cards as they are now."""
    texts: Mapping[Edit, list[str]] = found.broken
    chips = []
    for edit in edits:
        known = any(card.name == edit.card for card in opened)
        was = cells_of(opened.by_name(edit.card))[edit.column] if known else ""
        chips.append({"card": edit.card, "column": edit.column, "before": was, "after": edit.value, "problems": texts.get(edit, []), "same": was == edit.value})
    names = dict.fromkeys(edit.card for edit in edits)
    return {
        "chips": chips,
        "cards": {name: card_data(found.cards.cards[opened.index(name)]) for name in names if any(card.name == name for card in opened)},
        "warnings": [text for text in found.cards.warnings if text not in opened.warnings],
    }
