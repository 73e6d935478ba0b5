"""Plans: actions that a strategy names in advance (`options.then`), taken one by one without listing what else could be done.

A step is taken when an action is due and it is legal, unless one of the reasons that it names has come about (`enums.Look`); else the plan is forgotten, and
the strategy is asked. Where every choice is wanted (`options.every`), actions are listed before each step, and `planned` finds it on the list.
"""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, FrameRecord, GameRecord, OptionRecord, OptionsRecord, StepRecord, rule
from terrors.simulator.kernel.layout import OWNED
from terrors.simulator.rules.actions import act, play_card
from terrors.simulator.rules.legal import may_buy_acolyte, may_claim, may_horde, ready_action
from terrors.simulator.rules.options import ABILITY_USED, forget_plan, write
from terrors.simulator.rules.outcomes import use_ability
from terrors.simulator.rules.resources import attack, damage_of, pool
from terrors.simulator.rules.turn_end import end_turn
from terrors.simulator.terms.enums import Action, Look, Place, Question


@rule
def look_again(game: GameRecord, unless: int) -> bool:
    """Whether one of these reasons to ask again has come about."""
    if game.news & unless:
        return True
    me = game.active
    p = game.player[me]
    if unless & Look.CAN_BUY and p.coin >= game.cheapest:
        return True
    return unless & Look.CAN_KILL != 0 and p.power > 0 and damage_of(game, me, p.power) >= game.player[1 - me].health


@rule(rare=True)
def write_purchase(game: GameRecord, box: BoxRecord, options: OptionsRecord, kind: int, to_deck: int) -> bool:
    """B1, B3: write the purchase of a card as the first option, if it is legal."""
    p = game.player[game.active]
    for at in range(game.street_n):
        place = game.street[at]
        if place.kind == kind and not place.again:
            write(options, 0, Action.BUY, kind, at, to_deck, place.cost, Place.STREET)
            return (place.cost <= p.coin) & (place.denied >> game.active & 1 == 0) & (p.owned < OWNED) & (to_deck == 0 or may_claim(box, p, kind))
    return False


@rule(rare=True)
def write_step(game: GameRecord, box: BoxRecord, options: OptionsRecord, step: StepRecord) -> bool:
    """T2: write a step, that is no play, attack or pass, as the first option, if it is legal."""
    me = game.active
    p = game.player[me]
    action = step.action
    a, b = step.slot, step.other
    if action == Action.BUY:
        return write_purchase(game, box, options, step.card, b)
    if action == Action.CONVERT:
        write(options, 0, action, -1, a, b, pool(p, a), 0)
        return 0 <= a < 3 and 0 <= b < 3 and p.converts >> (3 * a + b) & 1 != 0 and pool(p, a) > 0
    if action == Action.HEAL:
        write(options, 0, action, -1, 0, 0, min(p.regeneration, p.start_health - p.health), 0)
        return p.regeneration > 0 and p.health < p.start_health
    write(options, 0, action, step.card, a, b, 0, Place.PLAY)
    if action == Action.BUY_ACOLYTE:
        return may_buy_acolyte(game, box, me)
    if action == Action.OVERLORD:
        return p.overlord_ready > 0
    if not 0 <= a < p.slots or p.play[a].card < 0 or box.kind_of[p.play[a].card] != step.card:
        return False
    if action == Action.RELIC or action == Action.HAUNT:
        return ready_action(box, p, a) == action
    return Action.HORDE <= action <= Action.HORDE_RIGHT and may_horde(p, action, a, b)


@rule
def place_in_hand(game: GameRecord, box: BoxRecord, kind: int) -> int:
    """Return where in the active player's hand a kind of card is; -1 if it is not there."""
    hand = game.player[game.active].hand
    for at in range(hand.n):
        if box.kind_of[hand.card[at]] == kind:
            return at
    return -1


@rule
def take_step(game: GameRecord, box: BoxRecord, options: OptionsRecord) -> None:
    """Take the next step of the plan, or forget the plan. An answer that was not asked for is left out."""
    me = game.active
    p = game.player[me]
    step = options.then[options.then_at]
    options.then_at += 1
    action = step.action
    if step.unless and look_again(game, step.unless):
        forget_plan(options)
    elif action == Action.PLAY:
        at = place_in_hand(game, box, step.card)
        if at < 0:
            forget_plan(options)
            return
        options.planned += 1
        game.actions += 1
        game.total_actions += 1
        play_card(game, box, at)
    elif action == Action.ATTACK and p.power > 0:
        options.planned += 1
        game.actions += 1
        game.total_actions += 1
        attack(game, me, step.amount if 0 < step.amount < p.power else p.power)
    elif action == Action.PASS and p.hand.n <= 1:
        options.planned += 1
        end_turn(game, box, options)
    elif action == Action.ABILITY or action == Action.DECLINE:
        return
    elif write_step(game, box, options, step):
        options.planned += 1
        options.spend = step.amount
        act(game, box, options, 0)
    else:
        forget_plan(options)


@rule(rare=True)
def may_answer(game: GameRecord, box: BoxRecord, frame: FrameRecord, step: StepRecord) -> bool:
    """H3: whether a step is an answer to which Horde ability of this horde is used."""
    p = game.player[game.active]
    s = frame.slot
    while p.play[s].left >= 0:
        s = p.play[s].left
    found = unused = False
    while s >= 0:
        slot = p.play[s]
        kind = box.kind_of[slot.card]
        for h in range(box.card[kind].hordes):
            if not slot.marks & (ABILITY_USED << h):
                unused = True
                found = found or (s == step.slot and kind == step.card and h == step.amount)
        s = slot.right
    return found if step.action == Action.ABILITY else not (frame.lit and unused)


@rule(rare=True)
def answer_by_plan(game: GameRecord, box: BoxRecord, options: OptionsRecord, frame: FrameRecord) -> bool:
    """H3: use the Horde ability that the plan names next, or none; return whether it names either."""
    step = options.then[options.then_at]
    if step.action != Action.ABILITY and step.action != Action.DECLINE:
        return False
    options.then_at += 1
    if look_again(game, step.unless) or not may_answer(game, box, frame, step):
        forget_plan(options)
        return False
    options.planned += 1
    game.agenda_n -= 1
    if step.action == Action.ABILITY:
        use_ability(game, box, step.slot, step.amount)
    return True


@rule(rare=True)
def is_step(option: OptionRecord, step: StepRecord) -> bool:
    """Whether an option is what a step says."""
    action = step.action
    if option.action != action:
        return False
    if action == Action.PLAY:
        return option.card == step.card
    if action == Action.BUY:
        return option.card == step.card and option.other == step.other
    if action == Action.CONVERT:
        return option.slot == step.slot and option.other == step.other
    if action == Action.RELIC or action == Action.HAUNT:
        return option.card == step.card and option.slot == step.slot
    if action == Action.ABILITY:
        return option.card == step.card and option.slot == step.slot and option.amount == step.amount
    if Action.HORDE <= action <= Action.HORDE_RIGHT:
        return option.card == step.card and option.slot == step.slot and option.other == step.other
    return True


@rule(rare=True)
def planned(game: GameRecord, options: OptionsRecord) -> int:
    """Return the option of this question that the plan names, which thereby is taken; -1 if it names none. A plan that cannot be kept to is forgotten."""
    action_due = game.question == Question.ACTION
    while options.then_at < options.then_n:
        step = options.then[options.then_at]
        answers = step.action == Action.ABILITY or step.action == Action.DECLINE
        if not action_due and not (answers and game.question == Question.HORDE_ABILITY):
            return -1
        options.then_at += 1
        if look_again(game, step.unless):
            break
        if action_due and answers:
            continue
        for i in range(options.n):
            if is_step(options.at[i], step):
                options.planned += 1
                if Action.ATTACK <= step.action <= Action.CONVERT:
                    options.spend = step.amount
                return i
        break
    forget_plan(options)
    return -1
