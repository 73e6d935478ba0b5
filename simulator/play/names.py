"""Reading the records of a game as a person would: names instead of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from terrors.simulator.kernel import layout
from terrors.simulator.play.box import Box
from terrors.simulator.terms.enums import CardType, Mark

SEATS = ("first", "second")
RESOURCES = ("Coin", "Power", "Regeneration")
TOKENS = {"haunt": " (HAUNT)", "dismiss": " (Dismiss)", "": ""}  # behind the name of a card that has one


class Snapshot(dict[str, Any]):
    """A record as plain numbers and lists, its fields by name: `reading.player[0].hand.card`."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the field of that name."""
    else:
        __getattr__ = dict.__getitem__  # without a Python function in between
    raw: bytes  # of a player: the memory that it was read from


class SnapshotRows(list[Snapshot]):
    """Rows of a record within a record."""

    raw: bytes  # the memory that they were read from


# By type of record: the fields that are numbers, and the field that says how much of a list is in use.
_NUMBERS = {dtype: [name for name in dtype.names or () if not dtype[name].shape and not dtype[name].names] for dtype in (layout.GAME, layout.PLAYER)}
_USED = {"street": "street_n", "agenda": "agenda_n", "play": "slots"}
_PILES = {layout.GAME: ("acolytes", "market", "removed"), layout.PLAYER: ("hand", "deck", "discard", "removed")}


def reading(record: Any, before: Snapshot | None = None) -> Snapshot:
    """Return a game's record to be looked at closely: it does not change with the game, and is read ten times as fast as the record itself.

    `before`: an earlier reading. Of what has not changed since, this one has the same objects: it takes less time, and whoever compares the two can see it.
    """
    plain = np.asarray(record)
    found = _read(plain, layout.GAME, before)
    found["tally"] = Snapshot(zip(layout.TALLY.names or (), plain["tally"].item(), strict=True))
    found["player"] = [_player(plain["player"][seat], before.player[seat] if before else None) for seat in range(2)]
    return found


def _player(plain: Any, before: Snapshot | None) -> Snapshot:
    raw = plain.tobytes()
    if before is not None and before.raw == raw:
        return before
    found = _read(plain, layout.PLAYER, before)
    found.raw = raw
    return found


def _read(plain: Any, dtype: np.dtype, before: Snapshot | None) -> Snapshot:
    found = Snapshot(zip(_NUMBERS[dtype], plain[_NUMBERS[dtype]].item(), strict=True))
    for name in _PILES[dtype]:
        n = int(plain[name]["n"])
        cards = plain[name]["card"][:n].tolist()
        same = before is not None and before[name]["card"] == cards
        found[name] = before[name] if before is not None and same else Snapshot(n=n, card=cards)
    for name, used in _USED.items():
        if used in found:
            rows = plain[name][: found[used]]
            raw = rows.tobytes()
            if before is not None and before[name].raw == raw:
                found[name] = before[name]
            else:
                found[name] = SnapshotRows(Snapshot(zip(rows.dtype.names, row, strict=True)) for row in rows.tolist())
                found[name].raw = raw
    return found


def name_of(box: Box, instance: int) -> str:
    """Return the name of a card."""
    return box.names[kind_of(box, instance)]


def kind_of(box: Box, instance: int) -> int:
    """Return the kind of a card."""
    return int(box.record["kind_of"][instance])  # by name in brackets: five times as fast as behind a dot


def pile_names(box: Box, pile: Any, top_first: bool = False) -> list[str]:
    """Return the names of a pile's cards, in their order."""
    names = [name_of(box, card) for card in pile.card[: pile.n]]
    return names[::-1] if top_first else names


def street_names(box: Box, game: Any) -> list[str]:
    """Return the names of the Street's cards."""
    return [box.names[game.street[at].kind] for at in range(game.street_n)]


def slots_in_play(player: Any) -> list[int]:
    """Return the slots that hold a card."""
    return [s for s in range(player.slots) if player.play[s].card >= 0]


def is_relic(box: Box, player: Any, slot: int) -> bool:
    """Whether the card in a slot is a relic."""
    return box.cards.cards[kind_of(box, player.play[slot].card)].type == CardType.RELIC


def slot_name(box: Box, player: Any, slot: int) -> str:
    """Return the name of a card in play; `Ghoul #2` for the second copy of that name, in the order in which they came."""
    kind = kind_of(box, player.play[slot].card)
    copy = sum(1 for s in slots_in_play(player) if s <= slot and kind_of(box, player.play[s].card) == kind)
    return box.names[kind] if copy == 1 else f"{box.names[kind]} #{copy}"


def token_of(marks: int) -> str:
    """Return the side of the token on a monster that is up: `haunt`, `dismiss` or nothing."""
    return "haunt" if marks & Mark.HAUNT_SIDE else "dismiss" if marks & Mark.DISMISS_SIDE else ""


def hordes_of(player: Any) -> list[list[int]]:
    """Return the hordes of a player: slots from left to right."""
    hordes = []
    for s in slots_in_play(player):
        slot = player.play[s]
        if slot.marks & Mark.IN_HORDE and slot.left < 0:
            horde = [s]
            while player.play[horde[-1]].right >= 0:
                horde.append(int(player.play[horde[-1]].right))
            hordes.append(horde)
    return hordes


def area_text(hordes: Iterable[Iterable[tuple[str, str]]], others: Iterable[tuple[str, str]]) -> str:
    """Return a play area in words, from names and tokens: hordes as chains, tokens behind the names."""

    def words(cards: Iterable[tuple[str, str]]) -> list[str]:
        return [name + TOKENS[token] for name, token in cards]

    return ", ".join([" + ".join(words(horde)) for horde in hordes] + words(others))


def play_words(box: Box, player: Any) -> str:
    """Return the play area of a player in words, relics left out."""

    def standing(s: int) -> tuple[str, str]:
        return slot_name(box, player, s), token_of(player.play[s].marks)

    hordes = hordes_of(player)
    chained = {s for horde in hordes for s in horde}
    others = (s for s in slots_in_play(player) if s not in chained and not is_relic(box, player, s))
    return area_text((map(standing, horde) for horde in hordes), map(standing, others))


def relic_names(box: Box, player: Any) -> list[str]:
    """Return the names of a player's relics."""
    return [slot_name(box, player, s) for s in slots_in_play(player) if is_relic(box, player, s)]


def pool_text(pool: Iterable[int]) -> str:
    """Return `2 Coin, 1 Power`: a Resource Pool, of which the three amounts are given."""
    return ", ".join(f"{amount} {name}" for amount, name in zip(pool, RESOURCES, strict=True) if amount)


def pool_words(player: Any) -> str:
    """Return the Resource Pool of a player in words."""
    return pool_text((player.coin, player.power, player.regeneration))
