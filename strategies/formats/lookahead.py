"""Looking ahead: what planner and sage have in common. One compiled function; what tells the two apart are numbers (work_layout.LOOKAHEAD, thinker.py).

Asked anything, it makes a list of *lines*: first what it would do without thinking (the *base*: `tuned`, strategies/formats/numbers.py), then each other option
that is not plainly useless, carried on by the base; and then some *variants*: ways of playing that differ from the base here and there, each in its own way,
all through the turn. Then it deals: what it cannot see (G7) is dealt anew from its own luck, and each line is played out on that same deal, to the end of the
turn and some turns further, with the base on both sides. The position reached has a value: the chance to win, from Health, from how good the two decks are, and
from what lies in play. After some deals the worse half of the lines is dropped, and the others are dealt twice as many, and so on. At the end the base's line
is left only for one that was better by more than luck explains.

Nothing that is hidden has a say: hidden cards are ordered by a hash of their names and of the strategy's own luck, so it does not matter how they lay before.
"""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np

from terrors.simulator.engine.agenda import advance, answer
from terrors.simulator.kernel.jit import U64, BoxRecord, GameRecord, OptionsRecord, PileRecord, PlayerRecord, WorkRecord, rule
from terrors.simulator.kernel.rng import mix, order_by_luck, stream
from terrors.simulator.kernel.work_layout import LINES
from terrors.simulator.rules.resources import TOKEN
from terrors.simulator.terms.enums import Action, CardType, Purpose, Question, Status
from terrors.strategies.formats.numbers import think_as
from terrors.strategies.formats.registry import HELPERS, Strategy
from terrors.strategies.kit.buying import price_cards
from terrors.strategies.kit.notes import note_position, on_a_whim
from terrors.strategies.kit.prospects import chance_to_win
from terrors.strategies.kit.turn import kills, option_of, play_well

STOP = -1  # the variant that does nothing more but attack
SLOW = True  # whoever plays many games plays fewer with these
WHOLE = 40.0  # the Health at which a game is all early


# What is hidden, dealt anew


@rule
def deal_own_deck(box: BoxRecord, options: OptionsRecord, p: PlayerRecord, luck: U64) -> None:
    """Deal the own deck anew, below what is known of it."""
    hidden = p.deck.n - p.known
    for i in range(hidden):
        options.scratch[i] = p.deck.card[i]
    order_by_luck(box, options, hidden, luck)
    for i in range(hidden):
        p.deck.card[i] = np.int64(options.scratch[i])


@rule
def deal_rival(box: BoxRecord, options: OptionsRecord, p: PlayerRecord, luck: U64) -> None:
    """Deal the rival's hand and deck anew: together they are known, apart they are not."""
    held = p.hand.n
    n = held + p.deck.n
    for i in range(held):
        options.scratch[i] = p.hand.card[i]
    for i in range(p.deck.n):
        options.scratch[held + i] = p.deck.card[i]
    order_by_luck(box, options, n, luck)
    for i in range(held):
        p.hand.card[i] = np.int64(options.scratch[i])
    for i in range(p.deck.n):
        p.deck.card[i] = np.int64(options.scratch[held + i])
    p.known = 0


@rule
def deal_anew(game: GameRecord, box: BoxRecord, options: OptionsRecord, me: int, luck: U64) -> None:
    """G7: deal everything anew that `me` cannot see, and all luck to come."""
    deal_own_deck(box, options, game.player[me], mix(luck + np.uint64(1)))
    deal_rival(box, options, game.player[1 - me], mix(luck + np.uint64(2)))
    for i in range(game.market.n):
        options.scratch[i] = game.market.card[i]
    order_by_luck(box, options, game.market.n, mix(luck + np.uint64(3)))
    for i in range(game.market.n):
        game.market.card[i] = np.int64(options.scratch[i])
    for i in range(game.acolytes.n):
        options.scratch[i] = game.acolytes.card[i]
    order_by_luck(box, options, game.acolytes.n, mix(luck + np.uint64(4)))
    for i in range(game.acolytes.n):
        game.acolytes.card[i] = np.int64(options.scratch[i])
    game.seed = mix(luck + np.uint64(5))


# What a position is worth


@rule
def pile_points(box: BoxRecord, work: WorkRecord, pile: PileRecord, early: float) -> float:
    """Return the points of the cards in a pile, when so much of the game is early."""
    total = 0.0
    for i in range(pile.n):
        of = work.of[box.kind_of[pile.card[i]]]
        total += early * of.deck_early + (1.0 - early) * of.deck_late
    return total


@rule
def side_worth(game: GameRecord, box: BoxRecord, work: WorkRecord, who: int, early: float) -> float:
    """Return the points of one side: Health, the average card of the deck, relics, and what is on the table and in hand."""
    p = game.player[who]
    each = work.lookahead
    points = pile_points(box, work, p.hand, early) + pile_points(box, work, p.deck, early) + pile_points(box, work, p.discard, early)
    n = p.hand.n + p.deck.n + p.discard.n
    worth = each.health * p.health + each.log_health * log(p.health + 3.0) + each.armor * p.armor + each.hand * p.hand.n
    for s in range(p.slots):
        if p.play[s].card < 0:
            continue
        kind = box.kind_of[p.play[s].card]
        gain = early * work.of[kind].deck_early + (1.0 - early) * work.of[kind].deck_late
        if box.card[kind].type == CardType.RELIC:
            worth += each.relic * gain
        else:
            points += gain
            n += 1
            if p.play[s].marks & TOKEN:
                worth += each.staying * gain
    return worth + each.deck * 5.0 * points / max(n, 1)


@rule
def value(game: GameRecord, box: BoxRecord, work: WorkRecord, me: int) -> float:
    """Return the chance to win, from 0 to 1; a win that is here is worth a little more the sooner it came."""
    if work.lookahead.learnt:
        return chance_to_win(game, box, work, me)
    if game.status != Status.PLAYING:
        if game.winner == me:
            return 1.0 + 0.0001 * max(0, 100 - game.turn)
        return 0.0 if game.winner == 1 - me else 0.5
    early = min(1.0, min(game.player[0].health, game.player[1].health) / WHOLE)
    odds = side_worth(game, box, work, me, early) - side_worth(game, box, work, 1 - me, early)
    odds += work.lookahead.to_move if game.active == me else -work.lookahead.to_move
    return 1.0 / (1.0 + exp(-odds))


# Lines of play


@rule
def base_answer(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, who: int) -> int:
    """Return the answer without looking ahead: a turn played well, by the numbers of the overlord of whoever is asked."""
    think_as(box, work, game.player[who].overlord)
    return play_well(game, box, options, work, who)


@rule
def whim(variant: int, action: int, card: int, place: int) -> float:
    """Return a number from 0 to 1, always the same for the same variant and the same thing to do."""
    z = mix(np.uint64(variant) * np.uint64(1_000_003) + np.uint64(action + 1))
    z = mix(z + np.uint64(card + 2) * np.uint64(131) + np.uint64(place))
    return (z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@rule
def useless(game: GameRecord, options: OptionsRecord, i: int) -> bool:
    """Whether an option need not be tried: healing comes by itself at the end (G5), attacking early gains nothing, nor does passing with Power left."""
    if game.question != Question.ACTION:
        return False
    action = options.at[i].action
    return action == Action.HEAL or (action == Action.ATTACK and options.others_from > 0) or (action == Action.PASS and game.player[game.active].power > 0)


@rule
def varied_answer(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int, variant: int) -> int:
    """Return the base's answer, or now and then, as the variant has it, another one."""
    if variant == STOP and game.question == Question.ACTION and game.player[me].hand.n <= 1:
        attack = option_of(options, Action.ATTACK)
        return attack if attack >= 0 else option_of(options, Action.PASS)
    choice = base_answer(game, box, options, work, me)
    if variant <= 0:
        return choice
    options.then_n = 0  # one step at a time: the next play may be another one too
    option = options.at[choice]
    if whim(variant, option.action, option.card, 17 + game.question) >= work.lookahead.deviation:
        return choice
    options.spend = 0
    most = -1.0
    for i in range(options.n):
        option = options.at[i]
        if useless(game, options, i) or option.action == Action.CONVERT:
            continue
        liking = whim(variant, option.action, option.card, option.place + option.other)
        if liking > most:
            choice, most = i, liking
    return choice


@rule
def play_on(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int, variant: int, last_turn: int) -> None:
    """Play on to the end of that turn; the rest of one's own present turn as the variant has it, all else as the base does."""
    turn = game.turn
    while game.status == Status.PLAYING and game.turn <= last_turn:
        choice = 0
        if options.n > 1:
            if game.turn == turn and game.asked == me:
                choice = varied_answer(game, box, options, work, me, variant)
            else:
                choice = base_answer(game, box, options, work, game.asked)
        answer(game, box, options, choice)
        advance(game, box, options)


@rule
def add_line(work: WorkRecord, option: int, spend: int, variant: int) -> None:
    """Add one more line to try, if there is room."""
    if work.lines_n < LINES:
        line = work.line[work.lines_n]
        work.lines_n += 1
        line.option = option
        line.spend = spend
        line.variant = variant
        line.alive = 1
        line.tries = 0
        line.gain = 0.0
        line.square = 0.0


@rule
def list_lines(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> None:
    """List the base's line first, then each other option, then the variants."""
    work.lines_n = 0
    usual = base_answer(game, box, options, work, me)
    add_line(work, usual, options.spend, 0)
    for i in range(options.n):
        if i != usual and not useless(game, options, i):
            add_line(work, i, 0, 0)
    if game.question == Question.ACTION and game.player[me].hand.n <= 1 and game.player[me].power > 0 and usual < options.others_from:
        add_line(work, option_of(options, Action.ATTACK), 0, STOP)
    if work.lines_n > 1 and not game.setup:
        luck = stream(game.chance_seed, Purpose.REDEAL, me, game.turn)  # the same variants all through a turn, so that a good one is found again
        for v in range(work.lookahead.variants):
            variant = int(mix(luck + np.uint64(v)) >> np.uint64(34)) + 1
            options.spend = 0
            choice = varied_answer(game, box, options, work, me, variant)
            add_line(work, choice, options.spend, variant)
    options.spend = 0
    options.then_n = 0


@rule
def try_lines(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int, luck: U64, last_turn: int) -> None:
    """Play all lines that are alive out on one deal, and note the results."""
    work.deal = game
    deal_anew(work.deal, box, work.options, me, luck)
    usual = 0.0
    for i in range(work.lines_n):
        line = work.line[i]
        if not line.alive:
            continue
        work.game = work.deal
        work.options.then_n = 0
        options.spend = line.spend
        answer(work.game, box, options, line.option)
        advance(work.game, box, work.options)
        play_on(work.game, box, work.options, work, me, line.variant, last_turn)
        worth = value(work.game, box, work, me)
        if i == 0:
            usual = worth
        line.tries += 1
        line.gain += worth - usual
        line.square += (worth - usual) * (worth - usual)


@rule
def count_alive(work: WorkRecord) -> int:
    """Return how many lines are alive."""
    alive = 0
    for i in range(work.lines_n):
        alive += work.line[i].alive
    return alive


@rule
def drop_worse_half(work: WorkRecord) -> None:
    """Keep the better half of the lines that are alive, and the base's in any case: the others are compared with it."""
    alive = count_alive(work)
    drop = (alive - 1 if work.lookahead.learnt else alive) // 2  # the last other line stays; it went before, so that of two lines the base's won
    for _ in range(drop):
        worst, least = -1, 1e9
        for i in range(1, work.lines_n):
            if work.line[i].alive and work.line[i].gain < least:
                worst, least = i, work.line[i].gain
        if worst >= 0:
            work.line[worst].alive = 0


@rule
def drop_idle(work: WorkRecord) -> None:
    """Drop the lines that led to what the base's led to on every deal: another order of plays that changes nothing is not worth more deals."""
    for i in range(1, work.lines_n):
        if work.line[i].square == 0.0:
            work.line[i].alive = 0


@rule
def drop_behind(work: WorkRecord) -> None:
    """Drop the lines that are behind the base's: they would have to make up for that first."""
    for i in range(1, work.lines_n):
        if work.line[i].gain < 0.0:
            work.line[i].alive = 0


@rule
def best_line(work: WorkRecord) -> int:
    """Return the line that gained most over the base's, if that is more than luck explains; else the base's."""
    best, most = 0, 1e-9
    for i in range(1, work.lines_n):
        line = work.line[i]
        if line.alive and line.tries > 0:
            gain = line.gain / line.tries
            spread = sqrt(max(0.0, line.square / line.tries - gain * gain) / line.tries)
            if gain - work.lookahead.doubt * spread > most:
                best, most = i, gain - work.lookahead.doubt * spread
    return best


@rule
def try_out(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return the answer to any question, by trying out."""
    if game.question == Question.ACTION and kills(game, me, game.player[me].power):
        return option_of(options, Action.ATTACK)
    if work.value.buys:
        price_cards(game, box, work)  # first of all: the base buys by these prices, and those of the last question are of another table
    list_lines(game, box, options, work, me)
    options.spend = work.line[0].spend
    if work.lines_n == 1:
        return work.line[0].option
    numbers = work.lookahead
    last_turn = game.turn + numbers.turns + (1 if game.active != me else 0)
    deals = numbers.deals
    if game.setup:
        last_turn = numbers.setup_turns
        deals = numbers.setup_deals
    luck = mix(stream(game.chance_seed, Purpose.REDEAL, me, game.total_actions) + np.uint64(64 * game.turn + game.question))
    tried = 0
    for r in range(numbers.rounds):
        if r > 0:
            if numbers.learnt:  # whoever measures by what was before measures by all of it
                drop_idle(work)
                drop_worse_half(work)
                drop_behind(work)
            else:
                drop_worse_half(work)
            deals *= 2
        for _ in range(deals):
            if count_alive(work) == 1:
                break
            tried += 1
            try_lines(game, box, options, work, me, mix(luck + np.uint64(tried << 8)), last_turn)
            if tried == 1 and numbers.learnt:
                drop_idle(work)
    best = best_line(work)
    options.spend = work.line[best].spend
    if best == 0 and numbers.commit and numbers.learnt:
        return base_answer(game, box, options, work, me)  # the same answer, with the plays that follow
    return work.line[best].option


def look_ahead(game, box, options, work, me):
    """Return the answer to any question; who is to learn from it may have it noted."""
    if not work.notes.on:
        return try_out(game, box, options, work, me)
    note_position(game, box, work)
    return on_a_whim(game, options, work, me, try_out(game, box, options, work, me))


looker = Strategy(
    look_ahead, engine=True, helpers=(*HELPERS, "kit/notes", "formats/numbers")
)  # of no plan of its own: the function that all of them share, and its cache
