"""The two doors from Python into the compiled engine. Each costs a second or two to compile, so there are no more."""

from __future__ import annotations

from terrors.simulator.engine.agenda import advance, answer
from terrors.simulator.engine.decision_log import log_decision
from terrors.simulator.engine.forks import is_fork, sell_again, take_fork, withhold
from terrors.simulator.engine.log import count_offers, count_points, has_room, log_deals, log_denials, log_turn
from terrors.simulator.engine.plans import planned
from terrors.simulator.kernel.jit import (
    U64,
    BoxRecord,
    CompiledStrategy,
    CountArray,
    GameRecord,
    LogRecord,
    OptionsRecord,
    ResultRecords,
    WorkRecord,
    entry,
    rule,
)
from terrors.simulator.kernel.layout import THEN
from terrors.simulator.rules.options import forget_plan
from terrors.simulator.rules.setup import set_up
from terrors.simulator.terms.enums import Fork, Status

BEGIN, APPLY, REFRESH = 0, 1, 2
ANSWER, NEXT = 3, 4  # APPLY in small steps: the chosen option alone, and then one thing after the other until there is a question
PLANNED = 5  # look up the next step of the plan


@entry(fast=False)
def drive(
    game: GameRecord,
    box: BoxRecord,
    options: OptionsRecord,
    what: int,
    choice: int,
    seed: U64,
    first: int,
    second: int,
    first_influences: int,
    second_influences: int,
) -> int:
    """One step for somebody who watches: begin a game, apply a choice (at once, or in small steps), or list the options of the present question again.

    Or look for the option that a plan names (PLANNED): that one is returned, -1 if there is none.
    """
    if what == PLANNED:
        return planned(game, options)
    if what != NEXT:
        game.forced_n = 0
        if what != REFRESH:
            game.deals_n = 0
    options.every = 0
    if what == BEGIN:
        set_up(game, box, seed, first, second, first_influences, second_influences)
    elif what in (APPLY, ANSWER):
        answer(game, box, options, choice)
    forget_plan(options)  # one step means one
    if what != ANSWER:
        options.watched = what == NEXT
        advance(game, box, options)
        options.watched = 0
    return -1


@rule(rare=True)
def begin_game(log: LogRecord, game: GameRecord, box: BoxRecord, options: OptionsRecord, results: ResultRecords, i: int) -> None:
    """The table of a row, up to the first question."""
    row = results[i]
    set_up(game, box, row.seed, row.first, row.second, row.first_influences, row.second_influences)
    log_denials(log, game, box, results, i)
    game.forced_n = 0
    game.revealed = 0
    forget_plan(options)
    options.planned = 0
    options.every = row.told or row.fork
    options.watched = 0
    log.now += 1
    log.game_began = log.now
    advance(game, box, options)


@rule(rare=True)
def end_game(log: LogRecord, counts: CountArray, game: GameRecord, box: BoxRecord, results: ResultRecords, i: int, decisions: int) -> None:
    """Copy the finished game's result into its row."""
    row = results[i]
    row.decisions = decisions
    row.winner = game.winner
    row.end = game.end
    row.status = game.status
    row.limits = game.limits
    row.turns = game.turn
    row.actions = game.total_actions
    row.first_health = game.player[0].health
    row.second_health = game.player[1].health
    row.first_influences = game.player[0].influences
    row.second_influences = game.player[1].influences
    if log.keep_counts:
        count_points(log, counts, game, box, row.cell)


@entry
def play_games(
    results: ResultRecords,
    log: LogRecord,
    counts: CountArray,
    game: GameRecord,
    box: BoxRecord,
    options: OptionsRecord,
    one: CompiledStrategy,
    two: CompiledStrategy,
    one_work: WorkRecord,
    two_work: WorkRecord,
) -> int:
    """Play the games of all rows and fill in what came of them.

    The number of rows done: fewer than given if the log is full, or if a strategy made a mistake, which the row's status names.
    """
    for i in range(results.shape[0]):
        row = results[i]
        if not has_room(log, box):
            return i
        begin_game(log, game, box, options, results, i)
        decisions = 0
        turn = 0
        while game.status == Status.PLAYING:
            turn, active = game.turn, game.active
            choice = planned(game, options) if options.every else -1
            if choice < 0 and options.n > 1:
                decisions += 1
                plan = options.then_n
                if game.asked != active:
                    options.then_n = 0  # what the rival has in mind
                if game.asked == row.swapped:
                    choice = one(game, box, options, one_work, game.asked)
                else:
                    choice = two(game, box, options, two_work, game.asked)
                if game.asked != active:
                    options.then_n = plan
                if choice < 0 or choice >= options.n or options.then_n > THEN:
                    game.status = Status.BAD_ANSWER
                    break
            elif choice < 0:
                choice = 0
            if row.fork and is_fork(game, options, results, i, choice):
                choice = take_fork(game, box, options, results, i, choice)
                if choice < 0:
                    continue  # the question is asked again, without the card
            if row.told:
                log_decision(log, game, box, options, choice)
            answer(game, box, options, choice)
            if row.fork == Fork.LEAVE and row.forked == turn:
                withhold(game, box, row.fork_kind, row.fork_seat)  # a copy that has come into the Street meanwhile is left too
            advance(game, box, options)
            if game.deals_n > 0:
                log_deals(log, counts, game, row.cell, turn, active)
            if turn > 0 and (game.turn != turn or game.status != Status.PLAYING):
                if log.keep_counts:
                    count_offers(log, counts, game, row.cell, active)
                game.gone_n = 0
                if log.keep_turns:
                    log_turn(log, game, turn, active)
                log.now += 1
                if row.fork == Fork.LEAVE and row.forked == turn:
                    sell_again(game, box, row.fork_kind)
        if row.told and game.status == Status.OVER:
            log_decision(log, game, box, options, -1)
        end_game(log, counts, game, box, results, i, decisions + options.planned)
        log.row += 1
        if game.status != Status.OVER:
            return i
    return results.shape[0]
