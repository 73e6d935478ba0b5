"""Training: finding the numbers of a strategy by playing with them (strategies/formats/numbers.py).

Each overlord has its own search (cma_es.py). In a generation all candidates play the same games: their overlord against the others, in both seats with the
same luck, against rivals drawn from a mixed field. Luck comes from a bank of seeds for exploring; what came out is judged on another bank, so that nothing is
praised for games that it was fitted to. In a second round the result of the first is one more rival.

A training writes its state beside the file that it makes, after every generation: the same command goes on where it was. The result does not depend on the
number of jobs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import joblib
import numpy as np

from terrors.analysis.stats.cma_es import Search
from terrors.analysis.stats.intervals import Estimate, pair_estimate
from terrors.simulator.kernel import layout, work_layout
from terrors.simulator.kernel.layout import record
from terrors.simulator.kernel.rng import key_of
from terrors.simulator.kernel.seeds import numbered
from terrors.simulator.play.box import Box
from terrors.simulator.play.match import Match, MatchRecords, Playable, points
from terrors.simulator.runs.storage import write_whole
from terrors.simulator.terms.errors import WordedError
from terrors.strategies import Strategy
from terrors.strategies.formats.numbers import ANY, NOBODY, SIZE, Numbers, NumberStrategy, choose, fill_table, numbers_of
from terrors.strategies.kit.taste import Cards

PLAN = """Plays by numbers found by trying: what each ability is worth early, in the middle and late, with each overlord.

It plays its turns as the styles do. The numbers come from a search, for each overlord by itself, that tried candidates out against a mixed field."""


class TrainingError(WordedError):
    """Raised for a training that cannot go on, in one sentence."""


@dataclass(frozen=True)
class Settings:
    """The settings that decide the result of a training."""

    field: tuple[str, ...]  # hashes of the rivals
    cards: str
    rules: dict[str, Any]
    seed: int = 1
    generations: int = 120
    rounds: int = 2
    population: int = 20
    rivals: int = 4  # of the field, in a generation
    pairs: int = 8  # of games against each rival and overlord
    spread: float = 0.5


class Candidate:
    """A player whose numbers can be changed between games."""

    name = "candidate"

    def __init__(self, box: Box) -> None:
        """Make a work area of its own."""
        self.area = record(work_layout.WORK)
        self.cards = Cards(box.record)
        self.area.table_of[:] = NOBODY  # no overlord has a table but `any`

    @property
    def compiled(self) -> Any:
        """The function that plays by numbers."""
        return choose.compiled

    def work(self, box: Box) -> Any:
        """Return the one work area."""
        return self.area

    def take(self, numbers: Numbers) -> None:
        """Play by these numbers from now on."""
        fill_table(numbers, self.cards, self.area, ANY, -1)


def rivals_of(box: Box, overlord: int) -> list[int]:
    """Return the overlords that one may meet (S3)."""
    kinds = (box.kind(card.name) for card in box.cards.overlords)
    return [kind for kind in kinds if kind != overlord and box.may_meet(kind, overlord)]


def pairs_with(box: Box, overlord: int, pairs: int, bank: str) -> np.ndarray:
    """Return rows of pairs of games of an overlord against each other one; it belongs to the first strategy, which sits second in the second leg."""
    others = rivals_of(box, overlord)
    n = pairs * len(others)
    rows = np.zeros(2 * n, layout.RESULT)
    rows["seed"] = np.repeat(numbered(key_of(bank, overlord), np.arange(n)), 2)
    rows["swapped"] = np.tile([0, 1], n)
    rows["first"] = np.stack([np.full(n, overlord), np.repeat(others, pairs)], 1).ravel()
    rows["second"] = np.stack([np.repeat(others, pairs), np.full(n, overlord)], 1).ravel()
    return rows


def share(match: Match, rows: np.ndarray) -> np.ndarray:
    """Play the rows and return the points of each pair."""
    played = match.play_all(rows.copy())
    return points(played["winner"], played["swapped"]).reshape(-1, 2).mean(1)


class Trainer:
    """The search for one overlord's numbers."""

    def __init__(self, box: Box, overlord: int, field: Sequence[Playable], settings: Settings, round_: int) -> None:
        """Begin the search. `field`: the rivals, those of earlier rounds included."""
        self.box, self.overlord, self.field, self.settings, self.round = box, overlord, field, settings, round_
        self.candidate = Candidate(box)
        desk = MatchRecords()
        self.matches = [Match(box, self.candidate, rival, desk) for rival in field]
        self.search = Search(np.zeros(SIZE), settings.spread, settings.population)
        self.history: list[float] = []

    def generation(self) -> None:
        """Try out some candidates, all on the same games."""
        luck = np.random.default_rng(key_of(f"training {self.settings.seed} {self.round} {self.search.generation}", self.overlord))
        candidates = self.search.ask(luck)
        chosen = luck.choice(len(self.field), min(self.settings.rivals, len(self.field)), replace=False)
        bank = f"explore {self.settings.seed} {self.round} {self.search.generation}"
        rows = pairs_with(self.box, self.overlord, self.settings.pairs, bank)
        scores = np.zeros(len(candidates))
        for i, vector in enumerate(candidates):
            self.candidate.take(numbers_of(vector))
            scores[i] = np.mean([share(self.matches[rival], rows).mean() for rival in chosen])
        self.search.tell(candidates, -scores)
        self.history.append(round(float(scores.mean()), 4))

    def state(self) -> dict[str, Any]:
        """Return what must be kept to go on later."""
        return {"search": self.search.state(), "history": self.history, "round": self.round}

    def take_up(self, state: dict[str, Any]) -> None:
        """Go on with a state that was kept."""
        self.search, self.history = Search.of(state["search"]), state["history"]


@dataclass
class TrainingProgress:
    """The progress of a training."""

    overlord: str
    round: int
    generation: int
    generations: int
    share: float  # of games that the last candidates won against the field


def train(
    box: Box,
    field: Sequence[Strategy],
    out: Path,
    settings: Settings,
    jobs: int = 1,
    on_progress: Callable[[TrainingProgress], None] | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Train all overlords and write the file of numbers; return its content. KeyboardInterrupt if it was stopped, with the state kept."""
    place = out.with_name(f"{out.stem}.training")
    check_place(place, settings)
    overlords = [box.kind(card.name) for card in box.cards.overlords]
    rivals: list[Playable] = list(field)
    vectors: dict[int, np.ndarray] = {}
    for round_ in range(1, settings.rounds + 1):
        work = joblib.Parallel(n_jobs=jobs, backend="threading")(
            joblib.delayed(_train_one)(box, overlord, rivals, settings, round_, place, on_progress, stopped) for overlord in overlords
        )
        if stopped():
            raise KeyboardInterrupt
        vectors = dict(zip(overlords, work, strict=True))
        made = place / f"round-{round_}.json"
        _write(made, _content(box, vectors, settings, field))
        rivals = [*field, NumberStrategy(made)]
    content = _content(box, vectors, settings, field)
    _write(out, content)
    return content


def _train_one(
    box: Box,
    overlord: int,
    field: Sequence[Playable],
    settings: Settings,
    round_: int,
    place: Path,
    on_progress: Callable[[TrainingProgress], None] | None,
    stopped: Callable[[], bool],
) -> np.ndarray:
    """Return the best guess for one overlord in one round."""
    name = box.names[overlord]
    trainer = Trainer(box, overlord, field, settings, round_)
    file = place / f"{round_}-{overlord}.json"
    if file.exists():
        trainer.take_up(json.loads(file.read_text(encoding="utf-8")))
    elif round_ > 1:
        before = json.loads((place / f"{round_ - 1}-{overlord}.json").read_text(encoding="utf-8"))
        trainer.search = Search(np.array(before["search"]["mean"]), settings.spread / 2, settings.population)
    while trainer.search.generation < settings.generations and not stopped():
        trainer.generation()
        _write(file, trainer.state())
        if on_progress:
            on_progress(TrainingProgress(name, round_, trainer.search.generation, settings.generations, trainer.history[-1]))
    return trainer.search.mean


def check_place(place: Path, settings: Any) -> None:
    """Raise a TrainingError if the state that is there is not that of the same training."""
    place.mkdir(parents=True, exist_ok=True)
    file = place / "settings.json"
    now = json.loads(json.dumps(asdict(settings)))
    if file.exists() and (before := json.loads(file.read_text(encoding="utf-8"))) != now:
        changed = ", ".join(name for name in now if before.get(name) != now[name])
        raise TrainingError(f"{place}: this is the state of another training (not the same: {changed}); give another --out, or remove that folder.")
    _write(file, now)


def _content(box: Box, vectors: dict[int, np.ndarray], settings: Settings, field: Sequence[Strategy]) -> dict[str, Any]:
    """Return the content of a file of numbers, with what it comes from. `any` is the middle of all overlords."""
    overlords = {"any": numbers_of(np.mean(list(vectors.values()), 0))}
    overlords |= {box.names[overlord]: numbers_of(vector) for overlord, vector in vectors.items()}
    return {"plan": PLAN, "training": asdict(settings) | {"field": [rival.name for rival in field]}, "overlords": overlords}


def _write(path: Path, data: Any) -> None:
    """Write JSON whole or not at all."""
    write_whole(path, (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode())


@dataclass
class Judged:
    """The results of players with an overlord against the field, on games that nobody was fitted to."""

    overlord: str
    by_player: dict[str, Estimate]

    def regret(self, name: str) -> float:
        """Return how much more the best player of this overlord wins, in points: what a weak pilot hides of it."""
        return 100 * (max(estimate.share for estimate in self.by_player.values()) - self.by_player[name].share)


def judge(box: Box, players: Sequence[Playable], field: Sequence[Playable], pairs: int, seed: int, overlord: int) -> Judged:
    """Play an overlord with each player against the whole field, on the bank of seeds that is kept for judging."""
    rows = pairs_with(box, overlord, pairs, f"confirm {seed}")
    found, desk = {}, MatchRecords()
    for player in players:
        scores = np.mean([share(Match(box, player, rival, desk), rows) for rival in field], axis=0)  # the same luck against each rival: one observation
        found[player.name] = pair_estimate(scores, scores)
    return Judged(box.names[overlord], found)
