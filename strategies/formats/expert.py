"""Playing quickly by the learnt value of positions: what `expert` is. Its file is the file of that value (formats/value.py).

It plays its cards as `tuned` does. What it buys is what leads to the best position (kit/buying.py), and so are the Influence cards that it begins with. Asked
for a choice that matters, it tries each answer on a copy of the game on which the hidden cards are dealt anew, plays the turn to its end, and takes what leads
to the best position there, if that is clearly better than what `tuned` would say.
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from terrors.simulator.engine.agenda import advance, answer
from terrors.simulator.kernel.jit import BoxRecord, GameRecord, OptionsRecord, WorkRecord, rule
from terrors.simulator.kernel.records import record
from terrors.simulator.kernel.rng import mix, stream
from terrors.simulator.kernel.vectors import add_row
from terrors.simulator.kernel.work_layout import LINES, WORK
from terrors.simulator.terms.enums import Purpose, Question
from terrors.strategies.formats.lookahead import base_answer, deal_anew, play_on
from terrors.strategies.formats.numbers import fill, read_numbers
from terrors.strategies.formats.registry import HELPERS, Strategy
from terrors.strategies.formats.value import BASE, fill_value, read_value
from terrors.strategies.kit.buying import BY_POSITION, give_back, take
from terrors.strategies.kit.notes import note_position, on_a_whim
from terrors.strategies.kit.prospects import HAND, add_round, chance_to_win, look_at_side, look_at_street, odds

DOUBT = 0.01  # an answer replaces tuned's when it is better by this chance to win
SLOW = False


@rule
def look_at_beginning(game: GameRecord, box: BoxRecord, work: WorkRecord) -> None:
    """Add up the table as it will be when the game begins, but for Influence cards that are still to be chosen: no deck is dealt before that (S3, S4)."""
    for who in range(2):
        p = game.player[who]
        look_at_side(game, box, work, who, p.health, int(HAND), int(box.starters_n[who]) + int(box.rules.influences) - int(HAND))
        for i in range(box.starters_n[who]):
            add_round(box, work, who, p.faction, box.kind_of[box.starter[who][i]])
    look_at_street(game, work)
    for _ in range(box.rules.street_size):
        add_row(work.value.street, 0, work.value.fresh, 0)


@rule
def choose_influence(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """S3: return the Influence card with which the game begins best, together with the best one that is taken after it, if another may be."""
    more = game.player[me].deck.n + 1 < box.rules.influences and options.n > 1
    sign = 1.0 if me == 0 else -1.0  # the first player moves first
    best, most = 0, -1e9
    look_at_beginning(game, box, work)
    for i in range(options.n):
        take(box, work, me, options.at[i].card)
        for j in range(options.n if more else 1):
            if more and j == i:
                continue
            if more:
                take(box, work, me, options.at[j].card)
            worth = sign * odds(work, 0, 1)
            if more:
                give_back(box, work, me, options.at[j].card)
            if worth > most:
                best, most = i, worth
        give_back(box, work, me, options.at[i].card)
    return best


@rule
def worth_trying(question: int) -> bool:
    """Whether a question is one whose answers are tried out: those that gained most for the time that they took."""
    if question == Question.CHOOSE or question == Question.COST or question == Question.COMMAND:
        return True
    return question == Question.BUY_WITH or question == Question.TAKE


@rule
def try_answers(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int, usual: int) -> int:
    """Return the answer that leads to the best position at the end of the turn; the usual one if none is clearly better."""
    luck = mix(stream(game.chance_seed, Purpose.REDEAL, me, game.total_actions) + np.uint64(64 * game.turn + game.question))
    work.deal = game
    deal_anew(work.deal, box, work.options, me, luck)
    buys = work.value.buys
    work.value.buys = 0  # turns are played on quickly
    best, most = usual, -1.0
    for n in range(options.n + 1):
        i = usual if n == 0 else n - 1
        if n > 0 and i == usual:
            continue
        work.game = work.deal
        work.options.then_n = 0
        answer(work.game, box, options, i)
        advance(work.game, box, work.options)
        play_on(work.game, box, work.options, work, me, 0, game.turn)
        worth = chance_to_win(work.game, box, work, me)
        if worth > most:
            best, most = i, worth + (DOUBT if n == 0 else 0.0)
    work.value.buys = buys
    return best


@rule
def answer_quickly(game: GameRecord, box: BoxRecord, options: OptionsRecord, work: WorkRecord, me: int) -> int:
    """Return the answer to any question."""
    if game.setup:
        return choose_influence(game, box, options, work, me)
    usual = base_answer(game, box, options, work, me)
    if worth_trying(game.question) and options.n <= LINES:
        return try_answers(game, box, options, work, me, usual)
    return usual


def think_quickly(game, box, options, work, me):
    """Return the answer to any question; who is to learn from it may have it noted."""
    if not work.notes.on:
        return answer_quickly(game, box, options, work, me)
    note_position(game, box, work)
    return on_a_whim(game, options, work, me, answer_quickly(game, box, options, work, me))


quick = Strategy(think_quickly, engine=True, helpers=(*HELPERS, "kit/notes", "formats/numbers", "formats/lookahead"))


class Expert(Strategy):
    """A quick player by a file of the value of positions."""

    def __init__(self, path: Path) -> None:
        """Read the file; StrategyError says what is wrong with it."""
        self.value = read_value(path)
        self.function, self.path, self.name, self.words = quick.function, path, path.stem, self.value.plan

    @cached_property
    def sha256(self) -> str:
        """The hash of the file and of everything that plays by it."""
        return hashlib.sha256(self.path.read_bytes() + BASE.read_bytes() + quick.sha256.encode()).hexdigest()

    @property
    def compiled(self) -> Any:
        """The one function that plays quickly by values."""
        return quick.compiled

    def work(self, box: Any) -> Any:
        """Return a work area with the opinions of tuned and what the value makes of the cards of this box."""
        area = record(WORK)
        fill(read_numbers(BASE)["overlords"], box.record, area)
        fill_value(self.value.weights, box.record, area)
        area.value.buys = BY_POSITION
        return area
