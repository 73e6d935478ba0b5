"""A small page for each card and each overlord, within the page: what it says, what it is worth, who buys it when, what moves it, its games.

It opens where its name is clicked, which is a link wherever it stands, also within sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from terrors.reports.format import count, plain, points, share
from terrors.reports.theme import ALL_SIGNS, faction_of
from terrors.simulator.cards.printing import card_facts, card_sentences
from terrors.simulator.terms.enums import CardType, Pile

if TYPE_CHECKING:
    from terrors.reports.inputs import Material, Row
    from terrors.reports.page.replays import Gallery
    from terrors.simulator.cards.card_set import Card

MOST_MOVES = 6  # of what its numbers move, the clearest


def anchor_of(name: str) -> str:
    """Return the address of a card's small page within the page."""
    return "card-" + (re.sub(r"[^\w]+", "-", name.casefold()).strip("-") or "x")


class Links:
    """Links to the small pages, for names in tables and in sentences."""

    def __init__(self, names: Iterable[str]) -> None:
        """Take the names that have a small page."""
        self.anchors = {name: anchor_of(name) for name in names}
        longest = sorted(self.anchors, key=len, reverse=True)
        self.pattern = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, longest)) + r")(?!\w)") if longest else None

    def of(self, name: str) -> str:
        """Return the anchor of a name; empty if it has no small page."""
        return self.anchors.get(name, "")

    def text(self, sentence: str) -> Markup:
        """Return a sentence as markup, in which every name is a link; all else is escaped."""
        if self.pattern is None:
            return escape(sentence)
        parts, at = [], 0
        for found in self.pattern.finditer(sentence):
            parts += [escape(sentence[at : found.start()]), Markup('<a class="of" href="#{}">{}</a>').format(self.anchors[found[0]], found[0])]
            at = found.end()
        return Markup("").join([*parts, escape(sentence[at:])])


def entries(material: Material, gallery: Gallery) -> list[dict[str, Any]]:
    """Return the small pages: overlords first, then the cards of the market, in the order of the file."""
    if material.cards is None:
        return []
    values = {row["card"]: row for row in material.rows("cards")}
    rates = {row["overlord"]: row for row in material.rows("overlords")}
    shown = [card for card in material.cards if card.type is CardType.OVERLORD or card.pile is Pile.MARKET]
    shown.sort(key=lambda card: card.type is not CardType.OVERLORD)
    numbers: dict[str, list[Row]] = {}
    for row in material.rows("numbers"):
        numbers.setdefault(row["card"], []).append(row)
    return [_entry(material, gallery, card, values.get(card.name) or rates.get(card.name) or {}, numbers.get(card.name, [])) for card in shown]


def _entry(material: Material, gallery: Gallery, card: Card, row: Row, numbers: list[Row]) -> dict[str, Any]:
    overlord = card.type is CardType.OVERLORD
    found = [one for one in material.findings["findings"] if card.name in one["subject"].values()]
    games = {example["game"]: example for one in found for example in gallery.behind.get(one["id"], []) if example["game"] in gallery.shown}
    more = [(other.name, " ".join(card_sentences(other))) for other in material.cards.influences_of(card.name)] if overlord and material.cards else []
    return {
        "anchor": anchor_of(card.name),
        "name": card.name,
        "sign": ALL_SIGNS[faction_of(card.faction.label)],
        "look": faction_of(card.faction.label),
        "facts": ", ".join(part for part in (card.type.name.capitalize(), "" if overlord else card.faction.label, card_facts(card)) if part),
        "sentences": card_sentences(card),
        "influences": more,
        "values": _rates(row) if overlord else _values(row),
        "moves": _moves(numbers),
        "findings": [one["sentence"] for one in found],
        "games": [{"game": number, "why": example["why"]} for number, example in games.items()],
    }


def _rates(row: Row) -> list[tuple[str, str]]:
    return [("wins of 100 games", share(row["rate"], row["low"], row["high"]))] if row.get("rate") is not None else []


def _values(row: Row) -> list[tuple[str, str]]:
    """Return what was measured of a card, in words and numbers; what was not measured is left out."""
    told = []
    if row.get("value") is not None:
        told.append(("being allowed to buy it, in points of win rate", points(row["value"], row["low"], row["high"])))
    if row.get("per_purchase") is not None:
        told.append(("a purchase of it, in points", points(row["per_purchase"], row["per_purchase_low"], row["per_purchase_high"])))
    if row.get("rank") is not None:
        told.append(("rank by value, and the plausible ranks", f"{count(row['rank'])} ({count(row['rank_low'])}–{count(row['rank_high'])})"))
    if row.get("price"):
        told.append(("a copy against others of its cost", row["price"]))
    habits = {
        "seen": "lay in the Street in one's turn, of 100 games",
        "bought_when_affordable": "bought, of 100 games in which it could be",
        "first_turn": "turn of the first purchase, both players' counted",
        "rate_when_bought": "won when bought, of 100 games (mostly says who was winning anyway)",
    }
    told += [(words, plain(row[key])) for key, words in habits.items() if row.get(key) is not None]
    for key, words in (("best_overlord", "worth most to"), ("worst_overlord", "worth least to")):
        if row.get(key):
            told.append((words, row[key]))
    return told


def _moves(numbers: list[Row]) -> list[str]:
    """Return what a step of each number of a card moves, where that is certain; nothing if no such lottery was played."""
    rows = sorted((row for row in numbers if row["low"] > 0 or row["high"] < 0), key=lambda row: row["p"])
    return [
        f"{row['move']}: {'length of a game' if row['of'] == 'turns' else row['of']} {points(row['effect'], row['low'], row['high'])} "
        f"{'turns' if row['of'] == 'turns' else 'points'}"
        for row in rows[:MOST_MOVES]
    ]
