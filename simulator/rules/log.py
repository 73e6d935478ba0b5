"""What a batch of games leaves behind: rows of turns and purchases, denials, and counts of what each player saw, could buy and bought.

Everything is written into columns that are already there (layout.LOG). `play_games` calls these between two questions; the engine itself knows nothing of
a log, but for what it counts in a turn (`game.tally`) and the purchases since the last answer (`game.deal`).
"""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, CountArray, GameRecord, LogRecord, OptionsRecord, PileRecord, PlayerRecord, ResultRecords, rule
from terrors.simulator.kernel.layout import COUNT_FIELDS, DECISION_CARDS, DECISION_ROWS, DENIAL_ROWS, OWNED, PURCHASE_ROWS, SLOTS, STREET, TURN_ROWS
from terrors.simulator.rules.market import denied_to
from terrors.simulator.terms.enums import DRAW, Action, Mark, Question, Status
from terrors.simulator.terms.enums import Pile as Home

GAMES_SEEN, GAMES_AFFORDABLE, GAMES_BOUGHT, TURNS_SEEN, TURNS_AFFORDABLE, BOUGHT, FIRST_BOUGHT_TURNS, POINTS_WHEN_BOUGHT = range(len(COUNT_FIELDS))
LARGEST = 32_767
LAST_NOW = 2_000_000_000  # turns counted through a batch, before they no longer fit


@rule(inline=True)
def small(number: int) -> int:
    """A number as it fits into its column."""
    return min(number, LARGEST)


@rule(rare=True)
def has_room(log: LogRecord, box: BoxRecord) -> bool:
    """Whether one more game fits into the log, however long it gets."""
    return (
        log.turns_n + box.rules.max_turns <= TURN_ROWS
        and log.purchases_n + 2 * OWNED <= PURCHASE_ROWS
        and log.denials_n + 2 * box.kinds <= DENIAL_ROWS
        and log.now < LAST_NOW
        and 2 * log.decisions_n <= DECISION_ROWS
        and 2 * log.decision_cards_n <= DECISION_CARDS
    )


@rule(rare=True)
def log_turn(log: LogRecord, game: GameRecord, turn: int, seat: int) -> None:
    """A player's turn is over: what happened in it, and how both stand after it."""
    i = log.turns_n
    log.turns_n += 1
    tally = game.tally if game.status == Status.OVER else game.last
    p = game.player[seat]
    to = log.turns
    to.row[i] = log.row
    to.turn[i] = turn
    to.seat[i] = seat
    to.health[i] = small(p.health)
    to.rival_health[i] = small(game.player[1 - seat].health)
    to.coin[i] = small(tally.coin)
    to.coin_spent[i] = small(tally.coin_spent)
    to.power[i] = small(tally.power)
    to.damage[i] = small(tally.damage)
    to.armor_absorbed[i] = small(tally.armor_absorbed)
    to.regeneration[i] = small(tally.regeneration)
    to.healed[i] = small(tally.healed)
    to.cards_played[i] = small(tally.cards_played)
    to.cards_drawn[i] = small(tally.cards_drawn)
    to.bought[i] = small(tally.bought)
    to.hordes[i] = small(tally.hordes)
    to.horde_activations[i] = small(tally.horde_activations)
    to.longest_horde[i] = small(tally.longest_horde)
    to.relics_used[i] = small(tally.relics_used)
    to.overlord_used[i] = small(tally.overlord_used)
    to.haunts[i] = small(tally.haunts)
    to.curses[i] = small(tally.curses)
    to.sacrificed[i] = small(tally.sacrificed)
    to.destroyed[i] = small(tally.destroyed)
    to.deck[i] = p.deck.n
    to.discard[i] = p.discard.n
    to.hand[i] = p.hand.n


@rule
def log_deals(log: LogRecord, counts: CountArray, game: GameRecord, cell: int, turn: int, seat: int) -> None:
    """The active player has got cards."""
    to = log.purchases
    for i in range(game.deals_n):
        deal = game.deal[i]
        kind = deal.kind
        if log.keep_purchases:
            n = log.purchases_n
            log.purchases_n += 1
            to.row[n] = log.row
            to.turn[n] = turn
            to.seat[n] = seat
            to.kind[n] = kind
            to.paid[n] = deal.paid
            to.source[n] = deal.source
            to.to[n] = deal.to
        if log.keep_counts:
            last = log.last[seat, kind]
            counts[cell, seat, kind, BOUGHT] += 1
            if last.bought < log.game_began:
                counts[cell, seat, kind, GAMES_BOUGHT] += 1
                counts[cell, seat, kind, FIRST_BOUGHT_TURNS] += turn
            last.bought = log.now
    game.deals_n = 0


@rule(rare=True)
def count_seen(log: LogRecord, counts: CountArray, game: GameRecord, cell: int) -> None:
    """The active player looks at the Street: each kind counts once a turn."""
    me = game.active
    log.market_n = game.market.n
    for at in range(game.street_n):
        kind = game.street[at].kind
        last = log.last[me, kind]
        if last.seen < log.now:
            counts[cell, me, kind, TURNS_SEEN] += 1
            if last.seen < log.game_began:
                counts[cell, me, kind, GAMES_SEEN] += 1
            last.seen = log.now


@rule(rare=True)
def count_affordable(log: LogRecord, counts: CountArray, game: GameRecord, options: OptionsRecord, cell: int) -> None:
    """The active player may buy these now: each kind counts once a turn."""
    me = game.active
    log.most_coin = game.player[me].coin
    for i in range(options.buys_from, options.others_from):
        option = options.at[i]
        if option.action != Action.BUY:
            continue
        last = log.last[me, option.card]
        if last.affordable < log.now:
            counts[cell, me, option.card, TURNS_AFFORDABLE] += 1
            if last.affordable < log.game_began:
                counts[cell, me, option.card, GAMES_AFFORDABLE] += 1
            last.affordable = log.now


@rule(rare=True)
def count_points(log: LogRecord, counts: CountArray, game: GameRecord, box: BoxRecord, cell: int) -> None:
    """The game is over: 2 points for a win and 1 for a draw go to what its player has bought."""
    for seat in range(2):
        points = 1 if game.winner == DRAW else 2 * (game.winner == seat)
        if points:
            for kind in range(box.kinds):
                if log.last[seat, kind].bought >= log.game_began:
                    counts[cell, seat, kind, POINTS_WHEN_BOUGHT] += points


@rule(rare=True)
def log_denials(log: LogRecord, game: GameRecord, box: BoxRecord, results: ResultRecords, i: int) -> None:
    """Interventions: which market cards are denied to whom in this game."""
    row = results[i]
    row.first_denied = 0
    row.second_denied = 0
    if not box.denials:
        return
    for seat in range(2):
        n = log.denials_n
        for kind in range(box.kinds):
            if box.card[kind].pile == Home.MARKET and denied_to(game, box, kind) >> seat & 1:
                log.denials[log.denials_n] = kind
                log.denials_n += 1
        if seat == 0:
            row.first_denied = log.denials_n - n
        else:
            row.second_denied = log.denials_n - n


@rule(rare=True)
def list_pile(log: LogRecord, box: BoxRecord, pile: PileRecord) -> int:
    """The cards of a pile, for a decision's row; how many."""
    for i in range(pile.n):
        log.decision_card[log.decision_cards_n] = box.kind_of[pile.card[i]]
        log.decision_horde[log.decision_cards_n] = 0
        log.decision_cards_n += 1
    return pile.n


@rule(rare=True)
def list_slot(log: LogRecord, box: BoxRecord, p: PlayerRecord, s: int, horde: int) -> None:
    """One card in play."""
    log.decision_card[log.decision_cards_n] = box.kind_of[p.play[s].card]
    log.decision_horde[log.decision_cards_n] = horde
    log.decision_cards_n += 1


@rule(rare=True)
def list_play(log: LogRecord, box: BoxRecord, p: PlayerRecord) -> int:
    """The cards in play: hordes first, each from left to right, then the others; how many."""
    n = log.decision_cards_n
    horde = 0
    for s in range(p.slots):
        slot = p.play[s]
        if slot.card >= 0 and slot.marks & Mark.IN_HORDE and slot.left < 0:
            horde += 1
            at = s
            while at >= 0:
                list_slot(log, box, p, at, horde)
                at = p.play[at].right
    for s in range(p.slots):
        if p.play[s].card >= 0 and not p.play[s].marks & Mark.IN_HORDE:
            list_slot(log, box, p, s, 0)
    return log.decision_cards_n - n


@rule(rare=True)
def log_decision(log: LogRecord, game: GameRecord, box: BoxRecord, options: OptionsRecord, choice: int) -> None:
    """The table as it is, and what is chosen now; -1 at the end of the game."""
    i = log.decisions_n
    if i == DECISION_ROWS or log.decision_cards_n + 4 * SLOTS + STREET > DECISION_CARDS:
        log.decisions_cut += 1
        return
    log.decisions_n += 1
    to = log.decisions
    p = game.player[game.active]
    to.row[i] = log.row
    to.turn[i] = game.turn
    to.active[i] = game.active
    to.seat[i] = game.asked
    to.question[i] = game.question
    to.action[i] = -1
    to.card[i] = -1
    to.other[i] = -1
    to.amount[i] = 0
    to.offered[i] = options.n
    if choice >= 0:
        option = options.at[choice]
        to.action[i] = option.action
        to.card[i] = option.card
        if Action.HORDE <= option.action <= Action.HORDE_RIGHT:
            to.other[i] = box.kind_of[p.play[option.other].card]
        amount = option.amount
        if Action.ATTACK <= option.action <= Action.CONVERT and 0 < options.spend < amount:
            amount = options.spend
        to.amount[i] = small(amount)
    to.coin[i] = small(p.coin)
    to.power[i] = small(p.power)
    to.regeneration[i] = small(p.regeneration)
    to.first_health[i] = small(game.player[0].health)
    to.second_health[i] = small(game.player[1].health)
    to.first_deck[i] = game.player[0].deck.n
    to.second_deck[i] = game.player[1].deck.n
    to.first_discard[i] = game.player[0].discard.n
    to.second_discard[i] = game.player[1].discard.n
    to.market[i] = game.market.n
    to.first_hand[i] = list_pile(log, box, game.player[0].hand)
    to.second_hand[i] = list_pile(log, box, game.player[1].hand)
    to.first_play[i] = list_play(log, box, game.player[0])
    to.second_play[i] = list_play(log, box, game.player[1])
    for at in range(game.street_n):
        log.decision_card[log.decision_cards_n] = game.street[at].kind
        log.decision_horde[log.decision_cards_n] = 0
        log.decision_cards_n += 1
    to.street[i] = game.street_n


@rule(rare=True)
def named_play(log: LogRecord, game: GameRecord, options: OptionsRecord) -> int:
    """In a game that is told: the option that plays the card which the strategy has named in advance; -1 if there is none, and then it is asked again."""
    if game.question != Question.ACTION or log.then_n == 0:
        return -1
    log.then_n -= 1
    for i in range(options.hordes_from):
        if options.at[i].card == log.then[log.then_n]:
            return i
    log.then_n = 0
    return -1


@rule(rare=True)
def take_names(log: LogRecord, options: OptionsRecord) -> None:
    """In a game that is told: remember the plays that were named, so that the engine asks for each."""
    log.then_n = options.then_n
    for i in range(options.then_n):
        log.then[i] = options.then[i]
    options.then_n = 0
