"""Learning the value of positions (strategies/kit/prospects.py) from very many games, in rounds: `terrors train --value`.

In the first round `tuned` plays, with numbers that are a little off and random moves now and then. What is learnt from that is a pilot already
(formats/expert.py), and in each further round that pilot plays: against itself, its forerunner, and the strays of `tuned`. Half of the games are
played with the set at hand, the others with edits of it (edited_sets.py), so that abilities are valued and not cards. Each round goes on from the weights of
the one before.

Who plays best is found by games, never by the loss. What was played is kept beside the file that is made: the same command goes on where it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np
from threadpoolctl import threadpool_limits

from terrors.analysis.players.edited_sets import edited
from terrors.analysis.players.positions import FIELDS, Noter, NotingPilot, Positions, note_games
from terrors.analysis.players.training import check_place
from terrors.analysis.players.value_net import Adam, SetOfCards, begin_weights, chances, forward, gradient, inputs_of
from terrors.simulator.kernel.rng import key_of
from terrors.simulator.play.box import Box, make_box
from terrors.simulator.runs.storage import write_whole
from terrors.strategies.formats.expert import Expert, quick
from terrors.strategies.formats.noting import noter
from terrors.strategies.formats.numbers import read_numbers
from terrors.strategies.formats.value import BASE, LearntValue, Weights, content_of

PLAN = """Buys, answers and chooses its Influence cards by the value that very many games have taught it, and plays its turns quickly.

The value is the chance to win, from what the cards of both sides can do, Health, relics, the Street and the time of the game. It comes from games of tuned
and of its own earlier self, with this card set and with edits of it."""
SIBLING = "Plays as expert does, by a value learnt from other games (seed {seed}); how far siblings agree says how much hangs on who plays."


@dataclass(frozen=True)
class ValueSettings:
    """The settings that decide what is learnt."""

    cards: str  # hashes: of the set at hand,
    base: str  # and of the numbers that the first games are played by
    rules: dict[str, Any]
    seed: int = 1
    games: int = 120_000  # of each round
    sets: int = 40  # edits of the card set; half of the games
    rounds: int = 2
    epochs: int = 3
    batch: int = 4096
    rate: float = 0.002  # of the first round; half of it later


@dataclass
class ValueProgress:
    """The progress of learning a value."""

    what: str
    done: int
    total: int


def plan_of(settings: ValueSettings) -> str:
    """Return the plan in words: all seeds but the first make siblings, and say so."""
    first = ValueSettings.seed
    return PLAN if settings.seed == first else SIBLING.format(seed=settings.seed) + PLAN[PLAN.index("\n") :]


Show = Callable[[ValueProgress], None]
Data = list[tuple[SetOfCards, Positions]]
Players = tuple[Noter | NotingPilot, Noter | NotingPilot]


def boxes_of(box: Box, sets: int) -> list[Box]:
    """Return the set at hand and its edits."""
    return [box, *(make_box(edited(box.cards, n), box.rules) for n in range(sets))]


def players_of(box: Box, forerunners: list[Path], turn: int) -> Players:
    """Return who plays in a round: strays of tuned in the first; then the newest pilot against itself, its forerunner or strays, by turns."""
    numbers = read_numbers(BASE)["overlords"]
    if not forerunners:
        return Noter(box, numbers, 0.03), Noter(box, numbers, 0.03)
    newest = Expert(forerunners[-1])
    one = NotingPilot(newest, box, 0.02)
    if turn % 4 == 1:
        return one, Noter(box, numbers, 0.03)
    if turn % 4 == 2 and len(forerunners) > 1:
        return one, NotingPilot(Expert(forerunners[-2]), box, 0.02)
    return one, NotingPilot(newest, box, 0.02)


def play_part(box: Box, players: Callable[[], Players], games: int, seed: int, file: Path) -> Positions:
    """Return the positions of one part of a round: from its file if it was played before."""
    if file.exists():
        with np.load(file) as kept:
            return Positions(*(kept[name] for name in FIELDS))
    found = note_games(box, *players(), games, seed)
    temporary = file.with_name(f".{file.name}")
    with temporary.open("wb") as stream:
        np.savez(stream, **{name: getattr(found, name) for name in FIELDS})
    temporary.replace(file)
    return found


def play_round(
    boxes: list[Box], players: Callable[[Box, int], Players], settings: ValueSettings, round_: int, place: Path, jobs: int, show: Show,
    stopped: Callable[[], bool],
) -> Data:  # fmt: skip
    """Play all games of a round: the set at hand in as many parts as there are edits, and each edit. `players`: who plays a part, by its set and number."""
    parts = max(1, len(boxes) - 1)
    tasks = [(0, n) for n in range(parts)] + [(n, parts + n) for n in range(1, len(boxes))]
    each = settings.games // len(tasks)
    done = 0

    def one(at: int, number: int) -> tuple[int, Positions] | None:
        nonlocal done
        if stopped():
            return None
        seed = key_of(f"value {settings.seed} {round_}", number) >> 1
        found = play_part(boxes[at], lambda: players(boxes[at], number), each, seed, place / f"round-{round_}-{number}.npz")
        done += 1
        show(ValueProgress(f"round {round_}, games", done, len(tasks)))
        return at, found

    played = joblib.Parallel(n_jobs=jobs, backend="threading")(joblib.delayed(one)(*task) for task in tasks)
    if stopped():
        raise KeyboardInterrupt
    sets = [SetOfCards(box) for box in boxes]
    return [(sets[part[0]], part[1]) for part in played if part]


def loss_of(chance: np.ndarray, won: np.ndarray) -> float:
    """Return the mean logarithmic loss."""
    return float(-(won * np.log(chance + 1e-9) + (1 - won) * np.log(1 - chance + 1e-9)).mean())


def fit(weights: Weights, data: Data, settings: ValueSettings, rate: float, seed: int, show: Show, stopped: Callable[[], bool]) -> tuple[Weights, float]:
    """Return weights that fit the results better, and the loss of the last epoch. The rate falls to 0 in the course of it."""
    weights, luck, adam = dict(weights), np.random.default_rng(seed), Adam(weights)
    batches = [(at, n) for at, (_, positions) in enumerate(data) for n in range(max(1, len(positions) // settings.batch))]
    total, done, last = settings.epochs * len(batches), 0, 0.0
    for _ in range(settings.epochs):
        orders = [luck.permutation(len(positions)) for _, positions in data]
        losses = []
        for at, n in [batches[i] for i in luck.permutation(len(batches))]:
            if stopped():
                raise KeyboardInterrupt
            cards, positions = data[at]
            batch = positions.some(np.sort(orders[at][n * settings.batch : (n + 1) * settings.batch]))
            inputs = inputs_of(batch, cards)
            odds, way = forward(weights, inputs, cards.described)
            chance = chances(odds)
            losses.append(loss_of(chance, batch.won))
            done += 1
            slope = gradient(weights, inputs, cards.described, way, ((chance - batch.won) / len(batch)).astype(np.float32))
            adam.step(weights, slope, rate * min(1.0, done / 100) * (1 - done / (total + 1)))
            if done % 50 == 0 or done == total:
                show(ValueProgress(f"learning, loss {np.mean(losses[-50:]):.3f}", done, total))
        last = float(np.mean(losses))
    return weights, last


def train_value(
    box: Box, out: Path, settings: ValueSettings, jobs: int = 1, show: Show = lambda progress: None, stopped: Callable[[], bool] = lambda: False
) -> LearntValue:
    """Learn the value of positions and write its file; return it. KeyboardInterrupt if it was stopped, with what was played kept."""
    place = out.with_name(f"{out.stem}.training")
    check_place(place, settings)
    boxes = boxes_of(box, settings.sets)
    noter.compiled, quick.compiled  # noqa: B018  now, and not in every thread
    forerunners: list[Path] = []
    value = LearntValue(PLAN, begin_weights(np.random.default_rng(settings.seed)), {})
    losses = []
    for round_ in range(1, settings.rounds + 1):
        made = place / f"round-{round_}.json"
        if not made.exists():
            data = play_round(boxes, lambda at, turn: players_of(at, forerunners, turn), settings, round_, place, jobs, show, stopped)
            rate = settings.rate if round_ == 1 else settings.rate / 2
            with threadpool_limits(1, "blas"):  # sums in one order: the same numbers however many cores there are
                weights, loss = fit(value.weights, data, settings, rate, settings.seed + round_, show, stopped)
            write_whole(made, content_of(LearntValue(PLAN, weights, {"loss": round(loss, 4), "positions": sum(len(positions) for _, positions in data)})))
        value = Expert(made).value
        losses.append(value.training)
        forerunners.append(made)
    value = LearntValue(plan_of(settings), value.weights, json.loads(json.dumps(asdict(settings))) | {"by round": losses})
    write_whole(out, content_of(value))
    return value
