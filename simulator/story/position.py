"""Setting a table by hand: the position that a scenario describes, exactly as given."""

from __future__ import annotations

from typing import Any

from terrors.simulator.cards.card_set import CardSet
from terrors.simulator.kernel import layout
from terrors.simulator.kernel.layout import record
from terrors.simulator.play.box import Box, make_box
from terrors.simulator.play.game import Game
from terrors.simulator.rules.setup import UNLIMITED
from terrors.simulator.terms.enums import CardType, Mark, Status
from terrors.simulator.terms.errors import WordedError
from terrors.simulator.terms.ruleset import Rules

_PLAYER_KEYS = {"overlord", "health", "hand", "deck", "discard", "play", "relics", "tokens", "pool", "seat", "removed"}
_TABLE_KEYS = {"street", "market", "acolytes", "turn"}


class PositionError(WordedError):
    """A table that cannot be set, in one sentence."""


def scenario_box(cards: CardSet, inline: list[dict[str, Any]], rules: dict[str, Any]) -> Box:
    """The box for a scenario: the set with its inline cards, and its rules."""
    return make_box(cards.with_cards(inline) if inline else cards, Rules().but({**rules}))


def lay_table(box: Box, data: dict[str, Any]) -> tuple[Game, int]:
    """The game as described, at the active player's first decision, and the seat of `you`."""
    game = record(layout.GAME)
    you_data, opponent_data, table = data.get("you", {}), data.get("opponent", {}), data.get("table", {})
    _check_keys("table", table, _TABLE_KEYS)
    seat = you_data.get("seat", "first")
    if seat not in ("first", "second"):
        raise PositionError(f"you.seat: {seat!r} is not possible; write first or second.")
    you = int(seat == "second")
    game.seed = int(data.get("seed", 0)) % 2**64
    game.turn = int(table.get("turn", 1 + you))
    game.active = you
    game.status = Status.PLAYING
    game.winner = -1
    rules = box.record.rules
    game.haunt_tokens = rules.haunt_tokens or UNLIMITED
    game.muster_tokens = rules.muster_tokens or UNLIMITED
    overlords = [c.name for c in box.cards.overlords]
    _seat(box, game, you, "you", {"overlord": overlords[0], **you_data})
    rival_default = next(c.name for c in box.cards.overlords if c.name != you_data.get("overlord", overlords[0]))
    _seat(box, game, 1 - you, "opponent", {"overlord": rival_default, **opponent_data})
    _fill(box, game.market, table.get("market", []), "table.market", layout.MARKET)
    street = [box.new_instance(name) for name in table.get("street", [])]
    if len(street) > layout.STREET:
        raise PositionError(f"table.street: at most {layout.STREET} cards.")
    for at, card in enumerate(street):
        place = game.street[at]
        place.card, place.kind = card, box.record.kind_of[card]
        cost = box.record.card[place.kind].cost
        place.cost = cost if cost >= 0 else layout.NOT_FOR_SALE
        place.again = any(game.street[i].kind == place.kind for i in range(at))
    game.street_n = len(street)
    _fill(box, game.acolytes, _acolytes(box, table.get("acolytes", [])), "table.acolytes", layout.ACOLYTES)
    prices = [int(game.street[at].cost) for at in range(len(street))] + [int(rules.acolyte_cost)] * bool(game.acolytes.n)
    game.cheapest = min(prices, default=layout.NOT_FOR_SALE)
    at_table = Game.of(box, game)
    _ = at_table.options  # up to the first question
    return at_table, you


def _check_keys(where: str, data: dict[str, Any], known: set[str]) -> None:
    unknown = set(data) - known
    if unknown:
        raise PositionError(f"{where}: unknown entry {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}.")


def _acolytes(box: Box, given: Any) -> list[str]:
    """A list of names, or a number of Acolytes of the set in file order."""
    if isinstance(given, list):
        return given
    names = [card.name for card in box.cards.acolytes for _ in range(card.copies)]
    if given and not names:
        raise PositionError("table.acolytes: this set has no Acolytes; give a list of names.")
    return [names[i % len(names)] for i in range(given)]


def _fill(box: Box, pile: Any, names: list[str], where: str, capacity: int) -> None:
    """Fill a pile; the first name is the top."""
    if len(names) > capacity:
        raise PositionError(f"{where}: at most {capacity} cards.")
    for name in reversed(names):
        pile.card[pile.n] = box.new_instance(name)
        pile.n += 1


def _seat(box: Box, game: Any, seat: int, where: str, data: dict[str, Any]) -> None:
    """One side of the table."""
    _check_keys(where, data, _PLAYER_KEYS)
    p = game.player[seat]
    card = box.cards.by_name(data["overlord"])
    if card.type != CardType.OVERLORD:
        raise PositionError(f"{where}.overlord: {card.name} is no overlord.")
    p.overlord = box.kind(card.name)
    row = box.record.card[p.overlord]
    p.faction, p.start_health, p.ears, p.overlord_ready = row.faction, row.health, row.ears, row.uses
    p.health = data.get("health", int(row.health))
    if not 0 < p.health <= p.start_health:
        raise PositionError(f"{where}.health: {p.health} is not between 1 and the starting Health of {card.name}, {p.start_health}.")
    for name, amount in data.get("pool", {}).items():
        if name not in ("coin", "power", "regeneration") or not isinstance(amount, int) or amount < 0:
            raise PositionError(f"{where}.pool: {name} = {amount!r} is not possible; give coin, power or regeneration and a number.")
        setattr(p, name, amount)
    p.tokens = data.get("tokens", 0)
    game.muster_tokens -= p.tokens
    _fill(box, p.hand, data.get("hand", [])[::-1], f"{where}.hand", layout.OWNED)
    _fill(box, p.deck, data.get("deck", []), f"{where}.deck", layout.OWNED)
    _fill(box, p.discard, data.get("discard", [])[::-1], f"{where}.discard", layout.OWNED)
    _fill(box, p.removed, data.get("removed", [])[::-1], f"{where}.removed", layout.OWNED)
    for text in [*data.get("play", []), *data.get("relics", [])]:
        _put_in_play(box, game, p, text)
    p.owned = p.hand.n + p.deck.n + p.discard.n + p.slots + p.removed.n
    if p.owned > layout.OWNED:
        raise PositionError(f"{where}: a player owns at most {layout.OWNED} cards (rule E2); these are {p.owned}.")


def _put_in_play(box: Box, game: Any, p: Any, text: str) -> None:
    """`Ghoul`, played this turn; `Ghoul haunted`, here since before this turn; `Ghoul haunting`, with its token HAUNT side up; or a relic."""
    name, marks = text, 0
    for word, side in ((" haunted", Mark.DISMISS_SIDE | Mark.BEGAN), (" haunting", Mark.HAUNT_SIDE)):
        if text.endswith(word):
            name, marks = text.removesuffix(word), int(side)
    if p.slots == layout.SLOTS:
        raise PositionError(f"{text}: at most {layout.SLOTS} cards in play.")
    slot = p.play[p.slots]
    slot.card = box.new_instance(name)
    slot.left = slot.right = -1
    slot.marks = marks
    p.slots += 1
    row = box.record.card[box.record.kind_of[slot.card]]
    if marks and row.type != CardType.MONSTER:
        raise PositionError(f"{text}: only monsters can be haunted.")
    slot.link_left, slot.link_right = row.link_left, row.link_right
    p.armor += row.armor
    p.ears |= row.ears
    game.haunt_tokens -= bool(marks)
    if row.type == CardType.RELIC:
        p.relics += 1
        p.relics_ready += row.active
    else:
        p.free_left |= (1 << int(row.link_left)) & ~1
        p.free_right |= (1 << int(row.link_right)) & ~1
    p.haunts_ready += bool(marks & Mark.BEGAN)
