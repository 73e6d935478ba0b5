"""What a step has changed, found by comparing what was read of the record before it (view.reading) with what is read after it.

The engine keeps no story: it would cost every simulated game. A person who watches can afford to compare, and since every card in the box is an instance
of its own, the comparison is exact: each card that lies elsewhere now is one move.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from terrors.simulator.play.box import Box
from terrors.simulator.play.names import hordes_of, is_relic, kind_of, name_of, pile_names, slot_name, slots_in_play, token_of
from terrors.simulator.rules.asking import LOOKED, SHUFFLED
from terrors.simulator.terms.enums import Action, Effect, Mark, Per, Question, Resource, Status

NOBODY = -1  # the seat of what belongs to the table
SHARED_PILES = ("acolytes", "market", "removed")
OWN_PILES = ("hand", "deck", "discard", "removed")
EMPTY = -1  # the card of a slot that holds none
Spot = tuple[int, str]  # seat and zone
# Effects after which it can no longer be told from outside which cards a `reveal` in the same program has shown.
_BEFORE_REVEAL = (Effect.GAIN, Effect.MUSTER, Effect.HAUNT, Effect.CLAIM_NEXT, Effect.CONVERT, Effect.GAIN_HEALTH)


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


def compare(box: Box, before: Any, after: Any, chosen: Chosen) -> tuple[Change, ...]:
    """Everything that a step has changed."""
    if before.turn == 0:  # S3: nothing happens to the table before all Influence cards are chosen
        return ()
    if chosen.action == Action.PASS or after.limits > before.limits:
        return tuple(_end_of_turn(box, before, after))
    found = [
        *_horde(box, after, chosen),
        *_resources(before, after),
        *_moves(box, before, after, chosen),
        *_marks(box, before, after),
        *_health(before, after),
    ]
    if not found and chosen.action in (Action.RELIC, Action.OVERLORD, Action.HAUNT) and after.question == Question.ACTION:
        found.append(Change("nothing", int(before.active)))
    return tuple(found)


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
    for resource in Resource:
        name = resource.name.lower()
        amount = int(new[name]) - int(old[name])
        if amount:
            yield Change("resource", seat, amount, source=name.capitalize())


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


def spots(game: Any) -> dict[int, Spot]:
    """Where each card of the game lies."""
    found: dict[int, Spot] = {}
    for seat in range(2):
        player = game.player[seat]
        for zone in OWN_PILES:
            found.update(dict.fromkeys(_cards_of(player[zone]), (seat, zone)))
        found.update(dict.fromkeys([slot.card for slot in player.play[: player.slots]], (seat, "play")))
    for zone in SHARED_PILES:
        found.update(dict.fromkeys(_cards_of(game[zone]), (NOBODY, zone)))
    found.update(dict.fromkeys([place.card for place in game.street[: game.street_n]], (NOBODY, "street")))
    found.pop(EMPTY, None)
    return found


def _cards_of(pile: Any) -> list[int]:
    return pile["card"][: pile["n"]]


def _moves(box: Box, before: Any, after: Any, chosen: Chosen) -> Iterator[Change]:
    """All cards that lie elsewhere now, those that went the same way together."""
    shuffled = [int(after.player[seat].shuffles) > int(before.player[seat].shuffles) for seat in range(2)]
    yield from (Change("reshuffle", seat) for seat in range(2) if shuffled[seat])
    shown = _revealed(box, before, after, chosen)
    if shown:
        yield Change("reveal", int(before.active), cards=tuple(name_of(box, card) for card in shown))
    elif after.question == Question.LOOK and before.question != Question.LOOK:
        yield Change("look", int(after.active), cards=_looked_at(box, after))
    ways = _ways(before, after, shown, shuffled)
    came_back = _drawn_again(before, after, chosen)
    if came_back >= 0:
        seat = int(before.asked)
        ways.setdefault(("move", (seat, "hand"), (seat, "discard")), []).append(came_back)
        ways.setdefault(("draw", (seat, "deck"), (seat, "hand")), []).append(came_back)
    for (what, source, target), cards in sorted(ways.items(), key=lambda way: _WAY_ORDER.get((way[0][1][1], way[0][2][1]), 5)):
        owner = target[0] if target[0] >= 0 else source[0]
        names = tuple(name_of(box, card) for card in cards)
        yield Change(what, owner, len(cards), cards=names, source=source[1], target=target[1], implied=_says(box, chosen, source[1], target[1], cards))


def _ways(before: Any, after: Any, shown: list[int], shuffled: list[bool]) -> dict[tuple[str, Spot, Spot], list[int]]:
    """The cards by the way that they went: drawn or moved, from where, to where."""
    then = spots(before)
    ways: dict[tuple[str, Spot, Spot], list[int]] = {}
    for card, now in spots(after).items():
        if then.get(card, now) == now:
            continue
        seat, zone = now
        origin = then[card][1]
        if seat >= 0 and shuffled[seat] and zone == "deck":
            if origin == "discard":
                continue  # that is the shuffle
            if origin in ("hand", "play"):
                now = seat, "discard"  # it went there first, and was shuffled with the others
        if zone == "hand" and card not in shown and (origin == "deck" or (origin == "discard" and shuffled[seat])):
            ways.setdefault(("draw", (seat, "deck"), now), []).append(card)
        else:
            ways.setdefault(("move", then[card], now), []).append(card)
    return ways


def _drawn_again(before: Any, after: Any, chosen: Chosen) -> int:
    """The card that was discarded and, after a shuffle, drawn in the same step: it lies where it lay. -1 if there is none."""
    seat = int(before.asked)
    if (
        chosen.action != Action.CARD
        or (chosen.question, "hand", "discard") not in _NAMED_BY_ANSWER
        or after.player[seat].shuffles == before.player[seat].shuffles
    ):
        return -1
    card = int(before.player[seat].hand.card[chosen.slot])
    return card if card in _cards_of(after.player[seat].hand) else -1


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


def _revealed(box: Box, before: Any, after: Any, chosen: Chosen) -> list[int]:
    """G2: the cards that `reveal` has shown to both players, where that is certain: nothing else of the same card could have touched the deck before."""
    if chosen.action not in (Action.PLAY, Action.RELIC, Action.HAUNT, Action.OVERLORD) or after.status != Status.PLAYING:
        return []
    program = box.record.card[chosen.kind].program
    for pc in range(program.pc, program.end):
        row = box.record.effect[pc]
        if row.effect == Effect.REVEAL:
            deck, count = before.player[before.active].deck, int(row.amount)
            return [int(card) for card in deck.card[deck.n - count : deck.n][::-1]] if deck.n >= count and row.per == Per.NONE else []
        if row.effect not in _BEFORE_REVEAL:
            return []
    return []


# Tokens and what else a player may do now


def _marks(box: Box, before: Any, after: Any) -> Iterator[Change]:
    """Tokens, and permissions for the rest of the turn."""
    seat = int(before.active)
    old, new = before.player[seat], after.player[seat]
    if new.tokens > old.tokens:
        yield Change("muster", seat, int(new.tokens - old.tokens))
    if new.claims > old.claims:
        yield Change("claim", seat, int(new.claims - old.claims))
    for bit in range(9):
        if (int(new.converts) & ~int(old.converts)) >> bit & 1:
            yield Change("convert", seat, source=Resource(bit // 3).name.capitalize(), target=Resource(bit % 3).name.capitalize())
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
