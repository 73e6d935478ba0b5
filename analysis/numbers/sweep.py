"""`terrors sweep`: one or two numbers at several values, all on the same deals; where each gauge crosses even, and for which values the verdict is fair."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from terrors.analysis.contract.columns import tidy
from terrors.analysis.numbers.fairness import FAIR, Asked
from terrors.analysis.numbers.gauges import LENGTH, OVERLORD, Gauges
from terrors.analysis.numbers.played_versions import Versions, settled
from terrors.analysis.stats.intervals import Looks
from terrors.analysis.trials.handicap import crossing
from terrors.simulator.cards.card_numbers import Number, number_named, numbers_of
from terrors.simulator.cards.grammar import FieldError
from terrors.simulator.runs.job import Job
from terrors.simulator.runs.stopping import mixture
from terrors.simulator.terms.errors import AnalysisError

MOST_VALUES, MOST_VERSIONS = 40, 120
FIRST_LOOK, GROWTH = 100, 1.5  # rounds
DRAWS = 2000
ALL = "all"


@dataclass(frozen=True)
class Range:
    """A number, and the values that it is to have."""

    number: Number
    values: tuple[int, ...]


@dataclass
class Crossing:
    """The value of the swept number at which a gauge is where it should be."""

    gauge: str
    value: float
    low: float
    high: float


@dataclass
class Sweep:
    """The results of each version."""

    ranges: list[Range]
    gauges: Gauges
    pilots: list[str]
    mean: np.ndarray  # by pilot (all first), version and gauge
    se: np.ndarray
    states: list[list[str]]  # by version and gauge, over all pilots
    crossings: list[Crossing]
    rounds: int
    games: int
    looks: Looks
    factions: dict[str, str]  # of the overlords, for their colours

    @property
    def versions(self) -> list[tuple[int, ...]]:
        """The values of the swept numbers, a version each."""
        return list(product(*(one.values for one in self.ranges)))

    @property
    def groups(self) -> list[str]:
        """The pilots by name; first all of them together, if there are several."""
        return [ALL, *self.pilots] if len(self.pilots) > 1 else list(self.pilots)

    def fair_values(self, place: int) -> list[tuple[int, ...]]:
        """Return the versions at which one gauge is fair for certain."""
        return [version for version, states in zip(self.versions, self.states, strict=True) if states[place] == FAIR]

    def all_fair(self) -> list[tuple[int, ...]]:
        """Return the versions at which every overlord is fair for certain."""
        overlords = self.gauges.index(OVERLORD)
        return [version for version, states in zip(self.versions, self.states, strict=True) if all(states[place] == FAIR for place in overlords)]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each version, gauge and pilot."""
        z = self.looks.z()
        rows = []
        for g, group in enumerate(self.groups):
            for v, version in enumerate(self.versions):
                for place, gauge in enumerate(self.gauges.all):
                    mean, half = float(self.mean[g, v, place]), z * float(self.se[g, v, place])
                    swept = {one.number.name: value for one, value in zip(self.ranges, version, strict=True)}
                    verdict = self.states[v][place] if g == 0 and gauge.kind != LENGTH else None
                    rows.append(
                        {**swept, "group": group, "of": gauge.name, "value": mean, "low": mean - half, "high": mean + half, "verdict": verdict,
                         "games": self.games // len(self.versions) // (len(self.pilots) if g or len(self.groups) == 1 else 1)}
                    )  # fmt: skip
        return rows

    def table(self) -> pl.DataFrame:
        """Return the rows as a table."""
        return tidy(pl.DataFrame(self.rows(), infer_schema_length=None))


def read_range(text: str, numbers: Sequence[Number], job: Job) -> Range:
    """Return `Lilith.health=45..52`, `…=45,48,52` or `…=40..60:5` as a number and its values; the value as it is counts too."""
    name, equals, values = text.rpartition("=")
    if not equals:
        raise AnalysisError(f"sweep {text!r}: write it as 'Lilith.health=45..52'.")
    try:
        number = number_named(name, numbers, job.cards.by_name)
    except (FieldError, LookupError) as error:
        raise AnalysisError(f"sweep {text!r}: {error}") from None
    if match := re.fullmatch(r"\s*(-?\d+)\s*(?:\.\.|–|…)\s*(-?\d+)\s*(?::\s*(\d+)\s*)?", values):
        if match[3] and not int(match[3]):
            raise AnalysisError(f"sweep {text!r}: steps of 0 lead nowhere; give at least 1.")
        wanted = list(range(int(match[1]), int(match[2]) + 1, int(match[3] or 1)))
    elif re.fullmatch(r"\s*-?\d+\s*(,\s*-?\d+\s*)*", values):
        wanted = [int(value) for value in values.split(",")]
    else:
        raise AnalysisError(f"sweep {text!r}: {values.strip()!r} are no values; write 45..52, 40..60:5 or 45,48,52.")
    if not wanted or len(wanted) > MOST_VALUES or not all(number.low <= value <= number.high for value in wanted):
        raise AnalysisError(f"sweep {text!r}: give 1 to {MOST_VALUES} values from {number.low} to {number.high}, the smaller one first.")
    return Range(number, tuple(sorted(set(wanted))))


def sweep(
    job: Job, texts: Sequence[str], asked: Callable[[Gauges], Asked], games: int, width: float, jobs: int = 1, tell: Callable[[str], None] | None = None
) -> Sweep:
    """Return what comes of all values on the same deals, played until every overlord is known to ±width, `games` games each at most, or until a Ctrl-C."""
    job = settled(job)
    everything = numbers_of(job.cards, job.plan.ruleset())
    ranges = [read_range(text, everything, job) for text in texts]
    if not 1 <= len(ranges) <= 2 or len({one.number.name for one in ranges}) != len(ranges):
        raise AnalysisError("sweep: give one number with its values, or two different ones.")
    numbers = [one.number for one in ranges]
    wanted = list(product(*(one.values for one in ranges)))
    if len(wanted) > MOST_VERSIONS:
        raise AnalysisError(f"sweep: {len(wanted)} versions are too many; give at most {MOST_VERSIONS}.")
    versions = Versions(job, numbers, "sweep", jobs)
    gauges = Gauges(versions.schedule)
    by_pilot = [gauges] if len(job.strategies) == 1 else [gauges, *(Gauges(versions.schedule, pilot) for pilot in range(len(job.strategies)))]
    most = max(FIRST_LOOK, games // versions.games_a_round)
    rho = mixture(float(max(FIRST_LOOK, most // 4)), 0.05)
    seen = [[np.zeros((0, len(gauges.all)))] * len(by_pilot) for _ in wanted]
    done, size, overlords = 0, float(FIRST_LOOK), gauges.index(OVERLORD)
    try:
        while done < most:
            rounds = min(most, int(size)) - done
            fresh = list(versions.each(wanted, lambda values, first=done, rounds=rounds: versions.play(values, first, rounds)))  # type: ignore[misc]
            for v, played in enumerate(fresh):
                seen[v] = [np.vstack([before, one.of(*played)]) for before, one in zip(seen[v], by_pilot, strict=True)]
            done, size = done + rounds, size * GROWTH
            looks = Looks(done, rho)
            half = max(float((looks.z() * found[0][:, overlords].std(0, ddof=1) / done**0.5).max()) for found in seen)
            if tell:
                tell(f"{done * versions.games_a_round * len(wanted):,} games, {len(wanted)} versions, overlords to ±{half:.1f} points")
            if half <= width:
                break
    except KeyboardInterrupt:
        if not done:
            raise
    return _result(ranges, gauges, asked(gauges), job, np.array(seen), Looks(done, rho), done * versions.games_a_round * len(wanted))


def _result(ranges: list[Range], gauges: Gauges, asked: Asked, job: Job, seen: np.ndarray, looks: Looks, games: int) -> Sweep:
    """Return the results of rounds by version, pilot, round and gauge."""
    rounds = seen.shape[2]
    mean, se = seen.mean(2).swapaxes(0, 1), (seen.std(2, ddof=1) / rounds**0.5).swapaxes(0, 1)
    states = [asked.states(mean[0, v], se[0, v], looks) for v in range(len(seen))]
    factions = {card.name: card.faction.name.capitalize() for card in job.cards.overlords}
    crossings = []
    if len(ranges) == 1 and len(ranges[0].values) > 1:
        luck = np.random.default_rng(1)
        for place, gauge in enumerate(gauges.all):
            if gauge.kind == LENGTH:
                continue
            gaps = (seen[:, 0, :, place] - asked.centre[place]) / 100
            found = _crossing(np.array(ranges[0].values, float), gaps, luck)
            if found:
                crossings.append(Crossing(gauge.name, *found))
    return Sweep(ranges, gauges, list(job.strategies), mean, se, states, crossings, rounds, games, looks, factions)


def _crossing(values: np.ndarray, gaps: np.ndarray, luck: np.random.Generator) -> tuple[float, float, float] | None:
    """Return where a gauge crosses the value that it should have, with a 95 % interval; None if it does not within the values, for certain enough.

    All values are played on the same deals, so the errors of neighbours go together; means over many rounds are nearly normal, so their covariance tells how.
    """
    centre = crossing(values, 0.5 + gaps.mean(1), beyond=0.0)
    if centre is None:
        return None
    covariance = np.atleast_2d(np.cov(gaps)) / gaps.shape[1]
    drawn = luck.multivariate_normal(gaps.mean(1), covariance, DRAWS, method="cholesky" if np.linalg.eigvalsh(covariance).min() > 1e-12 else "svd")
    found = [crossing(values, 0.5 + row, beyond=1.0) for row in drawn]
    known = np.array([value for value in found if value is not None])
    if len(known) < 0.95 * DRAWS:
        return None
    low, high = np.percentile(known, [2.5, 97.5])
    return centre, float(low), float(high)
