"""What a strategy would do at a person's table, and why: each option is played on many times with what the person cannot see dealt anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from terrors.simulator.story.transcript import Driver, answer_text
from terrors.simulator.terms.text import listed
from terrors.strategies.checks.contract import redeal

if TYPE_CHECKING:
    from terrors.simulator.play.game import Game
    from terrors.simulator.story.transcript import Chooser

DEALS = 24  # on which every option is played on: about a second
MOST_OPTIONS = 8  # that are compared: the strategy's own choice, and others
SHOWN = 3


def hint(game: Game, seat: int, name: str, pilot: Chooser) -> str:
    """Return in words what a strategy would do now, and how its choice and the next best did when they were played on."""
    index, spend = Driver([pilot, pilot]).answer(game.copy())
    chosen = answer_text(game, index, spend)
    if game.options.n == 1:
        return f"There is only one thing to do: {chosen}."
    options = {chosen: (index, spend)}
    for other in range(int(game.options.n)):
        if len(options) < MOST_OPTIONS:
            options.setdefault(answer_text(game, other), (other, 0))
    wins = dict.fromkeys(options, 0.0)
    for deal in range(DEALS):
        for text, answer in options.items():
            wins[text] += _played_on(game, seat, answer, deal, pilot)
    best = sorted((text for text in options if text != chosen), key=lambda text: -wins[text])[: SHOWN - 1]
    told = listed([f"`{text}` {wins[text]:g}" for text in best])
    return (
        f"{name} would `{chosen}`. Played on from here {DEALS} times by {name} on both sides, with what you cannot see dealt anew, "
        f"you win {wins[chosen]:g} of them; after {told}."
    )


def _played_on(game: Game, seat: int, answer: tuple[int, int], deal: int, pilot: Chooser) -> float:
    """Return what comes of a choice on one deal of what is hidden: 1 for a win, half of one for a draw. The same deal is dealt for every choice."""
    copy = game.copy()
    redeal(copy.box, copy.record, seat, np.random.default_rng(deal))
    copy.apply_index(*answer)
    driver = Driver([pilot, pilot])
    while not copy.over:
        copy.apply_index(*driver.answer(copy))
    return 0.5 if copy.winner == "draw" else float(copy.record.winner == seat)
