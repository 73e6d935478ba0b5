"""Shuffling, drawing, and the end of a turn (X)."""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, OptionsRecord, rule
from terrors.simulator.kernel.layout import EVENTS
from terrors.simulator.kernel.piles import put, take_top
from terrors.simulator.kernel.rng import shuffle_pile, stream
from terrors.simulator.rules.options import forget_plan
from terrors.simulator.rules.play_area import count_links
from terrors.simulator.rules.resources import TOKEN, finish, heal
from terrors.simulator.terms.enums import DRAW, CardType, End, Look, Mark, Purpose


@rule(rare=True)
def shuffle_deck(game: GameRecord, box: BoxRecord, options: OptionsRecord, who: int) -> None:
    """X4: make the discard pile the new deck. The deck is empty."""
    p = game.player[who]
    for i in range(p.discard.n):
        p.deck.card[i] = p.discard.card[i]
    p.deck.n = p.discard.n
    p.discard.n = 0
    p.known = 0
    shuffle_pile(box, options, p.deck, stream(game.seed, Purpose.DECK, who, p.shuffles))
    p.shuffles += 1


@rule
def draw(game: GameRecord, box: BoxRecord, options: OptionsRecord, who: int, n: int) -> bool:
    """K7, X3, X4: draw n cards, or what there is; return whether the discard pile was shuffled."""
    p = game.player[who]
    if n <= p.deck.n:  # nearly always
        for i in range(n):
            p.hand.card[p.hand.n + i] = p.deck.card[p.deck.n - 1 - i]
        p.hand.n += n
        p.deck.n -= n
        game.tally.cards_drawn += n
        p.known = max(0, p.known - n)
        game.news |= Look.HAND
        return False
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
    game.news |= Look.HAND
    return shuffled


@rule(rare=True)
def shuffle_under(game: GameRecord, box: BoxRecord, options: OptionsRecord, who: int) -> bool:
    """G2: shuffle the discard pile and put it under the deck; return whether there was one."""
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
def clean_up(game: GameRecord, box: BoxRecord, who: int) -> None:
    """X2: move what is in play to the discard pile, but for relics and monsters with a token HAUNT side up."""
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
        if c.type != CardType.RELIC and not marks & Mark.HAUNT_SIDE:
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
        slot.link_left = c.link_left
        slot.link_right = c.link_right
        if c.type == CardType.RELIC:
            slot.marks = 0
            p.relics_ready += c.active
        else:
            slot.marks = Mark.DISMISS_SIDE | Mark.BEGAN
            p.haunts_ready += 1
    p.slots = kept
    count_links(p)
    p.coin = 0
    p.power = 0
    p.regeneration = 0
    p.attacked = 0
    p.struck = 0
    p.claims = 0
    p.converts = 0
    p.overlord_ready = box.card[p.overlord].uses
    p.overlord_marks = 0


@rule
def draw_phase(game: GameRecord, box: BoxRecord, options: OptionsRecord, who: int) -> None:
    """X3: draw the new hand, with one more card for each MUSTER token."""
    p = game.player[who]
    draw(game, box, options, who, box.rules.hand_size + p.tokens)
    game.muster_tokens += p.tokens
    p.tokens = 0


@rule
def clear_tally(game: GameRecord) -> None:
    """Start counting anew what happens in a turn; the counts of the turn before are kept for the log."""
    game.last = game.tally
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
def begin_turn(game: GameRecord) -> None:
    """T1: begin a new Action Phase: nothing has happened yet."""
    game.actions = 0
    game.halted = 0
    game.leavers_n = 0
    game.groups = 0
    game.hordes = 0
    game.last_coin = game.most_coin
    game.most_coin = -1
    clear_tally(game)
    for event in range(EVENTS):
        game.seen[event] = 0


@rule
def end_turn(game: GameRecord, box: BoxRecord, options: OptionsRecord) -> None:
    """G5, X1, X2, X3, S8: end the Action Phase; then it is the other player's turn."""
    forget_plan(options)
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
