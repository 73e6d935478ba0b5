"""What a batch of games leaves behind: rows of turns and purchases, denials, and counts of what each player saw, could buy and bought.

Everything is written into columns that are already there (layout.LOG). `play_games` calls these between two questions; the engine itself knows nothing of
a log, but for what it counts in a turn (`game.tally`) and the purchases since the last answer (`game.deal`).
"""

from __future__ import annotations

from terrors.simulator.kernel.decision_columns import DECISION_CARDS, DECISION_ROWS
from terrors.simulator.kernel.jit import BoxRecord, CountArray, GameRecord, LogRecord, ResultRecords, rule
from terrors.simulator.kernel.layout import COUNT_FIELDS, DENIAL_ROWS, OWNED, PURCHASE_ROWS, TURN_ROWS
from terrors.simulator.rules.market import denied_to
from terrors.simulator.terms.enums import DRAW, Status
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


@rule(inline=True)
def count_offer(log: LogRecord, counts: CountArray, cell: int, seat: int, kind: int, affordable: bool) -> None:
    """A card lay in the Street in this turn, and the player could have bought it, or not: each kind counts once a turn."""
    last = log.last[seat, kind]
    if last.seen < log.now:
        counts[cell, seat, kind, TURNS_SEEN] += 1
        if last.seen < log.game_began:
            counts[cell, seat, kind, GAMES_SEEN] += 1
        last.seen = log.now
    if affordable and last.affordable < log.now:
        counts[cell, seat, kind, TURNS_AFFORDABLE] += 1
        if last.affordable < log.game_began:
            counts[cell, seat, kind, GAMES_AFFORDABLE] += 1
        last.affordable = log.now


@rule(rare=True)
def count_offers(log: LogRecord, counts: CountArray, game: GameRecord, cell: int, seat: int) -> None:
    """A player's turn is over: what lay in the Street in it, and whether there ever was the Coin for it when an action was due."""
    over = game.status == Status.OVER
    coin = game.most_coin if over else game.last_coin
    turn = game.turn if over else game.turn - 1
    for at in range(game.street_n):
        place = game.street[at]
        most = max(coin, place.coin) if place.turn == turn else coin
        count_offer(log, counts, cell, seat, place.kind, (place.cost <= most) & (place.denied >> seat & 1 == 0))
    for i in range(game.gone_n):
        count_offer(log, counts, cell, seat, game.gone[i].kind, game.gone[i].affordable != 0)


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
