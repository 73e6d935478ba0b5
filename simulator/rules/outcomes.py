"""What follows from the answer to an effect's question: the row that asked is carried out, and the program moves on."""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, FrameRecord, GameRecord, OptionsRecord, rule
from terrors.simulator.kernel.piles import put, take_at
from terrors.simulator.rules.asking import LOOKED, SHUFFLED, end_look
from terrors.simulator.rules.market import acquire, lay_out, purchase
from terrors.simulator.rules.play_area import leave_play
from terrors.simulator.rules.resources import gain, give_haunt, lose_health, push, spend
from terrors.simulator.rules.triggers import happen_now
from terrors.simulator.terms.enums import Action, BoughtFrom, Cost, Effect, Event, Look, Mark, Place, Question, Resource, Task


@rule(rare=True)
def sacrificed(game: GameRecord, box: BoxRecord, card: int) -> None:
    """K3: give the gain for a card that has been removed from the game, and let the event happen."""
    p = game.player[game.active]
    put(p.removed, card)
    game.tally.sacrificed += 1
    gain(game, game.active, box.rules.sacrifice_resource, box.rules.sacrifice_amount)
    happen_now(game, box, Event.SACRIFICE)


@rule(rare=True)
def answer_sacrifice(game: GameRecord, box: BoxRecord, place: int, at: int) -> None:
    """K3: remove the chosen card from the game."""
    p = game.player[game.active]
    if place == Place.HAND:
        game.news |= Look.HAND
        card = take_at(p.hand, at)
    elif place == Place.DISCARD:
        card = take_at(p.discard, at)
    else:
        card = leave_play(game, box, game.active, at)
    sacrificed(game, box, card)


@rule(rare=True)
def answer_destroy(game: GameRecord, box: BoxRecord, place: int, at: int) -> None:
    """K2: put the chosen card into its owner's discard pile, or out of the Street and the game."""
    me = game.active
    game.tally.destroyed += 1
    if place == Place.STREET:
        game.removed.card[game.removed.n] = game.street[at].card
        game.removed.n += 1
        lay_out(game, box, at)
    else:
        owner = me if place == Place.PLAY else 1 - me
        card = leave_play(game, box, owner, at)
        put(game.player[owner].discard, card)
    happen_now(game, box, Event.DESTROY)


@rule
def discard_from_hand(game: GameRecord, box: BoxRecord, who: int, at: int) -> None:
    """G3: discard one card of the hand; an event in the owner's own turn."""
    p = game.player[who]
    put(p.discard, take_at(p.hand, at))
    if who == game.active:
        game.news |= Look.HAND
        happen_now(game, box, Event.CARD_DISCARDED)


@rule(rare=True)
def answer_curse(game: GameRecord, box: BoxRecord, frame: FrameRecord, action: int, at: int) -> None:
    """K1: take Health or cards, as the opponent chose."""
    rival = 1 - game.active
    if action == Action.HEALTH:
        lose_health(game, rival, box.rules.curse_health)
    else:
        discard_from_hand(game, box, rival, at)
        frame.count += 1
        if frame.count < box.rules.curse_discard:
            return
    frame.count = 0
    frame.pc += 1
    game.tally.curses += 1
    happen_now(game, box, Event.CURSE)


@rule(rare=True)
def answer_cost(game: GameRecord, box: BoxRecord, frame: FrameRecord, action: int, at: int) -> None:
    """Pay a cost and go on with what was paid for; or leave it out."""
    row = box.effect[frame.pc]
    me = game.active
    if action == Action.DECLINE:
        frame.pc += 1 + row.skip
        return
    if row.a == Cost.DISCARD:
        frame.count += 1
        if frame.count == row.amount:
            frame.count = 0
            frame.pc += 1
        discard_from_hand(game, box, me, at)
        return
    frame.pc += 1
    if row.a == Cost.HEALTH:
        lose_health(game, me, row.amount)
    elif row.a == Cost.SACRIFICE_THIS:
        sacrificed(game, box, leave_play(game, box, me, frame.slot))
    else:
        spend(game, me, row.a, row.amount)


@rule(rare=True)
def answer_buy_with(game: GameRecord, frame: FrameRecord, action: int, at: int, to_deck: int) -> None:
    """Remember what is bought with `buy … with`; how it is paid comes next."""
    if action == Action.DECLINE:
        frame.pc += 1
        return
    game.buying = at
    game.buying_to = to_deck
    frame.count = 1


@rule(rare=True)
def answer_payment(game: GameRecord, box: BoxRecord, frame: FrameRecord, coin: int, power: int, regeneration: int) -> None:
    """Pay and take the card (`buy … with`)."""
    me = game.active
    frame.count = 0
    frame.pc += 1
    spend(game, me, Resource.COIN, coin)
    spend(game, me, Resource.POWER, power)
    spend(game, me, Resource.REGENERATION, regeneration)
    purchase(game, box, game.buying, game.buying_to, coin)


@rule
def use_ability(game: GameRecord, box: BoxRecord, s: int, number: int) -> None:
    """H4: activate a Horde ability and mark it as used."""
    slot = game.player[game.active].play[s]
    slot.marks |= Mark.ABILITY_1_USED << number
    game.tally.horde_activations += 1
    span = box.card[box.kind_of[slot.card]].horde[number]
    push(game, Task.RUN, s, slot.card, span.pc, span.end, 0)


@rule(rare=True)
def answer_look(game: GameRecord, box: BoxRecord, frame: FrameRecord, action: int, at: int) -> None:
    """G2: put one looked-at card into the discard pile, or stop looking."""
    p = game.player[game.active]
    if action == Action.DECLINE:
        end_look(game, box, frame)
        return
    put(p.discard, take_at(p.deck, at))
    p.known -= 1
    frame.count -= 1
    if (frame.count & (SHUFFLED - 1)) == LOOKED:
        end_look(game, box, frame)


@rule
def answer_effect(game: GameRecord, box: BoxRecord, options: OptionsRecord, frame: FrameRecord, choice: int) -> None:
    """Carry out the row that asked, with the chosen option."""
    option = options.at[choice]
    question = game.question
    action = option.action
    at = option.slot
    other = option.other
    amount = option.amount
    place = option.place
    me = game.active
    if question == Question.CURSE or (question == Question.DISCARD and box.effect[frame.pc].effect == Effect.CURSE):
        answer_curse(game, box, frame, action, at)
    elif question == Question.DISCARD:
        frame.count += 1
        discard_from_hand(game, box, game.asked, at)
    elif question == Question.COST or question == Question.DISCARD_COST:
        answer_cost(game, box, frame, action, at)
    elif question == Question.LOOK:
        answer_look(game, box, frame, action, at)
    elif question == Question.BUY_WITH:
        answer_buy_with(game, frame, action, at, other)
    elif question == Question.PAYMENT:
        answer_payment(game, box, frame, at, other, amount)
    elif question == Question.CHOOSE:
        frame.pc += 1 + box.effect[frame.pc].skip
        push(game, Task.RUN, frame.slot, frame.card, at + 1, at + 1 + box.effect[at].skip, frame.lit)
    else:  # the chosen card is what the row is about
        frame.pc += 1
        if action == Action.DECLINE:
            return
        if question == Question.DESTROY:
            answer_destroy(game, box, place, at)
        elif question == Question.SACRIFICE:
            answer_sacrifice(game, box, place, at)
        elif question == Question.COMMAND:
            put(game.player[me].hand, take_at(game.player[me].discard, at))
            game.news |= Look.HAND
            happen_now(game, box, Event.COMMAND)
        elif question == Question.HAUNT_ANOTHER:
            give_haunt(game, me, at)
        elif question == Question.TAKE:
            acquire(game, box, at, 0, 0, BoughtFrom.FREE)
        elif question == Question.ACTIVATE:
            use_ability(game, box, at, amount)
