"""What a position is worth: the chance to win of whoever is to move, by numbers that were learnt from very many games (formats/value.py has their file).

Every card adds a row of numbers to its side of the table: one row if it goes round (deck, hand, discard pile, and what will leave play), others if it stays
in play, is a relic, or lies in the Street. The rows are worked out from the cards' abilities, once for a set, so that any card has some. The cards that
go round count on average, for a hand of five. To that come Health, Armor and the like (`SIDE_FACTS`). What is below 0 counts as 0; then both sides, the Street
and the time of the game go through a second layer of the same kind, and that makes the odds.

Hidden cards have no say beyond what is known of them (G7): the numbers of a row are whole multiples of 1 / FINE, so that sums are exact in any order.
"""

from __future__ import annotations

from math import exp, log

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, PileRecord, WorkRecord, rule
from terrors.simulator.kernel.layout import LINK_CODES
from terrors.simulator.kernel.vectors import (
    add_amounts,
    add_products,
    add_products_of_some,
    add_row,
    add_rows,
    put_positive,
    put_sum,
    put_totals,
)
from terrors.simulator.kernel.work_layout import PLACES, POSITIONS, TABLE_FACTS, WIDTH
from terrors.simulator.rules.resources import TOKEN
from terrors.simulator.terms.enums import CardType, Status

CYCLE, STAYING, RELIC, OVERLORD, STREET = range(PLACES)
BEGUN, COMMON = POSITIONS, POSITIONS + 1  # rows of `hidden`: what positions have in common so far, and all of it
FINE = 4096.0
HAND = 5.0


@rule(inline=True)
def note_round(box: BoxRecord, work: WorkRecord, n: int, faction: int, kind: int) -> int:
    """Note the n-th card that goes round, to be added up with the others. Return 1 if it is a monster of that faction, the overlord's."""
    value = work.value
    value.added[n] = PLACES * kind + CYCLE
    c = box.card[kind]
    value.links.left[c.link_left] += 1
    value.links.right[c.link_right] += 1
    return (c.faction == faction) & (c.type == CardType.MONSTER)


@rule
def add_round(box: BoxRecord, work: WorkRecord, who: int, faction: int, kind: int) -> None:
    """Add one more card that goes round."""
    work.value.same[who] += note_round(box, work, work.value.n[who], faction, kind)
    work.value.n[who] += 1
    add_row(work.value.going, who, work.value.card, PLACES * kind + CYCLE)


@rule(inline=True)
def add_rest(work: WorkRecord, who: int, kind: int, place: int) -> None:
    """Add what a card means that does not go round."""
    add_row(work.value.rest, who, work.value.card, PLACES * kind + place)


@rule(inline=True)
def note_fact(work: WorkRecord, fact: int, amount: float) -> None:
    """Note one fact of a side, to be added with the others."""
    value = work.value
    value.fact[value.facts_n] = fact  # written first and counted then: many are 0, and add nothing
    value.amount[value.facts_n] = amount
    value.facts_n += amount != 0.0


@rule
def note_pile(box: BoxRecord, work: WorkRecord, n: int, faction: int, pile: PileRecord) -> int:
    """Note all cards of a pile, from number n on. Return how many are monsters of that faction."""
    same = 0
    for i in range(pile.n):
        same += note_round(box, work, n + i, faction, box.kind_of[pile.card[i]])
    return same


@rule
def begin_side(work: WorkRecord, who: int) -> None:
    """Begin to look at a side: no card is noted and no fact, nothing added."""
    value = work.value
    value.facts_n = 0
    for j in range(WIDTH):
        value.going[who, j] = 0.0
        value.rest[who, j] = value.side_bias[j]
    for code in range(LINK_CODES):
        value.links.left[code] = 0
        value.links.right[code] = 0


@rule
def look_at_side(game: GameRecord, box: BoxRecord, work: WorkRecord, who: int, health: int, hand: int, deck: int) -> None:
    """Add up one side: its cards, and its facts but the number of its cards, with so much Health and so many cards in hand and deck."""
    p = game.player[who]
    value = work.value
    faction = int(p.faction)
    begin_side(work, who)
    same = note_pile(box, work, 0, faction, p.hand)
    same += note_pile(box, work, p.hand.n, faction, p.deck)
    same += note_pile(box, work, p.hand.n + p.deck.n, faction, p.discard)
    round_n = int(p.hand.n + p.deck.n + p.discard.n)
    for s in range(p.slots):
        if p.play[s].card < 0:
            continue
        kind = int(box.kind_of[p.play[s].card])
        if box.card[kind].type == CardType.RELIC:
            add_rest(work, who, kind, RELIC)
        else:
            same += note_round(box, work, round_n, faction, kind)
            round_n += 1
            if p.play[s].marks & TOKEN:
                add_rest(work, who, kind, STAYING)
    value.n[who] = round_n
    value.same[who] = same
    add_rows(value.going, who, value.card, value.added, round_n)
    add_rest(work, who, p.overlord, OVERLORD)
    links = 0
    for code in range(1, LINK_CODES):
        links += value.links.left[code] * value.links.right[code]
    n = max(1.0, float(round_n))
    note_fact(work, 2, 0.25 * p.armor)
    note_fact(work, 3, 1.0 * p.tokens)
    note_fact(work, 4, hand / HAND)
    note_fact(work, 5, 0.1 * deck)
    note_fact(work, 7, HAND * same / n)
    note_fact(work, 8, HAND * HAND * links / (n * n))
    note_fact(work, 10, 1.0 * p.relics)
    left = max(0.0, float(health))
    note_fact(work, 0, 0.05 * left)
    note_fact(work, 1, log(left + 3.0))
    note_fact(work, 9, 0.05 * (p.start_health - left))
    note_fact(work, 11, max(0.0, 1.0 - 0.1 * left))
    add_amounts(value.rest, who, value.amount, value.side_fact, value.fact, value.facts_n)
    value.health[who] = left


@rule
def look_at_street(game: GameRecord, work: WorkRecord) -> None:
    """Add up what is for sale."""
    value = work.value
    for j in range(WIDTH):
        value.street[j] = value.street_bias[j]
    for at in range(game.street_n):
        value.added[at] = PLACES * int(game.street[at].kind) + STREET
    add_rows(value.street, 0, value.card, value.added, game.street_n)


@rule
def look(game: GameRecord, box: BoxRecord, work: WorkRecord) -> None:
    """Add up the whole table."""
    for who in range(2):
        p = game.player[who]
        look_at_side(game, box, work, who, p.health, p.hand.n, p.deck.n)
    look_at_street(game, work)


@rule
def begin_with_time(work: WorkRecord, turn: int) -> None:
    """Begin what positions have in common with what belongs to neither side."""
    value = work.value
    value.input[3 * WIDTH] = 0.05 * turn
    value.input[3 * WIDTH + 1] = 0.125 * min(turn, 8)
    value.input[3 * WIDTH + 2] = 0.05 * max(0, turn - 25)
    value.input[3 * WIDTH + 3] = 0.025 * min(value.health[0], value.health[1])
    add_products(value.hidden, BEGUN, value.inner_bias, value.input, value.inner, 3 * WIDTH, 3 * WIDTH + TABLE_FACTS)


@rule
def add_street(work: WorkRecord, to: int, start: int) -> None:
    """Put together a row of `hidden`: another one and the Street as it was added up last."""
    value = work.value
    put_positive(value.input, 2 * WIDTH, value.street)
    add_products_of_some(value.hidden, to, start, value.input, value.inner, 2 * WIDTH, 3 * WIDTH)


@rule
def add_side(work: WorkRecord, to: int, start: int, mover: int, who: int) -> None:
    """Put together a row of `hidden`: another one and a side as it was added up last."""
    value = work.value
    at = 0 if who == mover else WIDTH
    n = float(max(1, value.n[who]))
    put_sum(value.input, at, value.rest, who, HAND / n, value.going, 0.1 * n, value.side_fact, 6)
    add_products_of_some(value.hidden, to, start, value.input, value.inner, at, at + WIDTH)


@rule
def begin_common(work: WorkRecord, mover: int, turn: int) -> None:
    """Begin what positions have in common: the time, and the side of the mover. After `look`."""
    begin_with_time(work, turn)
    add_side(work, BEGUN, BEGUN, mover, mover)


@rule(inline=True)
def weigh(work: WorkRecord, n: int) -> None:
    """Write down the logarithm of the mover's odds in the first n positions of `hidden`."""
    value = work.value
    put_totals(value.log_odds, value.hidden, n, value.out, value.out_bias)


@rule
def odds(work: WorkRecord, mover: int, turn: int) -> float:
    """Return the logarithm of the odds that `mover` wins, who is to play that turn. After `look`."""
    begin_common(work, mover, turn)
    add_side(work, COMMON, BEGUN, mover, 1 - mover)
    add_street(work, 0, COMMON)
    weigh(work, 1)
    return work.value.log_odds[0]


@rule
def chance_to_win(game: GameRecord, box: BoxRecord, work: WorkRecord, me: int) -> float:
    """Return the chance to win, from 0 to 1, at the beginning of a turn; a win that is here is worth a little more the sooner it came."""
    if game.status != Status.PLAYING:
        if game.winner == me:
            return 1.0 + 0.0001 * max(0, 100 - game.turn)
        return 0.0 if game.winner == 1 - me else 0.5
    look(game, box, work)
    chance = 1.0 / (1.0 + exp(-odds(work, game.active, game.turn)))
    return chance if game.active == me else 1.0 - chance
