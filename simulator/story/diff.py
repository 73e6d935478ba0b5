"""What a step has changed, in the order in which it happened: what is read of the record (names.reading) is compared again after each thing that is done.

The engine keeps no story: it would cost every simulated game. A person who watches can afford to let it stop after each thing (`Game.apply_index` with
`watch`) and to compare, and since every card in the box is an instance of its own, the comparison is exact: each card that lies elsewhere now is one move.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from terrors.simulator.play.box import Box
from terrors.simulator.play.names import RESOURCES, hordes_of, is_relic, kind_of, name_of, pile_names, slot_name, slots_in_play, token_of
from terrors.simulator.rules.asking import LOOKED, SHUFFLED
from terrors.simulator.terms.enums import Action, Effect, Mark, Per, Question, Resource, Status, Task

NOBODY = -1  # the seat of what belongs to the table
SHARED_PILES = ("acolytes", "market", "removed")
OWN_PILES = ("hand", "deck", "discard", "removed")
EMPTY = -1  # the card of a slot that holds none
Spot = tuple[int, str]  # seat and zone


@dataclass(frozen=True)
class Change:
    """One thing that is different after a step. `what` says which fields matter.

    resource    source: which; amount: how much more or less is in the pool     haunt    cards: that got a token, HAUNT side up
    health      amount: gained or lost; after: the Health now                   dismiss  cards: whose token was turned
    armor       amount: Power that Armor has stopped                            muster   amount: of tokens
    draw        cards                                                           horde    cards: from left to right
    move        cards; source and target: from where to where                   lit      cards: an Influence card that met its faction (P6)
    look        cards: looked at (G2)                                           claim    the next monster bought gains CLAIM
    reveal      cards: revealed (G2)                                            convert  source and target: what may be exchanged (G1)
    reshuffle   the discard pile was shuffled                                   nothing  an ability had no effect

    At the end of a turn: keep (cards, X1), stay (cards, X2), hand (amount, X3), cut (E1).
    """

    what: str
    seat: int = NOBODY
    amount: int = 0
    after: int = 0
    cards: tuple[str, ...] = ()
    source: str = ""
    target: str = ""
    implied: bool = False  # what the action says already, so that a text need not say it again


@dataclass(frozen=True)
class Chosen:
    """The option that was taken, as far as it matters for the story."""

    question: int
    action: int
    kind: int  # of the card in question, -1 = none
    slot: int  # its place


NOTHING_CHOSEN = Chosen(-1, -1, -1, -1)  # what happens by itself, after the option that was taken


def compare(box: Box, readings: Sequence[Any], chosen: Chosen) -> tuple[Change, ...]:
    """Everything that a step has changed: `readings` are of the table before it, after the chosen option alone, and after each thing that came of it."""
    found: list[Change] = []
    for i in range(1, len(readings)):
        found += _changes(box, readings[i - 1], readings[i], chosen if i == 1 else NOTHING_CHOSEN)
    found = _joined(found)
    if not found and chosen.action in (Action.RELIC, Action.OVERLORD, Action.HAUNT) and readings[-1].question == Question.ACTION:
        found.append(Change("nothing", int(readings[0].active)))
    return tuple(found)


def _changes(box: Box, before: Any, after: Any, chosen: Chosen) -> list[Change]:
    """Return what one thing has changed, in the order in which the rules name it: what is spent first, then what it does, then what is gained by it."""
    if before.turn == 0:  # S3: nothing happens to the table before all Influence cards are chosen
        return []
    if chosen.action == Action.PASS or after.limits > before.limits:
        return list(_end_of_turn(box, before, after))
    if chosen is NOTHING_CHOSEN and _untouched(before, after):  # more than every other time: something has only come up, or is over
        return list(_shown(box, before, after, _revealed(box, before, after)))
    resources = list(_resources(before, after)) if after.turn == before.turn else []
    return [
        *_horde(box, after, chosen),
        *(change for change in resources if change.amount < 0),
        *_moves(box, before, after, chosen),
        *_marks(box, before, after),
        *(change for change in resources if change.amount > 0),
        *_health(before, after),
    ]


def _untouched(before: Any, after: Any) -> bool:
    """Whether everything on the table is the same: a reading that has not changed is the same object (names.reading)."""
    return (
        after.player[0] is before.player[0]
        and after.player[1] is before.player[1]
        and after.street is before.street
        and all(after[zone] is before[zone] for zone in SHARED_PILES)
        and after.tally.armor_absorbed == before.tally.armor_absorbed
    )


_JOINED = ("draw", "move", "muster", "claim", "health")  # of one sort and one after the other, these are told as one


def _joined(changes: list[Change]) -> list[Change]:
    """The changes with those put together that follow on each other and are alike. That the faction was in play (P6) is about the whole card: it comes last."""
    found: list[Change] = []
    for change in changes:
        at = len(found) - 1
        while change.what == "resource" and at >= 0 and found[at].what == "resource" and not _alike(found[at], change):
            at -= 1  # Coin, Power, and Coin again: gained at one time
        if at >= 0 and _alike(found[at], change):
            one = found[at]
            found[at] = replace(one, amount=one.amount + change.amount, after=change.after, cards=one.cards + change.cards)
        else:
            found.append(change)
    return sorted(found, key=lambda change: change.what == "lit")


def _alike(one: Change, other: Change) -> bool:
    """Whether two changes are the same thing happening twice."""
    if one.what == "resource":
        return one.source == other.source and other.what == "resource" and (one.amount > 0) == (other.amount > 0)
    same = (one.what, one.seat, one.source, one.target) == (other.what, other.seat, other.source, other.target)
    return same and one.what in _JOINED and not one.implied and not other.implied


def _health(before: Any, after: Any) -> Iterator[Change]:
    """G4, A2: the rival first, since most of it happens there."""
    active = int(before.active)
    stopped = int(after.tally.armor_absorbed - before.tally.armor_absorbed) if after.turn == before.turn else 0
    if stopped > 0:
        yield Change("armor", active, stopped)
    for seat in (1 - active, active):
        now, then = int(after.player[seat].health), int(before.player[seat].health)
        if now != then:
            yield Change("health", seat, now - then, now)


def _resources(before: Any, after: Any) -> Iterator[Change]:
    """T3: what came into the active player's pool and what was spent."""
    seat = int(before.active)
    old, new = before.player[seat], after.player[seat]
    for name in RESOURCES if new is not old else ():
        amount = int(new[name.lower()]) - int(old[name.lower()])
        if amount:
            yield Change("resource", seat, amount, source=name)


def _horde(box: Box, after: Any, chosen: Chosen) -> Iterator[Change]:
    """H2: the horde of a Horde Action as it stands now. One that was just formed is in the action's own words."""
    if chosen.action not in (Action.HORDE, Action.HORDE_LEFT, Action.HORDE_RIGHT):
        return
    seat = int(after.active)
    player = after.player[seat]
    for horde in hordes_of(player):
        if chosen.slot in horde:
            yield Change("horde", seat, len(horde), cards=tuple(slot_name(box, player, s) for s in horde), implied=chosen.action == Action.HORDE)


# Cards


def spots(game: Any, other: Any) -> dict[int, Spot]:
    """Return where each card of the game lies, but for zones that are the same in another reading."""
    found: dict[int, Spot] = {}
    for seat in range(2):
        player, others = game.player[seat], other.player[seat]
        if player is others:
            continue
        for zone in OWN_PILES:
            if player[zone] is not others[zone]:
                found.update(dict.fromkeys(_cards_of(player[zone]), (seat, zone)))
        if player.play is not others.play:
            found.update(dict.fromkeys([slot.card for slot in player.play[: player.slots]], (seat, "play")))
    for zone in SHARED_PILES:
        if game[zone] is not other[zone]:
            found.update(dict.fromkeys(_cards_of(game[zone]), (NOBODY, zone)))
    if game.street is not other.street:
        found.update(dict.fromkeys([place.card for place in game.street[: game.street_n]], (NOBODY, "street")))
    found.pop(EMPTY, None)
    return found


def _cards_of(pile: Any) -> list[int]:
    return pile["card"][: pile["n"]]


def _moves(box: Box, before: Any, after: Any, chosen: Chosen) -> Iterator[Change]:
    """All cards that lie elsewhere now, those that went the same way together."""
    shuffled = [int(after.player[seat].shuffles) > int(before.player[seat].shuffles) for seat in range(2)]
    yield from (Change("reshuffle", seat) for seat in range(2) if shuffled[seat])
    shown = _revealed(box, before, after)
    yield from _shown(box, before, after, shown)
    ways = _ways(before, after, shown, shuffled)
    for (what, source, target), cards in sorted(ways.items(), key=lambda way: _WAY_ORDER.get((way[0][1][1], way[0][2][1]), 5)):
        owner = target[0] if target[0] >= 0 else source[0]
        names = tuple(name_of(box, card) for card in cards)
        yield Change(what, owner, len(cards), cards=names, source=source[1], target=target[1], implied=_says(box, chosen, source[1], target[1], cards))


def _shown(box: Box, before: Any, after: Any, revealed: list[int]) -> Iterator[Change]:
    """G2: what somebody sees now that lies where it lay."""
    if revealed:
        yield Change("reveal", int(before.active), cards=tuple(name_of(box, card) for card in revealed))
    elif after.question == Question.LOOK and before.agenda[-1].count == 0:
        yield Change("look", int(after.active), cards=_looked_at(box, after))


def _ways(before: Any, after: Any, shown: list[int], shuffled: list[bool]) -> dict[tuple[str, Spot, Spot], list[int]]:
    """The cards by the way that they went: drawn or moved, from where, to where."""
    then = spots(before, after)
    ways: dict[tuple[str, Spot, Spot], list[int]] = {}
    for card, now in spots(after, before).items():
        if then.get(card, now) == now:
            continue
        seat, zone = now
        origin = then[card]
        if seat >= 0 and shuffled[seat] and origin == (seat, "discard"):
            if zone == "deck":
                continue  # that is the shuffle
            origin = seat, "deck"
        drawn = zone == "hand" and origin[1] == "deck" and card not in shown
        ways.setdefault(("draw" if drawn else "move", origin, now), []).append(card)
    return ways


_WAY_ORDER = {("hand", "play"): 0, ("hand", "discard"): 0, ("deck", "hand"): 1, ("discard", "hand"): 1, ("market", "street"): 9}
# The ways of the one card that an action or answer names: (what, from, to).
_NAMED_BY_ACTION = {
    (Action.PLAY, "hand", "play"),
    (Action.BUY, "street", "discard"),
    (Action.BUY, "street", "deck"),
    (Action.BUY, "street", "play"),
}
_NAMED_BY_ANSWER = {
    (Question.CURSE, "hand", "discard"),
    (Question.DISCARD, "hand", "discard"),
    (Question.DISCARD_COST, "hand", "discard"),
    (Question.COMMAND, "discard", "hand"),
    (Question.DESTROY, "play", "discard"),
    (Question.DESTROY, "street", "removed"),
    (Question.SACRIFICE, "play", "removed"),
    (Question.SACRIFICE, "hand", "removed"),
    (Question.SACRIFICE, "discard", "removed"),
    (Question.RELIC_LIMIT, "play", "removed"),
    (Question.LOOK, "deck", "discard"),
    (Question.TAKE, "street", "discard"),
}


def _says(box: Box, chosen: Chosen, source: str, target: str, cards: list[int]) -> bool:
    """Whether the action's own words tell this move."""
    if len(cards) != 1 or kind_of(box, cards[0]) != chosen.kind:
        return False
    return (chosen.action, source, target) in _NAMED_BY_ACTION or (chosen.action == Action.CARD and (chosen.question, source, target) in _NAMED_BY_ANSWER)


def _looked_at(box: Box, game: Any) -> tuple[str, ...]:
    """G2: the cards that `look` shows to the active player, from the top. The frame that asks counts them."""
    deck = game.player[game.active].deck
    count = (int(game.agenda[game.agenda_n - 1].count) & (SHUFFLED - 1)) - LOOKED
    return tuple(pile_names(box, deck, top_first=True)[:count])


def _revealed(box: Box, before: Any, after: Any) -> list[int]:
    """G2: the cards that `reveal` has just shown to both players, from the top; of those that were shuffled under the deck for it, the taken ones first."""
    frame = before.agenda[-1] if before.agenda else None
    if frame is None or frame.task != Task.RUN or frame.pc >= frame.end:
        return []
    row = box.record.effect[frame.pc]
    if row.effect != Effect.REVEAL or row.per != Per.NONE:
        return []
    old, new = before.player[before.active], after.player[before.active]
    taken = [card for card in new.hand.card if card not in old.hand.card]
    shown = taken + new.deck.card[::-1][: int(row.amount) - len(taken)]
    return [card for card in old.deck.card[::-1] if card in shown] + [card for card in shown if card not in old.deck.card]


# Tokens and what else a player may do now


def _marks(box: Box, before: Any, after: Any) -> Iterator[Change]:
    """Tokens, and permissions for the rest of the turn."""
    seat = int(before.active)
    old, new = before.player[seat], after.player[seat]
    if new is old:
        return
    if new.tokens > old.tokens:
        yield Change("muster", seat, int(new.tokens - old.tokens))
    if new.claims > old.claims:
        yield Change("claim", seat, int(new.claims - old.claims))
    for bit in range(9) if new.converts != old.converts else ():
        if (int(new.converts) & ~int(old.converts)) >> bit & 1:
            yield Change("convert", seat, source=Resource(bit // 3).name.capitalize(), target=Resource(bit % 3).name.capitalize())
    if new.play is old.play:
        return
    marks = {int(old.play[s].card): int(old.play[s].marks) for s in slots_in_play(old)}
    for s in slots_in_play(new):
        now, then = int(new.play[s].marks), marks.get(int(new.play[s].card), 0)
        if token_of(now) and token_of(now) != token_of(then):
            yield Change(token_of(now), seat, cards=(slot_name(box, new, s),))
        if now & ~then & Mark.LIT:
            yield Change("lit", seat, cards=(slot_name(box, new, s),))


def _end_of_turn(box: Box, before: Any, after: Any) -> Iterator[Change]:
    """X1 to X3: what was kept, what stays in play, the new hand. The cards that go to the discard pile are all the others."""
    seat = int(before.active)
    old, new = before.player[seat], after.player[seat]
    if after.limits > before.limits:
        yield Change("cut", seat)
    yield from _health(before, after)
    if old.hand.n == 1 and after.limits == before.limits:
        yield Change("keep", seat, 1, cards=tuple(pile_names(box, old.hand)))
    stays = tuple(slot_name(box, new, s) for s in slots_in_play(new) if not is_relic(box, new, s))
    if stays:
        yield Change("stay", seat, len(stays), cards=stays)
    if new.shuffles > old.shuffles:
        yield Change("reshuffle", seat)
    if after.status == Status.PLAYING:
        yield Change("hand", seat, int(new.hand.n))
