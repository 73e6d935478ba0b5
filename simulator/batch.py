"""The two doors from Python into the compiled engine. Each costs a second or two to compile, so there are no more."""

from __future__ import annotations

from simulator.engine import advance, answer
from simulator.enums import FIRST, SECOND, Status
from simulator.jit import Box, Game, Options, Results, Strategy, Word, Work, entry
from simulator.setup import set_up

BEGIN, APPLY, REFRESH = 0, 1, 2


@entry
def drive(
    game: Game, box: Box, options: Options, what: int, choice: int, seed: Word, first: int, second: int, first_influences: int, second_influences: int
) -> None:
    """One step for somebody who watches: begin a game, apply a choice, or list the options of the present question again."""
    game.forced_n = 0
    options.then_n = 0  # one step means one
    if what == BEGIN:
        set_up(game, box, seed, first, second, first_influences, second_influences)
    elif what == APPLY:
        answer(game, box, options, choice)
    advance(game, box, options)


@entry
def play_games(results: Results, game: Game, box: Box, options: Options, first: Strategy, second: Strategy, first_work: Work, second_work: Work) -> int:
    """Play the games of all rows and fill in what came of them. The number of rows done: fewer than given if a strategy made a mistake, which the row names."""
    for i in range(results.shape[0]):
        row = results[i]
        set_up(game, box, row.seed, row.first, row.second, row.first_influences, row.second_influences)
        decisions = 0
        options.then_n = 0
        advance(game, box, options)
        while game.status == Status.PLAYING:
            choice = 0
            if options.n > 1:
                decisions += 1
                if game.asked == FIRST:
                    choice = first(game, box, options, first_work, FIRST)
                else:
                    choice = second(game, box, options, second_work, SECOND)
                if choice < 0 or choice >= options.n:
                    game.status = Status.BAD_ANSWER
                    break
            answer(game, box, options, choice)
            advance(game, box, options)
        row.decisions = decisions
        row.winner = game.winner
        row.end = game.end
        row.status = game.status
        row.limits = game.limits
        row.turns = game.turn
        row.actions = game.total_actions
        row.first_health = game.player[0].health
        row.second_health = game.player[1].health
        if game.status != Status.OVER:
            return i
    return results.shape[0]
