"""What a style thinks of the cards before the first game: a `Taste` is put on every card of the box, once.

Points are the unit throughout the styles: 1 is what 1 Power is worth. A card's worth is the points of one activation of it, while much of the game is
left (`early`) and at its end (`late`): what differs is the use that there is for Coin. How the worth of a card becomes a reason to buy it is in
valuation.py, when it is best played in turn.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from terrors.simulator.kernel.work_layout import WANT_FIELDS
from terrors.simulator.terms.enums import MOST_FACTIONS, CardType, Cost, Effect, Event, Per, played_event


@dataclass(frozen=True)
class Taste:
    """The wishes of a style, in points. The numbers here are a sensible player's; a style states where it differs."""

    coin: float = 1.3  # a Coin while much of the game is left
    coin_late: float = 0.3  # a Coin at the end of it
    power: float = 1.0
    health: float = 0.75  # a Health gained, or not lost
    draw: float = 2.0
    curse: float = 1.3
    destroy: float = 0.5
    command: float = 1.2
    muster: float = 1.3
    rage: float = 2.1
    haunt: float = 0.35  # share of a card's worth that a second activation by its token adds
    haunt_another: float = 1.3
    sacrifice: float = 1.5
    discard: float = 1.2  # the rival discards
    armor: float = 0.5  # a point of Armor through one turn of the rival
    reveal: float = 0.9
    other: float = 0.7
    horde: float = 0.25  # how often a Horde ability is expected to be used when its monster is played
    relic: float = 0.8  # how gladly relics are bought
    opening: float = 2.2  # a Coin on an Influence card to begin with: the first purchases are the ones that last
    average: float = 1.0  # how much better than the average card of the deck a card must be: what is not better only makes the deck thicker
    horizon: float = 1.0  # belief in a longer game (above 1) or a shorter one
    acolyte: float = 2.1  # an Acolyte, unseen
    loyal: float = 0.4  # more for a monster of the own faction
    link: float = 0.0  # more for each monster to stand beside that is to be expected in the same hand
    chain: float = 0.2  # a Horde Action: more for each monster that could then join
    stay: float = 1.0  # how much a monster with a HAUNT token is to be kept out of hordes
    keep: float = 0.3  # how readily a card is kept at Pass
    wait: float = 0.0  # more for an Influence card that is not lit, if it is kept at Pass
    deny: float = 0.3  # DESTROY: how much a Street card that only the rival may come to buy counts


def rows_of(box: Any, span: Any) -> list[Any]:
    """Return the rows of one program."""
    return [box.effect[i] for i in range(span.pc, span.end)]


_seen: dict[bytes, tuple[float, ...]] = {}
MOST_SEEN = 1 << 17  # cards; those who move numbers look at many versions of few cards


def looked_at(box: Any, kind: int) -> tuple[float, ...]:
    """Return what a card discards and loses, whether it has HAUNT and gives it, and when it is played and used. Each card is looked at once in a process."""
    card = box.card[kind]
    program = np.asarray(box.effect)[card.program.pc : card.program.end]
    key = card.tobytes() + box.has[kind].tobytes() + program.tobytes()
    if key not in _seen:
        if len(_seen) >= MOST_SEEN:
            _seen.clear()
        rows = rows_of(box, card.program)
        discards, loses = (float(sum(row.amount for row in rows if row.effect == effect)) for effect in (Effect.DISCARD, Effect.LOSE_HEALTH))
        haunts, gives = (float(any(row.effect == effect for row in rows)) for effect in (Effect.HAUNT, Effect.HAUNT_ANOTHER))
        _seen[key] = discards, loses, haunts, gives, order_of(box, kind), moment_of(box, kind)
    return _seen[key]


class Cards:
    """All cards of a box as columns of numbers: what a taste is put on."""

    def __init__(self, box: Any) -> None:
        """Look at every card once."""
        n = int(box.kinds)
        self.has = np.asarray(box.has)[:n]
        self.relic, self.influence = (np.asarray(box.card)["type"][:n] == sort for sort in (CardType.RELIC, CardType.INFLUENCE))
        seen = np.array([looked_at(box, kind) for kind in range(n)]).reshape(n, 6).T
        self.discards, self.loses = seen[0], seen[1]  # what a card takes from its owner is not among its features
        self.haunts, self.haunts_another = seen[2] > 0, seen[3] > 0
        self.order, self.moment = seen[4], seen[5]

    def worth(self, taste: Taste, coin: float) -> np.ndarray:
        """Return the points of one activation of each card, with that much for a Coin; Armor and a HAUNT token count with it."""
        has = self.has
        points = coin * has["coin"] + taste.power * has["power"] + taste.health * (has["regeneration"] + has["health"]) + 1.1 * taste.power * has["drain"]
        for name in ("draw", "curse", "destroy", "command", "muster", "rage", "sacrifice", "discard", "reveal", "other"):
            points = points + getattr(taste, name) * has[name]
        points = points - 0.4 * has["costs"] - 0.8 * self.discards - taste.health * self.loses
        armor = taste.armor * has["armor"]
        points = np.where(self.haunts, (1 + taste.haunt) * points + armor, np.where(self.relic, points + armor, points))
        points = points + taste.haunt_another * self.haunts_another
        return points + taste.horde * (coin * has["horde_coin"] + taste.power * has["horde_power"] + 1.1 * has["horde_other"])


# When in a turn something is done that need not be done at once.
AT_ONCE, AFTER_PLAYS, BEFORE_BUYING, AFTER_BUYING = 0.0, 1.0, 2.0, 3.0


def moment_of(box: Any, kind: int) -> float:
    """Return when a relic or an overlord is best used: at once, after the plays if it needs monsters, before or after buying by what it does and costs."""
    rows = rows_of(box, box.card[kind].program)
    effects = [row.effect for row in rows]
    if rows and (rows[0].effect == Effect.BUY_WITH or (rows[0].effect == Effect.COST and rows[0].a in (Cost.COIN, Cost.POWER, Cost.REGENERATION))):
        return AFTER_BUYING
    if Effect.CLAIM_NEXT in effects:
        return BEFORE_BUYING
    return AFTER_PLAYS if Effect.ACTIVATE in effects else AT_ONCE


# The order of play, from the first to the last. An Influence card that is not lit comes after the monsters that could light it (P6); what gives HAUNT to
# another monster comes after the hordes, since a token gained in a horde stays HAUNT side up (N3).
ENGINE, LISTENER, LIT_LISTENER, DRAWS, FETCHES, USES_HAND, MONSTER, STARTER, UNLIT, INFLUENCE, COUNTS, AFTER_HORDES = (
    900.0, 800.0, 700.0, 600.0, 500.0, 450.0, 300.0, 200.0, 100.0, 60.0, 20.0, -100.0,
)  # fmt: skip
OWN_FACTION_FIRST = 30.0
PLAYED = {played_event(faction) for faction in range(1, MOST_FACTIONS + 1)}
EARLY_EARS = {Event.CURSE, Event.COMMAND, Event.SACRIFICE, Event.DESTROY, Event.INFLUENCE_PLAYED, Event.CARD_DISCARDED, Event.RESHUFFLE, Event.HAUNT_ACTION}


def order_of(box: Any, kind: int) -> float:
    """Return the place of a card in the order of play: what hears before what it hears, what draws before what counts."""
    card, has = box.card[kind], box.has[kind]
    rows = rows_of(box, card.program)
    effects = {row.effect for row in rows}
    ears = {int(card.trigger[t].event) for t in range(card.triggers)}
    conditional = 10.0 * (Effect.IF in effects)
    if card.type == CardType.RELIC or Event.MONSTER_PLAYED in ears:
        return ENGINE
    if Effect.HAUNT_ANOTHER in effects and Effect.HAUNT not in effects:
        return AFTER_HORDES
    if any(row.per == Per.FACTION_IN_PLAY for row in rows):
        return COUNTS
    if card.type == CardType.INFLUENCE:
        if ears & (PLAYED | EARLY_EARS):
            return LIT_LISTENER
        return DRAWS if has.draw else INFLUENCE
    if ears & EARLY_EARS:
        return LISTENER
    if has.draw:
        return DRAWS
    if has.command or has.reveal:
        return FETCHES
    if any(row.per == Per.CARD_IN_HAND for row in rows) or any(row.effect == Effect.SACRIFICE and row.a & 2 for row in rows):
        return USES_HAND
    return (MONSTER if card.faction else STARTER) - conditional


def set_wants(taste: Taste, wants: Any) -> None:
    """Write down the numbers of a taste that are needed during a game (work_layout.WANTS)."""
    for name in WANT_FIELDS:
        setattr(wants, name, getattr(taste, name))


def form(taste: Taste, box: Any, work: Any) -> None:
    """Fill `work` with what a style thinks of each card, and with the numbers that it plays by."""
    set_wants(taste, work.wants)
    cards = Cards(box)
    of = np.asarray(work.of)[: int(box.kinds)]
    share = np.where(cards.relic, taste.relic, 1.0)
    of["early"], of["late"], of["bend"] = share * cards.worth(taste, taste.coin), share * cards.worth(taste, taste.coin_late), 0.0
    of["keep"] = np.where(cards.influence, cards.worth(taste, taste.opening), 0.5 * (of["early"] + of["late"]))
    of["play"], of["moment"] = cards.order, cards.moment
    of["look_again"] = cards.has["draw"] + cards.has["command"] + cards.has["reveal"]
