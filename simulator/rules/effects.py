"""Carrying out what cards say, as far as nothing has to be asked for it: one branch per effect.

A card's abilities are rows of a program; a frame of the agenda says which row is next (`pc`). An effect either is done at once and moves on to the
next row (here), or lists options and asks (asking.py); the answer then does it and moves on (outcomes.py). All of it is for the active player: triggers
too are live in their owner's turn only (P3).
"""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, FrameRecord, GameRecord, OptionsRecord, rule
from terrors.simulator.kernel.piles import put, take_at
from terrors.simulator.kernel.rng import shuffle_pile, stream
from terrors.simulator.rules.play_area import faction_in_play, horde_length
from terrors.simulator.rules.resources import gain, gain_health, give_haunt, lose_health, muster, push
from terrors.simulator.rules.triggers import happen_now
from terrors.simulator.rules.turn_end import draw, shuffle_under
from terrors.simulator.terms.enums import CardType, Condition, Effect, Event, Fits, Look, Per, Task


@rule(inline=True)
def still_there(game: GameRecord, frame: FrameRecord) -> bool:
    """Whether the card that an ability comes from is still in play, as the same card."""
    return frame.slot >= 0 and game.player[game.active].play[frame.slot].card == frame.card


@rule
def amount_of(game: GameRecord, box: BoxRecord, frame: FrameRecord, pc: int) -> int:
    """Return the amount of a row, multiplied with what `per` counts now."""
    row = box.effect[pc]
    if row.per == Per.NONE:
        return row.amount
    me = game.active
    p = game.player[me]
    if row.per == Per.FACTION_IN_PLAY:
        return row.amount * faction_in_play(game, box, me, row.of)
    if row.per == Per.RELIC:
        return row.amount * p.relics
    if row.per == Per.CARD_IN_HAND:
        return row.amount * p.hand.n
    if still_there(game, frame):
        return row.amount * horde_length(p, frame.slot)
    return 0


@rule(rare=True)
def look_up(game: GameRecord, box: BoxRecord, options: OptionsRecord, n: int) -> bool:
    """G2: make sure that n cards of the deck can be looked at; return whether the discard pile was shuffled for it."""
    if game.player[game.active].deck.n < n:
        return shuffle_under(game, box, options, game.active)
    return False


@rule(rare=True)
def reveal(game: GameRecord, box: BoxRecord, options: OptionsRecord, n: int, fits: int, faction: int) -> bool:
    """G2: put each of the top n cards that fits into the hand; the others stay. Return whether the discard pile was shuffled."""
    shuffled = look_up(game, box, options, n)
    p = game.player[game.active]
    at = p.deck.n - 1
    p.known = max(p.known, min(n, p.deck.n))
    game.revealed += min(n, p.deck.n)
    for _ in range(min(n, p.deck.n)):
        c = box.card[box.kind_of[p.deck.card[at]]]
        if fits == Fits.RELIC:
            taken = c.type == CardType.RELIC
        elif fits == Fits.MONSTER:
            taken = c.type == CardType.MONSTER
        else:
            taken = c.type == CardType.MONSTER and c.faction == faction
        if taken:
            put(p.hand, take_at(p.deck, at))
            p.known -= 1
            game.news |= Look.HAND
        at -= 1
    return shuffled


@rule(rare=True)
def shuffle_in(game: GameRecord, box: BoxRecord, options: OptionsRecord) -> bool:
    """Shuffle the discard pile into the deck; return whether there was anything to shuffle in."""
    p = game.player[game.active]
    if p.discard.n == 0:
        return False
    for i in range(p.discard.n):
        put(p.deck, p.discard.card[i])
    p.discard.n = 0
    p.known = 0
    shuffle_pile(box, options, p.deck, stream(game.seed, 1, game.active, p.shuffles))
    p.shuffles += 1
    return True


@rule
def holds(game: GameRecord, box: BoxRecord, condition: int, argument: int, lit: int) -> bool:
    """Whether the condition behind `if` holds."""
    me = game.active
    if condition == Condition.FACTION_IN_PLAY:
        return faction_in_play(game, box, me, argument) > 0
    if condition == Condition.OPPONENT_HAS_RELIC:
        return game.player[1 - me].relics > 0
    if condition == Condition.HEALTH_AT_MOST:
        return game.player[me].health <= argument
    return lit > 0


@rule
def do_at_once(game: GameRecord, box: BoxRecord, options: OptionsRecord, frame: FrameRecord) -> None:
    """Carry out an effect that asks nothing."""
    row = box.effect[frame.pc]
    effect = row.effect
    me = game.active
    amount = amount_of(game, box, frame, frame.pc)
    frame.pc += 1
    if effect == Effect.GAIN:
        gain(game, me, row.a, amount)
    elif effect == Effect.DRAW:
        if draw(game, box, options, me, amount):
            happen_now(game, box, Event.RESHUFFLE)
    elif effect == Effect.MUSTER:
        muster(game, me)
    elif effect == Effect.HAUNT:
        if still_there(game, frame) and box.card[box.kind_of[frame.card]].type == CardType.MONSTER:
            give_haunt(game, me, frame.slot)
    elif effect == Effect.RAGE:
        push(game, Task.RUN, frame.slot, frame.card, box.rules.rage.pc, box.rules.rage.end, 0)
    elif effect == Effect.GAIN_HEALTH:
        gain_health(game, me, amount)
    elif effect == Effect.LOSE_HEALTH:
        lose_health(game, me, amount)
    elif effect == Effect.OPPONENT_LOSES:
        lose_health(game, 1 - me, amount)
    elif effect == Effect.CONVERT:
        game.player[me].converts |= 1 << (3 * row.a + row.b)
    elif effect == Effect.REVEAL:
        if reveal(game, box, options, amount, row.a, row.b):
            happen_now(game, box, Event.RESHUFFLE)
    elif effect == Effect.CLAIM_NEXT:
        game.player[me].claims += 1
    elif effect == Effect.SHUFFLE:
        if shuffle_in(game, box, options):
            happen_now(game, box, Event.RESHUFFLE)
    elif effect == Effect.IF and not holds(game, box, row.a, row.b, frame.lit):
        frame.pc += row.skip
