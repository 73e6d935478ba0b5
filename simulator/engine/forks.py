"""Forks: the same game played on from one decision in two ways, to see what a purchase is worth there.

Luck is keyed, so a game need not be copied: both branches play it from the beginning, and are the same up to the fork. A row of a batch says which card, for
which seat and from which turn on. The fork is the first decision from there on at which that player buys something, or passes, while the card can be bought:
in one branch it is bought, in the other it cannot be bought in the rest of that turn, and the strategy takes what it likes next best.
"""

from __future__ import annotations

from terrors.simulator.kernel.jit import BoxRecord, GameRecord, OptionsRecord, ResultRecords, rule
from terrors.simulator.rules.legal import list_actions
from terrors.simulator.rules.market import denied_to
from terrors.simulator.rules.options import forget_plan
from terrors.simulator.terms.enums import Action, Fork, Question


@rule(rare=True)
def purchase_of(options: OptionsRecord, kind: int) -> int:
    """Return the option that buys a kind of card, on top of the deck where that is allowed (B3: that one comes later); -1 if there is none."""
    found = -1
    for i in range(options.buys_from, options.others_from):
        if options.at[i].action == Action.BUY and options.at[i].card == kind:
            found = i
    return found


@rule(rare=True)
def is_fork(game: GameRecord, options: OptionsRecord, results: ResultRecords, i: int, choice: int) -> bool:
    """Whether the game forks here: the strategy buys, or ends its turn, and could buy the card."""
    row = results[i]
    if row.forked or game.question != Question.ACTION or game.active != row.fork_seat or game.turn < row.fork_from:
        return False
    buys = options.buys_from <= choice < options.others_from
    return (buys or options.at[choice].action == Action.PASS) and purchase_of(options, row.fork_kind) >= 0


@rule(rare=True)
def take_fork(game: GameRecord, box: BoxRecord, options: OptionsRecord, results: ResultRecords, i: int, choice: int) -> int:
    """Note where the game forked and what the strategy would have done; return the purchase, or -1 if it must choose again without the card."""
    row = results[i]
    row.forked = game.turn
    row.fork_wanted = options.at[choice].action == Action.BUY and options.at[choice].card == row.fork_kind
    if row.fork == Fork.BUY and row.fork_wanted:
        return choice
    forget_plan(options)  # what the strategy had in mind for its own choice
    options.spend = 0
    if row.fork == Fork.BUY:
        return purchase_of(options, row.fork_kind)
    withhold(game, box, row.fork_kind, row.fork_seat)
    list_actions(game, box, options)
    return -1


@rule(rare=True)
def withhold(game: GameRecord, box: BoxRecord, kind: int, seat: int) -> None:
    """Keep the card from being sold to that player, for now."""
    for at in range(game.street_n):
        if game.street[at].kind == kind:
            game.street[at].denied |= 1 << seat


@rule(rare=True)
def sell_again(game: GameRecord, box: BoxRecord, kind: int) -> None:
    """Let the card be sold again: the turn of the fork is over."""
    for at in range(game.street_n):
        if game.street[at].kind == kind:
            game.street[at].denied = denied_to(game, box, kind)
