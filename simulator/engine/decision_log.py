"""In a game that is told: a row for every choice, those with a single answer too, with all that lies on the table before it."""

from __future__ import annotations

from terrors.simulator.engine.log import small
from terrors.simulator.kernel.decision_columns import DECISION_CARDS, DECISION_ROWS
from terrors.simulator.kernel.jit import BoxRecord, GameRecord, LogRecord, OptionsRecord, PileRecord, PlayerRecord, rule
from terrors.simulator.kernel.layout import MARKET, OWNED, STREET
from terrors.simulator.rules.asking import LOOKED, SHUFFLED
from terrors.simulator.terms.enums import Action, CardType, Cost, Mark, Place, Question, Task, To

MOST_CARDS = 2 * OWNED + 2 * STREET + MARKET  # of one row: what both own, the Street, and what left it


@rule(rare=True)
def list_card(log: LogRecord, card: int, horde: int, marks: int) -> None:
    """Write one card of a list."""
    log.decision_card[log.decision_cards_n] = card
    log.decision_horde[log.decision_cards_n] = horde
    log.decision_marks[log.decision_cards_n] = marks
    log.decision_cards_n += 1


@rule(rare=True)
def list_pile(log: LogRecord, pile: PileRecord) -> int:
    """The cards of a pile, for a decision's row; how many."""
    for i in range(pile.n):
        list_card(log, pile.card[i], 0, 0)
    return pile.n


@rule(rare=True)
def list_play(log: LogRecord, p: PlayerRecord) -> int:
    """The cards in play: hordes first, each from left to right, then the others; how many."""
    n = log.decision_cards_n
    horde = 0
    for s in range(p.slots):
        slot = p.play[s]
        if slot.card >= 0 and slot.marks & Mark.IN_HORDE and slot.left < 0:
            horde += 1
            at = s
            while at >= 0:
                list_card(log, p.play[at].card, horde, p.play[at].marks)
                at = p.play[at].right
    for s in range(p.slots):
        if p.play[s].card >= 0 and not p.play[s].marks & Mark.IN_HORDE:
            list_card(log, p.play[s].card, 0, p.play[s].marks)
    return log.decision_cards_n - n


@rule(rare=True)
def list_table(log: LogRecord, game: GameRecord, i: int) -> None:
    """Every card whose place is known to anybody, list by list in the order of DECISION_LISTS."""
    to = log.decisions
    one = game.player[0]
    two = game.player[1]
    to.first_hand[i] = list_pile(log, one.hand)
    to.second_hand[i] = list_pile(log, two.hand)
    to.first_play[i] = list_play(log, one)
    to.second_play[i] = list_play(log, two)
    for at in range(game.street_n):
        list_card(log, game.street[at].card, 0, 0)
    to.street[i] = game.street_n
    to.first_deck_cards[i] = list_pile(log, one.deck)
    to.second_deck_cards[i] = list_pile(log, two.deck)
    to.first_discard_cards[i] = list_pile(log, one.discard)
    to.second_discard_cards[i] = list_pile(log, two.discard)
    to.first_removed[i] = list_pile(log, one.removed)
    to.second_removed[i] = list_pile(log, two.removed)
    for at in range(game.removed.n):
        list_card(log, game.removed.card[at], 0, 0)
    to.street_removed[i] = game.removed.n


@rule(rare=True)
def log_numbers(log: LogRecord, game: GameRecord, i: int) -> None:
    """Pool, Health, piles and tokens as they are."""
    to = log.decisions
    one = game.player[0]
    two = game.player[1]
    p = game.player[game.active]
    to.coin[i] = small(p.coin)
    to.power[i] = small(p.power)
    to.regeneration[i] = small(p.regeneration)
    to.first_health[i] = small(one.health)
    to.second_health[i] = small(two.health)
    to.first_deck[i] = one.deck.n
    to.second_deck[i] = two.deck.n
    to.first_discard[i] = one.discard.n
    to.second_discard[i] = two.discard.n
    to.market[i] = game.market.n
    to.acolytes[i] = game.acolytes.n
    to.haunt_tokens[i] = small(game.haunt_tokens)
    to.muster_tokens[i] = small(game.muster_tokens)
    to.first_muster[i] = small(one.tokens)
    to.second_muster[i] = small(two.tokens)
    to.first_known[i] = one.known
    to.second_known[i] = two.known
    to.claims[i] = small(p.claims)
    to.actions[i] = small(game.actions)
    to.limits[i] = small(game.limits)
    to.revealed[i] = small(game.revealed)
    game.revealed = 0


@rule(rare=True)
def chosen_card(game: GameRecord, box: BoxRecord, options: OptionsRecord, choice: int) -> int:
    """The very card that an option is about; -1 if it is about none."""
    option = options.at[choice]
    p = game.player[game.active]
    at = option.slot
    if option.action == Action.TRIGGER:
        return option.other
    if game.question == Question.INFLUENCE:
        return box.influence[game.asked][option.card]
    if option.card < 0 or option.action == Action.OVERLORD:
        return -1
    if option.place == Place.HAND:
        return game.player[game.asked].hand.card[at]
    if option.place == Place.STREET:
        return game.street[at].card
    if option.place == Place.DISCARD:
        return p.discard.card[at]
    if option.place == Place.DECK:
        return p.deck.card[at]
    if option.place == Place.RIVAL_PLAY:
        return game.player[1 - game.active].play[at].card
    return p.play[at].card


@rule(rare=True)
def log_payment(log: LogRecord, i: int, resource: int, amount: int) -> None:
    """Write how much of one resource, or of Health, is paid."""
    to = log.decisions
    if resource == Cost.COIN:
        to.pay_coin[i] = small(amount)
    elif resource == Cost.POWER:
        to.pay_power[i] = small(amount)
    elif resource == Cost.REGENERATION:
        to.pay_regeneration[i] = small(amount)
    elif resource == Cost.HEALTH:
        to.pay_health[i] = small(amount)


@rule(rare=True)
def log_price(log: LogRecord, game: GameRecord, box: BoxRecord, options: OptionsRecord, choice: int, i: int) -> None:
    """Write what is paid with this choice, and where a purchase goes."""
    to = log.decisions
    option = options.at[choice]
    action = option.action
    if action == Action.BUY or action == Action.BUY_ACOLYTE:
        to.pay_coin[i] = small(option.amount)
        to.to[i] = To.DECK if action == Action.BUY and option.other else To.DISCARD
        if action == Action.BUY and box.card[option.card].type == CardType.RELIC:
            to.to[i] = To.RELICS
    elif action == Action.ATTACK or action == Action.HEAL or action == Action.CONVERT:
        log_payment(log, i, option.slot, to.amount[i])
    elif action == Action.MIX:
        to.pay_coin[i] = option.slot
        to.pay_power[i] = option.other
        to.pay_regeneration[i] = small(option.amount)
    elif action == Action.CARD and game.question == Question.BUY_WITH:
        to.to[i] = To.DECK if option.other else To.DISCARD
    elif action == Action.CARD and game.question == Question.TAKE:
        to.to[i] = To.DISCARD
    elif action == Action.YES:
        row = box.effect[game.agenda[game.agenda_n - 1].pc]
        log_payment(log, i, row.a, row.amount)
        if row.a == Cost.SACRIFICE_THIS:
            to.place[i] = Place.PLAY


@rule(rare=True)
def log_cause(log: LogRecord, game: GameRecord, box: BoxRecord, i: int) -> None:
    """The card whose ability asks, and how many cards are looked at for it (G2)."""
    to = log.decisions
    to.cause[i] = -1
    to.cause_instance[i] = -1
    to.looked[i] = 0
    if game.question == Question.NONE or game.question == Question.ACTION or game.question == Question.INFLUENCE:
        return
    frame = game.agenda[game.agenda_n - 1]
    if frame.task != Task.RUN and frame.task != Task.HORDE_ABILITY:
        return
    to.cause[i] = box.kind_of[frame.card] if frame.card >= 0 else game.player[game.active].overlord
    to.cause_instance[i] = frame.card
    if game.question == Question.LOOK:
        to.looked[i] = (frame.count & (SHUFFLED - 1)) - LOOKED


@rule(rare=True)
def log_decision(log: LogRecord, game: GameRecord, box: BoxRecord, options: OptionsRecord, choice: int) -> None:
    """The table as it is, and what is chosen now; -1 at the end of the game."""
    i = log.decisions_n
    if i == DECISION_ROWS or log.decision_cards_n + MOST_CARDS > DECISION_CARDS:
        log.decisions_cut += 1
        return
    log.decisions_n += 1
    to = log.decisions
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
    to.instance[i] = -1
    to.other_instance[i] = -1
    to.place[i] = 0
    to.to[i] = -1
    to.pay_coin[i] = 0
    to.pay_power[i] = 0
    to.pay_regeneration[i] = 0
    to.pay_health[i] = 0
    log_cause(log, game, box, i)
    if choice >= 0:
        option = options.at[choice]
        to.action[i] = option.action
        to.card[i] = option.card
        to.instance[i] = chosen_card(game, box, options, choice)
        to.place[i] = option.place if to.instance[i] >= 0 and option.action != Action.TRIGGER else 0
        if Action.HORDE <= option.action <= Action.HORDE_RIGHT:
            to.other_instance[i] = game.player[game.active].play[option.other].card
            to.other[i] = box.kind_of[to.other_instance[i]]
        amount = option.amount
        if Action.ATTACK <= option.action <= Action.CONVERT and 0 < options.spend < amount:
            amount = options.spend
        to.amount[i] = small(amount)
        log_price(log, game, box, options, choice, i)
    log_numbers(log, game, i)
    list_table(log, game, i)
