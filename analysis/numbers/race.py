"""Patches against each other: the same deals for all, the worse half dropped early, everything that was played kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from terrors.analysis.numbers.gauges import MATCHUP, Gauges
from terrors.analysis.numbers.patches import Patch, PatchModel, Seen, channels_of, odds, slope_at
from terrors.analysis.numbers.played_versions import Versions
from terrors.analysis.numbers.store import Kept
from terrors.simulator.cards.card_numbers import Number
from terrors.simulator.runs.job import Job

CHUNK = 200  # rounds that a thread plays at a time
UNPATCHED: Patch = ()


class PlayedPatches:
    """Rounds of patches on the deals of one bank; each is played once, and kept if there is a place to keep it.

    What lies in that place from an earlier time counts only as far as it is asked for again: who goes on sees what somebody who was never interrupted sees.
    """

    def __init__(self, job: Job, numbers: Sequence[Number], bank: str, jobs: int, kept: Kept | None = None) -> None:
        """Take the set, its numbers, and what the deals are for."""
        self.versions = Versions(job, numbers, bank, jobs)
        self.gauges = Gauges(self.versions.schedule)
        self.name, self.kept = bank.replace(" ", "-"), kept
        found = (kept.load(self.name) if kept else None) or {}
        self.rounds: dict[Patch, np.ndarray] = {_patch(key): array for key, array in found.items()}
        self.reached: dict[Patch, int] = {}  # rounds of each that were asked for

    @property
    def games(self) -> int:
        """Games of all rounds that were asked for."""
        return sum(self.reached.values()) * self.versions.games_a_round

    def values(self, patch: Patch) -> tuple[int, ...]:
        """Return the values of all numbers with a patch."""
        values = list(self.versions.usual)
        for place, k in patch:
            values[place] += k * self.versions.numbers[place].step
        return tuple(values)

    def _rounds_of(self, task: tuple[Patch, int, int]) -> np.ndarray:
        """Return the gauges of some rounds of a patch, as exactly as they are kept: whoever reads them again sees the same."""
        patch, first, rounds = task
        return self.gauges.of(*self.versions.play(self.values(patch), first, rounds)).astype(np.float32)

    def play(self, wanted: Mapping[Patch, int], tell: Callable[[int], None] | None = None) -> None:
        """Play patches up to so many rounds each."""
        tasks, games = [], self.games
        for patch, rounds in wanted.items():
            done = len(self.rounds.get(patch, ()))
            tasks += [(patch, at, min(CHUNK, rounds - at)) for at in range(done, rounds, CHUNK)]
            self.reached[patch] = max(rounds, self.reached.get(patch, 0))
        fresh: dict[Patch, list[np.ndarray]] = {}
        playing = self.versions.each(tasks, self._rounds_of)
        try:
            for (patch, _, _), gauges in zip(tasks, playing, strict=False):
                fresh.setdefault(patch, []).append(gauges)
                games += len(gauges) * self.versions.games_a_round
                if tell:
                    tell(games)
        finally:  # an interrupt too keeps what is done
            playing.close()
            for patch, parts in fresh.items():
                before = [self.rounds[patch]] if patch in self.rounds else []
                self.rounds[patch] = np.vstack([*before, *parts])
            if self.kept and fresh:
                self.kept.save(self.name, **{_key(patch): array for patch, array in self.rounds.items()})

    def mean(self, patch: Patch, rounds: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Return the gauges of a patch and their standard errors."""
        found = np.asarray(self.rounds[patch][: rounds or self.reached[patch]], float)
        return found.mean(0), found.std(0, ddof=1) / len(found) ** 0.5

    def seen(self, patch: Patch, model: PatchModel, first: int) -> Seen:
        """Return how far a patch is from the set as it is. `first`: the rounds that all patches have."""
        channels, rounds = channels_of(model.asked), self.reached[patch]
        found = np.asarray(self.rounds[patch][:rounds, channels], float)
        least = np.where([model.asked.gauges[place].kind == MATCHUP for place in channels], 0.25, 0.1) / rounds  # rounds that came out alike prove nothing
        variance = found.var(0, ddof=1) / rounds + least
        mean = np.clip(found.mean(0), 1.0, 99.0)
        return Seen(patch, odds(mean) - odds(model.base[channels]), variance / slope_at(mean) ** 2, found[:first])


def _key(patch: Patch) -> str:
    return "p" + "_".join(f"{place}x{k}" for place, k in patch)


def _patch(key: str) -> Patch:
    parts = (part.split("x") for part in key[1:].split("_") if part)
    return tuple((int(place), int(k)) for place, k in parts)


def race(
    played: PlayedPatches,
    model: PatchModel,
    entered: Mapping[int, Sequence[Patch]],
    stages: Sequence[tuple[int, int]],
    tell: Callable[[int], None] | None = None,
) -> dict[int, list[Patch]]:
    """Return of each size (number of edits) the patches that are left, best first. `stages`: rounds to play up to, and how many of each size go on."""
    left = {size: list(patches) for size, patches in entered.items()}
    for rounds, going_on in stages:
        entered_now = [patch for patches in left.values() for patch in patches]
        played.play({UNPATCHED: rounds} | dict.fromkeys(entered_now, rounds), tell)
        model.learn(played.seen(patch, model, stages[0][0]) for patch in (UNPATCHED, *entered_now))
        left = {size: _best(model, patches)[:going_on] for size, patches in left.items()}
    return left


def _best(model: PatchModel, patches: Sequence[Patch]) -> list[Patch]:
    if not patches:
        return []
    return [patch for _, patch in sorted(zip(model.score(patches).tolist(), patches, strict=True))]
