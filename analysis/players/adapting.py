"""Pilots that learn an edit: going on from the value that ships with the set at hand, in about a minute, and how much stronger that made them.

The value knows abilities, so most edits need nothing. `adapt` plays some thousand games of the pilot with itself on the new set, learns from them, twice
over, and then lets the new pilot meet the old one on fresh luck; what it gained is written into its file, so that whoever judges by it can say so
(gained.py). `adapted_panel` does that for all of a panel who play by a value. `fits` is the quick test: whether the value foretells the results of games
with this set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import log
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from terrors.analysis.players.gained import GAINED
from terrors.analysis.players.head_to_head import match_ups, play_against
from terrors.analysis.players.ladder import groups_of
from terrors.analysis.players.positions import NotingPilot, Positions, note_games
from terrors.analysis.players.value_net import SetOfCards, chances, forward, inputs_of
from terrors.analysis.players.value_training import PLAN, Show, ValueProgress, ValueSettings, fit
from terrors.simulator.kernel.rng import key_of
from terrors.simulator.play.box import Box
from terrors.simulator.play.match import Ready
from terrors.simulator.runs.stopping import Z_95
from terrors.simulator.runs.storage import write_whole
from terrors.strategies import Strategy, find
from terrors.strategies.formats.expert import Expert
from terrors.strategies.formats.value import FILE, LearntValue, content_of

GAMES = 20_000  # of each of two rounds
ROUNDS = 2
RATE = 0.003  # four times that of training: with less, half of what a planted combination is worth was missed in so few games
WHIM = 0.02
MATCH = 4_000  # games to measure the gain by
# Points by which chances may be off. Ours and eleven edits of it, twice each: 0.5 to 1.9. Sets with a planted combination, by learning which the pilot gained
# 35 to 56 Elo points: 1.6 to 5.4, six of eight times above.
LIMIT = 2.0
ELO = 400 / log(10)


@dataclass(frozen=True)
class Gain:
    """The lead of a pilot over another, in Elo points, with its 95 % interval."""

    elo: float
    half_width: float
    games: int

    @property
    def clear(self) -> bool:
        """Whether it is stronger beyond luck."""
        return self.elo > self.half_width


def gain_of(box: Box, new: Strategy, old: Strategy, games: int, seed: int) -> Gain:
    """Return how much stronger one pilot is than another; a group of four games with the same luck is one observation."""
    shares = groups_of(play_against(box, Ready(new, box), Ready(old, box), games, seed))
    mean = float(np.clip(shares.mean(), 0.01, 0.99))
    error = float(shares.std(ddof=1)) / len(shares) ** 0.5
    return Gain(ELO * log(mean / (1 - mean)), Z_95 * ELO * error / (mean * (1 - mean)), 4 * len(shares))


def own_games(box: Box, pilot: Expert, games: int, seed: int, whim: float = WHIM) -> Positions:
    """Return the positions of a pilot's games with itself."""
    return note_games(box, NotingPilot(pilot, box, whim), NotingPilot(pilot, box, whim), games, seed)


def adapt(
    box: Box, out: Path, seed: int = 1, start: Path = FILE, games: int = GAMES, match: int = MATCH, show: Show = lambda progress: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Gain:  # fmt: skip
    """Learn the set at hand, beginning with the value of a file; write the result and return how much stronger it is than what it began with, on this set."""
    old = Expert(start)
    settings = ValueSettings(box.cards.sha256, "", box.rules.changed(), seed=seed, games=games, sets=0, rounds=ROUNDS, epochs=2, batch=2048, rate=RATE)
    cards, parts, pilot = SetOfCards(box), [], old
    about = {"adapted from": start.stem, "began as": old.sha256, "cards": box.cards.sha256, "rules": box.rules.changed(), "seed": seed, "games": games}
    for round_ in range(ROUNDS):
        show(ValueProgress("playing", round_ + 1, ROUNDS))
        parts.append((cards, own_games(box, pilot, games, key_of(f"adapting {seed}", round_) >> 1)))
        with threadpool_limits(1, "blas"):
            weights, _ = fit(old.value.weights, parts, settings, RATE, seed + round_, show, stopped)
        write_whole(out, content_of(LearntValue(PLAN, weights, about)))
        pilot = Expert(out)
    show(ValueProgress("measuring", 1, 1))
    gain = gain_of(box, pilot, old, max(match, 4 * len(match_ups(box))), key_of(f"adapted {seed}", 0) >> 1)
    write_whole(out, content_of(LearntValue(PLAN, weights, about | {GAINED: asdict(gain)})))
    return gain


def adapted_panel(box: Box, names: Sequence[str], place: Path, show: Show = lambda progress: None, stopped: Callable[[], bool] = lambda: False) -> list[str]:
    """Return the pilots of a panel, each that plays by a value replaced by what it learnt of this set (a file in `place`) if that made it clearly stronger.

    What was learnt before is not learnt again.
    """
    found = []
    for name in names:
        pilot = find(name)
        if not isinstance(pilot, Expert):
            found.append(name)
            continue
        file = place / f"{pilot.name}_adapted.json"
        known = Expert(file).value.training if file.exists() else {}
        if GAINED in known and known.get("began as") == pilot.sha256 and known.get("cards") == box.cards.sha256 and known.get("rules") == box.rules.changed():
            gain = Gain(**known[GAINED])
        else:
            place.mkdir(parents=True, exist_ok=True)
            gain = adapt(box, file, start=pilot.path, show=show, stopped=stopped)
        found.append(str(file) if gain.clear else name)
    return found


@dataclass(frozen=True)
class Familiarity:
    """The errors of a value about the results of a set."""

    bias: float  # how far its chances are off, on average over positions that it holds for about as likely, in points
    positions: int
    limit: float  # off by more than this: the set is news to it

    @property
    def needs_adapting(self) -> bool:
        """Whether the pilots should learn this set before they judge it."""
        return self.bias > self.limit


def is_news(box: Box, names: Sequence[str]) -> bool:
    """Return whether a set is news to the pilots of a panel, by the quick test with the first of them who plays by a value; what it was trained on is none."""
    for pilot in map(find, names):
        if isinstance(pilot, Expert):
            known = pilot.value.training.get("cards") == box.cards.sha256 and pilot.value.training.get("rules") == box.rules.changed()
            return not known and fits(box, pilot.path).needs_adapting
    return False


def fits(box: Box, start: Path = FILE, games: int = 960, seed: int = 1, limit: float = LIMIT) -> Familiarity:
    """Return how well a value foretells the results of its own games on a set: the quick test, in a second or two."""
    positions = own_games(box, Expert(start), games, seed, whim=0.0)
    cards = SetOfCards(box)
    chance = chances(forward(Expert(start).value.weights, inputs_of(positions, cards), cards.described)[0])
    bins = np.minimum(9, (10 * chance).astype(int))
    number = np.maximum(1, np.bincount(bins, minlength=10))
    off = np.abs(np.bincount(bins, chance - positions.won, 10)) / number
    return Familiarity(100 * float((off * number).sum() / number.sum()), len(positions), limit)
