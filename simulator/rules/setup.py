"""Setup (S): a new table, the choice of Influence cards, the deal."""

from __future__ import annotations

import numpy as np

from terrors.simulator.kernel.jit import U64, BoxRecord, GameRecord, OptionsRecord, rule
from terrors.simulator.kernel.layout import ACOLYTES, MARKET
from terrors.simulator.kernel.piles import put
from terrors.simulator.kernel.rng import order_by_luck, shuffle_pile, stream
from terrors.simulator.rules.market import lay_out, look_over
from terrors.simulator.rules.options import ask, offer
from terrors.simulator.rules.turn_end import begin_turn, draw
from terrors.simulator.terms.enums import FIRST, SECOND, Action, Purpose, Question, Status

UNLIMITED = 1 << 30  # tokens in a reserve without a limit (S2)


@rule(rare=True)
def deal_common(game: GameRecord, box: BoxRecord, options: OptionsRecord) -> None:
    """S5, S6: deal the Acolytes, the Market and the Street, in the order of their luck."""
    words = options.scratch
    for i in range(box.acolytes_n):
        words[i] = np.uint64(box.acolyte[i])
    order_by_luck(box, options, box.acolytes_n, stream(game.seed, Purpose.ACOLYTE, 0, 0))
    n = min(box.acolytes_n, ACOLYTES)
    for i in range(n):
        game.acolytes.card[i] = np.int64(words[box.acolytes_n - n + i])
    game.acolytes.n = n
    for i in range(box.market_n):
        words[i] = np.uint64(box.market[i])
    order_by_luck(box, options, box.market_n, stream(game.seed, Purpose.MARKET, 0, 0))
    n = min(box.market_n, MARKET)
    for i in range(n):
        game.market.card[i] = np.int64(words[box.market_n - n + i])
    game.market.n = n
    game.street_n = 0
    for at in range(min(n, box.rules.street_size)):
        game.street_n += 1
        lay_out(game, box, at)
    look_over(game, box)


@rule(rare=True)
def deal_player(game: GameRecord, box: BoxRecord, options: OptionsRecord, who: int) -> None:
    """S4, S7: deal the starting deck, shuffled, and the opening hand. The chosen Influence cards are in the deck already."""
    p = game.player[who]
    for i in range(box.starters_n[who]):
        put(p.deck, box.starter[who][i])
    for i in range(box.grants_n[who]):
        put(p.deck, box.grant[who][i])
    p.owned = p.deck.n
    shuffle_pile(box, options, p.deck, stream(game.seed, Purpose.DECK, who, 0))
    p.shuffles = 1
    draw(game, box, options, who, box.rules.first_hand if who == FIRST else box.rules.second_hand)


@rule(rare=True)
def seat_player(game: GameRecord, box: BoxRecord, who: int, overlord: int) -> None:
    """S1: seat a player with an overlord at full Health."""
    p = game.player[who]
    p.overlord = overlord
    p.faction = box.card[overlord].faction
    p.health = box.card[overlord].health
    p.start_health = p.health
    p.ears = box.card[overlord].ears
    p.overlord_ready = box.card[overlord].uses


@rule(rare=True)
def ask_influence(game: GameRecord, box: BoxRecord, options: OptionsRecord) -> None:
    """S3: ask the player who still has Influence cards to choose, first player first; deal when all are chosen."""
    for who in range(2):
        p = game.player[who]
        own = box.own[p.overlord]
        if p.deck.n < min(box.rules.influences, own.n):
            for i in range(own.n):
                kind = own.kind[i]
                taken = False
                for j in range(p.deck.n):
                    taken = taken or box.kind_of[p.deck.card[j]] == kind
                if not taken:
                    offer(options, Action.CARD, kind, i, 0, 0, 0)
            ask(game, options, Question.INFLUENCE, who)
            return
    game.setup = 0
    deal_common(game, box, options)
    deal_player(game, box, options, FIRST)
    deal_player(game, box, options, SECOND)
    game.turn = 1
    begin_turn(game)


@rule(rare=True)
def clear_player(game: GameRecord, who: int) -> None:
    """Take away all that a player owns and has in play."""
    p = game.player[who]
    p.coin = 0
    p.power = 0
    p.regeneration = 0
    p.armor = 0
    p.tokens = 0
    p.overlord_marks = 0
    p.attacked = 0
    p.struck = 0
    p.claims = 0
    p.converts = 0
    p.relics = 0
    p.relics_ready = 0
    p.haunts_ready = 0
    p.free_left = 0
    p.free_right = 0
    p.end_left = 0
    p.end_right = 0
    p.owned = 0
    p.shuffles = 0
    p.known = 0
    p.influences = 0
    p.chances = 0
    p.slots = 0
    p.hand.n = 0
    p.deck.n = 0
    p.discard.n = 0
    p.removed.n = 0


@rule(rare=True)
def set_up(game: GameRecord, box: BoxRecord, seed: U64, first: int, second: int, first_influences: int, second_influences: int) -> None:
    """S1 to S8: set up a new table. `advance` leads to the first question. Influences: bits of the overlord's Influence cards to take without asking, 0 = ask.

    Only what is read before it is written is cleared, which is most of the record's cost saved.
    """
    game.seed = seed
    game.chance_seed = stream(seed, Purpose.CHANCE, 0, 0)
    game.turn = 0
    game.active = FIRST
    game.status = Status.PLAYING
    game.winner = -1
    game.end = 0
    game.limits = 0
    game.total_actions = 0
    game.agenda_n = 0
    game.setup = 1
    game.deals_n = 0
    game.gone_n = 0
    game.news = 0
    game.most_coin = -1
    game.street_n = 0  # nothing is laid out while Influence cards are chosen
    game.market.n = 0
    game.acolytes.n = 0
    game.removed.n = 0
    rules = box.rules
    game.haunt_tokens = rules.haunt_tokens if rules.haunt_tokens > 0 else UNLIMITED
    game.muster_tokens = rules.muster_tokens if rules.muster_tokens > 0 else UNLIMITED
    begin_turn(game)
    for who in range(2):
        clear_player(game, who)
        seat_player(game, box, who, first if who == FIRST else second)
        own = box.own[game.player[who].overlord]
        chosen = first_influences if who == FIRST else second_influences
        for i in range(own.n):
            if chosen >> i & 1:
                game.player[who].influences |= 1 << i
                put(game.player[who].deck, box.influence[who][own.kind[i]])
