"""The value that planner thinks by, learnt from the positions that the search itself reaches: `terrors train --foresight`.

It begins with the value of `expert`, which comes from games of quick players. Whoever looks ahead by that value plays some thousand games with itself, half of
them with the set at hand and half with edits of it, and the value goes on learning from those. They are few, since each takes as long as some hundred quick
ones; so the target of a position is not the result alone, which is mostly luck, but a tenth of what the value says of the position after it, and so on to
the end of the game (temporal differences, decay 0.9).

What was played is kept beside the file that is made: the same command goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from terrors.analysis.players.positions import NotingPilot, Positions
from terrors.analysis.players.training import check_place
from terrors.analysis.players.value_net import SetOfCards, chances, forward, inputs_of
from terrors.analysis.players.value_training import Data, Players, Show, ValueSettings, boxes_of, fit, play_round
from terrors.simulator.play.box import Box
from terrors.simulator.runs.storage import write_whole
from terrors.strategies.formats.thinker import Thinker
from terrors.strategies.formats.value import FILE, LearntValue, Weights, content_of, read_value

PLAN = """Plays as expert does, by the value that planner thinks by: learnt from games of planner.

Nobody plays quickly by it; it is for positions that are reached by looking ahead."""
GAMES, EPOCHS, BATCH, RATE = 15_360, 3, 1024, 0.0005
DECAY = 0.9
WHIM = 0.02
MATCH = 480  # games to measure the gain by
NUMBERS = {"deals": 3, "rounds": 3, "turns": 2, "variants": 4, "setup_deals": 4}  # of those who play: quick ones, and half of the Influence cards are random


def foresight_settings(box: Box, **unusual: int) -> ValueSettings:
    """Return the settings of such a training with this set, going on from the value that ships."""
    usual = {"games": GAMES, "rounds": 1, "epochs": EPOCHS, "batch": BATCH}
    return ValueSettings(box.cards.sha256, hashlib.sha256(FILE.read_bytes()).hexdigest(), box.rules.changed(), rate=RATE, **(usual | unusual))


def thinker_by(value: Path) -> Thinker:
    """Return a player that looks ahead by the value of a file."""
    return Thinker(__name__, value=value, **NUMBERS)


def blended(positions: Positions, cards: SetOfCards, weights: Weights) -> Positions:
    """Return the positions with targets between their results and what a value says of the positions after them."""
    parts = [positions.some(slice(at, at + BATCH)) for at in range(0, len(positions), BATCH)]
    chance = np.concatenate([chances(forward(weights, inputs_of(part, cards), cards.described)[0]) for part in parts])
    target = positions.won.astype(float)
    follows = (positions.game[1:] == positions.game[:-1]).tolist()
    turned = ((positions.turn[1:] - positions.turn[:-1]) % 2 == 1).tolist()  # the other side is to move
    for at in range(len(positions) - 2, -1, -1):
        if follows[at]:
            later = (1 - DECAY) * chance[at + 1] + DECAY * target[at + 1]
            target[at] = 1 - later if turned[at] else later
    found = positions.some(slice(None))
    found.won = target.astype(np.float32)
    return found


def train_foresight(
    box: Box, out: Path, settings: ValueSettings, jobs: int = 1, show: Show = lambda progress: None, stopped: Callable[[], bool] = lambda: False
) -> LearntValue:
    """Learn from games of those who look ahead, write the file and return its content. KeyboardInterrupt if it was stopped, with what was played kept."""
    place = out.with_name(f"{out.stem}.training")
    check_place(place, settings)
    thinker = thinker_by(FILE)
    thinker.compiled  # noqa: B018  now, and not in every thread
    weights = read_value(FILE).weights

    def players(at: Box, turn: int) -> Players:
        return NotingPilot(thinker, at, WHIM), NotingPilot(thinker, at, WHIM)

    played: Data = play_round(boxes_of(box, settings.sets), players, settings, 1, place, jobs, show, stopped)
    with threadpool_limits(1, "blas"):  # sums in one order: the same numbers however many cores there are
        data = [(cards, blended(positions, cards, weights)) for cards, positions in played]
        weights, loss = fit(weights, data, settings, settings.rate, settings.seed, show, stopped)
    about = json.loads(json.dumps(asdict(settings))) | {"loss": round(loss, 4), "positions": sum(len(positions) for _, positions in played)}
    value = LearntValue(PLAN, weights, about | {"went on from": FILE.stem})
    write_whole(out, content_of(value))
    return value
