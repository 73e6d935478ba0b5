"""The rules of the table, one small function each, in the order of docs/RULES.md."""

from __future__ import annotations

import numpy as np

from simulator.enums import DRAW, End, Event, Kind, Purpose, Resource, Slot, Status, Task
from simulator.jit import Box, Game, Options, Player, rule
from simulator.layout import AGENDA, EVENTS, LEAVERS, NOT_FOR_SALE, OWNED, SLOTS
from simulator.piles import put, take_top
from simulator.rng import mix, shuffle_pile, stream

TOKEN = int(Slot.HAUNT_SIDE | Slot.DISMISS_SIDE)
# What a card keeps should it leave play and come back in the same Action Phase (H4, H5, R1).
KEPT = int(Slot.ABILITY_1_USED | Slot.ABILITY_2_USED | Slot.IN_HORDE | Slot.WAS_IN_HORDE | Slot.RELIC_USED)
FACTION_PLAYED = int(Event.UNDEAD_PLAYED) - 1  # + Faction


@rule(inline=True)
def push(game: Game, task: int, slot: int, card: int, pc: int, end: int, lit: int) -> None:
    """Put something on the agenda, to be done next. One too deep ends the Action Phase (E1)."""
    while game.agenda_n > 0:  # programs that are through make room first, so that a chain of triggers does not pile them up
        top = game.agenda[game.agenda_n - 1]
        if top.task != Task.RUN or top.pc < top.end:
            break
        game.agenda_n -= 1
    if game.agenda_n == AGENDA:
        game.halted = 1
        return
    frame = game.agenda[game.agenda_n]
    game.agenda_n += 1
    frame.task = task
    frame.slot = slot
    frame.card = card
    frame.group = 0
    frame.pc = pc
    frame.end = end
    frame.count = 0
    frame.lit = lit


@rule
def finish(game: Game, winner: int, end: int) -> None:
    """T4: the game is over, whatever is under way."""
    game.winner = winner
    game.end = end
    game.status = Status.OVER
    game.agenda_n = 0


# T3: the Resource Pool


@rule(inline=True)
def gain(game: Game, who: int, resource: int, amount: int) -> None:
    """T3: put a resource into the pool."""
    p = game.player[who]
    if resource == Resource.COIN:
        p.coin += amount
        game.tally.coin += amount
    elif resource == Resource.POWER:
        p.power += amount
        game.tally.power += amount
    else:
        p.regeneration += amount
        game.tally.regeneration += amount


@rule(inline=True)
def pool(p: Player, resource: int) -> int:
    """T3: how much of a resource is in the pool."""
    if resource == Resource.COIN:
        return p.coin
    if resource == Resource.POWER:
        return p.power
    return p.regeneration


@rule
def spend(game: Game, who: int, resource: int, amount: int) -> None:
    """T3: take a resource out of the pool."""
    p = game.player[who]
    if resource == Resource.COIN:
        p.coin -= amount
        game.tally.coin_spent += amount
    elif resource == Resource.POWER:
        p.power -= amount
    else:
        p.regeneration -= amount


# P: what is in play


@rule(inline=True)
def is_free(box: Box, p: Player, s: int) -> bool:
    """H2, H5: whether the card in a slot is a monster that may still join a horde."""
    slot = p.play[s]
    return slot.card >= 0 and not slot.marks & (Slot.IN_HORDE | Slot.WAS_IN_HORDE)


@rule
def count_links(box: Box, p: Player) -> None:
    """H1, H2: what free monsters and the ends of hordes show to either side. Code 0, no indicator, is never kept on the right: it links to nothing."""
    free_left = free_right = end_left = end_right = 0
    for s in range(p.slots):
        slot = p.play[s]
        if slot.card < 0:
            continue
        c = box.card[box.kind_of[slot.card]]
        if slot.marks & Slot.IN_HORDE:
            if slot.left < 0:
                end_left |= 1 << c.link_left
            if slot.right < 0:
                end_right |= 1 << c.link_right
        elif not slot.marks & Slot.WAS_IN_HORDE:
            free_left |= 1 << c.link_left
            free_right |= 1 << c.link_right
    p.free_left = free_left & ~1
    p.free_right = free_right & ~1
    p.end_left = end_left & ~1
    p.end_right = end_right & ~1


@rule
def enter_play(game: Game, box: Box, who: int, card: int) -> int:
    """P1, P7: a card comes into play; its slot."""
    p = game.player[who]
    s = p.slots
    if s == SLOTS:  # each owned card has a slot, so an empty one is there
        s = 0
        while p.play[s].card >= 0:
            s += 1
    else:
        p.slots += 1
    slot = p.play[s]
    slot.card = card
    slot.left = -1
    slot.right = -1
    marks = 0
    for i in range(game.leavers_n):
        if game.leaver[i] == card:
            marks |= game.leaver_marks[i]
    slot.marks = marks
    c = box.card[box.kind_of[card]]
    p.armor += c.armor
    p.ears |= c.ears
    if c.kind == Kind.RELIC:
        p.relics += 1
        if c.active and not marks & Slot.RELIC_USED:
            p.relics_ready += 1
    elif not marks & Slot.WAS_IN_HORDE:
        p.free_left |= (1 << c.link_left) & ~1
        p.free_right |= (1 << c.link_right) & ~1
    return s


@rule
def leave_play(game: Game, box: Box, who: int, s: int) -> int:
    """A card leaves play in the Action Phase (K2, K3, P8): its token goes back, its horde closes up (H7). The card."""
    p = game.player[who]
    slot = p.play[s]
    card = slot.card
    marks = slot.marks
    c = box.card[box.kind_of[card]]
    p.armor -= c.armor
    if marks & TOKEN:
        game.haunt_tokens += 1
        if marks & Slot.BEGAN and not marks & Slot.HAUNTED:
            p.haunts_ready -= 1
    if c.kind == Kind.RELIC:
        p.relics -= 1
        if c.active and not marks & Slot.RELIC_USED:
            p.relics_ready -= 1
    if marks & Slot.IN_HORDE:
        if slot.left >= 0:
            p.play[slot.left].right = slot.right
        if slot.right >= 0:
            p.play[slot.right].left = slot.left
        marks = (marks & ~Slot.IN_HORDE) | Slot.WAS_IN_HORDE
    slot.card = -1
    slot.marks = 0
    count_links(box, p)
    if marks & KEPT and who == game.active:
        if game.leavers_n == LEAVERS:
            game.halted = 1
        else:
            game.leaver[game.leavers_n] = card
            game.leaver_marks[game.leavers_n] = marks & KEPT
            game.leavers_n += 1
    return card


@rule
def faction_in_play(game: Game, box: Box, who: int, faction: int) -> int:
    """How many monsters of that faction a player has in play."""
    p = game.player[who]
    n = 0
    for s in range(p.slots):
        card = p.play[s].card
        if card >= 0:
            c = box.card[box.kind_of[card]]
            if c.faction == faction and c.kind == Kind.MONSTER:
                n += 1
    return n


@rule
def horde_length(p: Player, s: int) -> int:
    """H1: how many monsters stand in the horde of this slot; 0 if it is in none."""
    if not p.play[s].marks & Slot.IN_HORDE:
        return 0
    while p.play[s].left >= 0:
        s = p.play[s].left
    n = 1
    while p.play[s].right >= 0:
        s = p.play[s].right
        n += 1
    return n


@rule
def activate(game: Game, box: Box, who: int, kind: int, slot: int, card: int, lit: int) -> None:
    """P2: resource abilities at once, the others onto the agenda."""
    c = box.card[kind]
    p = game.player[who]
    p.coin += c.coin
    p.power += c.power
    p.regeneration += c.regeneration
    game.tally.coin += c.coin
    game.tally.power += c.power
    game.tally.regeneration += c.regeneration
    if c.program.end > c.program.pc:
        push(game, Task.RUN, slot, card, c.program.pc, c.program.end, lit)


# P3 to P5: events and triggers


@rule
def set_off_card(game: Game, box: Box, kind: int, s: int, card: int, event: int, group: int, marks: int) -> int:
    """P3, P5: put the triggers of one card that hear this event onto the agenda. The marks of those that fired."""
    c = box.card[kind]
    fired = 0
    for t in range(c.triggers - 1, -1, -1):
        trigger = c.trigger[t]
        if trigger.event != event:
            continue
        if trigger.first:
            if box.rules.since_in_play:
                if marks & (Slot.FIRED_1 << t):
                    continue
                fired |= Slot.FIRED_1 << t
            elif game.seen[event] != 1:
                continue
        push(game, Task.TRIGGER, s, card, trigger.pc, trigger.end, 0)
        if not game.halted:
            frame = game.agenda[game.agenda_n - 1]
            frame.group = group
            frame.count = t
    return fired


@rule
def happen(game: Game, box: Box, event: int, group: int, but_slot: int) -> None:
    """P4: an event of the active player has happened; its triggers wait on the agenda as one group. `but_slot` does not hear it (P5)."""
    game.seen[event] += 1
    p = game.player[game.active]
    if not p.ears >> event & 1:
        return
    if box.card[p.overlord].ears >> event & 1:
        p.overlord_marks |= set_off_card(game, box, p.overlord, -1, -1, event, group, p.overlord_marks)
    for s in range(p.slots - 1, -1, -1):
        slot = p.play[s]
        if slot.card < 0 or s == but_slot:
            continue
        kind = box.kind_of[slot.card]
        c = box.card[kind]
        if not c.ears >> event & 1 or (c.kind == Kind.INFLUENCE and not slot.marks & Slot.LIT):
            continue
        slot.marks |= set_off_card(game, box, kind, s, slot.card, event, group, slot.marks)


@rule(inline=True)
def new_group(game: Game) -> int:
    """P4: a number for the triggers of one cause."""
    game.groups += 1
    return game.groups


@rule(inline=True)
def happen_now(game: Game, box: Box, event: int) -> None:
    """P4: an event whose cause has been resolved."""
    if game.player[game.active].ears >> event & 1:
        happen(game, box, event, new_group(game), -1)
    else:
        game.seen[event] += 1


@rule(inline=True)
def happen_after(game: Game, box: Box, event: int) -> None:
    """P4: an event whose cause is going to be put on the agenda: it happens when that is done."""
    if game.player[game.active].ears >> event & 1:
        push(game, Task.EVENT, -1, -1, event, 0, 0)
    else:
        game.seen[event] += 1


@rule
def played(game: Game, box: Box, s: int, card: int) -> None:
    """P4: the events of having played a card."""
    c = box.card[box.kind_of[card]]
    p = game.player[game.active]
    but = s if p.play[s].card == card else -1
    group = new_group(game)
    if c.kind == Kind.MONSTER:
        if c.faction:
            happen(game, box, FACTION_PLAYED + c.faction, group, but)
        happen(game, box, Event.MONSTER_PLAYED, group, but)
    elif c.kind == Kind.INFLUENCE:
        happen(game, box, Event.INFLUENCE_PLAYED, group, but)
    else:
        happen(game, box, Event.RELIC_PLAYED, group, but)


# B: buying


@rule(inline=True)
def may_own(game: Game, who: int, at: int) -> bool:
    """E2, and interventions: whether a player may get the Street card at that place."""
    return game.player[who].owned < OWNED and not game.street[at].denied >> who & 1


@rule
def denied_to(game: Game, box: Box, card: int) -> int:
    """Interventions: the seats (bits) to whom a card is denied, by order or by lottery."""
    kind = box.kind_of[card]
    seats = box.deny[kind]
    if box.lottery:
        luck = mix(stream(game.seed, Purpose.DENY, 0, 0) ^ box.luck[kind])
        if luck < box.lottery:
            seats |= 1 << np.int64(mix(luck) & np.uint64(1))
    return seats


@rule
def lay_out(game: Game, box: Box, at: int) -> None:
    """B2: the top card of the Market comes to that place of the Street; without one the Street closes up."""
    if game.market.n > 0:
        game.market.n -= 1
        card = game.market.card[game.market.n]
        place = game.street[at]
        place.card = card
        place.kind = box.kind_of[card]
        cost = box.card[place.kind].cost
        place.cost = cost if cost >= 0 else NOT_FOR_SALE
        place.denied = denied_to(game, box, card)
    else:
        game.street_n -= 1
        for i in range(at, game.street_n):
            game.street[i] = game.street[i + 1]
    look_over(game, box)


@rule
def look_over(game: Game, box: Box) -> None:
    """B1: what every list of purchases needs to know of the Street: which cards are copies of earlier ones, and the least price."""
    cheapest = box.rules.acolyte_cost if game.acolytes.n > 0 else NOT_FOR_SALE
    for at in range(game.street_n):
        place = game.street[at]
        cheapest = min(cheapest, place.cost)
        place.again = 0
        for i in range(at):
            if game.street[i].kind == place.kind:
                place.again = 1
    game.cheapest = cheapest


@rule
def acquire(game: Game, box: Box, who: int, at: int, to_deck: int) -> None:
    """B2, B3, B5: a Street card goes to its new owner, and the Street is refilled."""
    p = game.player[who]
    card = game.street[at].card
    p.owned += 1
    if box.card[box.kind_of[card]].kind == Kind.RELIC:
        enter_play(game, box, who, card)
    elif to_deck:
        put(p.deck, card)
        p.known += 1
    else:
        put(p.discard, card)
    lay_out(game, box, at)


@rule
def purchase(game: Game, box: Box, at: int, to_deck: int) -> None:
    """B1 to B5: the active player has paid for a Street card."""
    p = game.player[game.active]
    kind = box.card[game.street[at].kind].kind
    if kind == Kind.MONSTER and p.claims > 0:
        p.claims -= 1
    acquire(game, box, game.active, at, to_deck)
    bought(game, box, kind)


@rule
def bought(game: Game, box: Box, kind: int) -> None:
    """P4: the events of a purchase."""
    game.tally.bought += 1
    group = new_group(game)
    happen(game, box, Event.CARD_BOUGHT, group, -1)
    if kind == Kind.MONSTER:
        happen(game, box, Event.MONSTER_BOUGHT, group, -1)
    elif kind == Kind.RELIC:
        happen(game, box, Event.RELIC_BOUGHT, group, -1)


# A, G4, G5: Health


@rule
def lose_health(game: Game, who: int, amount: int) -> None:
    """G4, T4: Health is lost; at 0 the game is over."""
    p = game.player[who]
    p.health -= amount
    if p.health <= 0:
        p.health = 0
        finish(game, 1 - who, End.HEALTH)


@rule
def gain_health(game: Game, who: int, amount: int) -> None:
    """G4: never above the start."""
    p = game.player[who]
    healed = min(amount, p.start_health - p.health)
    p.health += healed
    game.tally.healed += healed


@rule
def heal(game: Game, who: int, amount: int) -> None:
    """G5: Regeneration becomes Health, one for one."""
    game.player[who].regeneration -= amount
    gain_health(game, who, amount)


@rule
def attack(game: Game, who: int, power: int) -> None:
    """A1, A2: Armor takes its part of the turn's total, not of each attack."""
    p = game.player[who]
    rival = game.player[1 - who]
    p.power -= power
    p.attacked += power
    through = max(0, p.attacked - rival.armor)
    if through > p.struck:
        loss = through - p.struck
        p.struck = through
        game.tally.damage += min(loss, rival.health)
        lose_health(game, 1 - who, loss)
    game.tally.armor_absorbed = p.attacked - p.struck


# N, K6: tokens


@rule
def give_haunt(game: Game, who: int, s: int) -> None:
    """N2: a token, HAUNT side up, if there is one and the monster has none."""
    slot = game.player[who].play[s]
    if not slot.marks & TOKEN and game.haunt_tokens > 0:
        slot.marks |= Slot.HAUNT_SIDE
        game.haunt_tokens -= 1


@rule
def muster(game: Game, who: int) -> None:
    """K6: take a MUSTER token, if there is one."""
    if game.muster_tokens > 0:
        game.muster_tokens -= 1
        game.player[who].tokens += 1


# X: drawing, shuffling, the end of a turn


@rule
def shuffle_deck(game: Game, box: Box, options: Options, who: int) -> None:
    """X4: the discard pile becomes the new deck. The deck is empty."""
    p = game.player[who]
    for i in range(p.discard.n):
        p.deck.card[i] = p.discard.card[i]
    p.deck.n = p.discard.n
    p.discard.n = 0
    p.known = 0
    shuffle_pile(box, options, p.deck, stream(game.seed, Purpose.DECK, who, p.shuffles))
    p.shuffles += 1


@rule
def draw(game: Game, box: Box, options: Options, who: int, n: int) -> bool:
    """K7, X3, X4: draw n cards, or what there is. Whether the discard pile was shuffled."""
    p = game.player[who]
    shuffled = False
    for _ in range(n):
        if p.deck.n == 0:
            if p.discard.n == 0:
                break
            shuffle_deck(game, box, options, who)
            shuffled = True
        put(p.hand, take_top(p.deck))
        game.tally.cards_drawn += 1
    p.known = max(0, min(p.known - n, p.deck.n))
    return shuffled


@rule
def shuffle_under(game: Game, box: Box, options: Options, who: int) -> bool:
    """G2: shuffle the discard pile and put it under the deck. Whether there was one."""
    p = game.player[who]
    under = p.discard.n
    if under == 0:
        return False
    shuffle_pile(box, options, p.discard, stream(game.seed, Purpose.DECK, who, p.shuffles))
    p.shuffles += 1
    for i in range(p.deck.n - 1, -1, -1):
        p.deck.card[i + under] = p.deck.card[i]
    for i in range(under):
        p.deck.card[i] = p.discard.card[i]
    p.deck.n += under
    p.discard.n = 0
    return True


@rule
def clean_up(game: Game, box: Box, who: int) -> None:
    """X2: what is in play goes to the discard pile, but for relics and monsters with a token HAUNT side up."""
    p = game.player[who]
    kept = 0
    p.armor = 0
    p.relics_ready = 0
    p.haunts_ready = 0
    p.ears = box.card[p.overlord].ears
    for s in range(p.slots):
        card = p.play[s].card
        if card < 0:
            continue
        marks = p.play[s].marks
        c = box.card[box.kind_of[card]]
        if c.kind != Kind.RELIC and not marks & Slot.HAUNT_SIDE:
            if marks & TOKEN:
                game.haunt_tokens += 1
            put(p.discard, card)
            continue
        p.armor += c.armor
        p.ears |= c.ears
        slot = p.play[kept]
        kept += 1
        slot.card = card
        slot.left = -1
        slot.right = -1
        if c.kind == Kind.RELIC:
            slot.marks = 0
            p.relics_ready += c.active
        else:
            slot.marks = Slot.DISMISS_SIDE | Slot.BEGAN
            p.haunts_ready += 1
    p.slots = kept
    count_links(box, p)
    p.coin = 0
    p.power = 0
    p.regeneration = 0
    p.attacked = 0
    p.struck = 0
    p.claims = 0
    p.converts = 0
    p.overlord_ready = box.card[p.overlord].active
    p.overlord_marks = 0


@rule
def draw_phase(game: Game, box: Box, options: Options, who: int) -> None:
    """X3: draw the new hand, with one more card for each MUSTER token."""
    p = game.player[who]
    draw(game, box, options, who, box.rules.hand_size + p.tokens)
    game.muster_tokens += p.tokens
    p.tokens = 0


@rule
def clear_tally(game: Game) -> None:
    """Start counting anew what happens in a turn."""
    tally = game.tally
    tally.coin = 0
    tally.coin_spent = 0
    tally.power = 0
    tally.damage = 0
    tally.armor_absorbed = 0
    tally.regeneration = 0
    tally.healed = 0
    tally.cards_played = 0
    tally.cards_drawn = 0
    tally.bought = 0
    tally.hordes = 0
    tally.horde_activations = 0
    tally.longest_horde = 0
    tally.relics_used = 0
    tally.overlord_used = 0
    tally.haunts = 0
    tally.curses = 0
    tally.sacrificed = 0
    tally.destroyed = 0


@rule
def begin_turn(game: Game) -> None:
    """T1: a new Action Phase: nothing has happened yet."""
    game.actions = 0
    game.halted = 0
    game.leavers_n = 0
    game.groups = 0
    clear_tally(game)
    for event in range(EVENTS):
        game.seen[event] = 0


@rule
def end_turn(game: Game, box: Box, options: Options) -> None:
    """G5, X1, X2, X3, S8: the Action Phase is over; then it is the other player's turn."""
    who = game.active
    p = game.player[who]
    if p.regeneration > 0:
        heal(game, who, p.regeneration)
    if p.hand.n == 1:
        put(p.deck, take_top(p.hand))
        p.known += 1
    for i in range(p.hand.n):  # only after a limit (E1)
        put(p.discard, p.hand.card[i])
    p.hand.n = 0
    clean_up(game, box, who)
    draw_phase(game, box, options, who)
    if game.turn >= box.rules.max_turns:
        finish(game, DRAW, End.TURN_LIMIT)
        return
    game.turn += 1
    game.active = 1 - who
    begin_turn(game)
