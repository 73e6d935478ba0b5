"""What things are worth at this point of a game: how long it will last, a card, a purchase, the Coin for it, an ability. All in points (taste.py)."""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, PlayerRecord, WorkRecord, rule
from terrors.simulator.kernel.layout import LINK_CODES, NOT_FOR_SALE
from terrors.simulator.rules.play_area import faction_in_play
from terrors.simulator.terms.enums import CardType, Condition, Cost, Effect, Event, Per, Resource

FULL_GAME = 8.0  # own turns left from which a Coin has its early worth
LOW_HEALTH = 16
NEVER = -1e9
FINE = 4096.0


@rule
def turns_left(game: GameRecord, work: WorkRecord, me: int) -> float:
    """Return the number of turns that one expects to have yet, this one included: fitted to games between sensible players."""
    left = 0.105 * (game.player[0].health + game.player[1].health) - 0.06 * game.turn + 0.2
    return max(0.7, left * work.wants.horizon)


@rule(inline=True)
def share_early(turns: float) -> float:
    """Return how much of the game is early, from 0 to 1, with so many turns left."""
    return min(1.0, max(0.0, (turns - 1.0) / (FULL_GAME - 1.0)))


@rule(inline=True)
def worth_when(work: WorkRecord, kind: int, early: float) -> float:
    """Return the points of one activation of a card when so much of the game is early."""
    of = work.of[kind]
    return early * of.early + (1.0 - early) * of.late + min(early, 1.0 - early) * of.bend


@rule(inline=True)
def card_worth(game: GameRecord, work: WorkRecord, kind: int, turns: float) -> float:
    """Return the points of one activation of a card, at this point of the game."""
    return worth_when(work, kind, share_early(turns))


@rule
def health_worth(game: GameRecord, work: WorkRecord, me: int) -> float:
    """Return the points of one Health: dearer when few are left."""
    return work.wants.health * (1.4 if game.player[me].health <= LOW_HEALTH else 1.0)


@rule
def owned_cards(p: PlayerRecord) -> int:
    """Return the number of cards that go round: deck, discard pile, hand and play area without the relics."""
    return p.deck.n + p.discard.n + p.hand.n + p.slots - p.relics


@rule(inline=True)
def whole_worth(work: WorkRecord, kind: int, early: float) -> int:
    """Return the worth of a card as a whole number."""
    return int(FINE * worth_when(work, kind, early))


@rule
def mean_worth(game: GameRecord, box: BoxRecord, work: WorkRecord, me: int) -> float:
    """Return the average worth of the cards that go round: what is drawn instead of a card that one does not have.

    It is added up in whole numbers: with fractions the sum would depend, ever so little, on the order of the deck, which nobody knows (G7).
    """
    p = game.player[me]
    early = share_early(turns_left(game, work, me))
    total = 0
    for i in range(p.deck.n):
        total += whole_worth(work, box.kind_of[p.deck.card[i]], early)
    for i in range(p.discard.n):
        total += whole_worth(work, box.kind_of[p.discard.card[i]], early)
    for i in range(p.hand.n):
        total += whole_worth(work, box.kind_of[p.hand.card[i]], early)
    n = int(p.deck.n + p.discard.n + p.hand.n)
    for s in range(p.slots):
        card = p.play[s].card
        if card >= 0:
            kind = box.kind_of[card]
            if box.card[kind].type != CardType.RELIC:
                total += whole_worth(work, kind, early)
                n += 1
    return total / (FINE * max(1, n))


@rule(inline=True)
def linked(box: BoxRecord, left: int, right: int) -> bool:
    """H1: whether one monster can stand to the left of another."""
    return box.card[left].link_right > 0 and box.card[left].link_right == box.card[right].link_left


@rule
def links_in_play(box: BoxRecord, p: PlayerRecord, kind: int) -> int:
    """Return the number of a player's monsters in play that a monster can stand beside."""
    links = 0
    for s in range(p.slots):
        if p.play[s].card >= 0:
            other = box.kind_of[p.play[s].card]
            links += linked(box, kind, other) or linked(box, other, kind)
    return links


@rule
def count_links(box: BoxRecord, work: WorkRecord, p: PlayerRecord) -> None:
    """Write down how many of a player's cards show each horde indicator, so that `links_with` need not look at every card for every card of the Street."""
    for code in range(LINK_CODES):
        work.links.left[code] = 0
        work.links.right[code] = 0
    for i in range(p.deck.n):
        note_links(box, work, box.kind_of[p.deck.card[i]])
    for i in range(p.discard.n):
        note_links(box, work, box.kind_of[p.discard.card[i]])
    for s in range(p.slots):
        if p.play[s].card >= 0:
            note_links(box, work, box.kind_of[p.play[s].card])


@rule(inline=True)
def note_links(box: BoxRecord, work: WorkRecord, kind: int) -> None:
    """Count the indicators of one card."""
    work.links.left[box.card[kind].link_left] += 1
    work.links.right[box.card[kind].link_right] += 1


@rule
def links_with(box: BoxRecord, work: WorkRecord, kind: int) -> int:
    """H1: return the number of places beside a player's cards where a monster can stand. After `count_links`."""
    left, right = box.card[kind].link_left, box.card[kind].link_right
    links = int(work.links.right[left]) if left > 0 else 0  # what shows to its right what this one shows to its left
    return links + (int(work.links.left[right]) if right > 0 else 0)


@rule
def least_relic(game: GameRecord, box: BoxRecord, work: WorkRecord, me: int, turns: float) -> float:
    """P8: return the worth of the relic that one gives up for one too many."""
    p = game.player[me]
    least = 1e9
    for s in range(p.slots):
        if p.play[s].card >= 0 and box.card[box.kind_of[p.play[s].card]].type == CardType.RELIC:
            least = min(least, card_worth(game, work, box.kind_of[p.play[s].card], turns))
    return least


@rule
def plays_left(game: GameRecord, p: PlayerRecord, turns: float) -> float:
    """Return how often a card that goes to the discard pile now will be drawn yet: the deck comes first, then its share of what is drawn."""
    return max(0.0, 5.0 * (turns - 1.0) + 2.0 - p.deck.n) / (owned_cards(p) + 1.0)


@rule
def gain_of_card(game: GameRecord, box: BoxRecord, work: WorkRecord, me: int, kind: int) -> float:
    """Return the points that having this Street card adds to the rest of the game; to be bought at more than 0. Within or after `price_street`."""
    p = game.player[me]
    price = work.price
    worth = worth_when(work, kind, price.early)
    c = box.card[kind]
    if c.type == CardType.RELIC:
        if p.relics >= box.rules.relic_limit:
            worth -= least_relic(game, box, work, me, price.turns)
        return price.turns * worth + price.heard
    if c.faction == p.faction:
        worth += work.wants.loyal
    if work.wants.link > 0.0:
        worth += work.wants.link * 4.0 * links_with(box, work, kind) / owned_cards(p)  # partners to be expected in the same hand
    return price.plays * (worth - price.average) + price.heard


@rule(inline=True)
def know_average(game: GameRecord, box: BoxRecord, work: WorkRecord, me: int) -> None:
    """Make `work.mean_worth` ready, once for each question (turn.play_well)."""
    if not work.averaged:
        work.averaged = 1
        work.mean_worth = mean_worth(game, box, work, me)


@rule(inline=True)
def note_gain(work: WorkRecord, at: int, cost: int, gain: float) -> None:
    """Write down what a purchase would add; if it adds anything, among those that are weighed against each other."""
    price = work.price
    price.gain[at] = gain
    bargain = price.bargain[price.n]  # written first and counted then
    bargain.gain = gain
    bargain.cost = cost
    bargain.at = at
    price.n += gain > 0.0


@rule
def price_anew(game: GameRecord, box: BoxRecord, work: WorkRecord, me: int) -> None:
    """Work out what each Street card would add, and behind them an Acolyte, unseen: first all that these depend on alike."""
    p = game.player[me]
    price = work.price
    work.priced = 1
    know_average(game, box, work, me)
    price.turns = turns_left(game, work, me)
    price.early = share_early(price.turns)
    price.plays = plays_left(game, p, price.turns)
    price.average = work.wants.average * work.mean_worth
    price.heard = work.wants.power if p.ears >> Event.CARD_BOUGHT & 1 else 0.0
    if work.wants.link > 0.0:
        count_links(box, work, p)
    price.n = 0
    for at in range(game.street_n):
        place = game.street[at]
        denied = place.cost == NOT_FOR_SALE or place.denied >> me & 1
        note_gain(work, at, place.cost, NEVER if denied else gain_of_card(game, box, work, me, place.kind))
    unseen = price.plays * (work.wants.acolyte - price.average) + price.heard
    note_gain(work, game.street_n, box.rules.acolyte_cost, unseen if game.acolytes.n > 0 else NEVER)


@rule(inline=True)
def price_street(game: GameRecord, box: BoxRecord, work: WorkRecord, me: int) -> None:
    """Make ready to say what each Street card would add (`work.price.gain`), once for each question (turn.play_well)."""
    if not work.priced:
        price_anew(game, box, work, me)


@rule
def best_single(work: WorkRecord, coin: int, but: int) -> float:
    """Return the most that one purchase with that much Coin adds, another place than `but`; 0 if none is worth it. After `price_street`."""
    most = 0.0
    for i in range(work.price.n):
        one = work.price.bargain[i]
        if one.cost <= coin and one.at != but:
            most = max(most, one.gain)
    return most


@rule
def deal(work: WorkRecord, coin: int) -> float:
    """Return the most that one or two purchases with that much Coin add. After `price_street`."""
    most = 0.0
    for i in range(work.price.n):
        one = work.price.bargain[i]
        if one.cost <= coin:
            most = max(most, one.gain)
            rest = coin - one.cost
            for j in range(i):
                other = work.price.bargain[j]
                if other.cost <= rest:
                    most = max(most, one.gain + other.gain)
    return most


@rule
def coin_to_come(game: GameRecord, box: BoxRecord, me: int) -> int:
    """Return the Coin in the pool, and what the hand will surely add."""
    p = game.player[me]
    coin = p.coin
    for i in range(p.hand.n):
        coin += box.card[box.kind_of[p.hand.card[i]]].coin
    return coin


@rule
def coin_worth(game: GameRecord, box: BoxRecord, work: WorkRecord, me: int, amount: int) -> float:
    """Return what so much Coin more (or less) adds to this turn's purchases."""
    price_street(game, box, work, me)
    coin = coin_to_come(game, box, me)
    return 0.1 * amount + deal(work, coin + amount) - deal(work, coin)


@rule
def amount_now(game: GameRecord, box: BoxRecord, pc: int, me: int, length: int) -> int:
    """Return the amount of a row with what it is counted by; `length` is that of the horde."""
    row = box.effect[pc]
    if row.per == Per.FACTION_IN_PLAY:
        return row.amount * faction_in_play(game, box, me, row.of)
    if row.per == Per.RELIC:
        return row.amount * game.player[me].relics
    if row.per == Per.CARD_IN_HAND:
        return row.amount * game.player[me].hand.n
    return row.amount * (length if row.per == Per.MONSTER_IN_HORDE else 1)


@rule
def row_now(game: GameRecord, box: BoxRecord, work: WorkRecord, pc: int, me: int, length: int) -> float:
    """Return the points of one row of a program, now."""
    row = box.effect[pc]
    p = game.player[me]
    rival = game.player[1 - me]
    effect = row.effect
    if effect == Effect.GAIN or effect == Effect.GAIN_HEALTH:
        amount = amount_now(game, box, pc, me, length)
        if effect == Effect.GAIN and row.a == Resource.COIN:
            return coin_worth(game, box, work, me, amount)
        if effect == Effect.GAIN and row.a == Resource.POWER:
            return work.wants.power * amount
        return health_worth(game, work, me) * max(0, min(amount, p.start_health - p.health - p.regeneration))
    if effect == Effect.LOSE_HEALTH:
        return -health_worth(game, work, me) * row.amount
    if effect == Effect.OPPONENT_LOSES:
        return 1.1 * work.wants.power * row.amount
    if effect == Effect.DRAW:
        know_average(game, box, work, me)
        return (work.mean_worth + 0.2) * row.amount
    if effect == Effect.COMMAND:
        know_average(game, box, work, me)
        return work.mean_worth if p.discard.n > 0 else 0.0
    if effect == Effect.RAGE:
        return 2.1
    if effect == Effect.DISCARD:
        return -0.8 * row.amount
    if effect == Effect.CURSE:
        return work.wants.curse if rival.hand.n > 0 else max(work.wants.curse, 2.0 * work.wants.power)
    if effect == Effect.OPPONENT_DISCARDS:
        return 1.2 if rival.hand.n > 0 else 0.0
    if effect == Effect.MUSTER:
        return 1.4 if turns_left(game, work, me) > 1.5 else 0.3
    if effect == Effect.SACRIFICE:
        return work.wants.sacrifice
    return 0.0 if effect == Effect.ALTERNATIVE else 0.6


@rule
def price_now(game: GameRecord, box: BoxRecord, work: WorkRecord, pc: int, me: int) -> float:
    """Return the points of what a cost takes. A card to be discarded is priced where it is chosen."""
    row = box.effect[pc]
    if row.a == Cost.COIN:
        return -coin_worth(game, box, work, me, -row.amount)
    if row.a == Cost.POWER:
        return work.wants.power * row.amount
    if row.a == Cost.HEALTH:
        return health_worth(game, work, me) * row.amount
    if row.a == Cost.SACRIFICE_THIS:
        return 2.5 if game.player[me].start_health - game.player[me].health < 3 else 0.0
    return 0.7 * row.amount


@rule
def holds_now(game: GameRecord, box: BoxRecord, pc: int, me: int) -> bool:
    """Whether the condition of an IF row holds; an Influence card is lit if it would be lit now."""
    row = box.effect[pc]
    if row.a == Condition.FACTION_IN_PLAY:
        return faction_in_play(game, box, me, row.b) > 0
    if row.a == Condition.OPPONENT_HAS_RELIC:
        return game.player[1 - me].relics > 0
    if row.a == Condition.HEALTH_AT_MOST:
        return game.player[me].health <= row.b
    return faction_in_play(game, box, me, game.player[me].faction) > 0


@rule
def program_now(game: GameRecord, box: BoxRecord, work: WorkRecord, pc: int, end: int, me: int, length: int) -> float:
    """Return the points of a program, now: conditions as they stand, the best of alternatives, costs where they pay."""
    total = 0.0
    while pc < end:
        row = box.effect[pc]
        if row.effect == Effect.IF:
            pc += 1 if holds_now(game, box, pc, me) else 1 + row.skip
        elif row.effect == Effect.COST:
            total -= price_now(game, box, work, pc, me)
            pc += 1
        elif row.effect == Effect.CHOOSE:
            best = NEVER
            at = pc + 1
            for _ in range(row.a):
                value = 0.0
                for i in range(at + 1, at + 1 + box.effect[at].skip):
                    value += row_now(game, box, work, i, me, length)
                best = max(best, value)
                at += 1 + box.effect[at].skip
            total += best
            pc += 1 + row.skip
        else:
            total += row_now(game, box, work, pc, me, length)
            pc += 1
    return total
