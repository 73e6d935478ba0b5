"""The actions of the Action Phase (T2)."""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, OptionsRecord, rule
from terrors.simulator.kernel.layout import EVENTS
from terrors.simulator.kernel.piles import put, take_at
from terrors.simulator.rules.market import bought, look_over, note_deal, purchase
from terrors.simulator.rules.play_area import activate, count_links, enter_play, faction_in_play, horde_length
from terrors.simulator.rules.resources import attack, gain, heal, push, spend, take
from terrors.simulator.rules.triggers import faction_played, happen_after, played
from terrors.simulator.rules.turn_end import end_turn
from terrors.simulator.terms.enums import Action, BoughtFrom, CardType, Event, Mark, Resource, Task, To

HORDE_SHIFT = 16  # where the number in Mark.HORDE begins
PLAYED_EVENTS = sum(1 << e for e in Event if e.name.endswith("_PLAYED")) | sum(1 << e for e in range(len(Event), EVENTS))


@rule(inline=True)
def count_played(game: GameRecord, card_type: int, faction: int) -> None:
    """P5: count a card that is played; nobody listens to that."""
    if card_type == CardType.MONSTER:
        game.seen[Event.MONSTER_PLAYED] += 1
        if faction:
            game.seen[faction_played(faction)] += 1
    elif card_type == CardType.INFLUENCE:
        game.seen[Event.INFLUENCE_PLAYED] += 1


@rule
def play_card(game: GameRecord, box: BoxRecord, at: int) -> None:
    """P1, P2, P6, P7, P8: play the hand card at that place."""
    me = game.active
    p = game.player[me]
    kind = box.kind_of[p.hand.card[at]]
    c = box.card[kind]
    if c.type == CardType.RELIC and p.relics >= box.rules.relic_limit:
        push(game, Task.PLAY_RELIC, -1, -1, at, 0, 0)
        return
    card = take_at(p.hand, at)
    game.tally.cards_played += 1
    lit = 0
    if c.type == CardType.INFLUENCE and faction_in_play(game, box, me, p.faction) > 0:
        lit = 1
    s = enter_play(game, box, me, card)
    if lit:
        p.play[s].marks |= Mark.LIT
    if c.type == CardType.RELIC:
        played(game, box, s, card)
        return
    if not p.ears & PLAYED_EVENTS:
        count_played(game, c.type, c.faction)
        activate(game, box, me, kind, s, card, lit)
    elif c.program.end > c.program.pc:
        push(game, Task.PLAYED, s, card, 0, 0, 0)
        activate(game, box, me, kind, s, card, lit)
    else:  # nothing to resolve before the events
        activate(game, box, me, kind, s, card, lit)
        played(game, box, s, card)


@rule
def buy(game: GameRecord, box: BoxRecord, at: int, to_deck: int) -> None:
    """B1, P8: buy the Street card at that place."""
    p = game.player[game.active]
    c = box.card[game.street[at].kind]
    if c.type == CardType.RELIC and p.relics >= box.rules.relic_limit:
        push(game, Task.BUY_RELIC, -1, -1, at, 0, 0)
        return
    spend(game, game.active, Resource.COIN, c.cost)
    purchase(game, box, at, to_deck, c.cost)


@rule(rare=True)
def buy_acolyte(game: GameRecord, box: BoxRecord) -> None:
    """B1, B4, S5: buy the top Acolyte, unseen, into the discard pile."""
    p = game.player[game.active]
    spend(game, game.active, Resource.COIN, box.rules.acolyte_cost)
    game.acolytes.n -= 1
    card = game.acolytes.card[game.acolytes.n]
    if game.acolytes.n == 0:
        look_over(game, box)
    p.owned += 1
    put(p.discard, card)
    note_deal(game, box.kind_of[card], box.rules.acolyte_cost, BoughtFrom.ACOLYTE, To.DISCARD)
    bought(game, box, box.card[box.kind_of[card]].type)


@rule
def join(game: GameRecord, s: int, number: int) -> None:
    """H2, H5, N3: make a monster part of a horde; `number` is the horde's, as marks."""
    slot = game.player[game.active].play[s]
    slot.marks = (slot.marks & ~(Mark.HORDE | Mark.WAS_IN_HORDE)) | Mark.IN_HORDE | number
    if slot.marks & Mark.HAUNT_SIDE:
        slot.marks = (slot.marks & ~Mark.HAUNT_SIDE) | Mark.DISMISS_SIDE


@rule
def horde(game: GameRecord, box: BoxRecord, action: int, s: int, other: int) -> None:
    """H2, H3: form a horde or add to one; then a Horde ability may be activated."""
    p = game.player[game.active]
    event = Event.HORDE_EXPANDED
    left, right = s, other
    number = (p.play[s].marks | p.play[other].marks) & Mark.HORDE  # if both have one, it is the same
    if action == Action.HORDE:
        event = Event.HORDE_FORMED
        if number == 0:
            game.hordes += 1
            number = game.hordes << HORDE_SHIFT
        join(game, other, number)
        game.tally.hordes += 1
    elif action == Action.HORDE_RIGHT:
        left, right = other, s
    join(game, s, number)
    p.play[left].right = right
    p.play[right].left = left
    count_links(p)
    game.tally.longest_horde = max(game.tally.longest_horde, horde_length(p, s))
    happen_after(game, box, event)
    push(game, Task.HORDE_ABILITY, s, p.play[s].card, 0, 0, box.rules.horde_must if action != Action.HORDE else 0)


@rule(rare=True)
def use_relic(game: GameRecord, box: BoxRecord, s: int) -> None:
    """R1: activate a relic."""
    p = game.player[game.active]
    slot = p.play[s]
    slot.marks |= Mark.RELIC_USED
    p.relics_ready -= 1
    game.tally.relics_used += 1
    happen_after(game, box, Event.RELIC_USED)
    activate(game, box, game.active, box.kind_of[slot.card], s, slot.card, 0)


@rule
def sum_of_table(game: GameRecord) -> int:
    """Return one number for all that both players have: the same before and after an action that has done nothing (O1 allows those without end)."""
    mixed = 0
    for who in range(2):
        p = game.player[who]
        for n in (p.health, p.coin, p.power, p.regeneration, p.tokens, p.claims, p.converts, p.hand.n, p.deck.n, p.discard.n, p.removed.n, p.slots):
            mixed = (mixed * 31 + int(n)) & 0x3FFFFFF
    return (mixed * 31 + int(game.haunt_tokens) + 7 * int(game.market.n) + 11 * int(game.tally.horde_activations)) & 0x3FFFFFFF


@rule
def use_overlord(game: GameRecord, box: BoxRecord) -> None:
    """O1: activate the overlord's ability; as often in a turn as its text says."""
    p = game.player[game.active]
    p.overlord_ready -= 1
    game.before_overlord = sum_of_table(game)
    game.tally.overlord_used += 1
    happen_after(game, box, Event.OVERLORD_USED)
    activate(game, box, game.active, p.overlord, -1, -1, 0)


@rule(rare=True)
def haunt_action(game: GameRecord, box: BoxRecord, s: int) -> None:
    """N1: activate a monster that stayed in play."""
    p = game.player[game.active]
    slot = p.play[s]
    slot.marks |= Mark.HAUNTED
    p.haunts_ready -= 1
    game.tally.haunts += 1
    happen_after(game, box, Event.HAUNT_ACTION)
    activate(game, box, game.active, box.kind_of[slot.card], s, slot.card, 0)


@rule(rare=True)
def convert(game: GameRecord, source: int, target: int, amount: int) -> None:
    """G1: exchange one resource for another, one for one. That is not spending: Coin that becomes Power has bought nothing."""
    take(game.player[game.active], source, amount)
    gain(game, game.active, target, amount)


@rule
def act(game: GameRecord, box: BoxRecord, options: OptionsRecord, choice: int) -> None:
    """T2: carry out one action of the Action Phase."""
    option = options.at[choice]
    action = option.action
    at = option.slot
    other = option.other
    amount = option.amount
    if 0 < options.spend < amount:
        amount = options.spend
    if action != Action.PASS:
        game.actions += 1
        game.total_actions += 1
    if action == Action.PLAY:
        play_card(game, box, at)
    elif action == Action.BUY:
        buy(game, box, at, other)
    elif action == Action.BUY_ACOLYTE:
        buy_acolyte(game, box)
    elif action == Action.ATTACK:
        attack(game, game.active, amount)
    elif action == Action.HEAL:
        heal(game, game.active, amount)
    elif action == Action.CONVERT:
        convert(game, at, other, amount)
    elif action == Action.RELIC:
        use_relic(game, box, at)
    elif action == Action.OVERLORD:
        use_overlord(game, box)
    elif action == Action.HAUNT:
        haunt_action(game, box, at)
    elif action == Action.PASS:
        end_turn(game, box, options)
    else:
        horde(game, box, action, at, other)
